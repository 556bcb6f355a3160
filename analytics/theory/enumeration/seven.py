"""Every seven cards of the 53-card deck: hands that rules do not distinguish only once, with the number they represent.

If no flush is possible, only ranks matter; if a suit can make one, the ranks of that suit do too. So some 300,000 hands represent
all 154,143,080 if a flush takes five cards, and about a million if it takes four.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Final

from rulebook.cards.cards import JOKER

HANDS: Final = comb(53, 7)
_KING, _QUEEN = 11, 10
"""Ranks are counted from 0 here, as `card // 4` gives them."""


@cache
def suitings(multiplicities: tuple[int, ...], suits: int, below: int) -> int:
    """Return the number of ways to give suits to ranks with these counts, with fewer than `below` cards in each suit.

    >>> suitings((1, 1), 4, 2), suitings((2,), 4, 2)
    (12, 6)
    """
    ways = Counter({(0,) * suits: 1})
    for held in multiplicities:
        longer: Counter[tuple[int, ...]] = Counter()
        for counts, number in ways.items():
            for dealt in combinations(range(suits), held):
                after = tuple(count + (s in dealt) for s, count in enumerate(counts))
                if max(after) < below:
                    longer[after] += number
        ways = longer
    return ways.total()


def seven_card_hands(flush: int = 5) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield hands and the number that each represents; `flush` is the number of suited cards in one (with the joker one less).

    >>> sum(number for _, number in seven_card_hands()) == HANDS
    True
    """
    for joker in ((), (JOKER,)):
        naturals, needed = 7 - len(joker), flush - len(joker)
        for ranks in combinations_with_replacement(range(13), naturals):
            held = _multiplicities(ranks)
            if held[-1] <= 4 and (number := suitings(held, 4, needed)):
                yield (*_dealt(ranks, (0, 1, 2, 3)), *joker), number
        for suited in range(needed, naturals + 1):
            besides = list(_beside(naturals - suited, needed))
            for ranks in combinations(range(13), suited):
                in_suit = (*(r * 4 for r in ranks), *joker)
                for others, number in besides:
                    yield (*in_suit, *others), 4 * number
        if naturals == 2 * needed:
            sets = list(combinations(range(13), needed))
            for i, one in enumerate(sets):
                for other in sets[i:]:
                    number = 6 if one == other else 12
                    yield (*(r * 4 for r in one), *(r * 4 + 1 for r in other), *joker), number


def _beside(size: int, needed: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Return the cards of the three other suits next to a flush.

    A king and queen of one suit are separate: with a royal they match.
    """
    for ranks in combinations_with_replacement(range(13), size):
        held = _multiplicities(ranks)
        if held and held[-1] > 3:
            continue
        number = suitings(held, 3, needed)
        if ranks == (_QUEEN, _KING) and needed > 2:
            yield (_QUEEN * 4 + 1, _KING * 4 + 1), 3
            number -= 3
        if number:
            yield _dealt(ranks, (1, 2, 3)), number


def _multiplicities(ranks: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(Counter(ranks).values()))


def _dealt(ranks: Sequence[int], suits: Sequence[int]) -> tuple[int, ...]:
    """Return cards of these ranks in order, with suits in turn: no rank gets a suit twice, and no suit comes often."""
    return tuple(r * 4 + suits[i % len(suits)] for i, r in enumerate(ranks))
