"""A round of Fortune Asia Poker as a row: hands of four, two and one card."""

from __future__ import annotations

from typing import Final

import numpy as np

from replay.columns.game_columns import GameColumns
from replay.columns.layout_row import write_hands
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of

SCHEMA: Final = RowSchema(
    slots=slots_of("base", "insurance", "fortune_bonus", "progressive"),
    numbers={},
    arrays={"hands": (np.uint8, 7 * POSITIONS, NO_CARD)},
)
"""`hands` has each position's seven cards as set: of the hand of four, of the medium, of the low."""

COLUMNS: Final = GameColumns(
    name="fortune_asia",
    schema=SCHEMA,
    write_layout=write_hands,
    kernel="replay.columns.kernels.fortune_asia",
)
