"""Builds of the Kafka side with one deliberate defect each: the checker of the simulation must find every one of them.

As in `broken.py`, each is a line left out, or two swapped. The last ones are what the simulation found in the program itself.
"""

import contextlib
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any
from unittest.mock import patch

from events.kafka import partition_writer
from events.kafka.client import Cluster
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Chains
from events.kafka.partition_writer import PartitionWriter
from events.kafka.results_reader import StoredResults
from events.kafka.transactions import CommitUnknown, TransactionalWriter
from events.log.contract import Record
from tests.simulation import building

BUILDS: building.Builds = {}
"""As in `broken.py`."""

build = building.registering(BUILDS)


# ------------------------------------------------------------------------------------------------ after an unclear answer


@build
def takes_an_unclear_answer_for_a_yes() -> Iterator[None]:
    """Whether the group is stored is not looked up."""
    with patch.object(PartitionWriter, "_settle", lambda self, staged: True):
        yield


@build(seed=1551)
def swallows_what_goes_wrong_in_a_commit() -> Iterator[None]:
    real = TransactionalWriter.commit

    def commit(self: TransactionalWriter) -> None:
        with contextlib.suppress(CommitUnknown):
            real(self)

    with patch.object(TransactionalWriter, "commit", commit):
        yield


@build
def acknowledges_what_it_only_sent() -> Iterator[None]:
    """The transaction is never committed: nothing waits for its end."""
    with patch.object(TransactionalWriter, "commit", lambda self: None):
        yield


@build(seed=24)
def takes_an_unclear_answer_for_kept_results() -> Iterator[None]:
    real = TransactionalWriter.transact

    def transact(self: TransactionalWriter, messages: Any, consumed: Any = None) -> None:
        try:
            real(self, messages, consumed)
        except CommitUnknown:
            self.offsets = [0 for _ in messages]

    with (
        patch.object(TransactionalWriter, "transact", transact),
        patch.object(StoredResults, "settle", lambda self: self.read_state()),
    ):
        yield


@build(seed=56)
def lets_the_client_repeat_the_end_of_a_transaction() -> Iterator[None]:
    """A request that was held ends the next transaction, of which a part is there (KIP-890)."""
    real = Cluster._producer_settings

    def settings(self: Cluster) -> dict[str, Any]:
        return {name: value for name, value in real(self).items() if name != "kafka_client"}

    with patch.object(Cluster, "_producer_settings", settings):
        yield


# ---------------------------------------------------------------------------------------------------- the right to write


@build
def takes_the_right_without_reading_the_tail() -> Iterator[None]:
    """A successor writes on from where it believes the streams to are."""
    with patch.object(PartitionWriter, "_catch_up", lambda self: []):
        yield


@build(seed=223)
def forgets_that_the_tail_was_not_read() -> Iterator[None]:
    """The right is ours; the reading that follows failed; the next append does not begin again. (Found by seed 41.)"""

    def claim(self: PartitionWriter) -> None:
        if self._lost is not None:
            raise partition_writer.SecondWriter(self._lost)
        if self._unsettled:
            self._throw_away()
            self._stop_where_succeeded(wait_s=0.0)
        if self._writer is None:
            self._take()
            self._catch_up()
            self._unsettled = False

    with patch.object(PartitionWriter, "claim", claim):
        yield


@build
def refuses_by_what_it_knew_before_it_was_succeeded() -> Iterator[None]:
    """A line is refused by an out-of-date view of its stream, and its bytes count as taken."""
    with patch.object(PartitionWriter, "must_be_at_the_end", lambda self: None):
        yield


@build
def fences_nobody() -> Iterator[None]:
    """Each writer has a transactional id of its own, so that a zombie writes on."""
    real, counter = Cluster.writer, iter(range(1 << 30))

    def writer(self: Cluster, transactional_id: str, **options: Any) -> TransactionalWriter:
        return real(self, f"{transactional_id}.{next(counter)}", **options)

    with patch.object(Cluster, "writer", writer):
        yield


# ---------------------------------------------------------------------------------------------------- what was acknowledged


@build
def forgets_what_was_reported() -> Iterator[None]:
    with patch.object(partition_writer.RecentReports, "add", lambda *_: None):
        yield


@build
def drops_the_end_of_a_group() -> Iterator[None]:
    """The last record is acknowledged and not sent."""
    real = PartitionWriter.begin

    def begin(self: PartitionWriter, staged: partition_writer.StagedAppend) -> None:
        kept, staged.records = staged.records, staged.records[:-1] or staged.records
        real(self, staged)
        staged.records = kept

    with patch.object(PartitionWriter, "begin", begin):
        yield


@build
def marks_before_it_commits() -> Iterator[None]:
    real = KafkaLog._send

    def send(self: KafkaLog, staged: Mapping[Any, partition_writer.StagedAppend]) -> None:
        for lane, each in staged.items():
            heads = {stream: state.head for stream, state in each.states.items() if state.head.seq}
            self._high_waters[lane].record(heads)
        real(self, staged)

    with patch.object(KafkaLog, "_send", send):
        yield


build(building.marking_nothing, name="never_marks")  # an end that is cut off at the broker is not missed


build(partial(building.keeping_no_refused_bytes, KafkaLog), name="keeps_no_refused_bytes")


# ------------------------------------------------------------------------------------------------------- what is read back


@build(seed=5)
def reads_what_was_never_committed() -> Iterator[None]:
    """`isolation_level=read_uncommitted`, which is the client's default."""
    real = Cluster.reader

    with patch.object(Cluster, "reader", lambda self, **options: real(self, **options | {"undecided": True})):
        yield


@build(seed=47)
def believes_the_stored_hash() -> Iterator[None]:
    """The fold takes number and chain as the headers state them."""
    real = Chains.accept

    def accept(self: Chains, key: bytes | None, headers: list[tuple[str, bytes]], data: bytes | None) -> Record | None:
        stream = self._streams.get(key) or self._open(key)
        seq, stated = int(headers[0][1]), headers[1][1]
        if data is None or stream.seq < stream.skip or seq != stream.seq + 1:
            return real(self, key, headers, data)
        self.extend([Record(stream.name, seq, data, stated)])
        return Record(stream.name, seq, data, stated)

    with patch.object(Chains, "accept", accept):
        yield


@build
def takes_another_event_of_a_number_for_a_repeat() -> Iterator[None]:
    """A fork is dropped as if it were the same record again."""
    real = Chains._out_of_order

    def out_of_order(self: Chains, stream: Any, seq: int, data: bytes) -> None:
        if seq > stream.seq:
            real(self, stream, seq, data)

    with patch.object(Chains, "_out_of_order", out_of_order):
        yield


@build
def calls_every_repeat_a_fork() -> Iterator[None]:
    real = Chains._out_of_order

    def out_of_order(self: Chains, stream: Any, seq: int, data: bytes) -> None:
        real(self, stream, seq, data + b" " if stream.skip < seq <= stream.seq else data)

    with patch.object(Chains, "_out_of_order", out_of_order):
        yield


@build(seed=6)
def goes_on_after_a_gap() -> Iterator[None]:
    """A number that is missing is passed over, and the chain goes on from the next."""
    real = Chains.accept

    def accept(self: Chains, key: bytes | None, headers: list[tuple[str, bytes]], data: bytes | None) -> Record | None:
        stream = self._streams.get(key) or self._open(key)
        seq, stated = int(headers[0][1]), headers[1][1]
        if data is not None and stream.seq >= stream.skip and seq > stream.seq + 1:
            self.extend([Record(stream.name, seq, data, stated)])
            return Record(stream.name, seq, data, stated)
        return real(self, key, headers, data)

    with patch.object(Chains, "accept", accept):
        yield


# ----------------------------------------------------------------------------------------------------------- the replayer


build(partial(building.committing_the_position_first, KafkaResults), name="commits_its_position_first", seed=25)


build(partial(building.keeping_no_open_rounds, KafkaResults), name="keeps_no_open_rounds")
