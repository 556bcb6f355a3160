"""A house way of two hands as numbers, and what it accepts: `games.house_ways.house_way`, compiled.

It works for any filed house way: rows and plays are arguments. The question asked most often is whether the dealer's hands are
set by the house way; once the highest hand in front that a play allows is known, that needs no list of settings.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from games.house_ways.house_way import ANY, KINDS, Front, HouseWay
from games.kernels.compiling import compiled, wide
from games.kernels.ranking import (
    ACE_BIT,
    CLASS_SHIFT,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH_CARD,
    JOKER,
    L_FLUSH,
    L_STRAIGHT,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
    five_without,
    one_more,
    ones,
    seven_lines,
    top,
    two,
)

Ints = npt.NDArray[Any]

_KINDS: Final = tuple(dict.fromkeys(KINDS.values()))
(
    NO_PAIR,
    ONE_PAIR,
    TWO_PAIRS,
    THREE_PAIRS,
    THREES,
    FULL,
    TWO_THREES,
    FOURS,
    FOUR_AND_PAIR,
    FOUR_AND_THREE,
    FIVES,
) = range(11)
_EVERY_KIND: Final = (1 << len(_KINDS)) - 1
HIGHEST, PAIRS, LOW_PAIR, SINGLES, UNLIKE, ACE = range(6)
_FRONTS: Final = get_args(Front)
COMPLETE: Final = -1
_AT_LEAST: Final = {
    "any": HIGH_CARD,
    "pair": PAIR,
    "two_pair": TWO_PAIR,
    "three_of_a_kind": THREE,
    "complete": COMPLETE,
    "full_house": FULL_HOUSE,
    "four_of_a_kind": FOUR,
}


class Way(NamedTuple):
    """A house way in arrays.

    `rows`: kinds (bits), ranks (bits, a two is bit 0), complete and joker with ace (1, 0, or -1: whatever), first and last
    play (beyond it). `plays`: group, front, the class that the back must at least have (`COMPLETE`), least rank in front.
    """

    rows: Ints
    plays: Ints
    lowest: bool


def way_of(way: HouseWay) -> Way:
    """Return a filed house way in arrays."""
    rows: list[list[int]] = []
    plays: list[list[int]] = []
    for row in way.rows:
        first = len(plays)
        for group, alike in enumerate(row.plays):
            plays += [[group, _FRONTS.index(play.front), _AT_LEAST[play.back], play.at_least] for play in alike]
        kinds = _EVERY_KIND if ANY in row.kinds else sum(1 << _KINDS.index(kind) for kind in row.kinds)
        ranks = 0x1FFF if row.ranks is None else sum(1 << (rank - 2) for rank in row.ranks)
        rows.append([kinds, ranks, _flag(row.complete), _flag(row.joker_with_ace), first, len(plays)])
    return Way(np.array(rows, dtype=np.int64), np.array(plays, dtype=np.int64), way.wheel == "lowest")


def _flag(value: bool | None) -> int:
    return -1 if value is None else int(value)


@compiled
def kind_of(once: int, twice: int, thrice: int, four: int, five: int) -> int:
    """Return the kind of seven cards (an index of `KINDS`' names) by their masks, the joker counted as an ace."""
    if five:
        return FIVES
    if four:
        if thrice != four:
            return FOUR_AND_THREE
        return FOUR_AND_PAIR if twice != thrice else FOURS
    if thrice:
        if ones(thrice) == 2:
            return TWO_THREES
        return FULL if twice != thrice else THREES
    return ones(twice)  # none, one, two or three pair


@compiled
def group_for(cards: Ints, rows: Ints, plays: Ints, lowest: bool) -> tuple[int, int, int, int]:
    """Return what sets seven cards: the first play of the group, the one past its last, and the masks of the cards.

    The masks are those of the ranks that are there at least once, and twice, the joker counted as an ace.
    """
    once = twice = thrice = four = five = wide(0)
    joker = False
    for at in range(7):
        card = wide(cards[at])
        joker = joker or card == JOKER
        bit = wide(ACE_BIT if card == JOKER else 1 << (card >> 2))
        five |= four & bit
        once, twice, thrice, four = one_more(bit, once, twice, thrice, four)
    kind = kind_of(once, twice, thrice, four, five)
    most = five if five else four if four else thrice if thrice else twice if twice else once
    leading = 1 << (top(most) - 2)
    joker_with_ace = joker and twice & ACE_BIT != 0
    complete = seven_lines(cards, False) & (L_STRAIGHT | L_FLUSH) != 0
    for row in range(rows.shape[0]):
        if not rows[row, 0] >> kind & 1 or not rows[row, 1] & leading:
            continue
        if (rows[row, 2] >= 0 and rows[row, 2] != complete) or (rows[row, 3] >= 0 and rows[row, 3] != joker_with_ace):
            continue
        first = rows[row, 4]
        while first < rows[row, 5]:
            past, possible = first, False
            while past < rows[row, 5] and plays[past, 0] == plays[first, 0]:
                possible = possible or front_of(cards, once, twice, plays[past], lowest) > 0
                past += 1
            if possible:
                return first, past, once, twice
            first = past
    return 0, 0, once, twice  # never: the last row sets every hand


@compiled
def accepts(cards: Ints, high: int, low: int, rows: Ints, plays: Ints, lowest: bool) -> bool:
    """Say whether hands of these values, set of these seven cards, are set by the house way (`HouseWay.accepts`)."""
    first, past, once, twice = group_for(cards, rows, plays, lowest)
    for play in range(first, past):
        if (
            front_of(cards, once, twice, plays[play], lowest) == low
            and high >= low
            and fits_behind(high, plays[play, 2])
        ):
            return True
    return False


@compiled
def front(cards: Ints, rows: Ints, plays: Ints, lowest: bool) -> tuple[int, int]:
    """Return the places of the two cards that the house way sets in front: of one of the settings that it accepts."""
    first, past, once, twice = group_for(cards, rows, plays, lowest)
    for play in range(first, past):
        low = front_of(cards, once, twice, plays[play], lowest)
        if low == 0:
            continue
        best, at = wide(0), (0, 1)
        for i in range(6):
            for j in range(i + 1, 7):
                if two(wide(cards[i]), wide(cards[j])) == low:
                    high = five_without(cards, i, j, lowest)
                    if high > best and fits_behind(high, plays[play, 2]):
                        best, at = high, (i, j)
        return at
    return 0, 1


@compiled
def front_of(cards: Ints, once: int, twice: int, play: Ints, lowest: bool) -> int:
    """Return the value of the highest hand of two that a play puts in front; 0 where the play cannot be made."""
    return highest_front(cards, once, twice, play[1], play[2], play[3], lowest)


@compiled
def highest_front(cards: Ints, once: int, twice: int, front: int, behind: int, at_least: int, lowest: bool) -> int:
    """Return the value of the highest hand of two that a play allows in front; 0 where the play cannot be made."""
    best = wide(0)
    for i in range(6):
        for j in range(i + 1, 7):
            value = two(wide(cards[i]), wide(cards[j]))
            if value <= best or value >> 16 & 15 < at_least or not may_go(value, once, twice, front):
                continue
            high = five_without(cards, i, j, lowest)
            if high >= value and fits_behind(high, behind):
                best = value
    return best


@compiled
def may_go(value: int, once: int, twice: int, front: int) -> bool:
    """Say whether a hand of two may go in front; `once` and `twice` are the masks of all seven cards."""
    is_pair = value >> CLASS_SHIFT == PAIR
    high = 1 << ((value >> 16 & 15) - 2)
    if front == HIGHEST:
        return True
    if front == PAIRS:
        return is_pair
    if front == LOW_PAIR:
        return is_pair and high == twice & -twice
    if is_pair:
        return False
    if front == UNLIKE:
        return True
    if front == ACE:
        return high == ACE_BIT
    return (high | 1 << ((value >> 12 & 15) - 2)) & twice == 0  # singles


@compiled
def fits_behind(high: int, behind: int) -> bool:
    """Say whether the hand behind is what a play must leave there."""
    hand_class = high >> CLASS_SHIFT
    if behind == COMPLETE:
        return hand_class in (STRAIGHT, FLUSH, STRAIGHT_FLUSH, ROYAL_FLUSH)
    return hand_class >= behind
