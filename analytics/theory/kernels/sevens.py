"""Seven cards from their suits: ranked in columns, and every seven of the 53-card deck counted.

A hand is one number, `suits`: thirteen bits for each suit, in lanes of sixteen; the joker is counted separately.
"""

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import comb
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from analytics.theory.kernels.compiling import borrowing, compiled, inlined, wide
from analytics.theory.kernels.ranking import (
    ACE_BIT,
    CLASS_SHIFT,
    FIVE_ACES,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    JOKER,
    LINE_SETS,
    PAIR,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
    lines_of,
    ones,
    ranks_down,
    straight_value,
    top,
)

Ints = npt.NDArray[Any]

HANDS: Final = comb(53, 7)
_LANE: Final = 0x1FFF
_LANES: Final = 0x0001_0001_0001_0001
"""One for each suit: times a mask of a lane, that mask in all of them."""
_BLOCK: Final = 1 << 16
"""Hands that a thread ranks before it takes the next."""


class Ranks(NamedTuple):
    """Tables by mask of ranks: the five highest ranks and the best straight, comparable (0: none)."""

    down: Ints
    straights: Ints
    straights_with_joker: Ints


@cache
def ranks_of(lowest: bool) -> Ranks:
    """Return the tables for A-2-3-4-5 as the lowest straight, or as the second highest."""
    ranks = Ranks(*(np.zeros(1 << 13, dtype=np.int32) for _ in Ranks._fields))
    _fill(ranks.down, ranks.straights, ranks.straights_with_joker, lowest)
    return ranks


@compiled
def _fill(down: Ints, straights: Ints, with_joker: Ints, lowest: bool) -> None:
    for mask in range(1 << 13):
        down[mask] = ranks_down(mask, 5)
        for straight in range(10):
            whole = ACE_BIT | 0b1111 if straight == 9 else 31 << straight
            value = straight_value(whole, lowest)
            if whole & mask == whole:
                straights[mask] = max(straights[mask], value)
            if ones(whole & mask) >= 4:
                with_joker[mask] = max(with_joker[mask], value)


@compiled
def rank_masks(suits: int) -> tuple[int, int, int, int]:
    """Return the masks of ranks that occur at least once, twice, three times and four times."""
    a, b, c, d = suits & _LANE, suits >> 16 & _LANE, suits >> 32 & _LANE, suits >> 48 & _LANE
    both, either, both_more, either_more = a & b, a | b, c & d, c | d
    return (
        either | either_more,
        both | both_more | either & either_more,
        both & either_more | both_more & either,
        both & both_more,
    )


@compiled
def cards_by_suit(suits: int) -> int:
    """Return the number of cards of each suit, in its lane."""
    pairs = suits - (suits >> 1 & _LANES * 0x5555)
    fours = (pairs & _LANES * 0x3333) + (pairs >> 2 & _LANES * 0x3333)
    eights = fours + (fours >> 4) & _LANES * 0x0F0F
    return eights + (eights >> 8) & _LANES * 0x1F


@inlined
def best_flush(suits: int, joker: bool, down: Ints, completed: Ints) -> int:
    """Return the value of the best flush or straight flush; 0 if none exists."""
    enough = cards_by_suit(suits) + _LANES * (12 if joker else 11) & _LANES << 4  # five of a suit, or four and the joker
    best = 0
    if enough:
        at = 0
        while not enough >> 16 * at & 1 << 4:
            at += 1
        suit = suits >> 16 * at & _LANE
        straight = wide(completed[suit])
        if straight:
            kind = ROYAL_FLUSH if straight >> 12 == 0xED else STRAIGHT_FLUSH
            best = kind << CLASS_SHIFT | straight
        elif joker:
            best = FLUSH << CLASS_SHIFT | wide(down[suit | 1 << (top(~suit & _LANE) - 2)])
        else:
            best = FLUSH << CLASS_SHIFT | wide(down[suit])
    return best


@inlined
def best_five(suits: int, joker: bool, down: Ints, straights: Ints, with_joker: Ints) -> int:
    """Return the value of the best hand of five among the cards, as `analytics.theory.kernels.ranking.five` gives it."""
    once, twice, thrice, four = rank_masks(suits)
    completed = with_joker if joker else straights
    best = best_flush(suits, joker, down, completed)
    if joker:
        if four & ACE_BIT:
            return FIVE_ACES << CLASS_SHIFT | 14 << 16
        four |= thrice & ACE_BIT
        thrice |= twice & ACE_BIT
        twice |= once & ACE_BIT
    if best >> CLASS_SHIFT >= STRAIGHT_FLUSH:
        return best
    with_ace = once | ACE_BIT if joker else once
    if four:
        lead = top(four)
        return FOUR << CLASS_SHIFT | lead << 16 | top(with_ace & ~(1 << (lead - 2))) << 12
    if thrice:
        lead = top(thrice)
        pair = twice & ~(1 << (lead - 2))
        if pair:
            return FULL_HOUSE << CLASS_SHIFT | lead << 16 | top(pair) << 12
    if best:
        return best
    straight = wide(completed[once])
    if straight:
        return STRAIGHT << CLASS_SHIFT | straight
    if thrice:
        lead = top(thrice)
        return THREE << CLASS_SHIFT | lead << 16 | (wide(down[with_ace & ~(1 << (lead - 2))]) >> 12 << 8)
    if twice:
        lead = top(twice)
        rest = with_ace & ~(1 << (lead - 2))
        if twice & (twice - 1):
            second = top(twice & ~(1 << (lead - 2)))
            return TWO_PAIR << CLASS_SHIFT | lead << 16 | second << 12 | top(rest & ~(1 << (second - 2))) << 8
        return PAIR << CLASS_SHIFT | lead << 16 | (wide(down[rest]) >> 8 << 4)
    return wide(down[with_ace])


@borrowing
def _rank(cards: Ints, down: Ints, straights: Ints, with_joker: Ints, values: Ints) -> None:
    for at in range(cards.shape[0]):
        suits, joker = wide(0), False
        for place in range(7):
            card = wide(cards[at, place])
            if card == JOKER:
                joker = True
            else:
                suits |= wide(1) << ((card & 3) << 4 | card >> 2)
        values[at] = best_five(suits, joker, down, straights, with_joker)


def rank_sevens(cards: Ints, lowest: bool = False, workers: int = 1) -> Ints:
    """Return the value of the best five of each row of seven cards (n × 7, small integers); higher is better.

    >>> two_pair, pair = rank_sevens(np.array([[0, 1, 4, 5, 20, 33, 50], [0, 1, 6, 9, 20, 33, 50]], dtype=np.uint8))
    >>> int(two_pair) >> CLASS_SHIFT, int(pair) >> CLASS_SHIFT
    (2, 1)
    """
    values = np.empty(len(cards), dtype=np.int32)
    ranks = ranks_of(lowest)
    blocks = [slice(at, at + _BLOCK) for at in range(0, len(cards), _BLOCK)]
    _in_parts(lambda block: _rank(cards[block], *ranks, values[block]), blocks, workers)
    return values


def _in_parts(work: Any, parts: list[Any], workers: int) -> list[Any]:
    if workers == 1:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, parts))


@compiled
def _bit(card: int) -> int:
    return wide(1) << ((card & 3) << 4 | card >> 2)


@compiled
def _count(a: int, b: int, counts: Ints) -> None:
    """Count the sets of lines of all hands with these two lowest cards: `counts` by joker mode and set."""
    two = _bit(a) | _bit(b)
    for c in range(b + 1, 49):
        three = two | _bit(c)
        for d in range(c + 1, 50):
            four = three | _bit(d)
            for e in range(d + 1, 51):
                five = four | _bit(e)
                for f in range(e + 1, 52):
                    six = five | _bit(f)
                    for g in range(f + 1, 52):
                        seven = six | _bit(g)
                        once, twice, thrice, all_four = rank_masks(seven)
                        lines = lines_of(once, twice, thrice, all_four, 0, seven, False)
                        counts[0, lines] += 1
                        counts[1, lines] += 1
                    once, twice, thrice, all_four = rank_masks(six)
                    counts[0, lines_of(once, twice, thrice, all_four, 1, six, False)] += 1
                    counts[1, lines_of(once, twice, thrice, all_four, 1, six, True)] += 1


def count_lines(workers: int = 1, lowest_cards: list[tuple[int, int]] | None = None) -> Ints:
    """Return the number of seven-card hands with each set of lines: row 0 with the joker completing, row 1 wild."""
    if lowest_cards is None:
        lowest_cards = [(a, b) for a in range(47) for b in range(a + 1, 48)]

    def counted(two: tuple[int, int]) -> Ints:
        counts = np.zeros((2, LINE_SETS), dtype=np.int64)
        _count(*two, counts)
        return counts

    total = np.zeros((2, LINE_SETS), dtype=np.int64)
    for counts in _in_parts(counted, lowest_cards, workers):
        total += counts
    return total
