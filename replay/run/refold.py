"""A stream folded again from its beginning, with every correction in its place; only what comes out different is said.

This is done when something reaches back further than what is at hand (a correction of what later rounds were judged by,
an event that comes very late), and when another engine takes a stream up: what was said in between is not said again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple, Protocol

from events.errors import IntegrityError
from events.log.contract import Record
from events.vocabulary.codec import decode
from events.vocabulary.model import RoundOpened
from games.rulebook.rulebook import Rulebook
from replay.fold.corrections import Correction, effective
from replay.run.stream_worker import Earlier, Result, StreamWorker, runs_of, withdrawal


class Reader(Protocol):
    """Reads a stream's records from one number to another (or to the end), as often as it is asked."""

    def __call__(self, first: int = 1, last: int | None = None) -> Iterator[Record]:
        """Yield the records, in order."""


class Again(NamedTuple):
    """The worker after the last record, what came out different, and what broke the stream off, if anything did."""

    worker: StreamWorker
    results: list[Result]
    broken: IntegrityError | None


def refold(
    stream: str,
    read: Reader,
    end: int | None,
    earlier: Earlier,
    standing: Callable[[], Collection[str]],
    rules: Rulebook | None,
    make: Callable[[str, Earlier], StreamWorker] = StreamWorker,
) -> Again:
    """Fold a stream again, to `end` or to where it breaks off.

    `standing` gives the ids of the findings on this stream that stand; of a meter's stream those not found again are
    withdrawn (of a table's, its rounds' revisions do that). `make` makes the workers.
    """
    scout = make(stream, earlier)
    scout.judging, scout.opened = False, set()
    broken = _walk(scout, read(1, end))
    fold = scout.table or scout.meter
    said = fold.corrections if fold is not None else []
    ids = _ids(read, {each.superseded for each in said if each.superseded < each.seq})
    refused = {each.seq: objection for each in said if (objection := each.objection(ids))}
    worker = make(stream, earlier)
    worker.rules, worker.opened = rules, set()
    worker.correct(
        effective(each for each in said if each.seq not in refused), refused, scout.table.missed if scout.table else ()
    )
    results: list[Result] = []
    for record in read(1, scout.seq) if scout.seq else ():
        results += worker.take(record)
    results += worker.finish()
    numbered = scout.opened | _numbers(said)
    results += worker.withdraw(numbered - worker.opened)
    worker.said_to = max(numbered, default=0)  # a round that is open again, its closing corrected, has its verdict
    if worker.meter is not None and broken is None:
        found = {key for kind, key, _ in results if kind == "findings"}
        results += [withdrawal(each, stream, None) for each in sorted({*standing()} - found)]
    return Again(worker, results, broken)


def _walk(scout: StreamWorker, records: Iterator[Record]) -> IntegrityError | None:
    """Let a worker that judges nothing take records as far as they can be read; return what breaks them off."""
    fold = scout.table or scout.meter
    try:
        for run in runs_of(records):
            while run:
                run = run[scout.take_run(run, lambda result: None) :]
                if scout.needs_refold and fold is not None:  # what reaches back is for the worker that comes after
                    scout.needs_refold = fold.needs_refold = False
    except IntegrityError as error:
        return error
    return None


def _ids(read: Reader, numbers: Collection[int]) -> dict[int, str]:
    """Return the ids of the events with these numbers."""
    records = read(min(numbers), max(numbers)) if numbers else ()
    return {record.seq: decode(record.data).event_id for record in records if record.seq in numbers}


def _numbers(corrections: Iterable[Correction]) -> set[int]:
    """Return the numbers under which a round may have been opened by a correction that does not count any more."""
    openings = [each.instead for each in corrections if each.instead is not None]
    return {round_no for round_no, payload in openings if isinstance(payload, RoundOpened) and round_no is not None}
