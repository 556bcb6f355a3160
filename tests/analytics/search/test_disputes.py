"""Finding the round that a patron remembers: round 17 of FU-01 began at 21:14, seat 3 had A♠ Q♦ 10♥ 9♥ 7♣ 5♠ 2♦."""

from datetime import UTC, date, datetime
from typing import Any

import pytest
from msgspec import structs

from analytics.search import disputes, search_words
from analytics.search.disputes import Candidate, Remembered
from analytics.search.remembered import CardSeen, TimeTyped, cards_typed, time_typed
from analytics.warehouse.warehouse import Warehouse

DAY = date(2026, 3, 6)


def best(db: Warehouse, said: Remembered) -> Candidate:
    return disputes.find(db, said)[0]


def said(cards: str = "", clock: str = "", seat: int | None = None, table: str | None = None) -> Remembered:
    return Remembered(table=table, gaming_day=DAY, time=time_typed(clock), seat=seat, cards=cards_typed(cards).cards)


@pytest.mark.parametrize(
    "remembered",
    [
        said("ace of spades"),
        said("ace queen", "9:15 pm", 3),
        said("As Qd", table="fu-01"),
        said("A♠ 10♥ king of clubs", "9:10"),
        said("", "21:14", 3, "fu-01"),
    ],
)
def test_the_round_is_found_first(db: Warehouse, remembered: Remembered) -> None:
    found = best(db, remembered)
    assert (found.table_id, found.round_no) == ("fu-01", 17)


def test_a_candidate_says_what_agrees(db: Warehouse) -> None:
    found = best(db, said("As Qd Kc", "21:20", 3))
    assert (found.cards_at, found.matched, found.minutes_off, found.seat_played) == ("3", 2, 4, True)
    assert set(found.hand) == {"As", "Qd", "Th", "9h", "7c", "5s", "2d"}


def test_cards_at_another_seat_are_found_there(db: Warehouse) -> None:
    assert best(db, said("As Qd", seat=5)).cards_at == "3"
    assert best(db, said("joker, king of diamonds")).cards_at == "dealer"


def test_a_wrong_time_only_orders(db: Warehouse) -> None:
    found = best(db, said("As Qd", "3 am"))
    assert (found.round_no, found.minutes_off) == (17, 344)


def test_only_table_and_day_leave_rounds_out(db: Warehouse) -> None:
    assert {c.table_id for c in disputes.find(db, said("As", table="fu-02"))} == {"fu-02"}
    assert all(c.gaming_day == DAY for c in disputes.find(db, said("As")))
    assert disputes.find(db, Remembered(cards=cards_typed("As").cards)) == []
    assert disputes.find(db, Remembered(gaming_day=date(2020, 1, 1))) == []
    assert len(disputes.find(db, said(), limit=2)) == 2


def test_each_card_of_a_hand_agrees_once() -> None:
    ace, any_ace, any_spade = CardSeen("A", "s"), CardSeen("A", ""), CardSeen("", "s")
    assert disputes.hand_agrees(("As", "Kd"), (any_ace, ace)) == 1
    assert disputes.hand_agrees(("As", "Ad"), (any_ace, ace)) == 2
    assert disputes.hand_agrees(("As", "2s"), (any_spade, ace)) == 2
    assert disputes.hand_agrees(("Jk",), (CardSeen("Jk", ""), any_spade)) == 1
    assert disputes.hand_agrees((), (ace,)) == 0


def test_the_moments_a_time_can_mean_lie_in_the_gaming_day_and_the_night_after() -> None:
    noon_utc = 1_772_798_400_000_000  # 2026-03-06 12:00 UTC
    hours = [(m - noon_utc) / 3.6e9 for m in disputes.instants(DAY, TimeTyped(9 * 60, True), "UTC")]
    assert hours == [-3, 9, 21, 33]
    assert disputes.instants(DAY, TimeTyped(720, False), "Nowhere/Else") == [noon_utc, noon_utc + 86_400_000_000]
    assert disputes.instants(None, TimeTyped(720, False), "UTC") == disputes.instants(DAY, None, "UTC") == []


def test_an_hour_that_the_clock_shows_twice_can_mean_either() -> None:
    """In New York 01:30 of 2026-11-01 is 05:30 UTC, and 06:30 again; the night before it is 05:30 UTC alone."""
    found = disputes.instants(date(2026, 10, 31), TimeTyped(90, False), "America/New_York")
    assert [datetime.fromtimestamp(at / 1e6, UTC).strftime("%d %H:%M") for at in found] == ["31 05:30", "01 05:30", "01 06:30"]


def outcome(db: Warehouse, remembered: Remembered) -> tuple[list[int], list[int]]:
    """The numbers of the rounds that fit, and of those that nearly do."""
    rounds = disputes.sort_out(disputes.find(db, remembered, limit=400), remembered)
    return [each.round_no for each in rounds.fits], [each.round_no for each in rounds.nearly]


@pytest.mark.parametrize(
    "values",
    [
        {"wager": "ace_high_bonus", "seat": 3},
        {"wager": "ace_high_bonus", "amount_cents": 1_000},
        {"amount_cents": 1_000, "seat": 3, "time": time_typed("21:14")},
        {"cards": cards_typed("As Qd").cards, "seat": 3, "wager": "ace_high_bonus"},
        {"round_no": 17},
    ],
)
def test_wager_amount_and_number_find_the_round(db: Warehouse, values: dict[str, Any]) -> None:
    fits, nearly = outcome(db, Remembered(table="fu-01", gaming_day=DAY, **values))
    assert 17 in fits
    assert nearly == [], "where a round fits, nothing is offered that nearly does"


@pytest.mark.parametrize(
    ("values", "differs"),
    [
        ({"seat": 3, "wager": "ace_high_bonus", "amount_cents": 999_999}, ["amount"]),
        ({"cards": cards_typed("As Qd").cards, "time": time_typed("3 am")}, ["time"]),
        ({"cards": cards_typed("As Qd Kc").cards, "time": time_typed("21:14")}, ["cards"]),
        ({"cards": cards_typed("As Qd").cards, "seat": 5}, ["cards"]),
    ],
)
def test_what_nearly_fits_is_said_to_and_in_what_it_differs(db: Warehouse, values: dict[str, Any], differs: list[str]) -> None:
    remembered = Remembered(table="fu-01", gaming_day=DAY, **values)
    found = next(each for each in disputes.find(db, remembered, limit=400) if each.round_no == 17)
    assert disputes.disagreements(found, remembered) == differs
    fits, nearly = outcome(db, remembered)
    assert 17 not in fits
    assert (17 in nearly) == (len(differs) == 1)


def test_what_lies_hours_off_is_not_offered_at_all(db: Warehouse) -> None:
    """Nothing was played near nine in the morning: the best match "700 minutes off" is not one."""
    remembered = Remembered(table="fu-01", gaming_day=DAY, time=TimeTyped(9 * 60, False))
    assert disputes.find(db, remembered)
    assert outcome(db, remembered) == ([], [])
    played = search_words.played_between(db, remembered)
    says = search_words.outcome(disputes.Sorted(fits=(), nearly=()), remembered, played, UTC)
    assert says.startswith("No round fits, and none nearly does. Rounds were played at FU-01 on gaming day Fri 6 Mar 2026")


@pytest.mark.parametrize("day", [None, DAY])
def test_a_time_counts_without_a_day_too(db: Warehouse, day: date | None) -> None:
    """Round 17 began at 21:14: with the table and 21:14 it fits on any day, with nine in the morning on none."""
    evening = Remembered(table="fu-01", gaming_day=day, time=time_typed("21:14"), seat=3)
    morning = Remembered(table="fu-01", gaming_day=day, time=TimeTyped(9 * 60, False), seat=3)
    assert 17 in outcome(db, evening)[0]
    assert outcome(db, morning) == ([], [])
    if day is None:
        says = search_words.outcome(disputes.sort_out([], morning), morning, search_words.played_between(db, morning), UTC)
        assert " on Fri 6 Mar 2026 to " in says


@pytest.mark.parametrize(
    ("minutes", "fits", "nearly"), [(45, True, False), (46, False, True), (120, False, True), (121, False, False)]
)
def test_the_edges_of_about_that_time(db: Warehouse, minutes: int, fits: bool, nearly: bool) -> None:
    first = disputes.find(db, Remembered(table="fu-01", gaming_day=DAY, round_no=17))[0]
    close = structs.replace(first, minutes_off=minutes)
    remembered = Remembered(table="fu-01", gaming_day=DAY, time=TimeTyped(0, False))
    rounds = disputes.sort_out([close], remembered)
    assert (bool(rounds.fits), bool(rounds.nearly)) == (fits, nearly)


def test_a_sentence_is_searched_as_it_was_understood(db: Warehouse) -> None:
    found = search_words.search(db, "seat 3 last night around quarter past nine, ace queen", date(2026, 3, 7))
    assert [each.round_no for each in found.rounds.fits] == [17]
    assert search_words.understood(found.remembered, "USD") == [
        "gaming day Fri 6 Mar 2026",
        "around 21:15",
        "seat 3",
        "cards an ace, a queen",
    ]


def test_without_table_and_day_the_newest_day_is_searched_and_that_is_said(db: Warehouse) -> None:
    found = search_words.search(db, "ace of spades", date(2026, 3, 7))
    assert found.remembered.gaming_day == DAY
    assert found.said.notes == ("no day was named: this is the newest one",)


def test_a_day_of_which_nothing_is_recorded_fits_nothing(db: Warehouse) -> None:
    found = search_words.search(db, "seat 3 on 2026-02-01", date(2026, 3, 7))
    assert found.rounds == disputes.Sorted(fits=(), nearly=())
    assert search_words.outcome(found.rounds, found.remembered, None, UTC) == (
        "No round fits, and none was played on gaming day Sun 1 Feb 2026."
    )
