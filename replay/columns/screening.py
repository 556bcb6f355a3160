"""Screening: a batch of rounds in, what each comes to out. `RecordBatch → RecordBatch`, wherever it runs.

The law of this file: it is pure and knows no log. A batch with the columns of one game's rows (`RowSchema.screened`) gives a
batch with a row for each: the check that the round did not pass (0: upheld) and its money (`ScreeningResult`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from games.rulebook.rulebook import Rulebook, parse_submission
from replay.columns.catalogue import columns_of
from replay.columns.game_columns import GameColumns
from replay.columns.kernels.screening_result import ScreeningResult, empty_result
from replay.columns.row_schemas import fixed, matrix, numbers_of

Array = npt.NDArray[Any]


class Screen(msgspec.Struct, frozen=True):
    """Judges batches by the submissions in force (`rules`: digest → text), or all of a game by another (`replacement`)."""

    rules: Mapping[str, str]
    replacement: str = ""

    def judge(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return what the rounds of a batch, all of one game, come to, a row each."""
        result, columns = empty_result(len(batch), *places_of(batch)), None
        eligible = pc.equal(batch.column("aside"), "").to_numpy(zero_copy_only=False)
        for rows, text in self._parts(batch, eligible):
            game = columns_of(rulebook_in(text).game)
            terms = terms_in(text, game, bool(self.replacement)) if game is not None else None
            if game is not None and terms is not None and len(rows):
                columns = columns or columns_for(batch, game)
                game.load_kernel().screen(columns, *terms, rows, result)
        return pa.RecordBatch.from_arrays([as_column(values) for values in result], names=list(ScreeningResult._fields))

    def _parts(self, batch: pa.RecordBatch, eligible: Array) -> list[tuple[Array, str]]:
        """The rows that are judged by one text each."""
        if self.replacement:
            book = rulebook_in(self.replacement)
            game = pc.equal(batch.column("game"), book.game).to_numpy(zero_copy_only=False)
            return [(np.flatnonzero(eligible & game), self.replacement)]
        in_force = batch.column("rules")
        return [
            (np.flatnonzero(eligible & pc.equal(in_force, digest).to_numpy(zero_copy_only=False)), self.rules[digest])
            for digest in in_force.unique().to_pylist()
            if digest
        ]


def columns_for(batch: pa.RecordBatch, game: GameColumns) -> Any:
    """Return the columns of a batch as the game's kernel takes them, without copying."""
    rows, arrays = game.load_kernel().rows, game.schema.all_arrays
    return rows(*(numbers_of(batch, name, arrays[name][0] if name in arrays else None) for name in rows._fields))


def places_of(batch: pa.RecordBatch) -> tuple[int, int]:
    """Return how many wagers the boxes of a batch can have together, and how many hands with an Envy Bonus."""
    wagers, hands = (numbers_of(batch, name).shape[1] for name in ("net", "envy_to"))
    return wagers, hands


def as_column(values: Array) -> pa.Array:
    """Return a vector or a matrix as a column."""
    return pa.array(values) if values.ndim == 1 else fixed(values)


def result_of(batch: pa.RecordBatch) -> ScreeningResult:
    """Return the arrays of what a batch of rounds came to, without copying."""
    arrays: dict[str, Array] = {}
    for name, empty in empty_result(0)._asdict().items():
        column = batch.column(name)
        if empty.ndim == 1:
            arrays[name] = column.to_numpy()
        else:
            arrays[name] = matrix(column, empty.dtype.type, column.type.byte_width // empty.dtype.itemsize)
    return ScreeningResult(**arrays)


_CACHED_TEXTS: Final = 64


@lru_cache(maxsize=_CACHED_TEXTS)
def rulebook_in(text: str) -> Rulebook:
    """Return the rules of a text that was in force, or is asked for."""
    return parse_submission(text, source="the round table")


def terms_in(text: str, game: GameColumns, under_other_rules: bool = False) -> tuple[Any, ...] | None:
    """Return the rules of a text as the kernel of its game takes them; null where the kernel does not know such rules.

    `under_other_rules`: the rows that they are asked of were made under other rules.
    """
    return _terms(text, game.load_kernel().terms, under_other_rules)


@lru_cache(maxsize=_CACHED_TEXTS)
def _terms(text: str, terms: Any, under_other_rules: bool) -> tuple[Any, ...] | None:
    made: tuple[Any, ...] | None = terms(rulebook_in(text), under_other_rules)
    return made
