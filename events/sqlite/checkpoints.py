"""The store of checkpoints: next to a log on one machine in `<log>.checkpoints`, on Kafka in `<prefix>.checkpoints`.

Batches are only ever added. A high-water file apart from the store (`<log>.checkpoints.high-water`, or in `.rack/`) holds
the last checkpoint that was made, so that a store which was rolled back cannot hide it.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from events.errors import AppendRefused, WrongSequence
from events.log.contract import Head
from events.log.high_water import HighWater, sync
from events.log.lock import take_lock
from events.proofs.statements import CHECKPOINTS
from events.sqlite.database import CHUNK, DamagedDatabase, Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS checkpoints (size INTEGER PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TRIGGER IF NOT EXISTS checkpoints_stay BEFORE DELETE ON checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
CREATE TRIGGER IF NOT EXISTS checkpoints_keep BEFORE UPDATE ON checkpoints
    BEGIN SELECT RAISE(ABORT, 'checkpoints are append-only'); END;
"""


class SqliteCheckpoints:
    """The checkpoints next to a log in SQLite (see `events.log.contract.CheckpointStore`). To readers, no file is an empty store.

    The right to add to them is a lock of the kernel, which cannot be taken away: `if_free` changes nothing here.
    """

    def __init__(self, path: str | os.PathLike[str], *, log_id: str, read_only: bool = False, if_free: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        self._resources = contextlib.ExitStack()
        self._high_water = HighWater(self.path.with_name(self.path.name + ".high-water"), log_id)
        self._resources.callback(self._high_water.close)
        self._database: Database | None = None
        self._read_only = read_only
        if read_only:
            self._open_if_there()
            return
        try:
            self._resources.callback(os.close, take_lock(self.path))
            self._database = Database(self.path, read_only=False)
            self._resources.callback(self._database.close)
            with self._database.transaction() as connection:
                connection.execute(_SCHEMA)
            sync(self.path.parent)
        except BaseException:
            self.close()
            raise

    def batches(self, after: int = 0) -> Iterator[bytes]:
        """Yield the encoded batches beyond this many statements, in their order."""
        self._open_if_there()
        while self._database is not None:
            sql = "SELECT size, data FROM checkpoints WHERE size > ? ORDER BY size LIMIT ?"
            rows = self._database.rows(sql, after, CHUNK)
            for size, data in rows:
                if not isinstance(size, int) or not isinstance(data, bytes):  # the schema allows nothing else
                    raise DamagedDatabase(
                        f"{self.path} could not be read: a checkpoint beyond statement {after} is not stored as bytes; "
                        "keep the file and restore a copy"
                    )
                yield data
            if len(rows) < CHUNK:
                return
            after = rows[-1][0]

    def _open_if_there(self) -> None:
        """Open the file for reading as soon as there is one."""
        if self._database is None and self._read_only and self.path.is_file():
            self._database = Database(self.path, read_only=True)
            self._resources.callback(self._database.close)

    def append(self, before: int, data: bytes, head: Head) -> None:
        """Add a batch durably (see `events.log.contract.CheckpointStore`)."""
        if self._database is None or self._read_only:
            raise AppendRefused(f"{self.path} is open for reading only")
        try:
            self._high_water.reserve(1)
        except OSError as error:
            raise AppendRefused(f"{self._high_water.path}: {error.strerror}; no checkpoint was stored") from error
        with self._database.transaction() as connection:
            last = int(connection.execute("SELECT coalesce(max(size), 0) FROM checkpoints").fetchall()[0][0] or 0)
            if last != before:
                raise WrongSequence(CHECKPOINTS, before + 1, last + 1)
            connection.execute("INSERT INTO checkpoints VALUES (?, ?)", (head.seq, data))
        self._high_water.acknowledge(CHECKPOINTS, head)

    def acknowledged(self) -> Head | None:
        """Return the last checkpoint that was made on this machine."""
        return self._high_water.load().get(CHECKPOINTS)

    def close(self) -> None:
        """Release everything."""
        self._resources.close()
