"""How a log in SQLite recognizes repeats: the tables `reports` and `event_ids`, an index next to the chain.

The index stores numbers for names (the table `names`), and for each digest or id three bytes of its remainder by a secret
divisor. The index alone proves nothing. Each row names its event; before a row makes a report a repeat or an id a duplicate, it
is compared with that event. The source's own numbers reveal a missing row: a report with a number no higher than the source's
newest event is late or repeated, and is searched for among the stream's events. If chain and index differ, the stream's rows
are rebuilt from the chain.

Opening a log costs no extra time, however long it is, and a report with the next number next to none. The search for a late
report reads its stream once (less than half a second for 200,000 events); after `LATE_REPORTS` of them, the whole index of the
stream is compared with the chain and trusted while the log is open. The same search serves an unknown source; after
`NEW_SOURCES` of them, all sources of the stream are read once, and later only those of new events.
"""

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple, cast

import msgspec

from events.errors import BrokenSeal, DuplicateEventId, LogUnavailable
from events.log.appender import RecordSummary, learn
from events.log.contract import Record, StreamIndex
from events.sqlite.database import Connection, Database
from events.sqlite.packs import StoredEvents

LATE_REPORTS: Final = 50
"""Late reports of a stream that are looked up one by one."""

NEW_SOURCES: Final = 50
"""Sources of a stream that are looked up one by one."""

MOST_NAMES: Final = 10_000
"""Names whose numbers are remembered."""

_SAME_REPORT = "SELECT ?, seq FROM reports WHERE stream = ? AND source = ? AND source_seq = ? AND digest = ?"
_SAME_ID = "SELECT ?, seq FROM event_ids WHERE stream = ? AND event_id = ?"
_REPORT = "INSERT OR IGNORE INTO reports (stream, source, source_seq, digest, seq) VALUES (?, ?, ?, ?, ?)"
_EVENT_ID = "INSERT OR IGNORE INTO event_ids (stream, event_id, seq) VALUES (?, ?, ?)"

_OWN_SOURCES: Final = ("intake-", "redrive-")
"""Sources of the program's own: each reports once, under a name made from its report, so it has no repeats to look for."""


class DeviceReport(NamedTuple):
    """A draft's report in the form that the index stores."""

    stream: str
    source: str
    source_seq: int
    digest: bytes


class _Source(msgspec.Struct):
    source: str
    source_seq: int


_source_decoder = msgspec.json.Decoder(_Source)


class IndexDiffers(Exception):
    """The index of a stream does not agree with the chain: its rows must be made again."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.stream = stream


def modulus(salt: Any) -> int:
    """Return the divisor for the digests and ids of a log with this salt: an odd number of 62 bits that no device knows."""
    return int(str(salt)[:15] or "0", 16) | 1 << 61 | 1


def short(salt: Any, digest: Any) -> int:
    """Return the short form of a digest or an id in the index: three bytes of a remainder, as a number.

    >>> digest = bytes(range(32))
    >>> short("ab", digest) == short("ab", digest) != short("ac", digest)
    True
    """
    return int.from_bytes(digest) % modulus(salt) & 0xFFFFFF


class ShortForms:
    """Names and digests in the index's form; a number given in a transaction that failed must be forgotten."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        rows = connection.execute("SELECT value FROM meta WHERE name = 'salt'").fetchall()
        try:
            self.modulus = modulus(rows[0][0] if rows else "")
        except ValueError as error:
            raise LogUnavailable("the log's salt is no number: the file is damaged; keep it and restore a copy") from error
        self.numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        """Return the number of a name; a new one gets one."""
        found = self.numbers.get(name)
        if found is None:
            self._connection.execute("INSERT OR IGNORE INTO names (name) VALUES (?)", (name,))
            ((found,),) = cast("list[Any]", self._connection.execute("SELECT id FROM names WHERE name = ?", (name,)).fetchall())
            if len(self.numbers) >= MOST_NAMES:
                self.numbers.clear()
            self.numbers[name] = found
        return found

    def digest(self, digest: bytes) -> int:
        """Return the short form of a digest or an id."""
        return int.from_bytes(digest) % self.modulus & 0xFFFFFF

    def report(self, report: DeviceReport) -> tuple[int, int, int, int]:
        """Return the columns of a report, without the number of its event."""
        stream, source, source_seq, digest = report
        known = self.numbers.get
        return (known(stream) or self.number(stream), known(source) or self.number(source), source_seq, self.digest(digest))


def _found(connection: Connection, sql: str, rows: Sequence[tuple[int, ...]]) -> Mapping[int, list[int]]:
    """Return which of these rows are in the index: place among them → the numbers of their events."""
    found: dict[int, list[int]] = {}
    hits = cast("Iterator[Any]", connection.executemany(sql, [(at, *row) for at, row in enumerate(rows)]))
    for at, seq in hits:
        found.setdefault(at, []).append(seq)
    return found


class RepeatIndex:
    """The index of a log that is open for writing. Everything but `latest` is in the database."""

    def __init__(self, database: Database, events: StoredEvents) -> None:
        self._database, self._events = database, events
        self._short = ShortForms(database.connection)
        self._latest: dict[tuple[str, str], int] = {}
        self._late: dict[str, int] = {}
        self._compared: set[str] = set()
        self._new: dict[str, int] = {}
        self._sources: dict[str, dict[str, int]] = {}
        self._read_to: dict[str, int] = {}

    def forget(self) -> None:
        """Forget what is known of sources and names: another writer has appended, or a transaction failed."""
        self._latest.clear()
        self._short.numbers.clear()

    def enter(self, connection: Connection, ends: Mapping[str, int], reports: Sequence[DeviceReport]) -> list[bool]:
        """Enter reports, numbering the new ones on from the ends of their streams; return which of them are new.

        Raises `IndexDiffers` if the index disagrees with the chain; nothing may then be committed.
        """
        new, rows, here = list[bool](), list[tuple[int, ...]](), set[DeviceReport]()
        latest: dict[tuple[str, str], int] = {}
        reached = dict(ends)
        known_as = [self._short.report(report) for report in reports]
        stored = _found(connection, _SAME_REPORT, known_as)
        for at, (report, columns) in enumerate(zip(reports, known_as, strict=True)):
            new.append(report not in here and (at not in stored or not self._is_stored(report, columns, stored[at])))
            if not new[-1]:
                continue
            key = report.stream, report.source
            if report.source_seq <= (latest[key] if key in latest else self._latest_of(report)):
                self._look_for(report)
            latest[key] = report.source_seq
            here.add(report)
            reached[report.stream] += 1
            rows.append((*columns, reached[report.stream]))
        connection.executemany(_REPORT, rows)
        self._latest |= latest
        return new

    def _is_stored(self, report: DeviceReport, columns: tuple[int, ...], seqs: Iterable[int]) -> bool:
        """Say whether one of these events is of this report. Raises `IndexDiffers` if a row names an event of another report."""
        for seq in seqs:
            event = self._event(report.stream, seq)
            if event is None or self._short.report(_reported(report.stream, event)) != columns:
                raise IndexDiffers(report.stream)
            if event.report == report.digest:
                return True
        return False

    def enter_ids(self, connection: Connection, ids: Sequence[tuple[str, bytes, int]]) -> None:
        """Enter stream, id and number of new events. Raises `DuplicateEventId`, or `IndexDiffers` as `enter` does."""
        here = set[tuple[str, bytes]]()
        known_as = [(self._short.number(stream), self._short.digest(event_id)) for stream, event_id, _ in ids]
        stored = _found(connection, _SAME_ID, known_as)
        for at, (stream, event_id, _) in enumerate(ids):
            for there in stored.get(at, ()):
                event = self._event(stream, there)
                if event is None or self._short.digest(event.event_id) != known_as[at][1]:
                    raise IndexDiffers(stream)
                if event.event_id == event_id:
                    raise DuplicateEventId(stream, event_id.hex())
            if (stream, event_id) in here:
                raise DuplicateEventId(stream, event_id.hex())
            here.add((stream, event_id))
        connection.executemany(_EVENT_ID, [(*known, seq) for known, (*_, seq) in zip(known_as, ids, strict=True)])

    def _latest_of(self, report: DeviceReport) -> int:
        """Return the number of the newest event of a report's source in its stream; 0 if none exists."""
        key = report.stream, report.source
        if key not in self._latest:
            self._latest[key] = 0 if report.source.startswith(_OWN_SOURCES) else self._newest_of(report)
        return self._latest[key]

    def _newest_of(self, report: DeviceReport) -> int:
        """Look for the newest event of a report's source among the stream's events; return its number, or 0."""
        stream = report.stream
        self._new[stream] = self._new.get(stream, 0) + 1
        if self._new[stream] > NEW_SOURCES:
            return self._sources_of(stream).get(report.source, 0)
        found = next(self._events_of(report, _source_bytes(report.source)), None)
        return 0 if found is None else found.source_seq

    def _sources_of(self, stream: str) -> Mapping[str, int]:
        """Return source → its own number in its newest event of a stream; read only what was added since the last call."""
        known, read_to = self._sources.setdefault(stream, {}), self._read_to.get(stream, 0)
        newer: dict[str, int] = {}
        for seq, data, _ in self._events.newest_first(stream, b'"source":'):
            if seq <= read_to:
                break
            self._read_to[stream] = max(self._read_to.get(stream, 0), seq)
            with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, TypeError):  # verifying names it
                event = _source_decoder.decode(data)
                newer.setdefault(event.source, event.source_seq)
        known |= newer
        return known

    def _look_for(self, report: DeviceReport) -> None:
        """Look for a late report among the stream's events. Raises `IndexDiffers` if it is there."""
        stream = report.stream
        if stream in self._compared:
            return
        self._late[stream] = self._late.get(stream, 0) + 1
        if self._late[stream] > LATE_REPORTS:
            self._compared.add(stream)
            raise IndexDiffers(stream)  # makes the rows again, and so compares them all
        needle = _source_bytes(report.source) + b"%d," % report.source_seq
        if any(event.report == report.digest for event in self._events_of(report, needle)):
            raise IndexDiffers(stream)

    def _events_of(self, report: DeviceReport, needle: bytes) -> Iterator[RecordSummary]:
        """Yield the events of a report's source in its stream, newest first, whose bytes hold this."""
        for stored in self._events.newest_first(report.stream, needle):
            event = _learned(report.stream, *stored)
            if event is not None and event.source == report.source:
                yield event

    def _event(self, stream: str, seq: int) -> RecordSummary | None:
        """Return the event that a row of the index names; None if it is missing or unreadable."""
        stored = self._events.at(stream, seq)
        return None if stored is None else _learned(stream, *stored)

    def make_anew(self, stream: str, records: Iterable[Record]) -> str | None:
        """Make the rows of a stream again from its events; return how they differed, or None if they did not.

        Raises what reading the events raises; the rows then stay as they were.
        """
        events = [learn(None, record) for record in records]
        self._short.numbers.clear()
        with self._database.transaction() as connection:
            number = self._short.number(stream)
            reports = {(*self._short.report(_reported(stream, event)), event.state.head.seq) for event in events}
            ids = {(number, self._short.digest(event.event_id), event.state.head.seq) for event in events}
            known_reports, known_ids = (
                set[tuple[int, ...]](connection.execute(f"SELECT * FROM {table} WHERE stream = ?", (number,)))
                for table in ("reports", "event_ids")
            )
            if (known_reports, known_ids) == (reports, ids):
                return None
            for table in ("reports", "event_ids"):
                connection.execute(f"DELETE FROM {table} WHERE stream = ?", (number,))
            connection.executemany(_REPORT, reports)
            connection.executemany(_EVENT_ID, ids)
        return describe(stream, _difference(known_reports, reports), _difference(known_ids, ids))


def enter_restored(connection: Connection, records: Sequence[Record]) -> None:
    """Enter the events of another copy of the log, which are stored as they are."""
    shorts = ShortForms(connection)
    events = [(record.stream, learn(None, record)) for record in records]
    connection.executemany(
        _REPORT, [(*shorts.report(_reported(stream, event)), event.state.head.seq) for stream, event in events]
    )
    connection.executemany(
        _EVENT_ID, [(shorts.number(stream), shorts.digest(event.event_id), event.state.head.seq) for stream, event in events]
    )


class RepeatDifference(NamedTuple):
    """How rows differ from the events that they should be of: events without a row, rows without an event."""

    missing: int
    foreign: int


def describe(stream: str, reports: RepeatDifference, ids: RepeatDifference) -> str | None:
    """Return how the index of a stream differs from the chain; None if it does not."""
    missing, foreign = reports.missing + ids.missing, reports.foreign + ids.foreign
    if not missing and not foreign:
        return None
    return (
        f"{stream}: the index of repeats differs from the chain: {missing:,} rows missing or changed, "
        f"{foreign:,} rows of no event"
    )


def compare_index(database: Database, stream: str, events: StreamIndex) -> str | None:
    """Return how the rows of a stream differ from the events read so far, or None.

    This compares the id of every event, and the source and number of every report. The digest of a report's content is
    compared when its row is used.
    """
    shorts = ShortForms(database.connection)
    rows = database.rows("SELECT id FROM names WHERE name = ?", stream)
    number = rows[0][0] if rows else 0
    one_text = "SELECT group_concat(event_id) FROM event_ids WHERE stream = ? AND seq <= ?"
    known = database.rows(one_text, number, events.last)[0][0] or ""
    ids = sorted([int(each, 16) % shorts.modulus & 0xFFFFFF for each in events.ids])
    by_source = """
        SELECT (SELECT name FROM names WHERE id = source), group_concat(seq), group_concat(source_seq)
        FROM reports WHERE stream = ? AND seq <= ? GROUP BY source
    """
    texts = {source: both for source, *both in database.rows(by_source, number, events.last)}
    if known == ",".join(map(str, ids)) and texts == {
        source: [",".join(map(str, seqs)), ",".join(map(str, numbers))] for source, (seqs, numbers) in events.reports.items()
    }:
        return None  # mostly, a source's numbers are in the order of the events
    reports = {(source, *pair) for source, both in texts.items() for pair in _pairs(*both)}
    expected = {(source, *pair) for source, (seqs, numbers) in events.reports.items() for pair in zip(seqs, numbers, strict=True)}
    if any(seq == 0 for _, seq, _ in reports):  # of an earlier form of the log, whose rows do not name their events
        reports, expected = _unnamed(reports), _unnamed(expected)
    return describe(stream, _difference(set(map(int, filter(None, known.split(",")))), set(ids)), _difference(reports, expected))


def _pairs(seqs: str, numbers: str) -> Iterable[tuple[int, int]]:
    """Return number and source's number of a source's rows."""
    return zip(map(int, seqs.split(",")), map(int, numbers.split(",")), strict=True)


def _unnamed(reports: Set[tuple[str, int, int]]) -> set[tuple[str, int, int]]:
    return {(source, 0, number) for source, _, number in reports}


def _difference(rows: Set[Any], events: Set[Any]) -> RepeatDifference:
    return RepeatDifference(len(events - rows), len(rows - events))


def _reported(stream: str, event: RecordSummary) -> DeviceReport:
    """Return the report that an event is of."""
    return DeviceReport(stream, event.source, event.source_seq, event.report)


def _learned(stream: str, seq: int, data: Any, hash_: bytes) -> RecordSummary | None:
    """Return what a stored event says; None if it is not one."""
    if not isinstance(data, bytes):
        return None
    try:
        return learn(None, Record(stream, seq, data, hash_))
    except BrokenSeal:
        return None


def _source_bytes(source: str) -> bytes:
    """Return what the canonical bytes of every event of a source hold, before the source's number."""
    return b'"source":' + msgspec.json.encode(source) + b',"source_seq":'
