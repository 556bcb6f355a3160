"""Hold investigations (COMAR 36.05.03.25, K.A.R. 112-108-51): February and March 2026 of three tables, worked out by hand.

FU-01: 4,000 of 20,000 in February (20 %), 2,500 of 10,000 in March (25 %): five points, and one day has no band.
FU-02: 20 %, then 23 %: three points are not more than three. FU-03: as FU-01, and no one looked into it.
Each day has an opener of 10,000 and a closer of 10,000 + win − drop.
"""

from collections.abc import Iterator

import pytest

from analytics.reports.hold_investigations import hold_investigations
from desk.report.content import Report
from desk.review.desk import Desk, review_event
from events.vocabulary import model
from replay.findings import LedgerEntry
from replay.run.replayer import MemoryResults
from tests.analytics.reports.months import counts, log_of, match, played, rows, sources, table
from tests.dashboards.sample import finding
from tests.desk.people import PEOPLE
from tests.replay.tables import SECOND_US, START_US, Table

APRIL_US = START_US + 40 * 86_400 * SECOND_US
SHORT = finding("table/fu-01", 3, "PAY-UNDER", 1, "match", -2_500, "25.00 paid", "0.00 paid")


def day(name: str, when: str, seq: int, drop: int, win: int) -> list[LedgerEntry]:
    return counts(name, when, seq, opener=1_000_000, closer=1_000_000 + win - drop, drop=drop)


LEDGER = [
    *day("fu-01", "2026-02-10", 10, 1_000_000, 210_000),
    *day("fu-01", "2026-02-11", 20, 1_000_000, 190_000),
    *day("fu-01", "2026-03-10", 30, 1_000_000, 250_000),
    *day("fu-02", "2026-02-10", 10, 1_000_000, 200_000),
    *day("fu-02", "2026-03-10", 20, 1_000_000, 230_000),
    *day("fu-03", "2026-02-10", 10, 1_000_000, 200_000),
    *day("fu-03", "2026-03-10", 20, 1_000_000, 250_000),
]


def looked_into(desk: Desk) -> None:
    """M. Ortiz opens the investigation of FU-01, finds an underpayment, pays it (signed by S. Lee), and closes."""
    desk.open_investigation(
        "fu-01",
        band_high_bp=None,
        band_low_bp=None,
        by="m.ortiz",
        drop_cents=1_000_000,
        first_day="2026-03-01",
        investigation="hold-month-2026-03-01",
        last_day="2026-03-10",
        prior_drop_cents=2_000_000,
        prior_first_day="2026-02-01",
        prior_table_days=2,
        prior_win_cents=400_000,
        reason="hold 25.0 % after 20.0 %",
        table_days=1,
        triggers=["three_points"],
        win_cents=250_000,
    )
    resolved = {"amount_cents": 2_500, "disposition": "confirmed_paid_patron", "duplicate_of": None, "finding_id": SHORT.id}
    first = review_event(model.FindingResolved, by="m.ortiz", reason="paid at the cage", signs=None, **resolved)
    (entry,) = desk.write_together("fu-01", 3, [first])
    second = review_event(model.FindingResolved, by="s.lee", reason="slip seen", signs=entry.seq, **resolved)
    desk.write_together("fu-01", 3, [second])
    desk.close_investigation(
        "fu-01", investigation="hold-month-2026-03-01", outcome="fault_found", by="m.ortiz", reason="one wager not paid"
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("hold")
    rounds = [played("fu-01", 3, "2026-03-10", [match(1, 2_500, -2_500)], findings=(SHORT,), verdict="VARIANCE")]
    with log_of(folder, *(Table(f"table/{name}") for name in ("fu-01", "fu-02", "fu-03")), since_us=APRIL_US) as log:
        looked_into(Desk(log, MemoryResults(), persons=PEOPLE, clock=lambda: APRIL_US))
        with sources(folder, rounds, LEDGER, first="2026-03-01", last="2026-03-31", log=log) as given:
            yield hold_investigations(given)


def test_a_change_of_more_than_three_points_asks_for_an_investigation_and_three_do_not(report: Report) -> None:
    found = rows(report, "by-table", "table_id", "hold_percent", "prior_hold_percent", "change_points", "written")
    assert found == [
        ("fu-01", 25.0, 20.0, pytest.approx(5), "closed"),
        ("fu-02", 23.0, 20.0, pytest.approx(3), None),
        ("fu-03", 25.0, 20.0, pytest.approx(5), "none on record"),
    ]
    assert rows(report, "by-table", "triggers") == [
        ("hold % changed by more than 3 points",),
        (None,),
        ("hold % changed by more than 3 points",),
    ]


def test_what_nobody_looked_into_is_marked(report: Report) -> None:
    assert table(report, "by-table").marked == (2,)


def test_the_investigation_stands_with_its_people_and_what_was_found(report: Report) -> None:
    columns = ("table_id", "opened_by", "why", "outcome", "closed_by", "what_was_found")
    ((name, opened, why, outcome, closed, found),) = rows(report, "investigations", *columns)
    assert (name, opened, why, closed) == ("fu-01", "m.ortiz", "hold 25.0 % after 20.0 %", "m.ortiz")
    assert outcome == "a fault was found"
    assert "one wager not paid" in found


def test_the_findings_of_the_table_stand_with_disposition_and_both_signatures(report: Report) -> None:
    assert rows(report, "findings", "table_id", "round_no", "underpaid_cents", "disposition", "signed_by") == [
        ("fu-01", 3, 2_500, "fault confirmed, the patron was paid", "m.ortiz and s.lee")
    ]
