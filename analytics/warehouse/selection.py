"""The part of the floor for a question, and the grouping of its answer; the same for every question.

Invariant: values are parameters of a statement, never part of it; names of columns come from the table below.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from typing import TYPE_CHECKING, Any, Final

import msgspec
import polars as pl

from analytics.warehouse.statements import run_statement

if TYPE_CHECKING:  # a struct held by its own module is never collected at exit; DuckDB complains of what it then holds
    from analytics.warehouse.warehouse import Warehouse

COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "property": (),
    "game": ("game",),
    "table": ("table_id",),
    "wager": ("wager",),
    "paytable": ("wager", "paytable"),
    "dealer": ("dealer",),
    "shift": ("shift",),
    "hour": ("hour",),
    "seat": ("seat",),
    "code": ("code",),
    "gaming_day": ("gaming_day",),
    "month": ("month",),
    "dealer_table": ("dealer", "table_id"),
}
"""The dimensions by which an answer can be grouped, and their columns."""


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """The selected rounds: None means all. `first` and `last` are gaming days, both included."""

    table: str | None = None
    game: str | None = None
    dealer: str | None = None
    shift: str | None = None
    first: date | None = None
    last: date | None = None

    def parameters(self) -> dict[str, Any]:
        """Return the values for `WHERE`."""
        return msgspec.structs.asdict(self)


EVERYTHING: Final = Selection()

WHERE: Final = """
    ($table::VARCHAR IS NULL OR table_id = $table)
    AND ($game::VARCHAR IS NULL OR game = $game)
    AND ($dealer::VARCHAR IS NULL OR dealer = $dealer)
    AND ($shift::VARCHAR IS NULL OR shift = $shift)
    AND ($first::DATE IS NULL OR gaming_day >= $first::DATE)
    AND ($last::DATE IS NULL OR gaming_day <= $last::DATE)
"""

WHERE_PER_BOX: Final = """
    ($table::VARCHAR IS NULL OR table_id = $table)
    AND ($game::VARCHAR IS NULL OR game = $game)
    AND ($first::DATE IS NULL OR gaming_day >= $first::DATE)
    AND ($last::DATE IS NULL OR gaming_day <= $last::DATE)
"""
"""For what is counted per box: neither dealer nor shift (D27)."""

WHERE_PER_MONTH: Final = """
    ($table::VARCHAR IS NULL OR table_id = $table)
    AND ($game::VARCHAR IS NULL OR game = $game)
    AND ($first::DATE IS NULL OR gaming_month >= date_trunc('month', $first::DATE))
    AND ($last::DATE IS NULL OR gaming_month <= $last::DATE)
"""
"""For what is kept by month: the months of the days asked for, whole."""


def columns_of(by: str, allowed: Collection[str]) -> tuple[str, ...]:
    """Return the columns of a dimension. Raises `ValueError` if the answer cannot be grouped by it."""
    if by not in allowed or by not in COLUMNS:
        raise ValueError(f"cannot group by {by!r}; expected one of {', '.join(allowed)}")
    return COLUMNS[by]


def published_editions(db: Warehouse) -> tuple[str, ...]:
    """Return the texts of the property's amendments of chapters, each once."""
    rows = db.execute(
        "SELECT DISTINCT payload ->> '$.toml' FROM stg_table_events WHERE type = 'chapter_published' ORDER BY 1"
    ).fetchall()
    return tuple(toml for (toml,) in rows)


def frame(db: Warehouse, statement: str, selection: Selection = EVERYTHING, **more: Any) -> pl.DataFrame:
    """Run a statement with its parameters, from the selection and others; return its rows."""
    return run_statement(db, statement, {**selection.parameters(), **more})
