"""Events of a stream as one compressed row: the same bytes and hashes in a fifth of the space; an event is still found at once.

An append makes packs, in its transaction, of all but the newest events of a stream (D1101): JSON Lines (canonical bytes hold no
line break) under zlib, the chain hashes as they are. What is read from a pack is checked like any row.
"""

import zlib
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from events.errors import BrokenSeal, Fork
from events.log.contract import Head, Record
from events.sqlite.database import CHUNK, Connection, Database
from events.vocabulary.codec import MAX_EVENT_BYTES

PACKED = 256
"""Events in a pack: unpacked in a fifth of a millisecond."""
LEVEL: Final = 5
MOST_BYTES: Final = PACKED * MAX_EVENT_BYTES
"""No pack of ours unpacks to more than this."""
PACKS_AT_ONCE: Final = 2
_HASH: Final = 32
_LAST: Final = 2**63 - 1
_STREAMS: Final = """
WITH RECURSIVE names (name) AS (
    SELECT min(stream) FROM {table} UNION ALL
    SELECT (SELECT min(stream) FROM {table} WHERE stream > name) FROM names WHERE name IS NOT NULL)
SELECT name FROM names WHERE name IS NOT NULL
"""


StoredEvent = tuple[int, bytes, bytes]
"""An event as it is stored: its number, its bytes, and the chain hash next to them; its reader checks them."""

_Placed = tuple[int, int, bytes, bytes]
"""An event with its position before it."""


def pack(events: Sequence[StoredEvent]) -> tuple[bytes, bytes] | None:
    """Return events as one: their bytes and their hashes; None if that would not give every byte of them back."""
    if any(type(data) is not bytes or type(hash_) is not bytes for _, data, hash_ in events):
        return None
    zipping = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)  # without a checksum: the chain is one
    data = zipping.compress(b"\n".join([data for _, data, _ in events])) + zipping.flush()
    hashes = b"".join([hash_ for *_, hash_ in events])
    try:
        whole = unpack("", events[0][0], events[-1][0], data, hashes) == list(events)
    except BrokenSeal:
        return None
    return (data, hashes) if whole else None


def unpack(stream: str, first: int, last: int, data: Any, hashes: Any) -> list[StoredEvent]:
    """Return the events of a pack. Raises `BrokenSeal` naming all of them if it does not unpack."""
    try:
        unzip = zlib.decompressobj(-zlib.MAX_WBITS)
        lines = unzip.decompress(data, MOST_BYTES).split(b"\n")
        count = last - first + 1
        if not unzip.eof or unzip.unused_data or len(lines) != count or len(hashes) != count * _HASH:
            raise ValueError(f"it does not hold {count} events and their hashes")
        each_hash = [hashes[at : at + _HASH] for at in range(0, len(hashes), _HASH)]
        return list(zip(range(first, last + 1), lines, each_hash, strict=True))
    except (zlib.error, ValueError, TypeError) as error:
        what = f"events {first} to {last} are stored as one, which cannot be unpacked: {error}"
        raise BrokenSeal(stream, first, what) from error


def store(connection: Connection, records: Sequence[Record], *, packing: bool) -> None:
    """Put new events of streams into the open transaction: of a stream that is long enough the older ones into packs.

    Events that would not unpack to the same bytes, or whose number is already packed, stay in rows.
    """
    ((top,),) = _rows(connection, "SELECT coalesce(max(pos), 0) FROM events")
    new: dict[str, list[_Placed]] = {}
    for pos, record in enumerate(records, top + 1):
        new.setdefault(record.stream, []).append((pos, record.seq, record.data, record.hash))
    if packing:
        new = {stream: _packed_off(connection, stream, events) for stream, events in new.items()}
    rows = sorted((pos, stream, *event) for stream, events in new.items() for pos, *event in events)
    connection.executemany("INSERT INTO events (pos, stream, seq, data, hash) VALUES (?, ?, ?, ?, ?)", rows)


def _packed_off(connection: Connection, stream: str, new: list[_Placed]) -> list[_Placed]:
    """Pack the oldest of a stream's rows and new events, until no more than `PACKED` are left; return the new ones that are."""
    sql = "SELECT (SELECT min(seq) FROM events WHERE stream = ?1), (SELECT max(last) FROM packs WHERE stream = ?1)"
    ((oldest, packed),) = _rows(connection, sql, stream)
    first = new[0][1] if oldest is None else oldest
    if new[-1][1] - first < PACKED or (packed or 0) >= first:
        return new
    sql = "SELECT pos, seq, data, hash FROM events WHERE stream = ? ORDER BY seq LIMIT ?"
    rows = _rows(connection, sql, stream, PACKED)
    events, done = [*rows, *new], 0
    while len(events) - done > PACKED:
        part = events[done : done + PACKED]
        made = pack([each[1:] for each in part])
        if made is None:
            break
        pos, last, *_ = part[-1]
        connection.execute("INSERT INTO packs VALUES (?, ?, ?, ?, ?, ?)", (pos, stream, part[0][1], last, *made))
        done += PACKED
    if done:
        connection.execute("DELETE FROM events WHERE stream = ? AND seq < ?", (stream, events[done][1]))
    return events[max(done, len(rows)) :]


def _rows(connection: Connection, sql: str, *values: Any) -> list[Any]:
    return connection.execute(sql, values).fetchall()


class StoredEvents:
    """The events of a log, row by row or packed, as they are stored: the only check is that packs unpack."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @cached_property
    def has_packs(self) -> bool:
        """Whether the log packs events: one that was begun in an earlier form does not."""
        return bool(self._database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'packs'"))

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""
        tables = ("events", "packs") if self.has_packs else ("events",)
        return sorted({name for table in tables for (name,) in self._database.rows(_STREAMS.format(table=table))})

    def at(self, stream: str, seq: int) -> StoredEvent | None:
        """Return the event under a number of a stream, or None."""
        rows = self._database.rows("SELECT seq, data, hash FROM events WHERE stream = ? AND seq = ?", stream, seq)
        return next(iter(rows or self._packed(stream, seq)), None)

    def head(self, stream: str) -> Head | None:
        """Return number and hash of the last event of a stream, or None."""
        rows = self._database.rows("SELECT seq, hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT 1", stream)
        if not rows and self.has_packs:
            sql = "SELECT last, substr(hashes, -32) FROM packs WHERE stream = ? ORDER BY last DESC LIMIT 1"
            rows = self._database.rows(sql, stream)
        return Head(*rows[0]) if rows else None

    def up(self, stream: str, first: int, last: int, most: int) -> list[StoredEvent]:
        """Return events from one number to another, in order: some of them, none only if there are none.

        Raises `BrokenSeal` if the first of them is in a pack that does not unpack, `Fork` if the log holds some twice.
        """
        by_itself, twice = self._by_itself_from(stream)
        if twice is not None and twice <= first:
            raise Fork(stream, twice, "the log holds this event twice: in a pack, and in another one or by itself")
        last = last if twice is None else twice - 1
        sql = "SELECT seq, data, hash FROM events WHERE stream = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?"
        rows = self._database.rows(sql, stream, first, last, most) if by_itself <= first else []
        if rows and rows[0][0] == first:
            return rows
        packed = self._packed(stream, first)  # a writer may have packed it a moment ago
        return packed[: last - first + 1] or self._database.rows(sql, stream, first, last, 1)

    def _by_itself_from(self, stream: str) -> tuple[int, int | None]:
        """Return the first number of a stream that is not in a pack, and the first that is stored twice, or None."""
        if not self.has_packs:
            return 0, None
        sql = """
            SELECT (SELECT min(seq) FROM events WHERE stream = ?1), max(last), max(last) - min(first) + 1 < sum(last - first + 1)
            FROM packs WHERE stream = ?1
        """
        ((alone, packed, overlap),) = self._database.rows(sql, stream)
        twice = [alone] if None not in (alone, packed) and alone <= packed else []
        if overlap:
            sql = "SELECT first, last FROM packs WHERE stream = ? ORDER BY first"
            spans = self._database.rows(sql, stream)
            twice += [first for (_, before), (first, _) in pairwise(spans) if first <= before]
        return _LAST if alone is None else int(alone), min(twice, default=None)

    def _packed(self, stream: str, seq: int) -> list[StoredEvent]:
        """Return a packed event and those after it in its pack; none if it is in no pack."""
        if not self.has_packs:
            return []
        sql = "SELECT first, last, data, hashes FROM packs WHERE stream = ? AND last >= ? AND first <= ? ORDER BY last LIMIT 1"
        for first, last, data, hashes in self._database.rows(sql, stream, seq, seq):
            return unpack(stream, first, last, data, hashes)[seq - first :]
        return []

    def newest_first(self, stream: str, needle: bytes = b"") -> Iterator[StoredEvent]:
        """Yield the events of a stream whose bytes hold this, from its end; with it, packs that do not unpack are passed over."""
        below, most = _LAST, 1 if needle else 64
        sql = "SELECT seq, data, hash FROM events WHERE stream = ? AND seq < ? {} ORDER BY seq DESC LIMIT ?"
        sql = sql.format("AND instr(data, ?) > 0" if needle else "")
        while rows := self._database.rows(sql, stream, below, *([needle] if needle else []), most):
            yield from rows
            below, most = rows[-1][0], CHUNK
        below = _LAST
        sql = "SELECT first, last, data, hashes FROM packs WHERE stream = ? AND last < ? ORDER BY last DESC LIMIT ?"
        while self.has_packs and (rows := self._database.rows(sql, stream, below, PACKS_AT_ONCE)):
            for first, below, data, hashes in rows:
                try:
                    events = unpack(stream, first, below, data, hashes)
                except BrokenSeal:
                    if not needle:
                        raise
                    continue
                yield from (each for each in reversed(events) if needle in each[1])

    def since(self, pos: int) -> list[tuple[int, str, int, int, bytes, bytes]]:
        """Return rows past a position, in order: position, stream, first and last number (0: no pack), bytes, hash or hashes.

        A pack is where its last event was.
        """
        if not self.has_packs:
            sql = "SELECT pos, stream, seq, 0, data, hash FROM events WHERE pos > ? ORDER BY pos LIMIT ?"
            return self._database.rows(sql, pos, CHUNK)
        sql = """
            SELECT pos, stream, seq, 0, data, hash FROM events WHERE pos > ?
            UNION ALL SELECT pos, stream, first, last, data, hashes FROM packs WHERE pos > ? ORDER BY pos LIMIT ?
        """
        most = PACKS_AT_ONCE if self._database.rows("SELECT 1 FROM packs WHERE pos > ? LIMIT 1", pos) else CHUNK
        return self._database.rows(sql, pos, pos, most)

    def position(self, stream: str, after: int) -> int | None:
        """Return the position of the first row with a stream's events after a sequence number, or None."""
        sql = "SELECT pos FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT 1"
        rows = self._database.rows(sql, stream, after)
        if self.has_packs:
            sql = "SELECT pos FROM packs WHERE stream = ? AND last > ? ORDER BY last LIMIT 1"
            rows += self._database.rows(sql, stream, after)
        return min(rows)[0] if rows else None
