"""The rounds of a table in groups, judged some at a time by threads: in order, and never more than a few at once in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from replay.kernels.judged import UPHELD
from replay.round_columns import REST, screened_of
from replay.screening import Screen

AHEAD: Final = 2
"""Groups that each worker may be ahead of what is taken from it."""


class Group(NamedTuple):
    """Some rounds of a file: which of its row groups they are."""

    path: Path
    number: int
    file: pq.FileMetaData

    @property
    def screened(self) -> tuple[str, ...]:
        """The columns that screening reads."""
        return screened_of(self.file.schema.to_arrow_schema())

    def read(self, columns: Sequence[str]) -> pa.RecordBatch:
        """Read some columns of the rounds; those that rounds of their game do not have are left out."""
        there = set(self.file.schema.to_arrow_schema().names)
        with pq.ParquetFile(self.path, metadata=self.file) as opened:
            table = opened.read_row_group(
                self.number, columns=[name for name in columns if name in there], use_threads=False
            )
        return table.combine_chunks().to_batches()[0]


def groups_of(paths: Iterable[Path]) -> Iterator[Group]:
    """Yield the groups of files, in order."""
    for path in paths:
        file = pq.read_metadata(path)
        for index in range(file.num_row_groups):
            yield Group(path, index, file)


class Judged(NamedTuple):
    """A group with the columns that were asked for, what each of the screens says of it, and the states to start from.

    `rest` has for each row the state from which the single path tells it; null where every row is upheld.
    """

    group: Group
    batch: pa.RecordBatch
    said: list[pa.RecordBatch]
    rest: pa.Array | None


def judged_with_rest(group: Group, batch: pa.RecordBatch, said: list[pa.RecordBatch]) -> Judged:
    """Put together what screens say of a group, with what it takes to tell some of its rows where that may be asked for."""
    upheld = all((each.column("check").to_numpy() == UPHELD).all() for each in said)
    return Judged(group, batch, said, None if upheld else group.read((REST,)).column(REST))


class Engine(Protocol):
    """What has groups judged: threads of this process, or a cluster."""

    def judge(self, groups: Iterable[Group], screens: Sequence[Screen], columns: Sequence[str]) -> Iterator[Judged]:
        """Yield the groups judged, in order, each with these columns beside those that screening reads."""


class Threads:
    """Judges in this process: reading and kernels let go of Python's lock, so that threads use all processors."""

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def judge(self, groups: Iterable[Group], screens: Sequence[Screen], columns: Sequence[str]) -> Iterator[Judged]:
        """Yield the groups judged, in order."""

        def judged(group: Group) -> Judged:
            batch = group.read(tuple(dict.fromkeys((*group.screened, *columns))))
            return judged_with_rest(group, batch, [screen.judge(batch) for screen in screens])

        if self.workers == 1:
            yield from map(judged, groups)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            yield from in_order(groups, lambda group: pool.submit(judged, group), self.workers * AHEAD)


def in_order(groups: Iterable[Group], submit: Callable[[Group], Future[Judged]], ahead: int) -> Iterator[Judged]:
    """Yield what comes of groups in their order, with so many submitted before it is taken."""
    waiting: deque[Future[Judged]] = deque()
    try:
        for group in groups:
            waiting.append(submit(group))
            if len(waiting) > ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for left in waiting:
            left.cancel()
