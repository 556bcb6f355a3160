"""The round table that a replay keeps up: the rows that are derived from the log, however the replay came to its end."""

import os
import pickle
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from events.log.contract import EventLog, Record
from events.sqlite.results import SqliteResults
from floor.day import gaming_day
from replay.run import replayer
from replay.run.replayer import Replay, Summary, follow, replay
from rulebook.catalogue import GAMES
from tests.replay.streams import eventful, meter, paid
from tests.replay.tables import PAID, UNPAID, MemoryLog, Table
from tests.whatif.rows import rows_in
from tests.whatif.simulated_log import SimulatedLog
from whatif import kept_table
from whatif.kept_table import JOINED_AT, KeptTable
from whatif.round_table import FAR_BACK, Manifest, RoundTable, TableError, build
from whatif.table_check import differences
from whatif.workers.streams import judge_in_units

STREAM = "table/fu-01"


class Prefix(MemoryLog):
    """What a log held when it had this many records, and how often it was read other than for judging it."""

    def __init__(self, whole: MemoryLog, count: int) -> None:
        super().__init__([], batch=97)
        self.all = whole.all[:count]
        for record in self.all:
            self.records.setdefault(record.stream, []).append(record)
        self.read_events = 0

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        for record in super().read(stream, from_seq, to_seq):
            self.read_events += 1
            yield record


def interleaved(log: MemoryLog, seed: int) -> MemoryLog:
    """Let streams come as on a floor: some events of one, some of another."""
    chance, left = random.Random(seed), {stream: list(records) for stream, records in log.records.items()}
    log.all = []
    while left:
        stream = chance.choice(sorted(left))
        some = chance.randrange(1, 400)
        log.all += left[stream][:some]
        left[stream] = left[stream][some:]
        if not left[stream]:
            del left[stream]
    return log


@pytest.fixture(scope="module")
def floor() -> MemoryLog:
    """Two days of every game with planted faults, and what was handled correctly."""
    names = tuple(GAMES)
    return interleaved(SimulatedLog(gaming_day.simulate(20, 30, games=names).groups()), 3)


def kept(log: MemoryLog, folder: Path, results: str = "results") -> Summary:
    """A replay from where the last one ended, in a process of its own."""
    with closing(SqliteResults(folder.parent / results)) as store:
        return replay(log, store, rounds=KeptTable(folder, log.log_id, log.property_id))


class SentToAndFro:
    """A pool of this process, where everything goes through the bytes in which it would be sent to another."""

    def run(self, job: Any, parts: Iterable[Any], log: EventLog) -> Iterator[Any]:
        for part in parts:
            yield pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(job)).at(log)(pickle.loads(pickle.dumps(part)))))


def kept_in_units(log: MemoryLog, folder: Path, again: bool = False) -> Summary:
    """A replay stream by stream, as in several processes, from where the last one ended."""
    path = folder.parent / "results"
    stored = partial(SqliteResults, path, read_only=True)
    with closing(SqliteResults(path)) as store:
        rounds = KeptTable(folder, log.log_id, log.property_id)
        return judge_in_units(log, store, SentToAndFro(), stored, again=again, rounds=rounds)


Built = tuple[Manifest, dict[tuple[str, int], Any]]
"""A table as it is derived: its manifest and its rows."""


def derived(log: MemoryLog, built: Path) -> Built:
    """Derive the table of a log into a new folder."""
    return build(log, built), rows_in(built)


def assert_as_built(log: MemoryLog, folder: Path, right: Built | None = None) -> None:
    """The table is what is derived from the log afterward: every row, how far it goes, and what has no rows."""
    (of_log, rows), made = right or derived(log, folder.parent / "built"), RoundTable(folder).manifest
    assert rows_in(folder) == rows
    assert (made.heads, made.event_replay, made.rules) == (of_log.heads, of_log.event_replay, of_log.rules)
    named = {entry.path for entry in made.files} | {made.unfinished.path if made.unfinished else ""}
    there = {str(path.relative_to(folder)) for pattern in ("**/*.parquet", "*.msgpack") for path in folder.glob(pattern)}
    assert there == named, "nothing is left over"


# ---------------------------------------------------------------------------------------------------------- as derived


@pytest.mark.slow
@pytest.mark.parametrize("restarts", [0, 2])
def test_the_rows_of_a_floor_are_those_derived_afterward(restarts: int, floor: MemoryLog, tmp_path: Path) -> None:
    for step in range(restarts + 1):
        log = Prefix(floor, len(floor.all) * (step + 1) // (restarts + 1))
        kept(log, tmp_path / "kept")
        assert_as_built(log, tmp_path / "kept")
    reasons = [row["ineligible_reason"] for row in rows_in(tmp_path / "kept").values()]
    assert reasons.count("") > len(reasons) / 2
    assert len(set(reasons)) > 2, "rounds of several kinds that a row cannot settle"


@pytest.mark.slow
def test_a_floor_is_followed(floor: MemoryLog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows are put off while events come, and are all there in the end."""
    monkeypatch.setattr(kept_table, "WRITE_EVERY_S", 0.05)
    log = Prefix(floor, len(floor.all))
    log.batch = 800
    with closing(SqliteResults(tmp_path / "results")) as store:
        for _ in follow(log, store, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id)):
            pass
    assert_as_built(log, tmp_path / "kept")


def test_who_follows_writes_at_most_so_often(tmp_path: Path) -> None:
    log, now = MemoryLog([played(3)]), [0.0]
    keeper = KeptTable(tmp_path, log.log_id, log.property_id, clock=lambda: now[0])
    heads = {STREAM: log.head(STREAM)}
    keeper.resume(log, {STREAM: log.head(STREAM)})
    assert keeper.commit(log, heads, at_once=False)
    now[0] = 0.9
    assert not keeper.commit(log, heads, at_once=False)
    assert keeper.commit(log, heads, at_once=True)
    now[0] = 1.8
    assert not keeper.commit(log, heads, at_once=False)
    now[0] = 1.9
    assert keeper.commit(log, heads, at_once=False)


def test_the_log_is_not_read_a_second_time(floor: MemoryLog, tmp_path: Path) -> None:
    calm = MemoryLog([played(40), played(30, "table/fu-02")])
    log = Prefix(calm, len(calm.all))
    kept(log, tmp_path / "kept")
    assert log.read_events == 0
    again = Prefix(calm, len(calm.all))
    kept(again, tmp_path / "kept")
    assert again.read_events == 0


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("cut", "batch"), [(cut, 50 if cut % 3 else 1) for cut in range(20, 260, 8)])
def test_corrections_and_late_facts_across_a_restart(cut: int, batch: int, tmp_path: Path) -> None:
    """Of every kind, with a restart anywhere: what needs the whole stream is derived from it, or has no rows."""
    whole = MemoryLog([late_ones(), meter(), eventful()], batch=batch)
    for count in (cut, len(whole.all)):
        log = Prefix(whole, count)
        kept(log, tmp_path / "kept")
        assert_as_built(log, tmp_path / "kept")
    assert RoundTable(tmp_path / "kept").manifest.event_replay == {STREAM: FAR_BACK}


def played(rounds: int, stream: str = STREAM) -> Table:
    table = Table(stream)
    for number in range(1, rounds + 1):
        table.play(number, PAID if number % 3 else UNPAID)
    return table


def late_ones() -> Table:
    """What comes late or is corrected while its round is at hand, so that the stream keeps its rows."""
    table = Table("table/fu-02")
    table.play(1, UNPAID)
    table.play(2, PAID)
    table.say(paid(), 1)
    third = table.play(3, PAID)
    table.correct(third["wager_paid"], paid(cents=2000, source="inventory"))
    table.play(4, UNPAID)
    table.say(paid(), 4)
    table.play(5, UNPAID)
    return table


def test_a_corrected_round_has_the_row_of_its_correction(tmp_path: Path) -> None:
    """The row that was written before the correction came is in the table no more."""
    table = played(3)
    log = MemoryLog([table])
    kept(log, tmp_path / "kept")
    before = rows_in(tmp_path / "kept")[STREAM, 3]
    assert before["ineligible_reason"] == ""
    table.say(paid(), 3)
    kept(MemoryLog([table]), tmp_path / "kept")
    assert rows_in(tmp_path / "kept")[STREAM, 3]["ineligible_reason"] == "what came late"
    assert_as_built(MemoryLog([table]), tmp_path / "kept")


def test_a_broken_stream_has_no_rows_until_it_can_be_read(tmp_path: Path) -> None:
    log = MemoryLog([played(3), played(3, "table/fu-02")])
    log.broken[STREAM] = 20
    kept(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")
    assert set(RoundTable(tmp_path / "kept").manifest.heads) == {"table/fu-02"}
    del log.broken[STREAM]
    kept(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")
    assert set(RoundTable(tmp_path / "kept").manifest.heads) == {STREAM, "table/fu-02"}


# ------------------------------------------------------------------------------------- rows and results at other places


def test_a_log_that_was_judged_before(tmp_path: Path) -> None:
    log = MemoryLog([played(30), late_ones_elsewhere()])
    with closing(SqliteResults(tmp_path / "results")) as store:
        replay(log, store)
    kept(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")


def late_ones_elsewhere() -> Table:
    table = late_ones()
    table.stream = "table/fu-03"
    return table


def test_rows_that_are_behind_are_read_from_the_log(tmp_path: Path) -> None:
    """Only what is missing, from where the last round that is at rest ended."""
    table = played(40)
    kept(MemoryLog([table]), tmp_path / "kept")
    table.play(41, UNPAID)
    table.play(42, UNPAID)
    whole = MemoryLog([table])
    with closing(SqliteResults(tmp_path / "results")) as store:
        replay(whole, store)
    log = Prefix(whole, len(whole.all))
    kept(log, tmp_path / "kept")
    assert 0 < log.read_events < len(whole.all) // 10
    assert_as_built(whole, tmp_path / "kept")


def test_rows_that_are_ahead_are_derived_again(tmp_path: Path) -> None:
    """Another file of results may be behind."""
    table = played(20)
    whole = MemoryLog([table])
    kept(Prefix(whole, len(whole.all) // 2), tmp_path / "kept", "older")
    kept(whole, tmp_path / "kept")
    assert_as_built(whole, tmp_path / "kept")
    log = Prefix(whole, len(whole.all) // 2)
    kept(log, tmp_path / "kept", "older")
    assert_as_built(log, tmp_path / "kept")


def test_again_writes_every_row_again(tmp_path: Path) -> None:
    log = MemoryLog([played(20), played(5, "table/fu-02"), meter()])
    kept(log, tmp_path / "kept")
    with closing(SqliteResults(tmp_path / "results")) as store:
        replay(log, store, again=True, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
    assert_as_built(log, tmp_path / "kept")


def test_a_table_of_another_engine_is_written_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = MemoryLog([played(5)])
    with monkeypatch.context() as patched:
        patched.setattr("replay.run.engine._digest", lambda *_: "another")
        kept(log, tmp_path / "kept")
    said = kept(log, tmp_path / "kept").judged_again
    assert len(said) == 1
    assert "made by shared+another, all rows are written again" in said[0]
    assert_as_built(log, tmp_path / "kept")


def test_a_table_that_was_derived_is_gone_on_with(tmp_path: Path) -> None:
    log = MemoryLog([played(5)])
    build(log, tmp_path / "kept")
    kept(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")


# ----------------------------------------------------------------------------------------------------- several processes


@pytest.mark.slow
@pytest.mark.parametrize("restarts", [0, 2])
def test_the_rows_of_streams_judged_elsewhere_are_those_derived_afterward(
    restarts: int, floor: MemoryLog, tmp_path: Path
) -> None:
    for step in range(restarts + 1):
        log = Prefix(floor, len(floor.all) * (step + 1) // (restarts + 1))
        kept_in_units(log, tmp_path / "kept")
        assert_as_built(log, tmp_path / "kept")
    assert len(rows_in(tmp_path / "kept")) > 150


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("cut", range(20, 260, 40))
def test_one_process_and_several_go_on_with_each_others_rows(cut: int, tmp_path: Path) -> None:
    """With corrections and late facts of every kind, and a restart anywhere."""
    whole = MemoryLog([late_ones(), meter(), eventful(), played(20, "table/fu-04")])
    for first, second in ((kept, kept_in_units), (kept_in_units, kept), (kept_in_units, kept_in_units)):
        folder = tmp_path / first.__name__ / second.__name__ / "kept"
        folder.parent.mkdir(parents=True)
        for count, run in ((cut, first), (len(whole.all), second)):
            log = Prefix(whole, count)
            run(log, folder)
            assert_as_built(log, folder)
        assert RoundTable(folder).manifest.event_replay == {STREAM: FAR_BACK}


def test_again_in_several_processes_writes_every_row_again(tmp_path: Path) -> None:
    log = MemoryLog([played(20), played(5, "table/fu-02"), late_ones_elsewhere(), meter()])
    kept(log, tmp_path / "kept")
    kept_in_units(log, tmp_path / "kept", again=True)
    assert_as_built(log, tmp_path / "kept")


def test_rows_that_are_missing_are_made_where_the_stream_is_judged(tmp_path: Path) -> None:
    """The log was judged before, and rows are behind; or a file is not as it was: its streams have their rows again."""
    log, folder = MemoryLog([played(40), played(30, "table/fu-02")]), tmp_path / "kept"
    with closing(SqliteResults(tmp_path / "results")) as store:
        replay(log, store)
    kept_in_units(log, folder)
    assert_as_built(log, folder)
    (folder / RoundTable(folder).manifest.files[0].path).write_bytes(b"")
    assert "written again" in kept_in_units(log, folder).judged_again[0]
    assert_as_built(log, folder)


def test_a_broken_stream_judged_elsewhere_has_no_rows_until_it_can_be_read(tmp_path: Path) -> None:
    log = MemoryLog([played(3), played(3, "table/fu-02")])
    log.broken[STREAM] = 20
    kept_in_units(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")
    assert set(RoundTable(tmp_path / "kept").manifest.heads) == {"table/fu-02"}
    del log.broken[STREAM]
    kept_in_units(log, tmp_path / "kept")
    assert_as_built(log, tmp_path / "kept")


# --------------------------------------------------------------------------------------------------------------- files


@pytest.mark.slow
def test_files_stay_few(tmp_path: Path) -> None:
    """One more round each time: sixteen files of a size become one."""
    whole = MemoryLog([played(150)])
    steps = range(100, len(whole.all), 40)
    for count in steps:
        kept(Prefix(whole, count), tmp_path / "kept")
    assert len(steps) > 2 * JOINED_AT
    assert len(RoundTable(tmp_path / "kept").manifest.files) < 2 * JOINED_AT
    assert_as_built(Prefix(whole, steps[-1]), tmp_path / "kept")


@pytest.mark.slow
def test_a_changed_file_is_named_and_written_again(tmp_path: Path) -> None:
    """Whichever it is; and of finished rounds it is said whose they are."""
    log = MemoryLog([played(40), played(40, "table/fu-02")])
    folder = tmp_path / "kept"
    kept(log, folder)
    manifest = RoundTable(folder).manifest
    assert manifest.unfinished is not None
    paths = [*(entry.path for entry in manifest.files), manifest.unfinished.path, f"rules/{manifest.rules[0]}.toml"]
    assert len(paths) == 4
    for path in paths:
        whole = (folder / path).read_bytes()
        for changed in (whole[:-9] + bytes(9), b"", None):
            if changed is None:
                (folder / path).unlink()
            else:
                (folder / path).write_bytes(changed)
            said = kept(log, folder).judged_again
            assert len(said) == 1, said
            assert path in said[0]
            assert "written again" in said[0]
            if path in manifest.last or path not in [entry.path for entry in manifest.files]:
                continue
            assert f"the rows of {STREAM}, table/fu-02 are written again" in said[0]
        assert_as_built(log, folder)


def test_a_file_that_changes_meanwhile_is_not_taken_into_another(tmp_path: Path) -> None:
    table = played(40)
    log = MemoryLog([table])
    folder = tmp_path / "kept"
    keeper = KeptTable(folder, log.log_id, log.property_id)
    with closing(SqliteResults(tmp_path / "results")) as store:
        replay(log, store, rounds=keeper)
        (path,) = (folder / each.path for each in RoundTable(folder).manifest.files if each.rounds == 24)
        path.write_bytes(path.read_bytes()[:-9] + bytes(9))
        keeper.refolded(STREAM)
        table.play(41, UNPAID)
        replay(MemoryLog([table]), store, rounds=keeper)
    assert_as_built(MemoryLog([table]), folder)


def test_one_process_keeps_a_table(tmp_path: Path) -> None:
    log = MemoryLog([played(5)])
    with closing(SqliteResults(tmp_path / "results")) as store:
        running = Replay(log, store, rounds=KeptTable(tmp_path / "kept", log.log_id, log.property_id))
        build(log, tmp_path / "kept")
        with pytest.raises(TableError, match="was written by another process since"):
            for _ in running.run():
                pass


def test_the_table_of_another_log_is_left_alone(tmp_path: Path) -> None:
    log = MemoryLog([played(2)])
    build(log, tmp_path / "kept")
    with pytest.raises(TableError, match="was made from log"):
        KeptTable(tmp_path / "kept", "7f" * 16, log.property_id)
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    with pytest.raises(TableError, match="holds no round table; name another folder"):
        KeptTable(tmp_path / "letters", log.log_id, log.property_id)


# --------------------------------------------------------------------------------------------------------------- kills


class Killed(BaseException):
    """What represents the end of the process."""


class Killer:
    """Ends the process before or after the step with this number: a commit, a file put in its place, a file removed."""

    def __init__(self, at: int) -> None:
        self.left = at

    def step(self, do: Callable[..., Any]) -> Callable[..., Any]:
        def done(*arguments: Any, **options: Any) -> Any:
            self._count()
            result = do(*arguments, **options)
            self._count()
            return result

        return done

    def _count(self) -> None:
        self.left -= 1
        if self.left == 0:
            raise Killed


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("run", [kept, kept_in_units])
def test_a_kill_at_any_step_loses_nothing_and_doubles_nothing(
    run: Callable[[MemoryLog, Path], Summary], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several commits, files joined, a stream derived again; the process ends before or after each step, and goes on."""
    monkeypatch.setattr(replayer, "COMMIT_EVERY", 70)
    monkeypatch.setattr(kept_table, "JOINED_AT", 3)
    monkeypatch.setattr(kept_table, "WRITE_EVERY_S", 0.0)
    whole = interleaved(MemoryLog([played(12), late_ones(), late_ones_elsewhere()]), 5)
    log, at, finished = Prefix(whole, len(whole.all)), 0, False
    right = derived(log, tmp_path / "built")
    while not finished:
        at += 1
        folder = tmp_path / str(at) / "kept"
        folder.parent.mkdir()
        killer = Killer(at)
        with monkeypatch.context() as patched:
            patched.setattr(SqliteResults, "commit", killer.step(SqliteResults.commit))
            patched.setattr(os, "replace", killer.step(os.replace))
            patched.setattr(Path, "unlink", killer.step(Path.unlink))
            try:
                run(log, folder)
                finished = True
            except Killed:
                pass
        run(log, folder)
        assert_as_built(log, folder, right)
    assert at > 20


def test_a_kill_leaves_what_was_in_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who reads the table then reads the rows up to the heads that it names."""
    table = played(20)
    folder = tmp_path / "kept"
    kept(MemoryLog([table]), folder)
    before: Mapping[tuple[str, int], Any] = rows_in(folder)
    table.play(21, UNPAID)
    killer = Killer(5)
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killer.step(os.replace))
        with pytest.raises(Killed):
            kept(MemoryLog([table]), folder)
    assert rows_in(folder) == before
    assert differences(MemoryLog([table]), folder) == []
