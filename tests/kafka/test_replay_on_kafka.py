"""The same log on Kafka and in SQLite leads to the same bytes."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.kafka.log import KafkaResults
from events.log.result_chain import CHAINED
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.model import SameRound
from replay.run.replayer import replay
from tests.kafka.conftest import Open
from tests.replay.observed import Observed
from tests.replay.streams import eventful, meter
from tests.replay.tables import PAID, PROPERTY, UNPAID, Table, append

Stored = dict[str, list[tuple[str, bytes]]]


@pytest.fixture
def open_results(address: str) -> Iterator[Callable[[], KafkaResults]]:
    """Opens the results next to the log, which is there by then."""
    opened: list[KafkaResults] = []

    def open_() -> KafkaResults:
        opened.append(KafkaResults(address))
        return opened[-1]

    yield open_
    for results in opened:
        results.close()


@pytest.fixture
def in_sqlite(tmp_path: Path) -> Stored:
    """What a replay of the same drafts in SQLite stores."""
    log = SqliteLog(tmp_path / "floor.db", property_id=PROPERTY, create=True)
    results = SqliteResults(tmp_path / "floor.db.verdicts")
    append(log, *streams())
    replay(log, results)
    stored = {kind: sorted(results.results(kind)) for kind in CHAINED}
    results.close()
    log.close()
    return stored


def streams() -> list[Table]:
    quiet = Table("table/fu-02")
    quiet.play(1, PAID)
    observed = Observed(quiet)
    recorded = SameRound(first_seq=3, last_seq=quiet.last, round_no=1, stream=quiet.stream)
    observed.enter(1, PAID, same_as=recorded)
    observed.enter(2, UNPAID)
    observed.correct(next(n for n, each in enumerate(observed.drafts, 1) if each.round_no == 1), None)
    return [eventful(), quiet, meter(), observed]


def test_kafka_and_sqlite_lead_to_the_same_bytes(
    open_log: Open, open_results: Callable[[], KafkaResults], in_sqlite: Stored
) -> None:
    """The streams come in another order from several partitions; each stream's results are the same."""
    log = open_log(create=True, property_id=PROPERTY, partitions=3)
    append(log, *streams())
    kafka_results = open_results()
    summary = replay(log, kafka_results)
    assert summary.integrity == []
    assert {kind: sorted(kafka_results.results(kind)) for kind in CHAINED} == in_sqlite


def test_resumed_on_kafka(open_log: Open, open_results: Callable[[], KafkaResults], in_sqlite: Stored) -> None:
    log = open_log(create=True, property_id=PROPERTY, partitions=1)
    table, *others = streams()
    append(log, table, *others)
    kafka_results = open_results()
    for cut in (30, 60, 61, 100):
        replay(log, kafka_results, as_of={table.stream: cut})
    summary = replay(log, kafka_results)
    assert summary.events == table.last - 100 + sum(each.last for each in others)
    assert {kind: sorted(kafka_results.results(kind)) for kind in CHAINED} == in_sqlite
    assert replay(log, kafka_results).events == 0
