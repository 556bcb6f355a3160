"""The topics of a log on Kafka: its address, its identity, and the partition of each stream."""

import contextlib
import re
from collections.abc import Mapping
from hashlib import sha256

import msgspec

from events.errors import EventError, LogUnavailable
from events.kafka.client import MAX_MESSAGE_BYTES, Cluster, TopicPartition, TopicReader
from events.kafka.transactions import CommitUnknown, OutgoingRecord, WriterFenced
from events.vocabulary.codec import canonical
from events.vocabulary.envelope import LogId
from events.vocabulary.model import Token

IDENTITY_PARTITION = 0
REPLAY_PARTITION = 1
"""The partitions of `<prefix>.state`: 0 has the identity of the log and its writers, 1 the replayers' positions."""

STATE_SEGMENT_BYTES = str(16 * 1024 * 1024)
"""The limit of state that waits for compaction: opening results reads it, and the broker's own limit, a gigabyte, takes long."""

_ADDRESS = re.compile(r"\Akafka://([^/]+)/([a-zA-Z0-9][a-zA-Z0-9._-]{0,99})/?\Z")
_KEY = b"log"


class LogIdentity(msgspec.Struct, frozen=True):
    """The identity of a log: written once, when it is created. The number of partitions never changes."""

    log_id: LogId
    property_id: Token
    partitions: int


def parse_address(address: str) -> tuple[str, str]:
    """Return an address's bootstrap servers (`host:port`, separated by commas) and topic prefix.

    >>> parse_address("kafka://127.0.0.1:9092/rack")
    ('127.0.0.1:9092', 'rack')
    """
    match = _ADDRESS.match(address)
    if match is None:
        raise LogUnavailable(f"{address[:200]!r} is not the address of a Kafka log: write kafka://host:port/prefix")
    return match[1], match[2]


def partition_of(stream: str, partitions: int) -> int:
    """Return a stream's partition of `<prefix>.events`: SHA-256 of its name, first 8 bytes, modulo.

    >>> [partition_of(f"table/fu-{n:02}", 4) for n in range(1, 9)]
    [2, 2, 2, 1, 0, 2, 0, 3]
    """
    return int.from_bytes(sha256(stream.encode()).digest()[:8], "big") % partitions


def create_log(
    cluster: Cluster,
    reader: TopicReader,
    prefix: str,
    property_id: str | None,
    log_id: str,
    partitions: int,
    replication: int,
    min_insync: int,
) -> None:
    """Make the topics and write the log's identity, unless both exist. Raises `EventError` for a bad id."""
    try:
        identity = LogIdentity(*msgspec.convert([log_id, property_id, partitions], tuple[LogId, Token, int]))
    except msgspec.ValidationError as error:
        raise EventError(f"a new log needs the id of its property: {error}") from error
    durable = {
        "min.insync.replicas": str(min_insync),
        "retention.ms": "-1",
        "retention.bytes": "-1",
        "compression.type": "producer",
    }
    kept = durable | {"cleanup.policy": "delete"}
    large = {"max.message.bytes": str(MAX_MESSAGE_BYTES)}
    topics: dict[str, tuple[int, Mapping[str, str]]] = {
        f"{prefix}.events": (partitions, kept),
        f"{prefix}.reviews": (1, kept),
        f"{prefix}.checkpoints": (1, kept),
        f"{prefix}.quarantine": (1, kept | large),
        f"{prefix}.findings": (1, kept | large),
        f"{prefix}.state": (2, durable | large | {"cleanup.policy": "compact", "segment.bytes": STATE_SEGMENT_BYTES}),
    }
    cluster.create_topics(topics, replication)
    if _stored(reader, prefix) is not None:
        return
    lane = TopicPartition(f"{prefix}.state", IDENTITY_PARTITION)
    try:
        with contextlib.closing(cluster.writer(f"{prefix}.create")) as writer:
            if _stored(reader, prefix) is None:  # of several creators, only the last to initialize comes past here
                writer.transact([OutgoingRecord(*lane, _KEY, canonical(msgspec.structs.asdict(identity)), [])])
                reader.await_visible(lane, writer.offsets[-1])
    except (WriterFenced, CommitUnknown) as error:
        raise LogUnavailable(f"the log {prefix} could not be created: {error}; repeat it") from error


def identify(reader: TopicReader, address: str, property_id: str | None) -> LogIdentity:
    """Return the identity of the log at an address. Raises `LogUnavailable` if none exists, or it is another's."""
    _, prefix = parse_address(address)
    identity = _stored(reader, prefix)
    if identity is None:
        raise LogUnavailable(f"there is no log at {address}, or no right to read it; name another address, or create one")
    if property_id not in (None, identity.property_id):
        raise LogUnavailable(f"{address} is the log of property {identity.property_id}, not {property_id}")
    present = reader.partitions(f"{prefix}.events")
    if present != identity.partitions:
        raise LogUnavailable(
            f"{prefix}.events has {present} partitions and was created with {identity.partitions}: their number must "
            "never change; restore the topic"
        )
    return identity


def _stored(reader: TopicReader, prefix: str) -> LogIdentity | None:
    if not reader.partitions(f"{prefix}.state"):
        return None
    for message in reader.scan(TopicPartition(f"{prefix}.state", IDENTITY_PARTITION), 0):
        if message.key == _KEY and message.value:
            try:
                return msgspec.json.decode(message.value, type=LogIdentity)
            except msgspec.MsgspecError as error:
                raise LogUnavailable(f"{prefix}.state does not say who the log is: {error}") from error
    return None
