"""The wing of Over/Under."""

from __future__ import annotations

from floor.game_simulation import GameSimulation
from floor.over_under import faults_deal, faults_pay, faults_table, faults_wager, legitimate
from floor.over_under.anomalies import ANOMALIES
from floor.over_under.plan import Plan
from floor.over_under.play import Play
from floor.over_under.table import ShoeTable
from floor.over_under.tables import TABLES_MIN, table_specs

PLANTERS = (faults_deal, faults_pay, faults_table, faults_wager, legitimate)
"""Importing these registers what can be irregular."""

OVER_UNDER = GameSimulation(
    name="over_under", tables=TABLES_MIN, specs=table_specs, table=ShoeTable, plan=Plan, play=Play,
    anomalies=ANOMALIES, natural=legitimate.natural,
)  # fmt: skip
