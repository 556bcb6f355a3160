"""A report's tables as CSV (RFC 4180, UTF-8): numbers as numbers, nothing that a spreadsheet takes for a formula.

A file begins with a byte-order mark, without which Excel reads `§` as two other characters.
"""

import csv
import io
import re
from typing import Any, Final

from desk.report.content import Report, ReportColumn, ReportTable
from replay.narrative.names import utc

CELL: Final = '(^|[;\t\r\n])([ \x0b\x0c\u00a0\u2000-\u200b\u202f\u3000"]*[=+\\-@＝＋－＠])'
"""Where a spreadsheet may find a formula: at the beginning of a text, and where a cell begins for one that divides lines at
semicolons or tabs; behind spaces and quotes too, and with full-width signs. The second group gets an apostrophe in front."""
BREAK: Final = "^[\t\r\n]"
"""A text that begins so gets one, too."""


def defused(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula, whether it splits lines at commas, semicolons or tabs.

    >>> defused("=1+1"), defused("a;=1+1"), defused("a; b"), defused("-5"), defused("\\t=1")
    ("'=1+1", "a;'=1+1", 'a; b', "'-5", "'\\t'=1")
    """
    found = re.sub(CELL, r"\1'\2", text)
    return f"'{found}" if re.match(BREAK, found) else found


def sheets(report: Report) -> dict[str, bytes]:
    """Return the files of a report's tables by their names."""
    return {f"{report.file_name}-{table.name}.csv": _written(table) for table in report.tables if table.columns}


def _written(table: ReportTable) -> bytes:
    text = io.StringIO(newline="")
    lines = csv.writer(text)
    lines.writerow([_header(column) for column in table.columns])
    for row in table.rows:
        lines.writerow([_cell(column, value) for column, value in zip(table.columns, row, strict=True)])
    return text.getvalue().encode("utf-8-sig")


def _header(column: ReportColumn) -> str:
    """Return the name of a column in a file: times are in UTC text, not in microseconds.

    >>> opened = ReportColumn(name="opened_at_us", label="", kind="time")
    >>> _header(opened), _header(ReportColumn(name="win_cents", label="", kind="money"))
    ('opened_at_utc', 'win_cents')
    """
    return f"{column.name.removesuffix('_us')}_utc" if column.kind == "time" else column.name


def _cell(column: ReportColumn, value: Any) -> str:
    """Return a value for a file: cents, percent with four decimals, UTC times; empty for None.

    >>> percent, text = (ReportColumn(name="a", label="", kind=kind) for kind in ("percent", "text"))
    >>> _cell(percent, 12.5), _cell(text, "=1+1")
    ('12.5000', "'=1+1")
    """
    match column.kind, value:
        case _, None:
            return ""
        case (("percent" | "points" | "times"), _):
            return f"{value:.4f}"
        case "time", _:
            return utc(value)
        case _, str():
            return defused(value)
        case _:
            return str(value)
