"""The table inventory (58 Pa. Code §§ 465a.36, .37, .41; K.A.R. 112-108-28): March 2026 of two tables, worked out by hand.

FU-01 closed February with 5,000. 1 March: opens with 5,099.99, closes with 6,000. Then a fill of 500: it should open with 6,500
and opens with 6,400 on the 2nd, is not closed, and opens with 6,400 again on the 3rd. FU-02 opens for the first time.
"""

from collections.abc import Iterator
from datetime import date

import pytest

from analytics.reports.filing import PropertyFiling, Threshold
from analytics.reports.inventory import table_inventory
from desk.report.content import Report
from tests.analytics.reports.months import counts, match, played, rows, sources, table

LEDGER = [
    *counts("fu-01", "2026-02-28", 1, opener=400_000, closer=500_000),
    *counts("fu-01", "2026-03-01", 10, opener=509_999, credit=20_000, closer=600_000),
    *counts("fu-01", "2026-03-02", 20, fill=50_000, opener=640_000),
    *counts("fu-01", "2026-03-03", 30, opener=640_000),
    *counts("fu-02", "2026-03-01", 1, opener=300_000, drop=70_000, closer=310_000),
]
ROUNDS = [played("fu-02", 1, "2026-03-01", [match(1, 12_000, -12_000)])]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    folder = tmp_path_factory.mktemp("inventory")
    with sources(folder, ROUNDS, LEDGER, first="2026-03-01", last="2026-03-31") as given:
        yield table_inventory(given)


def test_465a_36_an_opener_that_differs_by_100_or_more_is_marked(report: Report) -> None:
    columns = ("table_id", "gaming_day", "due_opener_cents", "opener_cents", "variance_cents", "remark")
    assert rows(report, "openers", *columns) == [
        ("fu-01", "2026-03-01", 500_000, 509_999, 9_999, None),
        ("fu-02", "2026-03-01", None, 300_000, None, "first opener on record"),
        ("fu-01", "2026-03-02", 650_000, 640_000, -10_000, None),
        ("fu-01", "2026-03-03", None, 640_000, None, "no closer before it"),
    ]
    assert table(report, "openers").marked == (2, 3)


def test_the_threshold_is_what_is_in_force(tmp_path_factory: pytest.TempPathFactory) -> None:
    filing = PropertyFiling(
        thresholds=[Threshold(name="opener_variance_cents", first=date(2026, 3, 1), value=9_999, cite="internal controls")]
    )
    folder = tmp_path_factory.mktemp("strict")
    with sources(folder, ROUNDS, LEDGER, first="2026-03-01", last="2026-03-31", filing=filing) as given:
        assert table(table_inventory(given), "openers").marked == (0, 2, 3)


def test_each_day_and_each_slip_is_listed(report: Report) -> None:
    """FU-02 wins 3,100 + 700 − 3,000 = 800."""
    columns = ("table_id", "gaming_day", "opener_cents", "fills_cents", "credits_cents", "closer_cents", "win_cents")
    assert rows(report, "table-days", *columns) == [
        ("fu-01", "2026-03-01", 509_999, 0, 20_000, 600_000, None),
        ("fu-02", "2026-03-01", 300_000, 0, 0, 310_000, 80_000),
        ("fu-01", "2026-03-02", 640_000, 50_000, 0, None, None),
        ("fu-01", "2026-03-03", 640_000, 0, 0, None, None),
    ]
    assert rows(report, "fills-credits", "table_id", "movement", "slip", "amount_cents") == [
        ("fu-01", "credit", "doc-11", 20_000),
        ("fu-01", "fill", "doc-20", 50_000),
    ]


def test_a_closer_that_the_record_does_not_lead_to(report: Report) -> None:
    """FU-02: 3,000 and 120 won should be 3,120; 3,100 were counted. Of FU-01 no wager is recorded: nothing to compare with."""
    assert rows(report, "trays", "table_id", "expected_closer_cents", "closer_cents", "tray_difference_cents") == [
        ("fu-02", 312_000, 310_000, -2_000)
    ]
