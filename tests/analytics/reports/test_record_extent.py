"""What reports say of the record that they rest on: one moment for all of a period, never a later one, and what is missing."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from analytics.reports import record_extent
from analytics.reports.catalogue import REPORTS, make_report
from analytics.reports.filing import PropertyFiling
from analytics.reports.sources import Sources
from desk.review import surveillance
from desk.review.desk import Desk
from events.vocabulary.model import PropertyConfigured
from replay.run.replayer import MemoryResults
from tests.analytics.reports.months import log_of, match, played, sources
from tests.desk.people import PEOPLE
from tests.replay.tables import SECOND_US, Table

DAY_US = 86_400 * SECOND_US
MARCH_10_US = 1_773_100_800_000_000
"""2026-03-10 00:00 UTC."""
PLAYED_US = {2: MARCH_10_US - 8 * DAY_US + 43_200_000_000, 3: MARCH_10_US - 7 * DAY_US + 43_200_000_000}
"""When the rounds of 2 and 3 March opened."""


@pytest.fixture
def given(tmp_path: Path) -> Iterator[Sources]:
    """Rounds on 2 and 3 March; on 10 March somebody disputes one, at a table of which nothing else is in the log."""
    rounds = [played("fu-01", n, f"2026-03-0{n}", [match(1, 100, -100)]) for n in (2, 3)]
    office, table = Table("property/main"), Table()
    office.say(PropertyConfigured(currency="USD", gaming_day_cutover="06:00", name="x", time_zone="America/New_York"))
    table.play(1, "wager seat=3 base 5.00\nclose\n")
    with (
        log_of(tmp_path, office, table) as log,
        sources(tmp_path, rounds, first="2026-03-01", last="2026-03-31", log=log) as made,
    ):
        yield made


def of(given: Sources, first: str, last: str) -> Sources:
    return Sources(db=given.db, desk=given.desk, first=date.fromisoformat(first), last=date.fromisoformat(last))


def dispute(given: Sources) -> int:
    """Open a dispute; return when."""
    desk = Desk(given.desk.log, MemoryResults(), persons=PEOPLE, clock=lambda: MARCH_10_US)
    return desk.open_dispute("fu-01", 1, dispute="d-1", claim="x", by="m.ortiz", seat=3).at_us


@pytest.mark.parametrize("last", ["2026-03-02", "2026-03-31", "2030-01-01"])
def test_the_moment_is_the_newest_of_the_record_and_never_a_later_one(given: Sources, last: str) -> None:
    newest = max(at for day, at in PLAYED_US.items() if date(2026, 3, day) <= date.fromisoformat(last))
    at_us = record_extent.as_of_us(of(given, "2026-03-01", last), given.reviews())
    assert newest <= at_us < newest + DAY_US // 2


def test_an_empty_period_is_as_of_the_newest_of_the_record(given: Sources) -> None:
    empty = of(given, "2026-04-01", "2026-04-30")
    assert record_extent.as_of_us(empty, given.reviews()) == record_extent.as_of_us(given, given.reviews())


@pytest.mark.slow
def test_every_report_of_a_period_names_one_moment(given: Sources) -> None:
    def moments() -> set[int]:
        return {
            make_report(name, given.db, given.desk, first=given.first, last=given.last, filing=PropertyFiling()).as_of_us
            for name in REPORTS
        }

    (before,) = moments()
    written = dispute(given)
    assert moments() == {max(before, written)}


@pytest.mark.parametrize(
    ("first", "last", "on_record", "said"),
    [
        ("2026-03-01", "2026-03-01", "nothing of the 1 gaming day", ["no round and no count"]),
        ("2026-03-02", "2026-03-02", "1 of 1 gaming day: Mon 2 Mar 2026", []),
        (
            "2026-03-01",
            "2026-03-31",
            "2 of 31 gaming days: Mon 2 Mar 2026 to Tue 3 Mar 2026",
            ["not over on record: the newest gaming day is Tue 3 Mar 2026"],
        ),
        ("2026-03-03", "2026-03-03", "1 of 1 gaming day: Tue 3 Mar 2026", ["not over on record"]),
        ("2026-04-01", "2026-04-02", "nothing of the 2 gaming days", ["no round and no count", "not over on record"]),
    ],
)
def test_a_period_that_is_empty_or_not_over_is_called_so(
    given: Sources, first: str, last: str, on_record: str, said: list[str]
) -> None:
    asked = of(given, first, last)
    assert record_extent.on_record(asked) == on_record
    warning = record_extent.warning(asked, given.reviews())
    assert [each in warning for each in said] == [True] * len(said)
    assert bool(warning) == bool(said)


def test_a_day_is_over_once_the_surveillance_log_has_a_later_one(given: Sources) -> None:
    desk = Desk(given.desk.log, MemoryResults(), persons=PEOPLE, clock=lambda: MARCH_10_US)
    surveillance.make_entry(desk, note="all quiet", by="m.ortiz")
    assert record_extent.warning(of(given, "2026-03-03", "2026-03-03"), given.reviews()) == ""


def test_that_a_report_left_changes_no_report(given: Sources) -> None:
    """The entry of the export opens a gaming day in the review's stream; nothing that a report rests on came with it."""
    asked = of(given, "2026-03-03", "2026-03-03")
    before = record_extent.as_of_us(asked, given.reviews()), record_extent.warning(asked, given.reviews())
    desk = Desk(given.desk.log, MemoryResults(), persons=PEOPLE, clock=lambda: MARCH_10_US)
    desk.exported("fu-01", None, what="table", digest="a" * 64, form="pdf", by="m.ortiz", reason="report")
    assert (record_extent.as_of_us(asked, given.reviews()), record_extent.warning(asked, given.reviews())) == before
