"""Seven cards by their bonus lines, with the joker completing and wild, and by their highest card.

For Fortune, Progressive and their Envy Bonuses (§§ 688a.12(c), (d), 659a.12(b), (d)) and the Insurance (§ 659a.12(c)).
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from analytics.theory.enumeration.seven import HANDS, seven_card_hands
from rulebook.cards.cards import ACE, JOKER, rank, show
from rulebook.cards.ranking import seven_card_lines

Key = tuple[frozenset[str], frozenset[str], int]


def key_of(cards: Sequence[int]) -> Key:
    """Return the lines of seven cards with the joker completing and wild, and the highest card of those without a line.

    >>> from rulebook.cards.cards import parse_cards
    >>> key_of(parse_cards("Ks Qd Jh 9s 7c 5d 2h"))
    (frozenset(), frozenset(), 13)
    """
    completes, wild = seven_card_lines(cards, "completes"), seven_card_lines(cards, "wild")
    ranks = [ACE if card == JOKER else rank(card) for card in cards]
    return completes, wild, max(ranks) if not completes and len(set(ranks)) == 7 else 0


def compute(hands: Iterable[tuple[tuple[int, ...], int]] | None = None) -> dict[str, Any]:
    """Count all hands, or given ones with the number that each represents."""
    counted: Counter[Key] = Counter()
    examples: dict[Key, tuple[int, ...]] = {}
    for cards, number in hands if hands is not None else seven_card_hands():
        key = key_of(cards)
        counted[key] += number
        examples.setdefault(key, cards)
    ordered = sorted(counted, key=lambda key: (counted[key], show(examples[key])))
    return {
        "what": "seven cards of 53, by the bonus lines that they make; each row has a hand for example",
        "method": "enumeration",
        "total": HANDS if hands is None else counted.total(),
        "rows": [
            {
                "hands": counted[key],
                "example": show(examples[key]),
                "completes": sorted(key[0]),
                "wild": sorted(key[1]),
                "highest": key[2],
            }
            for key in ordered
        ],
    }
