"""A game's entry in this room: everything that the round table and screening know of it, in one record.

The law of this file: it names what a game brings and knows no game. It is pure and imports no compiled code: a kernel is named
by its module, which is imported when rows are first screened.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import Outcome
from replay.columns.row_schemas import RowSchema
from replay.fold.round import Round

Row = dict[str, Any]
"""A row of the round table as it is written: a value for each column."""
WriteRow = Callable[[Row, Round, Rulebook], None]
"""Writes a round into an empty row; raises `ordinary_course.Ineligible` where the round cannot be judged in columns."""
LineOutcomes = Mapping[int, tuple[Outcome, str]]
"""The outcome, and its section, of each line number that is not a line of the paytable."""


class OutcomeNames(NamedTuple):
    """How adjudications name what a game's wagers come to.

    `outcomes`: by wager, the line numbers that no paytable has. `sections`: by wager, the section by which a line of its paytable
    is paid, and the section by which the wager loses. `uncovered`: the section by which a stake stays with the patron that the
    player-dealer's wager does not cover; empty in games without a player-dealer.
    """

    outcomes: Mapping[str, LineOutcomes]
    sections: Mapping[str, tuple[str, str]]
    uncovered: str = ""


class Kernel(NamedTuple):
    """What screens the rows of a game. The module that a game names as its kernel has one, `KERNEL`.

    `rows` is the type of the columns as the kernel takes them (`kernels.table.rows_type`). `terms` returns the rules in force as
    the kernel takes them, null where it does not know rules such as these; its second argument says that the rows were made
    under other rules. `screen(columns, *terms, rows, result)` settles and checks rows.
    """

    rows: Any
    terms: Callable[[Rulebook, bool], tuple[Any, ...] | None]
    screen: Callable[..., None]


def bettor_of_box(row: Row, seat: int, slot: int) -> str:
    """Return who placed the wagers of a box: one bettor placed all of them."""
    bettor: str = row[f"bettor_{seat}"]
    return bettor


def highest_seat_first(row: Row, seats: int) -> Sequence[int]:
    """Return the seats in the order in which an Envy Bonus names their hands: from the highest down."""
    return range(seats, 0, -1)


class GameColumns(NamedTuple):
    """A game whose rounds are judged in columns.

    `name` is the game's name in every layer. `schema`: the columns of its rows. `write_row`: writes a round as a row.
    `kernel`: the module with its `KERNEL`. `outcomes`: how adjudications name what its wagers come to.

    The rest is for a game in which others than the bettor of a box wager there, or seats have another order:
    `adjudication_columns` are columns of its own of which adjudications are made; `bettor_of(row, seat, slot)` says whose a
    wager is; `envy_order(row, seats)` gives the seats in the order in which an Envy Bonus names their hands.
    """

    name: str
    schema: RowSchema
    write_row: WriteRow
    kernel: str
    outcomes: OutcomeNames
    adjudication_columns: tuple[str, ...] = ()
    bettor_of: Callable[[Row, int, int], str] = bettor_of_box
    envy_order: Callable[[Row, int], Sequence[int]] = highest_seat_first

    def load_kernel(self) -> Kernel:
        """Return the kernel; its module is imported, and compiled code with it, at the first call."""
        kernel: Kernel = import_module(self.kernel).KERNEL
        return kernel
