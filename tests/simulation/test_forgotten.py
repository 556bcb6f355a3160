"""A transaction whose end its partitions never hear of: a coordinator that came back too early called it complete (Kafka 4.4)."""

from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import patch

import pytest

from events.errors import Fork, LogUnavailable
from events.kafka import partition_writer
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog, KafkaResults
from events.kafka.transactions import OutgoingRecord, TransactionalWriter
from replay.run.replayer import replay
from tests.faults.floor import LOG_ID, PROPERTY, check, groups
from tests.simulation.broker import Broker, plugged_in

ADDRESS = "kafka://simulated:9092/floor"


@pytest.fixture
def broker() -> Iterator[Broker]:
    made = Broker()
    with plugged_in(made):
        yield made


def opened(folder: Path) -> KafkaLog:
    return KafkaLog(ADDRESS, create=True, property_id=PROPERTY, log_id=LOG_ID, partitions=1, state_dir=folder)


def hand_in(log: KafkaLog, broker: Broker) -> None:
    """Hand everything in, in groups, each until it is acknowledged, and check it; the end of the fifth is forgotten."""
    for number, group in enumerate(groups()):
        if number == 4:
            broker.forgets = "floor.0"
        for _ in range(5):
            with suppress(LogUnavailable):
                log.append_groups([group])
                break
    check(log)


def test_what_a_coordinator_forgot_is_stored_once(tmp_path: Path, broker: Broker) -> None:
    with closing(opened(tmp_path)) as log:
        hand_in(log, broker)


def test_without_the_decision_the_log_forks(tmp_path: Path, broker: Broker) -> None:
    """The group is not seen in the tail, sent again later, and the next end decides both."""
    with (
        patch.object(partition_writer, "decide_leftovers", lambda *_: None),
        patch.object(partition_writer, "ATTEMPTS", 0),
        closing(opened(tmp_path)) as log,
        pytest.raises(Fork),
    ):
        hand_in(log, broker)


def test_a_replayer_goes_on_after_its_commit_was_forgotten(tmp_path: Path, broker: Broker) -> None:
    with closing(opened(tmp_path)) as log:
        log.append_groups(groups())
        broker.forgets = "floor.replay"
        results = KafkaResults(ADDRESS, resume=False)
        replay(log, results)
        check(log, results)


def test_without_the_abort_a_replayer_waits_for_ever(tmp_path: Path, broker: Broker) -> None:
    with closing(opened(tmp_path)) as log, patch.object(TransactionalWriter, "abort_leftovers", lambda *_: None):
        log.append_groups(groups())
        broker.forgets = "floor.replay"
        results = KafkaResults(ADDRESS, resume=False)
        with pytest.raises(LogUnavailable):
            replay(log, results)


def test_a_writer_that_could_not_settle_begins_anew(tmp_path: Path, broker: Broker) -> None:
    """Another id's transaction is open in the partition when the right to write is taken: nothing is built upon it."""
    with closing(opened(tmp_path)) as log:
        log.append_groups(groups()[:4])
    stranger, lane = Cluster("simulated:9092", timeout_s=5.0).writer("stranger"), TopicPartition("floor.events", 0)
    stranger.write([OutgoingRecord(*lane, b"stranger", b"", [])])
    stranger._producer.flush(1.0)
    with closing(opened(tmp_path)) as log:
        with pytest.raises(LogUnavailable):
            log.append_groups(groups()[4:5])
        assert not log._shards[lane].owned
        stranger.abort_leftovers(lane)
        for group in groups():
            log.append_groups([group])
        check(log)
