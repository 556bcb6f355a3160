"""High Card in columns, as a game from outside adds it: its row schema, and what only it has of a table, in one record.

The record names its kernel and does not import it: kernels load a compiler, which only rows that are settled need.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from games.layout import TableLayout
from replay.columns.game_columns import GameColumns, Row
from replay.columns.layout_row import write_dealt
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "bonus"),
    numbers={},
    arrays={"dealt": (np.uint8, 2 * POSITIONS, NO_CARD)},
)
"""`dealt` has each position's two cards."""


def write_layout(row: Row, layout: TableLayout) -> None:
    """Write the cards of a round of High Card. Raises `Ineligible` where they are not on record."""
    write_dealt(row, layout, 2)


COLUMNS: Final = GameColumns(
    name="high_card",
    schema=SCHEMA,
    write_layout=write_layout,
    kernel="tests.example_game.kernel",
)
