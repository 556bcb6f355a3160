"""The writer of one partition: the right to write, the ends of its streams, recent reports, and safe commits.

Kafka has no append-if-next. A writer owns its partition through a transactional id: initializing the id fences the predecessor.
Only after everything in the partition is decided is its tail read. The owner is also recorded (`owner/…` in the state topic), so
that a writer that loses an answer can tell a lost connection from a successor, and does not fence the successor in turn.

After an unclear answer the producer is discarded, a new one initialized (which settles open transactions), and the tail compared:
committed events are acknowledged, and only missing ones are sent again.
"""

import contextlib
import os
import secrets
import socket
import time
from collections import defaultdict
from collections.abc import Callable, Sequence

import msgspec

from events.errors import BrokenSeal, DuplicateEventId, IntegrityError, LogUnavailable, SecondWriter
from events.kafka.bookmarks import Bookmark, Landmark
from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.foreign_records import StreamPlaces
from events.kafka.leftovers import decide_leftovers
from events.kafka.partition_reader import Chains, headers_of, read_headers
from events.kafka.record_batches import ReadMessage
from events.kafka.transactions import CommitUnknown, OutgoingRecord, TransactionalWriter, WriterFenced, unavailable
from events.log.appender import StreamState, check_continues, learn, place, report_digest
from events.log.contract import AppendResult, Head, Record
from events.log.hash_chain import genesis
from events.vocabulary.codec import canonical
from events.vocabulary.envelope import Draft

ATTEMPTS = 3
"""Attempts to send a group before `LogUnavailable` is raised; it stays unsettled until the next append."""
BOOKMARK_EVERY, WORTH_A_BOOKMARK = 100_000, 1000
"""Offsets that were added since the last bookmark before another is left: while appending, and at the end."""
SUCCESSOR_S = 2.0
"""How long a fenced writer waits for its successor's name before it takes the fencing for the broker's own doing."""


class _Owner(msgspec.Struct, frozen=True):
    """The last process to initialize a transactional id."""

    writer: str
    host: str
    process: int


class RecentReports(msgspec.Struct, array_like=True):
    """The reports and event ids of a stream's present gaming day and the one before: 32 and 16 bytes each.

    A report repeated later than that is stored again, and replay reports its repeated `source_seq`.
    """

    day: str = ""
    seen: set[bytes] = set()
    before: set[bytes] = set()

    def add(self, day: str, report: bytes, event_id: bytes) -> None:
        """Add a stored event's report and id."""
        if day != self.day:
            self.day, self.before, self.seen = day, self.seen, set()
        self.seen.add(report)
        self.seen.add(event_id)


class WrittenStream(msgspec.Struct, frozen=True, array_like=True):
    """A stream's end for its writer, the offset of its last record, and its recent reports."""

    state: StreamState
    offset: int
    repeats: RecentReports


class WriterBookmark(msgspec.Struct, frozen=True, array_like=True):
    """A writer's knowledge of its partition's streams before an offset."""

    next_offset: int
    landmark: Landmark
    streams: dict[str, WrittenStream]


class StagedAppend(msgspec.Struct):
    """Groups that were checked and sealed but not yet sent."""

    states: dict[str, StreamState] = {}
    records: list[Record] = []
    reports: list[tuple[str, str, bytes, bytes]] = []
    seen: dict[str, set[bytes]] = {}
    """Stream → the reports and event ids among these."""


class PartitionWriter:
    """The writer of one partition. Not safe between threads."""

    def __init__(
        self,
        cluster: Cluster,
        lane: TopicPartition,
        *,
        state_topic: str,
        transactional_id: str,
        chains: Chains,
        log_id: str,
        property_id: str,
        places: StreamPlaces,
        bookmark: Bookmark | None = None,
    ) -> None:
        self.lane, self._cluster, self._chains, self._places = lane, cluster, chains, places
        self._bookmark = bookmark
        self._state_topic, self._transactional_id = state_topic, transactional_id
        self._log_id, self._property_id = log_id, property_id
        self._states: dict[str, StreamState] = {}
        self._repeats: defaultdict[str, RecentReports] = defaultdict(RecentReports)
        self.damaged: dict[str, IntegrityError] = {}
        self._next_offset = self._bookmarked = 0
        self._offsets: dict[str, int] = {}
        self._last: ReadMessage | OutgoingRecord | None = None
        self._is_gapless = True
        self._resumed = False
        self._unchecked: set[str] = set()
        self._reader: TopicReader | None = None
        self._writer: TransactionalWriter | None = None
        self._lost: str | None = None
        self._unsettled = False
        self._me = _Owner(secrets.token_hex(16), socket.gethostname(), os.getpid())

    def claim(self) -> None:
        """Take the right to write, unless it is ours, and read the streams' ends. Raises `SecondWriter` if it was taken."""
        if self._lost is not None:
            raise SecondWriter(self._lost)
        if self._unsettled:
            self._throw_away()
            self._stop_where_succeeded(wait_s=0.0)
        if self._writer is None:
            self._take()
            self._unsettled = True  # until the tail was read: if that fails, the next claim begins again
            self._catch_up()
            self._unsettled = False
            self._leave_bookmark(WORTH_A_BOOKMARK)

    @property
    def owned(self) -> bool:
        """Whether this writer, as far as it knows, has the right to write and no open transaction."""
        return self._writer is not None and not self._unsettled

    def heads(self) -> dict[str, Head]:
        """Return the ends of the partition's sound streams."""
        return {stream: state.head for stream, state in self._states.items()}

    def state(self, stream: str) -> StreamState:
        """Return a stream's state. Raises its `IntegrityError` if it cannot be continued."""
        if stream in self._unchecked:
            self._unchecked.discard(stream)
            if not self._is_as_bookmarked(stream):
                self._begin_anew()
        if stream in self.damaged:
            raise self.damaged[stream]
        state = self._states.get(stream)
        return state or StreamState(Head(0, genesis(self._log_id, self._property_id, stream)))

    def stage(self, staged: StagedAppend, stream: str, drafts: Sequence[Draft], now_us: int) -> AppendResult:
        """Check and seal a group at the end of its stream, after groups already staged. Raises `EventError`."""
        state, seqs = staged.states.get(stream) or self.state(stream), list[int | None]()
        seen, before = self._repeats[stream].seen, self._repeats[stream].before
        new = staged.seen.setdefault(stream, set())
        for draft in drafts:
            report, event_id = report_digest(draft), bytes.fromhex(draft.event_id)
            if report in seen or report in new or report in before:
                seqs.append(None)
                continue
            if event_id in seen or event_id in new or event_id in before:
                raise DuplicateEventId(stream, draft.event_id)
            record, state = place(state, draft, log_id=self._log_id, property_id=self._property_id, stream=stream, now_us=now_us)
            new.add(report)
            new.add(event_id)
            staged.records.append(record)
            staged.reports.append((stream, state.gaming_day or "", report, event_id))
            seqs.append(record.seq)
        staged.states[stream] = state
        return AppendResult(stream, tuple(seqs), state.head)

    def adopt(self, staged: StagedAppend, record: Record) -> None:
        """Stage an unchanged record of another copy of this log. Raises `BrokenSeal` if it does not continue its stream."""
        state = staged.states.get(record.stream) or self.state(record.stream)
        check_continues(state.head, record)
        learned = learn(state, record)
        staged.states[record.stream] = learned.state
        staged.records.append(record)
        staged.reports.append((record.stream, learned.state.gaming_day or "", learned.report, learned.event_id))

    def must_be_at_the_end(self) -> None:
        """Raise `SecondWriter` if another process has appended since our last read."""
        if self._catch_up():
            raise self._lose("another process has appended to it")

    def begin(self, staged: StagedAppend) -> None:
        """Start to send the staged groups. `finish` handles errors of this and of `prepare`."""
        self._unsettled = True
        topic, partition = self.lane
        keys = {stream: stream.encode() for stream in staged.states}
        messages = [
            OutgoingRecord(topic, partition, keys[record.stream], record.data, headers_of(record)) for record in staged.records
        ]
        self._step(lambda writer: writer.write(messages))

    def prepare(self) -> None:
        """Wait until the broker has every record, and ask it to commit."""
        self._step(lambda writer: writer.prepare())

    def finish(self, staged: StagedAppend) -> None:
        """Wait for the commit and settle any error. Afterward the group is stored once and visible to readers.

        Raises `SecondWriter` if another process has taken over, `LogUnavailable` if the broker cannot be asked: the next append
        then first finds out whether the group was stored.
        """
        self._step(lambda writer: writer.commit())
        for _ in range(ATTEMPTS):
            if self._writer is not None:
                self._committed(staged)
                return
            if self._settle(staged):
                return
            self.begin(staged)
            self.prepare()
            self._step(lambda writer: writer.commit())
        raise LogUnavailable(
            f"Kafka at {self._cluster.bootstrap} did not commit to {self.lane.topic}; repeat the append: what was "
            "stored is recognized as a repeat"
        )

    def close(self) -> None:
        """Release the connections, and leave a bookmark."""
        self._throw_away()
        self._leave_bookmark(WORTH_A_BOOKMARK)
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    # --------------------------------------------------------------------------------------------------------- settling

    def _step(self, step: Callable[[TransactionalWriter], None]) -> None:
        """Do a step of a commit unless an earlier one failed; a failure discards the producer."""
        if self._writer is None:
            return
        try:
            step(self._writer)
        except (WriterFenced, CommitUnknown) as error:
            self._throw_away()
            self._stop_where_succeeded(wait_s=SUCCESSOR_S if isinstance(error, WriterFenced) else 0.0)

    def _settle(self, staged: StagedAppend) -> bool:
        """Find out whether a group is stored. Raises `SecondWriter` if others wrote meanwhile."""
        self._stop_where_succeeded(wait_s=0.0)
        before = {record.stream: record.seq - 1 for record in reversed(staged.records)}
        self._take()
        found = self._catch_up()
        self._unsettled = False
        if [record.hash for record in found] == [record.hash for record in staged.records]:
            return True
        if found or any(self.state(stream).head.seq != seq for stream, seq in before.items()):
            raise self._lose("another process has appended to it")
        return False

    def _take(self) -> None:
        try:
            self._writer = self._cluster.writer(self._transactional_id)
            key, value = f"owner/{self._transactional_id}".encode(), canonical(msgspec.structs.asdict(self._me))
            self._writer.transact([OutgoingRecord(self._state_topic, 0, key, value, [])])
            decide_leftovers(self._cluster, self._open_reader(), self._writer, [self.lane], 0.0)
        except (WriterFenced, CommitUnknown) as error:
            self._throw_away()
            if isinstance(error, WriterFenced):
                raise self._lose("another process took it at the same moment") from error
            raise unavailable(error, f"Kafka at {self._cluster.bootstrap}: {error}") from error
        except LogUnavailable:  # what is undecided, or unknown, is not built upon: the next claim begins again
            self._throw_away()
            raise

    def _stop_where_succeeded(self, wait_s: float) -> None:
        deadline = time.monotonic() + wait_s
        while True:
            owner = self._owner()
            if owner is not None and owner.writer != self._me.writer:
                raise self._lose(f"process {owner.process} on {owner.host} has taken over")
            if time.monotonic() >= deadline:
                return
            time.sleep(0.1)

    def _owner(self) -> _Owner | None:
        found, lane = None, TopicPartition(self._state_topic, 0)
        key = f"owner/{self._transactional_id}".encode()
        for message in self._open_reader().scan(lane, 0):
            if message.key == key and message.value:
                with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError):  # a stranger's, of no owner
                    found = msgspec.json.decode(message.value, type=_Owner)
        return found

    def _lose(self, why: str) -> SecondWriter:
        self._throw_away()
        self._lost = f"{self.lane.topic} partition {self.lane.partition} is written by another process: {why}"
        return SecondWriter(self._lost)

    def _throw_away(self) -> None:
        if self._writer is not None:
            self._writer.discard()
            self._writer = None

    # --------------------------------------------------------------------------------------------------------- learning

    def _committed(self, staged: StagedAppend) -> None:
        assert self._writer is not None
        offsets = self._writer.offsets
        self._open_reader().await_visible(self.lane, offsets[-1])
        self._chains.extend(staged.records)
        for stream, day, report, event_id in staged.reports:
            self._repeats[stream].add(day, report, event_id)
        self._states.update(staged.states)
        self._offsets.update(zip((record.stream for record in staged.records), offsets, strict=True))
        if offsets[0] > self._next_offset + 1 or offsets[-1] - offsets[0] >= len(offsets):
            self._is_gapless = False  # besides the end of a transaction something lies there that was not read
        last = staged.records[-1]
        self._last = OutgoingRecord(*self.lane, last.stream.encode(), last.data, headers_of(last))
        self._next_offset = max(self._next_offset, offsets[-1] + 1)
        self._unsettled = False
        self._leave_bookmark(BOOKMARK_EVERY)

    def _catch_up(self) -> list[Record]:
        """Read the partition's new records; return them."""
        if not self._next_offset:
            self._resume()
        found = []
        for message in self._open_reader().scan(self.lane, self._next_offset):
            self._next_offset, self._last = message.offset + 1, message
            if self._places.foreign(message) is not None:
                continue
            key = (message.key or b"").decode(errors="replace")
            if key in self.damaged:
                continue
            try:
                record = self._chains.accept(message.key, message.headers, message.value)
                if record is not None:
                    self._learn(record)
                    self._offsets[record.stream] = message.offset
                    found.append(record)
            except IntegrityError as error:
                self.damaged[key] = error
        if self.damaged and self._resumed:
            self._begin_anew()
        return found

    # -------------------------------------------------------------------------------------------------------- bookmarks

    def _resume(self) -> None:
        """Begin with the bookmark's content if its landmark is unchanged."""
        known = self._bookmark.load(WriterBookmark) if self._bookmark is not None else None
        if known is None or not known.landmark.stands(self._open_reader(), self.lane):
            return
        self._resumed, self._next_offset, self._bookmarked = True, known.next_offset, known.next_offset
        for stream, each in known.streams.items():
            self._states[stream], self._offsets[stream], self._repeats[stream] = each.state, each.offset, each.repeats
        self._unchecked = set(known.streams)
        self._chains.begin({stream: state.head for stream, state in self._states.items()})

    def _leave_bookmark(self, worth: int) -> None:
        """Store a bookmark if enough offsets are new and all records fit."""
        last, end = self._last, self._next_offset
        if self._bookmark is None or last is None or not self._is_gapless or self.damaged:
            return
        if end >= self._bookmarked + worth:
            streams = {
                stream: WrittenStream(state, self._offsets[stream], self._repeats[stream])
                for stream, state in self._states.items()
                if state.head.seq
            }
            self._bookmark.store(WriterBookmark(end, Landmark.at(end - 1, last), streams))
            self._bookmarked = end

    def _is_as_bookmarked(self, stream: str) -> bool:
        """Whether the stored record at a stream's known end is as the bookmark says."""
        state, key = self._states[stream], stream.encode()
        found = next(self._open_reader().scan(self.lane, self._offsets[stream]), None)
        if found is None or (found.offset, found.key) != (self._offsets[stream], key):
            return False
        record = Record(stream, state.head.seq, found.value or b"", state.head.hash)
        if read_headers(key, found.headers)[1:] != (record.seq, record.hash):
            return False
        try:
            return learn(state, record).state == state
        except BrokenSeal:  # which is met again, and kept, when all is read
            return False

    def _begin_anew(self) -> None:
        """Delete the bookmark and everything learned from it, and read the partition from its beginning."""
        if self._bookmark is not None:
            self._bookmark.forget()
        for known in (self._states, self._offsets, self._repeats, self.damaged, self._unchecked):
            known.clear()
        self._chains.begin({})
        self._bookmark, self._resumed, self._next_offset = None, False, 0
        self._catch_up()

    def _learn(self, record: Record) -> None:
        learned = learn(self._states.get(record.stream), record)
        self._states[record.stream] = learned.state
        day = learned.state.gaming_day or ""
        self._repeats[record.stream].add(day, learned.report, learned.event_id)

    def _open_reader(self) -> TopicReader:
        if self._reader is None:
            self._reader = self._cluster.reader()
        return self._reader
