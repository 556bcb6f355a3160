"""A topic of Kafka as a second way in: all of it is stored once, in order; what cannot be read is named by its place."""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from events.errors import LogUnavailable
from events.kafka.client import Cluster, TopicReader
from events.kafka.partition_reader import UNREADABLE_REASON, Headers
from events.kafka.transactions import OutgoingRecord
from events.sqlite.log import SqliteLog
from intake.devices import DeviceWatch, add_device
from intake.gateway import raw_topic
from intake.gateway.group_commit import GroupCommit
from intake.gateway.raw_topic import RawTopic
from intake.lines import line_of
from intake.patrons import with_tokens
from intake.profiles.registered_profiles import Profiles
from tests.contract.drafts import TABLE, Drafts
from tests.intake.gateway.conftest import opening, until
from tests.kafka.conftest import BAD_HEADER
from tests.kafka_broker import bootstrap

pytestmark = pytest.mark.kafka
AT = "2026-11-23T08:00:00Z"


class Topic:
    """A topic of one partition, and a device that writes to it."""

    def __init__(self) -> None:
        self.cluster = Cluster(bootstrap())
        self.name = f"raw-{secrets.token_hex(6)}"
        self.address = f"kafka://{self.cluster.bootstrap}/{self.name}"
        self.cluster.create_topics({self.name: (1, {})}, 1)

    def write(self, *records: bytes | None, key: bytes | None = None) -> None:
        for record in records:
            self.cluster.send_plain(OutgoingRecord(self.name, 0, key, record, []))


@pytest.fixture
def topic() -> Topic:
    return Topic()


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_topic, "RETRY_S", 0.05)


@contextmanager
def reading(path: Path, topic: Topic, devices: Path | None = None) -> Iterator[list[str]]:
    said: list[str] = []
    commit = GroupCommit(opening(path))
    watch = None if devices is None else DeviceWatch(devices)
    profiles = Profiles(path.parent)
    raw = RawTopic(topic.address, commit, watch, profiles, lambda line: with_tokens(line, None), report=said.append)
    try:
        yield said
    finally:
        raw.close()
        commit.close()


def head(path: Path, stream: str = TABLE) -> int:
    log = SqliteLog(path, read_only=True)
    try:
        return log.head(stream).seq
    finally:
        log.close()


def lines(drafts: Drafts, wagers: int) -> list[bytes]:
    return [line_of(TABLE, each) for each in (drafts.day(), *(drafts.wager() for _ in range(wagers)))]


def test_records_are_stored_in_their_order_and_read_on_by_the_next_gateway(path: Path, topic: Topic) -> None:
    written = lines(Drafts(), 5)
    topic.write(*written[:3])
    with reading(path, topic):
        until(lambda: head(path) == 3)
    topic.write(*written[3:], *written)
    with reading(path, topic) as said:
        until(lambda: head(path) == 6)
        assert said == []


def test_what_was_stored_and_whose_offset_was_not_kept_is_stored_once(path: Path, topic: Topic) -> None:
    written = lines(Drafts(), 4)
    topic.write(*written)

    def unable(*_: Any) -> None:
        raise LogUnavailable("the broker did not answer")

    with patch.object(TopicReader, "keep", unable), reading(path, topic) as said:
        until(lambda: head(path) == 5 and bool(said))
        assert "the broker did not answer" in said[0]
    with reading(path, topic):
        topic.write(line_of(TABLE, Drafts().wager(source="table-08")))
        until(lambda: head(path) == 6)
    assert head(path) == 6


def test_no_offset_is_kept_before_its_records_are_stored(path: Path, topic: Topic) -> None:
    written = lines(Drafts(), 3)
    topic.write(*written)
    real = TopicReader.keep
    stored_when_kept: list[int] = []

    def keep(self: TopicReader, offsets: Any) -> None:
        stored_when_kept.append(head(path) - next(iter(offsets.values())))
        real(self, offsets)

    with patch.object(TopicReader, "keep", keep), reading(path, topic):
        until(lambda: head(path) == 4 and bool(stored_when_kept))
    assert min(stored_when_kept) >= 0


def send(topic: Topic, records: list[bytes], headers: Headers, codec: str | None = None) -> None:
    """Write records as another client may, in one batch."""
    producer = import_module("kafka").KafkaProducer(
        bootstrap_servers=topic.cluster.bootstrap, compression_type=codec, linger_ms=200
    )
    for record in records:
        producer.send(topic.name, record, partition=0, headers=headers)
    producer.flush()
    producer.close()


@pytest.mark.parametrize("codec", ["gzip", "snappy", "lz4", "zstd"])
def test_records_of_any_codec_are_stored(path: Path, topic: Topic, codec: str) -> None:
    written = lines(Drafts(), 20)
    send(topic, written, [], codec)
    with reading(path, topic) as said:
        until(lambda: head(path) == 21)
        assert said == []


def test_a_codec_that_is_missing_is_named_with_its_place(path: Path, topic: Topic, monkeypatch: pytest.MonkeyPatch) -> None:
    written = lines(Drafts(), 20)
    topic.write(*written[:1])
    send(topic, written[1:], [], "lz4")
    with monkeypatch.context() as installation, reading(path, topic) as said:
        installation.setattr(import_module("kafka.codec"), "lz4", None)
        until(lambda: bool(said))
        assert f"{topic.name} partition 0 offset 1: the records there cannot be decompressed: " in said[0]
        assert "lz4" in said[0]
        installation.undo()
        until(lambda: head(path) == 21)


def test_records_behind_a_header_that_is_no_text_are_stored(path: Path, topic: Topic) -> None:
    """What cannot be decoded is named by its place, and the topic goes on."""
    day, first, second = lines(Drafts(), 2)
    topic.write(day)
    send(topic, [first, first], BAD_HEADER)
    topic.write(second)
    with reading(path, topic) as said:
        until(lambda: head(path) == 2 and len(said) == 2)
    for number, line in enumerate(said):
        assert line.startswith(f"topic {topic.name}, partition 0, offset {1 + number}: {UNREADABLE_REASON}; quarantined as")


def test_a_record_that_cannot_be_read_is_quarantined_with_its_place(path: Path, topic: Topic) -> None:
    day, wager = lines(Drafts(), 1)
    topic.write(day, b"\xffgarbage", b"", wager)
    with reading(path, topic) as said:
        until(lambda: head(path) == 2)
        until(lambda: len(said) == 2)
    assert said[0].startswith(f"topic {topic.name}, partition 0, offset 1: ")
    log = SqliteLog(path, read_only=True)
    entries = log.quarantined()
    log.close()
    assert [entry.data for entry in entries] == [b"\xffgarbage", b""]
    assert entries[0].reason.startswith(f"topic {topic.name}, partition 0, offset 1: expected an event")


def test_where_there_is_a_register_the_key_names_a_device_that_speaks_for_its_own_sources(
    path: Path, topic: Topic, tmp_path: Path
) -> None:
    devices = tmp_path / "devices.toml"
    add_device(devices, "table-07", ["table-07"], None, AT)
    drafts = Drafts()
    topic.write(line_of(TABLE, drafts.day()), key=b"table-07")
    topic.write(line_of(TABLE, drafts.wager()), key=b"stranger")
    topic.write(line_of(TABLE, drafts.wager()))
    topic.write(line_of(TABLE, drafts.wager(source="table-08")), key=b"table-07")
    topic.write(line_of(TABLE, drafts.wager()), key=b"table-07")
    with reading(path, topic, devices) as said:
        until(lambda: head(path) == 2)
    assert ["names no device" in said[0], "is missing" in said[1], "table-08" in said[2]] == [True] * 3
    assert len(said) == 3


def test_a_topic_that_is_not_there_is_waited_for(path: Path, topic: Topic) -> None:
    topic.name += "-later"
    topic.address += "-later"
    with reading(path, topic) as said:
        until(lambda: bool(said))
        assert "there is no topic" in said[0]
        topic.cluster.create_topics({topic.name: (1, {})}, 1)
        topic.write(*lines(Drafts(), 1))
        until(lambda: head(path) == 2)
