"""Processes of this machine: parts come in order, what a killed one had in hand is done again, none is left behind."""

import os
import pickle
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from events.errors import BrokenSeal, Fork, IntegrityError, LostTail, MisplacedEvent, SegmentMissing, SequenceGap
from events.log.contract import EventLog
from rulebook.chapters.chapters import RulesRefused
from tests.replay.tables import MemoryLog
from whatif.workers.pool import ThisProcess, WorkerLost
from whatif.workers.processes import MOST_LOSSES, ProcessPool, _parts, _restored


class Doubling:
    """Doubles; a part below 0 kills the process that gets it, the first this many times."""

    def __init__(self, marks: Path | None = None, times: int = 0) -> None:
        self.marks, self.times = marks, times

    def at(self, log: EventLog) -> Callable[[int], int]:
        def double(part: int) -> int:
            if part < 0 and self.marks is not None and len(list(self.marks.iterdir())) < self.times:
                (self.marks / f"{time.monotonic_ns()}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
            if part == 13:
                raise SequenceGap("table/fu-01", 3, 5)
            return 2 * part

        return double


def empty() -> EventLog:
    return MemoryLog([])


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPool]:
    with ProcessPool(2, empty) as pool:
        yield pool


@pytest.mark.slow
def test_what_comes_of_parts_comes_in_their_order(pool: ProcessPool) -> None:
    parts = [*range(12), *range(20, 40)]
    assert list(pool.run(Doubling(), iter(parts), empty())) == [2 * part for part in parts]
    assert list(ThisProcess().run(Doubling(), parts, empty())) == [2 * part for part in parts]
    assert list(pool.run(Doubling(), [], empty())) == []


def test_only_a_few_parts_are_under_way_at_a_time(pool: ProcessPool) -> None:
    taken: list[int] = []

    def parts() -> Iterator[int]:
        for part in range(20, 120):
            taken.append(part)
            yield part

    running = pool.run(Doubling(), parts(), empty())
    next(running)
    assert len(taken) <= 2 * 2 + 2
    running.close()


def test_what_is_raised_there_is_raised_here(pool: ProcessPool) -> None:
    running = pool.run(Doubling(), [1, 13, 2], empty())
    assert next(running) == 2
    with pytest.raises(SequenceGap, match="table/fu-01"):
        next(running)


@pytest.mark.slow
def test_what_a_killed_process_had_in_hand_is_done_again(tmp_path: Path) -> None:
    with ProcessPool(2, empty) as pool:
        assert list(pool.run(Doubling(tmp_path, MOST_LOSSES), [1, -2, 3, 4], empty())) == [2, -4, 6, 8]
    assert len(list(tmp_path.iterdir())) == MOST_LOSSES


@pytest.mark.slow
def test_work_that_kills_every_process_ends(tmp_path: Path) -> None:
    with ProcessPool(1, empty) as pool, pytest.raises(WorkerLost, match="nothing is lost; run it again, with fewer"):
        list(pool.run(Doubling(tmp_path, MOST_LOSSES + 1), [1, -2, 3], empty()))


KILLED = """
import os, signal
from tests.whatif.workers.test_processes import Doubling, ProcessPool, empty

pool = ProcessPool(1, empty)
next(pool.run(Doubling(), [1, 2], empty()))
print(*pool._pool._processes, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_processes_end_with_the_one_that_started_them() -> None:
    """However it ends: none is left behind."""
    killed = subprocess.run([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -signal.SIGKILL
    orphan, until = int(killed.stdout), time.monotonic() + 60
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
