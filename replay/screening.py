"""Screening: a batch of rounds in, what each comes to out. `RecordBatch → RecordBatch`, wherever it runs.

The law of this file: it is pure and knows no log. A batch with the columns of the round table (`SCREENED`) gives one with a
row for each: the check that the round did not pass (0: upheld) and its money (`replay.kernels.face_up.Judged`).
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from games.rulebook import Rulebook, parse_submission
from replay.kernels.face_up import Judged, nothing_judged, screen
from replay.kernels.terms import Terms, terms_of
from replay.round_columns import SCREENED_NUMBERS, fixed, matrix, numbers_of

Array = npt.NDArray[Any]

_Rows: Any = namedtuple("_Rows", SCREENED_NUMBERS)  # type: ignore[misc]  # the columns are named in one place


class Screen(msgspec.Struct, frozen=True):
    """Judges batches by the submissions in force (`rules`: digest → text), or all of a game by another one (`instead`)."""

    rules: Mapping[str, str]
    instead: str = ""

    def judge(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return what the rounds of a batch come to, a row each."""
        judged, rows = nothing_judged(len(batch)), None
        plain = pc.equal(batch.column("aside"), "").to_numpy(zero_copy_only=False)
        for which, text in self._parts(batch, plain):
            terms = terms_in(text)
            if terms is not None and len(which):
                rows = rows or _Rows(*(numbers_of(batch, name) for name in SCREENED_NUMBERS))
                screen(rows, terms, which, judged)
        return pa.RecordBatch.from_arrays([as_column(values) for values in judged], names=list(Judged._fields))

    def _parts(self, batch: pa.RecordBatch, plain: Array) -> list[tuple[Array, str]]:
        """The rows that are judged by one text each."""
        if self.instead:
            instead = rulebook_in(self.instead)
            game = pc.equal(batch.column("game"), instead.game).to_numpy(zero_copy_only=False)
            return [(np.flatnonzero(plain & game), self.instead)]
        in_force = batch.column("rules")
        return [
            (np.flatnonzero(plain & pc.equal(in_force, digest).to_numpy(zero_copy_only=False)), self.rules[digest])
            for digest in in_force.unique().to_pylist()
            if digest
        ]


def as_column(values: Array) -> pa.Array:
    """Return a vector or a matrix as a column."""
    return pa.array(values) if values.ndim == 1 else fixed(values)


def judged_of(batch: pa.RecordBatch) -> Judged:
    """Return the arrays of what a batch of rounds came to, without copying."""
    arrays: dict[str, Array] = {}
    for name, empty in nothing_judged(0)._asdict().items():
        column = batch.column(name)
        arrays[name] = column.to_numpy() if empty.ndim == 1 else matrix(column, empty.dtype.type, empty.shape[1])
    return Judged(**arrays)


_KEPT: Final = 64


@lru_cache(maxsize=_KEPT)
def rulebook_in(text: str) -> Rulebook:
    """Return the rules of a text that was in force, or is asked for."""
    return parse_submission(text, source="the round table")


@lru_cache(maxsize=_KEPT)
def terms_in(text: str) -> Terms | None:
    """Return the rules of a text as kernels take them; null where they do not know rules such as these."""
    return terms_of(rulebook_in(text))
