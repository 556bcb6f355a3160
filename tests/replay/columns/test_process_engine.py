"""Several processes say what one says, of a log that each opens for itself; and what goes wrong in one is said as ever."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from events.errors import BrokenSeal, Fork, IntegrityError, LostTail, MisplacedEvent, SegmentMissing, SequenceGap
from events.log.contract import EventLog
from events.sqlite.log import SqliteLog
from floor.day import gaming_day
from games.rulebook.chapters import RulesRefused
from games.rulebook.rulebook import parse_submission
from replay.columns.batch import BatchTally, judged_results
from replay.columns.process_engine import ProcessEngine, ProcessLost, _parts, _restored
from replay.columns.round_table import RoundTable
from replay.columns.row_groups import Engine, LocalEngine
from replay.columns.what_if import what_if
from replay.run.stream_worker import Result
from tests.replay.columns.small_groups import in_small_groups
from tests.replay.tables import rules_text

pytestmark = pytest.mark.kernels


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log on this machine, of a day with every fault planted."""
    path = tmp_path_factory.mktemp("log") / "floor.db"
    log = SqliteLog(path, property_id="bellwether", create=True)
    for stream, drafts in gaming_day.simulate(5, 240).groups():
        log.append_groups([(stream, drafts)])
    log.close()
    return path


@pytest.fixture(scope="module")
def log(path: Path) -> Iterator[EventLog]:
    log = SqliteLog(path, read_only=True)
    yield log
    log.close()


@pytest.fixture(scope="module")
def table(log: EventLog, tmp_path_factory: pytest.TempPathFactory) -> RoundTable:
    """Many small groups, so that each process has some of them."""
    return in_small_groups(log, tmp_path_factory.mktemp("rounds"))


@pytest.fixture(scope="module")
def two(path: Path) -> Iterator[ProcessEngine]:
    with ProcessEngine(2, partial(SqliteLog, path, read_only=True)) as processes:
        yield processes


def results(
    log: EventLog, table: RoundTable, by: Engine, with_adjudications: bool = True
) -> tuple[list[Result], BatchTally]:
    tally = BatchTally()
    return list(judged_results(log, table, by, tally, with_adjudications)), tally


@pytest.mark.parametrize("with_adjudications", [True, False])
def test_two_processes_say_what_one_says(
    log: EventLog, table: RoundTable, two: ProcessEngine, with_adjudications: bool
) -> None:
    expected, counted = results(log, table, LocalEngine(), with_adjudications)
    found, tally = results(log, table, two, with_adjudications)
    assert found == expected
    assert (tally.upheld, tally.reasons) == (counted.upheld, counted.reasons)
    assert tally.upheld > 30
    assert tally.event_replayed > 30


def test_what_other_rules_would_have_cost_is_the_same_by_two(
    log: EventLog, table: RoundTable, two: ProcessEngine
) -> None:
    book = parse_submission(rules_text("pa-688a ace_high_bonus=1 fortune_bonus=3 progressive=1 meter=m-1"))
    assert what_if(log, table, book, two) == what_if(log, table, book, LocalEngine())


def test_a_break_that_one_of_them_meets_is_said(path: Path, table: RoundTable, tmp_path: Path) -> None:
    """The table names the events of rounds that are replayed; one of them was changed since."""
    copy = tmp_path / "floor.db"
    with sqlite3.connect(path) as whole, sqlite3.connect(copy) as database:
        whole.backup(database)
        database.execute("DROP TRIGGER events_keep")
        odd = "CAST(replace(CAST(data AS TEXT), '\"seat\":', '\"seat\": ') AS BLOB)"
        database.execute(f"UPDATE events SET data = {odd} WHERE seq BETWEEN 400 AND 900")
    whole.close()
    database.close()
    opener = partial(SqliteLog, copy, read_only=True, check_heads=False)
    with ProcessEngine(2, opener) as processes, pytest.raises(BrokenSeal, match=r"table/\S+ event \d+: ") as broken:
        results(opener(), table, processes)
    assert broken.value.stream.startswith("table/")
    assert broken.value.seq >= 400


def test_a_process_that_is_killed_is_missed(path: Path, log: EventLog, table: RoundTable) -> None:
    with ProcessEngine(2, partial(SqliteLog, path, read_only=True)) as processes:
        said = judged_results(log, table, processes, BatchTally())
        next(said)
        victim = next(iter(processes._pool._processes))
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(ProcessLost, match="nothing is lost; run it again"):
            list(judged_results(log, table, processes, BatchTally()))


KILLED = """
import os, signal, sys
from functools import partial
from events.sqlite.log import SqliteLog
from replay.columns.batch import VerdictJob
from replay.columns.row_groups import groups_of
from replay.columns.process_engine import ProcessEngine
from replay.columns.round_table import RoundTable

opener, table = partial(SqliteLog, sys.argv[1], read_only=True), RoundTable(__import__("pathlib").Path(sys.argv[2]))
processes = ProcessEngine(1, opener)
next(processes.run(VerdictJob(table.rules(), False), groups_of(table.paths()), opener()))
print(*processes._pool._processes, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_end_with_the_one_that_started_them(path: Path, table: RoundTable) -> None:
    """However it ends: none is left behind."""
    words = [sys.executable, "-c", KILLED, str(path), str(table.folder)]
    killed = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    orphan, until = int(killed.stdout), time.monotonic() + 20
    while _runs(orphan) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _runs(orphan)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.parametrize(
    "error",
    [
        IntegrityError("table/fu-01", 3, "broken"),
        SequenceGap("table/fu-01", 3, 5),
        SegmentMissing("table/fu-01", 3, 9, "a.seg"),
        BrokenSeal("table/fu-01", 3, "the bytes do not give the recorded hash"),
        MisplacedEvent("table/fu-01", 3, "table/fu-01", 4, True),
        LostTail("table/fu-01", 3, "cut off"),
        Fork("table/fu-01", 3, "two"),
        RulesRefused("rules.toml", "game", "missing", "§ 601a.2"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_from_another_process_as_it_was(error: Exception) -> None:
    again = _restored(*pickle.loads(pickle.dumps(_parts(error))))
    assert (type(again), str(again), again.__dict__) == (type(error), str(error), error.__dict__)
