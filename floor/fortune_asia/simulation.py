"""The wing of Fortune Asia Poker."""

from __future__ import annotations

from floor.face_up_pai_gow.simulation import natural
from floor.fortune_asia import faults
from floor.fortune_asia.anomalies import ANOMALIES
from floor.fortune_asia.plan import AsiaPlan
from floor.fortune_asia.play import AsiaPlay
from floor.fortune_asia.table import AsiaTable
from floor.fortune_asia.tables import TABLES_MIN, table_specs
from floor.game_simulation import GameSimulation

PLANTERS = (faults,)
"""Importing these registers what can be irregular in a way of this game's own."""

FORTUNE_ASIA = GameSimulation(
    name="fortune_asia", tables=TABLES_MIN, specs=table_specs, table=AsiaTable, plan=AsiaPlan, play=AsiaPlay,
    anomalies=ANOMALIES, natural=natural,
)  # fmt: skip
