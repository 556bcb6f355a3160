"""One writer, every event once: fencing, unclear answers, restarts."""

import os
import time
from itertools import chain
from typing import Any

import pytest

from events.errors import EventError, LogUnavailable, LostTail, SecondWriter, WrongSequence
from events.kafka import partition_writer
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog
from events.kafka.transactions import OutgoingRecord, TransactionalWriter, WriterFenced, hand_over
from events.log import high_water
from events.log.contract import Head
from events.log.high_water import HighWater
from events.proofs.verify import verify
from tests.contract.drafts import TABLE, Drafts, fill
from tests.kafka.conftest import Open

OTHER = "table/fu-08"


def stored(log: KafkaLog, stream: str = TABLE) -> list[int]:
    return [record.seq for record in log.read(stream)]


def test_a_writer_elsewhere_takes_over(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    fill(log, drafts)
    second = open_log("elsewhere")
    assert second.append(TABLE, 14, [drafts.wager()]).seqs == (14,)
    for _ in range(2):
        with pytest.raises(SecondWriter, match=f"process {os.getpid()} on .* has taken over"):
            log.append(TABLE, 14, [drafts.wager()])
    assert second.append(TABLE, 15, drafts.round()).seqs == tuple(range(15, 21))
    assert stored(second) == list(range(1, 21))
    assert verify(second).ok


def test_a_writer_of_the_same_machine_is_refused(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    fill(log, drafts)
    with pytest.raises(SecondWriter, match="is being written by process"):
        open_log().append(TABLE, 14, [drafts.wager()])
    assert log.append(TABLE, 14, [drafts.wager()]).seqs == (14,)


def test_reviews_do_not_take_the_right_to_the_tables(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    fill(log, drafts)
    reviewer = open_log()
    assert reviewer.append("review/fu-07", 1, [drafts.day()]).seqs == (1,)
    assert log.append(TABLE, 14, [drafts.wager()]).seqs == (14,)
    assert reviewer.append("observed/fu-07", 1, [drafts.day()]).seqs == (1,)
    assert log.streams() == ["observed/fu-07", "review/fu-07", TABLE]
    assert len(list(chain.from_iterable(log.tail({})))) == 16


def test_what_a_predecessor_left_open_is_never_seen(open_log: Open, log: KafkaLog, drafts: Drafts, cluster: Cluster) -> None:
    fill(log, drafts)
    dying = cluster.writer(f"{log.prefix}.0")
    dying.write([OutgoingRecord(f"{log.prefix}.events", 0, TABLE.encode(), b"{}", [("seq", b"14"), ("hash", bytes(32))])])
    dying._producer.flush(10)
    second = open_log("elsewhere")
    assert second.append(TABLE, 14, [drafts.wager()]).seqs == (14,)
    assert stored(second) == list(range(1, 15))
    dying.close()


def test_a_fenced_writer_does_not_take_the_right_back(log: KafkaLog, cluster: Cluster) -> None:
    """Its client would: it asks for a new right to write if the broker refuses a record for its epoch (KIP-360)."""
    name, topic = f"{log.prefix}.other", f"{log.prefix}.state"
    records = [OutgoingRecord(topic, 0, key, b"{}", []) for key in (b"1", b"2")]
    fenced = cluster.writer(name)
    fenced.write(records[:1])
    fenced._flush()  # its partition is in the transaction, so the next record is refused where it is stored
    successor = cluster.writer(name)
    successor.write(records)
    successor._flush()  # while a transaction is open, the coordinator lets any epoch fence its producer
    fenced._sent.append(hand_over(fenced._producer, records[1], fenced._patience))
    with pytest.raises(WriterFenced):
        fenced.prepare()
    deadline = time.monotonic() + 60
    while not fenced._manager.has_fatal_error() and time.monotonic() < deadline:
        time.sleep(0.01)
    successor.prepare()
    successor.commit()
    for writer in (fenced, successor):
        writer.close()


def test_a_fencing_without_a_successor_is_survived(
    log: KafkaLog, drafts: Drafts, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partition_writer, "SUCCESSOR_S", 0.2)
    fill(log, drafts)
    cluster.writer(f"{log.prefix}.0").close()  # what the broker itself does when a transaction takes too long
    assert log.append(TABLE, 14, drafts.round()).seqs == tuple(range(14, 20))
    assert stored(log) == list(range(1, 20))


# ------------------------------------------------------------------------------------------------------ unclear answers


@pytest.mark.parametrize("times", [1, 2])
def test_a_commit_whose_answer_is_lost_is_not_sent_again(
    log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    fill(log, drafts)
    commit, left = TransactionalWriter._commit, [times]

    def lose(writer: TransactionalWriter) -> None:
        commit(writer)
        if left[0]:
            left[0] -= 1
            raise TimeoutError("the answer was lost")

    monkeypatch.setattr(TransactionalWriter, "_commit", lose)
    if times == 1:
        appended = log.append(TABLE, 14, drafts.round())
        assert (appended.seqs, appended.head) == (tuple(range(14, 20)), log.head(TABLE))
    else:  # the answer to initializing again is lost as well
        group = drafts.round()
        with pytest.raises(LogUnavailable):
            log.append(TABLE, 14, group)
        assert log.append_groups([(TABLE, group)])[0].seqs == (None,) * 6
    assert stored(log) == list(range(1, 20))
    assert log.append(TABLE, 20, [drafts.wager()]).seqs == (20,)
    assert verify(log).ok


@pytest.mark.parametrize("step", ["_write", "_prepare"])
def test_a_group_that_did_not_arrive_is_sent_again(
    log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(log, drafts)
    real, left = getattr(TransactionalWriter, step), [1]

    def lose(writer: TransactionalWriter, *given: object) -> None:
        if left[0]:
            left[0] -= 1
            if step == "_prepare":
                writer._producer.flush(10)  # the records are there, but the transaction is never ended
            raise ConnectionError("gone")
        real(writer, *given)

    monkeypatch.setattr(TransactionalWriter, step, lose)
    assert log.append(TABLE, 14, drafts.round()).seqs == tuple(range(14, 20))
    assert stored(log) == list(range(1, 20))


def test_a_broker_that_never_commits(log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(log, drafts)
    group = drafts.round()

    def lose(writer: TransactionalWriter) -> None:
        raise ConnectionError("gone")

    with monkeypatch.context() as patch:
        patch.setattr(TransactionalWriter, "_prepare", lose)
        with pytest.raises(LogUnavailable):
            log.append(TABLE, 14, group)
    assert log.append(TABLE, 14, group).seqs == tuple(range(14, 20))
    assert stored(log) == list(range(1, 20))


def test_a_group_stored_without_its_mark_is_marked_when_it_is_repeated(
    log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(log, drafts)
    group = drafts.round()

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(high_water.os, "pwrite", fails)
        with pytest.raises(LogUnavailable, match="stored but not acknowledged"):
            log.append(TABLE, 14, group)
    assert log.acknowledged()[TABLE].seq == 13
    assert log.append(TABLE, 20, group).seqs == (None,) * 6
    assert log.acknowledged() == {TABLE: log.head(TABLE)}


def test_a_successor_that_wrote_while_the_answer_was_lost(
    open_log: Open, log: KafkaLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(log, drafts)
    second, left = open_log("elsewhere"), [1]
    prepare = TransactionalWriter._prepare

    def lose(writer: TransactionalWriter) -> None:
        if left[0]:
            left[0] -= 1
            second.append(TABLE, 14, [drafts.wager()])
            raise TimeoutError("the answer was lost")
        prepare(writer)

    monkeypatch.setattr(TransactionalWriter, "_prepare", lose)
    with pytest.raises(SecondWriter):
        log.append(TABLE, 14, drafts.round())
    assert second.append(TABLE, 15, [drafts.wager()]).seqs == (15,), "and the successor was not fenced in turn"
    assert stored(second) == list(range(1, 16))


# ------------------------------------------------------------------------------------------------------------- restarts


def test_a_writer_begins_where_the_last_one_ended(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    said: dict[str, Any] = {"source_seq": 500, "occurred_at_us": 1, "event_id": "ab" * 16}
    log.append_groups([(TABLE, [drafts.day(), drafts.wager(**said)]), (OTHER, [drafts.day()])])
    log.close()
    again = open_log()
    assert again.acknowledged() == {TABLE: again.head(TABLE), OTHER: again.head(OTHER)}
    assert again.append(TABLE, 3, [drafts.wager(**said), drafts.wager()]).seqs == (None, 3)
    with pytest.raises(EventError, match="already taken"):
        again.append(TABLE, 4, [drafts.wager(event_id="ab" * 16)])


def test_repeats_are_known_for_the_gaming_day_and_the_one_before(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    first = drafts.wager()
    log.append(TABLE, 1, [drafts.day("2026-03-14"), first, drafts.day("2026-03-15")])
    for number in range(2):
        assert log.append(TABLE, log.head(TABLE).seq + 1, [first, drafts.wager()]).seqs[0] is None, number
        log.close()
        log = open_log()
    log.append(TABLE, log.head(TABLE).seq + 1, [drafts.day("2026-03-16")])
    assert log.append(TABLE, log.head(TABLE).seq + 1, [first]).seqs != (None,)


def test_a_log_that_lost_its_tail_does_not_open(open_log: Open, log: KafkaLog, drafts: Drafts) -> None:
    fill(log, drafts)
    log.close()
    mark = HighWater(log._path(TopicPartition(f"{log.prefix}.events", 0), "high-water"), log.log_id)
    mark.record({TABLE: Head(14, bytes(32))})
    mark.close()
    with pytest.raises(LostTail, match="14 events were acknowledged"):
        open_log()
    damaged = open_log(check_heads=False)
    with pytest.raises(LostTail):
        damaged.append(TABLE, 14, [drafts.wager()])
    assert damaged.append(OTHER, 1, [drafts.day()]).seqs == (1,)


def test_groups_of_several_partitions(open_log: Open, drafts: Drafts) -> None:
    log = open_log(create=True, property_id="bellwether", partitions=4)
    streams = [f"table/fu-{number:02}" for number in range(1, 9)]
    appended = log.append_groups([(stream, [drafts.day(), *drafts.round()]) for stream in streams])
    assert [each.seqs for each in appended] == [tuple(range(1, 8))] * 8
    assert sum(len(batch) for batch in log.tail({})) == 56
    assert log.acknowledged() == {stream: log.head(stream) for stream in streams}


def test_who_came_between_stops_groups_of_several_partitions(open_log: Open, drafts: Drafts) -> None:
    log = open_log(create=True, property_id="bellwether", partitions=4)
    late, groups = open_log("elsewhere"), [(stream, [drafts.day()]) for stream in (TABLE, OTHER)]
    assert log._lane(TABLE) != log._lane(OTHER)
    expected = {stream: late.head(stream).seq + 1 for stream, _ in groups}
    log.append(OTHER, 1, [drafts.day()])
    with pytest.raises(WrongSequence, match=f"{OTHER}: the next event is 2, the writer expected 1"):
        late.append_groups(groups, expected)
    assert [late.head(stream).seq for stream, _ in groups] == [0, 1]
    assert [each.seqs for each in late.append_groups(groups, {TABLE: 1, OTHER: 2})] == [(1,), (2,)]


def test_if_one_partition_fails_the_error_names_what_is_stored(open_log: Open, drafts: Drafts) -> None:
    log = open_log(create=True, property_id="bellwether", partitions=4)
    log.append_groups([(stream, [drafts.day()]) for stream in (TABLE, OTHER)])
    begin = partition_writer.PartitionWriter.begin

    def overtaken(shard: partition_writer.PartitionWriter, staged: partition_writer.StagedAppend) -> None:
        if shard is log._shards[log._lane(OTHER)]:
            open_log("elsewhere").append(OTHER, 2, [drafts.wager()])
        begin(shard, staged)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partition_writer.PartitionWriter, "begin", overtaken)
        with pytest.raises(SecondWriter, match=f"has taken over; stored all the same: {TABLE}$"):
            log.append_groups([(stream, [drafts.wager()]) for stream in (TABLE, OTHER)], {TABLE: 2, OTHER: 2})
    assert [log.head(stream).seq for stream in (TABLE, OTHER)] == [2, 2]


def test_creating_twice_changes_nothing(open_log: Open, log: KafkaLog) -> None:
    again = open_log(create=True, property_id="bellwether", partitions=1)
    assert again.log_id == log.log_id
    with pytest.raises(LogUnavailable, match="is the log of property bellwether, not other"):
        open_log(property_id="other")


@pytest.mark.parametrize("options", [{}, {"read_only": True, "create": True}])
def test_a_log_that_is_not_there(open_log: Open, options: dict[str, bool]) -> None:
    with pytest.raises(LogUnavailable, match="there is no log at"):
        open_log(**options)


@pytest.mark.parametrize("servers", ["127.0.0.1:1", "127.0.0.1", "127.0.0.1:1,127.0.0.1:2"])
def test_a_broker_that_is_not_there(servers: str) -> None:
    with pytest.raises(LogUnavailable, match="check the address"):
        KafkaLog(f"kafka://{servers}/rack")
