"""What replayers have stored on Kafka, read back: `<prefix>.findings` and partition 1 of `<prefix>.state`.

The state belongs to a generation, which one engine began: positions and snapshots of another generation do not count,
whatever compaction has left of them. A replayer of the whole log has one scope of generations; the members of a group
have one for each partition. Who replays (one process, or which group with which engine) is the owner.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from itertools import islice
from typing import TypeVar

import msgspec

from events.kafka.client import Cluster, Message, TopicPartition, TopicReader
from events.kafka.foreign_records import ForeignRecordWatch, foreign_record, foreign_result
from events.kafka.topics import REPLAY_PARTITION, identify

OWNER = "replay/owner"
GENERATION, POSITION, SNAPSHOT = "replay/generation", "replay/position/", "replay/snapshot/"
AHEAD = 500
"""Findings that are read at once where one is asked for: who folds a stream again asks for one after the other."""
PATIENCE_S = 40.0
"""How long the transaction of a replayer that is gone may stay open before its broker ends it, with room to spare."""


class ResultsOwner(msgspec.Struct, frozen=True):
    """Who replays: a group and the engine of its members; both empty for one process that replays the whole log."""

    group: str = ""
    engine: str = ""


class ResultsGeneration(msgspec.Struct, frozen=True):
    """The present generation of a scope, and a token of the commit that wrote this."""

    engine: str
    generation: str
    commit: str


class StreamPosition(msgspec.Struct, frozen=True):
    """How far a stream was replayed, in which generation."""

    generation: str
    seq: int


NONE = ResultsGeneration("", "", "")
_State = TypeVar("_State", ResultsOwner, ResultsGeneration, StreamPosition)


class StoredResults:
    """The state and the findings of a log as far as they have been read. Not safe between threads."""

    def __init__(self, cluster: Cluster, prefix: str, address: str) -> None:
        self.state, self.findings = (
            TopicPartition(f"{prefix}.state", REPLAY_PARTITION),
            TopicPartition(f"{prefix}.findings", 0),
        )
        self.owner = ResultsOwner()
        self.passage = ForeignRecordWatch()
        self._cluster = cluster
        self._generations: dict[str, ResultsGeneration] = {}
        self._positions: dict[str, StreamPosition] = {}
        self._snapshots: dict[str, tuple[str, bytes]] = {}
        self._latest: dict[bytes, tuple[int, bytes]] = {}
        self._kinds: set[str] = set()
        self._ahead: dict[int, bytes | None] = {}
        self._findings_read = False  # once to the end
        self._state_offset = self._findings_offset = self._decided = 0
        cluster.probe()
        self.reader: TopicReader = cluster.reader()
        try:
            self.partitions = identify(self.reader, address, None).partitions
        except BaseException:
            self.close()
            raise

    def generation(self, scope: str) -> ResultsGeneration:
        """Return the present generation of a scope."""
        return self._generations.get(scope, NONE)

    def positions(self, current: ResultsGeneration) -> dict[str, int]:
        """Return how far each stream was replayed in a generation."""
        found = self._positions.items()
        return {stream: each.seq for stream, each in found if each.generation == current.generation}

    def snapshots(self, current: ResultsGeneration) -> dict[str, bytes]:
        """Return the snapshots of a generation."""
        found = self._snapshots.items()
        return {stream: image for stream, (generation, image) in found if generation == current.generation}

    def digest(self, name: str) -> bytes:
        """Return the digest of the last record under a name (kind and key); empty where there is none."""
        return self._latest.get(digest(name.encode()), (0, b""))[1]

    def last(self, name: str) -> bytes | None:
        """Return the last record under a name, or null."""
        where = self._latest.get(digest(name.encode()))
        if where is None:
            return None
        if where[0] >= self._decided:  # ours, and behind an open transaction of somebody else
            self.reader.await_visible(self.findings, where[0], PATIENCE_S)
            self._decided = where[0] + 1
        if where[0] not in self._ahead:
            found = islice(self.reader.scan(self.findings, where[0]), AHEAD)
            self._ahead = {message.offset: message.value for message in found}
        return self._ahead.get(where[0])

    def enter(
        self, scope: str, mark: ResultsGeneration, positions: Mapping[str, int], snapshots: Mapping[str, bytes]
    ) -> None:
        """Take in the state that was just committed by ourselves, and need not be read."""
        self._generations[scope] = mark
        self._positions.update({stream: StreamPosition(mark.generation, seq) for stream, seq in positions.items()})
        self._snapshots.update({stream: (mark.generation, image) for stream, image in snapshots.items()})

    def note(self, kind: str, key: str, data: bytes, offset: int) -> None:
        """Take in a record that was just stored by ourselves, and need not be read."""
        self._kinds.add(kind)
        self._latest[digest(f"{kind}/{key}".encode())] = offset, digest(data)

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, repeats of identical records dropped."""
        last: dict[bytes, bytes] = {}
        reader = self._cluster.reader()
        try:
            for message in reader.scan(self.findings, 0):
                if foreign_result(message) is not None:
                    continue
                found, key, data = record_of(message)
                if found != kind:
                    continue
                name, said = digest(message.key or b""), digest(data)
                if last.get(name) != said:
                    last[name] = said
                    yield key, data
        finally:
            reader.close()

    def has(self, kind: str) -> bool:
        """Whether any record of a kind is stored, as far as the findings have been read."""
        return kind in self._kinds

    def settle(self) -> None:
        """Wait until every transaction that was open just now is decided, and read everything."""
        with contextlib.closing(self._cluster.reader(undecided=True)) as reader:
            ends = reader.ends([self.state, self.findings])
        for lane, end in ends.items():
            if end:
                self.reader.await_visible(lane, end - 1, PATIENCE_S)
        self.read_state()
        self.read_findings()

    def read_state(self) -> None:
        """Read on what the state holds. What no replayer wrote there counts as nothing: then all is replayed again."""
        for message in self.reader.scan(self.state, self._state_offset):
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

    def read_findings(self) -> None:
        """Read on what the findings hold."""
        for message in self.reader.scan(self.findings, self._findings_offset):
            self._findings_offset = self._decided = message.offset + 1
            reason = foreign_result(message)
            if reason is not None:
                self.passage.meet(foreign_record(self.findings, message, reason))
                continue
            if not self._findings_read:
                self.passage.known(self.findings)
            self._kinds.add(record_of(message)[0])
            self._latest[digest(message.key or b"")] = message.offset, digest(message.value or b"")
        self._findings_read = True
        self.passage.end()

    def close(self) -> None:
        """Release the connections."""
        self.reader.close()


def _read(value: bytes, kind: type[_State]) -> _State | None:
    try:
        return msgspec.json.decode(value, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None


def record_of(message: Message) -> tuple[str, str, bytes]:
    """Return kind, key and bytes of a stored result."""
    kind, _, key = (message.key or b"").decode(errors="replace").partition("/")
    return kind, key, message.value or b""


def digest(data: bytes) -> bytes:
    """Return 16 bytes that stand for data in memory."""
    return blake2b(data, digest_size=16).digest()
