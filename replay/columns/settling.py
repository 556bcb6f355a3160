"""Rows in, what each comes to by a rules submission out. Pure: it knows no log.

Invariant: a row is settled only where the table that it holds would lie there under the other rules too, so those are
of the same chapter and are played alike (`played_alike`). Anything else is for event replay.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from games.rulebook.rulebook import Rulebook, parse_submission
from replay.columns.catalogue import columns_of
from replay.columns.game_columns import GameColumns
from replay.columns.kernels.settled_rows import SettledRows, unsettled
from replay.columns.row_schemas import numbers_of

_CACHED_TEXTS: Final = 64


@lru_cache(maxsize=_CACHED_TEXTS)
def rulebook_in(text: str) -> Rulebook:
    """Return the rules of a text that was in force, or is asked for."""
    return parse_submission(text, source="the round table")


def played_alike(filed: Rulebook, other: Rulebook) -> bool:
    """Say whether a round that was played by the rules on file lies on the table by other rules as it does by these.

    What makes a round void, and when a wager is late, goes by the chapter, by how the cards are dealt, and by when the wagers
    that are offered close; what a Must-Hit-By meter holds, and whether it was hit, goes by the meter that was there.
    """
    if other.mystery_meter is not None and _mystery(filed) != _mystery(other):
        return False
    return _play(filed) == _play(other)


def _play(book: Rulebook) -> tuple[str, str, frozenset[str]]:
    closes = frozenset(book.chapter.wagers[wager].closes for wager in book.offers)
    return book.chapter.key, book.deal_method, closes


def _mystery(book: Rulebook) -> tuple[str | None, bool, Any]:
    return book.mystery_meter, book.linked_mystery, book.offers.get("mystery")


def settled_by(book: Rulebook, batch: pa.RecordBatch, texts: dict[str, str], game: GameColumns) -> SettledRows:
    """Return what the rows of a batch, all of one game, come to by a book; `texts` has the rules on file by digest."""
    result, terms = unsettled(len(batch), game.schema), terms_in(book.text)
    if terms is None:
        return result
    alike = [digest for digest, text in texts.items() if played_alike(rulebook_in(text), book)]
    which = pc.and_(pc.equal(batch.column("aside"), ""), pc.is_in(batch.column("rules"), pa.array(alike, pa.string())))
    rows = np.flatnonzero(which.to_numpy(zero_copy_only=False))
    if len(rows):
        kernel = game.load_kernel()
        columns = kernel.rows(*(numbers_of(batch, name, game.schema) for name in kernel.rows._fields))
        kernel.settle(columns, *terms, rows, result)
    return result


@lru_cache(maxsize=_CACHED_TEXTS)
def terms_in(text: str) -> tuple[Any, ...] | None:
    """Return the rules of a text as the kernel of its game takes them; null where the kernel does not know rules such as
    these."""
    book = rulebook_in(text)
    game = columns_of(book.game)
    return game.load_kernel().terms(book) if game is not None else None
