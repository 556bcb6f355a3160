"""Bounds are where their tail says: put back into the distribution, each gives the share that it was asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analytics.statistics.exact import (
    binomial_at_least,
    chi_square_above,
    chi_square_power,
    chi_square_quantile,
    clopper_pearson,
    detectable_noncentrality,
    student_both_sides,
    student_quantile,
)


@given(trials=st.integers(1, 2_000), share=st.floats(0, 1))
def test_a_proportion_s_bounds_leave_a_fortieth_on_each_side(trials: int, share: float) -> None:
    successes = round(trials * share)
    found = clopper_pearson(successes, trials)
    if successes:
        assert binomial_at_least(successes, trials, found.low) == pytest.approx(0.025, rel=1e-9)
    if successes < trials:
        assert 1 - binomial_at_least(successes + 1, trials, found.high) == pytest.approx(0.025, rel=1e-9)


@given(level=st.floats(1e-12, 0.999), freedom=st.floats(0.5, 400))
def test_a_quantile_is_passed_with_its_level(level: float, freedom: float) -> None:
    assert chi_square_above(chi_square_quantile(level, freedom), freedom) == pytest.approx(level, rel=1e-8)


@given(level=st.floats(1e-6, 0.9), freedom=st.floats(1, 400))
def test_a_student_quantile_is_passed_with_its_level(level: float, freedom: float) -> None:
    assert student_both_sides(student_quantile(level, freedom), freedom) == pytest.approx(level, rel=1e-8)


@pytest.mark.parametrize("freedom", [1, 5, 15, 52])
@pytest.mark.parametrize("level", [1e-2, 1e-5])
def test_a_detectable_effect_is_detected_four_times_in_five(freedom: int, level: float) -> None:
    found = detectable_noncentrality(freedom, level)
    assert chi_square_power(found, freedom, level) == pytest.approx(0.8, rel=1e-9)
