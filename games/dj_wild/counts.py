"""DJ Wild: every five cards of the 53 against every five of the other 48 (Annex A, rulemaking 125-223, § 687a.11; D5, D6).

The number of dealer's hands below, equal to and above a player's: from all hands, those with one of the player's cards are
subtracted, those with two added back, and so on (32 sets of cards for each hand). The number of hands with a set of cards is
counted once, for every rank.

The player raises or folds by their own five cards alone, for the higher return. Below a straight the Blind pays nothing (it
pushes), and from three of a kind on every hand is raised: so the Blind changes no decision.
"""

from collections import Counter
from itertools import combinations
from math import comb
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from analytics.theory.kernels.compiling import compiled
from rulebook.cards.cards import DECK, JOKER, show
from rulebook.cards.wild_ranking import WildClass, is_natural, progressive_class, rank_wild

Ints = npt.NDArray[Any]

HANDS: Final = comb(53, 5)
DEALER_HANDS: Final = comb(48, 5)
RAISE: Final = 2
"""The raise in antes; ante and blind are one each."""


def ranks_of_all() -> tuple[Ints, list[tuple[int, bool]]]:
    """Return the index of every hand's rank, in the order of `_hands`, and its class and whether it is natural."""
    ranks, kinds = [], []
    for hand in _hands():
        value = rank_wild(hand)
        ranks.append(value)
        kinds.append((int(value[0]), is_natural(hand)))
    place = {value: i for i, value in enumerate(sorted(set(ranks)))}
    return np.array([place[value] for value in ranks], dtype=np.int16), kinds


def _hands() -> list[tuple[int, ...]]:
    """Return every five cards, ordered so that a hand's index is the sum of `comb(card, i + 1)`."""
    return [tuple(reversed(hand)) for hand in sorted(hand[::-1] for hand in combinations(DECK, 5))]


@compiled
def _holding(ranks: Ints, highest: int) -> tuple[Ints, Ints, Ints, Ints, Ints]:
    """Return, for every set of up to three cards, the number of hands with it up to each rank; for four, the ranks."""
    none = np.zeros(highest + 1, dtype=np.int32)
    one = np.zeros((53, highest + 1), dtype=np.int32)
    two = np.zeros((1378, highest + 1), dtype=np.int32)
    three = np.zeros((23426, highest + 1), dtype=np.int16)
    four = np.zeros((292825, 49), dtype=np.int16)
    filled = np.zeros(292825, dtype=np.int8)
    cards = np.zeros(5, dtype=np.int64)
    at = 0
    for e in range(4, 53):
        for d in range(3, e):
            for c in range(2, d):
                for b in range(1, c):
                    for a in range(b):
                        r = ranks[at] + 1  # the first column stays empty: how many rank below the lowest
                        at += 1
                        cards[0], cards[1], cards[2], cards[3], cards[4] = a, b, c, d, e
                        none[r] += 1
                        for i in range(5):
                            one[cards[i], r] += 1
                            for j in range(i):
                                two[_two(cards[j], cards[i]), r] += 1
                                for k in range(j):
                                    three[_three(cards[k], cards[j], cards[i]), r] += 1
                        for out in range(5):
                            at4 = _four_without(cards, out)
                            four[at4, filled[at4]] = r
                            filled[at4] += 1
    for r in range(highest):
        none[r + 1] += none[r]
        for i in range(53):
            one[i, r + 1] += one[i, r]
        for i in range(1378):
            two[i, r + 1] += two[i, r]
    for i in range(23426):
        for r in range(highest):
            three[i, r + 1] += three[i, r]
    return none, one, two, three, four


@compiled
def _two(a: int, b: int) -> Any:
    return b * (b - 1) // 2 + a


@compiled
def _three(a: int, b: int, c: int) -> Any:
    return c * (c - 1) * (c - 2) // 6 + _two(a, b)


@compiled
def _four_without(cards: Ints, out: int) -> Any:
    a = cards[1] if out == 0 else cards[0]
    b = cards[2] if out <= 1 else cards[1]
    c = cards[3] if out <= 2 else cards[2]
    d = cards[4] if out <= 3 else cards[3]
    return d * (d - 1) * (d - 2) * (d - 3) // 24 + _three(a, b, c)


@compiled
def _against_all(ranks: Ints, none: Ints, one: Ints, two: Ints, three: Ints, four: Ints) -> Ints:
    """Return, for every hand, the number of hands without its cards that rank below it and equal to it."""
    counts = np.zeros((len(ranks), 2), dtype=np.int64)
    cards = np.zeros(5, dtype=np.int64)
    at = 0
    for e in range(4, 53):
        for d in range(3, e):
            for c in range(2, d):
                for b in range(1, c):
                    for a in range(b):
                        r = ranks[at] + 1
                        cards[0], cards[1], cards[2], cards[3], cards[4] = a, b, c, d, e
                        upto = np.int64(none[r])
                        below = np.int64(none[r - 1])
                        for i in range(5):
                            upto -= one[cards[i], r]
                            below -= one[cards[i], r - 1]
                            for j in range(i):
                                pair = _two(cards[j], cards[i])
                                upto += two[pair, r]
                                below += two[pair, r - 1]
                                for k in range(j):
                                    triple = _three(cards[k], cards[j], cards[i])
                                    upto -= three[triple, r]
                                    below -= three[triple, r - 1]
                        for out in range(5):
                            at4 = _four_without(cards, out)
                            for i in range(49):
                                upto += four[at4, i] <= r
                                below += four[at4, i] < r
                        upto -= 1  # the hand itself
                        counts[at, 0] = below
                        counts[at, 1] = upto - below
                        at += 1
    return counts


def below_and_equal(ranks: Ints) -> Ints:
    """Return for every hand the number of dealer's hands below it and equal to it, of the 1,712,304 possible."""
    counts: Ints = _against_all(ranks, *_holding(ranks, int(ranks.max()) + 1))
    return counts


def compute() -> dict[str, Any]:
    """Count hands by class, whether natural, and (raised) by whether the dealer's rank is lower, equal or higher."""
    ranks, kinds = ranks_of_all()
    counts = below_and_equal(ranks)
    below, equal = counts[:, 0], counts[:, 1]
    higher = DEALER_HANDS - below - equal
    raised = (1 + RAISE) * below - (2 + RAISE) * higher > -2 * DEALER_HANDS
    of_kind: dict[tuple[int, bool], list[int]] = {}
    for at, kind in enumerate(kinds):
        of_kind.setdefault(kind, []).append(at)
    hands = _hands()
    rows = []
    for kind in sorted(of_kind, reverse=True):
        of_it = np.array(of_kind[kind])
        played = of_it[raised[of_it]]
        assert kind[0] < WildClass.THREE_OF_A_KIND or len(played) == len(of_it)
        rows.append(
            {
                "hand": WildClass(kind[0]).line,
                "natural": kind[1],
                "example": show(reversed(hands[of_kind[kind][0]])),
                "hands": len(of_it),
                "raised": len(played),
                "dealer_lower": int(below[played].sum()),
                "dealer_equal": int(equal[played].sum()),
                "dealer_higher": int(higher[played].sum()),
            }
        )
    return {
        "what": "five cards of 53 by class; where it is best to raise, the dealer's five of the 48 others",
        "method": "enumeration",
        "total": HANDS,
        "dealer_hands": DEALER_HANDS,
        "rows": rows,
    }


def compute_progressive() -> dict[str, Any]:
    """Count the Progressive's lines: five natural cards, with the side card in the joker's place (§ 687a.11(f)(1)).

    If the hand has the joker, the first other card replaces it; so each set of five of the 52 natural cards is equally likely.
    """
    counted: Counter[tuple[WildClass, WildClass]] = Counter()
    examples: dict[tuple[WildClass, WildClass], tuple[int, ...]] = {}
    for hand in combinations(DECK[:JOKER], 5):
        key = progressive_class(hand, None), progressive_class(hand, None, "wild")
        counted[key] += 1
        examples.setdefault(key, hand)
    return {
        "what": "five cards of 52 by class, deuces as twos and (under `wild`) as wild cards",
        "method": "enumeration",
        "total": comb(52, 5),
        "rows": [
            {"hand": key[0].line, "wild": key[1].line, "example": show(reversed(examples[key])), "hands": counted[key]}
            for key in sorted(counted, reverse=True)
        ],
    }
