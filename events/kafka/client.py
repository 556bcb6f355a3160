"""Kafka's client for readers, topics and groups, with the settings evidence needs; writers are in `transactions.py`.

The client's defaults are wrong for evidence (`read_uncommitted`, `latest`, auto-commit). Here a reader sees committed records
only, from a given offset, in no group, with checksums on.

The client checksums in pure Python unless the package `crc32c` is installed, which halves the cost of reading.
"""

import contextlib
import gzip
import logging
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NamedTuple, TypeVar, cast

with warnings.catch_warnings():  # the client reads its message schemas by a deprecated function
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka
    from kafka import codec as kafka_codec
    from kafka import errors as kafka_errors
    from kafka.admin import ConfigResource, ConfigResourceType, NewTopic
    from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor


from events.errors import BrokenSeal, LogUnavailable
from events.kafka.connections import BoundedClient
from events.kafka.partition_reader import UNREADABLE
from events.kafka.patience import HANGS, Patience
from events.kafka.record_batches import FetchedRecords, ReadMessage
from events.kafka.transactions import (
    METADATA_S,
    AskingOnce,
    MemberEvicted,
    OutgoingRecord,
    TransactionalWriter,
    discard,
    flush_all,
    hand_over,
)

RETRY_MS = 5
POLL_RECORDS, FIRST_RECORDS, FETCH_BYTES = 4000, 50, 1024 * 1024
"""Records that one poll decodes at most, and the first one of a reading (often one is wanted); bytes that a fetch brings."""
SHORT_S = 0.01
"""The wait of a poll if only the end of a transaction may remain, which yields no record."""
JOINING_S = 3.0
"""The wait for a group to assign its partitions before other work continues."""
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
"""The largest record any of our topics takes (quarantined bytes); an event has at most 512 KiB."""
MOST_IDLE = 2
"""Readers that are kept open while no one reads."""
_TURNED_AWAY = (
    kafka_errors.KafkaConnectionError,
    kafka_errors.NodeNotReadyError,
    kafka_errors.RequestTimedOutError,
    kafka_errors.Cancelled,
)
"""The errors of a request to a broker that is gone; another broker is then asked."""
_CANNOT_DECOMPRESS = (kafka_errors.UnsupportedCodecError, gzip.BadGzipFile)
"""The errors of the client or the network that concern a batch that was read."""
_CODECS = {
    "gzip": kafka_codec.has_gzip,
    "snappy": kafka_codec.has_snappy,
    "lz4": kafka_codec.has_lz4,
    "zstd": kafka_codec.has_zstd,
}


logging.getLogger("kafka").addHandler(logging.NullHandler())  # what matters is raised; a program may still listen


class TopicPartition(NamedTuple):
    """One partition of a topic; one writer owns it."""

    topic: str
    partition: int


_Answer = TypeVar("_Answer")


class Cluster:
    """How to reach a cluster. `timeout_s` limits every wait for an answer; if a broker is gone, `patience` does."""

    def __init__(self, bootstrap: str, *, timeout_s: float = 30.0, security: Mapping[str, Any] | None = None) -> None:
        self.bootstrap, self.timeout_s = bootstrap, timeout_s
        self.patience = Patience(bootstrap, timeout_s, security)
        self._settings = {
            "bootstrap_timeout_ms": int(min(timeout_s, 10.0) * 1000),
            "request_timeout_ms": int(timeout_s * 500),
            "reconnect_backoff_max_ms": 1000,
            "retry_backoff_ms": RETRY_MS,
            "metadata_max_age_ms": 60_000,
            **(security or {}),
        }

    def probe(self) -> None:
        """Raise `LogUnavailable` at once if no one listens at any of the addresses; the client would wait long."""
        silent = self.patience.known_silent()
        problems = [silent.get(broker) for broker in self.patience.given]
        if None not in problems and HANGS not in problems:
            raise LogUnavailable(
                f"Kafka at {self.bootstrap}: the broker {problems[0]}; check the address and that the broker runs"
            )

    @contextlib.contextmanager
    def admin(self) -> Iterator[Any]:
        """The administrator's client."""
        with self._reached(), contextlib.closing(self._made(kafka.KafkaAdminClient, self._settings)) as admin:
            yield admin

    def asked(self, question: Callable[[], _Answer]) -> _Answer:
        """Return the answer to a repeatable request: if the broker asked is gone, another is asked."""
        wait = self.patience.begin()
        while True:
            with self._reached():
                try:
                    return question()
                except _TURNED_AWAY:
                    wait.go_on()
            time.sleep(RETRY_MS / 1000)

    def _made(self, kind: Callable[..., Any], settings: Mapping[str, Any]) -> Any:
        """Return a client of the library with limits on all waits for its connections."""
        made: list[BoundedClient] = []

        def connected(**configs: Any) -> BoundedClient:
            made.append(settings.get("kafka_client", BoundedClient)(self.patience, **configs))
            return made[0]

        try:
            return kind(**dict(settings) | {"bootstrap_servers": self.patience.addresses(), "kafka_client": connected})
        except BaseException:
            for each in made:
                each.close()
            raise

    def create_topics(self, topics: Mapping[str, tuple[int, Mapping[str, str]]], replication: int) -> None:
        """Create missing topics: name → (partitions, settings). Existing ones stay as they are."""
        with self.admin() as admin:
            present = set(self.asked(admin.list_topics))
            new = [
                NewTopic(name, partitions, replication, topic_configs=dict(settings))
                for name, (partitions, settings) in topics.items()
                if name not in present
            ]
            if not new:
                return
            with contextlib.suppress(kafka_errors.TopicAlreadyExistsError):  # another process was faster
                self.asked(lambda: admin.create_topics(new))
            admin.wait_for_topics(list(topics))

    def topic_settings(self, topics: Sequence[str]) -> "dict[str, TopicSettings]":
        """Return the cluster's present settings of topics, without topics that do not exist."""
        with self.admin() as admin:
            found: dict[str, TopicSettings] = {}
            for each in self.asked(lambda: admin.describe_topics(list(topics))):
                if not each["error_code"]:
                    topic, replicas = each["name"], [len(one["replica_nodes"]) for one in each["partitions"]]
                    settings = self.asked(partial(self._settings_of, admin, topic))
                    found[topic] = TopicSettings(len(replicas), min(replicas), settings)
        return found

    def _settings_of(self, admin: Any, topic: str) -> dict[str, str] | None:
        try:
            resource = ConfigResource(ConfigResourceType.TOPIC, topic)
            found = admin.describe_configs([resource], config_filter="all")
        except kafka_errors.TopicAuthorizationFailedError:
            return None
        values = found.get("topic", {}).get(topic, {})
        return {name: str(setting["value"]) for name, setting in values.items()} or None

    def reader(self, *, patient: bool = False, undecided: bool = False, offsets_of: str | None = None) -> "TopicReader":
        """Return a reader without partitions; a patient one waits at the broker for new records.

        While a fetch waits at the broker, that connection gets no other answer. With `undecided`, `ends` counts the records of
        open transactions; such a reader is for that alone. With `offsets_of`, the reader stores under that name how far it has
        worked a topic off (`worked_off`, `keep`).
        """
        settings = self._settings | {
            "group_id": offsets_of,
            "auto_offset_reset": "earliest",
            "isolation_level": "read_uncommitted" if undecided else "read_committed",
            "enable_auto_commit": False,
            "check_crcs": True,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
            "max_partition_fetch_bytes": FETCH_BYTES,
            "max_poll_records": POLL_RECORDS,
            "fetch_max_wait_ms": 200 if patient else 2,
        }

        def consumer() -> Any:
            with self._reached():
                made = self._made(kafka.KafkaConsumer, settings)
            made._fetcher.PartitionRecords = FetchedRecords
            return _hasten(made, made._cluster)

        return TopicReader(self, consumer)

    def writer(self, transactional_id: str, *, transaction_s: float | None = None) -> TransactionalWriter:
        """Initialize a writer: fence its predecessor and end that one's open transaction.

        The broker ends a transaction that is open for longer than `transaction_s`, since readers wait behind it. Raises
        `WriterFenced` if another writer is initialized meanwhile, `LogUnavailable` if there is no answer.
        """
        with self._reached():
            settings = self._producer_settings() | {"transactional_id": transactional_id}
            if transaction_s is not None:
                settings["transaction_timeout_ms"] = int(transaction_s * 1000)
            producer = self._made(kafka.KafkaProducer, settings)
        return TransactionalWriter(_hasten(producer, producer._metadata), self.patience)

    def member(self, group: str, topic: str, *, session_s: float) -> "GroupMember":
        """Join a consumer group that shares the partitions of a topic."""
        with self._reached():
            settings = self._settings | {
                "group_id": group,
                "isolation_level": "read_committed",
                "auto_offset_reset": "earliest",
                "enable_auto_commit": False,
                "allow_auto_create_topics": False,
                "metrics_enabled": False,
                "session_timeout_ms": int(session_s * 1000),
                "heartbeat_interval_ms": int(session_s * 250),
                "partition_assignment_strategy": [StickyPartitionAssignor],
            }
            consumer = self._made(kafka.KafkaConsumer, settings)
        return GroupMember(self, _hasten(consumer, consumer._cluster), topic)

    def send_plain(self, *messages: OutgoingRecord) -> None:
        """Write records durably outside any transaction; if an answer is lost, a record may be stored twice."""
        with self._reached():
            producer = self._made(kafka.KafkaProducer, self._producer_settings())
            try:
                sender = _hasten(producer, producer._metadata)
                sent = [hand_over(sender, message, self.patience) for message in messages]
                flush_all(sender, self.patience)
                for each in sent:
                    each.get(0.0)
            finally:
                discard(producer)

    def _producer_settings(self) -> dict[str, Any]:
        milliseconds = int(self.timeout_s * 1000)
        return self._settings | {
            "acks": "all",
            "enable_idempotence": True,
            "compression_type": "zstd",
            "batch_size": 256 * 1024,
            "linger_ms": 20,
            "max_block_ms": int(METADATA_S * 1000),
            "delivery_timeout_ms": milliseconds,
            "transaction_timeout_ms": 2 * milliseconds,
            "max_request_size": MAX_MESSAGE_BYTES,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
            "kafka_client": AskingOnce,
        }

    def _reached(self) -> contextlib.AbstractContextManager[None]:
        return _reached(self.bootstrap)


class TopicReader:
    """A consumer of assigned partitions: committed records only, from a given offset. Not safe between threads."""

    def __init__(self, cluster: Cluster, make: Callable[[], Any]) -> None:
        self._cluster, self._make = cluster, make
        self._timeout_ms = int(cluster.timeout_s * 1000)
        self._consumer = make()

    def partitions(self, topic: str) -> int:
        """Return the number of partitions of a topic; 0 if it does not exist."""
        _keep_looking(self._consumer._cluster)
        return self._cluster.asked(lambda: len(self._consumer.partitions_for_topic(topic) or ()))

    def assign(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Read these partitions from these offsets on, and no others."""
        with _reached(self._cluster.bootstrap):
            self._consumer.assign([kafka.TopicPartition(*lane) for lane in offsets])
            for lane, offset in offsets.items():
                self._consumer.seek(kafka.TopicPartition(*lane), offset)

    def ends(self, lanes: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return for each partition the offset after its last decided record (committed or aborted)."""
        partitions = [kafka.TopicPartition(*lane) for lane in lanes]

        def ends() -> dict[Any, int]:
            _keep_looking(self._consumer._cluster)
            try:
                return cast("dict[Any, int]", self._consumer.end_offsets(partitions, timeout_ms=self._timeout_ms))
            except KeyError as error:  # the client leaves out a partition whose leader it has not yet heard of
                raise kafka_errors.NodeNotReadyError(f"{error} has no leader") from error

        return {TopicPartition(*partition): end for partition, end in self._cluster.asked(ends).items()}

    def starts(self, lanes: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Return for each partition the offset of its first remaining record."""
        partitions = [kafka.TopicPartition(*lane) for lane in lanes]
        found = self._cluster.asked(lambda: self._consumer.beginning_offsets(partitions, timeout_ms=self._timeout_ms))
        return {TopicPartition(*partition): offset for partition, offset in found.items()}

    def worked_off(self, lane: TopicPartition) -> int | None:
        """Return the offset stored by `keep`; None if none exists."""
        partition = kafka.TopicPartition(*lane)
        return cast("int | None", self._cluster.asked(lambda: self._consumer.committed(partition, timeout_ms=self._timeout_ms)))

    def keep(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Store durably, for each partition, the offset to go on from."""
        kept = {kafka.TopicPartition(*lane): kafka.structs.OffsetAndMetadata(offset, "", -1) for lane, offset in offsets.items()}
        self._cluster.asked(lambda: self._consumer.commit(kept, timeout_ms=self._timeout_ms))

    def await_visible(self, lane: TopicPartition, offset: int, patience_s: float = 0.0) -> None:
        """Wait until readers of committed records see this offset: the broker confirms a commit a moment before that.

        `patience_s` is for open transactions of others, which may have to time out.
        """
        if not self.shows(lane, offset, max(self._cluster.timeout_s, patience_s)):
            raise LogUnavailable(f"Kafka at {self._cluster.bootstrap} does not show what was committed to {lane.topic}")

    def shows(self, lane: TopicPartition, offset: int, wait_s: float) -> bool:
        """Return whether readers of committed records see this offset, or will within this many seconds."""
        deadline, wait = time.monotonic() + wait_s, self._cluster.patience.begin(float("inf"))
        while self.ends([lane])[lane] <= offset:
            if time.monotonic() > deadline:
                return False
            wait.go_on()
            time.sleep(0.001)
        return True

    def position(self, lane: TopicPartition) -> int:
        """Return the next offset to read, past everything skipped."""
        with _reached(self._cluster.bootstrap):
            return cast(int, self._consumer.position(kafka.TopicPartition(*lane), timeout_ms=1000))

    def poll(self, wait_s: float, most: int = POLL_RECORDS) -> Mapping[TopicPartition, Sequence[ReadMessage]]:
        """Return new messages, waiting up to `wait_s` seconds; empty if none came.

        If a record has a header whose name is not UTF-8, that record and the rest of its batch get `UNREADABLE` as their one
        header. Raises `BrokenSeal` if stored bytes fail Kafka's checksum, `LogUnavailable` if there is no answer, or a batch
        cannot be decompressed.
        """
        _keep_looking(self._consumer._cluster)
        try:
            with _reached(self._cluster.bootstrap):
                polled = self._consumer.poll(timeout_ms=int(wait_s * 1000), max_records=most)
        except LogUnavailable as error:
            if not isinstance(error.__cause__, _CANNOT_DECOMPRESS):
                raise
            return self._pass_over(error.__cause__)
        except Exception as error:
            return self._pass_over(error)
        return cast(Mapping[TopicPartition, Sequence[ReadMessage]], polled)

    def _pass_over(self, error: BaseException) -> Mapping[TopicPartition, Sequence[ReadMessage]]:
        """Skip a record that the client cannot decode, or raise what is wrong with stored bytes, and where."""
        found = self._place_of(error)
        self._renew()
        corrupt = isinstance(error, kafka_errors.CorruptRecordError)
        unreadable_name = isinstance(error.__context__, UnicodeDecodeError)  # a header's: all text that the client decodes
        if corrupt and not unreadable_name:
            raise BrokenSeal("kafka", 0, f"stored bytes fail Kafka's checksum: {error}") from error
        if found is None:
            raise error
        lane, offset = found
        if corrupt:
            self._consumer.seek(kafka.TopicPartition(*lane), offset + 1)
            return {lane: [ReadMessage(offset, None, None, [UNREADABLE])]}
        place = f"{lane.topic} partition {lane.partition} offset {offset}"
        raise LogUnavailable(
            f"Kafka at {self._cluster.bootstrap}: {place}: the records there cannot be decompressed: "
            f"{type(error).__module__}.{type(error).__name__}: {error}; if a library is missing, install it as "
            "requirements.lock names it (snappy: python-snappy; lz4: lz4; zstd: zstandard)"
        ) from error

    def _place_of(self, error: BaseException) -> tuple[TopicPartition, int] | None:
        """Return the partition and offset at which a poll failed; the partition must also fail by itself."""
        for partition in self._consumer.assignment():
            lane = TopicPartition(*partition)
            offset = self.position(lane)
            with contextlib.closing(self._cluster.reader()) as alone:
                end, wait = alone.ends([lane])[lane], self._cluster.patience.begin()
                alone.assign({lane: offset})
                try:
                    while alone.position(lane) == offset < end:
                        wait.go_on()
                        alone._consumer.poll(timeout_ms=int(SHORT_S * 1000), max_records=1)
                except type(error):
                    return lane, offset
        return None

    def _renew(self) -> None:
        """Replace the consumer: one that failed to decode a batch repeats the failure at every poll (3.0.12)."""
        offsets = {TopicPartition(*each): self.position(TopicPartition(*each)) for each in self._consumer.assignment()}
        self.close()
        self._consumer = self._make()
        self.assign(offsets)

    def until(self, ends: Mapping[TopicPartition, int]) -> Iterator[tuple[TopicPartition, Sequence[ReadMessage]]]:
        """Yield the messages of the assigned partitions before these offsets (and perhaps a few after), in batches.

        Raises `LogUnavailable` if nothing comes within the cluster's patience.
        """
        open_lanes = {lane for lane, end in ends.items() if self.position(lane) < end}
        wait, most = self._cluster.patience.begin(), FIRST_RECORDS
        while open_lanes:
            polled = self.poll(SHORT_S, most)
            most = min(2 * most, POLL_RECORDS)
            for partition, messages in polled.items():
                yield TopicPartition(*partition), messages
            reached = {lane for lane in open_lanes if self.position(lane) >= ends[lane]}
            open_lanes -= reached
            if polled or reached:
                wait = self._cluster.patience.begin()
            else:
                wait.go_on()

    def scan(self, lane: TopicPartition, offset: int, end: int | None = None) -> Iterator[ReadMessage]:
        """Yield a partition's messages from an offset to `end`, or to its present end and perhaps beyond."""
        known = self.ends([lane])[lane] if end is None else end
        if offset < known:
            self.assign({lane: offset})
            for _, messages in self.until({lane: known}):
                yield from messages if end is None else takewhile(lambda message: message.offset < known, messages)

    def close(self) -> None:
        """Release the connections."""
        with contextlib.suppress(kafka_errors.KafkaError, LogUnavailable):
            self._consumer.close(autocommit=False, timeout_ms=1000)


class ReaderPool:
    """A pool of readers for one log or its results; each serves one reading at a time. Safe between threads.

    A new reader needs a connection to each broker, and most readings are short, so readers are reused.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._lock = threading.Lock()
        self._idle: list[TopicReader] = []
        self._closed = False

    @contextlib.contextmanager
    def reader(self) -> Iterator[TopicReader]:
        """Lend a reader; ignore the partitions it had."""
        with self._lock:
            reader = self._idle.pop() if self._idle else None
        reader = reader or self._cluster.reader()
        try:
            yield reader
        finally:
            with self._lock:
                keep = not self._closed and len(self._idle) < MOST_IDLE
                if keep:
                    self._idle.append(reader)
            if not keep:
                reader.close()

    def close(self) -> None:
        """Release the connections of the readers not lent; the others follow when they are returned."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for reader in idle:
            reader.close()


class GroupMember:
    """This process in a consumer group that assigns it partitions; it reads nothing. Not safe between threads."""

    def __init__(self, cluster: Cluster, consumer: Any, topic: str) -> None:
        self._cluster, self._consumer = cluster, consumer
        cluster.asked(lambda: consumer.partitions_for_topic(topic))  # who is to share them out must know them
        consumer.subscribe([topic], listener=_Idle(consumer))

    def poll(self) -> frozenset[int] | None:
        """Take part in the group; return our partitions, or None while the group shares them out.

        A consumer's own poll would fetch; a short one makes it join again and again (3.0.12).
        """
        _keep_looking(self._consumer._cluster)
        with _reached(self._cluster.bootstrap):
            if not self._consumer._coordinator.poll(timeout_ms=int(JOINING_S * 1000)):
                return None
            return frozenset(partition.partition for partition in self._consumer.assignment())

    def membership(self) -> Any:
        """Return the proof of membership for the broker. Raises `MemberEvicted` if none exists."""
        found = self._consumer.group_metadata()
        if found.generation_id < 1 or not found.member_id:  # the broker would let a nameless member pass
            raise MemberEvicted(f"{found.group_id}: not a member at the moment")
        return found

    def close(self) -> None:
        """Leave the group; the others take over our partitions at once."""
        with contextlib.suppress(kafka_errors.KafkaError, LogUnavailable):
            self._consumer.close(autocommit=False, timeout_ms=1000)


class _Idle(kafka.ConsumerRebalanceListener):
    """Keeps a member's consumer from fetching: our own reader reads the assigned partitions.

    It inherits from the client library's listener, which has more methods than are written here.
    """

    def __init__(self, consumer: Any) -> None:
        self._consumer = consumer

    def on_partitions_assigned(self, assigned: Sequence[Any]) -> None:
        for partition in assigned:
            self._consumer.seek(partition, 0)
            self._consumer.pause(partition)

    def on_partitions_revoked(self, revoked: Sequence[Any]) -> None:
        """Do nothing: the next owner reads uncommitted work again."""


def unreadable_codecs() -> frozenset[str]:
    """Return the codecs (as `compression.type` names them) that this installation cannot decompress."""
    return frozenset(name for name, installed in _CODECS.items() if not installed())


def _keep_looking(metadata: Any) -> None:
    """Let a client search for the partitions' leaders again after it gave up.

    Its search (3.0.12) ends for good and silently if the request of another search fails: it would then take a dead node for the
    leader forever.
    """
    search = metadata._refresh_loop_future
    if search is not None and search.is_done and not metadata.closed:
        metadata._refresh_loop_future = None
        metadata.start_refresh_loop()


def _hasten(client: Any, metadata: Any) -> Any:
    """Let a new client ask for a topic's partitions at once: it waits 100 ms, and no setting changes that."""
    metadata.config["retry_backoff_ms"] = RETRY_MS
    return client


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
    """A topic's partitions, the fewest replicas of one, and its settings (None if they may not be read)."""

    partitions: int
    replicas: int
    values: dict[str, str] | None
