"""Writers of one log take turns, in one process or several; who does not give a turn back keeps no one out for ever."""

import fcntl
import os
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from events.errors import AppendRefused, EventError, LogUnavailable, SecondWriter
from events.log import turn
from events.log.turn import Turns, keep_writers_out
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from tests.contract.drafts import TABLE, Drafts, fill

HOLDER = "import sys, fcntl; f = open(sys.argv[1], 'r+'); fcntl.flock(f, fcntl.LOCK_EX); print(1, flush=True); input()"


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn, "TURN_WAIT_S", 0.1)


def test_a_turn_that_is_not_given_back_refuses_by_whatever_name(
    log: SqliteLog, path: Path, tmp_path: Path, drafts: Drafts, hurried: None
) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(path)
    with log.turn(), pytest.raises(SecondWriter, match=f"process {os.getpid()}, which did not give its turn back"):
        SqliteLog(link)
    with closing(SqliteLog(link)) as second:
        with second.turn(), pytest.raises(SecondWriter, match="nothing was stored"):
            log.append(TABLE, 1, [drafts.day()])
        assert log.append(TABLE, 1, [drafts.day()]).seqs == (1,)


def test_a_writer_in_another_process_that_keeps_its_turn_is_waited_for(log: SqliteLog, path: Path, hurried: None) -> None:
    """So an earlier version of the program holds the log, for as long as it runs."""
    log.close()
    with subprocess.Popen([sys.executable, "-c", HOLDER, f"{path}.lock"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        with pytest.raises(SecondWriter):
            SqliteLog(path)
        other.communicate(b"\n")
    SqliteLog(path).close()


@pytest.mark.parametrize("content", [b"", bytes(512), b"\xff\xfe rubbish", b"123456789012345678901234567890"])
def test_whatever_stands_in_the_locks_file_the_lock_is_the_kernels(
    log: SqliteLog, path: Path, drafts: Drafts, hurried: None, content: bytes
) -> None:
    log.close()
    lock = Path(f"{path}.lock")
    lock.write_bytes(content)
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with pytest.raises(SecondWriter, match=r"process (\?|\d{20}),"):
            SqliteLog(path)
    with closing(SqliteLog(path)) as again:
        fill(again, drafts)
    assert lock.read_bytes() == b""


def test_a_lock_that_is_a_folder_is_named(log: SqliteLog, path: Path) -> None:
    log.close()
    Path(f"{path}.lock").unlink()
    Path(f"{path}.lock").mkdir()
    with pytest.raises(LogUnavailable, match=r"floor\.db\.lock: Is a directory"):
        SqliteLog(path)


def test_a_removed_lock_lets_no_two_writers_in(log: SqliteLog, path: Path, drafts: Drafts, hurried: None) -> None:
    log.append(TABLE, 1, [drafts.day()])
    Path(f"{path}.lock").unlink()
    with closing(SqliteLog(path)) as second:
        with second.turn(), pytest.raises(SecondWriter):
            log.append(TABLE, 2, [drafts.wager()])
        log.append(TABLE, 2, [drafts.wager()])
        assert second.append_groups([(TABLE, [drafts.wager()])])[0].seqs == (3,)


def test_what_a_turn_has_read_holds_until_it_is_given_back(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    stored: list[int | None] = []

    def other() -> None:
        with closing(SqliteLog(path)) as second:
            stored.extend(second.append_groups([(TABLE, [drafts.wager(source="other")])])[0].seqs)

    writer = threading.Thread(target=other)
    with log.turn():
        end = log.head(TABLE).seq
        writer.start()
        time.sleep(0.1)
        assert log.append(TABLE, end + 1, [drafts.wager()]).seqs == (end + 1,)
    writer.join()
    assert stored == [end + 2]


def test_an_error_inside_gives_the_turn_back(log: SqliteLog, path: Path, drafts: Drafts, hurried: None) -> None:
    with pytest.raises(EventError):
        log.append(TABLE, 1, [drafts.wager()])
    with closing(SqliteLog(path)) as second:
        fill(second, drafts)


def test_a_reader_has_no_turn(log: SqliteLog, path: Path) -> None:
    with closing(SqliteLog(path, read_only=True)) as reader, pytest.raises(AppendRefused, match="reading only"), reader.turn():
        pass


def test_marks_of_all_writers_stand(log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if one of them has put a new high-water file in the place of the one that the other has open."""
    monkeypatch.setattr("events.log.high_water._GROWTH", 4)
    with closing(SqliteLog(path)) as second:
        for number in range(200):
            writer = (log, second)[number % 3 == 0]
            stream = f"table/t-{number % 7}"
            head = writer.head(stream).seq
            writer.append(stream, head + 1, [drafts.wager(source=f"s-{number}")] if head else [drafts.day()])
        assert log.acknowledged() == {stream: log.head(stream) for stream in log.streams()}
    assert verify(log).ok


def test_a_mark_set_by_a_mere_repeat_is_not_overwritten(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    """A repeat of what was stored and not acknowledged sets a mark, and leaves the database as it is."""
    first, second_day = [drafts.day()], [drafts.day()]
    log.append(TABLE, 1, first)
    marks = Path(f"{path}.high-water")
    with closing(SqliteLog(path)) as second:
        before = marks.read_bytes()
        second.append("table/fu-08", 1, second_day)
        marks.write_bytes(before)  # a crash between commit and mark
        log.append_groups([(TABLE, [drafts.wager()])])
    with closing(SqliteLog(path)) as third:
        assert third.append_groups([("table/fu-08", second_day)])[0].seqs == (None,)
        log.append_groups([(TABLE, [drafts.wager()])])
        assert log.acknowledged() == {stream: log.head(stream) for stream in log.streams()}


def test_who_removes_a_log_is_refused_while_it_is_open_for_writing(log: SqliteLog, path: Path, hurried: None) -> None:
    with pytest.raises(SecondWriter, match="open for writing"):
        keep_writers_out(path)
    log.close()
    held = keep_writers_out(path)
    with pytest.raises(SecondWriter):
        SqliteLog(path)
    os.close(held)
    SqliteLog(path).close()


def test_nobody_who_writes_without_a_pause_keeps_the_others_out(tmp_path: Path) -> None:
    """Four writers that do nothing else: each gets a fair part of the turns."""
    taken, all_there = [0] * 4, threading.Barrier(4)

    def write(number: int) -> None:
        turns = Turns(tmp_path / "log")
        all_there.wait()
        while sum(taken) < 20_000:
            turns.take()
            taken[number] += 1
            turns.give_back()
        turns.close()

    writers = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert min(taken) > max(taken) / 10, taken
