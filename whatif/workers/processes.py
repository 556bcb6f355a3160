"""The pool of several processes of this machine: each opens the log for itself.

Invariant: several processes give the same results as one. Processes, not threads: judging is Python, which runs in one thread of
a process at a time. The work of a killed process is done again.
"""

import multiprocessing
import os
import pickle
import signal
import threading
import traceback
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache
from typing import Any, Final, TypeVar

from events.log.contract import EventLog
from events.log.relaxed_gc import relaxed_gc
from replay.installed_games import add_installed_games
from whatif.workers.pool import PARTS_AHEAD, Job, WorkerLost

LEVEL: Final = 1
"""The compression of results sent back: verdicts are similar, so they become many times smaller at little cost."""
MOST_LOSSES: Final = 3
"""Processes lost in a row before a part is given up: then the work itself kills them."""

P = TypeVar("P")
T = TypeVar("T")
ErrorParts = tuple[type[Exception], tuple[Any, ...], dict[str, Any]]
Opener = Callable[[], EventLog]
"""Opens the log for reading; it can be sent to another process."""


class ProcessPool:
    """Runs jobs in processes that last until `close`; `opener` opens the parts' log."""

    def __init__(self, workers: int, opener: Opener) -> None:
        self.workers, self._opener = workers, opener
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), _begin)

    def __enter__(self) -> "ProcessPool":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown(cancel_futures=True)

    def run(self, job: Job[P, T], parts: Iterable[P], log: EventLog) -> Iterator[T]:
        """Yield the result of each part, in order. Raises the job's errors, and `WorkerLost`."""
        sent, waiting = pickle.dumps((self._opener, job)), deque[tuple[P, Future[bytes] | None]]()
        left, losses = iter(parts), 0
        try:
            while True:
                while len(waiting) <= self.workers * PARTS_AHEAD:
                    try:
                        waiting.append((next(left), None))
                    except StopIteration:
                        break
                if not waiting:
                    return
                try:
                    waiting = deque((part, made or self._pool.submit(work, sent, part)) for part, made in waiting)
                    done = waiting[0][1]
                    assert done is not None, "every part was submitted"
                    packed = done.result()
                except BrokenProcessPool as lost:
                    losses += 1
                    if losses > MOST_LOSSES:
                        raise WorkerLost(
                            f"processes were ended from outside {losses} times in a row, as happens where memory runs out: "
                            "nothing is lost; run it again, with fewer --workers"
                        ) from lost
                    self._pool.shutdown()
                    self._pool = self._started()
                    waiting = deque((part, made if _is_done(made) else None) for part, made in waiting)
                    continue
                losses = 0
                waiting.popleft()
                yield unpacked(packed)
        finally:
            for _, unfinished in waiting:
                if unfinished is not None:
                    unfinished.cancel()


def _is_done(made: Future[bytes] | None) -> bool:
    return made is not None and made.done() and not made.cancelled() and made.exception() is None


def _begin() -> None:
    """Register the parent's games, leave interrupts to the parent, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "this runs in a process that another one started"

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
    add_installed_games()


@lru_cache(maxsize=1)
def _ready(sent: bytes) -> Callable[[Any], Any]:
    opener, job = pickle.loads(sent)
    make: Callable[[Any], Any] = job.at(opener())
    return make


def work(sent: bytes, part: Any) -> bytes:
    """Run a job on a part in another process. `sent` has the log's opener and the job."""
    error_parts, output = None, None
    try:
        with relaxed_gc():
            output = _ready(sent)(part)
    except Exception as error:  # it is raised again in the process that asked for the work
        error.add_note("".join(traceback.format_tb(error.__traceback__)))
        error_parts = _parts(error)
    return zlib.compress(pickle.dumps((error_parts, output)), LEVEL)


def unpacked(packed: bytes) -> Any:
    """Return the result of a part, or raise its error."""
    error_parts, output = pickle.loads(zlib.decompress(packed))
    if error_parts is not None:
        raise _restored(*error_parts)
    return output


def _parts(error: Exception) -> ErrorParts:
    """Return the parts of an error; pickling fails if its arguments differ from those of its constructor."""
    return type(error), error.args, error.__dict__


def _restored(cls: type[Exception], args: tuple[Any, ...], state: dict[str, Any]) -> Exception:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    return error
