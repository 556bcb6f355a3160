"""Prepared rare hands: seven cards that make a bonus line and no better one (§ 688a.6).

A prepared round is still one legal deck of 53 cards: a hand is chosen from the remaining cards, the rest is dealt at random.
"""

from collections.abc import Callable, Set
from random import Random

from rulebook.cards.cards import JOKER, suit
from rulebook.cards.ranking import LINES_BY_RANK, is_ace_high, seven_card_lines

Hand = list[int]
TARGETS = (*LINES_BY_RANK, "ace_high_joker", "ace_high", "nothing")
_TRIES = 400


def card(rank_: int, suit_: int) -> int:
    """Return a card by rank (2 to 14) and suit (0 to 3)."""
    return (rank_ - 2) * 4 + suit_


def straight(low: int) -> list[int]:
    """Return the ranks of a straight from its lowest card; an ace is 1."""
    return [14, 2, 3, 4, 5] if low == 1 else list(range(low, low + 5))


def _seven_in_a_row(random: Random, joker: bool) -> Hand:
    low, suit_ = random.randrange(1, 9), random.randrange(4)
    ranks = [14, *range(2, 8)] if low == 1 else list(range(low, low + 7))
    if joker:
        ranks.remove(random.choice(ranks))
    return [card(r, suit_) for r in ranks] + ([JOKER] if joker else [])


def _royal(random: Random, joker: bool) -> Hand:
    suit_ = random.randrange(4)
    cards = [card(r, suit_) for r in range(10, 15)]
    if joker:
        cards[random.randrange(5)] = JOKER
    return cards


def _royal_match(random: Random) -> Hand:
    cards = _royal(random, random.random() < 0.4)
    suited = next(suit(each) for each in cards if each != JOKER)
    other = random.choice([s for s in range(4) if s != suited])
    return [*cards, card(13, other), card(12, other)]


def _of_rank(random: Random, rank_: int, count: int) -> Hand:
    return [card(rank_, s) for s in random.sample(range(4), count)]


def _pairs(random: Random, *counts: int) -> Hand:
    ranks = random.sample(range(2, 15), len(counts))
    return [each for r, count in zip(ranks, counts, strict=True) for each in _of_rank(random, r, count)]


def _straight_flush(random: Random) -> Hand:
    suit_ = random.randrange(4)
    return [card(r, suit_) for r in straight(random.randrange(1, 10))]


_MAKERS: dict[str, Callable[[Random], Hand]] = {
    "seven_card_straight_flush": lambda r: _seven_in_a_row(r, joker=False),
    "royal_match": _royal_match,
    "seven_card_straight_flush_joker": lambda r: _seven_in_a_row(r, joker=True),
    "five_aces": lambda r: [card(14, s) for s in range(4)] + [JOKER],
    "five_of_a_kind": lambda r: [*_of_rank(r, r.randrange(2, 14), 4), JOKER],
    "royal_flush": lambda r: _royal(r, r.random() < 0.3),
    "straight_flush": _straight_flush,
    "four_of_a_kind": lambda r: _of_rank(r, r.randrange(2, 15), 4),
    "full_house": lambda r: _pairs(r, 3, 2),
    "flush": lambda r: [card(rank_, s) for s in [r.randrange(4)] for rank_ in r.sample(range(2, 15), 5)],
    "straight": lambda r: [card(rank_, r.randrange(4)) for rank_ in straight(r.randrange(1, 11))],
    "three_of_a_kind": lambda r: _pairs(r, 3),
    "three_pair": lambda r: _pairs(r, 2, 2, 2),
    "ace_high_joker": lambda r: [JOKER],
    "ace_high": lambda r: [card(14, r.randrange(4))],
    "nothing": lambda r: [],
}


def make_hand(random: Random, target: str, excluded: Set[int]) -> Hand | None:
    """Return seven cards not among `excluded` whose best line is `target`, or None if none was found.

    "ace_high_joker" and "ace_high" are Ace High Pai Gows with and without the joker; "nothing" makes no line and is no ace high.
    """
    left = [each for each in range(53) if each not in excluded and not (each == JOKER and target in ("ace_high", "nothing"))]

    def draw() -> Hand:
        hand = _MAKERS[target](random)
        rest = [each for each in left if each not in hand]
        return hand + random.sample(rest, min(len(rest), 7 - len(hand)))

    return first_fitting(random, draw, lambda cards: excluded.isdisjoint(cards) and is_target(cards, target))


def first_fitting(random: Random, draw: Callable[[], Hand], fits: Callable[[Hand], bool]) -> Hand | None:
    """Return the first drawn hand that fits, in any order, or None after many that do not."""
    for _ in range(_TRIES):
        cards = draw()
        if fits(cards):
            random.shuffle(cards)
            return cards
    return None


def is_target(cards: Hand, target: str) -> bool:
    """Return whether seven cards make the requested line and no better one."""
    ace_high = is_ace_high(cards)
    if target in ("ace_high", "ace_high_joker"):
        return ace_high and (JOKER in cards) == (target == "ace_high_joker")
    lines = seven_card_lines(cards, "completes")
    if target == "nothing":
        return not lines and not ace_high
    if target == "five_of_a_kind":
        return target in seven_card_lines(cards, "wild") and "five_aces" not in lines
    best = next((line for line in LINES_BY_RANK if line in lines), None)
    return best == target
