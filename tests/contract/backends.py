"""The backends that keep the contract of a log, and what a test may ask of each.

A new backend is one module next to this one (`kafka_backend.py`) that puts its factory into `BACKENDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import apsw

from events.log.contract import CheckpointStore, EventLog
from events.log.hash_chain import link
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog

PROPERTY = "bellwether"


class Tamper(Protocol):
    """What somebody with the machine's rights can do to what is stored, behind the log's back."""

    def data(self, stream: str, seq: int) -> bytes: ...
    def replace(self, stream: str, seq: int, data: bytes) -> None: ...
    def remove(self, stream: str, seq: int) -> None: ...
    def swap(self, stream: str, one: int, other: int) -> None: ...
    def cut(self, stream: str, after: int) -> None: ...
    def rechain(self, stream: str, from_seq: int) -> None: ...


class Backend(Protocol):
    """One log of a backend in a folder of its own. `tamper` is None where a test cannot reach what is stored."""

    tamper: Tamper | None

    def create(self, **options: Any) -> EventLog:
        """Create the log of `PROPERTY` and open it for writing; options as for `open_log`."""

    def reopen(self, **options: Any) -> EventLog:
        """Close the writer if it is open, and open the log for writing again."""

    def open_second(self) -> EventLog:
        """Try to open the log for writing while it is open."""

    def open_reader(self, **options: Any) -> EventLog:
        """Open the log for reading only."""

    def open_checkpoints(self, log_id: str, **options: Any) -> CheckpointStore:
        """Open the checkpoints of the log; options as for `open_checkpoints`."""

    def close(self) -> None:
        """Close everything that was opened."""


class SqliteTamper:
    def __init__(self, path: Path) -> None:
        self.path = path

    def execute(self, sql: str, *values: Any) -> list[Any]:
        connection = apsw.Connection(str(self.path))
        try:
            with connection:
                connection.execute("DROP TRIGGER IF EXISTS events_stay; DROP TRIGGER IF EXISTS events_keep")
                return connection.execute(sql, values).fetchall()
        finally:
            connection.close()

    def data(self, stream: str, seq: int) -> bytes:
        return self.execute("SELECT data FROM events WHERE stream = ? AND seq = ?", stream, seq)[0][0]

    def replace(self, stream: str, seq: int, data: bytes) -> None:
        self.execute("UPDATE events SET data = ? WHERE stream = ? AND seq = ?", data, stream, seq)

    def remove(self, stream: str, seq: int) -> None:
        self.execute("DELETE FROM events WHERE stream = ? AND seq = ?", stream, seq)

    def swap(self, stream: str, one: int, other: int) -> None:
        for old, new in ((one, -1), (other, one), (-1, other)):
            self.execute("UPDATE events SET seq = ? WHERE stream = ? AND seq = ?", new, stream, old)

    def cut(self, stream: str, after: int) -> None:
        self.execute("DELETE FROM events WHERE stream = ? AND seq > ?", stream, after)

    def rechain(self, stream: str, from_seq: int) -> None:
        """Compute the chain again from a number on: what someone does who knows how the seal is made."""
        sql = "SELECT seq, hash FROM events WHERE stream = ? AND seq = ?"
        previous = self.execute(sql, stream, from_seq - 1)[0][1]
        rows = self.execute("SELECT seq, data FROM events WHERE stream = ? AND seq >= ? ORDER BY seq", stream, from_seq)
        for seq, data in rows:
            previous = link(previous, data)
            self.execute("UPDATE events SET hash = ? WHERE stream = ? AND seq = ?", previous, stream, seq)


class SqliteBackend:
    def __init__(self, folder: Path) -> None:
        self.path = folder / "floor.db"
        self.tamper: Tamper | None = SqliteTamper(self.path)
        self.writer: SqliteLog | None = None
        self.opened: list[SqliteLog | SqliteCheckpoints] = []

    def create(self, **options: Any) -> EventLog:
        self.writer = SqliteLog(self.path, property_id=PROPERTY, create=True, **options)
        return self.writer

    def reopen(self, **options: Any) -> EventLog:
        if self.writer is not None:
            self.writer.close()
        self.writer = None
        self.writer = SqliteLog(self.path, **options)
        return self.writer

    def open_second(self) -> EventLog:
        return SqliteLog(self.path)

    def open_reader(self, **options: Any) -> EventLog:
        reader = SqliteLog(self.path, read_only=True, **options)
        self.opened.append(reader)
        return reader

    def open_checkpoints(self, log_id: str, **options: Any) -> CheckpointStore:
        store = SqliteCheckpoints(f"{self.path}.checkpoints", log_id=log_id, **options)
        self.opened.append(store)
        return store

    def close(self) -> None:
        for log in [*self.opened, *([self.writer] if self.writer is not None else [])]:
            log.close()


BACKENDS: dict[str, Callable[[Path], Backend]] = {"sqlite": SqliteBackend}
