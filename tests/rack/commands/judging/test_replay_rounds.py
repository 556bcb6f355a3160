"""`rack replay --rounds`: the round table as a replay leaves it, also if the process is killed."""

import json
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from rack.cli import main
from rack.opening import log_at
from replay.fold.device_reports import RECENT_ROUNDS
from rulebook.chapters.submission import submission_from_words

pytestmark = pytest.mark.xdist_group("demo")


@pytest.fixture
def log(demo: Path, tmp_path: Path) -> str:
    """The log of the demo, judged by no one."""
    shutil.copy(demo / "floor.db", tmp_path)
    return f"sqlite://{tmp_path}/floor.db"


@pytest.fixture(scope="module")
def in_rows(demo: Path) -> int:
    """How many rounds have rows: those of tables without a correction that names an event from long before."""
    counts = Counter[str]()
    with closing(log_at(f"sqlite://{demo}/floor.db")) as log:
        for stream in log.streams():
            lines = [json.loads(record.data) for record in log.read(stream)]
            rounds = {line["seq"]: line["round_no"] or 0 for line in lines}
            corrected = [line for line in lines if line["type"] == "event_corrected"]
            if all(rounds[of["seq"]] - rounds[of["payload"]["supersedes_seq"]] <= RECENT_ROUNDS for of in corrected):
                counts[stream] = sum(line["type"] == "round_closed" for line in lines)
    assert 90 < counts.total() <= 120
    return counts.total()


def rounds_of(folder: Path) -> int:
    return sum(entry["rounds"] for entry in json.loads((folder / "manifest.json").read_text())["files"])


@pytest.mark.slow
def test_the_table_of_a_replay_is_that_of_its_log(log: str, in_rows: int, tmp_path: Path, capsys) -> None:
    rounds = str(tmp_path / "rounds")
    assert main(["replay", "--log", log, "--rounds", rounds, "--quiet"]) == 1
    assert rounds_of(tmp_path / "rounds") == in_rows
    capsys.readouterr()
    assert main(["verify", "--log", log, "--rounds", rounds, "--quiet"]) == 0
    assert f"round table {rounds}: matches the log" in capsys.readouterr().out


def test_the_command_says_what_is_replayed_event_by_event(log: str, in_rows: int, tmp_path: Path, capsys) -> None:
    words = ["rounds", "--log", log, "--out", str(tmp_path / "made")]
    assert main([*words, "--json", "--quiet"]) == 0
    asides = json.loads(capsys.readouterr().out)["asides"]
    assert main([*words, "--quiet"]) == 0
    lines = capsys.readouterr().out.splitlines()
    many = sum(asides.values())
    assert many > 0
    at = lines.index(f"replayed event by event: {many:,} rounds ({many / in_rows:.1%})") + 2
    assert [line.split(maxsplit=1) for line in lines[at : at + len(asides)]] == [[str(asides[why]), why] for why in asides]


@pytest.mark.slow
def test_a_what_if_reads_it(log: str, tmp_path: Path, capsys) -> None:
    rules, answers = tmp_path / "rules.toml", []
    rules.write_text(submission_from_words(["pa-688a", "ace_high_bonus=2", "fortune_bonus=3"]))
    assert main(["replay", "--log", log, "--rounds", str(tmp_path / "kept"), "--quiet"]) == 1
    assert main(["rounds", "--log", log, "--out", str(tmp_path / "made"), "--quiet"]) == 0
    for folder in ("kept", "made"):
        capsys.readouterr()
        words = ["what-if", str(rules), "--log", log, "--rounds", str(tmp_path / folder), "--json", "--quiet"]
        assert main(words) == 0
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0] == answers[1]
    assert answers[0]["rounds"] == sum(sum(of_table.values()) for of_table in answers[0]["filings"].values()) == 120
    assert main(["what-if", str(rules), "--log", log, "--rounds", str(tmp_path / "kept"), "--quiet"]) == 0
    changes = [line for line in capsys.readouterr().out.splitlines() if line.startswith("Changes at ")]
    assert len(changes) > 1
    assert all(any(f"{table[6:].upper()} (" in line for line in changes) for table in answers[0]["filings"])
    assert any("Ace High Bonus paytable 1 → 2" in line for line in changes)


@pytest.mark.nightly
@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("engine", ["here", "dask"])
def test_several_processes_keep_the_table_of_one(engine: str, log: str, in_rows: int, tmp_path: Path, capsys) -> None:
    """One of them goes on with the rows of the other."""
    if engine == "dask":
        pytest.importorskip("distributed")
    rounds = str(tmp_path / "rounds")
    words = ["replay", "--log", log, "--rounds", rounds, "--quiet"]
    assert main([*words, "--workers", "2", "--engine", engine]) == 1
    assert rounds_of(tmp_path / "rounds") == in_rows
    before = (tmp_path / "rounds" / "manifest.json").read_bytes()
    assert main(words) == 1
    if engine == "here":
        assert main([*words, "--workers", "2", "--again"]) == 1
    capsys.readouterr()
    assert main(["verify", "--log", log, "--rounds", rounds, "--quiet"]) == 0
    assert json.loads(before)["heads"] == json.loads((tmp_path / "rounds" / "manifest.json").read_bytes())["heads"]


@pytest.mark.slow
def test_a_replay_that_is_killed_goes_on(log: str, in_rows: int, tmp_path: Path, capsys) -> None:
    """Four times, each a little later; in the end the table is that of the log."""
    rounds = tmp_path / "rounds"
    words = ["replay", "--log", log, "--rounds", str(rounds), "--quiet"]
    program = f"from rack.cli import main; from replay.run import replayer; replayer.COMMIT_EVERY = 300; main({words!r})"
    for count in range(4):
        running = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.DEVNULL)
        wait_for_a_new_manifest(rounds, running)
        time.sleep(0.02 * count)
        running.kill()
        assert running.wait() in (-signal.SIGKILL, 0)
    assert 0 < rounds_of(rounds) <= in_rows
    assert main(words) == 1
    assert rounds_of(rounds) == in_rows
    capsys.readouterr()
    assert main(["verify", "--log", log, "--rounds", str(rounds), "--quiet"]) == 0
    assert not list(rounds.glob(".building-*"))


def wait_for_a_new_manifest(rounds: Path, running: subprocess.Popen[bytes]) -> None:
    manifest = rounds / "manifest.json"
    before, until_s = manifest.read_bytes() if manifest.exists() else b"", time.monotonic() + 60
    while running.poll() is None and time.monotonic() < until_s:
        if manifest.exists() and manifest.read_bytes() != before:
            return
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--as-of", "2026-03-01T21:14:00Z"], "leave out --again, --follow, --verdicts, --warehouse and --rounds"),
        (["--follow", "--group", "floor"], "one replayer keeps a round table, and each member of a group has some of the rounds"),
    ],
)
def test_where_no_rounds_are_kept(words: list[str], why: str, log: str, tmp_path: Path, capsys) -> None:
    assert main(["replay", "--log", log, "--rounds", str(tmp_path / "rounds"), *words]) == 2
    assert why in capsys.readouterr().err
    assert not (tmp_path / "rounds").exists()


def test_a_folder_that_holds_something_else(log: str, tmp_path: Path, capsys) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "a.txt").write_text("dear")
    assert main(["replay", "--log", log, "--rounds", str(tmp_path / "letters")]) == 2
    assert "holds no round table; name another folder" in capsys.readouterr().err
