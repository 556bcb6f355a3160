"""Unread cards: the readings of a hand are all that can lie there, each once, and no more than can be tried (D26, D279)."""

from itertools import permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.fold.table_fold import TableFold
from replay.run.adjudicate import adjudicate
from replay.settlement.hand_readings import MAX_READINGS, readings, ways
from replay.transcript.transcript import Script, fold_script, parse
from rulebook.cards.cards import CODE, TEXT
from rulebook.layout import NO_HAND, Hand

OTHERS = {
    "seat1": "2s 2h 5c 7d Jk Qs Kc",
    "seat2": "Ad 6s 6c 9d Jh 4c 3s",
    "seat4": "Ah Qh Js 8h 6h 4s 3c",
    "seat5": "Ks Qc Td 8d 7h 5d 3h",
    "seat6": "Ac Jd Ts 9c 8s 5h 3d",
}
DEALER = "2c 4d 4h 6d 7s 8c 9s"
HAND = ["As", "Qd", "Th", "9h", "7c", "5s", "2d"]
LEFT = {CODE[card] for card in ("Tc", "Jc", "Kd", "Kh")}
"""What lies nowhere: the four cards of the stub."""


def script(dealt: list[str], high: list[str] | None = None, low: list[str] | None = None, others: bool = True) -> Script:
    table = " ".join(f"{seat}={cards}" for seat, cards in OTHERS.items()) if others else ""
    text = f"rules pa-688a\nwager seat=3 base 25.00\ndeal {table} dealer={DEALER} seat3={' '.join(dealt)}\n"
    if high is not None and low is not None:
        text += f"set seat=3 high={' '.join(high)} low={' '.join(low)}\n"
    (only,) = parse(text, "test")
    return only


def read(one: Script) -> list[Hand]:
    return readings(fold_script(TableFold("table/t"), one), one.book, 3)


def together(hand: Hand) -> tuple[frozenset[int], ...]:
    return tuple(frozenset(cards or ()) for cards in (hand.cards, hand.high, hand.low))


def hidden(cards: list[str], which: frozenset[str]) -> list[str]:
    return ["??" if card in which else card for card in cards]


@given(st.frozensets(st.sampled_from(HAND), min_size=1, max_size=4), st.booleans(), st.permutations(HAND))
def test_every_hand_that_the_unread_cards_can_make_is_a_reading_and_each_comes_once(
    which: frozenset[str], is_set: bool, order: list[str]
) -> None:
    """By the definition: any cards that lie nowhere else, in every order, in the places that were not read."""
    dealt, high, low = hidden(order, which), hidden(HAND[:5], which), hidden(HAND[5:], which)
    free = LEFT | {CODE[card] for card in which}
    expected = set()
    for chosen in permutations(free, len(which)):
        rest = list(chosen)
        parts = [[CODE[card] if card != "??" else rest.pop() for card in part] for part in (high, low)]
        cards = frozenset((*parts[0], *parts[1]))
        expected.add((cards, *(frozenset(part if is_set else ()) for part in parts)))
    found = [together(hand) for hand in read(script(dealt, high, low) if is_set else script(dealt))]
    assert set(found) == expected
    assert len(found) == len(expected)


@pytest.mark.parametrize(("unread", "tried"), [(3, True), (4, False)])
def test_no_more_readings_are_tried_than_the_limit(unread: int, tried: bool) -> None:
    """Only seat 3 and the dealer are on record: 53 cards less the dealer's seven and those read."""
    dealt = hidden(HAND, frozenset(HAND[:unread]))
    hands = comb(53 - 7 - (7 - unread), unread)
    assert (hands <= MAX_READINGS) == tried
    found = read(script(dealt, others=False))
    assert len(found) == hands if tried else found == [NO_HAND]


def test_more_unread_cards_than_are_left_in_the_deck_cannot_be_told() -> None:
    text = " ".join(TEXT[card] for card in sorted(LEFT)) + " As"  # all that is left, and a card of the hand itself
    one = script(["??", *HAND[1:]])
    (more,) = parse(
        f"rules pa-688a\nwager seat=3 base 25.00\ndeal {' '.join(f'{s}={c}' for s, c in OTHERS.items())} dealer={DEALER}"
        f" seat3=?? {' '.join(HAND[1:])}\ndeal burn={text}\n",
        "test",
    )
    assert len(read(one)) == 5
    assert read(more) == [NO_HAND]
    assert adjudicate(fold_script(TableFold("table/t"), more), more.book).verdict != "UPHELD"


@pytest.mark.parametrize(
    ("candidates", "places", "copies", "number"),
    [(5, (1,), 1, 5), (5, (3,), 1, 10), (5, (2, 1), 1, 30), (5, (0, 0, 2), 1, 10), (2, (3,), 1, 0), (52, (3,), 6, 24_804)],
)
def test_in_how_many_ways_cards_can_lie(candidates: int, places: tuple[int, ...], copies: int, number: int) -> None:
    assert ways(candidates, places, copies) == number
