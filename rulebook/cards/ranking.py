"""How cards rank: hands of five and two, and the bonus lines of seven (58 Pa. Code § 688a.6; D1, D2, D7, D10, D16).

`rulebook.cards.signature` explains why it is fast. A key is the signature of the cards, or the part of it that counts ranks.

The caller makes sure that no card occurs twice.
"""

from collections.abc import Collection, Sequence
from enum import IntEnum
from itertools import product
from typing import Final, Literal

from rulebook.cards.cards import ACE, DECK, JOKER, rank, suit
from rulebook.cards.signature import RANK_BITS, SUIT_SHIFT, UNIT, Memo
from rulebook.cards.signature import counts as counts_of

Rank = tuple[int, ...]
Wheel = Literal["second", "lowest"]
JokerMode = Literal["completes", "wild"]


class HandClass(IntEnum):
    """The ranks of § 688a.6(b), lowest first; the first number of every `Rank`."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9
    FIVE_ACES = 10


# The bonus lines from the highest ranking hand to the lowest (§ 688a.6(b), (e), (f)).
LINES_BY_RANK: Final = (
    "seven_card_straight_flush", "royal_match", "seven_card_straight_flush_joker", "five_aces", "five_of_a_kind",
    "royal_flush", "straight_flush", "four_of_a_kind", "full_house", "flush", "straight", "three_of_a_kind",
    "three_pair",
)  # fmt: skip

_ROYAL: Final = (14, 13, 12, 11, 10)
_WHEEL: Final = (14, 5, 4, 3, 2)
_STRAIGHTS: Final = (_ROYAL, _WHEEL, *(tuple(range(top, top - 5, -1)) for top in range(13, 5, -1)))
_STRAIGHT_SETS: Final = tuple(frozenset(straight) for straight in _STRAIGHTS)


# --------------------------------------------------------------------------------------------------- five and two cards


def _rank_naturals(counts: dict[int, int], suited: bool, wheel: Wheel) -> Rank:
    """Rank five cards without a joker. Groups come first, then the other cards in order (D7)."""
    groups = sorted(counts, key=lambda r: (counts[r], r), reverse=True)
    if len(groups) < 5:
        hand_class = _GROUPED[tuple(counts[r] for r in groups)]
        return (hand_class, *groups)
    ranks = tuple(groups)
    if ranks not in _STRAIGHTS:
        return (HandClass.FLUSH if suited else HandClass.HIGH_CARD, *ranks)
    if suited and ranks == _ROYAL:
        return (HandClass.ROYAL_FLUSH, *ranks)
    if ranks == _WHEEL and wheel == "lowest":
        ranks = (5, 4, 3, 2, 1)
    return (HandClass.STRAIGHT_FLUSH if suited else HandClass.STRAIGHT, *ranks)


_GROUPED: Final = {
    (5,): HandClass.FIVE_ACES,
    (4, 1): HandClass.FOUR_OF_A_KIND,
    (3, 2): HandClass.FULL_HOUSE,
    (3, 1, 1): HandClass.THREE_OF_A_KIND,
    (2, 2, 1): HandClass.TWO_PAIR,
    (2, 1, 1, 1): HandClass.PAIR,
}


def _rank_of(key: int, suited: bool, wheel: Wheel) -> Rank:
    """Rank five cards by key: the best that the joker makes of them as an ace or by completing (D1)."""
    counts, jokers = counts_of(key)
    if not jokers:
        return _rank_naturals(counts, suited, wheel)
    missing = [r for r in range(14, 1, -1) if r not in counts]
    if suited:
        return max(_rank_naturals({**counts, r: 1}, True, wheel) for r in missing)
    best = _rank_naturals({**counts, ACE: counts.get(ACE, 0) + 1}, False, wheel)
    completed = [{**counts, r: 1} for r in missing if len(counts) == 4 and {*counts, r} in _STRAIGHT_SETS]
    return max([best, *(_rank_naturals(hand, False, wheel) for hand in completed)])


_FIVE: Final[dict[Wheel, tuple[Memo[Rank], Memo[Rank]]]] = {
    "second": (Memo(lambda key: _rank_of(key, False, "second")), Memo(lambda key: _rank_of(key, True, "second"))),
    "lowest": (Memo(lambda key: _rank_of(key, False, "lowest")), Memo(lambda key: _rank_of(key, True, "lowest"))),
}
_FIVE_PLAIN, _FIVE_SUITED = _FIVE["second"]
# The suits of five cards, or of four and the joker, if they are all the same.
_ONE_SUIT: Final = frozenset(count << s * 3 for s in range(4) for count in (4, 5))


def rank_five(cards: Sequence[int], wheel: Wheel = "second") -> Rank:
    """Rank a hand of five: its class, then what breaks ties, so that tuples compare as hands do (§ 688a.6(b), (c)).

    The joker is an ace or completes a straight, flush, straight flush or royal flush, whatever ranks highest; in a
    flush it is the highest rank not there yet (D1). With `wheel="second"` A-2-3-4-5 ranks just below A-K-Q-J-10, and
    highest of the straight flushes; with "lowest" (California, 687a) it is the lowest straight and straight flush (D2).

    >>> from rulebook.cards.cards import parse_cards
    >>> rank_five(parse_cards("Ks Kd 7h 7c Jk"))
    (<HandClass.TWO_PAIR: 2>, 13, 7, 14)
    >>> rank_five(parse_cards("5s 4d 3h 2c Jk")) > rank_five(parse_cards("Ks Qd Jh Tc 9c"))
    True
    """
    a, b, c, d, e = cards
    return rank_by_key(UNIT[a] + UNIT[b] + UNIT[c] + UNIT[d] + UNIT[e], wheel)


def rank_by_key(key: int, wheel: Wheel = "second") -> Rank:
    """Rank a hand of five by its key, the sum of its cards' `UNIT`s."""
    suited = key >> SUIT_SHIFT in _ONE_SUIT
    if wheel == "second":
        return (_FIVE_SUITED if suited else _FIVE_PLAIN)[key & RANK_BITS]
    return _FIVE[wheel][suited][key & RANK_BITS]


_RANK_IN_TWO: Final = tuple(ACE if card == JOKER else rank(card) for card in DECK)


def rank_two(cards: Sequence[int]) -> Rank:
    """Rank a hand of two cards, a pair or two single cards; a joker is an ace (§ 688a.6(b)(11), D1).

    Ranks of two and of five cards are comparable: if the two cards equal the first cards of five, they rank lower (D7).

    >>> from rulebook.cards.cards import parse_cards
    >>> rank_two(parse_cards("Jk As")), rank_two(parse_cards("7s Jk"))
    ((<HandClass.PAIR: 1>, 14), (<HandClass.HIGH_CARD: 0>, 14, 7))
    """
    a, b = cards
    high, low = _RANK_IN_TWO[a], _RANK_IN_TWO[b]
    if high == low:
        return (HandClass.PAIR, high)
    return (HandClass.HIGH_CARD, high, low) if high > low else (HandClass.HIGH_CARD, low, high)


# ---------------------------------------------------------------------------------------------------------- seven cards


def _has_straight(ranks: Collection[int], jokers: int) -> bool:
    held = frozenset(ranks)
    return any(len(straight & held) + jokers >= 5 for straight in _STRAIGHT_SETS)


def _group_lines(counts: dict[int, int]) -> set[str]:
    """The lines that a count of ranks makes, the joker counted in."""
    lines = set()
    most = max(counts.values())
    paired = sum(count >= 2 for count in counts.values())
    if most >= 3:
        lines.add("three_of_a_kind")
        if paired >= 2:
            lines.add("full_house")
    if most >= 4:
        lines.add("four_of_a_kind")
    if most >= 5:
        lines.add("five_of_a_kind")
    if paired >= 3:
        lines.add("three_pair")
    return lines


def _lines_of_ranks(key: int, mode: JokerMode) -> frozenset[str]:
    """The lines that seven cards make by rank alone."""
    counts, jokers = counts_of(key)
    lines = set()
    if not jokers:
        lines |= _group_lines(counts)
    else:
        for r in range(2, 15) if mode == "wild" else (ACE,):
            lines |= _group_lines({**counts, r: counts.get(r, 0) + 1})
        if counts.get(ACE) == 4:
            lines.add("five_aces")
    if _has_straight(counts, jokers):
        lines.add("straight")
    return frozenset(lines)


def _lines_of_suit(key: int) -> frozenset[str]:
    """The lines that the cards of one suit make. Bits 1 to 13 of the key are the ranks 2 to 14, bit 0 is the joker."""
    held, jokers = {r for r in range(2, 15) if key >> (r - 1) & 1}, key & 1
    lines = {"flush"}
    if _has_straight(held, jokers):
        lines |= {"straight_flush", "straight"}
    if len(held.intersection(_ROYAL)) + jokers >= 5:
        lines.add("royal_flush")
    if len(held) + jokers == 7 and any(held <= seven for seven in _SEVEN_IN_A_ROW):
        lines.add("seven_card_straight_flush_joker" if jokers else "seven_card_straight_flush")
    return frozenset(lines)


_SEVEN_IN_A_ROW: Final = (frozenset((ACE, 2, 3, 4, 5, 6, 7)), *(frozenset(range(low, low + 7)) for low in range(2, 9)))
_RANK_LINES: Final[dict[JokerMode, Memo[frozenset[str]]]] = {
    "completes": Memo(lambda key: _lines_of_ranks(key, "completes")),
    "wild": Memo(lambda key: _lines_of_ranks(key, "wild")),
}
_SUIT_LINES: Final[Memo[frozenset[str]]] = Memo(_lines_of_suit)


def _flush_suits() -> dict[int, int]:
    """The suit that makes a flush, or -1, for each way that the suits of seven cards, or six and the joker, fall."""
    suits = {}
    for counts in product(range(8), repeat=4):
        if sum(counts) in (6, 7):
            needed = 5 if sum(counts) == 7 else 4
            key = sum(count << s * 3 for s, count in enumerate(counts))
            suits[key] = next((s for s, count in enumerate(counts) if count >= needed), -1)
    return suits


_FLUSH_SUIT: Final = _flush_suits()


def seven_card_lines(cards: Sequence[int], joker: JokerMode) -> frozenset[str]:
    """Return every bonus line that seven cards make, not only the best: names of `LINES_BY_RANK` (§ 688a.6(e), (f)).

    A line is made when any five (or all seven) of the cards make it; a straight flush makes a flush and a straight too.
    With "completes" the joker pairs with aces only (D1); with "wild" it may be any card. A Royal Match takes a natural
    king and queen of one suit next to the royal flush, which may itself use the joker (D16). Five of a kind is four
    cards of a rank and a fully wild joker; five aces make it with any joker.

    >>> from rulebook.cards.cards import parse_cards
    >>> sorted(seven_card_lines(parse_cards("7s 7d 7h 8c 9c Th Jd"), "completes"))
    ['straight', 'three_of_a_kind']
    """
    a, b, c, d, e, f, g = cards
    key = UNIT[a] + UNIT[b] + UNIT[c] + UNIT[d] + UNIT[e] + UNIT[f] + UNIT[g]
    lines = _RANK_LINES[joker][key & RANK_BITS]
    suit_ = _FLUSH_SUIT[key >> SUIT_SHIFT]
    if suit_ < 0:
        return lines
    mask = 0
    for card in cards:
        if card == JOKER:
            mask |= 1
        elif card & 3 == suit_:
            mask |= 2 << (card >> 2)
    suited = _SUIT_LINES[mask]
    if "royal_flush" in suited and _has_royal_match(cards, suit_):
        return lines | suited | {"royal_match"}
    return lines | suited


def _has_royal_match(cards: Sequence[int], royal_suit: int) -> bool:
    kings = [suit(card) for card in cards if card != JOKER and rank(card) == 13]
    queens = [suit(card) for card in cards if card != JOKER and rank(card) == 12]
    return any(s in queens for s in kings if s != royal_suit)


def _highest_unpaired(key: int) -> int:
    naturals, jokers = counts_of(key)
    counts = {**naturals, ACE: naturals.get(ACE, 0) + 1} if jokers else naturals
    return max(counts) if set(counts.values()) == {1} and not _has_straight(naturals, jokers) else 0


_HIGHEST_UNPAIRED: Final[Memo[int]] = Memo(_highest_unpaired)


def highest_unpaired(cards: Sequence[int]) -> int:
    """Return the rank of the highest of seven cards that make no pair, straight or flush; otherwise 0 (§ 659a.11(h)(2)).

    The joker is an ace if it completes nothing (D1).

    >>> from rulebook.cards.cards import parse_cards
    >>> highest_unpaired(parse_cards("9s 8d 7h 6c 4s 3d 2h")), highest_unpaired(parse_cards("9s 8d 7h 6c Jk 3d 2h"))
    (9, 0)
    """
    a, b, c, d, e, f, g = cards
    key = UNIT[a] + UNIT[b] + UNIT[c] + UNIT[d] + UNIT[e] + UNIT[f] + UNIT[g]
    return _HIGHEST_UNPAIRED[key & RANK_BITS] if _FLUSH_SUIT[key >> SUIT_SHIFT] < 0 else 0


def is_ace_high(cards: Sequence[int]) -> bool:
    """Return whether seven cards are an Ace High Pai Gow: an ace or the joker, no pair, straight or flush (§ 688a.1, D10).

    >>> from rulebook.cards.cards import parse_cards
    >>> is_ace_high(parse_cards("As Qd Th 9h 7c 5s 2d")), is_ace_high(parse_cards("Jk Qd Jc 9s 8h 4d 3c"))
    (True, False)
    """
    return highest_unpaired(cards) == ACE
