"""By what a log in SQLite knows repeats: the tables `reports` and `event_ids`, an index next to the chain.

Nothing is believed because it is there. Each row names the event that it is of, and what a row says is compared with
that event when it decides anything: that a report is a repeat, or that an id is taken. That a row is missing shows in the
numbers of the source: a report whose number is not beyond that of the source's newest event comes late, or comes again, and
is looked for among the stream's events. If chain and index differ, the stream's rows are made again from the chain.

Both cost nothing at opening, however long the log is, and next to nothing for a report with the next number. Looking for
a late report reads its stream once (less than half a second for 200,000 events); after `LATE_REPORTS` of them the whole
index of the stream is compared, and believed for as long as the log is open. A source that is not known yet is looked for in the
same way; after `NEW_SOURCES` of them all sources of the stream are read, and from then on those of what was appended since.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

import msgspec

from events.errors import BrokenSeal, DuplicateEventId
from events.log.appender import RecordSummary, learn
from events.log.contract import Record, StreamIndex
from events.sqlite.database import Connection, Database, NotUnique

LATE_REPORTS: Final = 50
"""This many late reports of a stream are looked for one by one."""

NEW_SOURCES: Final = 50
"""This many sources of a stream are looked for one by one."""

EVENTS_AT_ONCE: Final = 2_000

_REPORT = "INSERT OR IGNORE INTO reports (stream, source, source_seq, digest, seq) VALUES (?, ?, ?, ?, ?)"
_EVENT_ID = "INSERT INTO event_ids (stream, event_id, seq) VALUES (?, ?, ?)"

_OWN_SOURCES: Final = ("intake-", "redrive-")
"""Sources of the program's own: each reports once, under a name made from what it reports. They are not looked for."""


class DeviceReport(NamedTuple):
    """What a draft reports, as the index knows it."""

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


class RepeatIndex:
    """The index of a log that is open for writing. Everything but `latest` is in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._latest: dict[tuple[str, str], int] = {}
        self._late: dict[str, int] = {}
        self._compared: set[str] = set()
        self._new: dict[str, int] = {}
        self._sources: dict[str, dict[str, int]] = {}
        self._read_to: dict[str, int] = {}

    def forget(self) -> None:
        """Forget what is known of sources: another writer has appended."""
        self._latest.clear()

    def enter(self, connection: Connection, ends: Mapping[str, int], reports: Sequence[DeviceReport]) -> list[bool]:
        """Enter reports, numbering the new ones on from the ends of their streams; return which of them are new.

        Raises `IndexDiffers` if what is entered already is not so in the chain; nothing may then be committed.
        """
        new = _entered(connection, dict(ends), reports)
        here: set[DeviceReport] | None = None
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
        """Return the number of the newest event of every source of a stream; what was read before is not read again."""
        sources, read_to = self._sources.setdefault(stream, {}), self._read_to.get(stream, 0)
        sql = "SELECT seq, data FROM events WHERE stream = ? AND seq > ? ORDER BY seq LIMIT ?"
        while rows := self._database.rows(sql, stream, read_to, EVENTS_AT_ONCE):
            for _, data in rows:
                with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, TypeError):  # verifying names it
                    event = _source_decoder.decode(data)
                    sources[event.source] = event.source_seq
            read_to = rows[-1][0]
        self._read_to[stream] = read_to
        return sources

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

    def _confirm_report(self, report: DeviceReport) -> None:
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
        """Return the event that a row of the index names; None if there is no such row or event."""
        sql = "SELECT seq, data, hash FROM events WHERE stream = ? AND seq = ?"
        events = self._database.rows(sql, stream, rows[0][0]) if rows else []
        return _learned(stream, *events[0]) if events else None

    def make_anew(self, stream: str, records: Iterable[Record]) -> str | None:
        """Make the rows of a stream again from its events; return how they differed, or None if they did not.

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
            if (known_reports, known_ids) == (reports, ids):
                return None
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


class RepeatDifference(NamedTuple):
    """How rows differ from the events that they should be of: events without a row, rows without an event."""

    missing: int
    foreign: int


def difference(rows: Mapping[Any, int], events: Mapping[Any, int]) -> RepeatDifference:
    """Compare rows with those that the events give; a row that does not name its event (0) is no difference."""
    missing = sum(rows.get(key) not in (0, seq) for key, seq in events.items())
    foreign = sum(key not in events for key in rows)
    return RepeatDifference(missing, foreign)


def describe(stream: str, reports: RepeatDifference, ids: RepeatDifference) -> str | None:
    """Say how the index of a stream differs from the chain; None if it does not."""
    missing, foreign = reports.missing + ids.missing, reports.foreign + ids.foreign
    if not missing and not foreign:
        return None
    return (
        f"{stream}: the index of repeats differs from the chain: {missing:,} rows missing or changed, "
        f"{foreign:,} rows of no event"
    )


def compare_index(database: Database, stream: str, events: StreamIndex) -> str | None:
    """Say how the rows of a stream differ from its events, as far as those were read; None if they do not.

    Compared are the id of every event, and the source's number and the number of every report. What a row says of a
    report's content is compared when the row is used.
    """
    one_text = "SELECT group_concat(hex(event_id), '') FROM event_ids WHERE stream = ? AND seq <= ?"
    stored_ids = (database.rows(one_text, stream, events.last)[0][0] or "").lower()
    ids = sorted(events.ids)
    by_source = """
        SELECT source, group_concat(seq), group_concat(source_seq) FROM reports WHERE stream = ? AND seq <= ? GROUP BY source
    """
    rows = {source: texts for source, *texts in database.rows(by_source, stream, events.last)}
    if stored_ids == "".join(ids) and rows == {
        source: [",".join(map(str, seqs)), ",".join(map(str, numbers))]
        for source, (seqs, numbers) in events.reports.items()
    }:
        return None  # mostly, a source's numbers are in the order of the events
    reports = {(source, *pair) for source, texts in rows.items() for pair in _pairs(*texts)}
    expected = {
        (source, *pair)
        for source, (seqs, numbers) in events.reports.items()
        for pair in zip(seqs, numbers, strict=True)
    }
    if any(seq == 0 for _, seq, _ in reports):  # of an earlier form of the log, whose rows do not name their events
        reports, expected = _unnamed(reports), _unnamed(expected)
    known = {stored_ids[at : at + 32] for at in range(0, len(stored_ids), 32)}
    return describe(stream, _difference(known, set(ids)), _difference(reports, expected))


def _pairs(seqs: str, numbers: str) -> Iterable[tuple[int, int]]:
    """Return number and source's number of a source's rows."""
    return zip(map(int, seqs.split(",")), map(int, numbers.split(",")), strict=True)


def _unnamed(reports: Set[tuple[str, int, int]]) -> set[tuple[str, int, int]]:
    return {(source, 0, number) for source, _, number in reports}


def _difference(rows: Set[Any], events: Set[Any]) -> RepeatDifference:
    return RepeatDifference(len(events - rows), len(rows - events))


def _rows(connection: Connection, sql: str, stream: str) -> dict[Any, int]:
    """Return the rows of a table of the index: what comes before the number, and the number."""
    found: dict[Any, int] = {}
    for *key, seq in connection.execute(sql + " WHERE stream = ?", (stream,)):
        found[tuple(key)] = seq
    return found


def _entered(connection: Connection, ends: dict[str, int], reports: Sequence[DeviceReport]) -> list[bool]:
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
