"""Changes since the period before: hold % and house win, and whether luck explains each.

Invariant (D605): two periods of one selection, the second right after the first and as long. Hold % is compared by the variance
of table days (Welch); the house win of a wager by the exact variance of its paytable, if both sums are nearly normal. Neither
uses theory's mean, so constant habits of patrons do not count as a change. P-values are corrected for the number of rows (Holm).
"""

from collections.abc import Sequence
from datetime import date, timedelta
from math import sqrt
from typing import Any, Final

import msgspec
import polars as pl

from analytics.hold.against_theory import ALARM_LEVEL, BY, Compared, compare
from analytics.hold.investigations import counted_periods, hold_band
from analytics.hold.luck import NEARLY_NORMAL, Z_95
from analytics.hold.periods import PER_BOX
from analytics.statistics.exact import normal_both_sides
from analytics.statistics.multiplicity import holm
from analytics.warehouse.selection import Selection, columns_of
from analytics.warehouse.warehouse import Warehouse

BY_CHANGE: Final = tuple(name for name in BY if name not in ("gaming_day", "month"))
_DAY: Final = timedelta(days=1)


def days_before(first: date, last: date) -> tuple[date, date]:
    """Return the first and last day of the period before: as many whole months if these are whole months, else as many days.

    >>> days_before(date(2026, 3, 1), date(2026, 3, 31)) == (date(2026, 2, 1), date(2026, 2, 28))
    True
    >>> days_before(date(2026, 3, 3), date(2026, 3, 4)) == (date(2026, 3, 1), date(2026, 3, 2))
    True
    """
    if first > last:
        raise ValueError(f"a period ends on its first day or later: {first} to {last}")
    if first.day == 1 and (last + _DAY).day == 1:
        months = (last.year - first.year) * 12 + last.month - first.month + 1
        years, month = divmod(first.year * 12 + first.month - 1 - months, 12)
        return date(years, month + 1, 1), first - _DAY
    return first - (last - first) - _DAY, first - _DAY


def period_before(selection: Selection) -> Selection:
    """Return the same part of the floor in the period before. Raises `ValueError` without a first and a last day."""
    if selection.first is None or selection.last is None:
        raise ValueError("a comparison with the period before needs the first and the last gaming day")
    first, last = days_before(selection.first, selection.last)
    return msgspec.structs.replace(selection, first=first, last=last)


def whole_months(selection: Selection) -> Selection:
    """Return a selection's whole months, so that two periods share none (D609). Raises `ValueError` without two days."""
    if selection.first is None or selection.last is None:
        raise ValueError("whole months need the first and the last gaming day")
    last = selection.last
    following = date(last.year + last.month // 12, last.month % 12 + 1, 1)
    return msgspec.structs.replace(selection, first=selection.first.replace(day=1), last=following - _DAY)


def hold_changes(db: Warehouse, by: str, selection: Selection) -> pl.DataFrame:
    """Return drop, win and hold % of a period next to the period before, a row for each property, game or table.

    Columns: the value, `table_days`, `drop_cents`, `win_cents`, `hold_percent`, the same for the period before (`prior_…`; None
    without counts), `change_points`, `low_95_percent` and `high_95_percent` (the band around the prior hold %), `p`, `p_adjusted`
    and `verdict` (`alarm`, `outside_95`, `within`, `cannot_tell`). Changes least explained by luck come first. Raises
    `ValueError` for a dealer, shift, wager or hour (D27), and without a first and last day.
    """
    columns = columns_of(by, PER_BOX)
    before = period_before(selection)
    both = msgspec.structs.replace(selection, first=before.first)
    period = "CASE WHEN gaming_day < $from_day::DATE THEN $before_day::DATE ELSE $from_day::DATE END"
    counted = counted_periods(db, columns, period, both, from_day=selection.first, before_day=before.first)
    rows: list[dict[str, Any]] = []
    for key, now, prior in _pairs(counted, columns, selection.first):
        band = hold_band(now, prior) if prior else None
        hold, prior_hold = (100 * each["win_cents"] / each["drop_cents"] if each else None for each in (now, prior))
        rows.append(
            key
            | {name: now[name] for name in _COUNTED}
            | {"hold_percent": hold}
            | {f"prior_{name}": prior[name] if prior else None for name in _COUNTED}
            | {
                "prior_hold_percent": prior_hold,
                "change_points": None if hold is None or prior_hold is None else hold - prior_hold,
                "low_95_percent": band[0] if band else None,
                "high_95_percent": band[1] if band else None,
                "p": band[2] if band else None,
            }
        )
    schema = {
        **dict.fromkeys(columns, pl.String),
        **dict.fromkeys(_COUNTED, pl.Int64),
        "hold_percent": pl.Float64,
        **dict.fromkeys([f"prior_{name}" for name in _COUNTED], pl.Int64),
        **dict.fromkeys(("prior_hold_percent", "change_points", "low_95_percent", "high_95_percent", "p"), pl.Float64),
    }
    return judged(pl.DataFrame(rows, schema=schema), columns)


_COUNTED: Final = ("table_days", "drop_cents", "win_cents")


def _pairs(
    counted: pl.DataFrame, columns: Sequence[str], first: date | None
) -> list[tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]]:
    """Return each value's row in this period and its row in the period before, or None."""
    rows = {(*(row[column] for column in columns), row["period"] == first): row for row in counted.iter_rows(named=True)}
    return [
        ({column: row[column] for column in columns}, row, rows.get((*key, False))) for (*key, now), row in rows.items() if now
    ]


def house_win_changes(db: Warehouse, by: str, selection: Selection) -> pl.DataFrame:
    """Return the house win of each wager next to the period before, a row for each value, game, wager and paytable in both.

    Columns: the value, `game`, `wager`, `paytable`, `rounds`, `unit_cents`, `house_win_cents`, `house_win_percent` (of units),
    the same for the period before (`prior_…`), `change_points`, `low_95_points` and `high_95_points` (the range of luck), `p`,
    `p_adjusted` and `verdict`. The last five are None, and the verdict is `cannot_tell`, if one of the sums is too skewed for a
    normal approximation (skewness 0.05 or more): compare such a wager with theory in each period.
    """
    columns = list(columns_of(by, BY_CHANGE))
    now, prior = (
        {tuple(each.key.values()): each for each in compare(db, by, part, bands=False) if each.expected is not None}
        for part in (selection, period_before(selection))
    )
    rows = [_win_row(each, prior[key]) for key, each in now.items() if key in prior]
    named = dict.fromkeys(("rounds", "unit_cents", "house_win_cents"), pl.Int64)
    points = ("change_points", "low_95_points", "high_95_points", "p")
    schema: dict[str, Any] = {
        **{column: pl.Int64 if column == "hour" else pl.String for column in columns},
        **dict.fromkeys(("game", "chapter", "wager", "paytable"), pl.String),
        **named,
        "house_win_percent": pl.Float64,
        **{f"prior_{name}": kind for name, kind in named.items()},
        "prior_house_win_percent": pl.Float64,
        **dict.fromkeys(points, pl.Float64),
    }
    return judged(pl.DataFrame(rows, schema=schema), [*columns, "game", "wager", "paytable"])


def _win_row(now: Compared, prior: Compared) -> dict[str, Any]:
    row: dict[str, Any] = dict(now.key)
    for prefix, each in (("", now), ("prior_", prior)):
        row |= {f"{prefix}{name}": getattr(each, name) for name in ("rounds", "unit_cents", "house_win_cents")}
        row[f"{prefix}house_win_percent"] = 100 * each.house_win_cents / each.unit_cents
    change = row["house_win_percent"] - row["prior_house_win_percent"]
    row["change_points"] = change
    if max(abs(now.skewness), abs(prior.skewness)) >= NEARLY_NORMAL:
        return row | dict.fromkeys(("low_95_points", "high_95_points", "p"))
    std_dev = 100 * sqrt(sum(each.variance_cents / each.unit_cents**2 for each in (now, prior)))
    wide = Z_95 * std_dev
    return row | {"low_95_points": -wide, "high_95_points": wide, "p": normal_both_sides(change / std_dev)}


def judged(changes: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return changes with `p_adjusted` (Holm over those with a `p`) and `verdict`, least explained by luck first."""
    adjusted = iter(holm(changes["p"].drop_nulls().to_list()))
    corrected = [None if p is None else next(adjusted) for p in changes["p"]]
    return changes.with_columns(
        pl.Series("p_adjusted", corrected, dtype=pl.Float64),
        pl.Series("verdict", [_verdict(p, q) for p, q in zip(changes["p"], corrected, strict=True)], dtype=pl.String),
    ).sort(["p", *columns], nulls_last=True)


def _verdict(p: float | None, adjusted: float | None) -> str:
    if p is None or adjusted is None:
        return "cannot_tell"
    return "alarm" if adjusted <= ALARM_LEVEL else "outside_95" if p <= 0.05 else "within"
