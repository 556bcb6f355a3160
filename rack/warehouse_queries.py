"""The shared parts of commands that query the warehouse: the file, the part of the floor, and printing a result."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rack import settings
from rack.actions import taken
from rack.arguments import add
from rack.errors import UsageError
from rack.output import Output, table
from trial.property_folder import WAREHOUSE

if TYPE_CHECKING:
    import polars as pl

    from analytics.questions import Question
    from analytics.warehouse.selection import Selection
    from analytics.warehouse.warehouse import Warehouse

MAX_ROWS = 60
"""Most rows of a table on a screen; `--json` prints all."""


def add_question(parser: argparse.ArgumentParser, questions: Mapping[str, str], default: str) -> None:
    """Add the question, the warehouse, and the part of the floor."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    width = max(len(name) for name in questions)
    parser.epilog = "\n".join(f"{name.ljust(width)}  {text}" for name, text in questions.items())
    add(
        parser,
        "question QUESTION",
        f"One of the questions below (default: {default}).",
        nargs="?",
        choices=tuple(questions),
        default=default,
    )
    add_warehouse(parser)
    add(parser, "--by NAME", "Break the result down by this dimension; an unknown name lists them.")
    add(parser, "--table ID", "Only this table.")
    add(parser, "--game NAME", "Only this game.")
    add(parser, "--dealer ID", "Only this dealer; not for figures counted per drop box.")
    add(parser, "--shift NAME", "Only this shift; not for figures counted per drop box.")
    add(parser, "--from DAY", "First gaming day, such as 2026-03-01.", dest="first", type=day)
    add(parser, "--to DAY", "Last gaming day.", dest="last", type=day)
    add(parser, "--sql", "Print on stderr the SQL that made the answer, with its parameters.")
    add(parser, "--all", f"Print every row, not only the first {MAX_ROWS}.")


def add_warehouse(parser: argparse.ArgumentParser) -> None:
    """Add `--warehouse`."""
    add(parser, "--warehouse FILE", "The warehouse (default: warehouse.duckdb in RACK_OUT, or in demo).")


def warehouse_at(arguments: argparse.Namespace) -> Path:
    """Return the warehouse's path: `--warehouse`, else the demo's."""
    given: Path | None = arguments.warehouse
    return given if given is not None else settings.load().out / WAREHOUSE


def day(text: str) -> date:
    """Read a gaming day, for argparse."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected a gaming day such as 2026-03-01, got {text}") from None


def selection(arguments: argparse.Namespace, *, per_box: bool = False) -> Selection:
    """Return the selected part of the floor. Raises `UsageError` if a drop box cannot be split in this way (D27)."""
    from analytics.warehouse.selection import Selection

    if per_box and (arguments.dealer or arguments.shift):
        raise UsageError("figures counted per drop box belong to a table and a gaming day; leave out --dealer and --shift")
    return Selection(**taken(arguments, "table", "game", "dealer", "shift", "first", "last"))


def compared(db: Warehouse, arguments: argparse.Namespace, part: Selection) -> Selection:
    """Return a selection with a period before: the named days, else the newest. Raises `UsageError` if only one end is given."""
    from msgspec.structs import replace

    from analytics.warehouse.floor_data import gaming_days

    if part.first is None and part.last is None and (days := gaming_days(db)):
        return replace(part, first=days[0], last=days[0])
    if part.first is None or part.last is None or part.first > part.last:
        raise UsageError(f"{arguments.question} compares two periods: name one with --from DAY and --to DAY, or neither")
    return part


def answer(question: Question, db: Warehouse, arguments: argparse.Namespace, **more: Any) -> pl.DataFrame:
    """Return the answer to a question; `more` are options computed from the arguments."""
    given: dict[str, Any] = {"by": breakdown(arguments, question.breakdowns(), question.by) if question.dimensions else None}
    part = selection(arguments, per_box=question.per_box)
    _must_be_there(db, part)
    given["part"] = compared(db, arguments, part) if question.compared else part
    return question.ask(db, vars(arguments) | given | more)


def _must_be_there(db: Warehouse, part: Selection) -> None:
    """Raise `UsageError` for days in the wrong order, or a name of which the warehouse has nothing: it was mistyped."""
    from analytics.warehouse.floor_data import choices, shifts
    from analytics.warehouse.statements import recorded_statements

    if part.first is not None and part.last is not None and part.first > part.last:
        raise UsageError(f"--from {part.first} is after --to {part.last}")
    if not (part.table or part.game or part.dealer or part.shift):
        return
    with recorded_statements():  # they are not the answer's
        there = choices(db)
        names = {"table": there.tables, "game": there.games, "dealer": there.dealers, "shift": shifts(db)}
    for option, known in names.items():
        name = getattr(part, option)
        if name is not None and known and name not in known:
            raise UsageError(f"--{option} {name}: the warehouse has nothing of it; it has {', '.join(known)}")


@contextmanager
def answered(arguments: argparse.Namespace, output: Output) -> Iterator[None]:
    """With `--sql`, print the statements that ran on stderr."""
    from analytics.warehouse.statements import recorded_statements

    with recorded_statements() as statements:
        yield
    for statement in statements if arguments.sql else ():
        output.note(f"{statement.sql}\n{json.dumps(statement.parameters, default=str)}")


def breakdown(arguments: argparse.Namespace, allowed: Sequence[str], default: str) -> str:
    """Return the dimension of `--by`. Raises `UsageError`, which lists the dimensions."""
    by: str = arguments.by or default
    if by not in allowed:
        raise UsageError(f"--by {by}: expected one of {', '.join(allowed)}")
    return by


def show(output: Output, frame: pl.DataFrame, columns: Sequence[str] | None = None, *, everything: bool = False) -> None:
    """Print a result: whole as JSON, or as a table of the given columns (None: all) with cents as amounts."""
    from analytics.answers import cell, heading, plain

    output.value([plain(row) for row in frame.iter_rows(named=True)])
    if output.as_json:
        return
    if frame.is_empty():
        output.text("No rows for this selection; widen it, or leave out a filter.")
        return
    named = [column for column in columns if column in frame.columns] if columns else frame.columns
    rows = frame.select(named) if everything else frame.select(named).head(MAX_ROWS)
    output.text(
        *table(
            [heading(name) for name in named], [[cell(n, v) for n, v in zip(named, row, strict=True)] for row in rows.iter_rows()]
        )
    )
    if rows.height < frame.height:
        output.note(f"{frame.height - rows.height:,} more rows are not shown; --all or --json prints them")
