"""By what a log in SQLite knows repeats: the tables `reports` and `event_ids`, an index beside the chain.

Nothing is believed because it stands there. Each row names the event that it is of, and what a row says is compared with
that event when it decides anything: that a report is a repeat, or that an id is taken. That a row is missing shows in the
numbers of the source: a report whose number is not beyond that of the source's newest event comes late, or comes again, and
is looked for among the stream's events. Where chain and index differ, the stream's rows are made anew from the chain.

Both cost nothing at opening, however long the log is, and next to nothing for a report with the next number. Looking for
a late report reads its stream once (some 0.1 s for 200,000 events); after `LATE_REPORTS` of them the whole index of the
stream is compared, and believed for as long as the log is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from events.errors import BrokenSeal, DuplicateEventId
from events.log.appender import RecordSummary, learn
from events.log.contract import Record
from events.sqlite.database import Connection, Database, NotUnique

TABLES: Final = """
CREATE TABLE reports (stream TEXT NOT NULL, source TEXT NOT NULL, source_seq INTEGER NOT NULL, digest BLOB NOT NULL,
                      seq INTEGER NOT NULL DEFAULT 0,
                      PRIMARY KEY (stream, source, source_seq, digest)) STRICT, WITHOUT ROWID;
CREATE TABLE event_ids (stream TEXT NOT NULL, event_id BLOB NOT NULL, seq INTEGER NOT NULL DEFAULT 0,
                        PRIMARY KEY (stream, event_id)) STRICT, WITHOUT ROWID;
"""
RENEWAL: Final = """
ALTER TABLE reports ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE event_ids ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
"""
"""From a form whose rows do not name their events; 0 stands for that, until the stream's rows are made anew."""

LATE_REPORTS: Final = 50
"""So many late reports of a stream are looked for one by one."""

_REPORT = "INSERT OR IGNORE INTO reports (stream, source, source_seq, digest, seq) VALUES (?, ?, ?, ?, ?)"
_EVENT_ID = "INSERT INTO event_ids (stream, event_id, seq) VALUES (?, ?, ?)"

_OWN_SOURCES: Final = ("intake-", "redrive-")
"""Sources of the program's own: each reports once, under a name made from what it reports. They are not looked for."""


class Report(NamedTuple):
    """What a draft reports, as the index knows it."""

    stream: str
    source: str
    source_seq: int
    digest: bytes


class IndexDiffers(Exception):
    """The index of a stream does not agree with the chain: its rows must be made anew."""

    def __init__(self, stream: str) -> None:
        super().__init__(stream)
        self.stream = stream


class RepeatIndex:
    """The index of a log that is open for writing. Everything but `latest` stands in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest: dict[tuple[str, str], int] = {}
        self._late: dict[str, int] = {}
        self._compared: set[str] = set()

    def forget(self) -> None:
        """Forget what is known of sources: another writer has appended."""
        self._latest.clear()

    def enter(self, connection: Connection, ends: Mapping[str, int], reports: Sequence[Report]) -> list[bool]:
        """Enter reports, numbering the new ones on from the ends of their streams; return which of them are new.

        Raises `IndexDiffers` where what is entered already is not so in the chain; nothing may then be committed.
        """
        new = _entered(connection, dict(ends), reports)
        here: set[Report] | None = None
        latest: dict[tuple[str, str], int] = {}
        for report, is_new in zip(reports, new, strict=True):
            if is_new:
                key = report.stream, report.source
                if report.source_seq <= (latest[key] if key in latest else self._latest_of(report)):
                    self._look_for(report)
                latest[key] = report.source_seq
            else:
                here = {each for each, fresh in zip(reports, new, strict=True) if fresh} if here is None else here
                if report not in here:
                    self._confirm_report(report)
        self._latest |= latest
        return new

    def enter_ids(self, connection: Connection, ids: Sequence[tuple[str, bytes, int]]) -> None:
        """Enter stream, id and number of new events. Raises `DuplicateEventId`, or `IndexDiffers` as `enter` does."""
        before = connection.total_changes()
        try:
            connection.executemany(_EVENT_ID, ids)
        except NotUnique as error:
            stream, event_id, _ = ids[connection.total_changes() - before]  # those before it were entered
            if (stream, event_id) not in {each[:2] for each in ids[: connection.total_changes() - before]}:
                self._confirm_id(stream, event_id)
            raise DuplicateEventId(stream, event_id.hex()) from error

    def _latest_of(self, report: Report) -> int:
        """Return the number of the newest event of a report's source in its stream; 0 where there is none."""
        key = report.stream, report.source
        if key not in self._latest:
            own = report.source.startswith(_OWN_SOURCES)
            found = None if own else next(self._events_of(report, _source_bytes(report.source)), None)
            self._latest[key] = 0 if found is None else found.source_seq
        return self._latest[key]

    def _look_for(self, report: Report) -> None:
        """Look for a late report among the stream's events. Raises `IndexDiffers` where it is there."""
        stream = report.stream
        if stream in self._compared:
            return
        self._late[stream] = self._late.get(stream, 0) + 1
        if self._late[stream] > LATE_REPORTS:
            self._compared.add(stream)
            raise IndexDiffers(stream)  # makes the rows anew, and so compares them all
        needle = _source_bytes(report.source) + b"%d," % report.source_seq
        if any(event.report == report.digest for event in self._events_of(report, needle)):
            raise IndexDiffers(stream)

    def _events_of(self, report: Report, needle: bytes) -> Iterator[RecordSummary]:
        """Yield the events of a report's source in its stream, newest first, whose bytes hold this."""
        below = 2**63 - 1
        sql = """
            SELECT seq, data, hash FROM events
            WHERE stream = ? AND seq < ? AND instr(data, ?) > 0 ORDER BY seq DESC LIMIT 1
        """
        while rows := self._database.rows(sql, report.stream, below, needle):
            ((below, data, hash_),) = rows
            event = _learned(report.stream, below, data, hash_)
            if event is not None and event.source == report.source:
                yield event

    def _confirm_report(self, report: Report) -> None:
        sql = "SELECT seq FROM reports WHERE stream = ? AND source = ? AND source_seq = ? AND digest = ?"
        event = self._event_of_row(report.stream, self._database.rows(sql, *report))
        if event is None or (event.source, event.source_seq, event.report) != report[1:]:
            raise IndexDiffers(report.stream)

    def _confirm_id(self, stream: str, event_id: bytes) -> None:
        sql = "SELECT seq FROM event_ids WHERE stream = ? AND event_id = ?"
        event = self._event_of_row(stream, self._database.rows(sql, stream, event_id))
        if event is None or event.event_id != event_id:
            raise IndexDiffers(stream)

    def _event_of_row(self, stream: str, rows: Sequence[tuple[int]]) -> RecordSummary | None:
        """Return the event that a row of the index names; null where there is no such row or event."""
        sql = "SELECT seq, data, hash FROM events WHERE stream = ? AND seq = ?"
        events = self._database.rows(sql, stream, rows[0][0]) if rows else []
        return _learned(stream, *events[0]) if events else None

    def make_anew(self, stream: str, records: Iterable[Record]) -> str | None:
        """Make the rows of a stream anew from its events; return how they differed, or null where they did not.

        Raises what reading the events raises; the rows then stay as they were.
        """
        reports: dict[tuple[str, int, bytes], int] = {}
        ids: dict[bytes, int] = {}
        for record in records:
            event = learn(None, record)
            reports.setdefault((event.source, event.source_seq, event.report), record.seq)
            ids.setdefault(event.event_id, record.seq)
        with self._database.transaction() as connection:
            known_reports = _rows(connection, "SELECT source, source_seq, digest, seq FROM reports", stream)
            known_ids = {
                key: seq for (key,), seq in _rows(connection, "SELECT event_id, seq FROM event_ids", stream).items()
            }
            for table in ("reports", "event_ids"):
                connection.execute(f"DELETE FROM {table} WHERE stream = ?", (stream,))
            connection.executemany(_REPORT, ((stream, *key, seq) for key, seq in reports.items()))
            connection.executemany(_EVENT_ID, ((stream, key, seq) for key, seq in ids.items()))
        return describe(stream, difference(known_reports, reports), difference(known_ids, ids))


def enter_restored(connection: Connection, records: Sequence[Record]) -> None:
    """Enter the events of another copy of the log, which are stored as they are."""
    events = [(record.stream, learn(None, record)) for record in records]
    connection.executemany(
        _REPORT,
        [(stream, event.source, event.source_seq, event.report, event.state.head.seq) for stream, event in events],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO event_ids (stream, event_id, seq) VALUES (?, ?, ?)",
        [(stream, event.event_id, event.state.head.seq) for stream, event in events],
    )


class Difference(NamedTuple):
    """How rows differ from the events that they should be of: events without a row, rows without an event."""

    missing: int
    foreign: int


def difference(rows: Mapping[Any, int], events: Mapping[Any, int]) -> Difference:
    """Compare rows with what the events come to; a row that does not name its event (0) is no difference."""
    missing = sum(rows.get(key) not in (0, seq) for key, seq in events.items())
    foreign = sum(key not in events for key in rows)
    return Difference(missing, foreign)


def describe(stream: str, reports: Difference, ids: Difference) -> str | None:
    """Say how the index of a stream differs from the chain; null where it does not."""
    missing, foreign = reports.missing + ids.missing, reports.foreign + ids.foreign
    if not missing and not foreign:
        return None
    return (
        f"{stream}: the index of repeats differs from the chain: {missing:,} rows missing or changed, "
        f"{foreign:,} rows of no event"
    )


def _rows(connection: Connection, sql: str, stream: str) -> dict[Any, int]:
    """Return the rows of a table of the index: what comes before the number, and the number."""
    found: dict[Any, int] = {}
    for *key, seq in connection.execute(sql + " WHERE stream = ?", (stream,)):
        found[tuple(key)] = seq
    return found


def _entered(connection: Connection, ends: dict[str, int], reports: Sequence[Report]) -> list[bool]:
    """Enter reports that are not there, each with the number that its event gets; return which were entered.

    The rows are handed over one by one: when the next is asked for, the one before has been tried.
    """
    entered: list[bool] = []

    def rows() -> Iterator[tuple[Any, ...]]:
        for report in reports:
            yield (*report, ends[report.stream] + 1)
            entered.append(connection.changes() == 1)
            ends[report.stream] += entered[-1]

    connection.executemany(_REPORT, rows())
    return entered


def _learned(stream: str, seq: int, data: Any, hash_: bytes) -> RecordSummary | None:
    """Return what a stored event says; null where it is none."""
    if not isinstance(data, bytes):
        return None
    try:
        return learn(None, Record(stream, seq, data, hash_))
    except BrokenSeal:
        return None


def _source_bytes(source: str) -> bytes:
    """Return what the canonical bytes of every event of a source hold, before the source's number."""
    return b'"source":' + msgspec.json.encode(source) + b',"source_seq":'
