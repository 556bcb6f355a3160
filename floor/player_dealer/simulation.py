"""The wing of Face Up Pai Gow Poker in California."""

from __future__ import annotations

from floor.game_simulation import GameSimulation
from floor.player_dealer import faults_deal, faults_position, legitimate
from floor.player_dealer.anomalies import ANOMALIES
from floor.player_dealer.plan import PlayerDealerPlan
from floor.player_dealer.play import PlayerDealerPlay
from floor.player_dealer.table import PlayerDealerTable
from floor.player_dealer.tables import TABLES_MIN, table_specs
from games.wagers import Outcome

PLANTERS = (faults_deal, faults_position, legitimate)
"""Importing these registers what can be irregular in a way of this game's own."""


def natural(play: PlayerDealerPlay) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found, plan = [], play.plan
    if any(due.outcome is Outcome.FOUL for due in play.dues):
        found.append("foul_hand")
    if any(due.uncovered_cents for due in play.dues):
        found.append("not_all_covered")
    if plan.offers and not any(accepted for _, accepted in plan.offers):
        found.append("kept_after_all_declined")
    return found


PLAYER_DEALER = GameSimulation(
    name="player_dealer", tables=TABLES_MIN, specs=table_specs, table=PlayerDealerTable, plan=PlayerDealerPlan,
    play=PlayerDealerPlay, anomalies=ANOMALIES, natural=natural,
)  # fmt: skip
