"""Counts against chances: of a wager how far its mean is off, of everything how likely so uneven a count is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import exp, inf, sqrt
from typing import Any

import msgspec

from analytics.statistics.exact import chi_square_above

LEAST_EXPECTED = 5.0
"""Ends that are expected less often are taken together for the p-value, and left out of the mean."""
MOST_Z = 3.5


class CountTest(msgspec.Struct, frozen=True, kw_only=True):
    """A count held against its chances. `theory` and `mean` are of the ends that are expected often enough, in units; None, as
    `z`, where the ends are no amounts. `p` is None where a single end is left."""

    n: int
    theory: float | None = None
    mean: float | None = None
    z: float | None = None
    p: float | None = None


def hold(counted: Counter[Any], chances: Mapping[Any, float], rounds_of_theory: float = inf) -> CountTest:
    """Return how a count compares; raises `ValueError` for an end that theory does not know.

    >>> held = hold(Counter({1.0: 530, -1.0: 470}), {1.0: 0.5, -1.0: 0.5})
    >>> round(held.z or 0, 3), round(held.p or 0, 3)
    (1.897, 0.058)
    """
    unknown = [end for end in counted if end not in chances]
    if unknown:
        raise ValueError(f"{unknown[:3]}: theory knows no such end; it knows {list(chances)[:10]}")
    n = counted.total()
    often = [end for end, chance in chances.items() if n * chance >= LEAST_EXPECTED]
    groups = [(counted[end], n * chances[end]) for end in often]
    rare = sum(chance for end, chance in chances.items() if end not in often)
    if n * rare >= LEAST_EXPECTED:
        groups.append((n - sum(count for count, _ in groups), n * rare))
    widened = 1 + n / rounds_of_theory
    statistic = sum((count - expected) ** 2 / expected for count, expected in groups) / widened
    p = chi_square_above(statistic, len(groups) - 1) if len(groups) > 1 else None
    amounts = [end for end in often if isinstance(end, float)]
    bets = sum(counted[end] for end in amounts)
    if not bets or len(amounts) < 2:
        return CountTest(n=n, p=p)
    share = sum(chances[end] for end in amounts)
    theory = sum(end * chances[end] for end in amounts) / share
    variance = sum((end - theory) ** 2 * chances[end] for end in amounts) / share
    mean = sum(end * counted[end] for end in amounts) / bets
    return CountTest(n=n, theory=theory, mean=mean, z=(mean - theory) / sqrt(variance * widened / bets), p=p)


def uniform(values: Sequence[float]) -> float:
    """Return the probability that p-values which are uniform lie so far from it (Kolmogorov and Smirnov).

    >>> uniform([0.001 * n for n in range(100)]) < 1e-6 < uniform([0.01 * n + 0.005 for n in range(100)])
    True
    """
    ordered, n = sorted(values), len(values)
    off = max(max((at + 1) / n - p, p - at / n) for at, p in enumerate(ordered))
    scaled = off * (sqrt(n) + 0.12 + 0.11 / sqrt(n))
    found = 2 * sum((-1) ** (k - 1) * exp(-2 * k * k * scaled * scaled) for k in range(1, 101))
    return min(1.0, max(0.0, found)) if scaled > 0.2 else 1.0
