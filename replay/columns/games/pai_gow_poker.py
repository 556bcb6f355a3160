"""A round of Pai Gow Poker as a row: hands of five and two, and how the dice lay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from games.layout import TableLayout
from games.settlement.dice_wagers import ONE_RED_TWO_BLUE
from replay.columns.game_columns import GameColumns, Row
from replay.columns.layout_row import require, write_hands
from replay.columns.row_schemas import NO_CARD, POSITIONS, RowSchema, Slot, slots_of

SCHEMA: Final = RowSchema(
    slots=(
        *slots_of("base", "tiger_9", "fortune_bonus", "progressive", "sum", "beat_it"),
        *(Slot("match", number) for number in range(1, 7)),
    ),
    numbers={"dice": (np.int16, -1), "red": (np.uint8, 0)},
    arrays={"hands": (np.uint8, 7 * POSITIONS, NO_CARD)},
)
"""`hands` has each position's seven cards as set, the hand of five first; `dice` is which of the 216 ways they lay (-1: none
read), `red` the place of the red die from 1 where two are blue (0: no colours, 4: other colours)."""


def write_layout(row: Row, layout: TableLayout) -> None:
    """Write the hands and the dice. Raises `Ineligible` where somebody hit the Must-Hit-By meter."""
    write_hands(row, layout)
    hit = layout.mystery is not None and any(cycle.hit is not None for cycle in layout.mystery.cycles)
    require(not hit, "the Must-Hit-By bonus was hit")
    if layout.dice is not None and None not in layout.dice.values:
        one, two, three = (value or 0 for value in layout.dice.values)
        row["dice"], row["red"] = (one - 1) * 36 + (two - 1) * 6 + three - 1, _red_die(layout.dice.colours)


def _red_die(colours: Sequence[str] | None) -> int:
    if colours is None:
        return 0
    return colours.index("red") + 1 if sorted(colours) == ONE_RED_TWO_BLUE else 4


COLUMNS: Final = GameColumns(
    name="pai_gow_poker",
    schema=SCHEMA,
    write_layout=write_layout,
    kernel="replay.columns.kernels.pai_gow_poker",
)
