"""The table games report (58 Pa. Code § 465a.1(c)(3)): March 2026 of two tables, worked out by hand.

PG-01, 2 March: opener 10,000, fill 2,000, credit 500, closer 9,000, drop 3,000: win 9,000 + 500 + 3,000 − 10,000 − 2,000 = 500.
Match wagers of 216 and 108 lost on day shift, one of 216 paid 6 to 1 (1,296) on swing. 31 March: no closer, 1,000 dropped, one
of 216 lost. FU-01, 31 March: opener 5,000, closer 5,200, drop 800: win 1,000; one wager of 25 lost that no theory covers.
15 January: opener 1,000, closer 1,000, drop 200 at PG-01: win 200. Theory of Match: 200/216 − 90/216 − 100/216 = 10/216.
"""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from analytics.hold.periods import hold_by_period
from analytics.reports.filing import Pits, PropertyFiling
from analytics.reports.table_games import table_games
from desk.report.content import Report
from tests.analytics.reports.months import counts, match, played, rows, sources, table
from tests.dashboards.sample import settlement

PITS = PropertyFiling(pits=[Pits(first=date(2026, 3, 1), tables={"Dice pit": ["pg-01"]})])


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    rounds = [
        played("pg-01", 1, "2026-03-02", [match(1, 21_600, -21_600), match(2, 10_800, -10_800)]),
        played("pg-01", 2, "2026-03-02", [match(1, 21_600, 129_600)], shift="swing"),
        played("pg-01", 3, "2026-03-31", [match(1, 21_600, -21_600)]),
        played(
            "fu-01",
            1,
            "2026-03-31",
            [settlement(1, "fortune_bonus", 2_500, -2_500, -2_500, paytable="of nobody")],
            game="face_up_pai_gow",
            chapter="pa-688a",
        ),
    ]
    ledger = [
        *counts("pg-01", "2026-01-15", 10, opener=100_000, closer=100_000, drop=20_000),
        *counts("pg-01", "2026-03-02", 20, opener=1_000_000, fill=200_000, credit=50_000, closer=900_000, drop=300_000),
        *counts("pg-01", "2026-03-31", 30, opener=900_000, drop=100_000),
        *counts("fu-01", "2026-03-31", 40, opener=500_000, closer=520_000, drop=80_000),
    ]
    folder = tmp_path_factory.mktemp("march")
    with sources(folder, rounds, ledger, first="2026-03-01", last="2026-03-31", filing=PITS) as given:
        yield table_games(given)


def test_by_table_game(report: Report) -> None:
    """Pai Gow Poker: handle 756, house win 216 + 108 − 1,296 + 216 = −756, theory 756 × 10/216 = 35, difference −791."""
    assert rows(report, "by-game") == [
        ("face_up_pai_gow", 80_000, 100_000, 125.0, 2_500, 2_500, 100.0, None, None, None, 2_500),
        ("pai_gow_poker", 300_000, 50_000, pytest.approx(50 / 3), 75_600, -75_600, -100.0, -75_600, 3_500, -79_100, 0),
    ]


TABLES = ("to-date", "by-game", "by-table", "by-pit", "by-shift", "by-gaming-day", "by-wager")


@pytest.mark.parametrize("name", TABLES)
def test_in_every_table_and_row_the_difference_is_house_win_compared_less_theoretical_win(report: Report, name: str) -> None:
    """A reader subtracts what is side by side; house win has wagers, too, that no theory covers."""
    found = rows(report, name, "compared_win_cents", "theoretical_win_cents", "difference_cents")
    assert any(difference is not None for _, _, difference in found)
    for compared, theory, difference in found:
        assert difference == (None if None in (compared, theory) else compared - theory)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("games", "names"), [(1, ["face_up_pai_gow"]), (2, None)])
def test_where_there_is_one_game_no_row_comes_twice(tmp_path: Path, games: int, names: list[str] | None) -> None:
    """The day, week, month and year of all table games are those of the one game."""
    rounds = [
        played(
            "fu-01",
            1,
            "2026-03-31",
            [settlement(1, "fortune_bonus", 2_500, -2_500, -2_500, paytable="1")],
            game="face_up_pai_gow",
            chapter="pa-688a",
        ),
        played("pg-01", 2, "2026-03-02", [match(1, 100, -100)]),
    ]
    with sources(tmp_path, rounds[:games], first="2026-03-01", last="2026-03-31") as given:
        found = rows(table_games(given), "to-date", "span", "game", "handle_cents")
    assert len({(span, handle) for span, _, handle in found if span == "Day"}) == 1
    assert len({row[:2] for row in found}) == len(found)
    if names is not None:
        assert [game for _, game, _ in found] == names * 4
    else:
        assert {game for _, game, _ in found} == {"All table games", "face_up_pai_gow", "pai_gow_poker"}


def test_by_shift_there_is_no_drop(report: Report) -> None:
    assert rows(report, "by-shift", "shift", "handle_cents", "house_win_cents", "theoretical_win_cents", "difference_cents") == [
        ("day", 56_500, 56_500, 2_500, 51_500),
        ("swing", 21_600, -129_600, 1_000, -130_600),
    ]
    assert "drop_cents" not in [each.name for each in table(report, "by-shift").columns]


def test_by_pit_as_filed(report: Report) -> None:
    assert rows(report, "by-pit", "pit", "drop_cents", "win_cents", "handle_cents") == [
        ("Dice pit", 300_000, 50_000, 75_600),
        ("In no pit on file", 80_000, 100_000, 2_500),
    ]


def test_by_pit_a_count_that_is_missing_is_unknown_and_never_0(tmp_path: Path) -> None:
    """A pit of one table that has no drop, and whose wagers no theory covers: nothing of either is known. D27"""
    rounds = [
        played(
            "fu-01",
            1,
            "2026-03-02",
            [settlement(1, "fortune_bonus", 2_500, -2_500, -2_500, paytable="of nobody")],
            game="face_up_pai_gow",
            chapter="pa-688a",
        ),
        played("pg-01", 1, "2026-03-02", [match(1, 21_600, -21_600)]),
    ]
    ledger = [
        *counts("fu-01", "2026-03-02", 20, opener=500_000, closer=520_000),
        *counts("pg-01", "2026-03-02", 30, opener=100_000, closer=100_000, drop=20_000),
    ]
    pits = PropertyFiling(pits=[Pits(first=date(2026, 3, 1), tables={"A": ["fu-01"], "B": ["pg-01"]})])
    with sources(tmp_path, rounds, ledger, first="2026-03-01", last="2026-03-31", filing=pits) as given:
        made = table_games(given)
    columns = ("drop_cents", "win_cents", "hold_percent", "compared_win_cents", "theoretical_win_cents", "difference_cents")
    by_pit, by_table = rows(made, "by-pit", *columns), rows(made, "by-table", *columns)
    assert by_pit == by_table
    assert by_pit[0] == (None,) * 6


def test_without_pits_on_file_the_report_says_so(tmp_path: Path) -> None:
    rounds = [played("pg-01", 1, "2026-03-02", [match(1, 100, -100)])]
    with sources(tmp_path, rounds, first="2026-03-01", last="2026-03-31") as given:
        pits = table(table_games(given), "by-pit")
    assert (pits.rows, pits.empty.split(",")[0]) == ((), "The record has no pits")


def test_day_week_month_and_year_to_date(report: Report) -> None:
    """31 March 2026 is a Tuesday: its week began on the 30th. January's win of 200 is in the year alone."""
    of_floor = [
        row
        for row in rows(report, "to-date", "span", "from_day", "game", "drop_cents", "win_cents", "handle_cents")
        if row[2] == "All table games"
    ]
    assert of_floor == [
        ("Day", "2026-03-31", "All table games", 80_000, 100_000, 24_100),
        ("Week to date", "2026-03-30", "All table games", 80_000, 100_000, 24_100),
        ("Month to date", "2026-03-01", "All table games", 380_000, 150_000, 78_100),
        ("Year to date", "2026-01-01", "All table games", 400_000, 170_000, 78_100),
    ]


def test_a_day_not_fully_counted_is_named_and_in_no_figure(report: Report) -> None:
    assert rows(report, "not-counted") == [("pg-01", "2026-03-31", "no closer", 0)]
    assert table(report, "not-counted").marked == (0,)
    assert rows(report, "by-gaming-day", "gaming_day", "drop_cents", "win_cents") == [
        ("2026-03-02", 300_000, 50_000),
        ("2026-03-31", 80_000, 100_000),
    ]


def test_the_document_is_dated_by_the_last_round(report: Report) -> None:
    """The newest round opened at noon UTC on 31 March and took 90 seconds."""
    assert report.as_of_us == 1_774_958_490_000_000
    assert (report.first, report.last, report.concerns) == ("2026-03-01", "2026-03-31", ("fu-01", "pg-01"))


def test_the_counts_of_a_day_of_two_games_are_under_neither(tmp_path: Path) -> None:
    """A box is not split: its drop and win are of both games, and what was wagered is of the game in which it was."""
    face_up = {"game": "face_up_pai_gow", "chapter": "pa-688a"}
    rounds = [
        *(played("pg-01", n, "2026-03-02", [match(1, 21_600, -21_600)]) for n in (1, 2)),
        played("pg-01", 3, "2026-03-02", [settlement(1, "base", 2_500, 2_500, 2_500)], **face_up),
    ]
    ledger = counts("pg-01", "2026-03-02", 20, opener=1_000_000, closer=900_000, drop=300_000)
    with sources(tmp_path, rounds, ledger, first="2026-03-01", last="2026-03-31") as given:
        by_game = {row[0]: row[1:6] for row in rows(table_games(given), "by-game")}
        periods = hold_by_period(given.db, "game").rows(named=True)
    assert by_game == {
        "face_up_pai_gow": (None, None, None, 2_500, -2_500),
        "pai_gow_poker": (None, None, None, 43_200, 43_200),
        "several_games": (300_000, 200_000, pytest.approx(200 / 3), None, None),
    }
    assert [(row["game"], row["drop_cents"], row["rounds"], row["handle_cents"]) for row in periods] == [
        ("several_games", 300_000, 3, 45_700)
    ]
