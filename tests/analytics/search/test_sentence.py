"""Sentences as people type them: what must be understood, what must not, and what comes back as not understood."""

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.search.remembered import TimeTyped
from analytics.search.sentence import ParsedSentence, read_sentence, significant

TABLES = ["fu-01", "fu-05", "dj-05", "ou-02"]
DAYS = [date(2026, 3, 6), date(2026, 3, 5), date(2026, 3, 4)]
WAGERS = ["base", "ace_high_bonus", "fortune_bonus", "progressive", "insurance", "over", "match", "bonus", "raise"]
TODAY = date(2026, 3, 7)
"""A Saturday."""


def read(text: str, today: date = TODAY) -> ParsedSentence:
    return read_sentence(text, tables=TABLES, days=DAYS, wagers=WAGERS, today=today)


def at(hour: int, minute: int = 0, *, either: bool = False) -> TimeTyped:
    return TimeTyped(hour * 60 + minute, either)


SIXTH, FIFTH, FOURTH = DAYS


@pytest.mark.parametrize(
    ("text", "currency", "cents"),
    [
        ("seat 3, €10 on the ace high bonus", "EUR", 1_000),
        ("seat 3, 1,250.00 € on the ace high bonus", "EUR", 125_000),
        ("bet twenty-five euros", "EUR", 2_500),
        ("seat 3, CHF 10 on the ace high bonus", "CHF", 1_000),
        ("seat 3, CA$10 on the ace high bonus", "CAD", 1_000),
        ("seat 3, $10 on the ace high bonus", "CAD", 1_000),
        ("ten quid on the ace high bonus", "GBP", 1_000),
        ("seat 3, £10 on the ace high bonus", "USD", None),  # another house's money is asked about
    ],
)
def test_amounts_are_read_in_the_property_s_currency(text: str, currency: str, cents: int | None) -> None:
    said = read_sentence(text, tables=TABLES, days=DAYS, wagers=WAGERS, today=TODAY, currency=currency)
    assert said.amount_cents == cents
    assert bool(said.unread) == (cents is None)


@pytest.mark.parametrize(
    ("text", "understood"),
    [
        (
            "seat 3 at FU-01 last night around nine, $10 on the ace high bonus",
            {"table": "fu-01", "seat": 3, "day": SIXTH, "time": at(21), "wager": "ace_high_bonus", "amount_cents": 1_000},
        ),
        (
            "he had both ace high and got paid only 100 dollars on the ace high",
            {"hand": "both ace high", "paid_cents": 10_000, "complaint": "short", "wager": "ace_high_bonus", "cards": ""},
        ),
        ("some time Tuesday afternoon", {"day": date(2026, 3, 3), "time": TimeTyped(900, False, 180)}),
        ("around lunch", {"time": TimeTyped(750, False, 60)}),
        # as people say numbers, days and times
        ("ten to one in the afternoon", {"time": at(12, 50)}),
        ("quarter to noon", {"time": at(11, 45)}),
        ("ten past midnight", {"time": at(0, 10)}),
        ("one in the afternoon", {"time": at(13)}),
        ("ten in the morning, tues", {"time": at(10), "day": date(2026, 3, 3)}),
        ("he sat at fu 1 on wed.", {"table": "fu-01", "day": date(2026, 3, 4)}),
        ("twelve twenty, seat one", {"time": at(12, 20, either=True), "seat": 1, "amount_cents": None}),
        ("eight thirty or so", {"time": at(8, 30, either=True)}),
        ("eleven fifteen pm", {"time": at(23, 15)}),
        ("six forty-five", {"time": at(6, 45, either=True)}),
        ("seat two thirty bucks", {"seat": 2, "amount_cents": 3_000, "time": None}),
        ("fifteen dollars on the fortune", {"amount_cents": 1_500, "wager": "fortune_bonus"}),
        ("hundred and twenty not given back", {"amount_cents": 12_000}),
        ("took ninety from seat 5", {"amount_cents": 9_000, "seat": 5}),
        ("they kept my 150", {"amount_cents": 15_000}),
        ("got 55k on the fortune bonus", {"paid_cents": 5_500_000, "wager": "fortune_bonus"}),
        ("trips on the fortune", {"hand": "three of a kind", "wager": "fortune_bonus"}),
        ("I had a full house and got nothing", {"hand": "full house", "complaint": "short"}),
        ("straight flush, fifty thousand", {"hand": "straight flush", "amount_cents": 5_000_000}),
        ("arround 1 oclock seet 6", {"seat": 6, "time": at(1, either=True)}),
        ("they overpaid her", {"complaint": "over"}),
        ("paid me twice", {"complaint": "over"}),
        ("the wrong amount", {"complaint": "wrong"}),
        ("two green chips", {"amount_cents": 5_000}),
        ("won $40 on the fortune bonus", {"paid_cents": 4_000, "wager": "fortune_bonus"}),
        ("just after midnight", {"time": at(0, 10)}),
        ("Last night just after midnight", {"day": SIXTH, "time": at(0, 10)}),
        ("around midnight", {"time": at(0)}),
        ("just before midnight yesterday", {"day": SIXTH, "time": at(23, 50)}),
        ("FU 1 seat three lost 25 with ace king of spades", {"table": "fu-01", "seat": 3, "amount_cents": 2_500}),
        ("fu01, third seat", {"table": "fu-01", "seat": 3}),
        ("table 2, 3rd seat", {"table": "ou-02", "seat": 3}),
        ("round 17 at fu-05", {"table": "fu-05", "round_no": 17}),
        ("the fortune bonus was not paid, about 9:15 pm yesterday", {"wager": "fortune_bonus", "day": SIXTH, "time": at(21, 15)}),
        ("at 9.15 p.m.", {"time": at(21, 15)}),
        ("half past ten in the evening", {"time": at(22, 30)}),
        ("quarter to eight this evening", {"day": TODAY, "time": at(19, 45)}),
        ("twenty past nine", {"time": at(9, 20, either=True)}),
        ("around nine", {"time": at(9, either=True)}),
        ("around ten", {"time": at(10, either=True)}),
        ("at 21:14", {"time": at(21, 14)}),
        ("last night around four in the morning", {"day": SIXTH, "time": at(4)}),
        ("Friday night at one", {"day": SIXTH, "time": at(1)}),
        ("last Saturday", {"day": date(2026, 2, 28)}),
        ("two nights ago", {"day": FIFTH}),
        ("the night before last at 11pm", {"day": FIFTH, "time": at(23)}),
        ("March 5 at 8 pm", {"day": FIFTH, "time": at(20)}),
        ("5th of March", {"day": FIFTH}),
        ("3/5/2026", {"day": FIFTH}),
        ("2026-03-05", {"day": FIFTH}),
        ("25 dollars on the main bet", {"wager": "base", "amount_cents": 2_500}),
        ("a hundred and twenty-five dollars", {"amount_cents": 12_500}),
        ("underpaid by 1,250.50", {"amount_cents": 125_050}),
        *(
            (said, {"amount_cents": 1_000, "paid_cents": None, "complaint": complaint})
            for said, complaint in (
                ("was paid 10 dollars short", "short"),
                ("$10 short", "short"),
                ("they paid him ten bucks too little", "short"),
                ("paid her $10.00 less", "short"),
                ("got 10 dollars too much", "over"),
            )
        ),
        ("somebody was paid 50 around midnight", {"paid_cents": 5_000, "time": at(0)}),
        ("the over bet", {"wager": "over"}),
        ("the progressive jackpot of $1,200", {"wager": "progressive", "amount_cents": 120_000}),
    ],
)
def test_a_sentence_is_understood(text: str, understood: dict[str, Any]) -> None:
    said = read(text)
    for field in ("table", "round_no", "day", "time", "seat", "wager", "amount_cents"):
        assert getattr(said, field) == understood.get(field), field
    assert {field: getattr(said, field) for field in understood} == understood
    assert said.unread == ()


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("had ace king of spades", ["As", "Ks"]),
        ("seat 3 held As Kd 10♦", ["As", "Kd", "Td"]),
        ("a pair of nines and the joker", ["9", "9", "Jk"]),
        ("nine of clubs and seven of hearts at nine", ["9c", "7h"]),
        ("queen, jack, ten of hearts", ["Q", "J", "Th"]),
        ("two aces around nine", ["A", "A"]),
    ],
)
def test_cards_are_read_in_a_sentence(text: str, cards: list[str]) -> None:
    assert [card.code or card.rank for card in read(text).seen] == cards


@pytest.mark.parametrize(
    "text",
    [
        "two players at nine",
        "a patron complained",
        "as I said, nine people",
        "seat 3 and seat 4",
        "he was paid 10 to 1",
        "the dealer took it",
    ],
)
def test_what_is_no_card_is_none(text: str) -> None:
    assert read(text).seen == ()


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("about 25 people", "time"),
        ("about 20 dollars", "time"),
        ("9 cards", "time"),
        ("overpaid", "wager"),
        ("he did not match the raise of his voice", "round_no"),
        ("around 10", "round_no"),
        ("seat 9", "seat"),
        ("fu-011", "table"),
        ("paid at nine", "amount_cents"),
        ("lost twenty minutes later", "amount_cents"),
        ("25:70", "time"),
        ("February 30", "day"),
        ("insured", "wager"),
        ("ace high paid 5 to 1 instead of 15 to 1", "time"),
        ("two nights ago", "time"),
    ],
)
def test_what_is_not_said_is_not_understood(text: str, field: str) -> None:
    assert getattr(read(text), field) is None


def test_words_that_say_nothing_we_know_come_back() -> None:
    assert read("the lady in a blue dress at seat 3").unread == ("blue", "dress")
    assert read("xyzzy").is_empty
    assert not read("seat 3").is_empty


def test_a_table_that_could_be_two_is_asked_about() -> None:
    said = read("table 5, seat 2")
    assert said.table is None
    assert said.notes == ("table 5 may be FU-05 or DJ-05: choose one",)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("March 6 at 00:30", FIFTH),  # of the calendar: the gaming day of the 5th goes on
        ("March 6 at 5:59 am", FIFTH),
        ("March 6 at 6:00 am", SIXTH),
        ("the night of March 6 at 00:30", SIXTH),
        ("yesterday at 00:30", SIXTH),
    ],
)
def test_past_midnight_a_date_is_of_the_gaming_day_before_and_a_night_of_its_own(text: str, day: date) -> None:
    assert read(text).day == day


def test_the_gaming_day_past_midnight_is_said() -> None:
    assert read("last night just after midnight").notes == (
        "past midnight: the gaming day Fri 6 Mar 2026 goes on into the morning of Sat 7 Mar 2026",
    )


def test_days_are_counted_back_from_the_end_of_an_old_record_and_that_is_said() -> None:
    said = read("last night around nine", today=date(2026, 11, 23))
    assert said.day == SIXTH
    assert said.notes == ("the record ends on Fri 6 Mar 2026, and days are counted back from there",)
    assert read("this morning around nine", today=date(2026, 11, 23)).day == SIXTH
    fresh = read("last night", today=date(2026, 3, 8))
    assert (fresh.day, fresh.notes) == (date(2026, 3, 7), ())


def test_a_search_of_what_was_written_leaves_fillers_out() -> None:
    assert significant("The shuffler of FU-01 jams, $5,000.00 again") == "shuffler fu-01 jams $5,000 00"


@pytest.mark.slow
@given(st.text(max_size=120))
def test_nothing_typed_raises(text: str) -> None:
    read(text)


@given(st.integers(0, 23), st.integers(0, 59), st.sampled_from(TABLES), st.integers(1, 7), st.integers(1, 10**7))
def test_what_is_exact_is_understood_exactly(hour: int, minute: int, table: str, seat: int, cents: int) -> None:
    said = read(f"Seat {seat} at {table.upper()}, ${cents // 100:,}.{cents % 100:02d}, at {hour:02d}:{minute:02d}")
    assert (said.table, said.seat, said.amount_cents) == (table, seat, cents)
    assert said.time is not None
    assert said.time.minutes == hour * 60 + minute
