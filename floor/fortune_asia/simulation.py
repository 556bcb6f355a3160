"""Fortune Asia Poker on the floor."""

from __future__ import annotations

from floor.faults.pai_gow import natural
from floor.fortune_asia.faults import FORTUNE_ASIA_ANOMALIES
from floor.fortune_asia.plan import FortuneAsiaPlan
from floor.fortune_asia.play import FortuneAsiaPlay
from floor.fortune_asia.tables import TABLES_MIN, table_specs
from floor.game_simulation import GameSimulation
from floor.table.cutting_table import CuttingTable

FORTUNE_ASIA = GameSimulation(
    "fortune_asia",
    TABLES_MIN,
    table_specs,
    CuttingTable,
    FortuneAsiaPlan,
    FortuneAsiaPlay,
    FORTUNE_ASIA_ANOMALIES,
    natural,
)
