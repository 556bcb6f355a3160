"""The meters' statement (58 Pa. Code § 605a.7, N.J.A.C. 13:69D-1.52): March 2026 of three meters, worked out by hand.

LINK adds 28 % of each $1.00 wager to the meter and 2.5 % to a reserve, and starts with $10,000.00. It closes February at
$10,000.28. March: a wager (+$0.28: $10,000.56); a 10 % winner is paid $1,000.05 by a slip of $6,000.05, $5,000.00 of it fixed
odds, and leaves $9,000.51; a wager after which the controller shows one cent too much ($9,000.80 for $9,000.79); a 100 % winner
of $9,000.80 without a slip, and the meter starts with $10,000.00 again.
MYST is armed at $100.00, gains 2 % of $1.00, is won at $100.02 and starts at $100.00 again. SLIP-UP's only reading is corrected.
"""

from collections.abc import Iterator

import pytest

from analytics.reports.meters import meters
from desk.report.content import Report
from events.vocabulary import model
from tests.analytics.reports.months import log_of, match, played, rows, sources, table
from tests.dashboards.sample import recorded
from tests.replay.tables import Table

FEBRUARY, MARCH = "2026-02-28", "2026-03-01"


def service(rate_bp: int, value: int, reserve_rate_bp: int = 0) -> model.MeterSet:
    return model.MeterSet(
        chapter="pa-688a",
        paytable="1",
        rate_bp=rate_bp,
        reason="put into service",
        reserve_centicents=0,
        reserve_rate_bp=reserve_rate_bp,
        seed_cents=1_000_000,
        value_centicents=value,
    )


def advanced(value: int, reserve: int = 0) -> model.MeterAdvanced:
    return model.MeterAdvanced(
        reserve_centicents=reserve, round_no=5, seat=2, table="fu-01", value_centicents=value, wager_cents=100
    )


def won(round_no: int, share_bp: int, paid: int, value: int, reserve: int) -> model.MeterReset:
    return model.MeterReset(
        paid_centicents=paid,
        reserve_centicents=reserve,
        round_no=round_no,
        seat=2,
        share_bp=share_bp,
        table="fu-01",
        value_centicents=value,
    )


def link() -> Table:
    said = Table("meter/link", day=FEBRUARY)
    said.say(service(2_800, 100_000_000, 250))
    said.say(advanced(100_002_800, 250))
    said.say(model.GamingDayOpened(gaming_day=MARCH), source="pit")
    said.say(advanced(100_005_600, 500))
    said.say(won(5, 1_000, 10_000_500, 90_005_100, 500))
    said.say(advanced(90_008_000, 750))
    said.say(won(6, 10_000, 90_008_000, 100_000_000, 750))
    return said


def must_hit_by() -> Table:
    said = Table("meter/myst", day=MARCH)
    said.say(
        model.MysteryArmed(
            commitment=None, maximum_cents=20_000, meter="myst", minimum_cents=10_000, rate_bp=200, reading_centicents=1_000_000
        )
    )
    said.say(advanced(1_000_200))
    said.say(
        model.MysteryHit(
            after_centicents=1_000_000,
            meter="myst",
            nonce=None,
            reading_centicents=1_000_200,
            round_no=7,
            seat=2,
            table="fu-01",
            target_centicents=None,
        )
    )
    return said


def corrected() -> Table:
    said = Table("meter/slip-up", day=MARCH)
    said.say(service(100, 0))
    wrong = said.say(advanced(900))
    said.correct(wrong, advanced(100))
    return said


def slip(seat: int, cents: int) -> list[tuple[str, dict[str, object]]]:
    return [
        ("payout_validated", {"by": "f-1", "role": "shift_manager", "seat": seat, "wager": "progressive"}),
        ("payout_documented", {"amount_cents": cents, "document": "jp-1", "seat": seat, "wager": "progressive"}),
    ]


def accepted(reading: int) -> tuple[str, dict[str, object]]:
    return (
        "progressive_accepted",
        {"amount_cents": 100, "meter": "link", "meter_seq": 5, "reading_centicents": reading, "seat": 2},
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("meters")
    rounds = [played("fu-01", number, MARCH, [match(1, 100, -100)]) for number in (5, 6)]
    events = [
        recorded("table/fu-01", 5, [accepted(100_005_600), *slip(2, 600_005)], first_seq=500),
        recorded("table/fu-01", 6, [accepted(90_008_000)], first_seq=600),
    ]
    with (
        log_of(folder, Table(), link(), must_hit_by(), corrected()) as log,
        sources(folder, rounds, first=MARCH, last="2026-03-31", log=log, rounds_events=events) as given,
    ):
        yield meters(given)


def test_605a_7_opening_and_what_moved_it_come_to_closing(report: Report) -> None:
    columns = ("meter", "opening", "contributions", "restored", "set", "paid", "closing", "unexplained")
    found = rows(report, "statement", "meter", *(f"{each}_centicents" for each in columns[1:]))
    assert found == [
        ("link", 100_002_800, 5_600, 100_000_000, 0, 100_008_500, 100_000_000, 100),
        ("myst", 0, 200, 1_000_000, 1_000_000, 1_000_200, 1_000_000, 0),
        ("slip-up", 0, 100, 0, 0, 0, 100, 0),
    ]
    for _, opening, contributions, restored, put, paid, closing, unexplained in found:
        assert opening + contributions + restored + put - paid + unexplained == closing
    assert table(report, "statement").marked == (0,)


def test_what_was_metered_is_what_was_accepted_at_the_tables(report: Report) -> None:
    assert rows(report, "statement", "meter", "metered_cents", "accepted_cents")[0] == ("link", 200, 200)


def test_the_reserve_is_stated_apart(report: Report) -> None:
    """250 hundredths of a cent in February, twice as much in March."""
    assert rows(report, "reserves") == [("link", 250, 500, 0, 750)]


def test_every_hit_stands_beside_its_slip_and_one_without_is_marked(report: Report) -> None:
    columns = ("meter", "round_no", "paid_centicents", "slip", "slip_cents", "beside_cents", "validated_by")
    assert rows(report, "hits", *columns) == [
        ("link", 5, 10_000_500, "jp-1", 600_005, 500_000, "f-1 (shift_manager)"),
        ("link", 6, 90_008_000, None, None, None, None),
        ("myst", 7, 1_000_200, None, None, None, None),
    ]
    assert table(report, "hits").marked == (1,)


def test_what_does_not_reconcile_is_traced_to_its_event(report: Report) -> None:
    assert rows(
        report, "differences", "meter", "event_no", "expected_centicents", "after_centicents", "unexplained_centicents"
    ) == [("link", 7, 90_007_900, 90_008_000, 100)]


def test_putting_into_service_and_arming_are_listed(report: Report) -> None:
    assert rows(report, "settings", "meter", "after_centicents", "reason") == [
        ("myst", 1_000_000, "armed"),
        ("slip-up", 0, "put into service"),
    ]
