"""The backends that keep the contract of a log, and what a test may ask of each.

A new backend is one module next to this one (`kafka_backend.py`) that puts its factory into `BACKENDS`.
"""

import zlib
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol
from unittest.mock import patch

import apsw

from events.log.contract import CheckpointStore, EventLog
from events.log.hash_chain import link
from events.sqlite import packs
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


def unpack_all(connection: apsw.Connection) -> None:
    """Put every packed event into a row of its own, before the rows that are there, so that SQL reaches it."""
    packed: list[Any] = connection.execute("SELECT * FROM packs").fetchall()
    for pos, stream, first, last, data, hashes in packed:
        for seq, event, hash_ in packs.unpack(stream, first, last, data, hashes):
            place = pos * 1_000 - 10**12 + seq - first
            connection.execute("INSERT INTO events VALUES (?, ?, ?, ?, ?)", (place, stream, seq, event, hash_))
    connection.execute("DELETE FROM packs")


class SqliteTamper:
    packed = False

    def __init__(self, path: Path) -> None:
        self.path = path

    def execute(self, sql: str, *values: Any) -> list[Any]:
        connection = apsw.Connection(str(self.path))
        try:
            with connection:
                for trigger in ("events_stay", "events_keep", "packs_stay", "packs_keep"):
                    connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
                if not self.packed and connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'packs'").fetchall():
                    unpack_all(connection)
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


def in_rows(path: Path) -> None:
    """Put every event of a log into a row of its own, and let SQL change it: for tests that reach into the table of events."""
    SqliteTamper(path).execute("SELECT 1")


Events = dict[int, tuple[bytes, bytes]]


class PackedTamper(SqliteTamper):
    """Reaches into packs, too: who rules over the file packs again what he changed."""

    packed = True

    def events(self, stream: str) -> Events:
        found = {seq: (data, hash_) for seq, data, hash_ in self._rows(stream)}
        for _, first, last, data, hashes in self._packs(stream):
            found |= {seq: (event, hash_) for seq, event, hash_ in packs.unpack(stream, first, last, data, hashes)}
        return found

    def _rows(self, stream: str) -> list[Any]:
        return self.execute("SELECT seq, data, hash FROM events WHERE stream = ?", stream)

    def _packs(self, stream: str) -> list[Any]:
        return self.execute("SELECT pos, first, last, data, hashes FROM packs WHERE stream = ?", stream)

    def store(self, stream: str, events: Events) -> None:
        """Store events where the events of the same numbers were; what is missing of a pack leaves two of it."""
        for seq, *_ in self._rows(stream):
            self.execute("DELETE FROM events WHERE (stream, seq) = (?, ?) AND NOT ?", stream, seq, seq in events)
            sql = "UPDATE events SET data = ?, hash = ? WHERE (stream, seq) = (?, ?)"
            self.execute(sql, *events.get(seq, (b"", b"")), stream, seq)
        for pos, first, last, *_ in self._packs(stream):
            self.execute("DELETE FROM packs WHERE pos = ?", pos)
            left = [seq for seq in range(first, last + 1) if seq in events]
            for _, part in groupby(enumerate(left), lambda each: each[1] - each[0]):
                seqs = [seq for _, seq in part]
                data, hashes = zip(*(events[seq] for seq in seqs), strict=True)
                zipping = zlib.compressobj(wbits=-15)
                packed = zipping.compress(b"\n".join(data)) + zipping.flush()
                place = pos - (last - seqs[-1])
                sql = "INSERT INTO packs VALUES (?, ?, ?, ?, ?, ?)"
                self.execute(sql, place, stream, seqs[0], seqs[-1], packed, b"".join(hashes))

    def data(self, stream: str, seq: int) -> bytes:
        return self.events(stream)[seq][0]

    def replace(self, stream: str, seq: int, data: bytes) -> None:
        events = self.events(stream)
        self.store(stream, events | {seq: (data, events[seq][1])})

    def remove(self, stream: str, seq: int) -> None:
        self.cut(stream, seq - 1, seq)

    def swap(self, stream: str, one: int, other: int) -> None:
        events = self.events(stream)
        self.store(stream, events | {one: events[other], other: events[one]})

    def cut(self, stream: str, after: int, upto: int = 2**63) -> None:
        self.store(stream, {seq: each for seq, each in self.events(stream).items() if not after < seq <= upto})

    def rechain(self, stream: str, from_seq: int) -> None:
        events = self.events(stream)
        for seq in sorted(seq for seq in events if seq >= from_seq):
            data = events[seq][0]
            events[seq] = data, link(events[seq - 1][1], data)
        self.store(stream, events)


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


class PackedBackend(SqliteBackend):
    """A log that packs its events three at a time, so that a small one has packs."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.tamper = PackedTamper(self.path)
        self._packing = patch.object(packs, "PACKED", 3)
        self._packing.start()

    def close(self) -> None:
        super().close()
        self._packing.stop()


BACKENDS: dict[str, Callable[[Path], Backend]] = {"sqlite": SqliteBackend, "packed": PackedBackend}
