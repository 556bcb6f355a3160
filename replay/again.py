"""A stream folded again from its beginning, with every correction in its place; only what comes out different is said.

This is done when something reaches back further than what is at hand (a correction of what later rounds were judged by,
an event that comes very late), and when another engine takes a stream up: what was said in between is not said again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import NamedTuple

from events.errors import IntegrityError
from events.log import Record
from games.rulebook import Rulebook
from replay.corrections import effective
from replay.stream import Earlier, Result, Worker, withdrawal

Read = Callable[[int | None], Iterator[Record]]
"""Yields the stream's records from 1 to a number (or to the end)."""


class Again(NamedTuple):
    """The worker after the last record, what came out different, and what broke the stream off, if anything did."""

    worker: Worker
    results: list[Result]
    broken: IntegrityError | None


def fold_again(stream: str, read: Read, end: int | None, earlier: Earlier, standing: Callable[[], Collection[str]],
               rules: Rulebook | None) -> Again:  # fmt: skip
    """Fold a stream again, to `end` or to where it breaks off.

    `standing` gives the ids of the findings on this stream that stand; of a meter's stream those not found again are
    withdrawn (of a table's, its rounds' revisions do that).
    """
    scout, broken = Worker(stream, earlier), None
    scout.judging = False
    try:
        for record in read(end):
            scout.take(record)
    except IntegrityError as error:
        broken = error
    fold = scout.table or scout.meter
    worker = Worker(stream, earlier, rules=rules)
    worker.correct(effective(fold.corrections) if fold is not None else {}, scout.table.missed if scout.table else ())
    results: list[Result] = []
    for record in read(scout.seq) if scout.seq else ():
        results += worker.take(record)
    results += worker.finish()
    if worker.meter is not None and broken is None:
        found = {key for kind, key, _ in results if kind == "findings"}
        results += [withdrawal(each, stream, None) for each in sorted({*standing()} - found)]
    return Again(worker, results, broken)
