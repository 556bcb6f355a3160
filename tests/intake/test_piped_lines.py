"""Lines that come down a pipe: stored when their time has come, however slowly the next one comes."""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from intake.appending import BATCH, append_lines
from intake.lines import line_of, read_arriving
from intake.piped_lines import GROUP_S, ArrivingLines, Pace
from tests.contract.drafts import TABLE, Drafts


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    log = SqliteLog(tmp_path / "floor.db", property_id="bellwether", create=True)
    yield log
    log.close()


@pytest.fixture
def drafts() -> Drafts:
    return Drafts()


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reading, writing = os.pipe()
    yield reading, writing
    os.close(reading)


def taken_in(log: SqliteLog, reading: int) -> Iterator[int]:
    """Yield how many events are stored after each group."""
    pace = Pace()
    accounts = append_lines(log, read_arriving(ArrivingLines(reading, pace), "pipe"), pace)
    assert next(accounts).appended == 0  # before anything was read
    for taken in accounts:
        yield taken.appended


def test_a_lone_line_is_stored_after_its_time(log: SqliteLog, pipe: tuple[int, int], drafts: Drafts) -> None:
    reading, writing = pipe
    os.write(writing, line_of(TABLE, drafts.day()) + b"\n")
    groups = taken_in(log, reading)
    began = time.monotonic()
    assert next(groups) == 1
    assert time.monotonic() - began >= GROUP_S  # and though the pipe is open
    os.close(writing)
    assert list(groups) == [1]


def test_a_full_group_waits_for_no_time(log: SqliteLog, pipe: tuple[int, int], drafts: Drafts) -> None:
    reading, writing = pipe
    lines = [line_of(TABLE, drafts.day()), *(line_of(TABLE, drafts.wager()) for _ in range(BATCH))]
    sender = threading.Thread(target=lambda: (os.write(writing, b"\n".join(lines) + b"\n"), time.sleep(1), os.close(writing)))
    sender.start()
    groups = list(taken_in(log, reading))
    sender.join()
    assert groups[-1] == BATCH + 1
    assert max(b - a for a, b in zip([0, *groups], groups, strict=False)) <= BATCH


def test_lines_come_off_a_pipe_as_off_a_file(pipe: tuple[int, int]) -> None:
    """Cut anywhere, without an end, empty, or longer than what is read at once."""
    reading, writing = pipe
    content = b"one\n\ntwo\n" + b"x" * 25 + b"\nlast"

    def send() -> None:
        for byte in content:
            os.write(writing, bytes([byte]))
        os.close(writing)

    sender = threading.Thread(target=send)
    sender.start()
    source = ArrivingLines(reading, Pace())
    lines = list(iter(lambda: source.readline(10), b""))
    sender.join()
    assert lines == [b"one\n", b"\n", b"two\n", b"x" * 10, b"x" * 10, b"xxxxx\n", b"last"]


def test_what_is_due_is_not_kept_waiting_by_half_a_line(pipe: tuple[int, int]) -> None:
    reading, writing = pipe
    pace = Pace()
    source = ArrivingLines(reading, pace)
    os.write(writing, b"one\nhal")
    assert source.readline(100) == b"one\n"
    pace.hold()
    assert source.readline(100) is None
    assert pace.is_due()
    pace.release()
    os.write(writing, b"f\n")
    assert source.readline(100) == b"half\n"
    os.close(writing)
    assert source.readline(100) == b""
