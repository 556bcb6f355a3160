"""Hands that are alike are settled alike: in 687a one is settled for all, and the result is that of trying every hand (D504)."""

from collections.abc import Sequence
from random import Random

import msgspec
import pytest

from games.dj_wild.settle import alike
from replay.settlement import settlement
from replay.transcript.transcript import judge
from rulebook.cards.cards import DECK, TEXT, parse_cards
from rulebook.catalogue import GAMES
from rulebook.chapters.rulebook import Rulebook, parse_submission
from rulebook.chapters.submission import submission_from_words
from rulebook.layout import TableLayout
from rulebook.settlement.wagers import Due

FILED = "rules pa-687a trips=DJWT-04 bad_beat=DJWBB-01 progressive=1 progressive.rate=10%\n"
WAGERS = "wager seat={0} ante 10.00 blind 10.00 trips 5.00 bad_beat 5.00 progressive 1.00\n"
SETTLED_AT_MOST = 3_000
"""Half a thousand is a tenth of a second."""


def dues(hands: dict[str, Sequence[str]], side: str | None) -> list[tuple[int, str, int | None]]:
    seats = [int(name.removeprefix("seat")) for name in hands if name != "dealer"]
    text = FILED + "".join(WAGERS.format(seat) for seat in seats)
    text += "".join(f"accepted seat={seat} 1.00 meter=3000.00\n" for seat in seats[:1]) + "no_more_bets\n"
    text += "deal " + " ".join(f"{name}={' '.join(cards)}" for name, cards in hands.items()) + "\n"
    text += f"deal side={side}\n" if side else ""
    (judged,) = judge(text + "".join(f"wager seat={seat} raise 20.00\n" for seat in seats), "alike")
    return [(each.seat, each.wager, each.due_cents) for each in judged.conclusion.settlements]


def with_unread(random: Random, cards: Sequence[int], unread: int) -> list[str]:
    hidden = random.sample(range(len(cards)), unread)
    return ["??" if place in hidden else TEXT[card] for place, card in enumerate(cards)]


@pytest.mark.parametrize("seed", range(12))
def test_687a_hands_that_are_alike_stand_for_every_hand(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = Random(seed)
    dealt = random.sample(DECK, 11)
    hands = {"dealer": with_unread(random, dealt[:5], seed % 2), "seat1": with_unread(random, dealt[5:10], 1 + (seed % 4 == 0))}
    side = TEXT[dealt[10]] if seed % 3 and TEXT[dealt[10]] != "Jk" else None
    factored = dues(hands, side)
    every_hand = msgspec.structs.replace(GAMES["dj_wild"], alike=None)
    monkeypatch.setattr(settlement, "GAMES", {**GAMES, "dj_wild": every_hand})
    assert factored == dues(hands, side), hands


@pytest.mark.parametrize(
    ("one", "other", "deuces"),
    [
        ("Jk 2h 9h 8h 4h", "Jk 2s 9h 8h 4h", "natural"),  # any heart makes one a flush, none the other
        ("Jk 2s 9h 8h 7h", "Jk 2s 9d 8d 7d", "wild"),  # the right ten, which another hand may hold, makes a straight flush
        ("Jk 9h 8h 7h 6h", "Jk 9d 8d 7d 6d", "natural"),
    ],
)
def test_687a_hands_that_the_side_card_may_set_apart_are_not_alike(one: str, other: str, deuces: str) -> None:
    book = parse_submission(submission_from_words(["pa-687a", f"progressive_deuces={deuces}"]))
    assert alike(book, parse_cards(one), None, True) != alike(book, parse_cards(other), None, True)


@pytest.mark.parametrize(
    "hands",
    [
        {"dealer": ["Kh", "Qh", "??", "??", "??"], "seat1": ["9s", "9h", "9d", "5c", "4h"]},
        {"dealer": ["Kh", "Qh", "9c", "7d", "3s"], "seat1": ["9s", "9h", "??", "??", "??"]},
        {"dealer": ["Kh", "Qh", "9c", "7d", "??"], "seat1": ["9s", "9h", "9d", "??", "??"]},
        {
            "dealer": ["Kh", "Qh", "9c", "7d", "??"],
            "seat1": ["9s", "9h", "9d", "5c", "??"],
            "seat2": ["As", "Ah", "Ad", "5d", "??"],
        },
    ],
)
def test_687a_few_hands_are_settled_for_several_unread_cards(
    hands: dict[str, Sequence[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    settled = 0

    def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
        nonlocal settled
        settled += 1
        return GAMES["dj_wild"].settle(book, layout)

    counting = msgspec.structs.replace(GAMES["dj_wild"], settle=settle)
    monkeypatch.setattr(settlement, "GAMES", {**GAMES, "dj_wild": counting})
    assert any(cents is None for *_, cents in dues(hands, "4c"))
    assert 1 < settled < SETTLED_AT_MOST


def test_687a_two_hands_with_unread_cards_agree_where_each_alone_would_not_say() -> None:
    """One card makes a pair of K-Q-9-7 at most, a wild card too: three nines, or what they become, beat it in all 41,000 ways."""
    hands = {"dealer": ["Kh", "Qh", "9c", "7d", "??"], "seat1": ["9s", "9h", "9d", "??", "??"]}
    found = {wager: cents for _, wager, cents in dues(hands, "4c")}
    assert (found["ante"], found["raise"], found["bad_beat"]) == (1000, 2000, -500)
