"""Cards counted in one number, which makes the ranking of hands fast.

Every card has a unit. In a signature, the sum of the cards' units, three bits count each rank (the joker has its own) and three
more each suit; so a signature states how often each rank and suit occurs, whatever the order of the cards. The meaning of a
signature is computed once, in the slow and simple way, and kept in a `Memo`.
"""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from rulebook.cards.cards import DECK, JOKER, rank, suit

V = TypeVar("V")

# Bits 0 to 38: three for each rank 2 to 14. Bits 39 to 41: the joker. Bits 42 to 53: three for each suit.
_JOKER_SHIFT: Final = 39
JOKER_UNIT: Final = 1 << _JOKER_SHIFT
SUIT_SHIFT: Final = 42
RANK_BITS: Final = (1 << SUIT_SHIFT) - 1


def _unit(card: int) -> int:
    if card == JOKER:
        return JOKER_UNIT
    return (1 << (rank(card) - 2) * 3) + (1 << SUIT_SHIFT + suit(card) * 3)


UNIT: Final = tuple(_unit(card) for card in DECK)


def counts(signature: int) -> tuple[dict[int, int], int]:
    """Return the counts of the ranks that occur, highest rank first, and the number of jokers.

    >>> from rulebook.cards.cards import parse_cards
    >>> counts(sum(UNIT[card] for card in parse_cards("Ks 7d Jk Kd 7c")))
    ({13: 2, 7: 2}, 1)
    """
    ranks = {r: count for r in range(14, 1, -1) if (count := signature >> (r - 2) * 3 & 7)}
    return ranks, signature >> _JOKER_SHIFT & 7


class Memo(dict[int, V], Generic[V]):
    """A table that computes an entry at its first use."""

    def __init__(self, work: Callable[[int], V]) -> None:
        super().__init__()
        self._work = work

    def __missing__(self, key: int) -> V:
        value = self[key] = self._work(key)
        return value
