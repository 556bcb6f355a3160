"""A SQLite file as a log and its results use it: WAL, one connection, and errors that say what to do. The only user of apsw."""

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw

from events.errors import AppendRefused, LogUnavailable
from events.log.high_water import sync

Connection = apsw.Connection

CHUNK = 1_024
"""Rows fetched at a time; between chunks no read transaction is held, so that a slow reader never stops a checkpoint."""


class DamagedDatabase(LogUnavailable):
    """SQLite says that the file is not, or no longer, a sound database."""


class Database:
    """One connection to a file: used by one thread at a time, its errors told as the log's own.

    `synchronous` is SQLite's: with `FULL` a commit is on the disk before it is answered. `page_bytes` counts for a new file.
    """

    def __init__(self, path: Path, *, read_only: bool, synchronous: str = "FULL", page_bytes: int = 4096) -> None:
        self.path, self.read_only, self._page_bytes = path, read_only, page_bytes
        self.lock = threading.RLock()
        self._connection: Connection | None = None
        with self.errors("opened"):
            self._connection = self._connect()
            if not read_only:
                _tried(self._connection, f"PRAGMA synchronous={synchronous}")
                _tried(self._connection, "PRAGMA cache_size=-65536")

    def _connect(self) -> Connection:
        if not self.read_only:
            connection = _tried(apsw.Connection(str(self.path)), f"PRAGMA page_size={self._page_bytes}")
            return _tried(connection, "PRAGMA journal_mode=WAL")
        try:
            connection = apsw.Connection(str(self.path), flags=apsw.SQLITE_OPEN_READONLY)
            return _tried(connection, "SELECT count(*) FROM sqlite_schema")
        except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.IOError):
            # A copy in a folder in which nothing can be created: without a -wal no one writes to it.
            if self.path.with_name(self.path.name + "-wal").exists():
                raise
            name = self.path.as_uri() + "?immutable=1"
            return apsw.Connection(name, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)

    @contextlib.contextmanager
    def errors(self, doing: str) -> Iterator[None]:
        """Turn apsw's errors into `LogUnavailable` (or, within a transaction, `AppendRefused`) that say what to do."""
        try:
            yield
        except (apsw.CorruptError, apsw.NotADBError) as error:
            raise DamagedDatabase(f"{self.path} could not be {doing}: {error}; keep the file and restore a copy") from error
        except apsw.SQLError as error:  # our statements are right: the tables are not those that we made
            raise DamagedDatabase(
                f"{self.path} could not be {doing}: {error}; it is damaged or another file: keep it and restore a copy"
            ) from error
        except apsw.FullError as error:
            raise AppendRefused(f"{self.path}: the disk is full; nothing was stored; free space and repeat") from error
        except apsw.BusyError as error:
            refused = AppendRefused if doing == "written" else LogUnavailable
            raise refused(f"{self.path} could not be {doing}: another program holds it locked") from error
        except apsw.Error as error:
            raise LogUnavailable(f"{self.path} could not be {doing}: {error}") from error

    @property
    def connection(self) -> Connection:
        """The open connection. Raises `LogUnavailable` after `close`."""
        if self._connection is None:
            raise LogUnavailable(f"{self.path} was closed")
        return self._connection

    def rows(self, sql: str, *values: Any) -> list[Any]:
        """Return all rows of a query."""
        with self.lock, self.errors("read"):
            try:
                return self.connection.execute(sql, values).fetchall()
            except UnicodeDecodeError as error:  # bytes if the schema allows only text
                raise DamagedDatabase(f"{self.path} could not be read: {error}; keep the file and restore a copy") from error

    def make_durable(self) -> None:
        """Sync what a writer that died may have left in the system's cache: from now on it counts as acknowledged."""
        wal = self.path.with_name(self.path.name + "-wal")
        with self.lock, self.errors("written"):
            try:
                if wal.exists():
                    sync(wal)
            except OSError as error:
                raise LogUnavailable(f"{wal}: {error.strerror}") from error
            self.connection.execute("PRAGMA wal_checkpoint").fetchall()  # if that sync failed once, another may lie

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Commit what is done inside as one, or leave nothing of it."""
        with self.lock, self.errors("written"):
            connection = self.connection
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(apsw.Error):
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection; a second time does nothing. Raises `LogUnavailable` if the disk fails (nothing is lost)."""
        with self.lock:
            connection, self._connection = self._connection, None
            if connection is not None:
                try:
                    connection.close()
                except apsw.Error as error:
                    raise LogUnavailable(f"{self.path} was not closed cleanly ({error}); nothing is lost by that") from error


def _tried(connection: Connection, sql: str) -> Connection:
    """Return a connection on which this statement runs; it is closed if the statement fails."""
    try:
        connection.set_busy_timeout(10_000)
        connection.execute(sql).fetchall()
    except apsw.Error:
        with contextlib.suppress(apsw.Error):  # what matters is why it failed
            connection.close()
        raise
    return connection
