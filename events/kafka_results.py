"""What a replayer found and how far it has read, on Kafka: `<prefix>.findings` and partition 1 of `<prefix>.state`.

A commit is one transaction over both. The state belongs to a generation, which one engine began: positions and snapshots
of an earlier generation do not count, whatever compaction has left of them. One replayer writes; a second one takes
the right over, and the first gets `SecondWriter`.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec

from events.codec import canonical
from events.errors import AppendRefused, LogUnavailable, SecondWriter
from events.kafka_client import Cluster, Fenced, Lane, Message, Outgoing, Reader, Unsure, Writer
from events.kafka_topics import REPLAY_PARTITION, identify, parse_address

ATTEMPTS = 3
_GENERATION = b"replay/generation"
_POSITION, _SNAPSHOT = "replay/position/", "replay/snapshot/"


class _Generation(msgspec.Struct, frozen=True):
    """The present generation, and a token of the commit that wrote this."""

    engine: str
    generation: str
    commit: str


class _Position(msgspec.Struct, frozen=True):
    generation: str
    seq: int


_NONE = _Generation("", "", "")


class KafkaResults:
    """The results beside a log (see `events.log.ResultStore`), at the log's own address. Calls may come from threads."""

    def __init__(
        self,
        address: str,
        *,
        read_only: bool = False,
        timeout_s: float = 30.0,
        security: Mapping[str, Any] | None = None,
    ) -> None:
        bootstrap, prefix = parse_address(address)
        self.address, self._prefix, self._read_only = address, prefix, read_only
        self._cluster = Cluster(bootstrap, timeout_s=timeout_s, security=security)
        self._state_lane, self._findings = Lane(f"{prefix}.state", REPLAY_PARTITION), Lane(f"{prefix}.findings", 0)
        self._lock = threading.RLock()
        self._state_offset = self._findings_offset = 0
        self._current = _NONE
        self._positions: dict[str, _Position] = {}
        self._snapshots: dict[str, tuple[str, bytes]] = {}
        self._latest: dict[bytes, tuple[int, bytes]] = {}
        self._writer: Writer | None = None
        self._lost = False
        self._cluster.probe()
        self._reader: Reader = self._cluster.reader()
        try:
            identify(self._reader, address, None)
        except BaseException:
            self.close()
            raise

    def positions(self, engine: str) -> dict[str, int]:
        """Return stream → last number replayed by this engine digest."""
        with self._lock:
            self._read_state()
            found = self._positions.items() if self._current.engine == engine else ()
            return {stream: each.seq for stream, each in found if each.generation == self._current.generation}

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of this engine digest only."""
        with self._lock:
            self._read_state()
            found = self._snapshots.items() if self._current.engine == engine else ()
            return {stream: image for stream, (generation, image) in found if generation == self._current.generation}

    def commit(
        self,
        engine: str,
        positions: Mapping[str, int],
        snapshots: Mapping[str, bytes],
        records: Sequence[tuple[str, str, bytes]],
    ) -> None:
        """Store records, snapshots and positions atomically; the state of any other engine is thrown away.

        Raises `SecondWriter` where another replayer has taken over, `LogUnavailable` where there is no answer.
        """
        with self._lock:
            self._claim()
            same = self._current.engine == engine and self._current.generation
            generation = self._current.generation if same else secrets.token_hex(8)
            outgoing = [
                self._state(f"{_POSITION}{stream}", canonical(msgspec.structs.asdict(_Position(generation, seq))))
                for stream, seq in positions.items()
            ]
            outgoing += [self._state(f"{_SNAPSHOT}{stream}", image, generation) for stream, image in snapshots.items()]
            self._transact(engine, generation, outgoing, self._new(records))

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, repeats of identical records dropped."""
        last: dict[bytes, bytes] = {}
        reader = self._cluster.reader()
        try:
            for message in reader.scan(self._findings, 0):
                found, key, data = _record(message)
                if found != kind:
                    continue
                name, digest = _digest(message.key or b""), _digest(data)
                if last.get(name) != digest:
                    last[name] = digest
                    yield key, data
        finally:
            reader.close()

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key, or null."""
        with self._lock:
            self._read_findings()
            where = self._latest.get(_digest(f"{kind}/{key}".encode()))
            if where is None:
                return None
            for message in self._reader.scan(self._findings, where[0]):
                return message.value
            return None

    def reset(self) -> None:
        """Forget positions and snapshots (not the records): the next replay starts at the beginning."""
        with self._lock:
            self._claim()
            self._transact("", secrets.token_hex(8), [], [])

    def close(self) -> None:
        """Release everything."""
        with self._lock:
            self._throw_away()
            self._reader.close()

    # ---------------------------------------------------------------------------------------------------------- writing

    def _claim(self) -> None:
        if self._read_only:
            raise AppendRefused(f"the results at {self.address} are open for reading only")
        if self._lost:
            raise SecondWriter(f"another replayer writes the results at {self.address}")
        if self._writer is None:
            try:
                self._writer = self._cluster.writer(f"{self._prefix}.replay")
            except Fenced as error:
                raise self._lose() from error
            self._read_state()
            self._read_findings()

    def _transact(
        self, engine: str, generation: str, state: list[Outgoing], records: list[tuple[str, str, bytes]]
    ) -> None:
        """Commit as one transaction; after an unclear answer look whether it is there before it is sent again."""
        before, mine = self._current, _Generation(engine, generation, secrets.token_hex(8))
        marker = self._state(_GENERATION.decode(), canonical(msgspec.structs.asdict(mine)))
        findings = [
            Outgoing(*self._findings, f"{kind}/{key}".encode(), data, [("kind", kind.encode())])
            for kind, key, data in records
        ]
        for _ in range(ATTEMPTS):
            try:
                assert self._writer is not None
                self._writer.transact([*findings, *state, marker])
                self._reader.await_visible(self._state_lane, self._writer.offsets[-1])
                if findings:
                    self._reader.await_visible(self._findings, self._writer.offsets[len(findings) - 1])
                self._read_state()
                return
            except Fenced as error:
                raise self._lose() from error
            except Unsure:
                self._throw_away()
                self._claim()
                if self._current == mine:
                    return
                if self._current != before:
                    raise self._lose() from None
        self._throw_away()
        raise LogUnavailable(f"Kafka at {self._cluster.bootstrap} did not commit the results; repeat")

    def _new(self, records: Sequence[tuple[str, str, bytes]]) -> list[tuple[str, str, bytes]]:
        """Return the records that differ from the last one under their key."""
        self._read_findings()
        last: dict[bytes, bytes] = {}
        new = []
        for kind, key, data in records:
            name, digest = _digest(f"{kind}/{key}".encode()), _digest(data)
            known = last.get(name) or self._latest.get(name, (0, b""))[1]
            if known != digest:
                last[name] = digest
                new.append((kind, key, data))
        return new

    def _state(self, key: str, value: bytes, generation: str = "") -> Outgoing:
        headers = [("generation", generation.encode())] if generation else []
        return Outgoing(*self._state_lane, key.encode(), value, headers)

    def _lose(self) -> SecondWriter:
        self._throw_away()
        self._lost = True
        return SecondWriter(f"another replayer has taken over the results at {self.address}")

    def _throw_away(self) -> None:
        if self._writer is not None:
            self._writer.discard()
            self._writer = None

    # ---------------------------------------------------------------------------------------------------------- reading

    def _read_state(self) -> None:
        for message in self._reader.scan(self._state_lane, self._state_offset):
            self._state_offset = message.offset + 1
            key, value = (message.key or b"").decode(), message.value or b""
            if message.key == _GENERATION:
                self._current = msgspec.json.decode(value, type=_Generation)
            elif key.startswith(_POSITION):
                self._positions[key.removeprefix(_POSITION)] = msgspec.json.decode(value, type=_Position)
            elif key.startswith(_SNAPSHOT):
                generation = dict(message.headers).get("generation", b"").decode()
                self._snapshots[key.removeprefix(_SNAPSHOT)] = generation, value

    def _read_findings(self) -> None:
        for message in self._reader.scan(self._findings, self._findings_offset):
            self._findings_offset = message.offset + 1
            self._latest[_digest(message.key or b"")] = message.offset, _digest(message.value or b"")


def _record(message: Message) -> tuple[str, str, bytes]:
    kind, _, key = (message.key or b"").decode().partition("/")
    return kind, key, message.value or b""


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
