"""Answers as text and as JSON: column headings, amounts, days, and unknown values."""

from collections.abc import Mapping
from datetime import date
from math import isfinite
from typing import Any


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row for JSON: days as text, None for NaN and infinity."""
    return {
        name: value.isoformat() if isinstance(value, date) else None if _is_no_number(value) else value
        for name, value in row.items()
    }


def _is_no_number(value: object) -> bool:
    return isinstance(value, float) and not isfinite(value)


def heading(column: str) -> str:
    """Return a column's heading.

    >>> heading("house_win_cents"), heading("hold_percent")
    ('house win', 'hold %')
    """
    return column.removesuffix("_cents").removesuffix("_id").replace("_percent", " %").replace("_", " ")


def cell(column: str, value: Any) -> str:
    """Return a value as text; a dash if it is unknown.

    >>> cell("win_cents", -250), cell("p", 0.00012), cell("hold_percent", None), cell("rounds", 1200)
    ('-2.50', '0.00012', '–', '1,200')
    """
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(str(each) for each in value) or "–"
        case float() if column.endswith("_cents"):
            return f"{value / 100:,.2f}"
        case int() if column.endswith("_cents"):
            return f"{'-' if value < 0 else ''}{abs(value) // 100:,}.{abs(value) % 100:02d}"
        case float() if column.startswith("p") and column in ("p", "p_low", "p_high", "p_adjusted"):
            return f"{value:.2g}"
        case float():
            return f"{value:,.2f}"
        case int() if column not in ("round_no", "hour", "seat", "seq", "face", "total"):
            return f"{value:,}"
        case _:
            return str(value)
