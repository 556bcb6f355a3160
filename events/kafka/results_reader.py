"""Reads the stored results of replayers on Kafka: `<prefix>.findings` and partition 1 of `<prefix>.state`.

The state belongs to a generation, which one engine began. Positions and snapshots of other generations do not count, whatever
compaction has left of them. A replayer of the whole log has one scope of generations; the members of a group have one for each
partition. The owner is the present replayer: one process, or a group with its engine.
"""

import struct
from array import array
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from events.errors import LogUnavailable, ResultBroken
from events.kafka.bookmarks import Bookmark, Landmark
from events.kafka.client import Cluster, ReaderPool, TopicPartition, TopicReader
from events.kafka.foreign_records import RESTART, ForeignRecordWatch, ResultPlaces, foreign_record, place_of
from events.kafka.leftovers import decide_leftovers
from events.kafka.record_batches import ReadMessage
from events.kafka.topics import REPLAY_PARTITION, identify
from events.kafka.transactions import CommitUnknown, TransactionalWriter
from events.log.contract import ChainedResult, Head
from events.log.result_chain import JUDGE_AGAIN, ResultChains, ResultPosition, position_digest, stream_of

OWNER = "replay/owner"
GENERATION, POSITION, SNAPSHOT = "replay/generation", "replay/position/", "replay/snapshot/"
ADVICE = "replay/advice/"
AHEAD = 500
"""Findings that are read at once if one is asked for: who folds a stream again asks for one after the other."""
WORTH_A_BOOKMARK = 1000
"""Offsets that were read since the last bookmark before another is left; of long results an eighth more must be new."""
_LATEST = struct.Struct("<16sQ16s")
VISIBLE_TIMEOUT_S = 40.0
"""The time until the broker ends the transaction of a replayer that is gone, with a margin."""


class ResultsOwner(msgspec.Struct, frozen=True):
    """The owner: a group and the engine of its members; both empty for one process that replays the whole log."""

    group: str = ""
    engine: str = ""


class ResultsGeneration(msgspec.Struct, frozen=True):
    """The present generation of a scope, and a token of the commit that wrote it."""

    engine: str
    generation: str
    commit: str


class StreamPosition(msgspec.Struct, frozen=True):
    """How far a stream was replayed in a generation: the log's head, and the place of the last result by then.

    `digest` is that of the position with its snapshot (`events.log.result_chain.position_digest`); all hashes in hex.
    """

    generation: str
    seq: int
    hash: str = ""
    results: int = 0
    digest: str = ""

    @property
    def head(self) -> Head | None:
        """The log's head; None if this is not one."""
        try:
            return Head(self.seq, bytes.fromhex(self.hash)) if 0 <= self.seq < 2**63 else None
        except ValueError:
            return None


class _Latest(NamedTuple):
    """The last record under a name: its offset, a digest of its bytes, and its stream."""

    offset: int
    digest: bytes
    stream: str


class ResultsBookmark(msgspec.Struct, frozen=True, array_like=True):
    """The known results before an offset: the ends of their chains, their offsets, and the last under each name.

    `offsets` are a stream's, by place, eight bytes each; `latest` has for each stream and name 16 bytes of name, 8 of offset and
    16 of digest.
    """

    next_offset: int
    landmark: Landmark
    heads: dict[str, Head]
    starts: dict[str, int]
    offsets: dict[str, bytes]
    latest: dict[str, bytes]
    kinds: list[str]


NONE = ResultsGeneration("", "", "")
_State = TypeVar("_State", ResultsOwner, ResultsGeneration, StreamPosition)


class StoredResults:
    """The state and findings of a log, as far as read. Not safe between threads.

    With a `state_dir`, reading goes on from a bookmark (`events.kafka.bookmarks`), and leaves one. If the findings do not fit the
    bookmark, all are read again.
    """

    def __init__(self, cluster: Cluster, prefix: str, address: str, state_dir: Path | None) -> None:
        self.state, self.findings = (TopicPartition(f"{prefix}.state", REPLAY_PARTITION), TopicPartition(f"{prefix}.findings", 0))
        self.owner = ResultsOwner()
        self.passage = ForeignRecordWatch()
        self._cluster = cluster
        self._generations: dict[str, ResultsGeneration] = {}
        self._positions: dict[str, StreamPosition] = {}
        self._snapshots: dict[str, tuple[str, bytes]] = {}
        self.advice: dict[str, bytes] = {}
        """Stream → the advice kept last, as far as the state has been read."""
        self.chains = ResultChains()
        """The chains of the results as far as they have been read."""
        self._offsets: dict[str, array[int]] = {}  # stream → the offset of each of its results, by place
        self._places = ResultPlaces()
        self._starts: dict[str, int] = {}  # stream → the offset at which its results began again
        self._broken_at: dict[str, int] = {}  # stream → the offset from which its results do not fit
        self._own: set[int] = set()  # offsets of records that we stored ourselves and have not come past
        self._latest: dict[bytes, _Latest] = {}
        self._kinds: set[str] = set()
        self._ahead: dict[int, ReadMessage] = {}
        self._findings_read = False  # once to the end
        self._state_offset = self._findings_offset = self._decided = 0
        self._bookmark: Bookmark | None = None
        self._bookmarked, self._resumed = 0, False
        self._last_result: ReadMessage | None = None
        cluster.probe()
        self._readers = ReaderPool(cluster)
        self.reader: TopicReader = cluster.reader()
        try:
            identity = identify(self.reader, address, None)
            self.partitions = identity.partitions
            if state_dir is not None:
                self._bookmark = Bookmark(state_dir / f"{prefix}.findings.ends", identity.log_id)
                self._resume(self._bookmark)
        except BaseException:
            self.reader.close()
            raise

    def generation(self, scope: str) -> ResultsGeneration:
        """Return the present generation of a scope."""
        return self._generations.get(scope, NONE)

    def positions(self, current: ResultsGeneration) -> dict[str, Head]:
        """Return the log's head up to which a generation replayed each stream, if the digest fits."""
        return {stream: each.head for stream, each in self._fitting(current).items()}

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that any generation replayed."""
        return {stream: max(0, each.seq) for stream, each in self._positions.items()}

    def snapshots(self, current: ResultsGeneration) -> dict[str, bytes]:
        """Return a generation's snapshots whose positions fit."""
        fitting = self._fitting(current).items()
        return {stream: each.snapshot for stream, each in fitting if each.snapshot is not None}

    def misfits(self, current: ResultsGeneration) -> dict[str, str]:
        """Return stream → why its position or snapshot does not fit."""
        fitting = self._fitting(current)
        return {
            stream: f"the stored position ({each.seq}) or its snapshot was altered: they do not fit their digest"
            for stream, each in self._positions.items()
            if each.generation == current.generation and stream not in fitting
        }

    def _fitting(self, current: ResultsGeneration) -> dict[str, ResultPosition]:
        """Return a generation's positions that fit their digest."""
        fitting = {}
        for stream, stated in self._positions.items():
            generation, image = self._snapshots.get(stream, ("", b""))
            head = stated.head
            if stated.generation != current.generation or head is None:
                continue
            position = ResultPosition(head, image if generation == current.generation else None)
            if position_digest(current.engine, stream, position).hex() == stated.digest:
                fitting[stream] = position
        return fitting

    def digest(self, name: str) -> bytes:
        """Return the digest of the last record under a name (kind and key); empty if none exists."""
        latest = self._latest.get(digest(name.encode()))
        return b"" if latest is None else latest.digest

    def last(self, name: str) -> bytes | None:
        """Return the last record under a name, or None."""
        where = self._latest.get(digest(name.encode()))
        if where is None:
            return None
        if where.offset >= self._decided:  # ours, and behind an open transaction of somebody else
            self.reader.await_visible(self.findings, where.offset, VISIBLE_TIMEOUT_S)
            self._decided = where.offset + 1
        if where.offset not in self._ahead:
            found = islice(self.reader.scan(self.findings, where.offset), AHEAD)
            self._ahead = {message.offset: message for message in found}
        message = self._ahead.get(where.offset)
        if self._resumed and (message is None or message.key != name.encode() or digest(message.value or b"") != where.digest):
            self._begin_anew()
            return self.last(name)
        return message.value if message is not None else None

    def enter(self, scope: str, mark: ResultsGeneration, state: Mapping[str, tuple[StreamPosition, bytes | None]]) -> None:
        """Add the state that we just committed and need not read."""
        self._generations[scope] = mark
        for stream, (position, image) in state.items():
            self._positions[stream] = position
            self._snapshots.pop(stream, None)
            if image is not None:
                self._snapshots[stream] = mark.generation, image

    def note(self, message: ReadMessage) -> None:
        """Add a record that we just stored and need not read."""
        self._own.add(message.offset)
        self._take(message)

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, without repeats of identical records.

        A record that does not fit its stream's chain, and all later ones of the stream, are left out.
        """
        last: dict[bytes, bytes] = {}
        self.read_findings()
        broken_at = dict(self._broken_at)
        for offset, each in self._stored(0, self._end()):
            if each.kind != kind or offset >= broken_at.get(each.stream, offset + 1):
                continue
            name, content = digest(f"{kind}/{each.key}".encode()), digest(each.data)
            if last.get(name) != content:
                last[name] = content
                yield each.key, each.data

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (or one stream's after a place) in the order committed, each stream from its last restart."""
        self.read_findings()
        if stream is None:
            return (each for _, each in self._stored(0, self._end()))
        offsets, broken_at = self._offsets.get(stream, array("Q")), self._broken_at.get(stream)
        end = self._end() if broken_at is not None else offsets[-1] + 1 if offsets else 0
        first = offsets[after] if after < len(offsets) else end if broken_at is None else broken_at
        found = (each for _, each in self._stored(first, end) if each.stream == stream)
        if not self._resumed or first == end:
            return found
        one = next(found, None)
        if one is None or one.place != after + 1:
            self._begin_anew()
            return self.stored(stream, after)
        return chain((one,), found)

    def _end(self) -> int:
        """Return the offset after the last record read or stored by us."""
        return max([self._findings_offset, *(at + 1 for at in self._own)])

    def _stored(self, first: int, end: int) -> Iterator[tuple[int, ChainedResult]]:
        """Yield the records between two offsets, each with its offset."""
        places, starts = ResultPlaces(), dict(self._starts)
        with self._readers.reader() as reader:
            for message in reader.scan(self.findings, first, None if self._own else end):
                if message.offset >= end:
                    return
                if places.foreign(message) is None:
                    each = chained(message)
                    if each.kind != RESTART and message.offset >= starts.get(each.stream, 0):
                        yield message.offset, each

    def chain_heads(self) -> dict[str, Head]:
        """Return the ends of the chains; if a position states more results than are visible, return the ends that it states.

        The state and findings of one transaction may become visible one after the other; this waits for both.
        """
        if self._stated_heads() != self.chains.heads:
            self.settle()
        return self._stated_heads()

    def _stated_heads(self) -> dict[str, Head]:
        heads = dict(self.chains.heads)
        for stream, stated in self._positions.items():
            counts = any(stated.generation == each.generation for each in self._generations.values())
            if counts and stated.results > self.chains.head(stream).seq:
                heads[stream] = Head(stated.results, b"")
        return heads

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return the faults of the chains, as far as read."""
        if self._resumed and any(head.seq > self.chains.head(name).seq for name, head in self.chain_heads().items()):
            self._begin_anew()
        broken = dict(self.chains.broken)
        for stream, stated in self.chain_heads().items():
            place = self.chains.head(stream).seq
            if stated.seq > place and stream not in broken:
                message = f"the results end at place {place}, {stated.seq} were stored; {JUDGE_AGAIN}"
                broken[stream] = ResultBroken(stream, place + 1, "result_missing", message)
        return broken

    def unchained(self) -> int:
        """Return the number of records stored before chains existed; 0 once a record has a place."""
        return self.chains.unchained if not self.chains.has_places else 0

    def has(self, kind: str) -> bool:
        """Whether any record of a kind is stored, as far as read."""
        return kind in self._kinds

    def settle(self, writer: TransactionalWriter | None = None) -> None:
        """Wait until every transaction open now is decided, and read everything.

        Transactions that this writer's predecessor left open are aborted. Raises `LogUnavailable` if one stays open, or
        `WriterFenced`.
        """
        try:
            decide_leftovers(self._cluster, self.reader, writer, [self.state, self.findings], VISIBLE_TIMEOUT_S)
        except CommitUnknown as error:
            raise LogUnavailable(f"Kafka did not end what an earlier replayer left open: {error}; start again") from error
        self.read_state()
        self.read_findings()

    def read_state(self) -> None:
        """Read the new state. Records that no replayer wrote are ignored: then everything is replayed again."""
        end = self.reader.ends([self.state])[self.state]
        for message in self.reader.scan(self.state, self._state_offset, end):
            self._state_offset = message.offset + 1
            key, value = (message.key or b"").decode(errors="replace"), message.value or b""
            if key == OWNER:
                self.owner = _read(value, ResultsOwner) or self.owner
            elif key.startswith(GENERATION):
                self._generations[key.removeprefix(GENERATION)] = _read(value, ResultsGeneration) or NONE
            elif key.startswith(POSITION):
                self._positions[key.removeprefix(POSITION)] = _read(value, StreamPosition) or StreamPosition("", 0)
            elif key.startswith(SNAPSHOT):
                generation = (dict(message.headers).get("generation") or b"").decode(errors="replace")
                self._snapshots[key.removeprefix(SNAPSHOT)] = generation, value
            elif key.startswith(ADVICE) and value:
                self.advice[key.removeprefix(ADVICE)] = value
            elif key.startswith(ADVICE):
                self.advice.pop(key.removeprefix(ADVICE), None)
        self._state_offset = max(self._state_offset, end)

    def read_findings(self) -> None:
        """Read the new findings."""
        end = self.reader.ends([self.findings])[self.findings]
        for message in self.reader.scan(self.findings, self._findings_offset, end):
            self._findings_offset = self._decided = message.offset + 1
            reason = self._places.foreign(message)
            if reason is not None:
                self.passage.note(foreign_record(self.findings, message, reason))
                continue
            if not self._findings_read:
                self.passage.known(self.findings)
            self._last_result = message
            if message.offset in self._own:
                self._own.remove(message.offset)
                continue
            self._take(message)
        self._findings_read = True
        self._findings_offset = self._decided = max(self._findings_offset, end)
        self.passage.end()
        if self.chains.broken and self._resumed:
            self._begin_anew()
        self._leave_bookmark(max(WORTH_A_BOOKMARK, self._bookmarked // 8))

    # -------------------------------------------------------------------------------------------------------- bookmarks

    def _resume(self, bookmark: Bookmark) -> None:
        """Begin with the bookmark's content if its landmark is unchanged."""
        known = bookmark.load(ResultsBookmark)
        if known is None or not known.landmark.stands(self.reader, self.findings):
            return
        try:
            offsets = {stream: array("Q", packed) for stream, packed in known.offsets.items()}
            latest = {
                name: _Latest(offset, content, stream)
                for stream, packed in known.latest.items()
                for name, offset, content in _LATEST.iter_unpack(packed)
            }
        except (ValueError, struct.error):  # not of whole entries
            return
        self._resumed, self._offsets, self._latest = True, offsets, latest
        self._starts, self._kinds = known.starts, set(known.kinds)
        self._findings_offset = self._decided = self._bookmarked = known.next_offset
        for stream, head in known.heads.items():
            self.chains.go_on(stream, head)
            self._places.go_on(stream)

    def _leave_bookmark(self, worth: int) -> None:
        """Store a bookmark if enough offsets are new and all records fit."""
        last = self._last_result
        if self._bookmark is None or last is None or self._own or self.chains.broken or self.chains.unchained:
            return
        end = last.offset + 1
        if end < self._bookmarked + worth:
            return
        latest: dict[str, bytearray] = {}
        for name, each in self._latest.items():
            latest.setdefault(each.stream, bytearray()).extend(_LATEST.pack(name, each.offset, each.digest))
        content = ResultsBookmark(
            end,
            Landmark.at(last.offset, last),
            self.chains.heads,
            self._starts,
            {stream: offsets.tobytes() for stream, offsets in self._offsets.items()},
            {stream: bytes(packed) for stream, packed in latest.items()},
            sorted(self._kinds),
        )
        self._bookmark.store(content)
        self._bookmarked = end

    def _begin_anew(self) -> None:
        """Delete the bookmark and everything learned from it, and read the findings from their beginning."""
        if self._bookmark is not None:
            self._bookmark.forget()
        self._bookmark, self._resumed, self._last_result = None, False, None
        self.chains, self._places = ResultChains(), ResultPlaces()
        for known in (self._offsets, self._starts, self._broken_at, self._latest, self._kinds, self._ahead, self._own):
            known.clear()
        self._findings_read, self._findings_offset = False, 0
        self.read_findings()

    # --------------------------------------------------------------------------------------------------------- learning

    def _take(self, message: ReadMessage) -> None:
        """Add a record if it continues the chain of its stream or restarts it."""
        each, offset = chained(message), message.offset
        if each.kind == RESTART:
            self._restart(each.stream, offset)
        elif self.chains.take(each):
            self._offsets.setdefault(each.stream, array("Q")).append(offset)
            self._kinds.add(each.kind)
            name = f"{each.kind}/{each.key}".encode()
            self._latest[digest(name)] = _Latest(offset, digest(each.data), each.stream)
        else:
            self._broken_at.setdefault(each.stream, offset)

    def _restart(self, stream: str, offset: int) -> None:
        """Forget a stream's earlier results."""
        self.chains.restart(stream)
        self._broken_at.pop(stream, None)
        self._offsets.pop(stream, None)
        self._starts[stream] = offset
        self._latest = {name: latest for name, latest in self._latest.items() if latest.stream != stream}

    def close(self) -> None:
        """Release the connections and store a bookmark."""
        self._leave_bookmark(WORTH_A_BOOKMARK)
        self._readers.close()
        self.reader.close()


def _read(value: bytes, kind: type[_State]) -> _State | None:
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def chained(message: ReadMessage) -> ChainedResult:
    """Return a stored result with its claimed place (0: none), or the stream that restarts."""
    kind, _, key = (message.key or b"").decode(errors="replace").partition("/")
    place, hash_ = place_of(message) or (0, b"")
    data = message.value or b""
    return ChainedResult(key if kind == RESTART else stream_of(key, data), place, kind, key, data, hash_)


def digest(data: bytes) -> bytes:
    """Return a digest of 16 bytes, used only in memory."""
    return blake2b(data, digest_size=16).digest()
