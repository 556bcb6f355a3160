"""The result of screening: the check that each row did not pass, and its money. Pure; nothing here is compiled."""

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
    "ineligible",
)  # fmt: skip
"""The check that a row did not pass, by number; 0 is upheld. An ineligible row was not looked at: event replay judges it."""
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
    INELIGIBLE,
) = range(len(CHECKS))

WINS, LOST, TIED = 1, 2, 3
"""How a wager ends, as it is announced (`replay.columns.ordinary_course.RESULT_NUMBERS`)."""


WIN, LOSE, TIE, FOUL, ALL_PUSH, FOUL_IN_FRONT = range(6)
"""The line numbers of a wager that has no paytable. `ALL_PUSH`: the dealer's hand pushes every base wager; `FOUL_IN_FRONT`: of
three hands the medium is below the low (§ 659a.11(f)(1)(iv)), where `FOUL` is the high below the medium."""
FOLDED = SURRENDERED = 250
EQUAL = 251
"""Line numbers that no paytable has: a wager forfeited by a fold, an ante surrendered after the first card; a Blind whose hand
equals the dealer's. A wager with a paytable otherwise has the number of the line, from 1, and 0 where it loses."""
COVERED_IN_PART, NOT_COVERED = 64, 128
"""Added to the line number of a wager that the player-dealer's wager covers in part, or not at all."""


class ScreeningResult(NamedTuple):
    """What rows come to, in arrays: money in cents and lines by box and wager, Envy Bonuses by wager and hand.

    `settled`: a row's money is what is due by the rules; `check`: the check that the row did not pass (`CHECKS`).
    """

    check: Array
    settled: Array
    due: Array
    lines: Array
    ends: Array
    envy: Array
    envy_due: Array
    envy_to: Array


def empty_result(rows: int, places: int = 0, hands: int = 0) -> ScreeningResult:
    """Return the arrays for so many rows of so many boxes and wagers, and hands with an Envy Bonus, in which none was judged."""
    of_one, of_wagers, of_hands = (rows,), (rows, places), (rows, hands)
    return ScreeningResult(
        check=np.full(of_one, INELIGIBLE, dtype=np.uint8),
        settled=np.zeros(of_one, dtype=np.uint8),
        due=np.zeros(of_wagers, dtype=np.int64),
        lines=np.zeros(of_wagers, dtype=np.uint8),
        ends=np.zeros(of_wagers, dtype=np.uint8),
        envy=np.zeros(of_hands, dtype=np.uint8),
        envy_due=np.zeros(of_hands, dtype=np.int64),
        envy_to=np.zeros(of_hands, dtype=np.uint8),
    )
