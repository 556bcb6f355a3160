"""What a desk remembers is what it would read, and it reads what is new alone."""

import pytest

from desk.review.desk import Desk
from desk.review.desk_memory import DeskMemory
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from replay.run.replayer import MemoryResults, findings, replay
from tests.counting import Counting
from tests.desk.people import PEOPLE
from tests.replay.tables import UNPAID, Table, append


@pytest.fixture
def table(log: SqliteLog, results: SqliteResults) -> Table:
    """A table with four rounds in which seat 3 was not paid, replayed."""
    table = Table()
    for number in range(1, 5):
        table.play(number, UNPAID)
    append(log, table)
    replay(log, results)
    return table


def looked(log: SqliteLog, results: SqliteResults, memory: DeskMemory, *, first: bool = False) -> tuple[Desk, int, int]:
    """Return a desk that looks at all cases, and how many events and results were read for it."""
    of_log, of_results = Counting(log), Counting(results, whole=first)
    desk = Desk(of_log, of_results, persons=PEOPLE)
    desk.memory = memory
    assert desk.cases() == Desk(log, results).cases() != []
    return desk, of_log.events_read, of_results.results_read


def test_only_what_came_since_is_read(log: SqliteLog, results: SqliteResults, table: Table) -> None:
    memory = DeskMemory()
    _, events, read = looked(log, results, memory, first=True)
    assert (events, read) == (0, 4)
    assert looked(log, results, memory)[1:] == (0, 0)
    desk = Desk(log, results, persons=PEOPLE)
    for finding in findings(results):
        desk.note(finding.id, note="seen", by="s.lee")
    assert looked(log, results, memory)[1:] == (5, 0)  # the first opens the day
    desk.note(findings(results)[0].id, note="seen again", by="s.lee")
    assert looked(log, results, memory)[1:] == (2, 0)  # the last that was read, and the new one
    table.play(5, UNPAID)
    append(log, table)
    replay(log, results)
    assert looked(log, results, memory)[1:] == (1, 3)  # the last that was read, a verdict and its finding


def test_results_that_begin_again_are_read_anew(log: SqliteLog, results: SqliteResults, table: Table) -> None:
    memory, fresh = DeskMemory(), MemoryResults()
    looked(log, results, memory, first=True)
    replay(log, fresh, as_of={"table/fu-01": log.head("table/fu-01").seq // 2})
    desk = Desk(log, fresh)
    desk.memory = memory
    assert [case.finding for case in desk.cases()] == findings(fresh) != findings(results)
