"""A replayer's results and positions on Kafka: `<prefix>.findings` and partition 1 of `<prefix>.state`.

A commit is one transaction over both. One replayer writes; a second takes over the right to write, and the first gets
`SecondWriter`. A replayer that takes over from a group fences all of its members (see `events.kafka.consumer_group`).
"""

import contextlib
import secrets
import tempfile
import threading
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from events.errors import AppendRefused, LogUnavailable, ResultBroken, SecondWriter
from events.kafka.bookmarks import STATE_DIR
from events.kafka.client import Cluster
from events.kafka.foreign_records import RESTART
from events.kafka.partition_reader import Headers
from events.kafka.results_reader import (
    ADVICE,
    GENERATION,
    OWNER,
    POSITION,
    SNAPSHOT,
    ResultsGeneration,
    ResultsOwner,
    StoredResults,
    StreamPosition,
    digest,
)
from events.kafka.topic_settings import refuse_faults, store_faults
from events.kafka.topics import parse_address
from events.kafka.transactions import CommitUnknown, OutgoingRecord, TransactionalWriter, WriterFenced
from events.log.contract import NO_ADVICE, ChainedResult, Head
from events.log.foreign import ForeignReport
from events.log.result_chain import ResultChains, ResultPosition, position_digest, stream_of
from events.vocabulary.codec import canonical

ATTEMPTS = 3
IN_TIME: Final = 100_000
"""The most messages that are always sent before a broker ends a transaction of the usual duration."""
LONGEST_S: Final = 600.0
"""The longest duration of a transaction with more messages, as in an adoption."""
IN_MEMORY: Final = 8 * 1024 * 1024
"""The bytes of a commit that are kept in memory until they are sent."""
FRESH_S = 1.0
"""The age up to which a reading of others' records counts as current, for a replayer that judges again."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(OutgoingRecord).decode


class Messages:
    """The messages of one commit, in order: a few in memory, many in a file. They can be read more than once."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 (its owner closes it)
        self.count = 0

    def add(self, message: OutgoingRecord) -> None:
        """Add a message at the end. Raises `LogUnavailable` if the disk is full."""
        data = _encode(message)
        try:
            self._file.write(len(data).to_bytes(4) + data)
        except OSError as error:
            raise LogUnavailable(f"{tempfile.gettempdir()}: {error.strerror}; no result was stored") from error
        self.count += 1

    def __iter__(self) -> Iterator[OutgoingRecord]:
        self._file.seek(0)
        for _ in range(self.count):
            yield _decode(self._file.read(int.from_bytes(self._file.read(4))))

    def close(self) -> None:
        """Release the file."""
        self._file.close()


class ResultsCommit(NamedTuple):
    """The content of one commit: its mark, the new state of the streams, and all messages.

    The first `findings` messages go to the findings: the streams that restart, then the new records.
    """

    mark: ResultsGeneration
    state: dict[str, tuple[StreamPosition, bytes | None]]
    messages: Messages
    findings: int


class KafkaResults:
    """The results next to a log (see `events.log.contract.ResultStore`), at the log's own address. Calls may come from threads.

    `state_dir` is the log's on this machine; `resume=False` reads everything, for proofs.
    """

    def __init__(
        self,
        address: str,
        *,
        read_only: bool = False,
        timeout_s: float = 30.0,
        security: Mapping[str, Any] | None = None,
        state_dir: Path | str = STATE_DIR,
        resume: bool = True,
    ) -> None:
        bootstrap, self._prefix = parse_address(address)
        self.address, self._read_only = address, read_only
        self._cluster = Cluster(bootstrap, timeout_s=timeout_s, security=security)
        self._lock = threading.RLock()
        self._claimed = False
        self._writer: TransactionalWriter | None = None
        self._transaction_s: float | None = None
        self._lost = False
        self._begun_at: ResultsGeneration | None = None
        self._fresh_until = 0.0
        self._stored = StoredResults(self._cluster, self._prefix, address, Path(state_dir) if resume else None)
        if not read_only:
            try:
                refuse_faults(store_faults(self._cluster, self._prefix, self._stored.partitions))
            except BaseException:
                self._stored.close()
                raise

    def positions(self, engine: str) -> dict[str, Head]:
        """Return stream → the log's head up to which this engine replayed it, if the digest fits."""
        with self._lock:
            self._stored.read_state()
            current = self._current
            self._begun_at = current
            return self._stored.positions(current) if current.engine == engine else {}

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of this engine digest only, if the digest fits."""
        with self._lock:
            self._stored.read_state()
            current = self._current
            return self._stored.snapshots(current) if current.engine == engine else {}

    def misfits(self, engine: str) -> dict[str, str]:
        """Return stream → why the position or snapshot of this engine does not fit its digest."""
        with self._lock:
            current = self._current
            return self._stored.misfits(current) if current.engine == engine else {}

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that any engine replayed."""
        with self._lock:
            self._stored.read_state()
            return self._stored.reached()

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[tuple[str, str, bytes]],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Store records, snapshots, positions and advice atomically; the state of any other engine is thrown away.

        Raises `SecondWriter` if another replayer has taken over, or has stored results since this one read the positions;
        `LogUnavailable` if there is no answer.
        """
        with self._lock:
            self._claim()
            self._stored.read_findings()
            self._fresh_until = 0.0
            with composed(self._stored, "", engine, positions, snapshots, records, anew, advice) as commit:
                if commit.messages.count <= IN_TIME:
                    self._transact(commit)
                else:
                    self._transact_long(commit)

    def advice(self) -> dict[str, bytes]:
        """Return stream → the last stored advice."""
        with self._lock:
            self._stored.read_state()
            return dict(self._stored.advice)

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind in the order committed, without repeats of identical records."""
        with self._lock:
            return self._stored.results(kind)

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (or one stream's after a place) with its place in its stream's chain, in the order committed."""
        with self._lock:
            return self._stored.stored(stream, after)

    def chain_heads(self) -> dict[str, Head]:
        """Return stream → place and hash of the last record, or those stated by a position if that is further."""
        with self._lock:
            self._stored.read_state()
            self._stored.read_findings()
            return self._stored.chain_heads()

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return stream → what is wrong with its chain."""
        with self._lock:
            self._stored.read_state()
            self._stored.read_findings()
            return self._stored.broken_chains()

    def unchained(self) -> int:
        """Return the number of records stored before chains existed; 0 once a record has a place."""
        with self._lock:
            self._stored.read_findings()
            return self._stored.unchained()

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key, or None.

        The owner of the right to write asks for many, one by one, to judge again: for it, records of others are read at most once
        in `FRESH_S`.
        """
        with self._lock:
            if self._read_only or time.monotonic() >= self._fresh_until:
                self._stored.read_findings()
                self._fresh_until = time.monotonic() + FRESH_S
            return self._stored.last(f"{kind}/{key}")

    @property
    def group(self) -> str:
        """Return the name of the group that replays; it stays the owner until a single replayer takes over."""
        with self._lock:
            self._stored.read_state()
            return self._stored.owner.group

    def passed_over(self) -> ForeignReport:
        """Return the foreign records that lie after the last result or appeared after it was read (see `ResultStore`)."""
        with self._lock:
            self._stored.read_findings()
            return self._stored.passage.report()

    def reset(self) -> None:
        """Delete positions and snapshots (not the records): the next replay starts at the beginning."""
        with self._lock:
            self._claim()
            with composed(self._stored, "", "", {}, {}, []) as commit:
                self._transact(commit)

    def close(self) -> None:
        """Release everything."""
        with self._lock:
            self._throw_away()
            self._stored.close()

    # ---------------------------------------------------------------------------------------------------------- writing

    @property
    def _current(self) -> ResultsGeneration:
        return self._stored.generation("")

    def _claim(self) -> None:
        if self._read_only:
            raise AppendRefused(f"the results at {self.address} are open for reading only")
        if self._lost:
            raise SecondWriter(f"another replayer writes the results at {self.address}")
        if self._writer is None:
            self._must_be_as_begun()
            try:
                self._writer = self._cluster.writer(f"{self._prefix}.replay", transaction_s=self._transaction_s)
                self._stored.settle(self._writer)
            except WriterFenced as error:
                raise self._lose() from error
            except LogUnavailable:  # the next claim begins again
                self._throw_away()
                raise
            if self._stored.owner.group:
                if self._claimed:
                    raise self._lose()
                self._take_over()
            self._must_be_as_begun()
            self._claimed = True

    def _must_be_as_begun(self) -> None:
        """Raise `SecondWriter` if another replayer has stored results since this one read the positions."""
        if self._claimed or self._begun_at is None:
            return
        self._stored.read_state()
        if self._current != self._begun_at:
            self._lose()
            raise SecondWriter(
                f"another replayer has stored results at {self.address} since this one began; stop it, or let it go on alone"
            )

    def _take_over(self) -> None:
        """Take the right to write from a group's members: announce it first, since a fenced member looks."""
        announce(self._cluster, self._stored, ResultsOwner())
        for number in range(self._stored.partitions):
            with (
                contextlib.suppress(WriterFenced),  # by a member that has not looked yet, and will
                contextlib.closing(self._cluster.writer(f"{self._prefix}.replay.{number}")) as member,
            ):
                self._stored.settle(member)
        self._stored.settle()

    def _transact_long(self, commit: ResultsCommit) -> None:
        """Commit with a writer whose transaction may last long; the writer after it has the usual time again."""
        self._renew(LONGEST_S, self._current)
        try:
            self._transact(commit)
        finally:
            self._transaction_s = None
        self._renew(None, commit.mark)

    def _renew(self, transaction_s: float | None, current: ResultsGeneration) -> None:
        """Make a writer with another time. Raises `SecondWriter` if another replayer has stored results meanwhile."""
        self._throw_away()
        self._transaction_s = transaction_s
        self._claim()
        if self._current != current:
            raise self._lose()

    def _transact(self, commit: ResultsCommit) -> None:
        """Commit in one transaction; after an unclear answer, look for it before sending it again."""
        before, findings = self._current, commit.findings
        for _ in range(ATTEMPTS):
            try:
                assert self._writer is not None
                self._writer.transact(commit.messages)
                self._stored.reader.await_visible(self._stored.state, self._writer.offsets[-1])
                if findings:
                    self._stored.reader.await_visible(self._stored.findings, self._writer.offsets[findings - 1])
                self._stored.read_state()
                return
            except WriterFenced as error:
                raise self._lose() from error
            except CommitUnknown:
                self._throw_away()
                self._claim()
                if self._current == commit.mark:
                    return
                if self._current != before:
                    raise self._lose() from None
        self._throw_away()
        raise LogUnavailable(f"Kafka at {self._cluster.bootstrap} did not commit the results; repeat")

    def _lose(self) -> SecondWriter:
        self._throw_away()
        self._lost = True
        return SecondWriter(f"another replayer has taken over the results at {self.address}")

    def _throw_away(self) -> None:
        if self._writer is not None:
            self._writer.discard()
            self._writer = None


@contextlib.contextmanager
def composed(
    stored: StoredResults,
    scope: str,
    engine: str,
    positions: Mapping[str, Head],
    snapshots: Mapping[str, bytes],
    records: Iterable[tuple[str, str, bytes]],
    anew: Collection[str] = (),
    advice: Mapping[str, bytes] = NO_ADVICE,
) -> Iterator[ResultsCommit]:
    """Yield a commit's content: records that differ from the last under their key, the state, the advice, and its mark.

    Raises `ResultBroken` if a record would follow one that does not fit its stream's chain.
    """
    with contextlib.closing(Messages()) as messages:
        chains = _add_records(messages, stored, records, anew)
        findings = messages.count
        mark, state = _add_state(messages, stored, scope, engine, chains, positions, snapshots, advice)
        yield ResultsCommit(mark, state, messages, findings)


def _add_state(
    messages: Messages,
    stored: StoredResults,
    scope: str,
    engine: str,
    chains: ResultChains,
    positions: Mapping[str, Head],
    snapshots: Mapping[str, bytes],
    advice: Mapping[str, bytes],
) -> tuple[ResultsGeneration, dict[str, tuple[StreamPosition, bytes | None]]]:
    """Add the state of the streams, the advice and the commit's mark; return mark and state."""
    current = stored.generation(scope)
    generation = current.generation if current.engine == engine and current.generation else secrets.token_hex(8)
    mark = ResultsGeneration(engine, generation, secrets.token_hex(8))
    state: dict[str, tuple[StreamPosition, bytes | None]] = {}
    for stream, head in positions.items():
        image = snapshots.get(stream)
        digested = position_digest(engine, stream, ResultPosition(head, image)).hex()
        position = StreamPosition(generation, head.seq, head.hash.hex(), chains.head(stream).seq, digested)
        state[stream] = position, image
        value = canonical(msgspec.structs.asdict(position))
        messages.add(OutgoingRecord(*stored.state, f"{POSITION}{stream}".encode(), value, []))
        headers: Headers = [("generation", generation.encode() if image is not None else b"")]
        messages.add(OutgoingRecord(*stored.state, f"{SNAPSHOT}{stream}".encode(), image or b"", headers))
    for stream, data in advice.items():
        messages.add(OutgoingRecord(*stored.state, f"{ADVICE}{stream}".encode(), data, []))
    value = canonical(msgspec.structs.asdict(mark))
    messages.add(OutgoingRecord(*stored.state, f"{GENERATION}{scope}".encode(), value, []))
    return mark, state


def _add_records(
    messages: Messages, stored: StoredResults, records: Iterable[tuple[str, str, bytes]], anew: Collection[str]
) -> ResultChains:
    """Add the streams that restart and the new records; return the chains with these."""
    chains = ResultChains(stored.chains.heads)
    for stream in anew:
        chains.restart(stream)
        headers: Headers = [("kind", RESTART.encode())]
        messages.add(OutgoingRecord(*stored.findings, f"{RESTART}/{stream}".encode(), b"{}", headers))
    last: dict[bytes, bytes] = {}
    for kind, key, data in records:
        name, content, stream = f"{kind}/{key}", digest(data), stream_of(key, data)
        place = digest(name.encode())
        before = last.get(place) or (stored.digest(name) if stream not in anew else b"")
        if before != content:
            if stream in stored.chains.broken and stream not in anew:
                raise stored.chains.broken[stream]
            last[place] = content
            messages.add(_message(stored, chains.extend(kind, key, data)))
    return chains


def _message(stored: StoredResults, made: ChainedResult) -> OutgoingRecord:
    headers: Headers = [("kind", made.kind.encode()), ("place", b"%d" % made.place), ("hash", made.hash)]
    return OutgoingRecord(*stored.findings, f"{made.kind}/{made.key}".encode(), made.data, headers)


def announce(cluster: Cluster, stored: StoredResults, owner: ResultsOwner) -> None:
    """Record durably who replays from now on."""
    value = canonical(msgspec.structs.asdict(owner))
    cluster.send_plain(OutgoingRecord(*stored.state, OWNER.encode(), value, []))
