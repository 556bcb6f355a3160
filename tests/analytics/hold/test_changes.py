"""A period next to the one before it, and win reconciled with house win: literals, and floors made from chance."""

from datetime import date, timedelta
from math import sqrt

import numpy as np
import polars as pl
import pytest

from analytics.errors import rate_changes
from analytics.hold.against_theory import win_against_theory
from analytics.hold.changes import days_before, hold_changes, house_win_changes, period_before
from analytics.hold.control_charts import over_time
from analytics.hold.reconciliation import reconciliation
from analytics.hold.theoretical import theoretical_win
from analytics.theory.expectation import expected_of
from analytics.warehouse.selection import Selection
from analytics.warehouse.warehouse import Warehouse
from tests.analytics import synthetic
from tests.analytics.synthetic import CHAPTER, FIRST_DAY

SECOND_HALF = Selection(first=FIRST_DAY + timedelta(days=15), last=FIRST_DAY + timedelta(days=29))
DAY_2 = Selection(first=date(2026, 3, 6), last=date(2026, 3, 6))


@pytest.mark.parametrize(
    ("first", "last", "before"),
    [
        ("2026-03-10", "2026-03-10", ("2026-03-09", "2026-03-09")),
        ("2026-03-01", "2026-03-30", ("2026-01-30", "2026-02-28")),  # one day short of a month: 30 days
        ("2026-03-01", "2026-03-31", ("2026-02-01", "2026-02-28")),
        ("2026-01-01", "2026-03-31", ("2025-10-01", "2025-12-31")),
        ("2024-03-01", "2024-03-31", ("2024-02-01", "2024-02-29")),
    ],
)
def test_the_period_before_is_as_long_or_as_many_months(first: str, last: str, before: tuple[str, str]) -> None:
    found = days_before(date.fromisoformat(first), date.fromisoformat(last))
    assert tuple(map(str, found)) == before


@pytest.mark.parametrize("open_ended", [Selection(), Selection(first=date(2026, 3, 1)), Selection(last=date(2026, 3, 1))])
def test_a_selection_without_both_ends_has_no_period_before(open_ended: Selection) -> None:
    with pytest.raises(ValueError, match="first and the last gaming day"):
        period_before(open_ended)


def test_hold_beside_the_day_before_and_too_few_table_days_to_tell(db: Warehouse) -> None:
    """FU-01: 2,400 of 10,000 on the 5th, 1,804 of 8,200 on the 6th. FU-02 has no closer on the 6th and is no row."""
    (row,) = hold_changes(db, "table", DAY_2).iter_rows(named=True)
    assert (row["table_id"], row["prior_win_cents"], row["win_cents"]) == ("fu-01", 240_000, 180_400)
    assert (row["prior_hold_percent"], row["hold_percent"]) == (24.0, 22.0)
    assert (row["change_points"], row["p"], row["verdict"]) == (-2.0, None, "cannot_tell")
    with pytest.raises(ValueError, match="one of property, game, table"):
        hold_changes(db, "dealer", DAY_2)


def test_house_win_leads_to_win_line_by_line(db: Warehouse) -> None:
    """FU-01 on the 5th: 75 won by the wagers, 10,000 in the box and 10,000 bought in, 2,325 chips beyond those due: 2,400."""
    day_1 = Selection(table="fu-01", first=date(2026, 3, 5), last=date(2026, 3, 5))
    (row,) = reconciliation(db, "table", day_1).iter_rows(named=True)
    assert row["house_win_cents"] == 7_500
    assert (row["box_less_buy_ins_cents"], row["tray_difference_cents"], row["win_cents"]) == (0, 232_500, 240_000)
    for by in ("property", "game", "table", "gaming_day"):
        for each in reconciliation(db, by).iter_rows(named=True):
            counted = each["house_win_cents"] - each["uncounted_house_win_cents"]
            assert counted + each["box_less_buy_ins_cents"] + each["tray_difference_cents"] == each["win_cents"], each
    uncounted = reconciliation(db).row(0, named=True)
    assert (uncounted["table_days"], uncounted["table_days_counted"]) == (4, 3)


@pytest.mark.slow
def test_honest_halves_of_a_month_seldom_differ() -> None:
    """40 honest months: at most 3 with an alarm (at 1 in 100, more than 3 come once in 3,000)."""
    alarmed = 0
    for seed in range(40):
        marts = synthetic.against_theory(np.random.default_rng(seed), dealers=6, rounds=20, wagers=[("base", "")])
        found = house_win_changes(synthetic.warehouse(mart_against_theory=marts), "dealer", SECOND_HALF)
        assert found.height == 6
        alarmed += "alarm" in set(found["verdict"])
    assert alarmed <= 3


def test_who_begins_to_overpay_is_the_change() -> None:
    random = np.random.default_rng(3)
    honest = synthetic.against_theory(random, wagers=[("base", "")])
    stolen = synthetic.against_theory(random, wagers=[("base", "")], stolen={"d-04": 0.15})
    middle = FIRST_DAY + timedelta(days=15)
    marts = pl.concat([honest.filter(pl.col("gaming_day") < middle), stolen.filter(pl.col("gaming_day") >= middle)])
    found = house_win_changes(synthetic.warehouse(mart_against_theory=marts), "dealer", SECOND_HALF)
    assert found.filter(pl.col("verdict") == "alarm")["dealer"].to_list() == ["d-04"]
    (row,) = found.filter(pl.col("dealer") == "d-04").iter_rows(named=True)
    expected = expected_of(CHAPTER, "base", "")
    assert expected is not None
    # 15 days of 60 rounds and 3 seats of $25, in each half: the variance of either, at least as if seats ended apart.
    apart = 100 * sqrt(2 * expected.variance / (15 * 60 * 3))
    assert 1.959 * apart <= row["high_95_points"] <= 1.961 * sqrt(3) * apart


def test_uneven_payouts_are_not_compared_as_if_they_were_normal() -> None:
    marts = synthetic.against_theory(np.random.default_rng(1), rounds=5, wagers=[("fortune_bonus", "1")])
    found = house_win_changes(synthetic.warehouse(mart_against_theory=marts), "dealer", SECOND_HALF)
    assert set(found["verdict"]) == {"cannot_tell"}
    assert found["p"].null_count() == found.height == 12


@pytest.mark.parametrize(
    ("wrong", "rounds", "prior_wrong", "prior_rounds", "p"),
    [
        (8, 100, 2, 100, 0.109375),  # 2 (45 + 10 + 1) / 1,024
        (2, 100, 8, 100, 0.109375),
        (5, 100, 5, 100, 1.0),
        (0, 100, 0, 100, 1.0),
        (2, 100, 0, 300, 0.125),  # 2 (1 / 4)²
    ],
)
def test_two_counts_are_compared_exactly(wrong: int, rounds: int, prior_wrong: int, prior_rounds: int, p: float) -> None:
    row = {"rounds": rounds, "rounds_wrong": wrong, "prior_rounds": prior_rounds, "prior_rounds_wrong": prior_wrong}
    assert rate_changes._both_sides(row) == pytest.approx(p)


def test_mispayments_beside_the_day_before(db: Warehouse) -> None:
    found = rate_changes.error_rate_changes(db, "table", DAY_2)
    assert set(found["verdict"]) <= {"within", "outside_95"}
    assert (found["rounds"] > 0).all()
    with pytest.raises(ValueError, match="cannot compare periods by 'code'"):
        rate_changes.error_rate_changes(db, "code", DAY_2)


# ------------------------------------------------------------------------------------------------ above and below theory


def paid_too_little(marts: pl.DataFrame, *dealers: str) -> pl.DataFrame:
    """Let these dealers keep a fifth of every unit from the winners."""
    kept = (pl.col("unit_cents") // 5) * pl.col("dealer").is_in(dealers)
    return marts.with_columns((pl.col("house_win_cents") + kept).alias("house_win_cents"))


def test_winners_paid_too_little_are_an_alarm_where_patrons_decide_nothing() -> None:
    marts = paid_too_little(synthetic.against_theory(np.random.default_rng(5)), "d-04")
    found = win_against_theory(synthetic.warehouse(mart_against_theory=marts), "dealer")
    verdicts = {(row["dealer"], row["wager"]): row for row in found.iter_rows(named=True)}
    fortune, base = verdicts["d-04", "fortune_bonus"], verdicts["d-04", "base"]
    assert (fortune["verdict"], fortune["z"] > 3) == ("alarm", True)
    assert "check for winners underpaid or not paid" in fortune["sentence"]
    assert (base["verdict"], base["alarm"]) == ("above", False)
    assert "play below the best is the first explanation" in base["sentence"]


def test_a_lasting_win_above_theory_signals_where_patrons_decide_nothing() -> None:
    marts = paid_too_little(synthetic.against_theory(np.random.default_rng(5), dealers=2), "d-00", "d-01")
    db = synthetic.warehouse(mart_against_theory=marts)
    assert over_time(db, wager="fortune_bonus")["alarm"].any()
    base = over_time(db)
    assert (base["cusum_signal"] == "high").any()
    assert not base["alarm"].any()


@pytest.mark.slow
def test_uneven_payouts_of_honest_months_seldom_signal() -> None:
    """30 honest months of the Fortune Bonus: a CUSUM of exact scores signals in at most 4 of them (once in 930 days a side)."""
    signals = 0
    for seed in range(30):
        marts = synthetic.against_theory(np.random.default_rng(seed), dealers=2, wagers=[("fortune_bonus", "1")])
        signals += bool(over_time(synthetic.warehouse(mart_against_theory=marts), wager="fortune_bonus")["alarm"].any())
    assert signals <= 4


def test_the_band_of_a_sum_holds_at_least_what_it_says() -> None:
    """The days of 8 honest dealers, two wagers each: of 240 sums at most 20 lie outside (at 5 %, more come once in 100 tests)."""
    marts = synthetic.against_theory(np.random.default_rng(11), dealers=8)
    found = theoretical_win(synthetic.warehouse(mart_against_theory=marts), "dealer_table", bands=True)
    days = pl.concat(
        theoretical_win(
            synthetic.warehouse(mart_against_theory=marts.filter(pl.col("dealer") == dealer)), "gaming_day", bands=True
        )
        for dealer in sorted(set(marts["dealer"]))
    )
    outside = ~pl.col("house_win_cents").is_between(pl.col("low_95_cents"), pl.col("high_95_cents"))
    assert found.height == 8
    assert days.height == 240
    assert days.filter(outside).height <= 20


def test_the_band_of_one_wager_is_its_own() -> None:
    marts = synthetic.against_theory(np.random.default_rng(2), wagers=[("fortune_bonus", "1")])
    db = synthetic.warehouse(mart_against_theory=marts)
    names = ("theoretical_win_cents", "low_95_cents", "high_95_cents")
    assert theoretical_win(db, "paytable", bands=True).select(names).row(0) == win_against_theory(db, "game").select(names).row(0)
