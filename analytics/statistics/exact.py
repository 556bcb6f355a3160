"""Exact tails and intervals of the binomial, Poisson and chi-square distributions, without approximation of counts.

Invariant: pure arithmetic on counts, without knowledge of the floor. The incomplete beta and gamma functions are computed by
their series and continued fractions (NIST Digital Library of Mathematical Functions, 8.7, 8.9 and 8.17).
"""

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from functools import lru_cache
from math import ceil, comb, exp, inf, lgamma, log, log1p
from statistics import NormalDist

import msgspec

NORMAL = NormalDist()
ALPHA, POWER = 1 - 0.95, 0.8
"""The error that a confidence of 95 % leaves, and the power of a detectable departure."""
_TINY = 1e-300
"""The denominator of a continued fraction if it would be 0."""
_STEPS = 100_000
_EPSILON = sys.float_info.epsilon


class Interval(msgspec.Struct, frozen=True):
    """The two bounds of a 95 % confidence interval."""

    low: float
    high: float


def gamma_upper(a: float, x: float) -> float:
    """Return the regularized upper incomplete gamma function Q(a, x): the share of a gamma distribution above x.

    >>> round(gamma_upper(0.5, 1.920729410347062), 10)  # chi-square 3.8414588 with one degree of freedom
    0.05
    """
    if a <= 0 or x < 0:
        raise ValueError(f"the incomplete gamma function needs a > 0 and x >= 0, not {a} and {x}")
    if x == 0:
        return 1.0
    if x == inf:
        return 0.0
    scale = a * log(x) - x - lgamma(a)
    if x < a + 1:
        term = total = 1 / a
        for step in range(1, _STEPS):
            term *= x / (a + step)
            total += term
            if term < total * 1e-16:
                break
        return max(0.0, 1 - total * exp(scale))
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    fraction = d
    for step in range(1, _STEPS):
        numerator = -step * (step - a)
        b += 2
        d = 1 / (numerator * d + b or _TINY)
        c = b + numerator / c or _TINY
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return min(1.0, fraction * exp(scale))


def beta_lower(a: float, b: float, x: float) -> float:
    """Return the regularized incomplete beta function I_x(a, b): the share of a beta distribution below x.

    >>> round(beta_lower(2, 3, 0.4), 4)
    0.5248
    """
    if not 0 <= x <= 1 or a <= 0 or b <= 0:
        raise ValueError(f"the incomplete beta function needs a, b > 0 and x from 0 to 1, not {a}, {b} and {x}")
    if x in (0, 1):
        return float(x)
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_lower(b, a, 1 - x)
    front = exp(a * log(x) + b * log1p(-x) + lgamma(a + b) - lgamma(a) - lgamma(b)) / a
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1) or _TINY)
    fraction = d
    for step in range(1, _STEPS):
        at = a + 2 * step
        even = step * (b - step) * x / ((at - 1) * at)
        d = 1 / (1 + even * d or _TINY)
        c = 1 + even / c or _TINY
        fraction *= d * c
        odd = -(a + step) * (a + b + step) * x / (at * (at + 1))
        d = 1 / (1 + odd * d or _TINY)
        c = 1 + odd / c or _TINY
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return min(1.0, front * fraction)


def binomial_at_least(successes: int, trials: int, p: float) -> float:
    """Return P(X >= successes) of a binomial count.

    >>> binomial_at_least(8, 10, 0.5)  # 56 of 1,024
    0.05468...
    """
    if successes <= 0:
        return 1.0
    if successes > trials:
        return 0.0
    return beta_lower(successes, trials - successes + 1, p)


def chi_square_above(statistic: float, freedom: float) -> float:
    """Return the probability of a chi-square value as large or larger.

    >>> round(chi_square_above(11.070498, 5), 6)
    0.05
    """
    return gamma_upper(freedom / 2, statistic / 2)


def chi_square_quantile(above: float, freedom: float) -> float:
    """Return the value that a chi-square variable exceeds with probability `above`.

    >>> round(chi_square_quantile(0.05, 5), 4)
    11.0705
    """
    return _solve(lambda x: chi_square_above(x, freedom), above, 0.0, freedom + 20.0)


def normal_both_sides(z: float) -> float:
    """Return the two-sided probability of a normal deviation of at least z.

    >>> round(normal_both_sides(-1.959964), 6)
    0.05
    """
    return 2 * NORMAL.cdf(-abs(z))


def student_both_sides(t: float, freedom: float) -> float:
    """Return the two-sided probability of a Student t at least this far from 0.

    >>> round(student_both_sides(2.228139, 10), 6)
    0.05
    """
    return beta_lower(freedom / 2, 0.5, freedom / (freedom + t * t))


def student_quantile(both_sides: float, freedom: float) -> float:
    """Return the value that a Student t exceeds on either side with this total probability.

    >>> round(student_quantile(0.05, 10), 4)
    2.2281
    """
    return _solve(lambda t: student_both_sides(t, freedom), both_sides, 0.0, 8.0)


@lru_cache(maxsize=4096)
def clopper_pearson(successes: int, trials: int) -> Interval:
    """Return the exact interval for a proportion (Clopper and Pearson 1934); 0 to 1 without trials.

    >>> interval = clopper_pearson(2, 20)
    >>> round(interval.low, 4), round(interval.high, 4)
    (0.0123, 0.317)
    """
    if not 0 <= successes <= trials:
        raise ValueError(f"{successes} of {trials} is not a proportion; expected 0 to {trials} successes")
    tail = ALPHA / 2
    low = 0.0 if successes == 0 else _solve(lambda p: 1 - binomial_at_least(successes, trials, p), 1 - tail, 0.0, 1.0)
    high = 1.0 if successes == trials else _solve(lambda p: 1 - binomial_at_least(successes + 1, trials, p), tail, 0.0, 1.0)
    return Interval(low, high)


def hypergeometric(successes: int, trials: int, population: int) -> Interval:
    """Return the exact interval of the rate in a population from which this many were drawn without replacement.

    >>> hypergeometric(0, 10, 10), hypergeometric(1, 10, 20)
    (Interval(low=0.0, high=0.0), Interval(low=0.05, high=0.35))
    >>> hypergeometric(20, 1_000, 20_000)  # the bounds are searched by halves: one by one takes minutes
    Interval(low=0.01245, high=0.0304)
    """
    tail = ALPHA / 2
    possible = range(successes, population - trials + successes + 1)
    low = bisect_right(possible, tail, key=lambda k: 1 - _at_most(successes - 1, trials, k, population))
    high = bisect_left(possible, -tail, key=lambda k: -_at_most(successes, trials, k, population)) - 1
    return Interval(possible[low] / population, possible[high] / population)


def _at_most(successes: int, trials: int, marked: int, population: int) -> float:
    """Return the chance that a draw of `trials` without replacement has at most this many marked ones."""
    least = max(0, trials - population + marked)
    ways = term = comb(marked, least) * comb(population - marked, trials - least) if least <= successes else 0
    for k in range(least, min(successes, trials, marked)):
        term = term * (marked - k) * (trials - k) // ((k + 1) * (population - marked - trials + k + 1))
        ways += term
    return ways / comb(population, trials)


def trials_without(rate: float) -> int:
    """Return how many trials without a success show, one-sided with 95 % confidence, that the rate is below this one.

    >>> trials_without(0.05), trials_without(0.01)
    (59, 299)
    """
    return ceil(log(ALPHA) / log(1 - rate))


def chi_square_power(noncentrality: float, freedom: float, level: float) -> float:
    """Return the power of a chi-square test at a level: a Poisson mixture of central distributions.

    >>> round(chi_square_power(7.8489, 1, 0.05), 3)  # (1.959964 + 0.841621) squared
    0.8
    """
    critical, half = chi_square_quantile(level, freedom), noncentrality / 2
    middle, spread = int(half), int(12 * half**0.5) + 30
    weights = (
        (j, exp(-half + j * log(half) - lgamma(j + 1)) if half > 0 else float(j == 0))
        for j in range(max(0, middle - spread), middle + spread)
    )
    return min(1.0, sum(weight * chi_square_above(critical, freedom + 2 * j) for j, weight in weights))


def detectable_noncentrality(freedom: float, level: float) -> float:
    """Return the noncentrality that a chi-square test at a level detects with 80 % power.

    >>> round(detectable_noncentrality(1, 0.05), 2)
    7.85
    """
    return _solve(lambda x: 1 - chi_square_power(x, freedom, level), 1 - POWER, 0.0, 20.0)


def _solve(falling: Callable[[float], float], target: float, low: float, high: float) -> float:
    """Return where a falling function reaches a value, by inverse quadratic steps in a bracket (Chandrupatla 1997)."""
    at_low, at_high = falling(low) - target, falling(high) - target
    while at_high > 0:
        low, at_low, high = high, at_high, 2 * high
        at_high = falling(high) - target
    a, at_a, b, at_b, share = high, at_high, low, at_low, 0.5
    for _ in range(200):
        x = a + share * (b - a)
        at_x = falling(x) - target
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, at_best = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        width = abs(b - a)
        if at_best == 0 or width <= 4 * _EPSILON * abs(best):
            return best
        share, least = 0.5, _EPSILON * abs(best) / width
        if at_b not in (at_c, at_a) and at_a != at_c:
            along, across = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
            if across**2 < along and (1 - across) ** 2 < 1 - along:
                share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
                share += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
                share = min(1 - least, max(least, share))
    return best
