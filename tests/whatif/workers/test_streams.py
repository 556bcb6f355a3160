"""A log judged stream by stream, wherever, has the results of one process: to the byte, in each stream's order."""

import os
import shutil
import signal
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest

from events.log.contract import ChainedResult, EventLog, ResultStore
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from floor.day import gaming_day
from replay.run import stream_worker
from replay.run.engine import shared_engine
from replay.run.replayer import Summary, replay
from tests.contract.backends import in_rows
from whatif.kept_table import KeptTable
from whatif.table_check import differences
from whatif.workers.pool import ThisProcess
from whatif.workers.processes import ProcessPool
from whatif.workers.streams import judge_in_units

pytestmark = pytest.mark.days


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log on this machine, of a day with every fault planted: corrections, meters, events that come late."""
    path = tmp_path_factory.mktemp("log") / "floor.db"
    with closing(SqliteLog(path, property_id="bellwether", create=True)) as log:
        for stream, drafts in gaming_day.simulate(5, 240).groups():
            log.append_groups([(stream, drafts)])
    return path


@pytest.fixture
def log(path: Path) -> Iterator[EventLog]:
    with closing(SqliteLog(path, read_only=True, check_heads=False)) as log:
        yield log


def opened(path: Path, read_only: bool = True) -> SqliteLog:
    return SqliteLog(path, read_only=read_only, check_heads=False)


def said(file: Path) -> Mapping[str, Sequence[ChainedResult]]:
    """Everything that is stored of each stream, with its place and hash."""
    with closing(SqliteResults(file, read_only=True)) as results:
        return {stream: list(results.stored(stream)) for stream in results.chain_heads()}


def state(file: Path, engine: str) -> tuple[object, object]:
    with closing(SqliteResults(file, read_only=True)) as results:
        return results.positions(engine), results.snapshots(engine)


def in_one(log: EventLog, file: Path, again: bool = False) -> Summary:
    with closing(SqliteResults(file)) as results:
        return replay(log, results, again=again)


def in_units(log: EventLog, file: Path, again: bool = False) -> Summary:
    with closing(SqliteResults(file)) as results:
        return judge_in_units(log, results, ThisProcess(), reader(file), again=again)


def reader(file: Path) -> partial[ResultStore]:
    return partial(SqliteResults, file, read_only=True)


def test_units_store_what_one_process_stores_and_sum_it_up_alike(log: EventLog, tmp_path: Path) -> None:
    one, units = tmp_path / "one", tmp_path / "units"
    expected, summary = in_one(log, one), in_units(log, units)
    assert said(units) == said(one)
    assert state(units, shared_engine()) == state(one, shared_engine())
    assert summary == expected
    assert summary.findings
    assert in_units(log, units).changed == 0
    assert said(units) == said(one)


@pytest.mark.nightly
def test_two_processes_store_what_one_stores_though_one_of_them_is_killed(path: Path, log: EventLog, tmp_path: Path) -> None:
    one, two, killed = tmp_path / "one", tmp_path / "two", []
    in_one(log, one)
    rounds = KeptTable(tmp_path / "rounds", log.log_id, log.property_id)
    with closing(SqliteResults(two)) as results, ProcessPool(2, partial(opened, path)) as pool:

        def kill(events: int, rounds: int) -> None:
            if not killed:
                killed.append(next(iter(pool._pool._processes)))
                os.kill(killed[0], signal.SIGKILL)

        judge_in_units(log, results, pool, reader(two), progress=kill, rounds=rounds)
    assert killed
    assert said(two) == said(one)
    assert differences(log, tmp_path / "rounds") == []


def test_again_puts_right_what_was_altered_as_one_process_does(log: EventLog, tmp_path: Path) -> None:
    one, units = tmp_path / "one", tmp_path / "units"
    in_one(log, one)
    expected = said(one)
    with closing(sqlite3.connect(one)) as database, database:
        database.execute("UPDATE records SET data = CAST(replace(CAST(data AS TEXT), ':', ': ') AS BLOB) WHERE pos = 40")
        database.execute("DELETE FROM records WHERE pos = 90")
    shutil.copy(one, units)
    first, second = in_one(log, one, again=True), in_units(log, units, again=True)
    assert said(units) == said(one) == expected
    assert sorted(second.judged_again) == sorted(first.judged_again) != []
    assert (second.changed, second.findings, second.verdicts) == (first.changed, first.findings, first.verdicts)


def test_verdicts_of_another_engine_stay_as_one_process_leaves_them(
    log: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version before paid no heed to what is found now."""
    one, units = tmp_path / "one", tmp_path / "units"
    adjudicate = stream_worker.adjudicate
    with monkeypatch.context() as before:
        before.setattr("replay.run.engine._digest", lambda *_: "before")
        before.setattr(stream_worker, "adjudicate", lambda round_, book: without_findings(adjudicate(round_, book)))
        in_one(log, one)
    shutil.copy(one, units)
    first, second = in_one(log, one), in_units(log, units)
    assert said(units) == said(one)
    assert (second.changed, first.changed) == (0, 0)
    assert second.held == first.held > 0
    assert (second.findings, second.verdicts) == (first.findings, first.verdicts)


def without_findings(conclusion: stream_worker.Conclusion) -> stream_worker.Conclusion:
    return msgspec.structs.replace(conclusion, verdict="UPHELD", findings=())


def test_a_broken_stream_is_named_once_and_the_others_are_judged(path: Path, tmp_path: Path) -> None:
    copy, one, units = tmp_path / "floor.db", tmp_path / "one", tmp_path / "units"
    shutil.copy(path, copy)
    in_rows(copy)
    with closing(sqlite3.connect(copy)) as database, database:
        database.execute("DELETE FROM events WHERE stream = 'table/fu-01' AND seq = 400")
    with closing(opened(copy)) as log:
        first, second = in_one(log, one), in_units(log, units)
    assert second.integrity == first.integrity
    assert len(second.integrity) == 1
    assert said(units) == said(one)


@pytest.mark.nightly
def test_what_comes_while_units_are_judged_is_judged_too(path: Path, tmp_path: Path) -> None:
    """Every unit reads to the end that there is then; what is left over an ordinary replay reads."""
    copy, one, units = tmp_path / "floor.db", tmp_path / "one", tmp_path / "units"
    groups = list(gaming_day.simulate(5, 240).groups())
    with closing(SqliteLog(copy, property_id="bellwether", create=True)) as log, closing(SqliteResults(units)) as results:
        log.append_groups(groups[:-40])
        waiting = [groups[-40:]]

        def append(events: int, rounds: int) -> None:
            if waiting:
                log.append_groups(waiting.pop())

        judge_in_units(log, results, ThisProcess(), reader(units), progress=append)
        in_one(log, one)
        assert not waiting
    assert said(units) == said(one)


def test_a_unit_that_was_cut_short_is_done_again(log: EventLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was gathered stays; the others are judged when it is run again."""
    one, units, count = tmp_path / "one", tmp_path / "units", []
    in_one(log, one)

    def stop(events: int, rounds: int) -> None:
        count.append(rounds)
        if len(count) == 2:
            raise KeyboardInterrupt

    with closing(SqliteResults(units)) as results, pytest.raises(KeyboardInterrupt):
        judge_in_units(log, results, ThisProcess(), reader(units), progress=stop)
    assert 0 < len(said(units)) < len(said(one))
    in_units(log, units)
    assert said(units) == said(one)
