"""Several replayers of one log on Kafka: each is a member of a consumer group and replays its own partitions.

The results of a partition are committed under the partition's own transactional id. The next owner initializes that id before it
reads on: this fences the owner before and ends its open transaction. The offsets worked off are part of the transaction, so the
broker refuses it from a process that has left the group, even one that wakes up late and fences its successor once. A commit that
fails for either reason ends in `PartitionReassigned`: the results in memory are dropped, and the owner of the partition goes on
from the last commit.
"""

import contextlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from events.errors import AppendRefused, LogUnavailable, PartitionReassigned, ResultBroken, SecondWriter
from events.kafka.bookmarks import STATE_DIR
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog
from events.kafka.record_batches import ReadMessage
from events.kafka.results import announce, composed
from events.kafka.results_reader import ResultsGeneration, ResultsOwner, StoredResults
from events.kafka.topic_settings import refuse_faults, store_faults
from events.kafka.topics import parse_address, partition_of
from events.kafka.transactions import CommitUnknown, ConsumerOffsets, MemberEvicted, TransactionalWriter, WriterFenced
from events.log.contract import NO_ADVICE, ChainedResult, Head
from events.log.foreign import NO_FOREIGN_RECORDS, ForeignReport

SESSION_S = 10.0
"""How long a member may be silent before its partitions are given to others."""
TRANSACTION_S = 10.0
"""How long the transaction of a member that is gone can hold readers up, if no one takes its partition over before."""

NAME = re.compile(r"\A[a-zA-Z0-9._-]{1,100}\Z")
"""The form of a group's name."""


class KafkaGroup:
    """This process as a member of the group `<prefix>.<name>`. Not safe between threads.

    Joining takes the right to write from a single replayer, and from a group with another name or engine. Raises `LogUnavailable`
    if there is no such log or no answer.
    """

    def __init__(
        self,
        address: str,
        name: str,
        engine: str,
        *,
        timeout_s: float = 30.0,
        session_s: float = SESSION_S,
        state_dir: Path | str = STATE_DIR,
        security: Mapping[str, Any] | None = None,
    ) -> None:
        if not NAME.match(name):
            raise LogUnavailable(f"{name!r} is no name of a group: write letters, digits, dots, dashes or underscores")
        bootstrap, self._prefix = parse_address(address)
        self.address, self._owner = address, ResultsOwner(name, engine)
        self._options: dict[str, Any] = {"timeout_s": timeout_s, "security": security, "state_dir": state_dir}
        self._cluster = Cluster(bootstrap, timeout_s=timeout_s, security=security)
        self._generation = 0
        self._stored = StoredResults(self._cluster, self._prefix, address, Path(state_dir))
        try:
            refuse_faults(store_faults(self._cluster, self._prefix, self._stored.partitions))
            self._take_over()
            topic = f"{self._prefix}.events"
            self._member = self._cluster.member(f"{self._prefix}.{name}", topic, session_s=session_s)
        except BaseException:
            self._stored.close()
            raise

    def poll(self) -> frozenset[int] | None:
        """Return our partitions, or None while the group shares them out. Raises `SecondWriter` if another took over."""
        assigned = self._member.poll()
        with contextlib.suppress(MemberEvicted):
            generation = self._member.membership().generation_id
            if generation != self._generation:
                self._generation = generation
                self._stored.read_state()
                self._check_owner()
        return assigned

    @contextlib.contextmanager
    def part(self, number: int) -> "Iterator[tuple[KafkaLog, PartResults]]":
        """Take a partition over; return its streams as a log and its results, up to the last commit."""
        log = KafkaLog(self.address, read_only=True, check_heads=False, part=number, **self._options)
        with contextlib.closing(log):
            nothing = {TopicPartition(f"{self._prefix}.events", number): 0}
            results = PartResults(
                self._stored, number, self._claim(number), lambda: ConsumerOffsets(self._member, nothing | log.reached)
            )
            with contextlib.closing(results):
                yield log, results

    def close(self) -> None:
        """Leave the group, so that the others take over our partitions at once."""
        self._member.close()
        self._stored.close()

    def _claim(self, number: int) -> TransactionalWriter:
        try:
            writer = self._cluster.writer(f"{self._prefix}.replay.{number}", transaction_s=TRANSACTION_S)
        except WriterFenced as error:
            raise PartitionReassigned(f"partition {number} was taken by another member at the same moment") from error
        try:
            self._stored.settle(writer)
            self._check_owner()
        except WriterFenced as error:
            writer.discard()
            raise PartitionReassigned(f"partition {number} was taken by another member at the same moment") from error
        except BaseException:
            writer.discard()
            raise
        return writer

    def _take_over(self) -> None:
        self._stored.settle()
        if self._stored.owner != self._owner:
            announce(self._cluster, self._stored, self._owner)
            with (
                contextlib.suppress(WriterFenced),  # by a single replayer that has not looked yet, and will
                contextlib.closing(self._cluster.writer(f"{self._prefix}.replay")) as single,
            ):
                self._stored.settle(single)
            self._stored.settle()

    def _check_owner(self) -> None:
        owner = self._stored.owner
        if owner != self._owner:
            who = f"the group {owner.group}" if owner.group else "a single replayer"
            engine = " of another version" if owner.group == self._owner.group else ""
            raise SecondWriter(f"{who}{engine} has taken over the results at {self.address}")


class PartResults:
    """The results of one partition's streams (see `events.log.contract.ResultStore`), as its owner writes them."""

    def __init__(
        self, stored: StoredResults, number: int, writer: TransactionalWriter, consumed: Callable[[], ConsumerOffsets]
    ) -> None:
        self._stored, self._number, self._scope, self._consumed = stored, number, f"/{number}", consumed
        self._writer: TransactionalWriter | None = writer

    def positions(self, engine: str) -> dict[str, Head]:
        """Return stream → the log's head up to which this engine replayed it, if the digest fits."""
        return self._stored.positions(self._current) if self._current.engine == engine else {}

    def snapshots(self, engine: str) -> dict[str, bytes]:
        """Return stream → snapshot of the fold, of this engine digest only."""
        return self._stored.snapshots(self._current) if self._current.engine == engine else {}

    def misfits(self, engine: str) -> dict[str, str]:
        """Return stream → why the position or snapshot of this engine does not fit its digest."""
        misfits = self._stored.misfits(self._current) if self._current.engine == engine else {}
        return {stream: why for stream, why in misfits.items() if self._is_ours(stream)}

    def reached(self) -> dict[str, int]:
        """Return stream → the last event that any engine replayed."""
        return {stream: seq for stream, seq in self._stored.reached().items() if self._is_ours(stream)}

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Iterable[tuple[str, str, bytes]],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        """Store the results, and how far the partition was worked off, in one transaction.

        Raises `PartitionReassigned` if the commit failed or its outcome is unknown: read the stored results again.
        """
        if self._writer is None:
            raise PartitionReassigned(f"partition {self._scope[1:]} was given up")
        with composed(self._stored, self._scope, engine, positions, snapshots, records, anew, advice) as commit:
            try:
                self._writer.transact(commit.messages, self._consumed())
            except (WriterFenced, MemberEvicted, CommitUnknown) as error:
                self.close()
                raise PartitionReassigned(f"partition {self._scope[1:]}: {error}") from error
            for each, offset in zip(islice(commit.messages, commit.findings), self._writer.offsets, strict=False):
                self._stored.note(ReadMessage(offset, each.key, each.value, each.headers))
            self._stored.enter(self._scope, commit.mark, commit.state)

    def advice(self) -> dict[str, bytes]:
        """Return stream → the last stored advice."""
        return {stream: data for stream, data in self._stored.advice.items() if self._is_ours(stream)}

    def results(self, kind: str) -> Iterator[tuple[str, bytes]]:
        """Yield `(key, bytes)` of a kind, of all partitions, in the order committed."""
        return self._stored.results(kind) if self._stored.has(kind) else iter(())

    def latest(self, kind: str, key: str) -> bytes | None:
        """Return the last record of a kind under a key, or None."""
        return self._stored.last(f"{kind}/{key}")

    def stored(self, stream: str | None = None, after: int = 0) -> Iterator[ChainedResult]:
        """Yield every record (or one stream's after a place) with its place in its stream's chain, in the order committed."""
        return self._stored.stored(stream, after)

    def chain_heads(self) -> dict[str, Head]:
        """Return stream → place and hash of the last record."""
        return {stream: head for stream, head in self._stored.chain_heads().items() if self._is_ours(stream)}

    def broken_chains(self) -> dict[str, ResultBroken]:
        """Return stream → what is wrong with its chain."""
        return {stream: broken for stream, broken in self._stored.broken_chains().items() if self._is_ours(stream)}

    def unchained(self) -> int:
        """Return the number of records stored before chains existed; 0 once a record has a place."""
        return self._stored.unchained()

    @property
    def group(self) -> str:
        """Return the name of the group."""
        return self._stored.owner.group

    def passed_over(self) -> ForeignReport:
        """Return nothing: readers of all partitions report foreign results (see `ResultStore`)."""
        return NO_FOREIGN_RECORDS

    def reset(self) -> None:
        """Refuse: only a single replayer can judge all again."""
        raise AppendRefused("members of a group forget nothing; run `rack replay --again` alone")

    def close(self) -> None:
        """Release the connection; the right to write stays until the next owner takes it."""
        if self._writer is not None:
            self._writer.discard()
            self._writer = None

    def _is_ours(self, stream: str) -> bool:
        """Whether a stream is in this partition; another member decides about the others."""
        return partition_of(stream, self._stored.partitions) == self._number

    @property
    def _current(self) -> ResultsGeneration:
        return self._stored.generation(self._scope)
