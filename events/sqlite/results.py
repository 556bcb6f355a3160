"""The results beside a log on one machine: records, positions and snapshots in one SQLite file, one transaction a commit."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from events.errors import LogUnavailable
from events.sqlite.database import CHUNK, Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS positions (engine TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL,
                                      PRIMARY KEY (engine, stream)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshots (engine TEXT NOT NULL, stream TEXT NOT NULL, data BLOB NOT NULL,
                                      PRIMARY KEY (engine, stream)) STRICT;
CREATE TABLE IF NOT EXISTS records (pos INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL)
    STRICT;
CREATE INDEX IF NOT EXISTS records_by_key ON records (kind, key, pos);
CREATE INDEX IF NOT EXISTS records_by_kind ON records (kind, pos);
"""
_ADD_RECORD = """
INSERT INTO records (kind, key, data) SELECT ?1, ?2, ?3
WHERE (SELECT data FROM records WHERE kind = ?1 AND key = ?2 ORDER BY pos DESC LIMIT 1) IS NOT ?3
"""

PAGE_BYTES = 16_384
"""What a page of the file holds: an adjudication has some 5,000 bytes, and two or three go on a page without overflowing it."""


class SqliteResults:
    """The results beside a log (see `events.log.contract.ResultStore`): `<log path>.verdicts`, or any other path.

    Raises `LogUnavailable` where the file cannot be opened, or read only where there is none.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        if read_only and not self.path.is_file():
            raise LogUnavailable(f"there are no results at {self.path}; replay the log first")
        self._database = Database(self.path, read_only=read_only, synchronous="NORMAL", page_bytes=PAGE_BYTES)
        if not read_only:
            try:
                with self._database.transaction() as connection:
                    connection.execute(_SCHEMA)
            except BaseException:
                with contextlib.suppress(LogUnavailable):  # what matters is why it failed
                    self._database.close()
                raise

    def positions(self, engine: str) -> dict[str, int]:
        """Return stream → last number replayed by this engine digest."""
        return dict(self._database.rows("SELECT stream, seq FROM positions WHERE engine = ?", engine))

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of this engine digest only."""
        return dict(self._database.rows("SELECT stream, data FROM snapshots WHERE engine = ?", engine))

    def commit(
        self,
        engine: str,
        positions: Mapping[str, int],
        snapshots: Mapping[str, bytes],
        records: Sequence[tuple[str, str, bytes]],
    ) -> None:
        """Store records, snapshots and positions atomically; the state of any other engine is thrown away."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM positions WHERE engine <> ?", (engine,))
            connection.execute("DELETE FROM snapshots WHERE engine <> ?", (engine,))
            rows = [(engine, stream, seq) for stream, seq in positions.items()]
            connection.executemany("INSERT OR REPLACE INTO positions VALUES (?, ?, ?)", rows)
            images = [(engine, stream, image) for stream, image in snapshots.items()]
            connection.executemany("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", images)
            connection.executemany(_ADD_RECORD, records)

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, repeats of identical records dropped."""
        pos = 0
        while True:
            sql = "SELECT pos, key, data FROM records WHERE kind = ? AND pos > ? ORDER BY pos LIMIT ?"
            rows = self._database.rows(sql, kind, pos, CHUNK)
            for _, key, data in rows:
                yield key, data
            if len(rows) < CHUNK:
                return
            pos = rows[-1][0]

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key, or null."""
        sql = "SELECT data FROM records WHERE kind = ? AND key = ? ORDER BY pos DESC LIMIT 1"
        rows = self._database.rows(sql, kind, key)
        return rows[0][0] if rows else None

    def reset(self) -> None:
        """Forget positions and snapshots (not the records): the next replay starts at the beginning."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM positions; DELETE FROM snapshots")

    def close(self) -> None:
        """Release everything."""
        self._database.close()
