"""A round of Over/Under as a row: three cards each, what was said, and who surrendered."""

from __future__ import annotations

from typing import Final

import numpy as np

from games.cards.cards import JOKER
from games.layout import TableLayout
from games.over_under import SIDES
from replay.columns.game_columns import GameColumns, Row
from replay.columns.layout_row import known_cards, require
from replay.columns.row_schemas import NO_CARD, SEATS, RowSchema, slots_of

SCHEMA: Final = RowSchema(
    slots=slots_of("ante", "over", "under", "bonus"),
    numbers={},
    arrays={
        "dealt": (np.uint8, 3 * SEATS, NO_CARD),
        "said": (np.uint8, SEATS, 0),
        "surrendered": (np.uint8, SEATS, 0),
    },
)
"""`dealt` has each seat's three cards; `said` what its player decided by word: 1 over, 2 under; `surrendered` whether it did."""


def write_layout(row: Row, layout: TableLayout) -> None:
    """Write the cards and the decisions."""
    for box in layout.boxes:
        at, cards = box.seat - 1, known_cards(box.hand, 3)
        require(JOKER not in cards, "a joker")
        row["dealt"][3 * at : 3 * at + 3] = cards
        row["said"][at] = SIDES.index(box.decision) + 1 if box.decision in SIDES else 0
        row["surrendered"][at] = box.surrendered


COLUMNS: Final = GameColumns(
    name="over_under",
    schema=SCHEMA,
    write_layout=write_layout,
    kernel="replay.columns.kernels.over_under",
)
