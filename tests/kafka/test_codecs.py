"""What other clients and settings put into a topic: every codec, and header names that are no text.

Whatever lies there, a log is read as far as it was acknowledged; what cannot be decoded is named with codec and place.
"""

from contextlib import closing
from importlib import import_module

import pytest

from events.errors import LogUnavailable
from events.kafka.client import TopicPartition, TopicSettings
from events.kafka.log import KafkaLog
from events.kafka.partition_reader import UNREADABLE_REASON, Headers
from events.kafka.topic_settings import KEPT, topic_faults
from events.proofs.verify import verify
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.conftest import BAD_HEADER, Alter, Open

CODECS = ("gzip", "snappy", "lz4", "zstd")
LARGE = b"a foreign record " * 300
"""A client sends a small record uncompressed, for that is shorter."""


def send(log: KafkaLog, codec: str | None, *records: Headers, topic: str = "events") -> int:
    """Send foreign records in one batch, so compressed; return the last one's offset."""
    producer = import_module("kafka").KafkaProducer(
        bootstrap_servers=log._cluster.bootstrap, compression_type=codec, linger_ms=200
    )
    sent = [
        producer.send(f"{log.prefix}.{topic}", LARGE, partition=0, headers=list(headers) or None) for headers in records or ([],)
    ]
    offset: int = [each.get(10) for each in sent][-1].offset
    producer.close()
    return offset


def without(monkeypatch: pytest.MonkeyPatch, codec: str) -> None:
    """Run as an installation that lacks the library of a codec."""
    monkeypatch.setattr(import_module("kafka.codec"), {"zstd": "zstd", "snappy": "snappy", "lz4": "lz4"}[codec], None)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("codec", CODECS)
def test_a_foreign_record_of_any_codec_is_skipped(open_log: Open, log: KafkaLog, drafts: Drafts, codec: str) -> None:
    fill(log, drafts)
    for topic in ("events", "reviews", "findings", "checkpoints", "quarantine"):
        send(log, codec, topic=topic)
    log.append(TABLE, 14, [drafts.wager()])
    reader = open_log("elsewhere", read_only=True)
    report = verify(reader)
    assert (report.ok, report.events, report.foreign.count) == (True, 14, 5)
    assert open_log("elsewhere").append(TABLE, 15, [drafts.wager()]).seqs == (15,)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("codec", [*CODECS, "uncompressed"])
def test_a_topic_that_the_broker_compresses_is_read_back_and_told(
    open_log: Open, log: KafkaLog, drafts: Drafts, alter: Alter, codec: str
) -> None:
    for topic in ("events", "findings", "state"):
        alter(topic, compression_type=codec)
    writer = open_log("elsewhere")
    fill(writer, drafts)
    reader = open_log("third", read_only=True)
    assert (verify(reader).ok, len(list(reader.read(TABLE)))) == (True, 13)
    told = [(fault.topic.rpartition(".")[2], fault.value, fault.refused) for fault in reader.store_faults()]
    expected = [] if codec == "zstd" else [(topic, codec, False) for topic in ("events", "findings", "state")]
    assert told == expected


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
def test_nothing_is_written_that_could_not_be_read_back(
    open_log: Open, log: KafkaLog, alter: Alter, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    alter("events", compression_type=codec)
    without(monkeypatch, codec)
    with pytest.raises(LogUnavailable, match=f"events: compression.type is {codec}, expected producer; mend it"):
        open_log("elsewhere")


@pytest.mark.parametrize("codec", ["snappy", "lz4"])
def test_a_codec_that_is_missing_is_named_with_its_place(
    open_log: Open, log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch, codec: str
) -> None:
    fill(log, drafts)
    offset = send(log, codec)
    without(monkeypatch, codec)
    with pytest.raises(LogUnavailable) as missing:
        verify(open_log("elsewhere", read_only=True, check_heads=False))
    said = str(missing.value)
    assert f"{log.prefix}.events partition 0 offset {offset}: the records there cannot be decompressed: " in said
    assert codec in said
    assert "that the broker runs" not in said


def test_a_missing_codec_is_found_among_several_partitions(
    open_log: Open, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = open_log(create=True, property_id="bellwether", partitions=3)
    offset = send(log, "lz4")
    without(monkeypatch, "lz4")
    with closing(log._cluster.reader()) as reader:
        reader.assign(dict.fromkeys((TopicPartition(f"{log.prefix}.events", number) for number in range(3)), 0))
        with pytest.raises(LogUnavailable, match=rf"events partition 0 offset {offset}: "):
            list(reader.until({TopicPartition(f"{log.prefix}.events", 0): offset + 1}))


def test_a_batch_that_cannot_be_decompressed_is_named_with_its_place(
    open_log: Open, log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a library says of it."""
    fill(log, drafts)
    offset = send(log, "gzip")

    def broken(data: bytes) -> bytes:
        raise import_module("gzip").BadGzipFile("Not a gzipped file")

    monkeypatch.setattr("events.kafka.record_batches.unpacked", lambda *_: None)
    monkeypatch.setattr(import_module("kafka.record.default_records"), "gzip_decode", broken)
    with pytest.raises(LogUnavailable, match=rf"offset {offset}: the records there cannot be decompressed: gzip\.Bad"):
        verify(open_log("elsewhere", read_only=True, check_heads=False))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("topic", ["events", "reviews", "findings", "checkpoints", "quarantine"])
def test_a_header_whose_name_is_no_text_is_skipped(open_log: Open, log: KafkaLog, drafts: Drafts, topic: str) -> None:
    """So is what follows it in its batch, which is the same sender's."""
    fill(log, drafts)
    first = send(log, None, BAD_HEADER, [], topic=topic) - 1
    log.append(TABLE, 14, [drafts.wager()])
    for machine in ("elsewhere", "third"):
        report = verify(open_log(machine, read_only=True))
        assert (report.ok, report.events, report.foreign.count) == (True, 14, 2)
        assert [(each.offset, each.reason) for each in report.foreign.records] == [
            (first, UNREADABLE_REASON),
            (first + 1, UNREADABLE_REASON),
        ]
    assert open_log("elsewhere").append(TABLE, 15, [drafts.wager()]).seqs == (15,)
    assert verify(open_log("elsewhere", read_only=True)).events == 15


@pytest.mark.parametrize(("value", "expected"), [("producer", []), ("zstd", []), ("lz4", [False]), ("gzip", [False])])
def test_which_compression_is_told(value: str, expected: list[bool]) -> None:
    found = TopicSettings(1, 1, KEPT | {"compression.type": value})
    assert [fault.refused for fault in topic_faults("k:1", "t", found, 1, KEPT)] == expected
