"""The rounds of a table in groups, and the engines that judge them: this process, processes of this machine, or a cluster.

The law of this file: whichever engine runs a job, what comes of the groups comes in their order, and never more than a few
groups are in memory. A `Job` says what is made of a group: the screens, the further columns that it takes, and the rest of the
work, for which a log is at hand. This file reads the files of a table.
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
from replay.columns.kernels.screening_result import UPHELD
from replay.columns.row_schemas import REST, screened_of
from replay.columns.screening import Screen

T = TypeVar("T")
M = TypeVar("M", covariant=True)
W = TypeVar("W")

GROUPS_AHEAD: Final = 2
"""Groups that each worker may be ahead of what is taken from it."""


@lru_cache(maxsize=16)
def _footer(path: Path) -> pq.FileMetaData:
    """The footer of a file. Files are named by their digest, so that a footer never changes."""
    return pq.read_metadata(path)


class Group(NamedTuple):
    """Some rounds of a file: which of its row groups they are."""

    path: Path
    number: int

    @property
    def screened_columns(self) -> tuple[str, ...]:
        """The columns that screening reads."""
        return screened_of(_footer(self.path).schema.to_arrow_schema())

    def read(self, columns: Sequence[str]) -> pa.RecordBatch:
        """Read some columns of the rounds, but for those that rounds of their game do not have."""
        footer = _footer(self.path)
        existing = set(footer.schema.to_arrow_schema().names)
        with pq.ParquetFile(self.path, metadata=footer) as opened:
            table = opened.read_row_group(
                self.number, columns=[name for name in columns if name in existing], use_threads=False
            )
        return table.combine_chunks().to_batches()[0]


def groups_of(paths: Iterable[Path]) -> Iterator[Group]:
    """Yield the groups of files, in order."""
    for path in paths:
        for number in range(_footer(path).num_row_groups):
            yield Group(path, number)


class ScreenedGroup(NamedTuple):
    """A group with the columns that were asked for, and the result of each screen.

    `rest` has for each row the state from which event replay starts; null where every row is upheld.
    """

    batch: pa.RecordBatch
    results: list[pa.RecordBatch]
    rest: pa.Array | None


def with_rest(group: Group, batch: pa.RecordBatch, results: list[pa.RecordBatch]) -> ScreenedGroup:
    """Put together the results of a group, with the states for event replay where a row was not upheld."""
    upheld = all((result.column("check").to_numpy() == UPHELD).all() for result in results)
    return ScreenedGroup(batch, results, None if upheld else group.read((REST,)).column(REST))


class Job(Protocol[M]):
    """What is to be made of groups. It can be sent to another process."""

    @property
    def screens(self) -> Sequence[Screen]:
        """The screens that judge a group."""

    @property
    def columns(self) -> Sequence[str]:
        """The columns that it takes beside those that screening reads."""

    def at(self, log: EventLog) -> Callable[[ScreenedGroup], M]:
        """Return what finishes a group that was screened, where this log is at hand."""


def columns_of(group: Group, job: Job[object]) -> tuple[str, ...]:
    """Return the columns that a job takes of a group."""
    return tuple(dict.fromkeys((*group.screened_columns, *job.columns)))


def screen_group(group: Group, job: Job[object]) -> ScreenedGroup:
    """Judge a group by the screens of a job."""
    batch = group.read(columns_of(group, job))
    return with_rest(group, batch, [screen.judge(batch) for screen in job.screens])


class Engine(Protocol):
    """What runs a job: this process, processes of this machine, or a cluster."""

    def run(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order."""


class LocalEngine:
    """Runs a job in this process, one group after the other."""

    def run(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order."""
        finish = job.at(log)
        for group in groups:
            yield finish(screen_group(group, job))


def submit_ahead(
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
        for unfinished in waiting:
            cancel(unfinished)
