"""The log of a property or group on Kafka: address `kafka://host:port/prefix` (see *Kafka* in docs/architecture.md).

Streams are in `<prefix>.events`, on the partition given by the SHA-256 of their name. Reviews and observations are in
`<prefix>.reviews`, so that people do not take the tables' right to write. Key = stream, value = canonical bytes, headers `seq`
and `hash` (checked). A group is one transaction; groups of several partitions are one transaction each. The log's identity is in
`<prefix>.state`.

`state_dir` holds a high-water file and a lock for each partition. Writers that share it refuse each other. A writer elsewhere
(another machine) takes over the right to write, and its predecessor gets `SecondWriter` at its next append.
"""

import contextlib
import os
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

import msgspec

from events.errors import AppendRefused, EventError, IntegrityError, LogUnavailable, WrongSequence
from events.kafka.bookmarks import STATE_DIR, Bookmark
from events.kafka.client import MAX_MESSAGE_BYTES, Cluster, ReaderPool, TopicPartition, TopicReader
from events.kafka.foreign_records import ForeignRecordWatch, StreamPlaces, foreign_entry
from events.kafka.partition_reader import Chains, Headers, read_headers
from events.kafka.partition_writer import PartitionWriter, StagedAppend
from events.kafka.prefetch import to_the_ends
from events.kafka.record_batches import ReadMessage
from events.kafka.results import KafkaResults
from events.kafka.survey import BESIDE, BesideSurvey, PartitionSurvey
from events.kafka.topic_settings import refuse_faults, store_faults
from events.kafka.topics import create_log, identify, parse_address, partition_of
from events.kafka.transactions import OutgoingRecord
from events.log.contract import MAX_SEQ, NOTHING_EXPECTED, AppendResult, Clock, Head, QuarantineEntry, Record
from events.log.foreign import NO_FOREIGN_RECORDS, ForeignReport, StoreFault
from events.log.hash_chain import genesis
from events.log.high_water import HighWater, compare
from events.log.lock import take_lock
from events.log.relaxed_gc import relaxed_gc
from events.log.turn import SoleWriter
from events.proofs.quarantine import is_sound
from events.vocabulary.envelope import Draft, StreamName

__all__ = ["KafkaLog", "KafkaResults"]

POLL_S = 0.25


def now_us() -> int:
    """Return the present as integer UTC microseconds."""
    return time.time_ns() // 1000


class KafkaLog(SoleWriter):
    """A log on Kafka (see `events.log.contract.EventLog`).

    `create` makes the topics (with `partitions`, `replication` and `min_insync`) if they are missing. Opening takes no right to
    write: the first append to a partition does, and fences the previous writer, which then gets `SecondWriter`. Raises
    `LogUnavailable` if there is no such log or no answer, `LostTail` or `BrokenSeal` if acknowledged events are gone;
    `check_heads=False` skips that check. `resume=False` ignores bookmarks (`events.kafka.bookmarks`): for proofs. The client gets
    `security` (TLS, SASL). With `part`, the log has only the streams of that partition (0 has the reviews too); `reached` gives
    the offsets up to which its tail was read.
    """

    is_interleaved = True

    def __init__(
        self,
        address: str,
        *,
        property_id: str | None = None,
        create: bool = False,
        read_only: bool = False,
        clock: Clock = now_us,
        log_id: str | None = None,
        check_heads: bool = True,
        state_dir: Path | str = STATE_DIR,
        partitions: int = 4,
        replication: int = 1,
        min_insync: int = 1,
        timeout_s: float = 30.0,
        security: Mapping[str, Any] | None = None,
        part: int | None = None,
        resume: bool = True,
    ) -> None:
        bootstrap, self.prefix = parse_address(address)
        self.address, self._clock, self._read_only = address, clock, read_only
        self._cluster = Cluster(bootstrap, timeout_s=timeout_s, security=security)
        self._state_dir = Path(state_dir)
        self._lock = threading.RLock()
        self._shards: dict[TopicPartition, PartitionWriter] = {}
        self._high_waters: dict[TopicPartition, HighWater] = {}
        self._surveys: dict[TopicPartition, PartitionSurvey] = {}
        self._resume = resume
        self._locks: dict[TopicPartition, int] = {}
        self._verified: set[str] = set()
        self._confirmed: dict[str, Head] = {}  # marks that a tail of this log has come past, chain checked
        self._readers = ReaderPool(self._cluster)
        self.reached: dict[TopicPartition, int] = {}
        self._places: dict[TopicPartition, StreamPlaces] = {}
        self._passage = ForeignRecordWatch()
        self._beside: dict[str, BesideSurvey] = {}
        self._closed = False
        try:
            self._cluster.probe()
            with self._readers.reader() as reader:
                if create and not read_only:
                    create_log(
                        self._cluster,
                        reader,
                        self.prefix,
                        property_id,
                        log_id or secrets.token_hex(16),
                        partitions,
                        replication,
                        min_insync,
                    )
                self._identity = identify(reader, self.address, property_id)
            if not read_only:
                refuse_faults(self.store_faults())
            self._lanes = [TopicPartition(self._topic("events"), number) for number in range(self._identity.partitions)]
            self._lanes.append(TopicPartition(self._topic("reviews"), 0))
            if part is not None:
                self._lanes = [lane for lane in self._lanes if lane.partition == part]
            for lane in self._lanes:
                self._high_waters[lane] = HighWater(self._path(lane, "high-water"), self.log_id)
            if check_heads:
                self._verify(self.acknowledged())
        except BaseException:
            self.close()
            raise

    @property
    def log_id(self) -> str:
        """The log's random id, 32 hex digits."""
        return self._identity.log_id

    @property
    def property_id(self) -> str:
        """The property this log belongs to."""
        return self._identity.property_id

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""
        return sorted(stream for lane in self._lanes for stream in self._heads(lane))

    def head(self, stream: str) -> Head:
        """Return the stored end of a stream; `Head(0, genesis)` before the first append."""
        return self._heads(self._lane(stream)).get(stream) or Head(0, genesis(self.log_id, self.property_id, stream))

    # ---------------------------------------------------------------------------------------------------------- writing

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        """Append drafts as one group (see `EventLog.append`)."""
        return self._commit([(stream, drafts)], {stream: expected_seq})[0]

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        """Append groups of several streams, each at the end of its stream: one transaction for each partition.

        Expected numbers and drafts are checked in every partition before anything is sent. If one partition then fails (its
        broker does not answer, another machine takes it over), the groups of the others are still stored: the error names their
        streams, and repeating the same drafts stores the rest.
        """
        return self._commit(list(groups), expected)

    def _commit(self, groups: Sequence[tuple[str, Sequence[Draft]]], expected: Mapping[str, int]) -> list[AppendResult]:
        with self._lock, relaxed_gc():
            self._check_writable()
            lanes = [self._lane(stream) for stream, _ in groups]
            staged = {lane: StagedAppend() for lane in lanes}
            for lane in staged:
                self._shard(lane).claim()
            try:
                appended = self._stage(lanes, groups, staged, expected)
            except (EventError, WrongSequence):
                for lane in staged:  # what is refused here must not rest on where the streams stood before a successor
                    self._shards[lane].must_be_at_the_end()
                raise
            self._send(staged)
            return appended

    def _stage(
        self,
        lanes: Sequence[TopicPartition],
        groups: Sequence[tuple[str, Sequence[Draft]]],
        staged: Mapping[TopicPartition, StagedAppend],
        expected: Mapping[str, int],
    ) -> list[AppendResult]:
        for lane, (stream, _) in zip(lanes, groups, strict=True):
            next_seq = self._shards[lane].state(stream).head.seq + 1
            if expected.get(stream, next_seq) != next_seq:
                raise WrongSequence(stream, expected[stream], next_seq)
            if stream not in self._verified:
                self.verify_head(stream)
                self._verified.add(stream)
        now = self._clock()
        return [
            self._shards[lane].stage(staged[lane], stream, drafts, now)
            for lane, (stream, drafts) in zip(lanes, groups, strict=True)
        ]

    def _send(self, staged: Mapping[TopicPartition, StagedAppend]) -> None:
        """Commit to each partition in one transaction, all at once. Raises the first error at the end."""
        for lane, each in staged.items():
            try:
                self._high_waters[lane].reserve(len(each.states))
            except OSError as error:
                raise AppendRefused(f"{self._high_waters[lane].path}: {error.strerror}; nothing was stored") from error
        failed: dict[TopicPartition, Exception] = {}

        def each_lane(step: Callable[[TopicPartition, StagedAppend], None]) -> None:
            for lane, each in staged.items():
                if lane not in failed:
                    try:
                        step(lane, each)
                    except (AppendRefused, LogUnavailable, IntegrityError) as error:
                        failed[lane] = error

        each_lane(lambda lane, each: self._shards[lane].begin(each) if each.records else None)
        each_lane(lambda lane, each: self._shards[lane].prepare() if each.records else None)
        each_lane(self._finish)
        if failed:
            first = next(iter(failed.values()))
            stored = sorted(stream for lane, each in staged.items() if lane not in failed for stream in each.states)
            if not stored or isinstance(first, IntegrityError):
                raise first
            raise type(first)(f"{first}; stored all the same: {', '.join(stored)}") from first

    def _finish(self, lane: TopicPartition, staged: StagedAppend) -> None:
        if staged.records:
            self._shards[lane].finish(staged)
        high_water = self._high_waters[lane]  # a repeat may be of what was stored, and never acknowledged
        heads = {stream: state.head for stream, state in staged.states.items()}
        moved = {stream: head for stream, head in heads.items() if head.seq and head != high_water.marked(stream)}
        try:
            if moved:
                high_water.record(moved)
        except OSError as error:
            raise LogUnavailable(
                f"{high_water.path}: {error.strerror}; the last group was stored but not acknowledged: repeat it "
                "(what was stored is recognized as a repeat)"
            ) from error

    def quarantine(self, *entries: QuarantineEntry) -> None:
        """Store refused bytes durably, in one go. Repeats for the same stream are stored once."""
        for entry in entries:
            entry.check()
        self._keep(entries, self._clock())

    def _keep(self, entries: Sequence[QuarantineEntry], at_us: int) -> None:
        for entry in entries:
            if len(entry.data) > MAX_MESSAGE_BYTES - 65_536:
                raise EventError(f"{entry.stream}: {len(entry.data)} refused bytes are more than quarantine keeps")
        with self._lock:
            self._check_writable()
            self._cluster.send_plain(*(self._refused(entry, at_us) for entry in entries))

    def _refused(self, entry: QuarantineEntry, at_us: int) -> OutgoingRecord:
        stated = {"stream": entry.stream, "reason": entry.reason, "at_us": str(at_us)}
        headers: Headers = [(name, text.encode()) for name, text in stated.items()]
        return OutgoingRecord(self._topic("quarantine"), 0, entry.sha256.encode(), entry.data, headers)

    def _shard(self, lane: TopicPartition) -> PartitionWriter:
        if lane not in self._shards:
            self._locks[lane] = self._take_lock(lane)
            self._shards[lane] = PartitionWriter(
                self._cluster,
                lane,
                state_topic=self._topic("state"),
                log_id=self.log_id,
                property_id=self.property_id,
                transactional_id=f"{self.prefix}.{self._name(lane)}",
                chains=self._chains(),
                places=self._place(lane),
                bookmark=Bookmark(self._path(lane, "writer"), self.log_id) if self._resume else None,
            )
        return self._shards[lane]

    def _check_writable(self) -> None:
        if self._read_only:
            raise AppendRefused(f"{self.address} is open for reading only")
        if self._closed:
            raise LogUnavailable(f"{self.address} was closed")

    # ---------------------------------------------------------------------------------------------------------- reading

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield a stream's records in order, chain checked (see `EventLog.read`)."""
        lane, after = self._lane(stream), max(from_seq, 1) - 1
        reached = after
        try:
            for record in self._read(lane, stream, after, to_seq):
                reached = record.seq
                yield record
        except IntegrityError:
            if not self._forget_bookmarks([lane]):
                raise
        else:
            end = min(self._known(lane).ends.head(stream).seq, MAX_SEQ if to_seq is None else to_seq)
            if reached >= end or not self._forget_bookmarks([lane]):
                return
        yield from (record for record in self._read(lane, stream, after, to_seq) if record.seq > reached)

    def _read(self, lane: TopicPartition, stream: str, after: int, to_seq: int | None) -> Iterator[Record]:
        if to_seq is not None and to_seq <= after:
            return
        heads, messages = self._messages(lane, stream, after)
        chains = self._chains({stream: after}, heads)
        for message in messages:
            record = chains.accept(message.key, message.headers, message.value)
            if record is not None:
                yield record
                if record.seq == to_seq:
                    return

    def _messages(self, lane: TopicPartition, stream: str, after: int) -> tuple[dict[str, Head], Iterator[ReadMessage]]:
        """Return a stream's messages after a number (perhaps a few before it), and its end before the first."""
        key, foreign, ends = stream.encode(), self._place(lane).foreign, self._survey(lane).ends
        offset, heads = ends.start({stream: after}, only=stream)
        messages = (each for stretch in ends.stretches(stream, offset) for each in self._scan(lane, *stretch))
        return heads, (message for message in messages if message.key == key and foreign(message) is None)

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield batches of all streams after `after` (see `EventLog.tail`), in order only within a partition."""
        reached: dict[str, int] = {}
        try:
            for batch in self._tail(after, wait_s):
                if any(survey.resumed for survey in self._surveys.values()):
                    reached |= {record.stream: record.seq for record in batch}
                yield batch
            return
        except IntegrityError:
            if not self._forget_bookmarks(self._lanes):
                raise
        for batch in self._tail(after, wait_s):
            new = [record for record in batch if record.seq > reached.get(record.stream, 0)]
            if new or not batch:
                yield new

    def _tail(self, after: Mapping[str, int], wait_s: float | None) -> Iterator[list[Record]]:
        marks = self.acknowledged()
        starts = {lane: self._known(lane).ends.start(after) for lane in self._lanes}
        folds = {lane: self._chains(after, heads) for lane, (_, heads) in starts.items()}
        offsets = {lane: offset for lane, (offset, _) in starts.items()}
        patient = contextlib.closing(self._cluster.reader(patient=True)) if wait_s is not None else None
        with patient or self._readers.reader() as reader:
            yielded_at = time.monotonic()
            for polled in self._come(reader, offsets, wait_s):
                batch: list[Record] = []
                try:
                    for lane, messages in polled.items():
                        if not self._resume:
                            self._note(lane, offsets[lane], messages)
                        offsets[lane] = self.reached[lane] = messages[-1].offset + 1
                        for record in self._pass(lane, folds[lane], messages):
                            batch.append(record)
                            mark = marks.get(record.stream)
                            if mark is not None and mark.seq == record.seq and mark.hash == record.hash:
                                self._confirmed[record.stream] = mark
                    if not polled:
                        self._passage.end()
                except IntegrityError:
                    if batch:
                        yield batch
                    raise
                if batch or (wait_s is not None and time.monotonic() - yielded_at >= wait_s):
                    yield batch
                    yielded_at = time.monotonic()
        self._passage.end()

    def _pass(self, lane: TopicPartition, chains: Chains, messages: Sequence[ReadMessage]) -> Iterator[Record]:
        """Yield the wanted records of a partition's messages; record the foreign ones."""
        foreign, passage = self._place(lane).foreign, self._passage
        for message in messages:
            record = chains.follow(message.key, message.headers, message.value)
            if record is not None:
                passage.new(lane)
                yield record
                continue
            stranger = foreign(message)
            if stranger is not None:
                passage.note(stranger)
                continue
            before = chains.position(message.key) if passage.waits(lane) else -1
            record = chains.accept(message.key, message.headers, message.value)
            if record is not None:
                passage.new(lane)
                yield record
            elif 0 <= before < chains.position(message.key) and chains.is_before(message.key):
                passage.known(lane)

    def _come(
        self, reader: TopicReader, offsets: Mapping[TopicPartition, int], wait_s: float | None
    ) -> Iterator[Mapping[TopicPartition, Sequence[ReadMessage]]]:
        """Yield the messages after these offsets: up to the present ends, or forever."""
        if wait_s is None:
            for lane, messages in to_the_ends(self._cluster, reader, offsets, reader.ends(offsets)):
                yield {lane: messages}
            return
        reader.assign(offsets)
        while True:
            yield reader.poll(min(wait_s, POLL_S))

    def quarantined(self) -> list[QuarantineEntry]:
        """Return everything in quarantine, oldest first."""
        found: dict[tuple[str, str], QuarantineEntry] = {}
        for message in self._scan(TopicPartition(self._topic("quarantine"), 0), 0):
            if foreign_entry(message) is not None:
                continue
            headers = {name: (value or b"").decode(errors="replace") for name, value in message.headers}
            data = message.value or b""
            name = (message.key or b"").decode()
            entry = QuarantineEntry(headers["stream"], name, headers["reason"], data, int(headers["at_us"]))
            first = found.get((entry.stream, name))
            if first is None or (not is_sound(first) and is_sound(entry)):
                found[entry.stream, name] = entry
        return list(found.values())

    def foreign(self) -> ForeignReport:
        """Return the foreign records of all topics that hold evidence, to their present ends (see `EventLog`)."""
        with self._lock:
            reports = [self._survey(lane).foreign.report() for lane in self._lanes]
            for name in BESIDE:
                lane = TopicPartition(self._topic(name), 0)
                with self._readers.reader() as reader:
                    if not reader.partitions(lane.topic):  # which is for `store_faults` to say
                        continue
                    if name not in self._beside:
                        path = self._state_dir / f"{self.prefix}.{name}.foreign"
                        bookmark = Bookmark(path, self.log_id) if self._resume else None
                        self._beside[name] = BesideSurvey(lane, name, bookmark, reader)
                    self._beside[name].read_on(reader)
                reports.append(self._beside[name].foreign.report())
            return reduce(ForeignReport.with_others, reports, NO_FOREIGN_RECORDS)

    def passed_over(self) -> ForeignReport:
        """Return the foreign records that `tail` has passed (see `EventLog`)."""
        return self._passage.report()

    def store_faults(self) -> list[StoreFault]:
        """Return the settings of the log's topics that could lose evidence (see `EventLog`)."""
        return store_faults(self._cluster, self.prefix, self._identity.partitions)

    def acknowledged(self) -> dict[str, Head]:
        """Return the high-water mark: each stream's furthest end acknowledged on this machine."""
        return {stream: head for each in self._high_waters.values() for stream, head in each.load().items()}

    def verify_head(self, stream: str) -> None:
        """Raise `LostTail` or `BrokenSeal` if the stream ends before its high-water mark or differs there."""
        mark = self._high_waters[self._lane(stream)].load().get(stream)
        if mark is not None and self._confirmed.get(stream) != mark:
            self._verify({stream: mark})

    def close(self) -> None:
        """Release everything. The right to write stays until the next writer takes it."""
        with self._lock:
            self._closed = True
            for shard in self._shards.values():
                shard.close()
            for high_water in self._high_waters.values():
                high_water.close()
            self._readers.close()
            for lock in self._locks.values():
                os.close(lock)
            self._shards, self._locks = {}, {}

    # ---------------------------------------------------------------------------------------------------------- its parts

    def _topic(self, name: str) -> str:
        return f"{self.prefix}.{name}"

    def _name(self, lane: TopicPartition) -> str:
        return "reviews" if lane.topic == self._topic("reviews") else str(lane.partition)

    def _path(self, lane: TopicPartition, kind: str) -> Path:
        return self._state_dir / f"{self.prefix}.{self._name(lane)}.{kind}"

    def _take_lock(self, lane: TopicPartition) -> int:
        """Lock this `state_dir` against other writers; return the descriptor."""
        try:
            self._state_dir.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise LogUnavailable(f"{self._state_dir}: {error.strerror}") from error
        return take_lock(self._path(lane, "high-water"))

    def _lane(self, stream: str) -> TopicPartition:
        try:
            msgspec.convert(stream, StreamName)
        except msgspec.ValidationError as error:
            raise EventError(f"{stream!r} is not the name of a stream: {error}") from error
        if stream.startswith(("review/", "observed/")):
            return TopicPartition(self._topic("reviews"), 0)
        return TopicPartition(self._topic("events"), partition_of(stream, self._identity.partitions))

    def _chains(self, after: Mapping[str, int] | None = None, start: Mapping[str, Head] | None = None) -> Chains:
        return Chains(self.log_id, self.property_id, self._bytes_at, after, start)

    def _place(self, lane: TopicPartition) -> StreamPlaces:
        if lane not in self._places:
            self._places[lane] = StreamPlaces(self.log_id, lane, self._lane)
        return self._places[lane]

    def _known(self, lane: TopicPartition) -> PartitionSurvey:
        """Return the known state of a partition, at first from its bookmark if that is valid."""
        with self._lock:
            if lane not in self._surveys:
                with self._readers.reader() as reader:
                    bookmark = Bookmark(self._path(lane, "ends"), self.log_id) if self._resume else None
                    self._surveys[lane] = PartitionSurvey(lane, self._place(lane), bookmark, reader)
            return self._surveys[lane]

    def _forget_bookmarks(self, lanes: Iterable[TopicPartition]) -> bool:
        """Delete the bookmarks of these partitions; return whether there were any."""
        with self._lock:
            resumed = [survey for lane, survey in self._surveys.items() if lane in lanes and survey.resumed]
            for survey in resumed:
                survey.forget()
            return bool(resumed)

    def _heads(self, lane: TopicPartition) -> dict[str, Head]:
        """Return the ends of a partition's streams: from its writer, or by reading on."""
        with self._lock:
            if lane in self._shards and self._shards[lane].owned:
                return self._shards[lane].heads()
            return self._survey(lane).ends.heads

    def _survey(self, lane: TopicPartition) -> PartitionSurvey:
        """Read on, headers only; find the ends of the streams and the foreign records."""
        with self._lock:
            survey = self._known(lane)
            with self._readers.reader() as reader:
                survey.read_on(reader)
            return survey

    def _note(self, lane: TopicPartition, offset: int, messages: Sequence[ReadMessage]) -> None:
        """Add messages to the survey of their partition: a proof, which has no bookmark, reads them once."""
        with self._lock:
            self._known(lane).note(offset, messages)

    def _verify(self, marks: Mapping[str, Head]) -> None:
        try:
            self._compare(marks)
        except IntegrityError:
            if not self._forget_bookmarks(self._lanes):
                raise
            self._compare(marks)

    def _compare(self, marks: Mapping[str, Head]) -> None:
        for stream, mark in marks.items():
            head = self._heads(self._lane(stream)).get(stream) or Head(0, b"")
            stored = head.hash if head.seq == mark.seq else self._stored(stream, mark.seq)[1]
            compare(stream, mark, head, stored)

    def _bytes_at(self, stream: str, seq: int) -> bytes | None:
        try:
            return self._stored(stream, seq)[0]
        except EventError:  # not the name of a stream
            return None

    def _stored(self, stream: str, seq: int) -> tuple[bytes | None, bytes | None]:
        """Return the bytes and stated hash of the first record with a number of a stream."""
        _, messages = self._messages(self._lane(stream), stream, seq - 1)
        for message in messages:
            _, found, stated = read_headers(message.key, message.headers)
            if found == seq:
                return message.value, stated
        return None, None

    def _scan(self, lane: TopicPartition, offset: int, end: int | None = None) -> Iterator[ReadMessage]:
        """Yield a partition's messages from an offset on (see `TopicReader.scan`)."""
        with self._readers.reader() as reader:
            yield from reader.scan(lane, offset, end)
