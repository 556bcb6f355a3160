"""Who may write the results of a partition, and that no one else can: members of a group, zombies, single replayers."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.errors import LogUnavailable, PartitionReassigned, SecondWriter
from events.kafka.client import Cluster, TopicPartition
from events.kafka.consumer_group import KafkaGroup
from events.kafka.log import KafkaLog
from events.kafka.results import KafkaResults
from events.kafka.topics import parse_address, partition_of
from events.log.contract import Head
from events.open import open_shadow
from replay.run.partition_member import follow_group
from replay.run.replayer import follow
from replay.run.shadow import Adoptions
from tests.contract.drafts import Drafts, fill
from tests.faults.child import ADOPT
from tests.faults.floor import PROPERTY, groups
from tests.faults.killed import Adopting, adopted
from tests.kafka.conftest import Open
from tests.replay.another_engine import installed
from tests.replay.tables import Table


def at(seq: int) -> Head:
    """A head of a log at a number."""
    return Head(seq, bytes([seq]) * 32)


ENGINE, OTHER = "engine-1", "engine-2"
A1, A2, B1 = ("findings", "a", b"1"), ("findings", "a", b"2"), ("findings", "b", b"1")
Join = Callable[..., KafkaGroup]


@pytest.fixture
def log(open_log: Open) -> KafkaLog:
    return open_log(create=True, property_id="bellwether", partitions=2)


@pytest.fixture
def join(log: KafkaLog, address: str, tmp_path: Path) -> Iterator[Join]:
    """Joins a group, as a process of its own would."""
    joined: list[KafkaGroup] = []

    def join_(name: str = "floor", engine: str = ENGINE, **options: Any) -> KafkaGroup:
        options = {"timeout_s": 10.0, "session_s": 6.0, "state_dir": tmp_path / "here"} | options
        joined.append(KafkaGroup(address, name, engine, **options))
        return joined[-1]

    yield join_
    for group in joined:
        group.close()


def together(*members: tuple[KafkaGroup, set[int]]) -> None:
    """Let members take part until each has as many partitions as are named, and all of them the named ones."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if all(len(group.poll() or ()) == len(wanted) for group, wanted in members):
            return
    raise AssertionError([group.poll() for group, _ in members])


@pytest.fixture
def stored(address: str, cluster: Cluster) -> Callable[[], list[tuple[bytes | None, bytes | None]]]:
    """Returns every record of the findings, repeats and all."""
    lane = TopicPartition(f"{parse_address(address)[1]}.findings", 0)

    def read() -> list[tuple[bytes | None, bytes | None]]:
        reader = cluster.reader()
        try:
            return [(message.key, message.value) for message in reader.scan(lane, 0)]
        finally:
            reader.close()

    return read


Stored = Callable[[], list[tuple[bytes | None, bytes | None]]]


def test_a_member_goes_on_where_another_stopped(join: Join, stored: Stored) -> None:
    first = join()
    together((first, {0, 1}))
    with first.part(0) as (_, results):
        results.commit(ENGINE, {"table/a": at(7)}, {"table/a": b"image"}, [A1, A1, B1])
        assert (results.latest("findings", "a"), results.positions(ENGINE)) == (b"1", {"table/a": at(7)})
        results.commit(ENGINE, {"table/a": at(9)}, {}, [A1, A2])
    first.close()
    second = join()
    together((second, {0, 1}))
    with second.part(0) as (_, results):
        assert (results.positions(ENGINE), results.snapshots(ENGINE)) == ({"table/a": at(9)}, {})
        assert (results.positions(OTHER), results.snapshots(OTHER)) == ({}, {})
        results.commit(ENGINE, {"table/a": at(10)}, {}, [A2, B1])
        assert list(results.results("findings")) == [("a", b"1"), ("b", b"1"), ("a", b"2")]
    with second.part(1) as (_, results):
        assert results.positions(ENGINE) == {}, "each partition has a position of its own"
    assert stored() == [(b"findings/a", b"1"), (b"findings/b", b"1"), (b"findings/a", b"2")]


def test_a_part_has_the_streams_of_its_partition(log: KafkaLog, join: Join) -> None:
    drafts = Drafts()
    for number in range(1, 7):
        fill(log, drafts, f"table/t-{number}", rounds=1)
    log.append("review/t-1", 1, [drafts.day()])
    group, seen = join(), {}
    for number in (0, 1):
        with group.part(number) as (part, _):
            records = [record for batch in part.tail({}) for record in batch]
            seen[number] = part.streams()
            assert sorted({record.stream for record in records}) == seen[number]
            assert part.reached[TopicPartition(f"{log.prefix}.events", number)] >= len(records) - (number == 0)
    assert "review/t-1" in seen[0]
    assert [stream for stream in seen[1] if partition_of(stream, 2) != 1] == []
    assert sorted(seen[0] + seen[1]) == log.streams()


def test_a_zombie_that_was_fenced_writes_nothing(join: Join, stored: Stored) -> None:
    """It had the partition, and slept; another member has taken it over meanwhile."""
    zombie = join()
    together((zombie, {0, 1}))
    with zombie.part(0) as (_, old):
        old.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
        with zombie.part(0) as (_, new):  # the next owner initializes the same transactional id
            with pytest.raises(PartitionReassigned, match="partition 0"):
                old.commit(ENGINE, {"table/a": at(2)}, {}, [B1])
            new.commit(ENGINE, {"table/a": at(2)}, {}, [A2])
        with pytest.raises(PartitionReassigned, match="was given up"):
            old.commit(ENGINE, {"table/a": at(3)}, {}, [B1])
    assert stored() == [(b"findings/a", b"1"), (b"findings/a", b"2")]


def test_a_zombie_that_takes_the_partition_over_late_writes_nothing(
    join: Join, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It slept between being given the partition and taking it over: the group has another generation by now."""
    zombie = join()
    together((zombie, {0, 1}))
    standing = zombie._member.membership()
    member = join()
    zombie._member.close()
    together((member, {0, 1}))
    monkeypatch.setattr(zombie._member, "membership", lambda: standing)
    with member.part(0) as (_, ours):
        ours.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
        with zombie.part(0) as (_, late), pytest.raises(PartitionReassigned, match="partition 0"):
            late.commit(ENGINE, {"table/a": at(2)}, {}, [B1])
        with pytest.raises(PartitionReassigned, match="partition 0"):
            ours.commit(ENGINE, {"table/a": at(2)}, {}, [B1])
    with member.part(0) as (_, ours):
        assert ours.positions(ENGINE) == {"table/a": at(1)}
        ours.commit(ENGINE, {"table/a": at(2)}, {}, [A2])
    assert stored() == [(b"findings/a", b"1"), (b"findings/a", b"2")]


def test_who_is_no_member_writes_nothing(join: Join, stored: Stored) -> None:
    """A broker lets transactions without a member's name pass: they are never sent."""
    group = join()
    with group.part(0) as (_, results), pytest.raises(PartitionReassigned, match="not a member at the moment"):
        results.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
    assert stored() == []


def test_a_commit_without_an_answer_is_found_out_by_reading_again(
    join: Join, stored: Stored, monkeypatch: pytest.MonkeyPatch
) -> None:
    from events.kafka.transactions import TransactionalWriter

    group = join()
    together((group, {0, 1}))
    real = TransactionalWriter._commit

    def lose(writer: TransactionalWriter) -> None:
        real(writer)
        raise ConnectionError("gone")

    with group.part(0) as (_, results), monkeypatch.context() as patch:
        patch.setattr(TransactionalWriter, "_commit", lose)
        with pytest.raises(PartitionReassigned):
            results.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
    with group.part(0) as (_, results):
        assert results.positions(ENGINE) == {"table/a": at(1)}, "it was committed after all"
    assert stored() == [(b"findings/a", b"1")]


def test_behind_an_open_transaction_of_another_partition(join: Join) -> None:
    """Committed records are not visible yet: what we have said ourselves is known all the same, and a claim waits."""
    group = join()
    together((group, {0, 1}))
    with group.part(0) as (_, ours), group.part(1) as (_, others):
        writer = others._writer
        assert writer is not None
        from events.kafka.transactions import OutgoingRecord

        writer.write(
            [
                OutgoingRecord(*others._stored.findings, b"findings/x", b"x", []),
                OutgoingRecord(*others._stored.state, b"x", b"x", []),
            ]
        )
        writer._producer.flush(5)
        ours.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
        ours.commit(ENGINE, {"table/a": at(2)}, {}, [A1, A2])
        begun, decide = time.monotonic(), threading.Timer(1.0, writer._producer.abort_transaction)
        decide.start()
        assert ours.latest("findings", "a") == b"2"
        assert time.monotonic() - begun >= 1.0, "after the other one is decided"
        decide.join()
    with group.part(0) as (_, ours):
        assert (ours.positions(ENGINE), ours.latest("findings", "x")) == ({"table/a": at(2)}, None)


# ---------------------------------------------------------------------------------------------- single replayers, others


@pytest.fixture
def single(log: KafkaLog, address: str) -> Iterator[Callable[[], KafkaResults]]:
    opened: list[KafkaResults] = []

    def open_() -> KafkaResults:
        opened.append(KafkaResults(address))
        return opened[-1]

    yield open_
    for results in opened:
        results.close()


def test_a_group_takes_over_from_a_single_replayer(join: Join, single: Callable[[], KafkaResults], stored: Stored) -> None:
    alone = single()
    alone.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
    group = join()
    together((group, {0, 1}))
    with group.part(0) as (_, results):
        assert results.positions(ENGINE) == {}, "it folds again, and says what is new"
        results.commit(ENGINE, {"table/a": at(2)}, {}, [A1, A2])
        with pytest.raises(SecondWriter):
            alone.commit(ENGINE, {"table/a": at(2)}, {}, [B1])
    assert stored() == [(b"findings/a", b"1"), (b"findings/a", b"2")]


def test_a_single_replayer_takes_over_from_a_group(join: Join, single: Callable[[], KafkaResults], stored: Stored) -> None:
    group = join()
    together((group, {0, 1}))
    with group.part(0) as (_, results):
        results.commit(ENGINE, {"table/a": at(1)}, {}, [A1])
        alone = single()
        alone.commit(ENGINE, {"table/a": at(1)}, {}, [A1, B1])
        with pytest.raises(PartitionReassigned):
            results.commit(ENGINE, {"table/a": at(2)}, {}, [A2])
    with pytest.raises(SecondWriter, match="a single replayer has taken over"), group.part(0):
        raise AssertionError("taken over again")
    alone.commit(ENGINE, {"table/a": at(2)}, {}, [A2])
    assert stored() == [(b"findings/a", b"1"), (b"findings/b", b"1"), (b"findings/a", b"2")]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "engine", "who"), [("night", ENGINE, "the group night"), ("floor", OTHER, "another version")])
def test_another_group_or_version_takes_over(join: Join, name: str, engine: str, who: str) -> None:
    first = join()
    together((first, {0, 1}))
    second = join(name, engine)
    with pytest.raises(SecondWriter, match=who), first.part(0):
        raise AssertionError("taken over again")
    with pytest.raises(SecondWriter, match=who):
        poll_on(first, second)


def poll_on(*groups: KafkaGroup) -> None:
    """What members do all the time."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for group in groups:
            group._generation = 0  # as after a rebalance
            group.poll()


def test_names_and_addresses(join: Join, address: str) -> None:
    for name in ("", "a b", "x" * 101, "../x"):
        with pytest.raises(LogUnavailable, match="is no name of a group"):
            join(name)
    with pytest.raises(LogUnavailable, match="there is no log at"):
        KafkaGroup(address + "-not", "floor", ENGINE, timeout_s=5.0)


@pytest.fixture
def adopting(tmp_path: Path, address: str) -> Adopting:
    """A log whose verdicts are an earlier engine's, with a shadow of another one."""
    with closing(KafkaLog(address, create=True, property_id=PROPERTY, partitions=2, state_dir=tmp_path / "made")) as log:
        log.append_groups(groups())
    return Adopting(tmp_path, address)


@pytest.mark.nightly
def test_a_group_puts_no_adoption_in_force_and_the_command_says_what_to_do(
    adopting: Adopting, address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is adopted after that remains when the members come again."""

    def share() -> None:
        with closing(KafkaGroup(address, "floor", "new", session_s=6.0)) as group:
            running, until = follow_group(group), time.monotonic() + 60
            while not (shared := next(running)).partitions or shared.events < sum(map(len, groups())):
                assert time.monotonic() < until, shared
            running.close()

    with installed():
        share()
        assert (adopting.rack(*ADOPT), adopting.adoptions()) == (2, 0)
        assert "the group floor judges this log" in capsys.readouterr().err
        for words in (("replay", "--quiet"), ("replay", "--quiet", "--shadow", "next"), ADOPT):
            assert adopting.rack(*words) in (0, 1), words
        assert adopting.said() == adopted()
        share()
        assert adopting.said() == adopted()


@pytest.mark.nightly
def test_a_replayer_at_work_puts_an_adoption_in_force_and_goes_on(
    adopting: Adopting, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended, at_work = threading.Event(), list[BaseException | None]()

    def work() -> None:
        shadow = partial(open_shadow, address, read_only=True)
        with (
            closing(KafkaLog(address, read_only=True, state_dir=adopting.folder / "follower")) as log,
            closing(KafkaResults(address)) as results,
        ):
            try:
                for _ in follow(log, results, adoptions=Adoptions(shadow)):
                    if ended.is_set():
                        return
            except SecondWriter as error:
                at_work.append(error)

    monkeypatch.chdir(adopting.folder)
    with installed():
        follower = threading.Thread(target=work)
        follower.start()
        assert adopting.rack(*ADOPT, wait_s=30.0) == 0
        assert adopting.said() == adopted()
        ended.set()
        with closing(KafkaLog(address, state_dir=adopting.folder / "made")) as log:
            log.append("table/fu-08", 1, Table("table/fu-08").drafts)  # which the follower reads, and then ends
        follower.join(30)
    assert (at_work, follower.is_alive()) == ([], False)
