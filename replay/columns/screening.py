"""Screening: a batch of rounds in, what each comes to out. `RecordBatch → RecordBatch`, wherever it runs.

The law of this file: it is pure and knows no log. A batch with the columns of one game's rows (`Form.screened`) gives one with a
row for each: the check that the round did not pass (0: upheld) and its money (`replay.columns.kernels.judged.Judged`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from games.rulebook.rulebook import Rulebook, parse_submission
from replay.columns.game_row_schemas import DJ_WILD, FACE_UP, FORTUNE_ASIA, OVER_UNDER, PAI_GOW_POKER, PLAYER_DEALER
from replay.columns.kernels import dj_wild, face_up, fortune_asia, over_under, pai_gow_poker, player_dealer, terms
from replay.columns.kernels.judged import Judged, nothing_judged
from replay.columns.row_schemas import RowSchema, fixed, matrix, numbers_of

Array = npt.NDArray[Any]


class Kernel(NamedTuple):
    """What screens the rows of a game: their form and how a kernel takes them, the rules as it takes them, and the kernel."""

    form: RowSchema
    rows: Any
    terms_of: Callable[[Rulebook, bool], tuple[Any, ...] | None]
    screen: Callable[..., None]


KERNELS: Final[Mapping[str, Kernel]] = {
    "face_up_pai_gow": Kernel(FACE_UP, face_up.Rows, terms.face_up, face_up.screen),
    "player_dealer": Kernel(PLAYER_DEALER, player_dealer.Rows, terms.player_dealer, player_dealer.screen),
    "pai_gow_poker": Kernel(PAI_GOW_POKER, pai_gow_poker.Rows, terms.pai_gow_poker, pai_gow_poker.screen),
    "dj_wild": Kernel(DJ_WILD, dj_wild.Rows, terms.dj_wild, dj_wild.screen),
    "fortune_asia": Kernel(FORTUNE_ASIA, fortune_asia.Rows, terms.fortune_asia, fortune_asia.screen),
    "over_under": Kernel(OVER_UNDER, over_under.Rows, terms.over_under, over_under.screen),
}


class Screen(msgspec.Struct, frozen=True):
    """Judges batches by the submissions in force (`rules`: digest → text), or all of a game by another one (`instead`)."""

    rules: Mapping[str, str]
    instead: str = ""

    def judge(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return what the rounds of a batch, all of one game, come to, a row each."""
        judged, rows = nothing_judged(len(batch), *places_of(batch)), None
        plain = pc.equal(batch.column("aside"), "").to_numpy(zero_copy_only=False)
        for which, text in self._parts(batch, plain):
            known = terms_in(text, bool(self.instead))
            if known is not None and len(which):
                kernel = KERNELS[rulebook_in(text).game]
                rows = rows or rows_of(batch, kernel)
                kernel.screen(rows, *known, which, judged)
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


def rows_of(batch: pa.RecordBatch, kernel: Kernel) -> Any:
    """Return the columns of a batch as a kernel takes them, without copying."""
    arrays = kernel.form.all_arrays
    return kernel.rows(
        *(numbers_of(batch, name, arrays[name][0] if name in arrays else None) for name in kernel.rows._fields)
    )


def places_of(batch: pa.RecordBatch) -> tuple[int, int]:
    """Return how many wagers the boxes of a batch can have together, and how many hands with an Envy Bonus."""
    wagers, hands = (numbers_of(batch, name).shape[1] for name in ("net", "envy_to"))
    return wagers, hands


def as_column(values: Array) -> pa.Array:
    """Return a vector or a matrix as a column."""
    return pa.array(values) if values.ndim == 1 else fixed(values)


def judged_of(batch: pa.RecordBatch) -> Judged:
    """Return the arrays of what a batch of rounds came to, without copying."""
    arrays: dict[str, Array] = {}
    for name, empty in nothing_judged(0)._asdict().items():
        column = batch.column(name)
        if empty.ndim == 1:
            arrays[name] = column.to_numpy()
        else:
            arrays[name] = matrix(column, empty.dtype.type, column.type.byte_width // empty.dtype.itemsize)
    return Judged(**arrays)


_KEPT: Final = 64


@lru_cache(maxsize=_KEPT)
def rulebook_in(text: str) -> Rulebook:
    """Return the rules of a text that was in force, or is asked for."""
    return parse_submission(text, source="the round table")


@lru_cache(maxsize=_KEPT)
def terms_in(text: str, instead: bool = False) -> tuple[Any, ...] | None:
    """Return the rules of a text as the kernel of its game takes them; null where no kernel knows rules such as these.

    `instead`: the rows that they are asked of were made by others.
    """
    book = rulebook_in(text)
    kernel = KERNELS.get(book.game)
    return kernel.terms_of(book, instead) if kernel is not None else None
