"""DJ Wild Stud on the floor."""

from __future__ import annotations

from floor.dj_wild.faults import DJ_WILD_ANOMALIES, natural
from floor.dj_wild.plan import DjWildPlan
from floor.dj_wild.play import DjWildPlay
from floor.dj_wild.tables import TABLES_MIN, DjWildTable, table_specs
from floor.game_simulation import GameSimulation

DJ_WILD = GameSimulation(
    "dj_wild", TABLES_MIN, table_specs, DjWildTable, DjWildPlan, DjWildPlay, DJ_WILD_ANOMALIES, natural
)
