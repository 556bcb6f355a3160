"""Periods in which win ÷ drop moved enough to need a written investigation, with their figures.

Invariant: two triggers, each by itself (D230). *Outside the band*: hold % of the period lies outside the 95 % band against the
prior period, computed from the variation of table days. *Three points*: hold % changed by more than three percentage points,
whatever the volume; at small volume that is mostly luck, and the figures show it. Counts are per box: by table, game or property,
never by dealer or wager (D27).
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any, Final

import polars as pl

from analytics.hold.periods import PER_BOX, PERIODS
from analytics.statistics.exact import student_both_sides, student_quantile
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import EVERYTHING, WHERE_PER_BOX, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse
from desk.review.desk import Desk

POINTS: Final = 3
"""A change of hold % by more percentage points than this is a trigger."""

LEVEL: Final = 0.05
TRIGGERS: Final = {
    "outside_band": "win ÷ drop lies outside its 95 % band against the prior period",
    "three_points": f"hold % changed by more than {POINTS} points",
}
"""The reasons for a written investigation."""

_SCHEMA: Final = schema_of(
    "period DATE, last_day DATE, ended BOOLEAN, prior_period DATE, table_days BIGINT, drop_cents BIGINT, win_cents BIGINT, "
    "prior_table_days BIGINT, prior_drop_cents BIGINT, prior_win_cents BIGINT, hold_percent DOUBLE, prior_hold_percent DOUBLE, "
    "change_points DOUBLE, low_95_percent DOUBLE, high_95_percent DOUBLE, p DOUBLE, triggers VARCHAR[], sentence VARCHAR"
)


def written_investigations(
    db: Warehouse, by: str = "table", period: str = "month", selection: Selection = EVERYTHING
) -> pl.DataFrame:
    """Return each period next to the one before, a row for each value and period, newest first.

    Columns: the value, `period` and `prior_period` (first days), `last_day` (the newest counted), `ended` (a later period has
    begun), table days, drop and win of both (`prior_…`; only table days with every count), `hold_percent`, `prior_hold_percent`,
    `change_points`, the band `low_95_percent` to `high_95_percent` and `p` (None if a period has fewer than two counted table
    days), `triggers` (none, one or both of `TRIGGERS`) and `sentence`. The first period has no prior period and is left out. On
    an honest floor, one row in twenty is outside its band.
    """
    columns = columns_of(by, PER_BOX)
    if period not in PERIODS or period == "all":
        raise ValueError(f"{period!r} is no period to compare; expected one of {', '.join(p for p in PERIODS if p != 'all')}")
    counted = counted_periods(db, columns, PERIODS[period], selection)
    rows, before = [], None
    for row in counted.iter_rows(named=True):
        key = {column: row[column] for column in columns}
        if before is not None and all(before[column] == row[column] for column in columns):
            rows.append(key | _held_against(row, before))
        before = row
    schema: dict[str, Any] = {**dict.fromkeys(columns, pl.String), **_SCHEMA}
    return pl.DataFrame(rows, schema=schema).sort(["period", *columns], descending=[True, *(False for _ in columns)])


def counted_periods(db: Warehouse, columns: Sequence[str], period: str, selection: Selection, **values: Any) -> pl.DataFrame:
    """Return the counted table days by `columns` and a period, which an expression gives by its first day.

    Columns: `columns`, `period`, `last_day`, `ended`, `table_days`, `drop_cents`, `win_cents`, and the sums of squares and
    products over table days `d2`, `w2`, `dw` (d drop, w win). `values` are parameters that the expression names.
    """
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        WITH counted AS (
            SELECT {named}{period} AS period, gaming_day, sum(drop_cents)::BIGINT AS d, sum(win_cents)::BIGINT AS w
            FROM mart_hold_table_day
            WHERE win_cents IS NOT NULL AND {WHERE_PER_BOX}
            GROUP BY {named}stream, gaming_day
        )

        SELECT
            {named}period,
            max(gaming_day) AS last_day,
            period < max(max(period)) OVER () AS ended,
            count(*) AS table_days,
            sum(d)::BIGINT AS drop_cents,
            sum(w)::BIGINT AS win_cents,
            sum(d::DOUBLE * d) AS d2,
            sum(w::DOUBLE * w) AS w2,
            sum(d::DOUBLE * w) AS dw
        FROM counted
        GROUP BY {named}period
        HAVING sum(d) > 0
        ORDER BY {named}period
        """,
        selection,
        **values,
    )


def _held_against(row: Mapping[str, Any], prior: Mapping[str, Any]) -> dict[str, Any]:
    hold, prior_hold = (100 * each["win_cents"] / each["drop_cents"] for each in (row, prior))
    band = hold_band(row, prior)
    low, high, p = band if band is not None else (None, None, None)
    triggers = []
    if low is not None and high is not None and not low <= hold <= high:
        triggers.append("outside_band")
    if more_than_points(row["win_cents"], row["drop_cents"], prior["win_cents"], prior["drop_cents"]):
        triggers.append("three_points")
    return {
        "period": row["period"],
        "last_day": row["last_day"],
        "ended": row["ended"],
        "prior_period": prior["period"],
        "table_days": row["table_days"],
        "drop_cents": row["drop_cents"],
        "win_cents": row["win_cents"],
        "prior_table_days": prior["table_days"],
        "prior_drop_cents": prior["drop_cents"],
        "prior_win_cents": prior["win_cents"],
        "hold_percent": hold,
        "prior_hold_percent": prior_hold,
        "change_points": hold - prior_hold,
        "low_95_percent": low,
        "high_95_percent": high,
        "p": p,
        "triggers": triggers,
        "sentence": _sentence(hold, prior_hold, band, triggers),
    }


def more_than_points(win: int, drop: int, prior_win: int, prior_drop: int) -> bool:
    """Return whether hold % changed by more than three points, computed in whole cents.

    >>> more_than_points(2300, 10000, 2000, 10000), more_than_points(2301, 10000, 2000, 10000)
    (False, True)
    """
    return abs(win * prior_drop - prior_win * drop) * 100 > POINTS * drop * prior_drop


def hold_band(row: Mapping[str, Any], prior: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """Return the 95 % band around the prior hold % and Welch's p-value, from `counted_periods`; None without a spread."""
    if min(row["table_days"], prior["table_days"]) < 2:
        return None
    variances = [_variance(each) for each in (row, prior)]
    spread = sqrt(sum(variances))
    if spread == 0:
        return None
    freedom = sum(variances) ** 2 / sum(v**2 / (each["table_days"] - 1) for v, each in zip(variances, (row, prior), strict=True))
    prior_hold = prior["win_cents"] / prior["drop_cents"]
    wide = _quantile(round(freedom, 1)) * spread
    p = student_both_sides((row["win_cents"] / row["drop_cents"] - prior_hold) / spread, freedom)
    return 100 * (prior_hold - wide), 100 * (prior_hold + wide), p


@lru_cache(maxsize=4096)
def _quantile(freedom: float) -> float:
    return student_quantile(LEVEL, freedom)


def _variance(row: Mapping[str, Any]) -> float:
    """Return the variance of win ÷ drop as a ratio of sums over table days."""
    n, ratio = row["table_days"], row["win_cents"] / row["drop_cents"]
    squares: float = row["w2"] - 2 * ratio * row["dw"] + ratio**2 * row["d2"]
    spread: float = n / (n - 1) * max(0.0, squares) / float(row["drop_cents"]) ** 2
    return spread


def _sentence(hold: float, prior: float, band: tuple[float, float, float] | None, triggers: list[str]) -> str:
    moved = f"hold {hold:.1f} % after {prior:.1f} %"
    if band is None:
        luck = "too few table days to tell how much of that is luck"
    elif "outside_band" in triggers:
        luck = f"the probability of so much or more, as table days vary, is {band[2]:.2g}"
    else:
        luck = f"within the 95 % band of {band[0]:.1f} to {band[1]:.1f} % (p = {band[2]:.2g})"
    request = f"; investigate in writing: {', '.join(triggers).replace('_', ' ')}" if triggers else ""
    return f"{moved}: {luck}{request}"


def open_investigations(desk: Desk, asked: pl.DataFrame, period: str, by: str) -> Iterator[str]:
    """Open and report an investigation for each row without one; a repeat opens no more."""
    for row in asked.iter_rows(named=True):
        table, name = row["table_id"], f"hold-{period.replace('_', '-')}-{row['period']}"
        if name in desk.review(table).investigations:
            yield f"{table}: {name} is already open"
            continue
        entry = desk.open_investigation(table, **investigation_fields(row, name, by))
        yield f"{table}: event {entry.seq} of review/{table} opens {name}"


def investigation_fields(row: dict[str, Any], name: str, by: str) -> dict[str, Any]:
    """Return a row of `written_investigations` as the fields of the event that opens the investigation."""
    return {
        "band_high_bp": _hundredths(row["high_95_percent"]),
        "band_low_bp": _hundredths(row["low_95_percent"]),
        "by": by,
        "drop_cents": row["drop_cents"],
        "first_day": str(row["period"]),
        "investigation": name,
        "last_day": str(row["last_day"]),
        "prior_drop_cents": row["prior_drop_cents"],
        "prior_first_day": str(row["prior_period"]),
        "prior_table_days": row["prior_table_days"],
        "prior_win_cents": row["prior_win_cents"],
        "reason": row["sentence"],
        "table_days": row["table_days"],
        "triggers": list(row["triggers"]),
        "win_cents": row["win_cents"],
    }


def _hundredths(percent: float | None) -> int | None:
    return None if percent is None else round(100 * percent)
