"""How far luck takes a sum of wagers from its expectation: bands and p-values, with heavy tails and shared hands.

Invariant: a p-value is never smaller than can be proved. Nearly normal sums are treated as normal. The distribution of all others
is computed whole from the exact ends of the wager (the power of its Fourier transform); beyond its precision, a bound that always
holds (Chernoff) is returned.

Stakes differ and seats share hands; both enter as sums of powers and the largest stake. Wagers of u_1, u_2, … units that end
independently are bounded by two computable cases: fewer wagers of the largest stake with the same variance, so that one rare hit
on the largest stake is never taken for several, and many small wagers, which are normal. The heavier tail of the two is used, on
each side separately: if one is long, the other is short (D420). No sum is less likely than all those wagers ending best, or
worst.
"""

from functools import lru_cache
from math import ceil, exp, inf, isclose, log, log2, sqrt

import msgspec
import numpy as np
import numpy.typing as npt

from analytics.statistics.exact import NORMAL, normal_both_sides
from analytics.theory.expectation import Expected

NEARLY_NORMAL = 0.05
"""A sum less skew than this is taken as normal."""

PRECISE = 1e-8
"""The smallest probability that the transform can distinguish from 0."""

MOST_CELLS = 1 << 22

NOTHING = log(1e-30)
"""The logarithm of a negligible term: even `MOST_CELLS` of them do not change a sum near 1 in double precision."""

Z_95, Z_997 = NORMAL.inv_cdf(0.975), NORMAL.inv_cdf(0.9985)


class Volume(msgspec.Struct, frozen=True, kw_only=True):
    """The wagers of a sum: total units, the sums of their squares and third powers, and the largest, by what ends together."""

    units: float
    sum_2: float
    sum_3: float
    largest: float


class Band(msgspec.Struct, frozen=True, kw_only=True):
    """The expected range of the house win in units of the volume, and the probability of a win outside it.

    `p_low` is the probability of this win or less, `p_high` of this win or more, `p_both` of this distance on either side.
    `method` is "normal" or "exact".
    """

    expected: float
    std_dev: float
    low_95: float
    high_95: float
    low_997: float
    high_997: float
    z: float
    p_low: float
    p_high: float
    p_both: float
    method: str


def skewness_of(expected: Expected, volume: Volume) -> float:
    """Return the skewness of the house win of a volume of one wager."""
    return float(expected.skewness * volume.sum_3 / volume.sum_2**1.5)


def band(expected: Expected, volume: Volume, win: float) -> Band:
    """Return the band of a volume of one wager, and the position of a win in it. Raises `ValueError` for an empty volume."""
    if volume.sum_2 <= 0:
        raise ValueError("no volume: nothing was wagered")
    mean, std_dev = expected.edge * volume.units, sqrt(expected.variance * volume.sum_2)
    off = win - mean
    z = off / std_dev
    normal = Band(
        expected=mean,
        std_dev=std_dev,
        z=z,
        p_low=NORMAL.cdf(z),
        p_high=NORMAL.cdf(-z),
        p_both=normal_both_sides(z),
        low_95=mean - Z_95 * std_dev,
        high_95=mean + Z_95 * std_dev,
        low_997=mean - Z_997 * std_dev,
        high_997=mean + Z_997 * std_dev,
        method="normal",
    )
    if abs(skewness_of(expected, volume)) < NEARLY_NORMAL:
        return normal
    wagers = max(1, int(volume.sum_2 / volume.largest**2 + 1e-9))
    stake = sqrt(volume.sum_2 / wagers)
    sums = _sums(expected.ends, expected.step, wagers)
    low_95, high_95, low_997, high_997 = (mean + stake * sums.quantile(share) for share in (0.025, 0.975, 0.0015, 0.9985))
    p_low, p_high = (
        max(_tail(sums, expected.ends, wagers, side * off / stake, side), _farthest(expected, wagers, volume, off, side))
        for side in (-1, 1)
    )
    exact = Band(
        expected=mean,
        std_dev=std_dev,
        z=z,
        p_low=p_low,
        p_high=p_high,
        p_both=min(1.0, 2 * min(p_low, p_high)),
        low_95=low_95,
        high_95=high_95,
        low_997=low_997,
        high_997=high_997,
        method="exact",
    )
    alike = isclose(stake, volume.largest) and isclose(volume.units, wagers * volume.largest)
    return exact if alike else _wider(exact, normal)


def _wider(band: Band, other: Band) -> Band:
    """Return the wider of two bands and the larger p-value, on each side separately."""
    p_low, p_high = max(band.p_low, other.p_low), max(band.p_high, other.p_high)
    return msgspec.structs.replace(
        band,
        p_low=p_low,
        p_high=p_high,
        p_both=min(1.0, 2 * min(p_low, p_high)),
        low_95=min(band.low_95, other.low_95),
        high_95=max(band.high_95, other.high_95),
        low_997=min(band.low_997, other.low_997),
        high_997=max(band.high_997, other.high_997),
    )


Ends = tuple[tuple[float, float], ...]


class _Sums(msgspec.Struct, frozen=True):
    """The distribution of a sum less its mean: equally spaced values, and the probability of each value or less."""

    first: float
    step: float
    at_most: npt.NDArray[np.float64]

    def quantile(self, share: float) -> float:
        return self.first + self.step * int(np.searchsorted(self.at_most, share))

    def below(self, value: float) -> float:
        """Return the probability of the value or less; between two steps, of the lower step."""
        place = int(np.floor((value - self.first) / self.step + 1e-6))
        return 0.0 if place < 0 else float(self.at_most[min(place, len(self.at_most) - 1)])

    def above(self, value: float) -> float:
        """Probability of the value or more."""
        place = int(np.ceil((value - self.first) / self.step - 1e-6)) - 1
        return 1.0 if place < 0 else float(1 - self.at_most[min(place, len(self.at_most) - 1)])


@lru_cache(maxsize=64)
def _sums(ends: Ends, step: float, wagers: int) -> _Sums:
    """Return the distribution of the sum of this many wagers of one unit, in a window that omits only negligible sums."""
    shares = np.array([share for share, _ in ends])
    wins = np.array([win for _, win in ends])
    mean = float(shares @ wins)
    spread = sqrt(wagers * float(shares @ (wins - mean) ** 2))
    whole = wagers * (wins[-1] - wins[0]) / step + 1
    window = min(whole, 2 * (14 * spread + 4 * float(np.abs(wins - mean).max())) / step)
    cells = min(MOST_CELLS, 1 << max(4, ceil(log2(window + 1))))
    once, size = _once(ends, step, cells)
    # Of many wagers few frequencies are left; what is nothing even when all cells are added up is not raised to a power.
    left = wagers * size > NOTHING
    raised = np.zeros_like(once)
    raised[left] = once[left] ** wagers
    sums = np.clip(np.fft.irfft(raised, cells), 0, None)
    # Cell k holds the sums wagers × wins[0] + (k + any multiple of cells) × step: begin where the window does.
    lowest = wagers * float(wins[0])
    begins = 0 if whole <= cells else round((wagers * mean - lowest) / step) - cells // 2
    ordered = np.roll(sums, -(begins % cells))
    return _Sums(lowest + begins * step - wagers * mean, step, np.cumsum(ordered / ordered.sum()))


@lru_cache(maxsize=8)
def _once(ends: Ends, step: float, cells: int) -> tuple[npt.NDArray[np.complex128], npt.NDArray[np.float64]]:
    """Return one wager's Fourier transform on this many cells, and the logarithm of its absolute values."""
    shares = np.array([share for share, _ in ends])
    wins = np.array([win for _, win in ends])
    counted = np.zeros(cells)
    np.add.at(counted, np.rint((wins - wins[0]) / step).astype(np.int64) % cells, shares / shares.sum())
    once = np.fft.rfft(counted)
    return once, np.log(np.maximum(np.abs(once), 1e-300))


def _tail(sums: _Sums, ends: Ends, wagers: int, distance: float, side: int) -> float:
    """Return the probability of a sum this far off or farther, above (1) or below (-1); `distance` is on that side."""
    p = sums.above(distance) if side > 0 else sums.below(-distance)
    return p if p > PRECISE else max(min(PRECISE, chernoff(ends, wagers, distance, side)), 1e-300)


def _farthest(expected: Expected, wagers: int, volume: Volume, distance: float, side: int) -> float:
    """Return the probability that all wagers end best (side 1) or worst for the house; 0 if even that does not give the win."""
    share, win = expected.ends[-1 if side > 0 else 0]
    possible = side * distance <= side * (win - expected.edge) * volume.units + 1e-6
    return float(share**wagers) if possible else 0.0


def chernoff(ends: Ends, wagers: int, distance: float, side: int) -> float:
    """Return a bound, always valid, on the probability that a sum is `distance` or more from its mean on a side.

    >>> fair = ((0.5, -1.0), (0.5, 1.0))
    >>> round(chernoff(fair, 10, 10.0, 1), 6), round(chernoff(fair, 10, 0.0, 1), 6)  # 2 ** -10
    (0.000977, 1.0)
    """
    mean = sum(share * win for share, win in ends)
    shifted = [(share, side * (win - mean)) for share, win in ends]
    if distance <= 0:
        return 1.0
    if distance > wagers * max(win for _, win in shifted) * (1 + 1e-9):
        return 0.0

    def exponent(tilt: float) -> float:
        top = max(tilt * win for _, win in shifted)
        return wagers * (top + log(sum(share * exp(tilt * win - top) for share, win in shifted))) - tilt * distance

    low, high = 0.0, 1.0
    while exponent(high * 2) < exponent(high) and high < 1e6:
        high *= 2
    high *= 2
    for _ in range(200):
        third = (high - low) / 3
        if exponent(low + third) < exponent(high - third):
            high -= third
        else:
            low += third
    least = exponent((low + high) / 2)
    return 1.0 if least == inf else min(1.0, exp(least))
