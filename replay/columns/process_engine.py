"""The engine of several processes of this machine: each opens the log for itself, and does all the work on a group.

The law of this file: several processes reach the results that one process reaches. Processes and not threads: writing verdicts
from columns and event replay are Python, which runs in one thread of a process at a time.
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
from replay.columns.row_groups import GROUPS_AHEAD, Group, Job, ScreenedGroup, screen_group, submit_ahead
from replay.installed_games import add_installed_games

LEVEL: Final = 1
"""The compression of results on their way: verdicts are much alike, and come out fifty times smaller at little cost."""

T = TypeVar("T")
ErrorParts = tuple[type[Exception], tuple[Any, ...], dict[str, Any]]
Opener = Callable[[], EventLog]
"""Opens the log for reading; it can be sent to another process."""


class ProcessLost(Exception):
    """A process was ended from outside before it was done."""


class ProcessEngine:
    """Runs jobs in processes that last until `close`; `opener` opens the log that the groups were made from."""

    def __init__(self, workers: int, opener: Opener) -> None:
        self.workers, self._opener = workers, opener
        self._pool = ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), _begin)

    def __enter__(self) -> ProcessEngine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)

    def run(self, job: Job[T], groups: Iterable[Group], log: EventLog) -> Iterator[T]:
        """Yield what comes of each group, in order. Raises what was raised there, and `ProcessLost`."""
        sent = pickle.dumps((self._opener, job))

        def submit(group: Group) -> Future[bytes]:
            return self._pool.submit(_work, sent, group)

        try:
            for future in submit_ahead(groups, submit, self.workers * GROUPS_AHEAD, Future.cancel):
                yield _unpacked(future.result())
        except BrokenProcessPool as error:
            raise ProcessLost(
                "a process that judged was ended from outside, as happens where memory runs out: nothing is lost; run it "
                "again, with fewer --workers"
            ) from error


def _begin() -> None:
    """Know the games that the process that asked knows, leave interrupts to it, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a process that another one started"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    add_installed_games()


@lru_cache(maxsize=1)
def _ready(sent: bytes) -> tuple[Job[Any], Callable[[ScreenedGroup], Any]]:
    opener, job = pickle.loads(sent)
    return job, job.at(opener())


def _work(sent: bytes, group: Group) -> bytes:
    error_parts, output = None, None
    try:
        job, finish = _ready(sent)
        with relaxed_gc():
            output = finish(screen_group(group, job))
    except Exception as error:  # it is raised again in the process that asked for the work
        error_parts = _parts(error)
    return zstandard.compress(pickle.dumps((error_parts, output)), LEVEL)


def _unpacked(packed: bytes) -> Any:
    error_parts, output = pickle.loads(zstandard.decompress(packed))
    if error_parts is not None:
        raise _restored(*error_parts)
    return output


def _parts(error: Exception) -> ErrorParts:
    """Return the parts of an error: pickling would lose an error whose arguments are not those of its constructor."""
    return type(error), error.args, error.__dict__


def _restored(cls: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error
