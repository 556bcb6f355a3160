"""Five cards of DJ Wild Stud Poker ranked as numbers: `games.cards.wild_ranking`, compiled.

The value of a hand is its class (`WildClass`) and then up to five ranks, four bits each; values compare as the tuples of
`rank_wild` do.
"""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

from games.kernels.compiling import compiled, inlined, wide
from games.kernels.ranking import JOKER, ROYAL, WHEEL, one_more, ones, ranks_down, top

Ints = npt.NDArray[Any]

CLASS_SHIFT: Final = 20
(
    HIGH_CARD,
    PAIR,
    TWO_PAIR,
    THREE,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR,
    STRAIGHT_FLUSH,
    FIVE_OF_A_KIND,
    ROYAL_FLUSH,
    FIVE_WILDS,
) = range(12)
"""As `games.cards.wild_ranking.WildClass`."""


@compiled
def wild_value(cards: Ints, deuces: bool) -> int:
    """Return the value of five cards (`rank_wild`); `deuces`: the twos are wild as the joker is."""
    return value_of(cards, -1, deuces)


@inlined
def folded_wild(cards: Ints, side: int, deuces: bool) -> tuple[int, int, int, int, int, bool]:
    """Return the ranks that stand once, twice, thrice and four times, how many cards are wild, and whether the suits agree."""
    once = twice = thrice = four = wilds = wide(0)
    suit, suited = -1, True
    for at in range(5):
        card = wide(cards[at])
        if card == JOKER and side >= 0:
            card = wide(side)
        if card == JOKER or (deuces and card < 4):
            wilds += 1
            continue
        once, twice, thrice, four = one_more(1 << (card >> 2), once, twice, thrice, four)
        if suit >= 0 and suit != card & 3:
            suited = False
        suit = card & 3
    return once, twice, thrice, four, wilds, suited


@compiled
def value_of(cards: Ints, side: int, deuces: bool) -> int:
    """Return the value of five cards, with the side card, where there is one (0 to 51), in the joker's place."""
    once, twice, thrice, four, wilds, suited = folded_wild(cards, side, deuces)
    if not once:
        return FIVE_WILDS << CLASS_SHIFT
    kinds = ones(once)
    most = wilds + (4 if four else 3 if thrice else 2 if twice else 1)
    straight = wide(0)
    if kinds + wilds < 5:
        suited = False
    else:
        straight = best_straight(once)
    if suited and straight == 0xEDCBA:
        return ROYAL_FLUSH << CLASS_SHIFT | straight
    if most == 5:
        return FIVE_OF_A_KIND << CLASS_SHIFT | top(once) << 16
    if suited and straight:
        return STRAIGHT_FLUSH << CLASS_SHIFT | straight
    if most == 4:
        return FOUR << CLASS_SHIFT | by_count(once, twice, thrice, four)
    if kinds == 2:
        return FULL_HOUSE << CLASS_SHIFT | by_count(once, twice, thrice, four)
    if suited:
        for _ in range(wilds):
            once |= 1 << (top(~once & 0x1FFF) - 2)
        return FLUSH << CLASS_SHIFT | ranks_down(once, 5)
    if straight:
        return STRAIGHT << CLASS_SHIFT | straight
    ranks = by_count(once, twice, thrice, four)
    if most == 3:
        return THREE << CLASS_SHIFT | ranks
    if kinds == 3:
        return TWO_PAIR << CLASS_SHIFT | ranks
    return (PAIR if most == 2 else HIGH_CARD) << CLASS_SHIFT | ranks


@compiled
def best_straight(once: int) -> int:
    """Return the ranks of the highest straight that these ranks are among, as they compare; 0 where there is none."""
    for down in range(9):
        whole = ROYAL >> down
        if whole & once == once:
            return ranks_down(whole, 5)
    return 0x54321 if WHEEL & once == once else 0


@compiled
def by_count(once: int, twice: int, thrice: int, four: int) -> int:
    """Return the ranks, those that are there most often first, as they compare."""
    value, places = wide(0), 5
    for mask in (four, thrice ^ four, twice ^ thrice, once ^ twice):
        count = ones(mask)
        places -= count
        value |= ranks_down(mask, count) << (4 * places)
    return value


@compiled
def progressive_rank(cards: Ints, side: int, deuces: bool) -> int:
    """Return the rank of five cards for the Progressive, the side card in the joker's place (`progressive_class`)."""
    rank = value_of(cards, side if side < JOKER else -1, deuces) >> CLASS_SHIFT
    if rank != FIVE_OF_A_KIND:
        return rank
    naturals = 0
    for at in range(5):
        card = wide(cards[at])
        naturals += (wide(side) if card == JOKER else card) >= 4
    return STRAIGHT_FLUSH if naturals == 1 else FOUR
