"""How hands of four cards and of one rank, and which settings are legal (58 Pa. Code § 659a.6(a)-(c); D1, D4, D7).

Fortune Asia Poker sets seven cards into a high hand of four, a medium hand of two (`rulebook.cards.ranking.rank_two`) and a low
hand of one. Ranks of all three compare with each other. `rulebook.cards.signature` explains why it is fast.

The caller makes sure that no card occurs twice.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Final

from rulebook.cards.cards import ACE, DECK, JOKER, rank
from rulebook.cards.ranking import HandClass, Rank, rank_two
from rulebook.cards.signature import RANK_BITS, SUIT_SHIFT, UNIT, Memo
from rulebook.cards.signature import counts as counts_of


class FourCardClass(IntEnum):
    """The ranks of § 659a.6(b), lowest first. A pair and a high card are numbered as in `HandClass`, to compare (D7)."""

    HIGH_CARD = HandClass.HIGH_CARD
    PAIR = HandClass.PAIR
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FOUR_OF_A_KIND = 6
    STRAIGHT_FLUSH = 7
    FOUR_ACES = 8


# Written as they compare: A-K-Q-J, then A-2-3-4, then K-Q-J-10 … 5-4-3-2, § 659a.6(b)(2), (5).
_STRAIGHTS: Final = ((14, 13, 12, 11), (14, 4, 3, 2), *(tuple(range(top, top - 4, -1)) for top in range(13, 4, -1)))
_STRAIGHT_SETS: Final = tuple(frozenset(straight) for straight in _STRAIGHTS)
_GROUPED: Final = {
    (4,): FourCardClass.FOUR_OF_A_KIND,
    (3, 1): FourCardClass.THREE_OF_A_KIND,
    (2, 2): FourCardClass.TWO_PAIR,
    (2, 1, 1): FourCardClass.PAIR,
}


def _rank_naturals(counts: dict[int, int], suited: bool) -> Rank:
    """Rank four cards without a joker. Groups come first, then the other cards in order (D7)."""
    ranks = tuple(sorted(counts, key=lambda r: (counts[r], r), reverse=True))
    if ranks == (ACE,):
        return (FourCardClass.FOUR_ACES, ACE)
    if len(ranks) < 4:
        return (_GROUPED[tuple(counts[r] for r in ranks)], *ranks)
    if ranks in _STRAIGHTS:
        return (FourCardClass.STRAIGHT_FLUSH if suited else FourCardClass.STRAIGHT, *ranks)
    return (FourCardClass.FLUSH if suited else FourCardClass.HIGH_CARD, *ranks)


def _rank_of(key: int, suited: bool) -> Rank:
    """Rank four cards by key: the best that the joker makes of them as an ace or by completing (D1)."""
    counts, jokers = counts_of(key)
    if not jokers:
        return _rank_naturals(counts, suited)
    missing = [r for r in range(14, 1, -1) if r not in counts]
    if suited:
        return max(_rank_naturals({**counts, r: 1}, True) for r in missing)
    best = _rank_naturals({**counts, ACE: counts.get(ACE, 0) + 1}, False)
    completed = [{**counts, r: 1} for r in missing if len(counts) == 3 and {*counts, r} in _STRAIGHT_SETS]
    return max([best, *(_rank_naturals(hand, False) for hand in completed)])


_PLAIN: Final[Memo[Rank]] = Memo(lambda key: _rank_of(key, False))
_SUITED: Final[Memo[Rank]] = Memo(lambda key: _rank_of(key, True))
# The suits of four cards, or of three and the joker, if they are all the same.
_ONE_SUIT: Final = frozenset(count << s * 3 for s in range(4) for count in (3, 4))


def rank_four(cards: Sequence[int]) -> Rank:
    """Rank a high hand of four: its class, then what breaks ties, so that tuples compare as hands do (§ 659a.6(b), (c)).

    The joker is an ace or completes a straight, flush or straight flush, whatever ranks highest; in a flush it is the
    highest rank not there yet (D1). Three aces and the joker are four aces (D4).

    >>> from rulebook.cards.cards import parse_cards
    >>> rank_four(parse_cards("Ks Kd 7h Jk"))
    (<FourCardClass.PAIR: 1>, 13, 14, 7)
    >>> rank_four(parse_cards("4s 3d 2h Jk")) > rank_four(parse_cards("Ks Qd Jh Tc"))
    True
    """
    a, b, c, d = cards
    key = UNIT[a] + UNIT[b] + UNIT[c] + UNIT[d]
    return (_SUITED if key >> SUIT_SHIFT in _ONE_SUIT else _PLAIN)[key & RANK_BITS]


_ONE: Final = tuple((HandClass.HIGH_CARD, ACE if card == JOKER else rank(card)) for card in DECK)


def rank_one(cards: Sequence[int]) -> Rank:
    """Rank a low hand of one card; a joker is an ace (§ 659a.6(a), D1).

    >>> from rulebook.cards.cards import parse_cards
    >>> rank_one(parse_cards("Jk")), rank_one(parse_cards("9d"))
    ((<HandClass.HIGH_CARD: 0>, 14), (<HandClass.HIGH_CARD: 0>, 9))
    """
    (card,) = cards
    return _ONE[card]


def is_legal_setting(high: Sequence[int], medium: Sequence[int], low: Sequence[int]) -> bool:
    """Return whether each hand ranks higher than the next; otherwise, or with other sizes, it is foul (§ 659a.11(b), D7).

    Hands of different size compare card by card; if the shorter runs out equal, the longer is higher.

    >>> from rulebook.cards.cards import parse_cards
    >>> is_legal_setting(parse_cards("7s 7h 3d 2c"), parse_cards("7d 7c"), parse_cards("As"))
    True
    >>> is_legal_setting(parse_cards("9s 9h 3d 2c"), parse_cards("Kd Qc"), parse_cards("As"))
    False
    """
    if (len(high), len(medium), len(low)) != (4, 2, 1):
        return False
    return rank_four(high) > rank_two(medium) > rank_one(low)
