"""Cards and times as people type them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.search.remembered import CardSeen, TimeTyped, cards_typed, time_typed

RANKS, SUITS = "AKQJT98765432", "shdc"
WORDS = {"A": "ace", "K": "king", "Q": "queen", "J": "jack", "T": "ten", "9": "nine", "8": "eight", "7": "seven", "6": "six",
         "5": "five", "4": "four", "3": "three", "2": "two"}  # fmt: skip
SUIT_WORDS = {"s": "spades", "h": "hearts", "d": "diamonds", "c": "clubs"}


def codes(text: str) -> list[str]:
    return [card.code or f"{card.rank or '?'}{card.suit or '?'}" for card in cards_typed(text).cards]


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("As Ks", ["As", "Ks"]),
        ("A♠", ["As"]),
        ("♠A ♥K", ["As", "Kh"]),
        ("4♦️ 5♦", ["4d", "5d"]),
        ("AsKsQd", ["As", "Ks", "Qd"]),
        ("ace king of spades", ["As", "Ks"]),
        ("ace of hearts, king, queen of spades", ["Ah", "K?", "Qs"]),
        ("ace of hearts and king of spades", ["Ah", "Ks"]),
        ("a king and a queen", ["K?", "Q?"]),
        ("A K Q", ["A?", "K?", "Q?"]),
        ("AKQ", ["A?", "K?", "Q?"]),
        ("10h TD 10", ["Th", "Td", "T?"]),
        ("joker, jk", ["Jk", "Jk"]),
        ("pair of sixes", ["6?", "6?"]),
        ("three kings and an ace", ["K?", "K?", "K?", "A?"]),
        ("three of clubs", ["3c"]),
        ("two of hearts", ["2h"]),
        ("trips tens", ["T?"] * 3),
        ("aces and eights", ["A?", "8?"]),
        ("seven-five", ["7?", "5?"]),
        ("spades", ["?s"]),
        ("I had the Ace of Hearts!", ["Ah"]),
        ("jack of diamonds 9d", ["Jd", "9d"]),
        ("A", ["A?"]),
        ("a", ["A?"]),
        ("", []),
    ],
)
def test_cards_are_read(text: str, cards: list[str]) -> None:
    assert codes(text) == cards
    assert cards_typed(text).unread == ()


@pytest.mark.parametrize(
    ("text", "unread"), [("As blue", ("blue",)), ("full house", ("full", "house")), ("1s", ("1s",)), ("Ax", ("Ax",))]
)
def test_what_is_not_understood_comes_back(text: str, unread: tuple[str, ...]) -> None:
    assert cards_typed(text).unread == unread


@given(st.lists(st.tuples(st.sampled_from(RANKS), st.sampled_from(SUITS)), min_size=1, max_size=7), st.sampled_from(range(3)))
def test_every_hand_is_read_from_every_notation(hand: list[tuple[str, str]], notation: int) -> None:
    write = (
        lambda r, s: r + s,
        lambda r, s: f"{'10' if r == 'T' else r}{'♠♥♦♣'['shdc'.index(s)]}",
        lambda r, s: f"{WORDS[r]} of {SUIT_WORDS[s]}",
    )[notation]
    assert cards_typed(", ".join(write(*card) for card in hand)).cards == tuple(CardSeen(*card) for card in hand)


@pytest.mark.slow
@given(st.text(max_size=40))
def test_nothing_typed_raises(text: str) -> None:
    cards_typed(text)
    time_typed(text)


@pytest.mark.parametrize(
    ("text", "minutes", "either"),
    [
        ("21:14", 1274, False),
        ("2114", 1274, False),
        ("9:14 pm", 1274, False),
        ("9.14 P.M.", 1274, False),
        ("9", 540, True),
        ("9:14", 554, True),
        ("09:14", 554, False),
        ("12:30 am", 30, False),
        ("12 pm", 720, False),
        ("0:05", 5, False),
        ("13:00", 780, False),
        ("12:59", 779, True),
        ("23:59", 1439, False),
        ("9 o'clock", 540, True),
        ("noon", 720, False),
        ("Midnight", 0, False),
    ],
)
def test_times_are_read(text: str, minutes: int, either: bool) -> None:
    assert time_typed(text) == TimeTyped(minutes, either)


@pytest.mark.parametrize("text", ["", "24:00", "21:60", "13 pm", "0 am", "late", "21:1"])
def test_what_is_no_time(text: str) -> None:
    assert time_typed(text) is None
