"""One member's work, without a broker: partitions come and go, commits are refused, and nothing is said twice or lost."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from events.errors import PartitionReassigned, ResultBroken
from events.log.contract import NO_ADVICE, EventLog, Head, Record, ResultStore
from events.log.foreign import OwnStore
from events.log.result_chain import CHAINED
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run import partition_member as group_module
from replay.run.partition_member import Shared, follow_group
from replay.run.replayer import replay
from tests.replay.streams import eventful, meter
from tests.replay.tables import PROPERTY, UNPAID, Table, append

Stored = dict[str, list[tuple[str, bytes]]]


class PartitionLog(OwnStore):
    """Some streams of a log (see `EventLog`), and results that refuse a commit when told to."""

    def __init__(self, log: SqliteLog, results: SqliteResults, streams: set[str]) -> None:
        self.log, self.inner, self.streams_ = log, results, streams
        self.refuse = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.log if hasattr(self.log, name) else self.inner, name)

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        for batch in self.log.tail(after, wait_s=0.001):
            yield [record for record in batch if record.stream in self.streams_]

    def streams(self) -> list[str]:
        return sorted(self.streams_)

    def misfits(self, engine: str) -> dict[str, str]:
        return self._own(self.inner.misfits(engine))

    def chain_heads(self) -> dict[str, Head]:
        return self._own(self.inner.chain_heads())

    def broken_chains(self) -> dict[str, ResultBroken]:
        return {}

    def unchained(self) -> int:
        return 0

    def positions(self, engine: str) -> dict[str, Head]:
        return self._own(self.inner.positions(engine))

    def snapshots(self, engine: str) -> dict[str, bytes]:
        return self._own(self.inner.snapshots(engine))

    def reached(self) -> dict[str, int]:
        return self._own(self.inner.reached())

    def _own(self, of_streams: dict[str, Any]) -> dict[str, Any]:
        return {stream: value for stream, value in of_streams.items() if stream in self.streams_}

    def commit(
        self,
        engine: str,
        positions: Mapping[str, Head],
        snapshots: Mapping[str, bytes],
        records: Sequence[tuple[str, str, bytes]],
        anew: Collection[str] = (),
        advice: Mapping[str, bytes] = NO_ADVICE,
    ) -> None:
        if self.refuse:
            self.refuse -= 1
            raise PartitionReassigned("not ours")
        self.inner.commit(engine, positions, snapshots, records, anew, advice)


class FakeGroup:
    """A group whose assignments are a list: None while the partitions are being shared out."""

    def __init__(self, parts: dict[int, PartitionLog], assigned: list[frozenset[int] | None]) -> None:
        self.parts, self.assigned = parts, assigned
        self.opened: list[int] = []
        self.open: set[int] = set()
        self.taken: set[int] = set()

    def poll(self) -> frozenset[int] | None:
        return self.assigned.pop(0) if len(self.assigned) > 1 else self.assigned[0]

    @contextmanager
    def part(self, number: int) -> Iterator[tuple[EventLog, ResultStore]]:
        if number in self.taken:
            self.taken.remove(number)
            raise PartitionReassigned("another was faster")
        self.opened.append(number)
        self.open.add(number)
        part = self.parts[number]
        try:
            yield part, part
        finally:
            self.open.remove(number)


def tables() -> list[Table]:
    second = Table("table/fu-02")
    second.play(1, UNPAID)
    return [eventful(), second, meter()]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    made = SqliteLog(tmp_path / "floor.db", property_id=PROPERTY, create=True)
    append(made, *tables())
    yield made
    made.close()


@pytest.fixture
def parts(log: SqliteLog, tmp_path: Path) -> Iterator[dict[int, PartitionLog]]:
    results = SqliteResults(tmp_path / "together.verdicts")
    yield {0: PartitionLog(log, results, {"table/fu-01"}), 1: PartitionLog(log, results, {"table/fu-02", tables()[2].stream})}
    results.close()


@pytest.fixture
def alone(log: SqliteLog, tmp_path: Path) -> Stored:
    results = SqliteResults(tmp_path / "alone.verdicts")
    replay(log, results)
    stored = {kind: sorted(results.results(kind)) for kind in CHAINED}
    results.close()
    return stored


@pytest.fixture(autouse=True)
def in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CYCLE_S", "IDLE_S", "RETRY_S"):
        monkeypatch.setattr(group_module, name, 0.0)


def together(parts: dict[int, PartitionLog]) -> Stored:
    return {kind: sorted(parts[0].inner.results(kind)) for kind in CHAINED}


def run(group: FakeGroup, cycles: int = 40) -> Shared:
    running = follow_group(group)
    *_, last = islice(running, cycles)
    running.close()
    assert group.open == set(), "what was taken over is given up"
    return last


def test_all_partitions_together_are_the_log(parts: dict[int, PartitionLog], alone: Stored) -> None:
    group = FakeGroup(parts, [None, frozenset({0, 1})])
    shared = run(group)
    assert (together(parts), group.opened) == (alone, [0, 1])
    assert (shared.partitions, shared.events) == ([0, 1], sum(table.last for table in tables()))
    assert shared.rounds > 0
    assert shared.integrity == []


def test_partitions_that_come_and_go(parts: dict[int, PartitionLog], alone: Stored) -> None:
    assigned = [frozenset({0}), frozenset({0}), None, frozenset({1}), None, frozenset(), frozenset({0, 1})]
    group = FakeGroup(parts, assigned)
    shared = run(group)
    assert together(parts) == alone
    assert group.opened == [0, 1, 0, 1]
    assert shared.events == sum(table.last for table in tables()), "counted once, by whichever work"


def test_a_partition_that_stays_is_not_taken_over_again(parts: dict[int, PartitionLog]) -> None:
    group = FakeGroup(parts, [frozenset({0}), None, frozenset({0}), frozenset({0, 1})])
    run(group)
    assert group.opened == [0, 1]


@pytest.mark.parametrize("refusals", [1, 3])
def test_a_refused_commit_is_done_again_from_what_was_committed(
    parts: dict[int, PartitionLog], alone: Stored, refusals: int
) -> None:
    parts[0].refuse = refusals
    group = FakeGroup(parts, [frozenset({0, 1})])
    shared = run(group, 80)
    assert together(parts) == alone
    assert group.opened.count(0) == refusals + 1
    assert shared.integrity == []


def test_a_partition_that_another_took_first(parts: dict[int, PartitionLog], alone: Stored) -> None:
    group = FakeGroup(parts, [frozenset({0, 1})])
    group.taken = {0}
    run(group)
    assert (together(parts), group.opened) == (alone, [1, 0])


def test_while_it_is_left_alone_the_others_are_worked_on(parts: dict[int, PartitionLog], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_module, "RETRY_S", 3600.0)
    parts[0].refuse = 1
    group = FakeGroup(parts, [frozenset({0, 1})])
    shared = run(group)
    assert (group.opened, shared.partitions) == ([0, 1], [1])
    assert {key.partition("#")[0] for key, _ in together(parts)["adjudications"]} == {"table/fu-02"}
