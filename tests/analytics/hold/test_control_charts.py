"""Funnel, CUSUM and EWMA: against figures worked out by hand, and on synthetic floors."""

from datetime import date
from math import sqrt

import numpy as np
import polars as pl
import pytest

from analytics.hold.control_charts import dispersion, funnel, over_time
from analytics.theory.expectation import expected_of
from analytics.warehouse.selection import Selection
from tests.analytics import synthetic

BASE = [("base", "")]


def marts(days: dict[int, int], *, dealer: str = "d-00", rounds: int = 100) -> pl.DataFrame:
    """Base wagers of one seat of 10.00 a round: day → what the house won, in cents."""
    made = synthetic.against_theory(
        np.random.default_rng(0), dealers=1, days=len(days), rounds=rounds, seats=1, wagers=BASE, stake=1000
    )
    return made.with_columns(pl.Series("house_win_cents", list(days.values())), pl.lit(dealer).alias("dealer"))


def test_z_cusum_and_ewma_of_three_days_by_hand() -> None:
    """z = (win - e × 100 × 10.00) ÷ (σ × √100 × 10.00); CUSUM takes off half a standard deviation a day; EWMA weighs 0.2."""
    expected = expected_of(synthetic.CHAPTER, "base", "")
    assert expected is not None
    mean, sigma = expected.edge * 100_000, sqrt(expected.variance) * 10 * 1000
    wins = [round(mean - 2 * sigma), round(mean - 3 * sigma), round(mean + sigma)]
    found = over_time(synthetic.warehouse(mart_against_theory=marts(dict(enumerate(wins)))))
    assert found["gaming_day"].to_list() == [date(2026, 4, 1), date(2026, 4, 2), date(2026, 4, 3)]
    assert found["z"].to_list() == pytest.approx([-2, -3, 1], abs=1e-3)
    assert found["cusum_low"].to_list() == pytest.approx([1.5, 4.0, 2.5], abs=2e-3)
    assert found["cusum_high"].to_list() == pytest.approx([0, 0, 0.5], abs=2e-3)
    assert found["ewma"].to_list() == pytest.approx([-0.4, -0.92, -0.536], abs=1e-3)
    assert found["ewma_high"][0] == pytest.approx(0.6)
    assert set(found["cusum_signal"]) == {""}
    assert found["ewma_signal"].to_list() == ["", "low", ""]  # limits 0.6, 0.768, 0.859


@pytest.mark.parametrize(("drift", "signal"), [(-2.0, "low"), (2.0, "high"), (0.4, "")])
def test_cusum_signals_a_lasting_drift_and_not_half_a_standard_deviation(drift: float, signal: str) -> None:
    expected = expected_of(synthetic.CHAPTER, "base", "")
    assert expected is not None
    win = round(expected.edge * 100_000 + drift * sqrt(expected.variance) * 10_000)
    found = over_time(synthetic.warehouse(mart_against_theory=marts(dict.fromkeys(range(6), win))))
    assert found["cusum_signal"][-1] == signal


def test_dispersion_pulls_the_ends_in() -> None:
    """Twenty points of ±1 with two far out: the ends become as the 10 % points are."""
    assert dispersion([1.0, -1.0] * 10) == 1.0
    assert dispersion([-9.0, *([2.0, -2.0] * 9), 9.0]) == pytest.approx(4.0)


def test_the_funnel_finds_the_dealer_who_overpays_and_clears_the_rest() -> None:
    stolen = synthetic.against_theory(np.random.default_rng(3), wagers=BASE, stolen={"d-07": 0.1})
    found = funnel(synthetic.warehouse(mart_against_theory=stolen))
    assert found["dealer"][0] == "d-07"
    assert found["place"][0] == "below_997"
    assert found.filter(found["p_adjusted"] < 0.01)["dealer"].to_list() == ["d-07"]


def test_patrons_who_play_worse_everywhere_move_nobody_out_of_the_funnel() -> None:
    rows = synthetic.against_theory(np.random.default_rng(4), wagers=BASE)
    lucky = rows.with_columns((pl.col("house_win_cents") + pl.col("unit_cents") * 3 // 100).alias("house_win_cents"))
    plain, worse = (funnel(synthetic.warehouse(mart_against_theory=each)).sort("dealer") for each in (rows, lucky))
    assert worse["z"].to_list() == pytest.approx(plain["z"].to_list(), abs=0.01)
    assert worse["middle_percent"][0] == pytest.approx(plain["middle_percent"][0] + 3, abs=0.01)


@pytest.mark.parametrize(
    ("rounds", "off", "z"),
    [
        ((100, 100), -3.0, -3.0),  # the other half of the middle goes the other way
        ((100, 100), 0.0, 0.0),
        ((400, 100), -2.4, -2.4),
        ((100, 900), -3.0, -3.0),
    ],
)
def test_the_middle_of_the_funnel_contains_the_point(rounds: tuple[int, int], off: float, z: float) -> None:
    """Two dealers of an honest floor; the first is moved so that its distance from the other is `off` standard deviations.

    By hand: the difference of two means has the variance of both, and with two points that is all there is to see.
    """
    expected = expected_of(synthetic.CHAPTER, "base", "")
    assert expected is not None
    one, other = rounds
    apart = off * sqrt(expected.variance) * 1000 * sqrt(1 / one + 1 / other)  # cents a round
    frames = [
        marts({0: round(expected.edge * 1000 * count + (apart * count if dealer == "d-00" else 0))}, dealer=dealer, rounds=count)
        for dealer, count in (("d-00", one), ("d-01", other))
    ]
    found = funnel(synthetic.warehouse(mart_against_theory=pl.concat(frames)))
    by_dealer = {row["dealer"]: row for row in found.iter_rows(named=True)}
    assert by_dealer["d-00"]["z"] == pytest.approx(z, abs=0.01)
    assert by_dealer["d-01"]["z"] == pytest.approx(-z, abs=0.01)


def test_a_point_alone_is_the_middle() -> None:
    (row,) = funnel(synthetic.warehouse(mart_against_theory=marts({0: -90_000}))).iter_rows(named=True)
    assert (row["z"], row["place"], row["low_95_percent"]) == (0.0, "within", pytest.approx(row["middle_percent"]))


@pytest.mark.slow
def test_of_an_honest_floor_of_three_dealers_one_point_in_twenty_lies_outside_95_percent() -> None:
    outside = [
        place != "within"
        for seed in range(60)
        for place in funnel(
            synthetic.warehouse(
                mart_against_theory=synthetic.against_theory(np.random.default_rng(seed), dealers=3, days=4, wagers=BASE)
            )
        )["place"]
    ]
    assert 0.01 < sum(outside) / len(outside) < 0.10


def test_limits_of_the_funnel_narrow_with_volume() -> None:
    few, many = (synthetic.against_theory(np.random.default_rng(4), dealers=2, days=days, wagers=BASE) for days in (6, 54))
    wide = [
        funnel(synthetic.warehouse(mart_against_theory=each)).select(pl.col("high_95_percent") - pl.col("middle_percent"))
        for each in (few, many)
    ]
    assert wide[0].row(0)[0] / wide[1].row(0)[0] == pytest.approx(3, rel=0.1)


def test_one_wager_at_a_time_and_nothing_where_there_is_none() -> None:
    db = synthetic.warehouse(mart_against_theory=synthetic.against_theory(np.random.default_rng(4), dealers=2, days=2))
    assert set(funnel(db)["wager"]) == {"base"}
    assert set(funnel(db, wager="fortune_bonus")["wager"]) == {"fortune_bonus"}
    nothing = Selection(table="none")
    assert funnel(db, "dealer", nothing).is_empty()
    assert over_time(db, "gaming_day", nothing).is_empty()
