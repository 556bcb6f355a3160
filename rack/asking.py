"""What the commands that ask the warehouse share: which file, which part of the floor, and how an answer is shown."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack import settings
from rack.errors import UsageError
from rack.output import Output, table

if TYPE_CHECKING:
    import polars as pl

    from analytics.warehouse.selection import Selection

FLOOR_OPTIONS = ("table", "game", "dealer", "shift", "first", "last")
"""The arguments that say which part of the floor is asked about."""
MAX_ROWS = 60
"""Rows of a table on a screen; `--json` has all."""


def add_question(parser: argparse.ArgumentParser, questions: Mapping[str, str], default: str) -> None:
    """Add the question, the warehouse, and the part of the floor it is about."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    width = max(len(name) for name in questions)
    parser.epilog = "\n".join(f"{name.ljust(width)}  {said}" for name, said in questions.items())
    parser.add_argument(
        "question",
        metavar="QUESTION",
        nargs="?",
        choices=tuple(questions),
        default=default,
        help=f"one of those below (default: {default})",
    )
    add_warehouse(parser)
    parser.add_argument("--by", metavar="NAME", help="what the answer is told apart by (a wrong one lists them)")
    parser.add_argument("--table", metavar="ID", help="one table only")
    parser.add_argument("--game", metavar="NAME", help="one game only")
    parser.add_argument("--dealer", metavar="ID", help="one dealer only, where the figures are not counted per box")
    parser.add_argument("--shift", metavar="NAME", help="one shift only, where the figures are not counted per box")
    parser.add_argument(
        "--from", metavar="DAY", dest="first", type=day, help="from this gaming day on, as in 2026-03-01"
    )
    parser.add_argument("--to", metavar="DAY", dest="last", type=day, help="up to this gaming day")
    parser.add_argument("--all", action="store_true", help=f"show every row, not the first {MAX_ROWS}")


def add_warehouse(parser: argparse.ArgumentParser) -> None:
    """Add `--warehouse`."""
    parser.add_argument(
        "--warehouse", metavar="FILE", type=Path, help="the warehouse (default: warehouse.duckdb in RACK_OUT, or demo)"
    )


def warehouse_at(arguments: argparse.Namespace) -> Path:
    """Return the warehouse's path: `--warehouse`, else the one of the demo's folder."""
    given: Path | None = arguments.warehouse
    return given if given is not None else settings.load().out / settings.WAREHOUSE


def day(text: str) -> date:
    """Read a gaming day, for argparse."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a gaming day such as 2026-03-01, got {text}") from None


def selection(arguments: argparse.Namespace, *, per_box: bool = False) -> Selection:
    """Return the part of the floor that is asked about. Raises `UsageError` where a box cannot be split so (D27)."""
    from analytics.warehouse.selection import Selection

    if per_box and (arguments.dealer or arguments.shift):
        raise UsageError("what is counted per box belongs to a table and a day: leave out --dealer and --shift")
    return Selection(
        table=arguments.table,
        game=arguments.game,
        dealer=arguments.dealer,
        shift=arguments.shift,
        first=arguments.first,
        last=arguments.last,
    )


def breakdown(arguments: argparse.Namespace, allowed: Sequence[str], default: str) -> str:
    """Return what `--by` says. Raises `UsageError` that lists what can be said."""
    by: str = arguments.by or default
    if by not in allowed:
        raise UsageError(f"--by {by}: expected one of {', '.join(allowed)}")
    return by


def show(
    output: Output, frame: pl.DataFrame, columns: Sequence[str] | None = None, *, everything: bool = False
) -> None:
    """Print an answer: as JSON whole, as a table with the columns named (null: all) and cents as amounts."""
    output.value([plain(row) for row in frame.iter_rows(named=True)])
    if output.as_json:
        return
    if frame.is_empty():
        output.text("nothing to show for this part of the floor")
        return
    named = [column for column in columns if column in frame.columns] if columns else frame.columns
    rows = frame.select(named) if everything else frame.select(named).head(MAX_ROWS)
    output.text(
        *table(
            [heading(name) for name in named],
            [[cell(n, v) for n, v in zip(named, row, strict=True)] for row in rows.iter_rows()],
        )
    )
    if rows.height < frame.height:
        output.note(f"… and {frame.height - rows.height:,} more rows: --all, or --json")


def plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with days as text, as JSON has them, and without what is no number."""
    return {
        name: value.isoformat() if isinstance(value, date) else None if _no_number(value) else value
        for name, value in row.items()
    }


def _no_number(value: object) -> bool:
    return isinstance(value, float) and (value != value or value in (float("inf"), float("-inf")))


def heading(column: str) -> str:
    """Return a column's name as people read it.

    >>> heading("house_win_cents"), heading("hold_percent")
    ('house win', 'hold %')
    """
    return column.removesuffix("_cents").removesuffix("_id").replace("_percent", " %").replace("_", " ")


def cell(column: str, value: Any) -> str:
    """Return one value as people read it; a dash where it is not known.

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
