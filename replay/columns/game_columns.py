"""A game's entry in this room: everything that the round table and what-ifs know of it, in one record.

Invariant: it names what a game brings and knows no game. It is pure and imports no compiled code: a kernel is named
by its module, which is imported when rows are first settled.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from games.layout import TableLayout
from games.rulebook.rulebook import Rulebook
from replay.columns.row_schemas import RowSchema

Row = dict[str, Any]
"""A row of the round table as it is written: a value for each column."""
WriteLayout = Callable[[Row, TableLayout], None]
"""Writes what only this game has of a table into a row; raises `layout_row.Ineligible` where its columns do not hold that."""


class Kernel(NamedTuple):
    """What settles the rows of a game. The module that a game names as its kernel has one, `KERNEL`.

    `rows` is the type of the columns as the kernel takes them (`kernels.settled_rows.rows_type`). `terms` returns a book as the
    kernel takes it, null where it does not know rules such as these. `settle(columns, *terms, rows, result)` settles rows.
    """

    rows: Any
    terms: Callable[[Rulebook], tuple[Any, ...] | None]
    settle: Callable[..., None]


class GameColumns(NamedTuple):
    """A game whose rounds are settled in columns.

    `name` is the game's name in every layer. `schema`: the columns of its rows. `write_layout`: writes cards, dice and decisions
    into a row. `kernel`: the module with its `KERNEL`.
    """

    name: str
    schema: RowSchema
    write_layout: WriteLayout
    kernel: str

    def load_kernel(self) -> Kernel:
        """Return the kernel; its module is imported, and compiled code with it, at the first call."""
        kernel: Kernel = import_module(self.kernel).KERNEL
        return kernel
