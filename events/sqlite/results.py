"""The results next to a log on one machine: records, positions and snapshots in one SQLite file, one transaction a commit."""

import contextlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from events.errors import LogUnavailable, ResultBroken, SecondWriter
from events.log.contract import NO_ADVICE, ChainedResult, Head
from events.log.foreign import OwnStore
from events.log.lock import take_lock
from events.log.result_chain import JUDGE_AGAIN, ResultChains, ResultPosition, position_digest, stream_of
from events.sqlite.database import CHUNK, Connection, Database

_SCHEMA = """
CREATE TABLE IF NOT EXISTS positions (engine TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL,
                                      hash BLOB NOT NULL DEFAULT x'', digest BLOB NOT NULL DEFAULT x'',
                                      PRIMARY KEY (engine, stream)) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS snapshots (engine TEXT NOT NULL, stream TEXT NOT NULL, data BLOB NOT NULL,
                                      PRIMARY KEY (engine, stream)) STRICT;
CREATE TABLE IF NOT EXISTS records (pos INTEGER PRIMARY KEY, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL,
                                    stream TEXT NOT NULL DEFAULT '', place INTEGER NOT NULL DEFAULT 0,
                                    hash BLOB NOT NULL DEFAULT x'') STRICT;
CREATE TABLE IF NOT EXISTS advice (stream TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS chains (stream TEXT PRIMARY KEY, place INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS discarded (pos INTEGER NOT NULL, kind TEXT NOT NULL, key TEXT NOT NULL, data BLOB NOT NULL,
                                      stream TEXT NOT NULL, place INTEGER NOT NULL, hash BLOB NOT NULL) STRICT;
"""
_INDEXES = """
CREATE INDEX IF NOT EXISTS records_by_key ON records (kind, key, pos);
CREATE INDEX IF NOT EXISTS records_by_kind ON records (kind, pos);
CREATE INDEX IF NOT EXISTS records_by_place ON records (stream, place);
"""
_WITHOUT_CHAINS = """
ALTER TABLE records ADD COLUMN stream TEXT NOT NULL DEFAULT '';
ALTER TABLE records ADD COLUMN place INTEGER NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE positions ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE positions ADD COLUMN digest BLOB NOT NULL DEFAULT x'';
"""
_LATEST = "SELECT data FROM records WHERE kind = ? AND key = ? ORDER BY pos DESC LIMIT 1"
_LATEST_OF_STREAM = "SELECT data FROM records WHERE kind = ? AND key = ? AND stream = ? ORDER BY pos DESC LIMIT 1"
_ADD_RECORD = "INSERT INTO records (stream, place, kind, key, data, hash) VALUES (?, ?, ?, ?, ?, ?)"

PAGE_BYTES = 16_384
"""The page size of the file: an adjudication has some 5,000 bytes, and two or three fit on a page."""


class SqliteResults(OwnStore):
    """The results next to a log (see `events.log.contract.ResultStore`): `<log path>.verdicts`, or any other path.

    Raises `LogUnavailable` if the file cannot be opened, or read only if none exists, and `SecondWriter` if another
    replayer writes there.
    """

    def __init__(self, path: str | os.PathLike[str], *, read_only: bool = False) -> None:
        self.path = Path(os.path.realpath(path))
        self._resources = contextlib.ExitStack()
        self._unchained = 0
        if read_only and not self.path.is_file():
            raise LogUnavailable(f"there are no results at {self.path}; replay the log first")
        try:
            if not read_only:
                self._resources.callback(os.close, self._take_right())
            self._database = Database(self.path, read_only=read_only, synchronous="NORMAL", page_bytes=PAGE_BYTES)
            self._resources.callback(self._database.close)
            if not read_only:
                with self._database.transaction() as connection:
                    self._unchained = _prepare(connection)
            self._chained = bool(self._database.rows("SELECT 1 FROM pragma_table_info('records') WHERE name = 'place'"))
        except BaseException:
            with contextlib.suppress(LogUnavailable):  # what matters is why it failed
                self._resources.close()
            raise
        self._heads = self.chain_heads()

    def _take_right(self) -> int:
        try:
            return take_lock(self.path)
        except SecondWriter as held:
            raise SecondWriter(
                f"another replayer is at work: {held.args[0].partition(';')[0]}; wait until it ends, or stop it, and repeat"
            ) from held

    def positions(self, engine: str) -> dict[str, Head]:
        """Return stream → the log's head up to which this engine replayed it, where the digest fits."""
        return {stream: position.head for stream, (position, fits) in self._state(engine).items() if fits}

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of this engine digest only, where the digest fits."""
        return {
            stream: position.snapshot
            for stream, (position, fits) in self._state(engine).items()
            if fits and position.snapshot is not None
        }

    def misfits(self, engine: str) -> dict[str, str]:
        """Return stream → why the position or snapshot of this engine does not fit its digest."""
        return {
            stream: f"the stored position ({position.head.seq}) or its snapshot was altered: they do not fit their digest"
            for stream, (position, fits) in self._state(engine).items()
            if not fits
        }

    def _state(self, engine: str) -> dict[str, tuple[ResultPosition, bool]]:
        """Return stream → position, and whether it fits its digest."""
        if not self._chained:
            return {}
        rows = self._database.rows(
            "SELECT stream, seq, hash, digest, data FROM positions LEFT JOIN snapshots USING (engine, stream) WHERE engine = ?",
            engine,
        )
        state = {}
        for stream, seq, hash_, digest, snapshot in rows:
            position = ResultPosition(Head(seq, hash_), snapshot)
            state[stream] = position, seq >= 0 and position_digest(engine, stream, position) == digest
        return state

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that an engine replayed, whichever that was."""
        return dict(self._database.rows("SELECT stream, max(seq) FROM positions GROUP BY stream"))

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[tuple[str, str, bytes]],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Store records, snapshots, positions and advice atomically; of another engine's state remains how far it came."""
        chains = ResultChains(self._heads)
        with self._database.transaction() as connection:
            connection.execute("UPDATE OR REPLACE positions SET engine = '' WHERE engine NOT IN (?, '')", (engine,))
            marks = [(stream,) for stream in positions]
            connection.executemany("DELETE FROM positions WHERE engine = '' AND stream = ?", marks)
            connection.execute("DELETE FROM snapshots WHERE engine <> ?", (engine,))
            for stream in anew:
                _discard(connection, stream)
                chains.restart(stream)
            _store_state(connection, engine, positions, snapshots)
            _store_records(connection, chains, records)
            connection.executemany("INSERT OR REPLACE INTO advice VALUES (?, ?)", list(advice.items()))
        self._heads = chains.heads

    def advice(self) -> dict[str, bytes]:
        """Return stream → the advice kept last; nothing of a file from before there was any."""
        if not self._database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'advice'"):
            return {}
        return dict(self._database.rows("SELECT stream, data FROM advice WHERE length(data) > 0"))

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
        """Return the last record of a kind under a key, or None."""
        rows = self._database.rows(_LATEST, kind, key)
        return rows[0][0] if rows else None

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (of one stream, past a place) with its place, in the order committed.

        Of a file from before there were chains, the records have neither stream nor place, and all of them are yielded.
        """
        if stream is None or not self._chained:
            yield from self._in_order()
            return
        place, pos = (after, 2**63 - 1) if after else (-(2**63), -(2**63))
        while True:
            rows = self._database.rows(
                "SELECT place, pos, kind, key, data, hash FROM records WHERE stream = ? AND (place, pos) > (?, ?) "
                "ORDER BY place, pos LIMIT ?",
                stream,
                place,
                pos,
                CHUNK,
            )
            for place, _, kind, key, data, hash_ in rows:
                yield ChainedResult(stream, place or -1, kind, key, data, hash_)
            if len(rows) < CHUNK:
                return
            place, pos = rows[-1][:2]

    def _in_order(self) -> Iterator[ChainedResult]:
        columns = "stream, place, hash" if self._chained else "'', 0, x''"
        pos = -(2**63)
        while True:
            sql = f"SELECT pos, kind, key, data, {columns} FROM records WHERE pos > ? ORDER BY pos LIMIT ?"
            rows = self._database.rows(sql, pos, CHUNK)
            for _, kind, key, data, stream, place, hash_ in rows:
                if self._chained:
                    yield ChainedResult(stream, place or -1, kind, key, data, hash_)
                else:
                    yield ChainedResult(stream_of(key, data), 0, kind, key, data, b"")
            if len(rows) < CHUNK:
                return
            pos = rows[-1][0]

    def chain_heads(self) -> dict[str, Head]:
        """Return stream → place and hash of the last record, as they are kept apart from the records."""
        if not self._chained:
            return {}
        rows = self._database.rows("SELECT stream, place, hash FROM chains")
        return {stream: Head(place, hash_) for stream, place, hash_ in rows}

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return the streams in which records are missing, or the last is not the one whose hash is kept apart."""
        if not self._chained:
            return {}
        counts = self._database.rows("SELECT stream, count(*), max(place) FROM records GROUP BY stream")
        stored = {stream: (count, last) for stream, count, last in counts}
        broken = {}
        heads = self.chain_heads()
        for stream in sorted(heads.keys() | stored.keys()):
            head, (count, last) = heads.get(stream, Head(0, b"")), stored.get(stream, (0, 0))
            sql = "SELECT hash FROM records WHERE stream = ? AND place = ?"
            if not head.seq == count == last:
                message = f"{count} results are stored, the last of them at place {last}; {head.seq} belong there"
            elif count and self._database.rows(sql, stream, last) != [(head.hash,)]:
                message = "the last result is not the one that was stored"
            else:
                continue
            place = min(head.seq, count) + 1
            broken[stream] = ResultBroken(stream, place, "result_missing", f"{message}; {JUDGE_AGAIN}")
        return broken

    def unchained(self) -> int:
        """Return over how many records from before there were chains the chains were begun at this opening."""
        return self._unchained

    def reset(self) -> None:
        """Forget positions and snapshots (not the records): the next replay starts at the beginning."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM positions; DELETE FROM snapshots")

    def close(self) -> None:
        """Release everything."""
        self._resources.close()


def _prepare(connection: Connection) -> int:
    """Create what is missing; begin chains over records from before there were any, and return how many those are."""
    columns = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('records')")}
    if columns and "place" not in columns:
        connection.execute(_WITHOUT_CHAINS)
    connection.execute(_SCHEMA)
    count = 0
    if columns and "place" not in columns:
        chains = ResultChains()
        sql = "SELECT pos, kind, key, data FROM records WHERE pos > ? ORDER BY pos LIMIT ?"
        rows: list[Any] = connection.execute(sql, (-(2**63), CHUNK)).fetchall()
        while rows:
            made = [(chains.extend(kind, key, data), pos) for pos, kind, key, data in rows]
            places = [(each.stream, each.place, each.hash, pos) for each, pos in made]
            connection.executemany("UPDATE records SET stream = ?, place = ?, hash = ? WHERE pos = ?", places)
            count += len(rows)
            rows = connection.execute(sql, (rows[-1][0], CHUNK)).fetchall()
        _store_heads(connection, chains)
    connection.execute(_INDEXES)
    return count


def _discard(connection: Connection, stream: str) -> None:
    """Move the records of a stream to where they can be looked at and are no results, and forget the stream's state."""
    names = "pos, kind, key, data, stream, place, hash"
    connection.execute(f"INSERT INTO discarded ({names}) SELECT {names} FROM records WHERE stream = ?", (stream,))
    for table in ("records", "chains", "positions", "snapshots"):
        connection.execute(f"DELETE FROM {table} WHERE stream = ?", (stream,))


def _store_state(connection: Connection, engine: str, positions: Mapping[str, Head], snapshots: Mapping[str, bytes]) -> None:
    """Store positions with their snapshots and digests."""
    for stream in positions.keys() - snapshots.keys():
        connection.execute("DELETE FROM snapshots WHERE engine = ? AND stream = ?", (engine, stream))
    state = {stream: ResultPosition(head, snapshots.get(stream)) for stream, head in positions.items()}
    rows = [
        (engine, stream, each.head.seq, each.head.hash, position_digest(engine, stream, each)) for stream, each in state.items()
    ]
    connection.executemany("INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?)", rows)
    images = [(engine, stream, each.snapshot) for stream, each in state.items() if each.snapshot is not None]
    connection.executemany("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?)", images)


def _store_records(connection: Connection, chains: ResultChains, records: Iterable[tuple[str, str, bytes]]) -> None:
    """Store the records that differ from the last under their key, each with its place in its stream's chain, some at a time."""
    new: list[ChainedResult] = []
    last: dict[tuple[str, str], bytes] = {}
    is_new = False
    for kind, key, data in records:
        if len(new) == CHUNK:
            connection.executemany(_ADD_RECORD, new)
            new, last = [], {}
        before = last.get((kind, key))
        if before is None:
            row = connection.execute(_LATEST_OF_STREAM, (kind, key, stream_of(key, data))).fetchone()
            before = row[0] if row is not None else None
        if before != data:
            last[kind, key] = data
            new.append(chains.extend(kind, key, data))
            is_new = True
    connection.executemany(_ADD_RECORD, new)
    if is_new:
        _store_heads(connection, chains)


def _store_heads(connection: Connection, chains: ResultChains) -> None:
    rows = [(stream, head.seq, head.hash) for stream, head in chains.heads.items()]
    connection.executemany("INSERT OR REPLACE INTO chains VALUES (?, ?, ?)", rows)
