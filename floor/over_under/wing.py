"""The wing of Over/Under."""

from __future__ import annotations

from floor.over_under import faults_deal, faults_pay, faults_table, faults_wager, legitimate
from floor.over_under.irregulars import IRREGULARS
from floor.over_under.plan import Plan
from floor.over_under.play import Play
from floor.over_under.table import ShoeTable
from floor.over_under.tables import TABLES_MIN, table_specs
from floor.wing import Wing

PLANTERS = (faults_deal, faults_pay, faults_table, faults_wager, legitimate)
"""Importing these registers what can be irregular."""

OVER_UNDER = Wing(
    name="over_under",
    tables=TABLES_MIN,
    specs=table_specs,
    table=ShoeTable,
    plan=Plan,
    play=Play,
    irregulars=IRREGULARS,
    natural=legitimate.natural,
)
