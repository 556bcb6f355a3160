"""What a reader makes of records that somebody else put into the topics."""

from importlib import import_module
from itertools import chain

import pytest

from events.errors import BrokenSeal, Fork, IntegrityError, LogUnavailable, MisplacedEvent, SequenceGap
from events.kafka.client import Cluster
from events.kafka.log import KafkaLog
from events.kafka.partition_reader import REMEMBERED, Headers
from events.log.contract import Record
from events.log.hash_chain import link
from events.proofs.verify import verify
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.conftest import NO_EVENT_HEADERS, Open, Stranger

OTHER = "table/fu-08"


@pytest.fixture
def whole(log: KafkaLog, drafts: Drafts) -> list[Record]:
    """The records of a stream of 13 events, another of as many next to it."""
    fill(log, drafts)
    fill(log, drafts, OTHER)
    return list(log.read(TABLE))


def up_to_the_error(log: KafkaLog, expected: type[IntegrityError]) -> tuple[list[Record], IntegrityError]:
    """Read the stream and the whole log into the error; what came before is the same."""
    read: list[Record] = []
    with pytest.raises(expected) as found:
        read.extend(log.read(TABLE))
    tailed: list[Record] = []
    with pytest.raises(expected):
        tailed.extend(chain.from_iterable(log.tail({})))
    assert [record for record in tailed if record.stream == TABLE] == read
    return read, found.value


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seq", [1, 5, 13])
def test_an_identical_record_is_dropped(
    open_log: Open, log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts, seq: int
) -> None:
    again = whole[seq - 1]
    stranger.put(TABLE, seq, again.data, again.hash)
    assert list(log.read(TABLE)) == whole
    assert list(log.read(TABLE, 7)) == whole[6:]
    assert len(list(chain.from_iterable(log.tail({OTHER: 13})))) == 13
    assert verify(log).ok
    log.close()
    assert open_log().append(TABLE, 14, [drafts.wager()]).seqs == (14,)


def test_an_identical_record_from_long_ago_is_dropped(
    log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts
) -> None:
    log.append(TABLE, 14, [drafts.wager() for _ in range(REMEMBERED + 10)])
    stranger.put(TABLE, 2, whole[1].data, whole[1].hash)
    assert len(list(log.read(TABLE))) == REMEMBERED + 23
    stranger.put(TABLE, 2, whole[2].data, whole[1].hash)
    with pytest.raises(Fork, match="event 2:"):
        list(log.read(TABLE))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seq", [1, 5, 13])
def test_a_different_record_is_a_fork(
    open_log: Open, log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts, seq: int
) -> None:
    other = whole[seq - 1].data.replace(b"table-07", b"table-99")
    previous = whole[seq - 2].hash if seq > 1 else whole[0].hash
    stranger.put(TABLE, seq, other, link(previous, other))
    records, error = up_to_the_error(log, Fork)
    assert (records, error.seq, error.code) == (whole, seq, "LOG-FORK")
    assert list(log.read(TABLE, 1, 12)) == whole[:12]
    again = open_log("elsewhere")
    with pytest.raises(Fork):
        again.append(TABLE, 14, [drafts.wager()])
    assert again.append(OTHER, 14, [drafts.wager()]).seqs == (14,), "the other streams of the partition go on"
    assert [(found.kind, found.seq) for found in verify(again).breaks] == [("fork", seq)]


def test_every_broken_stream_is_found_though_all_are_read_at_once(
    log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts, open_log: Open
) -> None:
    """What is wrong with a stream may lie behind the place at which another one ends the reading."""
    third = "table/fu-09"
    fill(log, drafts, third)
    others = list(log.read(OTHER))
    stranger.put(TABLE, 15, whole[12].data, whole[12].hash)
    fork = others[4].data.replace(b"table-07", b"table-99")
    stranger.put(OTHER, 5, fork, link(others[3].hash, fork))
    assert log.append(third, 14, [drafts.wager()]).seqs == (14,)
    report = verify(open_log(read_only=True, check_heads=False, resume=False))
    assert [(found.stream, found.seq, found.kind) for found in report.breaks] == [(TABLE, 14, "removed"), (OTHER, 5, "fork")]
    assert report.events == 13 + 13 + 14
    assert report.heads[third].seq == 14


def test_a_missing_number_is_a_gap(log: KafkaLog, whole: list[Record], stranger: Stranger) -> None:
    data = whole[12].data.replace(b'"seq":13,', b'"seq":15,')
    stranger.put(TABLE, 15, data, link(whole[12].hash, data))
    records, error = up_to_the_error(log, SequenceGap)
    assert (records, error.seq, error.code) == (whole, 14, "LOG-GAP")
    with pytest.raises(SequenceGap):
        list(log.tail({TABLE: 14, OTHER: 13}))


def test_bytes_that_do_not_chain(log: KafkaLog, whole: list[Record], stranger: Stranger) -> None:
    data = whole[12].data.replace(b'"seq":13,', b'"seq":14,')
    stranger.put(TABLE, 14, data, link(whole[11].hash, data))
    records, error = up_to_the_error(log, BrokenSeal)
    assert (records, error.seq, error.code) == (whole, 14, "LOG-SEAL")


def test_an_event_under_another_number(log: KafkaLog, whole: list[Record], stranger: Stranger) -> None:
    stranger.put(TABLE, 14, whole[4].data, whole[4].hash)
    _, error = up_to_the_error(log, MisplacedEvent)
    assert isinstance(error, MisplacedEvent)
    assert (error.seq, error.holds) == (14, 5)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("headers", NO_EVENT_HEADERS)
def test_an_event_without_its_headers(
    log: KafkaLog, whole: list[Record], stranger: Stranger, null_headers: None, headers: Headers
) -> None:
    """Its bytes call it an event of the stream, so that it is evidence, and not skipped."""
    stranger.put_raw(TABLE.encode(), whole[12].data.replace(b'"seq":13,', b'"seq":14,'), headers)
    records, error = up_to_the_error(log, BrokenSeal)
    assert (records, error.seq) == (whole, 14)
    assert len(list(log.read(OTHER))) == 13


def test_bytes_in_the_chain_that_are_no_event(
    open_log: Open, log: KafkaLog, whole: list[Record], stranger: Stranger, drafts: Drafts
) -> None:
    stranger.put(TABLE, 14, b"null", link(whole[12].hash, b"null"))
    assert [record.data for record in log.read(TABLE, 14)] == [b"null"], "it keeps its place"
    with pytest.raises(BrokenSeal, match="not an event"):
        open_log("elsewhere").append(TABLE, 15, [drafts.wager()])


def test_reading_far_into_a_log_begins_near(log: KafkaLog, drafts: Drafts, open_log: Open) -> None:
    fill(log, drafts, OTHER)
    log.append(TABLE, 1, [drafts.day(), *(drafts.wager() for _ in range(12_000))])
    reader = open_log(read_only=True)
    assert reader.head(TABLE) == log.head(TABLE)
    known = reader._known(reader._lane(TABLE)).ends
    assert known.start({TABLE: 11_000, OTHER: 13})[0] > 9_000
    assert known.start({TABLE: 11_000, OTHER: 12})[0] == 0
    assert [record.seq for record in reader.read(TABLE, 11_001, 11_003)] == [11_001, 11_002, 11_003]
    records = list(chain.from_iterable(reader.tail({TABLE: 11_000, OTHER: 13})))
    assert records == list(log.read(TABLE, 11_001))


def test_the_number_of_partitions_never_changes(open_log: Open, log: KafkaLog, cluster: Cluster) -> None:
    admin = import_module("kafka").KafkaAdminClient(bootstrap_servers=cluster.bootstrap)
    admin.create_partitions({f"{log.prefix}.events": 2})
    admin.wait_for_topics([f"{log.prefix}.events"])
    admin.close()
    with pytest.raises(LogUnavailable, match="has 2 partitions and was created with 1"):
        open_log()
