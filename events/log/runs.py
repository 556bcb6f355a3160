"""The records of a stream in runs: many are decoded together in a fraction of the time that one by one would take."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Final

from events.errors import IntegrityError
from events.log.contract import Record

RUN: Final = 256
"""Events of a stream that are read at once: few enough to stay in the processor's cache until they are used."""


def runs_of(records: Iterable[Record]) -> Iterator[list[Record]]:
    """Yield records, up to `RUN` at a time. If one cannot be read, yield those before it, then raise the error."""
    rest = iter(records)
    while True:
        run: list[Record] = []
        error: IntegrityError | None = None
        try:
            run.extend(islice(rest, RUN))
        except IntegrityError as unreadable:
            error = unreadable
        if run:
            yield run
        if error is not None:
            raise error
        if not run:
            return


def runs(batch: Sequence[Record]) -> Iterator[tuple[str, Sequence[Record]]]:
    """Yield the records of a batch in runs of one stream, of up to `RUN` records."""
    streams = [record.stream for record in batch]
    start = 0
    while start < len(batch):
        stream, same = streams[start], streams[start : start + RUN]
        if same.count(stream) < len(same):
            same = list(takewhile(stream.__eq__, same))
        yield stream, batch[start : start + len(same)]
        start += len(same)
