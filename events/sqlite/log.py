"""The log on one machine: SQLite in WAL mode, `synchronous=FULL`, one writer, group commit.

The table `events` is in the order of appending (`pos`) and has one index by stream and number; what is not among the newest
events of its stream is in `packs` (see `events.sqlite.packs`). `reports` and `event_ids`
only recognize repeats (see `events.sqlite.repeats`); no evidence rests on them. Each append is one transaction, then one
fsynced write to the high-water file; only after both is it acknowledged. Several processes may have a log open for writing:
they take turns, a group at a time (see `events.log.turn`), and each first reads what the one before it wrote.
"""

import contextlib
import os
import secrets
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from events.errors import AppendRefused, BrokenSeal, EventError, LogUnavailable, SequenceGap, WrongSequence
from events.log.appender import StreamState, place, report_digest, state_at
from events.log.clock import utc_now_us
from events.log.contract import NOTHING_EXPECTED, AppendResult, Clock, Head, QuarantineEntry, Record, StreamIndex
from events.log.diagnosis import diagnose
from events.log.foreign import OwnStore
from events.log.hash_chain import CHAIN_TAG, genesis
from events.log.high_water import HighWater, compare, sync
from events.log.relaxed_gc import relaxed_gc
from events.log.turn import Turns
from events.sqlite.database import CHUNK, Connection, DamagedDatabase, Database
from events.sqlite.packs import StoredEvents, store, unpack
from events.sqlite.repeats import DeviceReport, IndexDiffers, RepeatIndex, compare_index
from events.sqlite.schema import EARLIER_FORMS, SCHEMA, SCHEMA_VERSION, renew
from events.vocabulary.envelope import Draft, StreamName
from events.vocabulary.model import Token

POLL_S = 0.02
_LAST = 2**63 - 1


class SqliteLog(OwnStore):
    """A log in one SQLite file (see `events.log.contract.EventLog`).

    Raises `LogUnavailable` if there is no such log, `SecondWriter` if another writer does not give its turn back,
    `LostTail` or `BrokenSeal` if acknowledged events are gone. With `check_heads=False` a damaged log opens all the
    same, so that it can be verified; the damaged streams still take no event.
    """

    is_interleaved = False

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        property_id: str | None = None,
        create: bool = False,
        read_only: bool = False,
        clock: Clock = utc_now_us,
        log_id: str | None = None,
        check_heads: bool = True,
    ) -> None:
        self.path = Path(os.path.realpath(path))
        self._clock, self._read_only = clock, read_only
        self._states: dict[str, StreamState] = {}
        self._failure: str | None = None
        self._repairs: list[str] = []
        self._turn_depth = self._version = 0
        self._form = ""
        self._high_water: HighWater
        self._resources = contextlib.ExitStack()
        if not self.path.is_file() and (read_only or not create):
            raise LogUnavailable(f"there is no log at {self.path}; name another address, or create one")
        try:
            if not read_only:
                self._turns = Turns(self.path)
                self._resources.callback(self._turns.close)
                self._turns.take()  # if opening fails it is not given back in order: the next writer looks again
            self._open(property_id, log_id, create and not read_only)
            for stream, mark in sorted(self._high_water.load().items()) if check_heads else ():
                compare(stream, mark, self.head(stream), self._hash_at(stream, mark.seq))
            if not read_only:
                self._turns.give_back()
        except BaseException:
            with contextlib.suppress(LogUnavailable):  # what matters is why it failed
                self.close()
            raise

    def _open(self, property_id: str | None, log_id: str | None, create: bool) -> None:
        self._database = Database(self.path, read_only=self._read_only)
        self._resources.callback(self._database.close)
        if not self._read_only:
            self._database.make_durable()
        if create and not self._database.rows("SELECT 1 FROM sqlite_schema LIMIT 1"):
            self._create(property_id, log_id or secrets.token_hex(16))
        self._log_id, self._property_id = self._identity(property_id)
        if not self._read_only:
            renew(self._database, self._form)
            self._form = SCHEMA_VERSION
            self._version = self._data_version()
        self._events = StoredEvents(self._database)
        self._repeats = RepeatIndex(self._database, self._events)
        self._high_water = HighWater(self.path.with_name(self.path.name + ".high-water"), self._log_id)
        self._resources.callback(self._high_water.close)

    def _create(self, property_id: str | None, log_id: str) -> None:
        try:
            msgspec.convert(property_id, Token)
        except msgspec.ValidationError as error:
            raise EventError(f"a new log needs the id of its property: {error}") from error
        with self._database.transaction() as connection:
            connection.execute(SCHEMA)
            meta = {"schema": SCHEMA_VERSION, "log_id": log_id, "property_id": property_id}
            connection.executemany("INSERT INTO meta VALUES (?, ?)", meta.items())
        try:
            sync(self.path.parent)
        except OSError as error:
            raise LogUnavailable(f"{self.path.parent}: {error.strerror}; create the log again") from error

    def _identity(self, property_id: str | None) -> tuple[str, str]:
        if not self._database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'meta'"):
            raise LogUnavailable(f"{self.path} is not a log of Discard Rack")
        meta = dict(self._database.rows("SELECT name, value FROM meta"))
        self._form = meta.get("schema", "unknown")
        if self._form not in (*EARLIER_FORMS, SCHEMA_VERSION):
            raise LogUnavailable(f"{self.path} has the form {self._form}, this version reads 1 to {SCHEMA_VERSION}")
        if not {"log_id", "property_id"} <= meta.keys():
            raise LogUnavailable(
                f"{self.path} does not name its log and property: the file is damaged; keep it and restore a copy"
            )
        if property_id not in (None, meta["property_id"]):
            raise LogUnavailable(f"{self.path} is the log of property {meta['property_id']}, not {property_id}")
        return meta["log_id"], meta["property_id"]

    @property
    def log_id(self) -> str:
        """The log's random id, 32 hex digits."""
        return self._log_id

    @property
    def property_id(self) -> str:
        """The property this log belongs to."""
        return self._property_id

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""
        return self._events.streams()

    def head(self, stream: str) -> Head:
        """Return the end of a stream; `Head(0, genesis)` when nothing was appended yet."""
        return self._events.head(stream) or Head(0, self._genesis(stream))

    # ---------------------------------------------------------------------------------------------------------- writing

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        """Append drafts as one group (see `EventLog.append`)."""
        return self._commit([(stream, drafts)], {stream: expected_seq})[0]

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        """Append groups of several streams in one durable commit, each at the end of its stream."""
        return self._commit(list(groups), expected)

    @contextlib.contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the turn to write through several calls (see `EventLog.turn`)."""
        with self._database.lock:
            self._check_writable()
            if self._turn_depth == 0:
                self._begin_turn()
            self._turn_depth += 1
            try:
                yield
            finally:
                self._turn_depth -= 1
                if self._turn_depth == 0:
                    self._turns.give_back(in_order=self._failure is None)

    def _begin_turn(self) -> None:
        """Take the turn, and read what others have stored since the last one."""
        in_order = self._turns.take()
        try:
            if not in_order:
                self._database.make_durable()
            self._high_water.catch_up(anew=not in_order)
            version = self._data_version()
            if version != self._version or not in_order:
                self._states = {
                    stream: state for stream, state in self._states.items() if in_order and self.head(stream) == state.head
                }
                self._repeats.forget()
                self._version = version
        except BaseException:
            self._turns.give_back(in_order=in_order)
            raise

    def _data_version(self) -> int:
        """Return a number that changes when another connection has committed."""
        return int(self._database.rows("PRAGMA data_version")[0][0])

    def repairs(self) -> list[str]:
        """Return what was made again because it differed from the chain, a sentence for each stream."""
        return list(self._repairs)

    def _commit(self, groups: Sequence[tuple[str, Sequence[Draft]]], expected: Mapping[str, int]) -> list[AppendResult]:
        with self.turn(), relaxed_gc():
            for _ in range(1 + len({stream for stream, _ in groups})):
                try:
                    return self._commit_once(groups, expected)
                except IndexDiffers as error:
                    differs = self._repeats.make_anew(error.stream, self.read(error.stream))
                    if differs is not None:
                        self._repairs.append(f"{differs}; it was made anew from the chain")
            raise LogUnavailable(f"{self.path}: the index of repeats keeps differing from the chain; nothing was stored")

    def _commit_once(self, groups: Sequence[tuple[str, Sequence[Draft]]], expected: Mapping[str, int]) -> list[AppendResult]:
        staged: dict[str, StreamState] = {}
        for stream, _ in groups:
            staged[stream] = self._state(stream)
            next_seq = staged[stream].head.seq + 1
            if expected.get(stream, next_seq) != next_seq:
                raise WrongSequence(stream, expected[stream], next_seq)
        try:
            self._high_water.reserve(len(staged))
        except OSError as error:
            raise AppendRefused(f"{self._high_water.path}: {error.strerror}; nothing was stored") from error
        now_us = self._clock()
        try:
            with self._database.transaction() as connection:
                appended = self._stage(connection, staged, groups, now_us)
        except LogUnavailable as error:
            message = f"{error}; whether the last group was stored is only known after opening the log again"
            raise self._fail(message) from error
        except BaseException:
            self._repeats.forget()
            raise
        marked = self._high_water.marked  # a repeat may be of what was stored, and never acknowledged
        moved = {name: state.head for name, state in staged.items() if state.head.seq and state.head != marked(name)}
        try:
            if moved:
                self._high_water.record(moved)
        except OSError as error:
            raise self._fail(
                f"{self._high_water.path}: {error.strerror}; the last group was stored but not acknowledged: "
                "open the log again and repeat it (what was stored is recognized as a repeat)"
            ) from error
        self._states.update(staged)
        return appended

    def _stage(
        self, connection: Connection, staged: dict[str, StreamState], groups: Sequence[tuple[str, Sequence[Draft]]], now_us: int
    ) -> list[AppendResult]:
        """Put groups into the tables, one table after the other, and update the states of their streams."""
        reports = [
            DeviceReport(stream, draft.source, draft.source_seq, report_digest(draft))
            for stream, drafts in groups
            for draft in drafts
        ]
        ends = {stream: state.head.seq for stream, state in staged.items()}
        is_new = iter(self._repeats.enter(connection, ends, reports))
        records, event_ids, appended = list[Record](), list[tuple[str, bytes, int]](), list[AppendResult]()
        for stream, drafts in groups:
            state, seqs = staged[stream], list[int | None]()
            for draft, new in zip(drafts, is_new, strict=False):
                if not new:
                    seqs.append(None)
                    continue
                record, state = place(
                    state, draft, log_id=self._log_id, property_id=self._property_id, stream=stream, now_us=now_us
                )
                records.append(record)
                event_ids.append((stream, bytes.fromhex(draft.event_id), record.seq))
                seqs.append(record.seq)
            staged[stream] = state
            appended.append(AppendResult(stream, tuple(seqs), state.head))
        self._repeats.enter_ids(connection, event_ids)
        store(connection, records, packing=self._events.has_packs)
        return appended

    def _state(self, stream: str) -> StreamState:
        """Return the state of a stream; the first time, it is read from the stream's last events."""
        if stream not in self._states:
            try:
                msgspec.convert(stream, StreamName)
            except msgspec.ValidationError as error:
                raise EventError(f"{stream!r} is not the name of a stream: {error}") from error
            self.verify_head(stream)
            self._states[stream] = state_at(self._genesis(stream), self._newest_first(stream))
        return self._states[stream]

    def _newest_first(self, stream: str) -> Iterator[Record]:
        return (Record(stream, *stored) for stored in self._events.newest_first(stream))

    def quarantine(self, *entries: QuarantineEntry) -> None:
        """Keep refused bytes durably, in one transaction. The same bytes for the same stream twice are kept once."""
        for entry in entries:
            entry.check()
        self._keep(entries, self._clock())

    def _keep(self, entries: Sequence[QuarantineEntry], at_us: int) -> None:
        with self.turn(), self._database.transaction() as connection:
            rows = [(entry.stream, entry.sha256, entry.reason, entry.data, at_us) for entry in entries]
            sql = "INSERT OR IGNORE INTO quarantine (stream, sha256, reason, data, at_us) VALUES (?, ?, ?, ?, ?)"
            connection.executemany(sql, rows)

    def _check_writable(self) -> None:
        if self._read_only:
            raise AppendRefused(f"{self.path} is open for reading only")
        _ = self._database.connection  # raises if the log was closed
        if self._failure is not None:
            raise LogUnavailable(self._failure)

    def _fail(self, message: str) -> LogUnavailable:
        self._failure = message
        return LogUnavailable(message)

    # ---------------------------------------------------------------------------------------------------------- reading

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield a stream's records in order, chain checked (see `EventLog.read`)."""
        expected, last, chunk = max(from_seq, 1), _LAST if to_seq is None else to_seq, CHUNK
        previous = self._hash_at(stream, expected - 1)
        while expected <= last:
            end = self.head(stream).seq  # before the rows, which a writer may be adding to
            try:
                rows = self._events.up(stream, expected, last, chunk)
            except DamagedDatabase as error:
                if chunk == 1:
                    raise BrokenSeal(stream, expected, str(error)) from error
                chunk = 1  # find out which record it is
                continue
            if rows and previous is None:
                raise SequenceGap(stream, expected - 1, rows[0][0])
            for seq, data, stored in rows:
                if seq != expected or previous is None:
                    raise SequenceGap(stream, expected, seq)
                if type(data) is not bytes or sha256(CHAIN_TAG + previous + data).digest() != stored:
                    self._refuse(stream, seq, data)
                previous = stored
                yield Record(stream, seq, data, stored)
                expected += 1
            if not rows or end < expected:
                if expected <= min(end, last):
                    raise SequenceGap(stream, expected, end)
                return

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield batches of records of all streams beyond `after` (see `EventLog.tail`).

        A stream in which `after` names a number beyond the end yields nothing until it has passed it.
        """
        ends: dict[str, tuple[int, bytes | None]] = {}
        pos = self._first_position(after)
        patience_s = wait_s or 0.0
        until = time.monotonic() + patience_s
        while True:
            rows = self._events.since(pos)
            batch: list[Record] = []
            try:
                at, last, previous = "", 0, self._hash_at("", 0)
                for stream, seq, data, stored in _events_of(rows, after):
                    if stream != at:  # mostly, the events of a stream are in rows next to each other
                        ends[at] = last, previous
                        if stream not in ends:
                            start = after.get(stream, 0)
                            ends[stream] = start, self._hash_at(stream, start)
                        at, (last, previous) = stream, ends[stream]
                    if seq <= last:
                        continue
                    if seq != last + 1 or previous is None:
                        raise SequenceGap(stream, last + 1 if previous else last, seq)
                    if type(data) is not bytes or sha256(CHAIN_TAG + previous + data).digest() != stored:
                        self._refuse(stream, seq, data)
                    last, previous = seq, stored
                    batch.append(Record(stream, seq, data, stored))
                ends[at] = last, previous
            except (BrokenSeal, SequenceGap):
                if batch:
                    yield batch
                raise
            if rows:
                pos = rows[-1][0]
            elif wait_s is None:
                return
            elif time.monotonic() >= until:
                yield []
                until = time.monotonic() + patience_s
            else:
                time.sleep(min(POLL_S, max(0.0, until - time.monotonic())))
            if batch:
                yield batch
                until = time.monotonic() + patience_s

    def _first_position(self, after: Mapping[str, int]) -> int:
        """Return a position before every record that lies beyond `after`."""
        found = (self._events.position(stream, after.get(stream, 0)) for stream in self.streams())
        positions = [pos for pos in found if pos is not None]
        if positions:
            return min(positions) - 1
        return int(self._database.rows("SELECT coalesce(max(pos), 0) FROM events")[0][0])

    def _refuse(self, stream: str, seq: int, data: object) -> None:
        """Raise `BrokenSeal`, which says what is wrong with a record whose bytes do not match its stored hash."""
        if not isinstance(data, bytes):
            raise BrokenSeal(stream, seq, "what is stored are not bytes")
        raise diagnose(stream, seq, data, self._bytes_at)

    def _bytes_at(self, stream: str, seq: int) -> bytes | None:
        stored = self._events.at(stream, seq)
        return None if stored is None else stored[1]

    def _hash_at(self, stream: str, seq: int) -> bytes | None:
        if seq == 0:
            return self._genesis(stream)
        stored = self._events.at(stream, seq)
        return None if stored is None else stored[2]

    def _genesis(self, stream: str) -> bytes:
        return genesis(self._log_id, self._property_id, stream)

    def quarantined(self) -> list[QuarantineEntry]:
        """Return everything in quarantine, oldest first."""
        at_us = "0" if self._form == "1" else "at_us"
        rows = self._database.rows(f"SELECT stream, sha256, reason, data, {at_us} FROM quarantine ORDER BY pos")
        return [QuarantineEntry(*row) for row in rows]

    def compare_index(self, stream: str, events: StreamIndex) -> str | None:
        """Return how the index of repeats differs from a stream's events (see `EventLog.compare_index`)."""
        return compare_index(self._database, stream, events) if self._form == SCHEMA_VERSION else None

    def acknowledged(self) -> dict[str, Head]:
        """Return the high-water mark: for each stream the furthest end that was acknowledged on this machine."""
        return self._high_water.load()

    def verify_head(self, stream: str) -> None:
        """Raise `LostTail` or `BrokenSeal` if the stream ends before its high-water mark or differs there."""
        mark = self._high_water.load().get(stream)  # before the database is read: a writer may be at work
        if mark is not None:
            compare(stream, mark, self.head(stream), self._hash_at(stream, mark.seq))

    def close(self) -> None:
        """Give up the right to write and release everything."""
        self._resources.close()


def _events_of(
    rows: Iterable[tuple[int, str, int, int, bytes, bytes]], after: Mapping[str, int]
) -> Iterator[tuple[str, int, bytes, bytes]]:
    """Yield stream, number, bytes and hash of the events in rows; packs without wanted events are not opened."""
    for _, stream, seq, last, data, stored in rows:
        if last == 0:
            yield stream, seq, data, stored
        elif last > after.get(stream, 0):
            for event in unpack(stream, seq, last, data, stored):
                yield stream, *event
