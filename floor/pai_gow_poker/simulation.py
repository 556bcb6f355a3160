"""The wing of Pai Gow Poker."""

from __future__ import annotations

from events.model import MysteryHit
from floor.face_up_pai_gow.simulation import natural as natural_to_both
from floor.game_simulation import GameSimulation
from floor.pai_gow_poker import faults_game, faults_mystery, legitimate
from floor.pai_gow_poker.anomalies import ANOMALIES
from floor.pai_gow_poker.plan import PaiGowPlan
from floor.pai_gow_poker.play import PaiGowPlay
from floor.pai_gow_poker.table import PaiGowTable
from floor.pai_gow_poker.tables import TABLES_MIN, table_specs
from games.wagers import Outcome

PLANTERS = (faults_game, faults_mystery, legitimate)
"""Importing these registers what can be irregular in a way of this game's own."""


def natural(play: PaiGowPlay) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found = natural_to_both(play)
    if any(due.outcome is Outcome.TIGER_9_PUSH for due in play.dues):
        found.append("tiger_9_push")
    if play.script.of(MysteryHit):
        found.append("mystery_hit")
    return found


PAI_GOW_POKER = GameSimulation(
    name="pai_gow_poker", tables=TABLES_MIN, specs=table_specs, table=PaiGowTable, plan=PaiGowPlan, play=PaiGowPlay,
    anomalies=ANOMALIES, natural=natural,
)  # fmt: skip
