"""Parts run together or not at all: one that ends, one that does not want to, and the end of whoever started them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trial.live import supervision
from trial.live.parts import Part
from trial.live.supervision import PartEnded, Supervision

ROOT = Path(__file__).resolve().parents[3]
WAIT_LIMIT_S = 60.0


def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_LIMIT_S
    while not holds():
        assert time.monotonic() < deadline, "it never came so"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def part(folder: Path, name: str, manner: str = "waits") -> Part:
    """A part that is up once what it starts runs."""
    path = folder / name
    return Part(name, [str(path), manner], lambda: path.is_file() and bool(path.read_text()), "tests.rack.live.stand_in")


def started_by(folder: Path, name: str) -> int:
    return int((folder / name).read_text())


@pytest.fixture
def parts(tmp_path: Path) -> Iterator[Supervision]:
    running = Supervision(tmp_path / "parts")
    yield running
    running.kill()


def test_what_parts_start_ends_with_them(tmp_path: Path, parts: Supervision) -> None:
    parts.start([part(tmp_path, "first"), part(tmp_path, "second")])
    children = [started_by(tmp_path, name) for name in ("first", "second")]
    assert all(map(runs, children))
    parts.check()
    parts.end()
    until(lambda: not any(map(runs, children)))


def test_a_part_that_ends_by_itself_is_named_with_what_it_said(tmp_path: Path, parts: Supervision) -> None:
    parts.start([part(tmp_path, "first"), part(tmp_path, "second", "fails")])
    with pytest.raises(PartEnded, match=r"second ended by itself with exit code 7\n  the disk is full"):
        parts.watch()


def test_a_part_that_is_killed_is_named(tmp_path: Path, parts: Supervision) -> None:
    parts.start([part(tmp_path, "first")])
    os.kill(os.getpgid(started_by(tmp_path, "first")), signal.SIGKILL)  # the part is the head of its group
    with pytest.raises(PartEnded, match="first ended by itself with SIGKILL"):
        parts.watch()


def test_a_part_that_may_end_is_no_failure(tmp_path: Path, parts: Supervision) -> None:
    done = Part("done", [str(tmp_path / "done"), "done"], module="tests.rack.live.stand_in", lasts=False)
    parts.start([done, part(tmp_path, "first")])
    until((tmp_path / "done").is_file)
    parts.check()


def test_a_part_that_does_not_end_is_killed(tmp_path: Path, parts: Supervision, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "GRACE_S", 0.5)
    parts.start([part(tmp_path, "stubborn", "stubborn")])
    child = started_by(tmp_path, "stubborn")
    parts.end()
    until(lambda: not runs(child))


def test_a_part_that_does_not_come_up_is_named(tmp_path: Path, parts: Supervision, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "READY_S", 0.5)
    with pytest.raises(PartEnded, match="never was not up after"):
        parts.start([Part("never", [str(tmp_path / "x"), "waits"], lambda: False, "tests.rack.live.stand_in")])


def test_parts_end_when_whoever_started_them_is_killed(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from trial.live.supervision import Supervision\n"
        "from tests.rack.live.test_supervision import part\n"
        "folder = Path(sys.argv[1]); running = Supervision(folder / 'parts')\n"
        "running.start([part(folder, 'first'), part(folder, 'second')]); running.watch()\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT) as parent:
        try:
            until(lambda: (tmp_path / "second").is_file() and bool((tmp_path / "second").read_text()))
            children = [started_by(tmp_path, name) for name in ("first", "second")]
            heads = [os.getpgid(each) for each in children]
        finally:
            parent.kill()
    until(lambda: not any(map(runs, [*heads, *children])))
