"""The rounds of a table in groups, and who judges them: this process here, others of this machine, or a cluster.

A `Job` says what is made of a group: the screens, the columns that it takes beside, and the rest of the work, for which a log
is at hand. Whoever does it, what comes of the groups comes in their order, and never more than a few are in memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from events.log.contract import EventLog
from replay.columns.kernels.judged import UPHELD
from replay.columns.row_schemas import REST, screened_of
from replay.columns.screening import Screen

T = TypeVar("T")
M = TypeVar("M", covariant=True)
W = TypeVar("W")

AHEAD: Final = 2
"""Groups that each worker may be ahead of what is taken from it."""


@lru_cache(maxsize=16)
def _footer(path: Path) -> pq.FileMetaData:
    """What a file says of itself. Files are named by their digest, so that it stays as it is."""
    return pq.read_metadata(path)


class Group(NamedTuple):
    """Some rounds of a file: which of its row groups they are."""

    path: Path
    number: int

    @property
    def screened(self) -> tuple[str, ...]:
        """The columns that screening reads."""
        return screened_of(_footer(self.path).schema.to_arrow_schema())

    def read(self, columns: Sequence[str]) -> pa.RecordBatch:
        """Read some columns of the rounds; those that rounds of their game do not have are left out."""
        footer = _footer(self.path)
        there = set(footer.schema.to_arrow_schema().names)
        with pq.ParquetFile(self.path, metadata=footer) as opened:
            table = opened.read_row_group(
                self.number, columns=[name for name in columns if name in there], use_threads=False
            )
        return table.combine_chunks().to_batches()[0]


def groups_of(paths: Iterable[Path]) -> Iterator[Group]:
    """Yield the groups of files, in order."""
    for path in paths:
        for number in range(_footer(path).num_row_groups):
            yield Group(path, number)


class Judged(NamedTuple):
    """A group with the columns that were asked for, and what each of the screens says of it.

    `rest` has for each row the state from which the single path tells it; null where every row is upheld.
    """

    batch: pa.RecordBatch
    said: list[pa.RecordBatch]
    rest: pa.Array | None


def with_rest(group: Group, batch: pa.RecordBatch, said: list[pa.RecordBatch]) -> Judged:
    """Put together what screens say of a group, with what it takes to tell some of its rows where that may be asked for."""
    upheld = all((each.column("check").to_numpy() == UPHELD).all() for each in said)
    return Judged(batch, said, None if upheld else group.read((REST,)).column(REST))


class Job(Protocol[M]):
    """What is to be made of groups. It can be sent to another process."""

    @property
    def screens(self) -> Sequence[Screen]:
        """By what a group is judged."""

    @property
    def columns(self) -> Sequence[str]:
        """What of a group it takes beside what screening reads."""

    def at(self, log: EventLog) -> Callable[[Judged], M]:
        """Return what finishes a group that was screened, where this log is at hand."""


def columns_of(group: Group, job: Job[object]) -> tuple[str, ...]:
    """Return the columns that a job takes of a group."""
    return tuple(dict.fromkeys((*group.screened, *job.columns)))


def judged(group: Group, job: Job[object]) -> Judged:
    """Judge a group by the screens of a job."""
    batch = group.read(columns_of(group, job))
    return with_rest(group, batch, [screen.judge(batch) for screen in job.screens])


class Engine(Protocol):
    """Who does a job: this process, others of this machine, or a cluster."""

    def each(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order."""


class Here:
    """Does a job in this process, one group after the other."""

    def each(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order."""
        finish = job.at(log)
        for group in groups:
            yield finish(judged(group, job))


def ahead(
    groups: Iterable[Group], submit: Callable[[Group], W], most: int, cancel: Callable[[W], object]
) -> Iterator[W]:
    """Yield what was submitted for groups, in their order, with so many more submitted before it is taken."""
    waiting: deque[W] = deque()
    try:
        for group in groups:
            waiting.append(submit(group))
            if len(waiting) > most:
                yield waiting.popleft()
        while waiting:
            yield waiting.popleft()
    finally:
        for left in waiting:
            cancel(left)
