"""House win against theory over many values or many days: a funnel, a running sum, a moving average.

Invariant: one wager of one game at a time (the game's required one, unless another is named); every point is measured in its own
standard deviations, with allowance for seats that share the dealer's hand. These charts show where to look; `against_theory`
decides what is an alarm, corrected for the number of tests.
"""

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Any, Final

import polars as pl

from analytics.hold.against_theory import Compared, compare
from analytics.hold.luck import Z_95, Z_997
from analytics.statistics.exact import NORMAL, normal_both_sides
from analytics.statistics.multiplicity import holm
from analytics.theory.catalogue import theory_wagers
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import COLUMNS, EVERYTHING, Selection
from analytics.warehouse.warehouse import Warehouse

BY_FUNNEL: Final = ("dealer", "table", "shift", "hour", "gaming_day", "dealer_table", "month")
BY_TIME: Final = ("gaming_day", "month")

LEAST_FOR_DISPERSION: Final = 10
"""Points needed to calculate their variation beyond luck."""
WINSORISED: Final = 0.1
"""The share of points at each end that is pulled in before the over-dispersion is reckoned (Spiegelhalter 2005)."""

SLACK, DECISION = 0.5, 5.0
"""CUSUM: a drift of one standard deviation a day is found; an honest day crosses about once in 930 (one side)."""
WEIGHT, WIDTH = 0.2, 3.0
"""EWMA: the newest day's share, and the limits in standard deviations."""


def funnel(db: Warehouse, by: str = "dealer", selection: Selection = EVERYTHING, wager: str | None = None) -> pl.DataFrame:
    """Return a funnel of house win %: a point for each value and game.

    It compares a wager's house win % with the floor's own, with limits that narrow with volume.

    The middle is the whole floor's win on the same wagers, so that the skill of patrons puts no one outside the limits; the
    limits allow for the point's own share in the middle. `dispersion` is the variance of the points relative to luck (1 if there
    are fewer than ten); its root widens the limits. Columns: the value, `game`, `wager`, `rounds`, `unit_cents`,
    `house_win_cents`, `expected_cents`, `win_percent`, `middle_percent`, `z`, `dispersion`, `low_95_percent` … `high_997_percent`
    (of the units), `p` (of so little or less), `p_adjusted` (Holm over the points), `place` (`within`, `below_95`, `below_997`,
    `above_95`, `above_997`). Lowest z first.
    """
    points = _points(db, by, selection, wager)
    rows = []
    for game in sorted({point["game"] for point in points}):
        rows += _funnel_of([point for point in points if point["game"] == game])
    if not rows:
        return pl.DataFrame(schema={**dict.fromkeys((*COLUMNS[by], "game", "wager"), pl.String), **_FUNNEL})
    adjusted = holm([row["p"] for row in rows])
    named = [row | {"p_adjusted": p} for row, p in zip(rows, adjusted, strict=True)]
    return pl.DataFrame(named, infer_schema_length=None).sort("z")


_FUNNEL: Final = schema_of(
    "rounds BIGINT, unit_cents BIGINT, house_win_cents BIGINT, expected_cents BIGINT, win_percent DOUBLE, "
    "middle_percent DOUBLE, z DOUBLE, dispersion DOUBLE, low_95_percent DOUBLE, high_95_percent DOUBLE, low_997_percent DOUBLE, "
    "high_997_percent DOUBLE, p DOUBLE, place VARCHAR, p_adjusted DOUBLE"
)


def _points(db: Warehouse, by: str, selection: Selection, wager: str | None) -> list[dict[str, Any]]:
    """Return values with their results on a wager, its paytables together: units, win, theory and variance in cents."""
    points: dict[tuple[Any, ...], dict[str, Any]] = {}
    for compared in _of_wager(compare(db, by, selection, bands=False), wager):
        assert compared.expected is not None
        key = tuple(compared.key[column] for column in COLUMNS[by])
        point = points.setdefault(
            (*key, compared.key["game"]),
            {
                **dict(zip(COLUMNS[by], key, strict=True)),
                "game": compared.key["game"],
                "wager": compared.key["wager"],
                "rounds": 0,
                "unit_cents": 0,
                "house_win_cents": 0,
                "theory": 0.0,
                "variance": 0.0,
            },
        )
        point["rounds"] += compared.rounds
        point["unit_cents"] += compared.unit_cents
        point["house_win_cents"] += compared.house_win_cents
        point["theory"] += compared.expected.edge * compared.unit_cents
        point["variance"] += compared.variance_cents
    return list(points.values())


def _of_wager(compared: Iterable[Compared], wager: str | None) -> list[Compared]:
    wanted = theory_wagers() if wager is None else (wager,)
    return [each for each in compared if each.expected is not None and each.key["wager"] in wanted]


def _funnel_of(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    units = sum(point["unit_cents"] for point in points)
    off = (sum(point["house_win_cents"] for point in points) - sum(point["theory"] for point in points)) / units
    of_all = sum(point["variance"] for point in points)
    for point in points:
        point["expected"] = point["theory"] + off * point["unit_cents"]
        point["variance"] = _from_the_middle(point["variance"], of_all, point["unit_cents"] / units)
        point["z"] = (point["house_win_cents"] - point["expected"]) / sqrt(point["variance"]) if point["variance"] else 0.0
    spread = dispersion([point["z"] for point in points])
    return [_funnel_row(point, spread) for point in points]


def _from_the_middle(variance: float, of_all: float, share: float) -> float:
    """Return the variance of a point's distance from a middle that includes the point.

    The middle moves with the point, so the distance varies less: with two equal points by half as much. A single point is the
    middle.

    >>> _from_the_middle(8.0, 16.0, 0.5), _from_the_middle(8.0, 8.0, 1.0), _from_the_middle(80.0, 100.0, 0.8)
    (4.0, 0.0, 16.0)
    """
    others = max(of_all - variance, 0.0)
    within = variance * (1 - share) ** 2 + others * share**2
    return within if within > 1e-9 * variance else 0.0


def dispersion(z: Sequence[float]) -> float:
    """Return the variance of the points relative to luck, at least 1: the mean square of z with its ends pulled in.

    >>> dispersion([-2.0, 2.0] * 10), dispersion([0.1] * 20), dispersion([9.0] * 3)
    (4.0, 1.0, 1.0)
    """
    if len(z) < LEAST_FOR_DISPERSION:
        return 1.0
    ordered, cut = sorted(z), int(len(z) * WINSORISED)
    low, high = ordered[cut], ordered[len(z) - 1 - cut]
    return max(1.0, sum(min(max(each, low), high) ** 2 for each in ordered) / len(z))


def _funnel_row(point: dict[str, Any], spread: float) -> dict[str, Any]:
    std_dev, units = sqrt(spread * point["variance"]), point["unit_cents"]
    middle, z = point["expected"], point["z"] / sqrt(spread)
    beyond = "997" if abs(z) > Z_997 else "95"
    place = "within" if abs(z) <= Z_95 else f"{'below' if z < 0 else 'above'}_{beyond}"
    shown = {name: value for name, value in point.items() if name not in ("theory", "variance", "expected", "z")}
    return shown | {
        "expected_cents": round(middle),
        "win_percent": 100 * point["house_win_cents"] / units,
        "middle_percent": 100 * middle / units,
        "z": z,
        "dispersion": spread,
        "low_95_percent": 100 * (middle - Z_95 * std_dev) / units,
        "high_95_percent": 100 * (middle + Z_95 * std_dev) / units,
        "low_997_percent": 100 * (middle - Z_997 * std_dev) / units,
        "high_997_percent": 100 * (middle + Z_997 * std_dev) / units,
        "p": NORMAL.cdf(z),
        "place": place,
    }


def over_time(db: Warehouse, by: str = "gaming_day", selection: Selection = EVERYTHING, wager: str | None = None) -> pl.DataFrame:
    """Return the days (or months) of a wager in order, with two charts that reveal a small lasting change.

    Each day has z: house win less theory in standard deviations, over all games with the wager. Columns: the day, `rounds`,
    `unit_cents`, `house_win_cents`, `expected_cents`, `z`; `cusum_low` and `cusum_high` (tabular CUSUM, slack 0.5, never below 0)
    with `cusum_signal` (`low` or `high` beyond 5, else empty); `ewma` (weight 0.2) with its limits `ewma_low` and `ewma_high`
    (three standard deviations of it) and `ewma_signal`; `p` of the day alone; `alarm`: a signal needs review: `low` always,
    `high` only if patrons decide nothing (otherwise imperfect play explains it). With a `wager`, z is the normal score of the
    day's exact p-value, so that uneven payouts raise no false signal (D604).
    """
    (column,) = COLUMNS[by]
    decided, scores = _decided_and_scores(db, by, selection, wager)
    days: dict[Any, dict[str, Any]] = {}
    for point in _points(db, by, selection, wager):
        day = days.setdefault(point[column], {"rounds": 0, "unit_cents": 0, "house_win_cents": 0, "theory": 0.0, "variance": 0.0})
        for name in day:
            day[name] += point[name]
    low = high = ewma = 0.0
    rows = []
    for at, (value, day) in enumerate(sorted(days.items()), start=1):
        z = scores[value] if wager else (day["house_win_cents"] - day["theory"]) / sqrt(day["variance"])
        low, high = max(0.0, low - z - SLACK), max(0.0, high + z - SLACK)
        ewma = WEIGHT * z + (1 - WEIGHT) * ewma
        limit = WIDTH * sqrt(WEIGHT / (2 - WEIGHT) * (1 - (1 - WEIGHT) ** (2 * at)))
        rows.append(
            {
                column: value,
                "rounds": day["rounds"],
                "unit_cents": day["unit_cents"],
                "house_win_cents": day["house_win_cents"],
                "expected_cents": round(day["theory"]),
                "z": z,
                "cusum_low": low,
                "cusum_high": high,
                "cusum_signal": _signal(low > DECISION, high > DECISION),
                "ewma": ewma,
                "ewma_low": -limit,
                "ewma_high": limit,
                "ewma_signal": _signal(ewma < -limit, ewma > limit),
                "p": normal_both_sides(z),
                "alarm": low > DECISION or ewma < -limit or (not decided and (high > DECISION or ewma > limit)),
            }
        )
    return pl.DataFrame(rows, schema={column: pl.Date, **_OVER_TIME})


_OVER_TIME: Final = schema_of(
    "rounds BIGINT, unit_cents BIGINT, house_win_cents BIGINT, expected_cents BIGINT, z DOUBLE, cusum_low DOUBLE, "
    "cusum_high DOUBLE, cusum_signal VARCHAR, ewma DOUBLE, ewma_low DOUBLE, ewma_high DOUBLE, ewma_signal VARCHAR, p DOUBLE, "
    "alarm BOOLEAN"
)


def _decided_and_scores(db: Warehouse, by: str, selection: Selection, wager: str | None) -> tuple[bool, dict[Any, float]]:
    """Return whether patrons decide on a wager, and its normal score by day, over its games and paytables (Stouffer)."""
    if wager is None:
        return True, {}
    (column,) = COLUMNS[by]
    compared = _of_wager(compare(db, by, selection), wager)
    days: dict[Any, list[float]] = {}
    for each in compared:
        days.setdefault(each.key[column], []).append(_normal_score(each))
    decided = any(each.expected is not None and each.expected.decided for each in compared)
    return decided, {day: sum(scores) / sqrt(len(scores)) for day, scores in days.items()}


def _normal_score(compared: Compared) -> float:
    """Return the normal score of a win: that of a normal sum equally unlikely, on the side of the deviation."""
    assert compared.band is not None
    low, high = max(compared.band.p_low, 1e-300), max(compared.band.p_high, 1e-300)
    return min(0.0, NORMAL.inv_cdf(low)) if low < min(high, 0.5) else max(0.0, -NORMAL.inv_cdf(min(high, 0.5)))


def _signal(low: bool, high: bool) -> str:
    return "low" if low else "high" if high else ""
