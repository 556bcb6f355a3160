"""Who stands out: against binomial tails by hand, and with one bad value that must neither hide nor accuse the rest."""

from math import comb

import numpy as np
import pytest

from analytics.statistics.outliers import PeerComparison, standing_out

Value = dict[str, tuple[int, int]]
"""Game → rounds, and how many of them went wrong."""


def held(values: list[Value], level: float) -> PeerComparison:
    games = sorted({game for value in values for game in value})
    counts = np.array([[value.get(game, (0, 0)) for game in games] for value in values], dtype=np.int64)
    rounds, wrong = np.moveaxis(counts.reshape(len(values), len(games), 2), 2, 0)
    return standing_out(rounds, wrong, level)


def tail(at_least: int, trials: int, p: float) -> float:
    return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(at_least, trials + 1))


def test_one_game_is_the_binomial_of_the_floor_s_total() -> None:
    """12 wrong rounds in all, 100 of 400 rounds were this value's: 6 or more of 12 at a quarter."""
    found = held([{"g": (100, 6)}, {"g": (300, 6)}], 0.001)
    assert found.expected[0] == pytest.approx(3)
    assert found.p[0] == pytest.approx(tail(6, 12, 0.25))
    assert found.p_adjusted[0] == pytest.approx(2 * tail(6, 12, 0.25))


def test_who_deals_a_game_that_is_hard_is_held_against_that_game() -> None:
    """30 of 100 rounds of the hard game go wrong with both, none of the easy one: no one stands out."""
    found = held([{"hard": (100, 30)}, {"hard": (100, 30)}, {"easy": (1000, 0)}], 0.01)
    assert found.expected.round(6).tolist() == [30, 30, 0]
    assert (found.p_adjusted > 0.01).all()


def test_who_deals_two_games_is_held_against_both() -> None:
    """Of 60 wrong rounds of the hard game it had a third of the rounds, of 4 of the easy one a half."""
    found = held([{"hard": (100, 20), "easy": (500, 2)}, {"hard": (200, 40)}, {"easy": (500, 2)}], 0.01)
    assert found.expected[0] == pytest.approx(20 + 2)
    assert found.p[0] == pytest.approx(tail(22, 64, 22 / 64))


def test_a_very_bad_one_does_not_hide_another_and_the_rest_stay_clear() -> None:
    found = held([{"g": (200, 120)}, {"g": (200, 20)}, *({"g": (200, 3)} for _ in range(6))], 0.01)
    assert (found.p_adjusted <= 0.01).tolist() == [True, True, *[False] * 6]
    assert found.expected[2] == pytest.approx(3)
    assert found.expected[1] == pytest.approx((20 + 18) * 200 / 1400)  # the rest and itself, without the worst


@pytest.mark.parametrize("values", [[], [{}], [{"g": (0, 0)}], [{"g": (10, 0)}, {"g": (10, 0)}]])
def test_nothing_wrong_is_nothing_to_say(values: list[Value]) -> None:
    assert held(values, 0.01).p_adjusted.tolist() == [1] * len(values)


def test_alike_values_stand_out_no_more_often_than_stated() -> None:
    """300 floors of 20 alike values at 1 in 20: more than 28 with any that stands out have a chance of 1 in 1,000."""
    random = np.random.default_rng(2)
    out = 0
    for _ in range(300):
        wrong = random.binomial(200, 0.05, size=(20, 1))
        out += bool((standing_out(np.full((20, 1), 200), wrong, 0.05).p_adjusted <= 0.05).any())
    assert out <= 28
