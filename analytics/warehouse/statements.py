"""The statements behind an answer, as they ran, so that a reader who doubts a figure can run them again.

Invariant: the statement shown is the one that ran. It is stored next to its parameters, never combined with them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from textwrap import dedent
from typing import TYPE_CHECKING, Any, Final

import msgspec
import polars as pl

if TYPE_CHECKING:  # a struct held by its own module is never collected at exit; DuckDB complains of what it then holds
    from analytics.warehouse.warehouse import Warehouse


class Statement(msgspec.Struct, frozen=True):
    """A statement with the values of its parameters by name (`$table`), as DuckDB ran it."""

    sql: str
    parameters: dict[str, Any]


_kept: Final[ContextVar[list[Statement] | None]] = ContextVar("statements", default=None)


@contextmanager
def recorded_statements() -> Iterator[list[Statement]]:
    """Record the statements that run during the block, in order, each once for the same parameters."""
    statements: list[Statement] = []
    token = _kept.set(statements)
    try:
        yield statements
    finally:
        _kept.reset(token)


def run_statement(db: Warehouse, sql: str, parameters: Mapping[str, Any] | None = None) -> pl.DataFrame:
    """Run a statement with its parameters, and return its rows."""
    sql = dedent(sql).strip()
    values = {name: value for name, value in (parameters or {}).items() if f"${name}" in sql}
    kept, statement = _kept.get(), Statement(sql, values)
    if kept is not None and statement not in kept:
        kept.append(statement)
    rows: pl.DataFrame = db.sql(sql, params=values).pl()
    return rows
