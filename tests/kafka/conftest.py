"""A log of its own for each test, on the session's broker, and what a stranger with a producer can do to it."""

from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from events.kafka import partition_writer, results_reader, survey
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.partition_reader import Headers
from events.kafka.topics import parse_address
from events.kafka.transactions import OutgoingRecord
from tests.contract.drafts import Drafts
from tests.kafka.rubbish import NO_VALUE
from tests.kafka_broker import new_address

Open = Callable[..., KafkaLog]
Alter = Callable[..., None]


class Latin(str):
    """A header's name as a client in another language can send it: not UTF-8."""

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"gr\xfc\xdfe"


BAD_HEADER: Headers = [(Latin("x"), b"1")]
"""A header that no text names; the client sends it as it is, and refuses to read it."""

SEQ, HASH = ("seq", b"14"), ("hash", bytes(32))
NO_EVENT_HEADERS: list[Headers] = [
    [],
    [SEQ],
    [HASH, SEQ],
    [SEQ, ("hash", b"short")],
    [("seq", b"fourteen"), HASH],
    [("seq", b"-1"), HASH],
    [("seq", b"0"), HASH],
    [("seq", b"%d" % 2**53), HASH],
    [("seq", b"9" * 5000), HASH],
    [SEQ, HASH, HASH],
    [("seq", NO_VALUE), HASH],
    [SEQ, ("hash", NO_VALUE)],
]
"""Headers that no event has."""


@pytest.fixture
def null_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the client write headers without a value (`NO_VALUE`), as other clients do and this one refuses to."""
    builder = import_module("kafka.record.memory_records").MemoryRecordsBuilder
    append = builder.append

    def without(self: Any, timestamp: Any, key: Any, value: Any, headers: Any = None) -> Any:
        return append(self, timestamp, key, value, [(name, None if said is NO_VALUE else said) for name, said in headers])

    monkeypatch.setattr(builder, "append", without)


@pytest.fixture(autouse=True)
def bookmarks_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Leave a bookmark of the smallest log, so that whoever opens it again goes on from there; of results in the same folder.

    What lies between two records of a stream is passed over as soon as it is more than one other.
    """
    for module in (survey, partition_writer, results_reader):
        monkeypatch.setattr(module, "WORTH_A_BOOKMARK", 1)
    monkeypatch.setattr(survey, "LONG_GAP", 2)
    monkeypatch.setitem(KafkaResults.__init__.__kwdefaults__, "state_dir", tmp_path / "here")


@pytest.fixture
def address() -> str:
    return new_address()


@pytest.fixture
def cluster(address: str) -> Cluster:
    return Cluster(parse_address(address)[0])


@pytest.fixture
def open_log(address: str, tmp_path: Path) -> Iterator[Open]:
    """Opens the test's log as a process on this machine would (`machine`: as one elsewhere)."""
    opened: list[KafkaLog] = []

    def open_(machine: str = "here", **options: Any) -> KafkaLog:
        opened.append(KafkaLog(address, state_dir=tmp_path / machine, **options))
        return opened[-1]

    yield open_
    for log in opened:
        log.close()


@pytest.fixture
def log(open_log: Open) -> KafkaLog:
    return open_log(create=True, property_id="bellwether", partitions=1)


@pytest.fixture
def drafts() -> Drafts:
    return Drafts()


class Stranger:
    """Writes to the log's partitions with a producer of its own, past the log."""

    def __init__(self, address: str, cluster: Cluster) -> None:
        self._prefix = parse_address(address)[1]
        self._writer, self._reader = cluster.writer(f"{self._prefix}.stranger"), cluster.reader()

    def put(self, stream: str, seq: int, data: bytes | None, hash_: bytes) -> None:
        self.put_raw(stream.encode(), data, [("seq", b"%d" % seq), ("hash", hash_)])

    def put_raw(self, key: bytes | None, data: bytes | None, headers: Headers, topic: str = "events", partition: int = 0) -> None:
        lane = TopicPartition(f"{self._prefix}.{topic}", partition)
        self._writer.transact([OutgoingRecord(*lane, key, data, headers)])
        self._reader.await_visible(lane, self._writer.offsets[-1])

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


@pytest.fixture
def stranger(address: str, cluster: Cluster) -> Iterator[Stranger]:
    with closing(Stranger(address, cluster)) as stranger:
        yield stranger


@pytest.fixture
def alter(log: KafkaLog, cluster: Cluster) -> Alter:
    """Changes the settings of a topic as an administrator can."""
    admin_api = import_module("kafka.admin")

    def alter_(topic: str, **settings: str) -> None:
        admin = import_module("kafka").KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
        named = {name.replace("_", "."): value for name, value in settings.items()}
        resource = admin_api.ConfigResource(admin_api.ConfigResourceType.TOPIC, f"{log.prefix}.{topic}", named)
        admin.alter_configs([resource])
        admin.close()

    return alter_
