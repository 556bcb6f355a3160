"""Hold over periods, chips that do not add up, and the triggers of a written investigation, each worked out by hand."""

from datetime import date

import polars as pl
import pytest

from analytics.hold import figure_detail, hold
from analytics.hold.investigations import more_than_points, written_investigations
from analytics.hold.periods import hold_by_period, month_and_year_to_date, tray_differences
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from tests.analytics import synthetic


def test_a_month_is_the_sum_of_its_fully_counted_days(db: Warehouse) -> None:
    """FU-01: 2,400 + 1,804 of 10,000 + 8,200 dropped. FU-02: 1,500 of 6,000; its second day has no closer and stays out."""
    frame = hold_by_period(db, "table", "month").select("table_id", "table_days", "table_days_counted", "drop_cents", "win_cents")
    assert frame.rows() == [("fu-01", 2, 2, 1_820_000, 420_400), ("fu-02", 2, 1, 600_000, 150_000)]
    whole = hold_by_period(db, "property", "year").row(0, named=True)
    assert (whole["period"], whole["win_cents"]) == (date(2026, 1, 1), 570_400)
    assert whole["hold_percent"] == pytest.approx(100 * 5704 / 24200)


def test_day_month_to_date_and_year_to_date(db: Warehouse) -> None:
    frame = month_and_year_to_date(db, "table", date(2026, 3, 5)).filter(pl.col("table_id") == "fu-01")
    assert frame.select("span", "win_cents").rows() == [("day", 240_000), ("month_to_date", 240_000), ("year_to_date", 240_000)]
    newest = month_and_year_to_date(db, "table").filter(pl.col("table_id") == "fu-01")
    assert newest["win_cents"].to_list() == [180_400, 420_400, 420_400]


@pytest.mark.parametrize("by", ["dealer", "wager", "shift", "hour"])
def test_what_is_counted_per_box_is_never_split(db: Warehouse, by: str) -> None:
    for question in (hold_by_period, month_and_year_to_date, written_investigations):
        with pytest.raises(ValueError, match="one of property, game, table"):
            question(db, by)


def test_chips_that_do_not_add_up(db: Warehouse) -> None:
    """FU-01 on the 5th: 20,000 + 5,000 - 2,500 - 10,000 bought in + 75 won by the wagers = 12,575; 14,900 lay there."""
    frame = tray_differences(db)
    assert frame["difference_cents"].abs().to_list() == sorted(frame["difference_cents"].abs(), reverse=True)
    (row,) = frame.filter(pl.col("table_id") == "fu-01", pl.col("gaming_day") == date(2026, 3, 5)).iter_rows(named=True)
    assert (row["expected_closer_cents"], row["difference_cents"]) == (1_257_500, 232_500)


def test_a_figure_is_opened_down_to_the_wagers_and_counts_that_make_it(db: Warehouse) -> None:
    by_wager = {row["wager"]: row for row in hold.hold_by(db, "wager").iter_rows(named=True)}
    for wager, row in by_wager.items():
        sums = figure_detail.sums_behind(db, wager=wager).row(0, named=True)
        wagers = figure_detail.wagers_behind(db, wager=wager)
        for figure in ("handle_cents", "house_win_cents", "from_meter_cents"):
            assert row[figure] == sums[figure] == wagers[figure].sum(), (wager, figure)
    assert figure_detail.wagers_behind(db, Selection(table="fu-01"), seat=3, wager="ace_high_bonus")["round_no"].to_list() == [17]
    assert figure_detail.wagers_behind(db, limit=2, offset=1).height == 2
    moved = sorted(figure_detail.wagers_behind(db)["house_win_cents"].drop_nulls().abs(), reverse=True)
    assert figure_detail.largest_wagers(db, limit=3)["house_win_cents"].abs().to_list() == moved[:3]
    assert 0 not in figure_detail.largest_wagers(db, limit=10_000)["house_win_cents"].to_list()
    counts = figure_detail.counts_behind(db, Selection(table="fu-01", first=date(2026, 3, 6)))
    assert counts.select("kind", "amount_cents").rows() == [
        ("opener", 1_490_000),
        ("closer", 850_400),
        ("drop", 0),
        ("drop", 820_000),
    ]


# ------------------------------------------------------------------------------------------------------ investigations


def table_days(*months: list[tuple[int, int]]) -> pl.DataFrame:
    """Days of (drop, win) in April, May, … of one table."""
    return pl.DataFrame(
        [
            {
                "stream": "table/a",
                "table_id": "a",
                "game": "face_up_pai_gow",
                "gaming_day": date(2026, 4 + month, 1 + at),
                "drop_cents": drop,
                "win_cents": win,
            }
            for month, days in enumerate(months)
            for at, (drop, win) in enumerate(days)
        ]
    )


def investigated(*months: list[tuple[int, int]]) -> dict[str, object]:
    db = synthetic.warehouse(mart_hold_table_day=table_days(*months))
    return written_investigations(db).row(0, named=True)


STEADY = [(10_000, 2_100), (10_000, 1_900)] * 5


@pytest.mark.parametrize(
    ("days", "triggers"),
    [
        ([(10_000, 2_100), (10_000, 1_900)] * 5, []),
        ([(10_000, 2_400), (10_000, 2_200)] * 5, ["outside_band"]),  # 23 % after 20 %: three points are not above three
        ([(10_000, 2_402), (10_000, 2_200)] * 5, ["outside_band", "three_points"]),
        ([(10_000, 6_000), (10_000, -1_300)] * 5, ["three_points"]),  # 23.5 %, days that differ widely
        ([(10_000, 2_500)], ["three_points"]),  # one day: no band
    ],
    ids=["as before", "outside the band", "both", "wide days", "one day"],
)
def test_triggers(days: list[tuple[int, int]], triggers: list[str]) -> None:
    assert investigated(STEADY, days)["triggers"] == triggers


def test_the_band_is_that_of_two_means_of_ten_days() -> None:
    """Equal drops: hold is a mean of days, ±1 point around 20 % ten times: s² = 10/9, standard error of a
    difference √(2 × s² ÷ 10), Welch's freedom 18, t = 2.1009."""
    row = investigated(STEADY, STEADY)
    wide = 2.1009 * (2 * (10 / 9) / 10) ** 0.5
    assert (row["low_95_percent"], row["high_95_percent"]) == (
        pytest.approx(20 - wide, abs=1e-3),
        pytest.approx(20 + wide, abs=1e-3),
    )
    assert row["p"] == pytest.approx(1.0)


def test_a_period_that_goes_on_is_told_from_one_that_has_ended() -> None:
    db = synthetic.warehouse(mart_hold_table_day=table_days(STEADY, STEADY, STEADY))
    frame = written_investigations(db)
    assert frame.select("period", "prior_period", "ended").rows() == [
        (date(2026, 6, 1), date(2026, 5, 1), False),
        (date(2026, 5, 1), date(2026, 4, 1), True),
    ]


@pytest.mark.parametrize(
    ("win", "drop", "found"), [(2_300, 10_000, False), (2_301, 10_000, True), (1_700, 10_000, False), (1_699, 10_000, True)]
)
def test_three_points_are_reckoned_in_whole_cents(win: int, drop: int, found: bool) -> None:
    assert more_than_points(win, drop, 2_000, 10_000) is found


def test_periods_are_those_there_are(db: Warehouse) -> None:
    for question in (hold_by_period, written_investigations):
        with pytest.raises(ValueError, match="one of gaming_day, month, year"):
            question(db, "table", "week")
