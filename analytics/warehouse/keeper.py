"""Keeps a warehouse up to date while a replay follows the log, in a thread of its own, so that judging never waits."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

from analytics.warehouse.feed import build_warehouse
from events.log.contract import EventLog, ResultStore

BUILD_EVERY_S = 1.0
"""Seconds between the starts of two builds while a replay follows the log."""
REST = 0.1
"""The rest between two builds, as a share of the last build's time."""
INTERRUPTED = "Query interrupted"
"""The text of DuckDB's `RuntimeError` after Ctrl-C."""


def build_what_can_be_read(path: Path, log: EventLog, results: ResultStore) -> list[str]:
    """Build the warehouse from readable streams; return the broken ones."""
    broken: dict[str, str] = {}
    try:
        build_warehouse(path, log, results, broken=broken)
    except RuntimeError as error:
        if str(error) == INTERRUPTED:
            raise KeyboardInterrupt from error
        raise
    return list(broken.values())


class WarehouseKeeper:
    """Builds the warehouse after new verdicts, in a thread with its own readers, so that judging never waits."""

    def __init__(self, path: Path, log: Callable[[], EventLog], results: Callable[[], ResultStore]) -> None:
        self._path, self._log, self._results = path, log, results
        self._thread, self._open = ThreadPoolExecutor(1, thread_name_prefix="warehouse"), ExitStack()
        self._readers: tuple[EventLog, ResultStore] | None = None
        self._building: Future[float] | None = None
        self._built, self._next_s = -1, 0.0

    def offer(self, changed: int) -> None:
        """Begin a build if verdicts have changed since the last one, and it is time. Raises the last build's error."""
        if self._building is not None:
            if not self._building.done():
                return
            self._next_s, self._building = self._building.result(), None
        if changed != self._built and time.monotonic() >= self._next_s:
            self._built = changed
            self._building = self._thread.submit(self._build)

    def _build(self) -> float:
        """Build; return when the next build may begin (monotonic clock)."""
        start_s = time.monotonic()
        if self._readers is None:
            log = self._open.enter_context(closing(self._log()))
            self._readers = log, self._open.enter_context(closing(self._results()))
        build_what_can_be_read(self._path, *self._readers)
        end_s = time.monotonic()
        return max(start_s + BUILD_EVERY_S, end_s + REST * (end_s - start_s))

    def close(self) -> None:
        """Wait for the running build, and begin no other."""
        self._thread.shutdown()
        self._open.close()
