"""What screening says of rows: the check that each did not pass, and its money. No kernel is compiled here."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CHECKS: Final = (
    "upheld", "cards", "house_way", "not_in_columns", "money", "envy", "envy_call", "deck", "dice", "shuffle", "cut", "start",
    "shakes", "order_of_the_deal", "burn_card", "cover_card",
    "stub", "collection", "no_more_bets", "late", "base_wager", "limits", "seated",
    "lammers", "progressive_count", "lock", "set_early", "announced", "reveal", "progressive_paid", "meter", "order", "mystery",
    "decisions", "side_card", "count", "rotation", "button", "piles", "backline", "fees",
    "aside",
)  # fmt: skip
"""What a row did not pass, by number; 0 is upheld. One that is aside was not looked at: the single path judges it."""
(
    UPHELD,
    CARDS,
    HOUSE_WAY,
    NOT_IN_COLUMNS,
    MONEY,
    ENVY,
    ENVY_CALL,
    DECK,
    DICE,
    SHUFFLE,
    CUT,
    START,
    SHAKES,
    ORDER_OF_THE_DEAL,
    BURN_CARD,
    COVER_CARD,
    STUB,
    COLLECTION,
    NO_MORE_BETS,
    LATE,
    BASE_WAGER,
    LIMITS,
    SEATED,
    LAMMERS,
    PROGRESSIVE_COUNT,
    LOCK,
    SET_EARLY,
    ANNOUNCED,
    REVEAL,
    PROGRESSIVE_PAID,
    METER,
    ORDER,
    MYSTERY,
    DECISIONS,
    SIDE_CARD,
    COUNT,
    ROTATION,
    BUTTON,
    PILES,
    BACKLINE,
    FEES,
    ASIDE,
) = range(len(CHECKS))

WINS, LOST, TIED = 1, 2, 3
"""How a wager ends, as it is announced (`replay.columns.row_course.ANNOUNCED`)."""


class Judged(NamedTuple):
    """What rows come to, in arrays: money in cents and lines by box and wager, Envy Bonuses by wager and hand.

    `settled` says that a row's money is what it is due by the rules; `check` what the row did not pass (`CHECKS`).
    """

    check: Array
    settled: Array
    due: Array
    lines: Array
    ends: Array
    envy: Array
    envy_due: Array
    envy_to: Array


def nothing_judged(rows: int, places: int = 0, hands: int = 0) -> Judged:
    """Return the arrays for so many rows of so many boxes and wagers, and hands with an Envy Bonus, in which none was judged."""
    of_one, of_wagers, of_hands = (rows,), (rows, places), (rows, hands)
    return Judged(
        check=np.full(of_one, ASIDE, dtype=np.uint8),
        settled=np.zeros(of_one, dtype=np.uint8),
        due=np.zeros(of_wagers, dtype=np.int64),
        lines=np.zeros(of_wagers, dtype=np.uint8),
        ends=np.zeros(of_wagers, dtype=np.uint8),
        envy=np.zeros(of_hands, dtype=np.uint8),
        envy_due=np.zeros(of_hands, dtype=np.int64),
        envy_to=np.zeros(of_hands, dtype=np.uint8),
    )
