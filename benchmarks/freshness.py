"""The age of a page's content: from the last event of a round at its device until the warehouse has the round.

40 tables send every event when it happens, through the gateway (`benchmarks.from_device`), and `rack replay --follow --warehouse`
judges and updates the warehouse; the pages show a new generation at once. The time of a round counts from the moment when its
last event was due. `--log` and `--warehouse` name a log with a history, to which events are appended.
"""

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from analytics.warehouse.generations import stamp
from analytics.warehouse.warehouse import reading
from benchmarks.delay import PROPERTY, Key
from benchmarks.from_device import TABLES, play, script
from benchmarks.measuring import Measured, delayed
from benchmarks.through_gateway import gateway
from events.open import open_log

SECONDS = 240
GOAL_S = 3.0
POLL_S = 0.05
WAIT_LIMIT_S = 600.0
STREAMS = [f"table/fd-{number:02d}" for number in range(TABLES)]


class GenerationWatch(threading.Thread):
    """Records when the warehouse has each round of the playing tables (monotonic clock)."""

    def __init__(self, warehouse: Path) -> None:
        super().__init__(daemon=True)
        self._warehouse, self._done = warehouse, threading.Event()
        self.seen: dict[Key, float] = {}

    def run(self) -> None:
        """Read each new generation until ended."""
        last = None
        while not self._done.wait(POLL_S):
            now = stamp(self._warehouse) if self._warehouse.exists() else None
            if now != last:
                last, at_s = now, time.monotonic()
                for key in self._rounds():
                    self.seen.setdefault(key, at_s)

    def _rounds(self) -> list[Key]:
        with reading(self._warehouse) as db:
            sql = "SELECT stream, round_no FROM fct_rounds WHERE list_contains($streams, stream)"
            return [(stream, round_no) for stream, round_no in db.sql(sql, params={"streams": STREAMS}).fetchall()]

    def end(self) -> None:
        """Stop reading."""
        self._done.set()
        self.join()


@contextmanager
def _following(address: str, warehouse: Path) -> Iterator[None]:
    """Judge a log and build its warehouse in a process of its own; begin once there is a warehouse."""
    command = ["replay", "--log", address, "--follow", "--warehouse", str(warehouse), "--quiet"]
    with subprocess.Popen([sys.executable, "-m", "rack.cli", *command], stdout=subprocess.DEVNULL) as process:
        try:
            until_s = time.monotonic() + WAIT_LIMIT_S
            while not warehouse.exists():
                if process.poll() is not None or time.monotonic() > until_s:
                    raise SystemExit("the replayer does not bring up the warehouse")
                time.sleep(POLL_S)
            yield
        finally:
            process.send_signal(signal.SIGINT)


def measure(folder: Path, seconds: float = SECONDS, address: str | None = None, warehouse: Path | None = None) -> Measured:
    """Play in real time; return the delays until the warehouse has a round, as the median; the 99th percentile is a note."""
    if address is None:
        address = f"sqlite://{folder}/fresh.db"
        open_log(address, create=True, property_id=PROPERTY).close()
    with closing(open_log(address, read_only=True)) as log:
        if set(STREAMS) & set(log.streams()):
            raise SystemExit(f"{address} holds the rounds of an earlier measurement; measure on a copy made before it")
    warehouse = warehouse or folder / "warehouse.duckdb"
    with gateway(address, folder) as (port, _), _following(address, warehouse):
        watch = GenerationWatch(warehouse)
        watch.start()
        due = play(port, script(1.0, seconds), 1.0, seconds).rounds
        until_s = time.monotonic() + WAIT_LIMIT_S
        while not due.keys() <= watch.seen.keys() and time.monotonic() < until_s:
            time.sleep(POLL_S)
        watch.end()
    delays = sorted(watch.seen[key] - due_s for key, due_s in due.items())
    title = f"From device to what a page shows, SQLite, {TABLES} tables in real time"
    return delayed("page", title, delays, GOAL_S, rounds=len(delays))
