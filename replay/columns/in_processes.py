"""Jobs done by several processes of this machine: each opens the log for itself, and does all there is to do with a group.

The law of this file: what processes say is what one says. Python runs in one thread of a process at a time, and what makes
verdicts of columns, or tells a round event by event, is Python; so threads would not do.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Any, Final, TypeVar

import zstandard

from events.log.contract import EventLog
from events.log.relaxed_gc import relaxed_gc
from replay.columns.row_groups import AHEAD, Group, Job, Judged, ahead, judged

LEVEL: Final = 1
"""How hard what comes of a group is pressed on its way: verdicts are much alike, and fifty times smaller for next to nothing."""

T = TypeVar("T")
Raised = tuple[type[Exception], tuple[Any, ...], dict[str, Any]]
Opener = Callable[[], EventLog]
"""Opens the log for reading; it can be sent to another process."""


class ProcessLost(Exception):
    """A process was ended from outside before it was done."""


class Processes:
    """Does jobs in processes that last until `close`; `opener` opens the log that the groups were made from."""

    def __init__(self, workers: int, opener: Opener) -> None:
        self.workers, self._opener = workers, opener
        self._pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin)

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)

    def each(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order. Raises what was raised there, and `ProcessLost`."""
        sent = pickle.dumps((self._opener, job))

        def submit(group: Group) -> Future[bytes]:
            return self._pool.submit(_work, sent, group)

        try:
            for future in ahead(groups, submit, self.workers * AHEAD, Future.cancel):
                yield _unpacked(future.result())
        except BrokenProcessPool as error:
            raise ProcessLost(
                "a process that judged was ended from outside, as happens where memory runs out: nothing is lost; run it "
                "again, with fewer --workers"
            ) from error


def _begin() -> None:
    """Leave interrupts to the process that asked, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a process that another one started"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


@lru_cache(maxsize=1)
def _ready(sent: bytes) -> tuple[Job[Any], Callable[[Judged], Any]]:
    opener, job = pickle.loads(sent)
    return job, job.at(opener())


def _work(sent: bytes, group: Group) -> bytes:
    raised, made = None, None
    try:
        job, finish = _ready(sent)
        with relaxed_gc():
            made = finish(judged(group, job))
    except Exception as error:  # whatever it is, it is raised where the work was asked for
        raised = _parts(error)
    return zstandard.compress(pickle.dumps((raised, made)), LEVEL)


def _unpacked(done: bytes) -> Any:
    raised, made = pickle.loads(zstandard.decompress(done))
    if raised is not None:
        raise _again(*raised)
    return made


def _parts(error: Exception) -> Raised:
    """What an error is made of: pickling one that is made of other things than it says would not bring it back."""
    return type(error), error.args, error.__dict__


def _again(cls: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error
