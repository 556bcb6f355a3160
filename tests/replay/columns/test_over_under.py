"""Over/Under in columns beside event replay: golden rounds as whole records, both sides of limits.

Where a round is plain the two agree in both directions: what event replay upholds the columns uphold, with the same money.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from events.vocabulary import model
from events.vocabulary.model import Event
from games.rulebook.rulebook import Rulebook
from replay.columns.games.over_under import ASPECTS
from replay.run.adjudicate import Conclusion, adjudicate
from replay.run.stream_worker import rules_in_force
from replay.transcript.transcript import parse
from tests.golden.rounds import Case, read_cases
from tests.golden.test_rounds import HERE
from tests.replay.columns.test_screening import judged_in_columns
from tests.replay.tables import Table, filed

COVERED: Any = sorted(ASPECTS)


def opened(rules: Event | str = "pa-686a bonus=yes", shuffler: Any = "none", batches: int = 1) -> Table:
    """A table with its batches in play, of each of which a round was dealt."""
    table = Table("table/ou-01", None)
    table.say(filed(rules) if isinstance(rules, str) else rules, source="pit")
    if shuffler is not None:
        table.say(opening(shuffler))
    for number in range(1, batches + 1):
        deck: Any = {"deck": f"d-{number}"}
        table.say(model.DeckReceived(**deck, back_colour=f"colour {number}", jokers=0, preshuffled=True))
        table.say(model.CardsSpread(**deck, face_up=True, inspected_by=None))
        table.say(model.DeckInPlay(**deck))
    for number in range(1, batches + 1):
        play(table, number, [model.CardBurned(card=None, reason="new_shoe")], deck=f"d-{number}")
    return table


def opening(shuffler: Any) -> model.TableOpened:
    return model.TableOpened(game="over_under", deal_method="manual_shoe", seats=6, shuffler=shuffler)


def play(table: Table, number: int, before: Sequence[Event] = (), hands: str = "1 Tc 9d 6h", deck: str = "d-1") -> None:
    """A round in order, after what is said in it first: everybody has an ante, and is on the right side."""
    table.say(model.RoundOpened(deck=deck, observed=COVERED), number)
    for event in before:
        table.say(event, number)
    seats = {int(hand.split()[0]): hand.split()[1:] for hand in hands.split(", ")}
    for seat in seats:
        table.say(wager(seat, "ante"), number)
    for seat, cards in seats.items():
        table.say(model.CardsDealt(to=seat, cards=cards[:1], face_up=True), number)
    for seat in seats:
        table.say(wager(seat, "over"), number)
    for seat, cards in seats.items():
        table.say(model.CardsDealt(to=seat, cards=cards[1:], face_up=True), number)
        for name in ("ante", "over"):
            table.say(paid(seat, name), number)
        table.say(model.CardsCollected(deck=deck, of=seat, count=3, counted=None), number)
    table.say(model.RoundClosed(by="d-7"), number)


def wager(seat: int, name: Any, cents: int = 1000) -> model.WagerPlaced:
    return model.WagerPlaced(
        seat=seat, bettor=f"seat-{seat}", wager=name, number=None, amount_cents=cents, form="chips"
    )


def paid(seat: int, name: Any, cents: int = 1000) -> model.WagerPaid:
    return model.WagerPaid(
        seat=seat,
        bettor=f"seat-{seat}",
        wager=name,
        number=None,
        stake_cents=cents,
        winnings_cents=cents,
        source="inventory",
    )


def outcomes(table: Table) -> list[tuple[str, Conclusion]]:
    """What the columns and event replay say of each round; what the columns uphold, both say alike."""
    found = []
    for round_ in table.fold():
        check, said = judged_in_columns(round_)
        book = rules_in_force(round_)
        assert isinstance(book, Rulebook)
        conclusion = adjudicate(round_, book)
        if check == "upheld":
            assert (conclusion.verdict, conclusion.findings) == ("UPHELD", ())
            assert said["settlements"] == msgspec.to_builtins(list(conclusion.settlements))
        found.append((check, conclusion))
    return found


# ---------------------------------------------------------------------------------------------------------- golden rounds

CASES = [case for path in sorted((HERE / "686a").glob("*.rounds")) for case in read_cases(path)]


def whole(case: Case) -> Table:
    """A golden case on a table whose record covers everything, in the middle of its play."""
    scripts = parse(case.transcript, case.title, lambda name: (case.path.parent / name).read_text())
    payloads = [each.payload for script in scripts for each in script.events]
    table = opened(next(each for each in payloads if isinstance(each, model.RulesFiled)))
    number, dealt, collected, inside = 1, 0, 0, False
    for event in payloads:
        if isinstance(event, model.RulesFiled):
            continue
        if isinstance(event, model.RoundOpened):
            number, dealt, collected, inside = number + 1, 0, 0, True
            event = msgspec.structs.replace(event, observed=COVERED)
        if isinstance(event, model.CardsDealt) and isinstance(event.to, int):
            dealt += len(event.cards)
        if isinstance(event, model.CardsCollected):
            collected += event.count
        if isinstance(event, model.RoundClosed):
            if not collected and dealt:
                table.say(model.CardsCollected(deck="d-1", of="all", count=dealt, counted=None), number)
            inside = False
        table.say(event, number if inside or isinstance(event, model.RoundClosed) else None)
    return table


def test_golden_rounds_as_whole_records() -> None:
    """Those that are plain are upheld in columns where event replay upholds them, and only there."""
    upheld, checks = 0, set[str]()
    for case in CASES:
        for check, conclusion in outcomes(whole(case))[1:]:
            checks.add(check)
            upheld += check == "upheld"
            agreed = check == "ineligible" or (check == "upheld") == (conclusion.verdict == "UPHELD")
            assert agreed, f"{case.path.name}:{case.line}: {check}"
    assert upheld > 100
    assert len(checks) >= 14


# ------------------------------------------------------------------------------------------------- both sides of a limit


def last(table: Table) -> str:
    """What the columns say of the last round; where it is plain, event replay upholds it or not with them."""
    check, conclusion = outcomes(table)[-1]
    assert check == "ineligible" or (check == "upheld") == (conclusion.verdict == "UPHELD")
    return check


TWO_HANDS = """
covers equipment shuffle wagering deal settlement collection
wager   seat=1 ante 10.00 bonus 5.00
wager   seat=4 ante 10.00
deal    seat1=Tc seat4=2d
wager   seat=1 over 10.00
surrender seat=4
take    seat=4 ante 10.00 surrendered
deal    seat1=9d 8h
pay     seat=1 ante 10.00
pay     seat=1 over 10.00
pay     seat=1 bonus 5.00
collect seat=1 3
deal    seat4=3c 5h
collect seat=4 3
close
"""
"""10+9+8 = 27: over wins, and the Bonus 1 to 1. Seat 4 surrenders; 2+3+5 = 10, which a Bonus is paid 3 to 1 for."""


ANTE, GIVEN_UP = "wager   seat=4 ante 10.00\n", "surrender seat=4\ntake    seat=4 ante 10.00 surrendered\n"
FIRSTS, MINE, THEIRS = "deal    seat1=Tc seat4=2d\n", "deal    seat1=9d 8h\n", "deal    seat4=3c 5h\n"
SIDE, BONUS = "wager   seat=1 over 10.00\n", "pay     seat=1 bonus 5.00\n"
WITH_BONUS, WON = "wager   seat=4 ante 10.00 bonus 5.00\n", "pay     seat=4 bonus 15.00\n"


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({}, "upheld"),
        ({ANTE: "", GIVEN_UP: ""}, "order_of_the_deal"),
        ({FIRSTS: "deal    seat4=2d\ndeal    seat1=Tc\n"}, "order_of_the_deal"),
        ({FIRSTS: "deal seat1=Tc\ndeal seat1=9d\ndeal seat4=2d\n", MINE: "deal seat1=8h\n"}, "order_of_the_deal"),
        ({FIRSTS: "deal    seat1=Tc\n", THEIRS: "", "collect seat=4 3\n": ""}, "cards"),
        (
            {
                ANTE: WITH_BONUS.replace("ante 10.00 ", ""),
                GIVEN_UP: "",
                FIRSTS: "deal    seat1=Tc\n",
                THEIRS: "",
                "collect seat=4 3\n": "",
            },
            "base_wager",
        ),
        ({MINE: "", SIDE: MINE + SIDE}, "late"),
        ({ANTE: "", FIRSTS: FIRSTS + ANTE}, "late"),
        ({SIDE: "", GIVEN_UP: GIVEN_UP + SIDE}, "decisions"),
        ({GIVEN_UP: "", THEIRS: GIVEN_UP + THEIRS}, "decisions"),
        ({GIVEN_UP: "", THEIRS: THEIRS + GIVEN_UP}, "decisions"),
        ({GIVEN_UP: GIVEN_UP + "decide seat=2 over\n"}, "decisions"),
        ({SIDE: "decide seat=1 over\n" + SIDE}, "upheld"),
        ({SIDE: "decide seat=1 under\n" + SIDE}, "decisions"),
        ({ANTE: WITH_BONUS, THEIRS: THEIRS + WON}, "upheld"),
        ({ANTE: WITH_BONUS, MINE: MINE + WON}, "ineligible"),  # what stands out of its place is left to event replay
        ({BONUS: "", THEIRS: THEIRS + BONUS}, "ineligible"),
        ({BONUS: BONUS.replace("5.00", "10.00")}, "money"),
        ({GIVEN_UP: GIVEN_UP.replace("10.00", "5.00")}, "money"),
    ],
)
def test_each_departure_by_its_check(changes: dict[str, str], check: str) -> None:
    text = TWO_HANDS
    for old, new in changes.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    table = opened()
    table.words = "pa-686a bonus=yes"
    table.play(2, text)
    assert last(table) == check


COVER_CARD = "cover_card placed 80 from_bottom\n"
CUT = f"shuffle manual\noffer_cut seat=4 {{}}\noffer_cut seat=1 accepted\ncut seat=1 100\n{COVER_CARD}burn ??\n"


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({FIRSTS: "burn ??\n" + FIRSTS}, "upheld"),
        ({FIRSTS: "burn 4c\n" + FIRSTS}, "ineligible"),
        ({FIRSTS: "deal burn=4c\n" + FIRSTS}, "ineligible"),
        ({FIRSTS: COVER_CARD + FIRSTS}, "upheld"),
        ({MINE: COVER_CARD + MINE}, "ineligible"),
        ({MINE: "shuffle manual\n" + MINE}, "ineligible"),
        ({MINE: "shuffle automated deck=d-2\n" + MINE}, "upheld"),
        ({MINE: "cover_card reached seat=1\n" + MINE}, "upheld"),
        ({ANTE: ANTE + CUT.format("refused")}, "upheld"),
        ({ANTE: ANTE + CUT.format("accepted")}, "ineligible"),
        ({SIDE: "dealer d-9\n" + SIDE}, "ineligible"),
        ({SIDE: "decide seat=1 raise\n" + SIDE}, "ineligible"),
        ({SIDE: "decide seat=1 over\ndecide seat=1 over\n" + SIDE}, "ineligible"),
        ({GIVEN_UP: "surrender seat=4\n" + GIVEN_UP}, "ineligible"),
        ({SIDE: SIDE + "withdraw seat=1 over 5.00\n"}, "ineligible"),
        ({SIDE: "touched seat=1 ante\n" + SIDE}, "ineligible"),
    ],
)
def test_what_is_plain_and_what_is_not(changes: dict[str, str], check: str) -> None:
    test_each_departure_by_its_check(changes, check)


@pytest.mark.parametrize(("hands", "check"), [("1 Ks Ks 9d", "upheld"), ("1 Ks Ks Ks", "cards")])
def test_686a_3_a_the_copies_of_a_card_in_several_rounds(hands: str, check: str) -> None:
    """Twice two of the six copies are gone."""
    table = opened()
    play(table, 2, hands="1 Ks Ks 9d")
    play(table, 3, hands="1 Ks Ks 9d")
    play(table, 4, hands=hands)
    assert last(table) == check


def test_686a_3_a_a_shuffle_brings_the_copies_back() -> None:
    table = opened(shuffler="automated", batches=2)
    play(table, 3, hands="1 Ks Ks Ks, 2 Ks Ks 9d", deck="d-2")
    for deck, number in (("d-1", 4), ("d-2", 5)):
        again = [
            model.CardsShuffled(deck=deck, method="automated", count=None),
            model.CardBurned(card=None, reason="new_shoe"),
        ]
        play(table, number, again, "1 Ks Ks Ks, 2 Ks Ks 9d", deck)
        assert last(table) == "upheld"
    play(table, 6, hands="1 Ks Ks 9d", deck="d-2")
    assert last(table) == "cards"


def test_686a_3_a_a_continuous_shuffler_has_no_end_of_copies() -> None:
    table = opened("pa-686a shuffler=continuous", "continuous")
    for number in range(2, 5):
        play(table, number, hands="1 Ks Ks Ks")
    assert last(table) == "upheld"


@pytest.mark.parametrize(("later_us", "check"), [(0, "upheld"), (1, "deck")])
def test_686a_3_c_a_batch_of_24_hours(later_us: int, check: str) -> None:
    table = opened()
    (in_play,) = (draft for draft in table.drafts if isinstance(draft.payload, model.DeckInPlay))
    day_us = 24 * 3_600_000_000
    at = table.last
    play(table, 2)
    for number, draft in enumerate(table.drafts[at:]):
        at_us = in_play.occurred_at_us + day_us + later_us + number
        table.drafts[at + number] = msgspec.structs.replace(draft, occurred_at_us=at_us)
    assert last(table) == check


@pytest.mark.parametrize(
    ("covered", "check"), [([model.DeviceCovered(device="shuffler", how="sign")], "upheld"), ([], "ineligible")]
)
def test_686a_9_e_a_shuffler_that_failed_and_was_covered_is_no_matter(covered: list[Event], check: str) -> None:
    """The batch that is dealt goes on; the rounds are plain as soon as the device is covered."""
    table = opened(shuffler="automated", batches=2)
    table.say(model.DeviceFailed(device="shuffler", fault="inoperative"))
    for event in covered:
        table.say(event)
    play(table, 3, deck="d-2")
    play(table, 4, deck="d-2")
    assert last(table) == check


@pytest.mark.parametrize("bettor", ["seat-1", "seat-2"])
def test_686a_6_b_a_wager_of_a_patron_who_was_barred_is_not_judged_in_columns(bettor: str) -> None:
    table = opened()
    table.say(model.PatronBarred(patron=bettor, reason="mid-shoe entry"))
    play(table, 2)
    assert last(table) == ("ineligible" if bettor == "seat-1" else "upheld")


@pytest.mark.parametrize(
    ("taken_back", "check"),
    [
        ({"amount_cents": 500}, "limits"),
        ({"amount_cents": 2000}, "ineligible"),
        ({"amount_cents": 2500}, "ineligible"),
        ({"bettor": "seat-2"}, "ineligible"),
        ({}, "upheld"),
    ],
)
def test_686a_6_c_a_part_of_an_ante_taken_back_before_the_cards(taken_back: dict[str, Any], check: str) -> None:
    """20.00 are placed, 10.00 taken back, and 10.00 on over."""
    table = opened()
    whole = {"seat": 1, "bettor": "seat-1", "wager": "ante", "number": None, "amount_cents": 1000} | taken_back
    play(table, 2, [wager(1, "ante"), msgspec.convert(whole, model.WagerRemoved)])
    found = {each.wager: each.staked_cents for each in outcomes(table)[-1][1].settlements}
    assert last(table) == check
    assert check != "upheld" or found == {"ante": 1000, "over": 1000}


def test_686a_6_c_a_part_of_an_ante_taken_back_after_a_card_is_late() -> None:
    table = opened()
    removed = model.WagerRemoved(seat=1, bettor="seat-1", wager="ante", number=None, amount_cents=500)
    play(table, 2)
    dealt = next(
        at
        for at, draft in enumerate(table.drafts)
        if draft.round_no == 2 and isinstance(draft.payload, model.CardsDealt)
    )
    payloads = [(draft.payload, draft.round_no) for draft in table.drafts]
    payloads.insert(dealt + 1, (removed, 2))
    table.drafts, table._counts = [], {}
    for payload, number in payloads:
        table.say(payload, number)
    assert last(table) == "late"


def test_nobody_decided_and_the_house_has_the_total() -> None:
    """The ante is lost whatever was decided (10+5+6 = 21): event replay says so, the columns do not try."""
    table = opened()
    table.say(model.RoundOpened(deck="d-1", observed=COVERED), 2)
    table.say(wager(1, "ante"), 2)
    table.say(model.CardsDealt(to=1, cards=["Tc"], face_up=True), 2)
    table.say(model.CardsDealt(to=1, cards=["5d", "6h"], face_up=True), 2)
    table.say(model.WagerTaken(seat=1, bettor="seat-1", wager="ante", number=None, amount_cents=1000, reason="lost"), 2)
    table.say(model.CardsCollected(deck="d-1", of=1, count=3, counted=None), 2)
    table.say(model.RoundClosed(by="d-7"), 2)
    check, conclusion = outcomes(table)[-1]
    assert (check, conclusion.verdict) == ("decisions", "UPHELD")


@pytest.mark.parametrize(
    ("burns", "collected", "check"),
    [
        (0, 3, "upheld"),
        (0, 4, "collection"),
        (0, 2, "collection"),
        (1, 4, "upheld"),
        (1, 5, "collection"),
    ],
)
def test_686a_7_l_a_burnt_card_may_be_counted_with_those_collected(burns: int, collected: int, check: str) -> None:
    table = opened()
    play(table, 2, [model.CardBurned(card=None, reason="new_dealer")] * burns)
    at = next(at for at in range(table.last, 0, -1) if isinstance(table.payload(at), model.CardsCollected))
    draft = table.drafts[at - 1]
    counted = msgspec.structs.replace(draft.payload, count=collected)
    table.drafts[at - 1] = msgspec.structs.replace(draft, payload=counted)
    assert last(table) == check
