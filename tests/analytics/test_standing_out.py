"""Who stands out: against binomial tails by hand, and with one bad value that must neither hide nor accuse the rest."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from analytics.standing_out import standing_out


def tail(at_least: int, trials: int, p: float) -> float:
    return sum(comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(at_least, trials + 1))


def test_one_game_is_the_binomial_of_the_floor_s_total() -> None:
    """12 wrong rounds in all, 100 of 400 rounds were this value's: 6 or more of 12 at a quarter."""
    found = standing_out([{"g": (100, 6)}, {"g": (300, 6)}], 0.001)
    assert found[0].expected == pytest.approx(3)
    assert found[0].p == pytest.approx(tail(6, 12, 0.25))
    assert found[0].p_adjusted == pytest.approx(2 * tail(6, 12, 0.25))


def test_who_deals_a_game_that_is_hard_is_held_against_that_game() -> None:
    """30 of 100 rounds of the hard game go wrong with both, none of the easy one: nobody stands out."""
    values = [{"hard": (100, 30)}, {"hard": (100, 30)}, {"easy": (1000, 0)}]
    assert [round(each.expected, 6) for each in standing_out(values, 0.01)] == [30, 30, 0]
    assert all(each.p_adjusted > 0.01 for each in standing_out(values, 0.01))


def test_a_very_bad_one_does_not_hide_another_and_the_rest_stay_clear() -> None:
    values = [{"g": (200, 120)}, {"g": (200, 20)}, *({"g": (200, 3)} for _ in range(6))]
    found = standing_out(values, 0.01)
    assert [each.p_adjusted <= 0.01 for each in found] == [True, True, *[False] * 6]
    assert found[2].expected == pytest.approx(3)


@pytest.mark.parametrize("values", [[], [{}], [{"g": (0, 0)}], [{"g": (10, 0)}, {"g": (10, 0)}]])
def test_nothing_wrong_is_nothing_to_say(values: list[dict[str, tuple[int, int]]]) -> None:
    assert all(each.p_adjusted == 1 for each in standing_out(values, 0.01))


def test_alike_values_stand_out_no_more_often_than_stated() -> None:
    """300 floors of 20 alike values at 1 in 20: more than 28 with any that stands out have a chance of 1 in 1,000."""
    random = np.random.default_rng(2)
    out = 0
    for _ in range(300):
        wrong = random.binomial(200, 0.05, size=20)
        out += any(each.p_adjusted <= 0.05 for each in standing_out([{"g": (200, int(n))} for n in wrong], 0.05))
    assert out <= 28
