"""Prepared rare hands: five cards for a line of Trips, natural or with wild cards (§ 687a.12(d)).

A prepared round is still one legal deck of 53 cards: a hand is chosen from the remaining cards, the rest is dealt at random.
"""

from collections.abc import Callable, Collection, Set
from random import Random

from floor.round.seven_cards import card, first_fitting, straight
from games.dj_wild.settle import lines
from rulebook.cards.cards import DECK, JOKER, rank
from rulebook.chapters.chapters import chapter

Hand = list[int]
PAID = tuple(line.hand for line in chapter("pa", "687a").paytable("trips", "DJWT-04").lines)
"""The lines of Trips, the highest first."""
TARGETS = (*PAID, "nothing")
_TRIPS = chapter("pa", "687a").paytable("trips", "DJWT-04")
_WILDS = tuple(card for card in DECK if card == JOKER or rank(card) == 2)


def _groups(random: Random, *counts: int) -> Hand:
    ranks = random.sample(range(3, 15), len(counts))
    return [card(r, s) for r, count in zip(ranks, counts, strict=True) for s in random.sample(range(4), count)]


def _in_suit(random: Random, ranks: list[int]) -> Hand:
    suit = random.randrange(4)
    return [card(r, suit) for r in ranks]


_MAKERS: dict[str, Callable[[Random], Hand]] = {
    "five_wilds": lambda r: list(_WILDS),
    "royal_flush": lambda r: _in_suit(r, list(range(10, 15))),
    "five_of_a_kind": lambda r: [*_groups(r, r.randrange(1, 5)), *r.sample(_WILDS, 4)][:5],
    "straight_flush": lambda r: _in_suit(r, straight(r.randrange(1, 10))),
    "four_of_a_kind": lambda r: _groups(r, 4, 1),
    "full_house": lambda r: _groups(r, 3, 2),
    "flush": lambda r: _in_suit(r, r.sample(range(2, 15), 5)),
    "straight": lambda r: [card(each, r.randrange(4)) for each in straight(r.randrange(1, 11))],
    "three_of_a_kind": lambda r: _groups(r, 3, 1, 1),
    "nothing": lambda r: r.sample(range(53), 5),
}


def line_of(cards: Collection[int]) -> str:
    """Return the line of Trips that five cards make, or "nothing" if none is paid."""
    (line,) = lines(_TRIPS, tuple(cards))
    return line if line in PAID else "nothing"


def make_hand(random: Random, target: str, excluded: Set[int]) -> Hand | None:
    """Return five cards not among `excluded` that make a line, or None if it finds none."""
    like = target.removeprefix("natural_").removesuffix("_with_wild")

    def draw() -> Hand:
        hand = _MAKERS[like](random)
        if target.endswith("_with_wild"):
            for at in random.sample(range(5), random.choice((1, 1, 1, 2))):
                hand[at] = random.choice(_WILDS)
        return hand

    def fits(hand: Hand) -> bool:
        return len(set(hand)) == 5 and excluded.isdisjoint(hand) and line_of(hand) == target

    return first_fitting(random, draw, fits)
