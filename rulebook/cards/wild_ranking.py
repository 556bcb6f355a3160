"""How five cards of DJ Wild Stud Poker rank (Annex A, rulemaking 125-223, § 687a.6(a)-(e); D2, D5-D7, D150, D151).

The four deuces and the joker are wild. A wild card represents whatever makes the highest hand, a two included: playing a
deuce as a two is one choice among others, so counting it as wild never costs anything. The text does not state how hands of
the same rank compare; they compare as in other games: groups first, then the other cards in order (D7).

`rulebook.cards.signature` explains why it is fast. Wild cards count if the joker does, and have no suit.

The caller makes sure that no card occurs twice.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Final, Literal

from rulebook.cards.cards import DECK, JOKER, rank
from rulebook.cards.ranking import Rank
from rulebook.cards.signature import JOKER_UNIT, RANK_BITS, SUIT_SHIFT, UNIT, Memo
from rulebook.cards.signature import counts as counts_of

Deuces = Literal["natural", "wild"]


class WildClass(IntEnum):
    """The ranks of § 687a.6(c), lowest first, with five of a kind if the Blind paytable of .12(b) has it (D5)."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    FIVE_OF_A_KIND = 9
    ROYAL_FLUSH = 10
    FIVE_WILDS = 11

    @property
    def line(self) -> str:
        """The name of this rank as a line of a paytable.

        >>> WildClass.FIVE_OF_A_KIND.line
        'five_of_a_kind'
        """
        return self.name.lower()


_ROYAL: Final = (14, 13, 12, 11, 10)
# The ranks that a straight is made of, and what it compares by; the highest first, A-2-3-4-5 the lowest (D2).
_STRAIGHTS: Final = (
    *((frozenset(range(top - 4, top + 1)), tuple(range(top, top - 5, -1))) for top in range(14, 5, -1)),
    (frozenset((14, 5, 4, 3, 2)), (5, 4, 3, 2, 1)),
)


def _rank_of(key: int, suited: bool) -> Rank:
    """Rank five cards by key. Each line is what the wild cards can make when nothing above it can be made (D5).

    With a wild card next to them two pairs are a full house, a pair is three of a kind, and no hand is without a pair.
    """
    counts, wilds = counts_of(key)
    ranks = tuple(sorted(counts, key=lambda r: (counts[r], r), reverse=True))
    if not ranks:
        return (WildClass.FIVE_WILDS,)
    most = counts[ranks[0]] + wilds
    straight = next((order for among, order in _STRAIGHTS if among.issuperset(ranks)), None)
    if len(ranks) + wilds < 5:  # two natural cards of one rank: neither straight nor flush
        straight, suited = None, False
    if suited and straight == _ROYAL:
        return (WildClass.ROYAL_FLUSH, *_ROYAL)
    if most == 5:
        return (WildClass.FIVE_OF_A_KIND, *ranks)
    if suited and straight:
        return (WildClass.STRAIGHT_FLUSH, *straight)
    if most == 4:
        return (WildClass.FOUR_OF_A_KIND, *ranks)
    if len(ranks) == 2:
        return (WildClass.FULL_HOUSE, *ranks)
    if suited:
        return (WildClass.FLUSH, *_filled(ranks, wilds))
    if straight:
        return (WildClass.STRAIGHT, *straight)
    if most == 3:
        return (WildClass.THREE_OF_A_KIND, *ranks)
    if len(ranks) == 3:
        return (WildClass.TWO_PAIR, *ranks)
    return (WildClass.PAIR if most == 2 else WildClass.HIGH_CARD, *ranks)


def _filled(ranks: Sequence[int], wilds: int) -> list[int]:
    """The ranks of a flush: each wild card is the highest that is not yet there."""
    missing = [r for r in range(14, 1, -1) if r not in ranks]
    return sorted((*ranks, *missing[:wilds]), reverse=True)


_PLAIN: Final[Memo[Rank]] = Memo(lambda key: _rank_of(key, False))
_SUITED: Final[Memo[Rank]] = Memo(lambda key: _rank_of(key, True))
# The suits of one to five cards if they are all the same; wild cards fit every suit.
_ONE_SUIT: Final = frozenset(count << s * 3 for s in range(4) for count in range(1, 6))
_UNIT: Final[Mapping[Deuces, tuple[int, ...]]] = {
    "wild": tuple(JOKER_UNIT if card == JOKER or rank(card) == 2 else UNIT[card] for card in DECK),
    "natural": UNIT,
}


def rank_wild(cards: Sequence[int], deuces: Deuces = "wild") -> Rank:
    """Rank five cards: the class, then what breaks ties; equal hands have equal tuples (§ 687a.6(b), (c), D5).

    In a flush each wild card is the highest rank not yet there; A-2-3-4-5 is the lowest straight (D2). With
    `deuces="natural"` only the joker is wild.

    >>> from rulebook.cards.cards import parse_cards
    >>> rank_wild(parse_cards("Ks 9s 4s 2d Jk"))
    (<WildClass.FLUSH: 5>, 14, 13, 12, 9, 4)
    >>> rank_wild(parse_cards("6s 5h 4s 3s 2s")), rank_wild(parse_cards("6s 5h 4s 3s 2s"), "natural")
    ((<WildClass.STRAIGHT: 4>, 7, 6, 5, 4, 3), (<WildClass.STRAIGHT: 4>, 6, 5, 4, 3, 2))
    """
    a, b, c, d, e = cards
    unit = _UNIT[deuces]
    key = unit[a] + unit[b] + unit[c] + unit[d] + unit[e]
    return (_SUITED if key >> SUIT_SHIFT in _ONE_SUIT else _PLAIN)[key & RANK_BITS]


def wild_class(cards: Sequence[int]) -> WildClass:
    """Return the rank of five cards in the sense of § 687a.6(c), the ties apart; its `line` is its name in a paytable.

    >>> from rulebook.cards.cards import parse_cards
    >>> wild_class(parse_cards("Ks Kd Kh 2d Jk")).line
    'five_of_a_kind'
    """
    return WildClass(rank_wild(cards)[0])


def is_natural(cards: Sequence[int]) -> bool:
    """Return whether Trips pays five cards as natural: deuces counted as twos make the same rank (§ 687a.12(d), D6).

    The rank is that of § 687a.6(c), a line of the paytable (D150): 6-5-4-3-2 is a natural straight although the deuce as
    a seven makes a higher one. A hand with the joker never is: the joker always lifts it by a rank or more.

    >>> from rulebook.cards.cards import parse_cards
    >>> is_natural(parse_cards("6s 5h 4s 3s 2s")), is_natural(parse_cards("Ks Kd Kh 9c 2d"))
    (True, False)
    """
    return JOKER not in cards and rank_wild(cards, "natural")[0] == rank_wild(cards)[0]


def progressive_class(cards: Sequence[int], side_card: int | None, deuces: Deuces = "natural") -> WildClass:
    """Return what five cards make for the Progressive, the side card in the joker's place (§ 687a.11(f)(1), D6).

    Only the ranks of § 687a.6(d) count: with wild deuces what would be five of a kind is the highest of those, a straight
    flush next to four deuces and four of a kind otherwise (D151). The side card is not looked at without the joker; ValueError
    when it is needed and missing.

    >>> from rulebook.cards.cards import parse_cards
    >>> hand, (side,) = parse_cards("Ks Kd Kh 2d Jk"), parse_cards("2c")
    >>> progressive_class(hand, side).line, progressive_class(hand, side, deuces="wild").line
    ('full_house', 'four_of_a_kind')
    """
    if JOKER in cards:
        if side_card is None or side_card == JOKER:
            raise ValueError("the joker is replaced by the side card, which is missing")
        cards = [side_card if card == JOKER else card for card in cards]
    hand_class = WildClass(rank_wild(cards, deuces)[0])
    if hand_class is WildClass.FIVE_OF_A_KIND:
        naturals = sum(rank(card) > 2 for card in cards)
        return WildClass.STRAIGHT_FLUSH if naturals == 1 else WildClass.FOUR_OF_A_KIND
    return hand_class
