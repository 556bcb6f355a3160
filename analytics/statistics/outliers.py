"""Outliers: counts of wrong rounds compared with the rates of all values that are not outliers.

Invariant: pure arithmetic on counts. The first candidate is compared with all others; once one is an outlier, the rest are
compared without it, so that one bad value neither hides a second nor makes the rest look good.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from analytics.statistics.exact import binomial_at_least
from analytics.statistics.multiplicity import holm

Counts = npt.NDArray[np.int64]
"""A row for each value, a column for each game."""


class PeerComparison(msgspec.Struct, frozen=True):
    """For each value: its expectation at the others' rates, the chance of this many or more, and the corrected chance."""

    expected: npt.NDArray[np.float64]
    p: npt.NDArray[np.float64]
    p_adjusted: npt.NDArray[np.float64]


def standing_out(rounds: Counts, wrong: Counts, level: float) -> PeerComparison:
    """Return how each value compares with the rest, by its rounds of each game and its wrong rounds.

    >>> held = standing_out(np.array([[100], [100], [100], [100]]), np.array([[2], [3], [30], [12]]), 0.01)
    >>> (held.p_adjusted <= 0.01).tolist(), held.expected[2].round(1).item()
    ([False, False, True, True], 11.7)
    """
    values = len(rounds)
    out = np.zeros(values, dtype=bool)
    while True:
        expected, p = _against_the_rest(rounds, wrong, out)
        rest = np.flatnonzero(~out)
        if not len(rest) or values * p[rest].min() > level:
            adjusted = np.minimum(1.0, p * values)
            adjusted[rest] = holm(p[rest].tolist(), values)
            return PeerComparison(expected, p, adjusted)
        out[rest[p[rest].argmin()]] = True


def _against_the_rest(
    rounds: Counts, wrong: Counts, out: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return each value's expectation and the chance of this many or more, against all values at the floor's rates and itself.

    Their wrong rounds are distributed by each value's share of the rounds of each game.
    """
    besides = out[:, np.newaxis]
    all_rounds = rounds[~out].sum(axis=0) + rounds * besides
    all_wrong = wrong[~out].sum(axis=0) + wrong * besides
    expected = (all_wrong * rounds / np.maximum(all_rounds, 1)).sum(axis=1)
    counts = list(zip(wrong.sum(axis=1).tolist(), all_wrong.sum(axis=1).tolist(), expected.tolist(), strict=True))
    tails = {alike: _tail(*alike) for alike in set(counts)}
    return expected, np.array([tails[alike] for alike in counts], dtype=np.float64)


def _tail(mine: int, total: int, expected: float) -> float:
    return binomial_at_least(mine, total, min(1.0, expected / total)) if total and expected else 1.0
