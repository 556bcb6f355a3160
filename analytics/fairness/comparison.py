"""The devices' tests beside those of the period before: of whole months, for devices are counted by month.

The law of this file: the two periods share no month. Days within one month are compared as that month with the one before.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final

import msgspec
import polars as pl

from analytics.hold.changes import period_before
from analytics.warehouse.selection import Selection

KEY: Final = ("family", "game", "table_id", "dice_set", "die", "position", "method", "deck")
"""What names a test."""


def whole_months(selection: Selection) -> Selection:
    """Return the months of the days of a selection, whole. Raises `ValueError` without a first and a last day."""
    if selection.first is None or selection.last is None:
        raise ValueError("whole months need the first and the last gaming day")
    last = selection.last
    following = date(last.year + last.month // 12, last.month % 12 + 1, 1)
    return msgspec.structs.replace(selection, first=selection.first.replace(day=1), last=following - timedelta(days=1))


def months_before(selection: Selection) -> Selection:
    """Return as many whole months before those of a selection.

    >>> before = months_before(Selection(first=date(2026, 4, 7), last=date(2026, 4, 7)))
    >>> before.first.isoformat(), before.last.isoformat()
    ('2026-03-01', '2026-03-31')
    """
    return period_before(whole_months(selection))


def beside(found: pl.DataFrame, before: pl.DataFrame) -> pl.DataFrame:
    """Return tests in their order with `verdict_before`: what the same test said of another period; null where there was none."""
    verdicts = before.select(*KEY, pl.col("verdict").alias("verdict_before"))
    return found.join(verdicts, on=list(KEY), how="left", nulls_equal=True, maintain_order="left")
