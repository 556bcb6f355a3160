"""Reading ahead by a second process: whatever becomes of that process, every record comes once and in order."""

import multiprocessing
import os
import signal
import ssl
from collections.abc import Iterator
from itertools import chain

import pytest

from events.errors import BrokenSeal
from events.kafka import prefetch
from events.kafka.client import Cluster, TopicPartition, TopicReader
from events.kafka.log import KafkaLog
from events.kafka.prefetch import _Helper, to_the_ends
from events.kafka.topics import parse_address
from events.kafka.transactions import OutgoingRecord
from events.log.contract import Record
from tests.contract.drafts import TABLE, Drafts
from tests.kafka.conftest import Open, Stranger
from tests.kafka.rubbish import NO_VALUE

COUNTS = 600, 6_000
"""Records in two partitions: more than one poll brings, and both in one."""

Told = dict[TopicPartition, list[tuple[int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]]]


@pytest.fixture
def lanes(cluster: Cluster, address: str, null_headers: None) -> list[TopicPartition]:
    """Two partitions with records of every kind that Kafka keeps, in two transactions."""
    topic = f"{parse_address(address)[1]}.ahead"
    cluster.create_topics({topic: (2, {})}, 1)
    lanes = [TopicPartition(topic, number) for number in range(2)]
    writer = cluster.writer(topic)
    for half in range(2):
        writer.transact(
            [
                OutgoingRecord(
                    *lane,
                    b"%d" % number,
                    None if number % 7 == 0 else b"\xff%d" % number,
                    [("seq", b"%d" % number), ("nothing", NO_VALUE)],
                )
                for lane, count in zip(lanes, COUNTS, strict=True)
                for number in range(half * count // 2, (half + 1) * count // 2)
            ]
        )
    reader = cluster.reader()
    for lane, count in zip(lanes, COUNTS, strict=True):
        reader.await_visible(lane, count)  # an offset is taken by the end of the first transaction
    reader.close()
    writer.close()
    return lanes


@pytest.fixture
def reader(cluster: Cluster) -> Iterator[TopicReader]:
    reader = cluster.reader()
    yield reader
    reader.close()


@pytest.fixture
def handed_over(monkeypatch: pytest.MonkeyPatch) -> list[_Helper]:
    """Lets the first process wait for the second one as soon as it has read anything; the helpers that were ready."""
    helpers = []

    def ready(self: _Helper) -> bool:
        helpers.append(self)
        return self._connection.poll(30)

    monkeypatch.setattr(_Helper, "ready", ready)
    return helpers


def told(cluster: Cluster, reader: TopicReader, lanes: list[TopicPartition], worth: int) -> Told:
    found: Told = {lane: [] for lane in lanes}
    for lane, messages in to_the_ends(cluster, reader, dict.fromkeys(lanes, 0), reader.ends(lanes), worth):
        found[lane] += [(each.offset, each.key, each.value, each.headers) for each in messages]
    return found


def test_the_second_process_reads_what_the_first_would(
    cluster: Cluster, reader: TopicReader, lanes: list[TopicPartition], handed_over: list[_Helper]
) -> None:
    alone = told(cluster, reader, lanes, 10**9)
    assert [len(messages) for messages in alone.values()] == [*COUNTS]
    assert [messages[8] for messages in alone.values()] == [(8, b"8", b"\xff8", [("seq", b"8"), ("nothing", None)])] * 2
    assert not handed_over
    assert told(cluster, reader, lanes, 1) == alone
    assert len(handed_over) == 1


@pytest.mark.parametrize("batches", [0, 1])
def test_a_second_process_that_is_lost_costs_no_record(
    cluster: Cluster, reader: TopicReader, lanes: list[TopicPartition], handed_over: list[_Helper], batches: int
) -> None:
    alone, found = told(cluster, reader, lanes, 10**9), dict[TopicPartition, list[int]]()
    left = batches + 1
    for lane, messages in to_the_ends(cluster, reader, dict.fromkeys(lanes, 0), reader.ends(lanes), 1):
        found.setdefault(lane, []).extend(each.offset for each in messages)
        left -= 1
        if left == 0:
            [child] = multiprocessing.active_children()
            os.kill(child.pid or 0, signal.SIGKILL)
            child.join()
    assert found == {lane: [offset for offset, *_ in messages] for lane, messages in alone.items()}
    assert multiprocessing.active_children() == []


def test_a_second_process_that_falls_silent_is_not_waited_for_long(
    address: str, reader: TopicReader, lanes: list[TopicPartition], handed_over: list[_Helper]
) -> None:
    hasty = Cluster(parse_address(address)[0], timeout_s=0.5)
    found, batches = 0, 0
    for _, messages in to_the_ends(hasty, reader, dict.fromkeys(lanes, 0), reader.ends(lanes), 1):
        found, batches = found + len(messages), batches + 1
        if batches == 2:
            [child] = multiprocessing.active_children()
            os.kill(child.pid or 0, signal.SIGSTOP)
    assert found == sum(COUNTS)
    assert multiprocessing.active_children() == []


def test_a_reading_that_is_given_up_ends_the_second_process(
    cluster: Cluster, reader: TopicReader, lanes: list[TopicPartition], handed_over: list[_Helper]
) -> None:
    reading = to_the_ends(cluster, reader, dict.fromkeys(lanes, 0), reader.ends(lanes), 1)
    for _ in range(2):
        next(reading)
    reading.close()
    assert multiprocessing.active_children() == []


def test_settings_that_cannot_be_sent_are_read_with_alone(address: str, lanes: list[TopicPartition]) -> None:
    cluster = Cluster(parse_address(address)[0], security={"ssl_context": ssl.create_default_context()})
    reader = cluster.reader()
    assert [len(messages) for messages in told(cluster, reader, lanes, 1).values()] == [*COUNTS]
    reader.close()


def test_a_process_that_may_start_none_reads_alone(
    cluster: Cluster, reader: TopicReader, lanes: list[TopicPartition], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    assert [len(messages) for messages in told(cluster, reader, lanes, 1).values()] == [*COUNTS]


def test_a_log_is_read_up_to_what_does_not_fit_whoever_reads_it(
    log: KafkaLog,
    open_log: Open,
    drafts: Drafts,
    stranger: Stranger,
    handed_over: list[_Helper],
    null_headers: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log.append(TABLE, 1, [drafts.day(), *(draft for _ in range(1_000) for draft in drafts.round())])
    whole = list(log.read(TABLE))
    data = whole[-1].data.replace(b'"seq":6001,', b'"seq":6002,')
    stranger.put_raw(TABLE.encode(), data, [("seq", b"6002"), ("hash", NO_VALUE)])
    monkeypatch.setattr(prefetch.to_the_ends, "__defaults__", (1,))
    read: list[Record] = []
    with pytest.raises(BrokenSeal) as found:
        read.extend(chain.from_iterable(open_log(read_only=True, resume=False).tail({})))
    assert (found.value.stream, found.value.seq) == (TABLE, 6002)
    assert read == whole
    assert len(handed_over) == 1
