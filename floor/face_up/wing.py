"""The wing of Face Up Pai Gow Poker."""

from __future__ import annotations

from events.vocabulary.model import WagerPaid
from floor.face_up import faults_deal, faults_pay, faults_progressive, faults_table, faults_wager, legitimate
from floor.face_up.irregulars import IRREGULARS
from floor.face_up.plan import Plan
from floor.face_up.play import Play
from floor.face_up.tables import TABLES_MIN, table_specs
from floor.table import Table
from floor.wing import Wing
from games.settlement.wagers import Outcome

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


FACE_UP = Wing(
    name="face_up_pai_gow",
    tables=TABLES_MIN,
    specs=table_specs,
    table=Table,
    plan=Plan,
    play=Play,
    irregulars=IRREGULARS,
    natural=natural,
)
