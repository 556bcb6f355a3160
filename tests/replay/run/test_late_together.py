"""What comes late in one commit is taken in together and judged again once (D781): the cost, and the same verdicts."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary import model
from events.vocabulary.envelope import ReadEnvelope
from replay.run import late_events, replayer, stream_worker
from replay.run.replayer import MemoryResults, Replay, adjudications, replay
from replay.run.stream_worker import StreamWorker
from replay.run.verdict_check import check_verdicts
from tests.replay.stored import stored
from tests.replay.streams import taken
from tests.replay.tables import PAID, MemoryLog, Table, append

ROUNDS = 24
FEW_ROUNDS = 10
"""More than what is at hand, in which some rounds wait and others are judged at once."""
IN_ORDER = 5
"""What comes late may cost this many times what it costs in order."""
AT_THE_PAD = (model.WagerPlaced, model.WagerPaid, model.WagerTaken)


def cut_off(rounds: int) -> tuple[Table, int]:
    """A day whose betting was handed in at the end: the table, and how many events came in time."""
    whole, late = Table(), []
    table = Table()
    table.drafts.clear()
    table._counts.clear()
    for number in range(1, rounds + 1):
        whole.play(number, PAID)
    for draft in whole.drafts:
        if isinstance(draft.payload, AT_THE_PAD):
            late.append(draft)
        else:
            table.say(draft.payload, draft.round_no, source=draft.source, at_us=draft.occurred_at_us)
    in_time = table.last
    for draft in late:
        table.say(draft.payload, draft.round_no, source="pad", at_us=draft.occurred_at_us)
    return table, in_time


def corrected(rounds: int) -> tuple[Table, int]:
    """A day at the end of which the wager taken in its first round is corrected sixty times."""
    table = Table()
    said = table.play(1, PAID)
    for number in range(2, rounds + 1):
        table.play(number, PAID)
    in_time = table.last
    for cents in range(60):
        table.correct(said["wager_taken"], taken(100 + cents), round_no=1)
    return table, in_time


def late_at_hand(rounds: int) -> tuple[Table, int]:
    """A long round that is still at hand when four hundred messages of it come late."""
    table = Table()
    for number in range(1, rounds + 1):
        table.play(number, PAID)
    in_time = table.last
    for _ in range(400):
        table.say(model.LightSeen(seat=3), rounds)
    return table, in_time


def late_changes(rounds: int) -> tuple[Table, int]:
    """Twenty devices that are heard for the first time, by clocks of the first round."""
    table = Table()
    for number in range(1, rounds + 1):
        table.play(number, PAID)
    in_time, at_us = table.last, table.drafts[3].occurred_at_us
    for number in range(20):
        table.say(model.DealerTappedIn(dealer=f"d-{number % 9}"), source=f"pad-{number}", at_us=at_us)
    return table, in_time


def far_gaps(rounds: int) -> tuple[Table, int]:
    """Sixty devices that were last heard before the first round skip a number at the end."""
    table = Table()
    for number in range(60):
        table.say(model.LightSeen(seat=3), source=f"pad-{number}")
    for number in range(1, rounds + 1):
        table.play(number, PAID)
    in_time = table.last
    for number in range(60):
        table.say(model.LightSeen(seat=3), source=f"pad-{number}", source_seq=3)
    return table, in_time


DAYS = [cut_off, corrected, late_at_hand, late_changes, far_gaps]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The rounds in the order in which they are judged."""
    numbers: list[int] = []
    adjudicate = stream_worker.adjudicate

    def counted(round_: stream_worker.Round, book: stream_worker.Rulebook) -> stream_worker.Conclusion:
        numbers.append(round_.round_no)
        return adjudicate(round_, book)

    monkeypatch.setattr(stream_worker, "adjudicate", counted)
    return numbers


@pytest.mark.parametrize("day", DAYS)
def test_it_costs_a_few_times_what_it_costs_in_order(
    tmp_path: Path, judged: list[int], day: Callable[[int], tuple[Table, int]]
) -> None:
    table, in_time = day(ROUNDS)
    log = SqliteLog(tmp_path / "log.db", create=True, property_id="bellwether")
    log.append_groups([(table.stream, table.drafts[:in_time])])
    log.append_groups([(table.stream, table.drafts[in_time:])])
    replay(log, SqliteResults(tmp_path / "log.verdicts"))
    one_by_one = late_events.LITTLE * ROUNDS // in_time
    assert len(judged) <= IN_ORDER * ROUNDS + one_by_one
    log.close()


@pytest.mark.slow
@pytest.mark.sampled(6)
@pytest.mark.parametrize("day", DAYS)
def test_in_commits_of_any_size_the_verdicts_are_those_of_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, day: Callable[[int], tuple[Table, int]]
) -> None:
    """However the replay was interrupted, its results are the same bytes, and judging again finds nothing else."""
    monkeypatch.setattr(late_events, "LITTLE", 60)
    table, in_time = day(FEW_ROUNDS)
    alone = MemoryResults()
    replay(MemoryLog([table]), alone)
    for commits in (1, 3, 12):
        folder = tmp_path / str(commits)
        folder.mkdir()
        assert in_commits(folder, monkeypatch, table, in_time, commits) == neutral(alone)


def neutral(results: MemoryResults) -> list[tuple[Any, ...]]:
    return [(each.round_no, each.verdict, each.findings, each.settlements) for each in adjudications(results)]


def in_commits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, table: Table, in_time: int, commits: int
) -> list[tuple[Any, ...]]:
    """Append what came late in as many commits, replay in between, and return the verdicts."""
    log = SqliteLog(tmp_path / "log.db", create=True, property_id="bellwether")
    log.append_groups([(table.stream, table.drafts[:in_time])])
    late = table.drafts[in_time:]
    size = -(-len(late) // commits)
    followed = SqliteResults(tmp_path / "followed.verdicts")
    running = Replay(log, followed)
    for _ in running.run():
        pass
    for at in range(0, len(late), size):
        log.append_groups([(table.stream, late[at : at + size])])
        if at % (2 * size) == 0:
            replay(log, followed)
    replay(log, followed)
    at_once = MemoryResults()
    with monkeypatch.context() as patched:
        patched.setattr(replayer, "COMMIT_EVERY", 100)
        replay(log, at_once)
    if commits < 12:
        assert stored(followed) == stored(at_once)
    assert check_verdicts(log, followed).failures() == []
    log.close()
    return neutral(at_once)


def test_appended_in_one_group_is_one_commit(tmp_path: Path) -> None:
    table = Table()
    table.play(1, PAID)
    log = SqliteLog(tmp_path / "log.db", create=True, property_id="bellwether")
    append(log, table)
    assert len({b'"recorded_at_us":' + each.data.split(b'"recorded_at_us":')[1][:16] for each in log.read(table.stream)}) == 1
    log.close()


def test_a_wait_that_goes_on_where_it_seemed_to_end_leaves_no_event_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run is cut where the wait seems to end; if it does not end there after all, the run goes on to where it does."""
    monkeypatch.setattr(late_events, "LITTLE", 60)
    table, in_time = cut_off(ROUNDS)
    log = SqliteLog(tmp_path / "log.db", create=True, property_id="bellwether")
    log.append_groups([(table.stream, table.drafts[:in_time])])
    log.append_groups([(table.stream, table.drafts[in_time:])])
    right, results = MemoryResults(), MemoryResults()
    replay(log, right)
    ends_late, guessed = StreamWorker._ends_late, set[int]()

    def guess(worker: StreamWorker, event: ReadEnvelope[model.Event]) -> bool:
        if worker.late.is_waiting and event.seq % 7 == 0 and event.seq not in guessed:
            guessed.add(event.seq)
            return True
        return ends_late(worker, event)

    monkeypatch.setattr(StreamWorker, "_ends_late", guess)
    replay(log, results)
    log.close()
    assert len(guessed) > 3
    assert stored(results) == stored(right)
