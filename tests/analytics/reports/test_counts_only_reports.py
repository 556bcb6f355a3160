"""Reports of a house that records counts but no wagers (D870), and of counts entered twice (D871)."""

from collections.abc import Iterator

import pytest

from analytics.reports import record_extent
from analytics.reports.inventory import table_inventory
from analytics.reports.sources import Sources
from analytics.reports.table_games import table_games
from desk.report.content import Report
from tests.analytics.counts import DAYS, DROP, entry, month, opened_for
from tests.analytics.reports.months import match, played, rows, sources, table

OF_WAGERS = ("handle_cents", "house_win_cents", "house_win_percent", "theoretical_win_cents", "difference_cents")
TWICE = entry("fu-01", 500, DAYS[2], "drop", DROP, "b-1")
SLIP_TWICE = entry("fu-01", 501, DAYS[3], "fill", 500_000, f"slip-{DAYS[3]}")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sources]:
    """FU-01: counts of thirty days, two of them entered twice. PG-01: counts and wagers of 1 March."""
    ledger = [*month("fu-01"), TWICE, SLIP_TWICE, *month("pg-01", DAYS[:1])]
    rounds = [played("pg-01", 1, DAYS[0], [match(1, 12_000, -12_000)])]
    games = [opened_for("fu-01", "face_up_pai_gow")]
    folder = tmp_path_factory.mktemp("counts")
    with sources(folder, rounds, ledger, first=DAYS[0], last=DAYS[-1], table_events=games) as made:
        yield made


@pytest.fixture(scope="module")
def report(given: Sources) -> Report:
    return table_games(given)


@pytest.mark.parametrize("name", ["to-date", "by-game", "by-table", "by-gaming-day"])
def test_d870_figures_of_wagers_are_of_the_table_days_with_wagers_and_the_rows_say_so(report: Report, name: str) -> None:
    key = {"by-game": "game", "by-table": "table_id", "by-gaming-day": "gaming_day"}.get(name, "game")
    for value, remark, *figures in rows(report, name, key, "remark", *OF_WAGERS):
        if remark is None or remark.startswith("wagers of 1 of"):
            assert figures[:2] == [12_000, 12_000], value
        else:
            assert remark.startswith("no wagers on record"), value
            assert figures == [None] * len(OF_WAGERS), value


def test_d870_d871_the_remark_of_each_table(report: Report) -> None:
    assert rows(report, "by-table", "table_id", "remark") == [
        ("fu-01", "no wagers on record; 1 drop entered twice; 1 slip entered twice"),
        ("pg-01", None),
    ]
    assert table(report, "by-table").marked == (0,)
    assert rows(report, "by-game", "game", "remark")[0][0] == "face_up_pai_gow"
    by_day = dict(rows(report, "by-gaming-day", "gaming_day", "remark"))
    assert by_day[DAYS[0]] == "wagers of 1 of 2 table days"
    assert by_day[DAYS[2]] == "no wagers on record; 1 drop entered twice"
    assert by_day[DAYS[5]] == "no wagers on record"


def test_d871_table_days_with_counts_entered_twice_are_listed_in_full(report: Report) -> None:
    assert rows(report, "not-counted", "gaming_day", "missing", "remark") == [
        (DAYS[2], "", "1 drop entered twice"),
        (DAYS[3], "", "1 slip entered twice"),
    ]


def test_d870_d871_the_inventory_marks_what_was_entered_twice_and_compares_no_tray(given: Sources) -> None:
    made = table_inventory(given)
    (fu_01,) = {remark for of, remark in rows(made, "table-days", "table_id", "remark") if of == "fu-01"} - {
        None,
        "1 drop entered twice",
    }
    assert fu_01 == "1 slip entered twice"
    assert len(table(made, "table-days").marked) == 2
    slips = table(made, "fills-credits")
    (marked,) = slips.marked
    assert 501 in slips.rows[marked]
    assert [row[0] for row in rows(made, "trays", "table_id")] == ["pg-01"]
    assert "can only be compared with drop" in table(made, "trays").note


def test_d870_d871_every_report_of_the_period_says_what_is_not_on_record_and_what_is_twice(given: Sources) -> None:
    assert "No wagers are on record for 30 of 31 table days" in record_extent.on_record(given)
    assert "2 counts repeat another" in record_extent.warning(given, {})


def test_a_house_with_wagers_and_each_count_once_has_no_remarks(tmp_path_factory: pytest.TempPathFactory) -> None:
    rounds = [played("pg-01", 1, DAYS[0], [match(1, 12_000, -12_000)])]
    folder = tmp_path_factory.mktemp("plain")
    with sources(folder, rounds, month("pg-01", DAYS[:1]), first=DAYS[0], last=DAYS[0]) as made:
        assert made.without_wagers() == ""
        for name in ("by-table", "not-counted"):
            assert "remark" not in [each.name for each in table(table_games(made), name).columns]
        assert "No wagers" not in record_extent.on_record(made)
