"""The wing of Face Up Pai Gow Poker in California."""

from __future__ import annotations

from floor.california import faults_deal, faults_position, legitimate
from floor.california.irregulars import IRREGULARS
from floor.california.plan import CaliforniaPlan
from floor.california.play import CaliforniaPlay
from floor.california.table import CaliforniaTable
from floor.california.tables import TABLES_MIN, table_specs
from floor.wing import Wing
from games.settlement.wagers import Outcome

PLANTERS = (faults_deal, faults_position, legitimate)
"""Importing these registers what can be irregular in a way of this game's own."""


def natural(play: CaliforniaPlay) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found, plan = [], play.plan
    if any(due.outcome is Outcome.FOUL for due in play.dues):
        found.append("foul_hand")
    if any(due.uncovered_cents for due in play.dues):
        found.append("not_all_covered")
    if plan.offers and not any(accepted for _, accepted in plan.offers):
        found.append("kept_after_all_declined")
    return found


CALIFORNIA = Wing(
    name="player_dealer",
    tables=TABLES_MIN,
    specs=table_specs,
    table=CaliforniaTable,
    plan=CaliforniaPlan,
    play=CaliforniaPlay,
    irregulars=IRREGULARS,
    natural=natural,
)
