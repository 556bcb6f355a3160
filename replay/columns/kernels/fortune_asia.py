"""Fortune Asia Poker by rows: three hands of which two win, the Insurance, and what upholds a round (`games.fortune_asia`)."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.ranking import seven_and_unpaired, two
from games.kernels.three_hands import accepts_three, four_of, one_of, room_for_settings
from replay.columns.game_row_schemas import FORTUNE_ASIA
from replay.columns.kernels.judged import CARDS, HOUSE_WAY, LOST, NOT_IN_COLUMNS, UPHELD, WINS
from replay.columns.kernels.sevens import (
    FOUL,
    LOSE,
    WIN,
    check_table,
    hands_are_those_dealt,
    note_envy,
    settle_bonuses,
    stands,
)
from replay.columns.kernels.table import rows_type
from replay.columns.kernels.wagers import check_settlement, settle_at_odds, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(FORTUNE_ASIA, __name__)
WIDTH = 4
"""The wagers that a box can have."""
FOUL_IN_FRONT = 5
"""The line of a base wager whose medium hand is below the low one (§ 659a.11(f)(1)(iv)); `FOUL`: the high below the medium."""


@compiled
def parts(cards: Array) -> tuple[int, int, int]:
    """Return the values of hands of four, two and one."""
    high = four_of(wide(cards[0]), wide(cards[1]), wide(cards[2]), wide(cards[3]))
    return high, two(wide(cards[4]), wide(cards[5])), one_of(wide(cards[6]))


@compiled
def two_of_three(cards: Array, high: int, medium: int, low: int) -> int:
    """Return how a base wager ends against the dealer's three hands (`games.fortune_asia.two_of_three`)."""
    behind, middle, front = parts(cards)
    if not behind > middle > front:
        return FOUL_IN_FRONT if behind > middle else FOUL
    return WIN if int(behind > high) + int(middle > medium) + int(front > low) >= 2 else LOSE


@inlined
def settle(r: Any, i: int, terms: Any, kinds: Array, out: Any, room: Array) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    hands, staked, due, lines, ends = r.hands[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
    if not hands_are_those_dealt(r.dealt[i], hands):
        return CARDS
    bank = hands[42:49]
    high, medium, low = parts(bank)
    if not accepts_three(bank, high, medium, low, terms.way_rows, terms.way_plays, kinds, room):
        return HOUSE_WAY
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at = hands[7 * seat : 7 * seat + 7], WIDTH * seat
        completes, wild, highest = seven_and_unpaired(cards)
        if staked[at]:
            lines[at] = two_of_three(cards, high, medium, low)
            due[at] = staked[at] if lines[at] == WIN else -staked[at]
            ends[at] = WINS if lines[at] == WIN else LOST
        if staked[at + 1] and settle_at_odds(terms.own[highest], at + 1, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
        if settle_bonuses(terms, completes, wild, at, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, r.boxes[i], 0x3F, terms, out.envy[i], out.envy_to[i], WIDTH)
    return UPHELD


def screen(r: Any, terms: Any, kinds: Array, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up.screen` does."""
    _screen(r, terms, kinds, which, out, room_for_settings())


@borrowing
def _screen(r: Any, terms: Any, kinds: Array, which: Array, out: Any, room: Array) -> None:
    for i in which:
        check = check_table(r, i, terms, WIDTH)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, kinds, out, room)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_settlement(r, i, terms, out, WIDTH)
        out.check[i] = check
