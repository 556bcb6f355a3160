"""A round of DJ Wild Stud Poker as a row: five cards each, the side card, and who folded."""

from __future__ import annotations

from typing import Final

import numpy as np

from games.layout import TableLayout
from replay.columns.game_columns import GameColumns, Row
from replay.columns.layout_row import require, write_dealt
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, slots_of

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "blind", "raise", "progressive", "trips", "bad_beat"),
    numbers={"side": (np.uint8, NO_CARD), "folded": (np.uint8, 0)},
    arrays={"dealt": (np.uint8, 5 * POSITIONS, NO_CARD)},
)
"""`dealt` has each position's five cards, `side` the side card; `folded` the seats that folded, as bits."""


def write_layout(row: Row, layout: TableLayout) -> None:
    """Write the cards and the decisions. Raises `Ineligible` where a decision is not on record."""
    write_dealt(row, layout, 5)
    require(not layout.sides, "several side cards")
    row["side"] = NO_CARD if layout.side is None else layout.side
    for box in layout.boxes:
        require(box.decision in ("raise", "fold"), "a decision that is not on record")
        require(
            (box.decision == "raise") == ("raise" in box.stakes),
            "a raise that was said and not placed, or a fold after it",
        )
        row["folded"] |= (box.decision == "fold") << box.seat - 1


COLUMNS: Final = GameColumns(
    name="dj_wild",
    schema=SCHEMA,
    write_layout=write_layout,
    kernel="replay.columns.kernels.dj_wild",
)
