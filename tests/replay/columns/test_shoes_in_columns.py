"""Shoes of Over/Under begun in every way: the columns uphold a plain round where event replay does, and only there."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.vocabulary import model
from events.vocabulary.model import Event
from tests.replay.columns.test_over_under import last, opened, opening, outcomes, play
from tests.replay.tables import Table


def chances(chance: random.Random, of: float) -> bool:
    return chance.random() < of


def begun(chance: random.Random, deck: str, seated: Sequence[int], method: Any) -> list[Event]:
    """A shoe as it is begun, with here and there a step left out, made otherwise, or in another place."""
    order = sorted(seated, reverse=True)
    if order and chances(chance, 0.4):
        order.insert(0, order.pop(chance.randrange(len(order))))
    if chances(chance, 0.1):
        order.append(chance.randint(1, 6))
    steps: list[Event] = [model.CardsShuffled(deck=deck, method=method, count=None)]
    cutter: Any = "dealer"
    if method == "manual":
        for seat in order[: chance.choice((1, 1, 2, 6))] if chances(chance, 0.9) else ():
            accepted = chances(chance, 0.4)
            steps.append(model.CutOffered(seat=seat, accepted=accepted))
            if accepted:
                cutter = seat
                break
        if chances(chance, 0.15):
            cutter = chance.choice(["dealer", *range(1, 7)])
        depth, counted_from = chance.choice((9, 10, 100, 302, 303)), chance.choice(("top", "bottom"))
        steps.append(model.CardsCut(by=cutter, depth=depth, counted_from=counted_from))
    below = chance.choice((77, 78, 120, 234, 235))
    steps.append(model.CoverCardPlaced(depth=below, counted_from=chance.choice(("top", "bottom"))))
    steps.append(model.CardBurned(card=None, reason="new_shoe"))
    if chances(chance, 0.25):
        steps.pop(chance.randrange(len(steps)))
    if len(steps) > 1 and chances(chance, 0.25):
        steps.insert(chance.randrange(len(steps)), steps.pop(chance.randrange(len(steps))))
    return steps


def shoes(chance: random.Random) -> Table:
    """Some rounds at a table that begins a shoe now and then, of batches shuffled by hand or by a machine."""
    shuffler: Any = chance.choice(("none", "automated", "automated_counting", "continuous"))
    batches = chance.choice((1, 2))
    filing = chance.choice(("none", "continuous")) if batches == 1 else "none"
    table = opened(f"pa-686a shuffler={filing}", shuffler if chances(chance, 0.8) else None, batches)
    seated: dict[int, str] = {}
    for seat in chance.sample(range(1, 7), chance.randint(0, 4)):
        seated[seat] = f"seat-{seat}"
        table.say(model.PatronSeated(seat=seat, patron=seated[seat]))
    deck = f"d-{batches}"
    for number in range(batches + 1, batches + 1 + chance.randint(1, 4)):
        steps: list[Event] = []
        if chances(chance, 0.5):
            deck = chance.choice(("d-1", "d-2")) if batches == 2 and chances(chance, 0.8) else deck
            method = chance.choice(("manual", "manual", "continuous" if shuffler == "continuous" else "automated"))
            steps = begun(chance, deck, list(seated), method)
        elif chances(chance, 0.05):
            deck = f"d-{chance.randint(1, batches)}"
        if chances(chance, 0.1):
            table.say(opening(shuffler))
        if chances(chance, 0.2):
            table.say(model.DealerTappedIn(dealer=f"d-{chance.randint(1, 3)}"))
            if chances(chance, 0.5):
                steps.append(model.CardBurned(card=None, reason="new_dealer"))
        cut_here = chance.randint(0, len(steps)) if chances(chance, 0.3) else 0
        for event in steps[:cut_here]:
            table.say(event)
        within = steps[cut_here:]
        if chances(chance, 0.3):
            within.append(model.CoverCardReached(at=chance.choice((1, 2, 3, 6, "start"))))
        hands = "2 Tc 9d 6h, 3 Tc Jd 6h" if chances(chance, 0.5) else "1 As Kd 9h"
        play(table, number, within, hands, deck)
    return table


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_shoes_begun_in_every_way(seed: int) -> None:
    for check, conclusion in outcomes(shoes(random.Random(seed))):
        assert check == "ineligible" or (check == "upheld") == (conclusion.verdict == "UPHELD")


def test_shoes_reach_every_check_of_the_shoe() -> None:
    """What the property above is worth."""
    seen = [check for seed in range(150) for check, _ in outcomes(shoes(random.Random(seed)))]
    assert {"upheld", "ineligible", "deck", "shuffle", "cut", "cover_card", "burn_card"} <= set(seen)
    assert seen.count("upheld") > len(seen) // 4


# -------------------------------------------------------------------------------------------------- a shoe as it should be


def by_hand(*offers: tuple[int, bool], deck: str = "d-1") -> list[Event]:
    """A new shoe shuffled by hand; whoever accepts cuts, else the dealer."""
    return [
        model.CardsShuffled(deck=deck, method="manual", count=None),
        *(model.CutOffered(seat=seat, accepted=accepted) for seat, accepted in offers),
        model.CardsCut(
            by=next((seat for seat, accepted in offers if accepted), "dealer"), depth=100, counted_from="top"
        ),
        model.CoverCardPlaced(depth=80, counted_from="bottom"),
        model.CardBurned(card=None, reason="new_shoe"),
    ]


@pytest.mark.parametrize(
    ("cover_at", "opens", "offers", "check"),
    [
        (None, False, [(4, False), (2, True)], "upheld"),
        (None, False, [(2, True)], "cut"),
        (None, False, [(4, False), (2, False)], "upheld"),
        (None, False, [(4, False)], "cut"),
        ("start", False, [(4, True)], "upheld"),
        (2, False, [(2, True)], "upheld"),
        (2, False, [(4, True)], "cut"),
        (3, False, [(2, False)], "upheld"),
        (3, False, [], "cut"),
        (None, True, [(2, True)], "upheld"),
        (None, True, [(4, True)], "cut"),
        (4, True, [(2, True)], "upheld"),
    ],
)
def test_686a_5_b_c_who_is_offered_the_cut_first(
    cover_at: Any, opens: bool, offers: list[tuple[int, bool]], check: str
) -> None:
    """Seats 2 and 4 are taken, 2 first; the cover card came in the round before, or the table has just opened again."""
    table = opened()
    for seat in (2, 4):
        table.say(model.PatronSeated(seat=seat, patron=f"seat-{seat}"))
    play(table, 2, [model.CoverCardReached(at=cover_at)] if cover_at is not None else [], "4 Tc 9d 6h")
    if opens:
        table.say(opening("none"))
    play(table, 3, by_hand(*offers), "2 Tc 9d 6h")
    assert last(table) == check


def test_686a_3_a_a_shuffle_by_hand_brings_the_copies_back() -> None:
    table = opened()
    for number in range(2, 5):
        play(table, number, by_hand(), "1 Ks Ks Ks, 2 Ks Ks Ks")
        assert last(table) == "upheld"
    play(table, 5, hands="1 Ks 9d 9c")
    assert last(table) == "cards"


def test_686a_7_c_a_new_dealer_burns_a_card() -> None:
    table = opened()
    for number, steps in ((2, []), (3, [model.CardBurned(card=None, reason="new_dealer")])):
        table.say(model.DealerTappedIn(dealer=f"d-{number}"))
        play(table, number, steps)
        assert last(table) == ("upheld" if steps else "burn_card")
