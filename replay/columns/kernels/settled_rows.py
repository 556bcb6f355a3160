"""What rows come to: their money, and what ends a wager. Pure; nothing here is compiled."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from replay.columns.row_schemas import RowSchema

Array = npt.NDArray[Any]

WIN, LOSE, TIE, FOUL, ALL_PUSH = range(5)
"""How a wager without a paytable ends. `FOUL`: the hands were set out of their order; `ALL_PUSH`: the dealer's hand pushes every
base wager."""
NOBODY: Final = 255
"""No card, in an array of cards."""


class SettledRows(NamedTuple):
    """What rows come to, in arrays: `settled` where the columns hold what is due, and that in cents by box and wager.

    `envy_cents` and `envy_to`: the Envy Bonus for the hand of each seat (Fortune's of all seats, then Progressive's), and the
    seats it is due to, as bits.
    """

    settled: Array
    due: Array
    envy_cents: Array
    envy_to: Array

    def envy_due(self) -> Array:
        """Return the Envy Bonuses that each seat is due: Fortune's of all seats, then Progressive's."""
        rows, hands = self.envy_to.shape
        seats = hands // 2
        owed = (self.envy_to[:, :, None] >> np.arange(seats, dtype=np.uint8)) & 1
        by_hand = owed * self.envy_cents[:, :, None]
        summed: Array = by_hand.reshape(rows, 2, seats, seats).sum(axis=2).reshape(rows, hands)
        return summed


def unsettled(rows: int, schema: RowSchema) -> SettledRows:
    """Return the arrays for so many rows, of which none is settled."""
    places, hands = schema.seats * len(schema.slots), 2 * schema.seats
    return SettledRows(
        settled=np.zeros(rows, dtype=np.uint8),
        due=np.zeros((rows, places), dtype=np.int64),
        envy_cents=np.zeros((rows, hands), dtype=np.int64),
        envy_to=np.zeros((rows, hands), dtype=np.uint8),
    )


def rows_type(form: RowSchema, module: str) -> Any:
    """Return the type of the rows of a form as the kernel in a module takes them: an array for each column it settles by."""
    return namedtuple("Rows", form.settled_by, module=module)
