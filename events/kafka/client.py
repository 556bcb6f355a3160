"""The one file that imports Kafka's client: readers and writers with the settings evidence needs, and two plain errors.

The client's defaults are wrong for evidence (`read_uncommitted`, `latest`, auto-commit); here a reader sees committed
records only, from where it is told, in no group, with checksums on. A writer is a transactional producer: making one
fences its predecessor. Its calls end in `WriterFenced` (another writer has taken over) or `CommitUnknown` (the broker may or
may not have done it); after either it is thrown away. The client's automatic recoveries (KIP-360) are never relied on: a writer
whose producer id or epoch has changed counts as unsure.

The client checksums in pure Python unless the package `crc32c` is installed, which halves the cost of reading.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any, NamedTuple, Protocol, cast

with warnings.catch_warnings():  # the client reads its message schemas by a deprecated function
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka
    from kafka import errors as kafka_errors
    from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
    from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

from events.errors import BrokenSeal, LogUnavailable
from events.kafka.partition_reader import Headers

RETRY_MS = 5
POLL_RECORDS, FIRST_RECORDS, FETCH_BYTES = 4000, 50, 1024 * 1024
"""Records that one poll decodes at most, and the first one of a reading (often one is wanted); bytes that a fetch brings."""
SHORT_S = 0.01
"""How long a poll waits where only the end of a transaction may be left to be passed over: it yields no record."""
JOINING_S = 3.0
"""How long one waits for a group to share its partitions out before one looks at other things."""
_FENCED = (kafka_errors.ProducerFencedError, kafka_errors.InvalidProducerEpochError)
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The largest record any of our topics takes (quarantined bytes); an event has at most 512 KiB."""


logging.getLogger("kafka").addHandler(logging.NullHandler())  # what matters is raised; a program may still listen


class WriterFenced(Exception):
    """Another writer with the same transactional id has been initialized; nothing more can be written here."""


class MemberEvicted(Exception):
    """The consumer group counts this process as no member, or not of its present generation: it refused the transaction."""


class CommitUnknown(Exception):
    """The broker did not give a clear answer: what was sent may or may not be committed."""


class Message(Protocol):
    """A record as read. Only committed ones are ever returned; offsets have holes where transactions ended."""

    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class OutgoingRecord(NamedTuple):
    """A record to be written."""

    topic: str
    partition: int
    key: bytes | None
    value: bytes | None
    headers: Headers


class TopicPartition(NamedTuple):
    """One partition of a topic: what one writer owns."""

    topic: str
    partition: int


class ConsumerOffsets(NamedTuple):
    """What a member of a group has worked off: for each partition the offset to go on from."""

    member: GroupMember
    offsets: Mapping[TopicPartition, int]


class Cluster:
    """How to reach a cluster. `timeout_s` bounds every wait for an answer."""

    def __init__(self, bootstrap: str, *, timeout_s: float = 30.0, security: Mapping[str, Any] | None = None) -> None:
        self.bootstrap, self.timeout_s = bootstrap, timeout_s
        self._settings = {
            "bootstrap_servers": bootstrap,
            "bootstrap_timeout_ms": int(min(timeout_s, 10.0) * 1000),
            "request_timeout_ms": int(timeout_s * 500),
            "reconnect_backoff_max_ms": 1000,
            "retry_backoff_ms": RETRY_MS,
            "metadata_max_age_ms": 60_000,
            **(security or {}),
        }

    def probe(self) -> None:
        """Raise `LogUnavailable` at once where nobody listens at any of the addresses; the client would wait for long."""
        problem: OSError | None = None
        for address in self.bootstrap.split(","):
            host, _, port = address.rpartition(":")
            try:
                socket.create_connection((host.strip("[]"), int(port)), timeout=min(self.timeout_s, 5.0)).close()
            except (OSError, ValueError) as error:
                problem = error if isinstance(error, OSError) else OSError(f"{address!r} is not host:port")
            else:
                return
        raise LogUnavailable(f"Kafka at {self.bootstrap}: {problem}; check the address and that the broker runs")

    def create_topics(self, topics: Mapping[str, tuple[int, Mapping[str, str]]], replication: int) -> None:
        """Create topics that do not exist: name → (partitions, settings). Existing ones are left as they are."""
        with self._reached(), contextlib.closing(kafka.KafkaAdminClient(**self._settings)) as admin:
            present = set(admin.list_topics())
            new = [
                NewTopic(name, partitions, replication, topic_configs=dict(settings))
                for name, (partitions, settings) in topics.items()
                if name not in present
            ]
            if not new:
                return
            with contextlib.suppress(kafka_errors.TopicAlreadyExistsError):  # another process was faster
                admin.create_topics(new)
            admin.wait_for_topics(list(topics))

    def topic_settings(self, topics: Sequence[str]) -> dict[str, TopicSettings]:
        """Return how topics are kept, as the cluster has it now; a topic that is not there is left out."""
        with self._reached(), contextlib.closing(kafka.KafkaAdminClient(**self._settings)) as admin:
            found: dict[str, TopicSettings] = {}
            for each in admin.describe_topics(list(topics)):
                if not each["error_code"]:
                    topic, replicas = each["name"], [len(one["replica_nodes"]) for one in each["partitions"]]
                    found[topic] = TopicSettings(len(replicas), min(replicas), self._settings_of(admin, topic))
        return found

    def _settings_of(self, admin: Any, topic: str) -> dict[str, str] | None:
        try:
            resource = ConfigResource(ConfigResourceType.TOPIC, topic)
            found = admin.describe_configs([resource], config_filter="all")
        except kafka_errors.TopicAuthorizationFailedError:
            return None
        values = found.get("topic", {}).get(topic, {})
        return {name: str(setting["value"]) for name, setting in values.items()} or None

    def reader(self, *, patient: bool = False, undecided: bool = False, offsets_of: str | None = None) -> TopicReader:
        """Return a reader with nothing assigned; a patient one waits at the broker for what is to come.

        (While the broker lets a fetch wait, it answers nothing else on that connection.) With `undecided` its `ends` count
        what open transactions have written; it is for that alone. With `offsets_of` it keeps, under that name, how far it
        has worked a topic off (`worked_off`, `keep`).
        """
        with self._reached():
            consumer = kafka.KafkaConsumer(
                **self._settings,
                group_id=offsets_of,
                auto_offset_reset="earliest",
                isolation_level="read_uncommitted" if undecided else "read_committed",
                enable_auto_commit=False,
                check_crcs=True,
                allow_auto_create_topics=False,
                metrics_enabled=False,
                max_partition_fetch_bytes=FETCH_BYTES,
                max_poll_records=POLL_RECORDS,
                fetch_max_wait_ms=200 if patient else 2,
            )
        return TopicReader(self, _hasten(consumer, consumer._cluster))

    def writer(self, transactional_id: str, *, transaction_s: float | None = None) -> TransactionalWriter:
        """Initialise a writer, fencing its predecessor and ending whatever that one left open.

        A transaction that is open for longer than `transaction_s` is ended by the broker, for readers wait behind it.
        Raises `WriterFenced` where yet another writer is initialized meanwhile, `LogUnavailable` where there is no answer.
        """
        with self._reached():
            settings = self._producer_settings() | {"transactional_id": transactional_id}
            if transaction_s is not None:
                settings["transaction_timeout_ms"] = int(transaction_s * 1000)
            producer = kafka.KafkaProducer(**settings)
        return TransactionalWriter(_hasten(producer, producer._metadata), self.timeout_s)

    def member(self, group: str, topic: str, *, session_s: float) -> GroupMember:
        """Join a consumer group that shares the partitions of a topic."""
        with self._reached():
            consumer = kafka.KafkaConsumer(
                **self._settings,
                group_id=group,
                isolation_level="read_committed",
                auto_offset_reset="earliest",
                enable_auto_commit=False,
                allow_auto_create_topics=False,
                metrics_enabled=False,
                session_timeout_ms=int(session_s * 1000),
                heartbeat_interval_ms=int(session_s * 250),
                partition_assignment_strategy=[StickyPartitionAssignor],
            )
        return GroupMember(self, _hasten(consumer, consumer._cluster), topic)

    def send_plain(self, *messages: OutgoingRecord) -> None:
        """Write records durably outside any transaction; where an answer is lost, one may be stored twice."""
        with self._reached():
            producer = kafka.KafkaProducer(**self._producer_settings())
            try:
                sender = _hasten(producer, producer._metadata)
                sent = [
                    sender.send(
                        each.topic, partition=each.partition, key=each.key, value=each.value, headers=each.headers
                    )
                    for each in messages
                ]
                for each in sent:
                    each.get(self.timeout_s)
            finally:
                _discard(producer)

    def _producer_settings(self) -> dict[str, Any]:
        milliseconds = int(self.timeout_s * 1000)
        return self._settings | {
            "acks": "all",
            "enable_idempotence": True,
            "compression_type": "zstd",
            "batch_size": 256 * 1024,
            "linger_ms": 20,
            "max_block_ms": milliseconds,
            "delivery_timeout_ms": milliseconds,
            "transaction_timeout_ms": 2 * milliseconds,
            "max_request_size": MAX_MESSAGE_BYTES,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
        }

    def _reached(self) -> contextlib.AbstractContextManager[None]:
        return _reached(self.bootstrap)


class TopicReader:
    """A consumer of assigned partitions: committed records only, from where it is told. Not safe between threads."""

    def __init__(self, cluster: Cluster, consumer: Any) -> None:
        self._cluster, self._consumer = cluster, consumer

    def partitions(self, topic: str) -> int:
        """Return how many partitions a topic has; 0 where it does not exist."""
        _keep_looking(self._consumer._cluster)
        with _reached(self._cluster.bootstrap):
            return len(self._consumer.partitions_for_topic(topic) or ())

    def assign(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Read these partitions from these offsets on, and no others."""
        with _reached(self._cluster.bootstrap):
            self._consumer.assign([kafka.TopicPartition(*lane) for lane in offsets])
            for lane, offset in offsets.items():
                self._consumer.seek(kafka.TopicPartition(*lane), offset)

    def ends(self, lanes: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return for each partition the offset after the last one that is decided (committed or aborted)."""
        partitions = [kafka.TopicPartition(*lane) for lane in lanes]
        deadline = time.monotonic() + self._cluster.timeout_s
        with _reached(self._cluster.bootstrap):
            while True:
                _keep_looking(self._consumer._cluster)
                try:
                    ends = self._consumer.end_offsets(partitions, timeout_ms=int(self._cluster.timeout_s * 1000))
                    return {TopicPartition(*partition): end for partition, end in ends.items()}
                except KeyError as error:  # the client leaves out a partition whose leader it has not yet heard of
                    if time.monotonic() > deadline:
                        raise LogUnavailable(f"Kafka at {self._cluster.bootstrap} has no leader for {error}") from error
                    time.sleep(0.02)

    def starts(self, lanes: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return for each partition the offset of the first record that is still there."""
        with _reached(self._cluster.bootstrap):
            found = self._consumer.beginning_offsets(
                [kafka.TopicPartition(*lane) for lane in lanes], timeout_ms=int(self._cluster.timeout_s * 1000)
            )
        return {TopicPartition(*partition): offset for partition, offset in found.items()}

    def worked_off(self, lane: TopicPartition) -> int | None:
        """Return the offset to go on from, as `keep` left it; null where it never did."""
        with _reached(self._cluster.bootstrap):
            timeout_ms = int(self._cluster.timeout_s * 1000)
            return cast("int | None", self._consumer.committed(kafka.TopicPartition(*lane), timeout_ms=timeout_ms))

    def keep(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Keep durably, for each partition, the offset to go on from."""
        kept = {
            kafka.TopicPartition(*lane): kafka.structs.OffsetAndMetadata(offset, "", -1)
            for lane, offset in offsets.items()
        }
        with _reached(self._cluster.bootstrap):
            self._consumer.commit(kept, timeout_ms=int(self._cluster.timeout_s * 1000))

    def await_visible(self, lane: TopicPartition, offset: int, patience_s: float = 0.0) -> None:
        """Wait until readers of committed records see this offset: a commit is answered a moment before that.

        `patience_s` is for what others have to decide first, whose transactions may have to run out.
        """
        if not self.shows(lane, offset, max(self._cluster.timeout_s, patience_s)):
            raise LogUnavailable(f"Kafka at {self._cluster.bootstrap} does not show what was committed to {lane.topic}")

    def shows(self, lane: TopicPartition, offset: int, wait_s: float) -> bool:
        """Say whether readers of committed records see this offset, or come to within so many seconds."""
        deadline = time.monotonic() + wait_s
        while self.ends([lane])[lane] <= offset:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.001)
        return True

    def position(self, lane: TopicPartition) -> int:
        """Return the offset that is read next, past everything that was skipped."""
        with _reached(self._cluster.bootstrap):
            return cast(int, self._consumer.position(kafka.TopicPartition(*lane), timeout_ms=1000))

    def poll(self, wait_s: float, most: int = POLL_RECORDS) -> Mapping[TopicPartition, Sequence[Message]]:
        """Return what has come, waiting for it up to `wait_s` seconds; empty where nothing came.

        Raises `BrokenSeal` where stored bytes fail Kafka's checksum, `LogUnavailable` where there is no answer.
        """
        _keep_looking(self._consumer._cluster)
        try:
            with _reached(self._cluster.bootstrap):
                polled = self._consumer.poll(timeout_ms=int(wait_s * 1000), max_records=most)
        except kafka_errors.CorruptRecordError as error:
            raise BrokenSeal("kafka", 0, f"stored bytes fail Kafka's checksum: {error}") from error
        return cast(Mapping[TopicPartition, Sequence[Message]], polled)

    def until(self, ends: Mapping[TopicPartition, int]) -> Iterator[tuple[TopicPartition, Sequence[Message]]]:
        """Yield what lies before these offsets in the assigned partitions (and perhaps a little beyond), in batches.

        Raises `LogUnavailable` where nothing comes for as long as the cluster's timeout.
        """
        open_lanes = {lane for lane, end in ends.items() if self.position(lane) < end}
        silent_since, most = time.monotonic(), FIRST_RECORDS
        while open_lanes:
            polled = self.poll(SHORT_S, most)
            most = min(2 * most, POLL_RECORDS)
            for partition, messages in polled.items():
                yield TopicPartition(*partition), messages
            reached = {lane for lane in open_lanes if self.position(lane) >= ends[lane]}
            open_lanes -= reached
            if polled or reached:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since > self._cluster.timeout_s:
                raise LogUnavailable(
                    f"Kafka at {self._cluster.bootstrap} stopped answering while {open_lanes} was read"
                )

    def scan(self, lane: TopicPartition, offset: int, end: int | None = None) -> Iterator[Message]:
        """Yield one partition's messages from an offset on, those before `end`, or to the end it has now and perhaps beyond."""
        known = self.ends([lane])[lane] if end is None else end
        if offset < known:
            self.assign({lane: offset})
            for _, messages in self.until({lane: known}):
                yield from messages if end is None else takewhile(lambda message: message.offset < known, messages)

    def close(self) -> None:
        """Release the connections."""
        with contextlib.suppress(kafka_errors.KafkaError):
            self._consumer.close(autocommit=False, timeout_ms=1000)


class GroupMember:
    """This process as one of a consumer group: which partitions are its to work on. It reads nothing through the group.

    Not safe between threads.
    """

    def __init__(self, cluster: Cluster, consumer: Any, topic: str) -> None:
        self._cluster, self._consumer = cluster, consumer
        with _reached(cluster.bootstrap):
            consumer.partitions_for_topic(topic)  # who is to share them out must know them
        consumer.subscribe([topic], listener=_Idle(consumer))

    def poll(self) -> frozenset[int] | None:
        """Take part in the group; return the partitions that are ours, or null while they are being shared out.

        A consumer's own poll would fetch; and where it is short, it joins again and again (3.0.12).
        """
        _keep_looking(self._consumer._cluster)
        with _reached(self._cluster.bootstrap):
            if not self._consumer._coordinator.poll(timeout_ms=int(JOINING_S * 1000)):
                return None
            return frozenset(partition.partition for partition in self._consumer.assignment())

    def standing(self) -> Any:
        """Return what proves the membership to the broker. Raises `MemberEvicted` where there is none."""
        found = self._consumer.group_metadata()
        if found.generation_id < 1 or not found.member_id:  # the broker would let a nameless member pass
            raise MemberEvicted(f"{found.group_id}: not a member at the moment")
        return found

    def close(self) -> None:
        """Leave the group: the others share what was ours at once."""
        with contextlib.suppress(kafka_errors.KafkaError):
            self._consumer.close(autocommit=False)


class _Idle(kafka.ConsumerRebalanceListener):
    """Keeps a member's consumer from fetching: what is assigned is read by a reader of our own.

    It inherits from the client library's listener, of which that calls more than is written here.
    """

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer

    def on_partitions_assigned(self, assigned: Sequence[Any]) -> None:
        for partition in assigned:
            self._consumer.seek(partition, 0)
            self._consumer.pause(partition)

    def on_partitions_revoked(self, revoked: Sequence[Any]) -> None:
        """Nothing is lost: what was not committed is read again by the next owner."""


class TransactionalWriter:
    """An initialized transactional producer: `write`, `prepare`, `commit`, in that order. Not safe between threads."""

    def __init__(self, producer: Any, timeout_s: float) -> None:
        self._producer, self._timeout_s = producer, timeout_s
        # commit_transaction() waits for ever; its three steps are taken here with a limit to the waiting.
        self._manager = producer._transaction_manager
        self._sender = producer._sender
        self._sent: list[Any] = []
        self.offsets: list[int] = []
        """Where the records of the last prepared transaction stand, in their order."""
        self._consumed: ConsumerOffsets | None = None
        self._ending: Any = None
        try:
            self._guarded(producer.init_transactions)
        except CommitUnknown as error:
            self.discard()
            raise LogUnavailable(f"Kafka gave no right to write: {error}; is the cluster complete?") from error
        except WriterFenced:
            self.discard()
            raise
        self._identity = self._current_identity()

    def write(self, messages: Iterable[OutgoingRecord]) -> None:
        """Begin a transaction and hand these records to the background sender. Raises `WriterFenced` or `CommitUnknown`."""
        self._guarded(lambda: self._write(messages))

    def prepare(self, consumed: ConsumerOffsets | None = None) -> None:
        """Wait until the broker holds every record of the transaction, then ask it to commit."""
        self._consumed = consumed
        self._guarded(self._prepare)

    def transact(self, messages: Iterable[OutgoingRecord], consumed: ConsumerOffsets | None = None) -> None:
        """Do all three for these records. Raises `WriterFenced` or `CommitUnknown`.

        With `consumed`, the offsets that a member of a group has worked off are part of the transaction, which the broker
        takes only from a member of the group's present generation: else it is aborted, and `MemberEvicted` raised.
        """
        self.write(messages)
        self.prepare(consumed)
        self.commit()

    def commit(self) -> None:
        """Wait until the transaction is committed. Raises `WriterFenced` or `CommitUnknown`."""
        self._guarded(self._commit)

    def abort_leftovers(self, lane: TopicPartition) -> None:
        """Abort what an earlier transaction of this id left undecided in a partition. Raises `WriterFenced` or `CommitUnknown`.

        A coordinator that starts before it knows the partition's leader takes the partition for deleted: it calls a
        transaction complete of which the partition never hears the end (Kafka 4.4). What lies there would be committed
        together with this writer's next transaction, long after it was found not to be there.
        """
        self._guarded(lambda: self._abort_leftovers(lane))

    def close(self) -> None:
        """Give up the connections; the right to write stays with the transactional id until another takes it."""
        self.discard()

    def discard(self) -> None:
        """Throw the producer away without sending anything that still waits."""
        _discard(self._producer)

    def _write(self, messages: Iterable[OutgoingRecord]) -> None:
        self._check_identity()
        self._producer.begin_transaction()
        send = self._producer.send
        self._sent = [send(topic, value, key, headers, partition) for topic, partition, key, value, headers in messages]

    def _prepare(self) -> None:
        self._producer.flush(self._timeout_s)
        for future in self._sent:
            if not future.succeeded():
                raise kafka_errors.KafkaError(f"a record was not stored: {future.exception!r}")
        self.offsets = [future.value.offset for future in self._sent]
        self._sent = []
        if self._consumed is not None:
            self._consume(self._consumed)
        self._check_identity()
        self._ending = self._manager.begin_commit()
        self._sender.wakeup()

    def _abort_leftovers(self, lane: TopicPartition) -> None:
        self._write([OutgoingRecord(*lane, b"aborted", b"", [])])  # nobody ever reads it; a compacted topic wants a key
        self._producer.flush(self._timeout_s)
        for future in self._sent:
            if not future.succeeded():
                raise kafka_errors.KafkaError(f"the record to be aborted was not stored: {future.exception!r}")
        self._sent = []
        aborted = self._manager.begin_abort()
        self._sender.wakeup()
        if not aborted.wait(timeout_ms=int(self._timeout_s * 1000)):
            raise kafka_errors.KafkaTimeoutError(f"no answer to the end of a transaction within {self._timeout_s} s")
        self._check_identity()

    def _consume(self, consumed: ConsumerOffsets) -> None:
        offsets = {
            kafka.TopicPartition(*lane): kafka.structs.OffsetAndMetadata(offset, "", -1)
            for lane, offset in consumed.offsets.items()
        }
        try:
            result = self._manager.send_offsets_to_transaction(offsets, consumed.member.standing())
            self._sender.wakeup()
            if not result.wait(timeout_ms=int(self._timeout_s * 1000)):
                raise kafka_errors.KafkaTimeoutError(f"no answer to the offsets within {self._timeout_s} s")
        except (MemberEvicted, kafka_errors.CommitFailedError) as error:
            aborted = self._manager.begin_abort()
            self._sender.wakeup()
            aborted.wait(timeout_ms=int(self._timeout_s * 1000))
            raise MemberEvicted(str(error)) from error

    def _commit(self) -> None:
        if not self._ending.wait(timeout_ms=int(self._timeout_s * 1000)):
            raise kafka_errors.KafkaTimeoutError(f"no answer to the commit within {self._timeout_s} s")
        self._check_identity()

    def _current_identity(self) -> tuple[int, int]:
        current = self._manager.producer_id_and_epoch
        return current.producer_id, current.epoch

    def _check_identity(self) -> None:
        if self._current_identity() != self._identity:
            raise kafka_errors.KafkaError("the client changed its producer id or epoch by itself")

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (kafka_errors.KafkaError, OSError) as error:
            if isinstance(error, _FENCED) or isinstance(self._manager.last_error, _FENCED):
                raise WriterFenced(str(error)) from error
            raise CommitUnknown(f"{type(error).__name__}: {error}") from error


def _keep_looking(metadata: Any) -> None:
    """Let a client look for the partitions' leaders again after it has given that up.

    Its search (3.0.12) ends for good, and without a word, where a request that another search waits for fails: a node that
    stopped answering would be taken for the leader for ever.
    """
    search = metadata._refresh_loop_future
    if search is not None and search.is_done and not metadata.closed:
        metadata._refresh_loop_future = None
        metadata.start_refresh_loop()


def _hasten(client: Any, metadata: Any) -> Any:
    """Let a new client ask for a topic's partitions at once: it waits 100 ms, and no setting of its own reaches that."""
    metadata.config["retry_backoff_ms"] = RETRY_MS
    return client


def _discard(producer: Any) -> None:
    producer._sender.force_close()
    with contextlib.suppress(kafka_errors.KafkaError):
        producer.close(timeout=1)


@contextlib.contextmanager
def _reached(bootstrap: str) -> Iterator[None]:
    try:
        yield
    except kafka_errors.CorruptRecordError:
        raise
    except (kafka_errors.KafkaError, OSError) as error:
        raise LogUnavailable(
            f"Kafka at {bootstrap}: {type(error).__name__}: {error}; check the address and that the broker runs"
        ) from error


class TopicSettings(NamedTuple):
    """How a topic is kept: its partitions, the fewest replicas of one, and its settings, null where they may not be read."""

    partitions: int
    replicas: int
    values: dict[str, str] | None
