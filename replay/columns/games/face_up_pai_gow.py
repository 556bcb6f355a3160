"""A round of Face Up Pai Gow Poker as a row: hands of five and two."""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.columns.game_columns import GameColumns
from replay.columns.layout_row import write_hands
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "ace_high_bonus", "fortune_bonus", "progressive"),
    numbers={},
    arrays={"hands": (np.uint8, 7 * POSITIONS, NO_CARD)},
)
"""`hands` has each position's seven cards as set, the hand of five first."""

COLUMNS: Final = GameColumns(
    name="face_up_pai_gow",
    schema=SCHEMA,
    write_layout=write_hands,
    kernel="replay.columns.kernels.face_up_pai_gow",
)
