"""Face Up Pai Gow Poker on the floor."""

from __future__ import annotations

from floor.face_up_pai_gow.tables import TABLES_MIN, table_specs
from floor.faults.pai_gow import PAI_GOW, natural
from floor.game_simulation import GameSimulation
from floor.round.pai_gow_plan import PaiGowPlan
from floor.round.pai_gow_play import PaiGowPlay
from floor.table.table import Table

FACE_UP_PAI_GOW = GameSimulation(
    "face_up_pai_gow", TABLES_MIN, table_specs, Table, PaiGowPlan, PaiGowPlay, PAI_GOW, natural
)
