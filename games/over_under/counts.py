"""Over/Under: three cards of six decks by the value of the first and by their total (Annex A, § 686a.3(d))."""

from collections import Counter
from math import comb
from typing import Any, Final

from rulebook.cards.cards import RANKS

DECKS: Final = 6
VALUES: Final = {**dict.fromkeys(range(2, 10), 4), 10: 16, 11: 4}
"""How many cards of each value a deck has: tens and faces count ten, an ace eleven."""
_CARD: Final = {value: RANKS[value - 2] for value in VALUES if value < 11} | {11: "A"}


def compute(decks: int = DECKS) -> dict[str, Any]:
    """Count the first card with every two of those that are left.

    >>> compute()["total"] == 312 * comb(311, 2)
    True
    """
    shoe = {value: held * decks for value, held in VALUES.items()}
    counted: Counter[tuple[int, int]] = Counter()
    examples: dict[tuple[int, int], str] = {}
    for first, held in shoe.items():
        left = {**shoe, first: held - 1}
        for one, ones in left.items():
            for other, others in left.items():
                if one <= other:
                    pairs = comb(ones, 2) if one == other else ones * others
                    counted[first, first + one + other] += held * pairs
                    examples[first, first + one + other] = f"{_CARD[first]}s {_CARD[one]}h {_CARD[other]}c"
    cards = sum(shoe.values())
    assert counted.total() == cards * comb(cards - 1, 2)
    return {
        "what": f"three cards of {decks} decks: the value of the first, and the total",
        "method": "enumeration",
        "total": counted.total(),
        "rows": [
            {"first": first, "total": total, "example": examples[first, total], "hands": number}
            for (first, total), number in sorted(counted.items())
        ],
    }
