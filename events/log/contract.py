"""The contract of a log: append-only streams, each numbered from 1 and chained; one writer; nothing acknowledged is lost.

`SqliteLog` (one machine) and `KafkaLog` (a property, a group) keep it, and `ArchiveLog` its reading half; `tests/contract/`
runs one suite against all. `open_log` finds the backend from an address: `sqlite:///path/file.db`,
`kafka://host:port/prefix` or `archive:///path/folder`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

import msgspec

from events.errors import EventError, ResultBroken
from events.log.foreign import ForeignReport, StoreFault
from events.vocabulary.envelope import Draft

QUARANTINE = "quarantine"
"""The name of the refused bytes in messages that name a stream; an archive holds them as a stream of this name."""

UNKNOWN_STREAM = "unknown"
"""The stream named for quarantined bytes whose stream cannot be read."""


class Record(msgspec.Struct, frozen=True, gc=False):
    """A stored event: its place, its canonical bytes and the chain hash after it (32 bytes, as recomputed by the reader)."""

    stream: str
    seq: int
    data: bytes
    hash: bytes


class Head(msgspec.Struct, frozen=True):
    """The end of a stream: the last number (0 when empty) and the chain hash there."""

    seq: int
    hash: bytes


class AppendResult(msgspec.Struct, frozen=True):
    """The result of an append: the assigned numbers, in the order of the drafts; None for a dropped device duplicate."""

    stream: str
    seqs: tuple[int | None, ...]
    head: Head


class QuarantineEntry(msgspec.Struct, frozen=True):
    """Bytes that were refused at intake, kept under their SHA-256 with the stream they were meant for and the reason.

    `sha256` is the name under which the store keeps them: code that uses the bytes compares them (`events.proofs.quarantine`).

    `at_us` is the log's time of their first intake (UTC microseconds); the caller leaves it out.
    """

    stream: str
    sha256: str
    reason: str
    data: bytes
    at_us: int = 0

    def check(self) -> None:
        """Raise `EventError` if the bytes are not those of the SHA-256."""
        if sha256(self.data).hexdigest() != self.sha256:
            raise EventError(f"{self.stream}: the refused bytes are not those of SHA-256 {self.sha256}")


class StreamIndex:
    """The identities of the events of a stream, as read from its first to its `last`: their ids in hex, and by source
    their numbers and the source's own, in order.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.reports: dict[str, tuple[list[int], list[int]]] = {}
        self.last = 0

    def take(self, event_id: str, source: str, source_seq: int, seq: int) -> None:
        """Add the next event."""
        self.ids.append(event_id)
        self.last = seq
        try:
            seqs, numbers = self.reports[source]
        except KeyError:
            seqs, numbers = self.reports[source] = [], []
        seqs.append(seq)
        numbers.append(source_seq)


class ChainedResult(NamedTuple):
    """A stored result: its stream, its place in the stream's chain, its record, and the chain hash after it.

    Results from before there were chains, on Kafka, have neither place (0) nor hash (empty).
    """

    stream: str
    place: int
    kind: str
    key: str
    data: bytes
    hash: bytes


NOTHING_EXPECTED: Mapping[str, int] = MappingProxyType({})
"""The expected ends of streams if each may go on wherever it ends."""

MAX_SEQ = 2**53 - 1
"""The largest number that an event can have; as a position it is past the end of any stream."""


class EventLog(Protocol):
    """A log open for reading and, unless opened read-only, for writing.

    Every read recomputes the chain and raises an `IntegrityError` at the first record that does not fit; records before it have
    been yielded and are good.
    """

    @property
    def log_id(self) -> str:
        """The log's random id, 32 hex digits."""

    @property
    def property_id(self) -> str:
        """The property this log belongs to."""

    @property
    def is_interleaved(self) -> bool:
        """Whether reading one stream passes over others, so that all are read by `tail` in a fraction of the time."""

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""

    def head(self, stream: str) -> Head:
        """Return the end of a stream; `Head(0, genesis)` when nothing was appended yet."""

    def turn(self) -> AbstractContextManager[None]:
        """Keep other writers out during several calls, so that an append can depend on what was read before it.

        Every call that writes takes a turn by itself. If a log has only one writer while it is open, this does nothing. Raises
        `SecondWriter` if another writer does not give its turn back.
        """

    def repairs(self) -> list[str]:
        """Return a sentence for each file next to the chain that differed from it and was made again since the log was opened."""

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        """Append drafts as one group: all are stored durably, or none.

        `expected_seq` is the number the first stored event shall get. Raises `WrongSequence` if the stream is
        elsewhere, `SecondWriter` if another process writes, `EventError` if a draft is not acceptable.
        """

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        """Append groups of several streams in one durable commit, each at the end of its stream.

        `expected`: stream → the number that the first event for it gets, as `expected_seq` of `append`: if one is elsewhere,
        nothing is stored. On Kafka a commit is one transaction for each partition: see `events.kafka.log`.
        """

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield a stream's records from a sequence number on, in order; check the chain from the first of them.

        If that is not 1, check the first record against the stored hash of its predecessor.
        """

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield batches of records of all streams beyond `after` (stream → last number seen; `MAX_SEQ` leaves it out).

        A batch keeps each stream's order. Ends at the end of the log, or with `wait_s` waits for more, yielding an
        empty batch whenever that many seconds passed without one.
        """

    def quarantine(self, *entries: QuarantineEntry) -> None:
        """Keep refused bytes durably, all of them at once. The same bytes for the same stream twice are kept once."""

    def quarantined(self) -> list[QuarantineEntry]:
        """Return everything in quarantine, oldest first, as the store has it: nothing is compared here."""

    def foreign(self) -> ForeignReport:
        """Return the foreign records among all that is stored now: records that are no part of the log."""

    def passed_over(self) -> ForeignReport:
        """Return the foreign records that `tail` has come past in this log, each once, however often it was called.

        Foreign records before the first record that was asked for are left out.
        """

    def store_faults(self) -> list[StoreFault]:
        """Return the present settings of the store that can lose evidence."""

    def compare_index(self, stream: str, events: StreamIndex) -> str | None:
        """Return how the index of repeats, if one is stored next to the chain, differs from a stream's events.

        `events` are all events that the stream had at some moment. None: it does not differ, or there is no such index.
        """

    def acknowledged(self) -> dict[str, Head]:
        """Return the high-water mark: for each stream the furthest end that was acknowledged on this machine."""

    def verify_head(self, stream: str) -> None:
        """Raise `LostTail` or `BrokenSeal` if the stream ends before its high-water mark or differs there."""

    def close(self) -> None:
        """Give up the right to write and release everything."""


NO_ADVICE: Final[Mapping[str, bytes]] = MappingProxyType({})


class ResultStore(Protocol):
    """Where a replayer keeps its results, and how far it has read, in one transaction (see *Replay position*).

    Records are opaque bytes to `events`; `kind` is `"adjudications"`, `"findings"` or `"ledger"`; `key` identifies what a record
    is about, and `replay` gives the same key and bytes for the same conclusion, so that repeats change nothing. The records of
    a stream form a chain (`events.log.result_chain`); a position goes with its snapshot, and both with a digest.
    """

    def positions(self, engine: str) -> dict[str, Head]:
        """Return stream → the log's head up to which this engine replayed it, as stored and where the digest fits.

        Empty if another engine wrote the state. Whether the log has that head is for the replayer to compare.
        """

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of the positions that `positions` returns."""

    def misfits(self, engine: str) -> dict[str, str]:
        """Return stream → why the position or snapshot of this engine does not fit its digest."""

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that any engine replayed, as stored and without any check."""

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[tuple[str, str, bytes]],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Store records `(kind, key, bytes)`, positions and their snapshots atomically; records are asked for one by one.

        A position without a snapshot forgets the one before. For streams in `again`, all stored results are discarded first, and
        their chains begin again; discarded records remain readable but are not results. `advice` (stream → bytes, empty for none)
        replaces the stored advice of these streams; it has no place in a chain.
        """

    def advice(self) -> dict[str, bytes]:
        """Return stream → the last stored advice, if any: one for each stream, on its open round."""

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, without repeats of identical records."""

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key, or None."""

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (of one stream, those past a place alone) with its place in its stream's chain, in the order
        committed. Nothing is checked. Of a stream only what is asked for is read.
        """

    def chain_heads(self) -> dict[str, Head]:
        """Return stream → place and hash of the last record, as the store keeps them apart from the records."""

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return stream → the fault of its chain, as far as visible without reading every record."""

    def unchained(self) -> int:
        """Return the number of records stored before chains existed; 0 once one has a place."""

    @property
    def group(self) -> str:
        """Return the name of the group of replayers that judges; empty if one replayer judges all, or none ever did."""

    def passed_over(self) -> ForeignReport:
        """Return the foreign records after the last result, or found after it was read, each once."""

    def reset(self) -> None:
        """Forget positions and snapshots (not the records): the next replay starts at the beginning."""

    def close(self) -> None:
        """Release everything."""


class CheckpointStore(Protocol):
    """The checkpoints of one log. One process at a time adds to them."""

    def batches(self, after: int = 0) -> Iterator[bytes]:
        """Yield the encoded batches (`events.proofs.statements.CheckpointBatch`) beyond this many statements, in their order."""

    def append(self, before: int, data: bytes, head: Head) -> None:
        """Add an encoded batch durably after `before` statements; `head` is the number of statements with it, and their root.

        Raises `WrongSequence` if the store is elsewhere, `AppendRefused` if it is open for reading only or the disk is
        full, `LogUnavailable` if it is unknown whether it was stored, or if it was stored and could not be acknowledged.
        """

    def acknowledged(self) -> Head | None:
        """Return the last checkpoint that was made on this machine: number of statements and root.

        None: no checkpoint, or the mark is lost.
        """

    def close(self) -> None:
        """Release everything."""


Clock = Callable[[], int]
"""Returns the present as integer UTC microseconds."""
