"""The wing of DJ Wild Stud Poker."""

from __future__ import annotations

from events.model import WagerPaid
from floor.dj_wild import faults_deal, faults_pay, faults_table, faults_wager, legitimate
from floor.dj_wild.anomalies import ANOMALIES
from floor.dj_wild.plan import Plan
from floor.dj_wild.play import Play
from floor.dj_wild.tables import TABLES_MIN, WildTable, table_specs
from floor.game_simulation import GameSimulation

PLANTERS = (faults_deal, faults_pay, faults_table, faults_wager, legitimate)
"""Importing these registers what can be irregular."""


def natural(play: Play) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found = []
    if any(box.plays and box.decision == "fold" for box in play.plan.boxes.values()) and play.plan.void is None:
        found.append("fold")
    if play.script.of(WagerPaid, source="slip"):
        found.append("jackpot_by_slip")
    if play.other_deck_shuffled:
        found.append("two_deck_shuffle")
    return found


DJ_WILD = GameSimulation(
    name="dj_wild", tables=TABLES_MIN, specs=table_specs, table=WildTable, plan=Plan, play=Play, anomalies=ANOMALIES,
    natural=natural,
)  # fmt: skip
