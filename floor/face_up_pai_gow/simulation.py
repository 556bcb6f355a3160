"""The wing of Face Up Pai Gow Poker."""

from __future__ import annotations

from events.model import WagerPaid
from floor.face_up_pai_gow import faults_deal, faults_pay, faults_progressive, faults_table, faults_wager, legitimate
from floor.face_up_pai_gow.anomalies import ANOMALIES
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.tables import TABLES_MIN, table_specs
from floor.game_simulation import GameSimulation
from floor.table.table import Table
from games.wagers import Outcome

PLANTERS = (faults_deal, faults_pay, faults_progressive, faults_table, faults_wager, legitimate)
"""Importing these registers what can be irregular."""


def natural(play: Play) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found = []
    if play.plan.surrendered:
        found.append("surrender")
    if any(due.outcome is Outcome.FOUL for due in play.dues):
        found.append("foul_hand")
    if play.script.of(WagerPaid, source="slip"):
        found.append("jackpot_by_slip")
    if play.other_deck_shuffled:
        found.append("two_deck_shuffle")
    return found


FACE_UP_PAI_GOW = GameSimulation(
    name="face_up_pai_gow", tables=TABLES_MIN, specs=table_specs, table=Table, plan=Plan, play=Play, anomalies=ANOMALIES,
    natural=natural,
)  # fmt: skip
