"""Ace High Pai Gow of dealer and player together: exact counts of pairs of hands (§§ 688a.1, 688a.12(b); D10).

An ace high hand is a set of different ranks that makes no straight, an ace or the joker among them, in suits that make no flush.
If both hands hold a rank, they hold it in different suits. The number of ways to deal suits to two hands depends only on the
numbers of ranks in each and in both, so sets of ranks are counted first, and suits once for each such combination.
"""

from collections import Counter
from functools import cache
from itertools import combinations, product
from math import comb
from typing import Any, Final

from analytics.theory.enumeration.seven import HANDS, suitings
from rulebook.cards.cards import JOKER
from rulebook.cards.ranking import is_ace_high

Dealt = list[tuple[int | None, int | None]]
"""The suits that a rank can have in the dealer's and in the player's hand, None if it is not in that hand."""
PAIRS: Final = HANDS * comb(46, 7)
"""Every seven cards for the dealer, and every seven of the 46 others for the player."""
_MOST: Final = {7: 4, 6: 3}
"""How many natural cards of a hand may be of one suit: with five, or four and the joker, it has a flush."""


def rank_sets(joker: bool) -> list[frozenset[int]]:
    """Return the sets of ranks (0 to 12) of ace high hands with or without the joker (not itself a rank)."""
    size, jokers = (6, [JOKER]) if joker else (7, [])
    return [
        frozenset(ranks)
        for ranks in combinations(range(13), size)
        if is_ace_high([*(r * 4 + i % 4 for i, r in enumerate(ranks)), *jokers])
    ]


@cache
def suits_of_both(dealer: int, player: int, shared: int) -> int:
    """Return the number of ways to give suits to a dealer's and a player's hand of this many ranks, `shared` of them in both."""
    ways: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter({((0,) * 4, (0,) * 4): 1})
    both: Dealt = [(a, b) for a, b in product(range(4), repeat=2) if a != b]
    mine_alone: Dealt = [(a, None) for a in range(4)]
    theirs_alone: Dealt = [(None, b) for b in range(4)]
    in_turn = [both] * shared + [mine_alone] * (dealer - shared) + [theirs_alone] * (player - shared)
    for options in in_turn:
        longer: Counter[tuple[tuple[int, ...], tuple[int, ...]]] = Counter()
        for (mine, theirs), number in ways.items():
            for a, b in options:
                after = _with(mine, a), _with(theirs, b)
                if max(after[0]) <= _MOST[dealer] and max(after[1]) <= _MOST[player]:
                    longer[after] += number
        ways = longer
    return ways.total()


def _with(counts: tuple[int, ...], suit: int | None) -> tuple[int, ...]:
    return counts if suit is None else (*counts[:suit], counts[suit] + 1, *counts[suit + 1 :])


def both_ace_high(dealer_joker: bool, player_joker: bool) -> int:
    """Count the pairs of ace high hands with the joker in one given hand, or in none."""
    overlaps = Counter(len(mine & theirs) for mine, theirs in product(rank_sets(dealer_joker), rank_sets(player_joker)))
    dealer, player = 7 - dealer_joker, 7 - player_joker
    return sum(sets * suits_of_both(dealer, player, shared) for shared, sets in overlaps.items())


def ace_high(joker: bool) -> int:
    """Count the ace high hands with or without the joker.

    >>> ace_high(True), ace_high(False)
    (1485960, 12944820)
    """
    size = 7 - joker
    return len(rank_sets(joker)) * suitings((1,) * size, 4, _MOST[size] + 1)


def compute() -> dict[str, Any]:
    """Count the pairs of hands of each line of the Ace High Bonus."""
    both = both_ace_high(False, False) + both_ace_high(True, False) + both_ace_high(False, True)
    with_joker = ace_high(True) * comb(46, 7) - both_ace_high(True, False)
    without = ace_high(False) * comb(46, 7) - both_ace_high(False, False) - both_ace_high(False, True)
    lines = {"both_ace_high": both, "dealer_ace_high_joker": with_joker, "dealer_ace_high_no_joker": without}
    return {
        "what": "the dealer's seven cards and a player's seven of the 46 others, by the line of the Ace High Bonus",
        "method": "enumeration",
        "total": PAIRS,
        "rows": [{"hand": hand, "hands": number} for hand, number in lines.items()],
    }
