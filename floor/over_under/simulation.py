"""Over/Under on the floor."""

from __future__ import annotations

from floor.game_simulation import GameSimulation
from floor.over_under.faults import natural
from floor.over_under.plan import OverUnderPlan
from floor.over_under.play import OverUnderPlay
from floor.over_under.shoe_faults import ANOMALIES
from floor.over_under.table import ShoeTable
from floor.over_under.tables import TABLES_MIN, table_specs

OVER_UNDER = GameSimulation(
    "over_under", TABLES_MIN, table_specs, ShoeTable, OverUnderPlan, OverUnderPlay, ANOMALIES, natural
)
