"""`rack archive`, and every command that reads a log, on an archive: the same words, verdicts and exit codes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest

from events.archive.read import ArchiveLog
from events.archive.verify import verify_archive
from events.log.result_chain import CHAINED
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from events.vocabulary.codec import decode
from rack.cli import main

ROOT = Path(__file__).parents[3]
NO_RESULTS = {"results": 0, "streams": 0, "stated": 0, "unchained": 0, "unread": 0}


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


@pytest.fixture(autouse=True, scope="module")
def no_fsync() -> Iterator[None]:
    """What is here outlives no machine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: None)
        patch.setattr(os, "fdatasync", lambda file: None)
        yield


@pytest.fixture(scope="module")
def floor(no_fsync: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A floor with planted faults and a refused line, judged; its archive, running day and all."""
    folder = tmp_path_factory.mktemp("floor")
    assert run("simulate", "--rounds", "40", "--seed", "7", "--out", folder / "day.jsonl", "--quiet") == 0
    with (folder / "day.jsonl").open("ab") as lines:
        lines.write(b'{"stream":"table/fu-01","what":"is this"}\n')
    address = f"sqlite://{folder}/floor.db"
    assert run("ingest", folder / "day.jsonl", "--log", address, "--property", "bellwether", "--quiet") == 1
    assert run("replay", "--log", address, "--quiet") == 1
    assert run("archive", "--log", address, "--out", folder / "archive", "--running", "--quiet") == 0
    return folder


@pytest.fixture
def live(floor: Path) -> str:
    return f"sqlite://{floor}/floor.db"


@pytest.fixture
def archive(floor: Path, tmp_path: Path) -> str:
    """A copy that a test may damage, and beside which it may leave verdicts."""
    shutil.copytree(floor / "archive", tmp_path / "archive")
    return f"archive://{tmp_path}/archive"


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Any:
    capsys.readouterr()
    run(*arguments, "--json")
    return json.loads(capsys.readouterr().out)


def verdicts(path: Path) -> dict[str, list[tuple[str, bytes]]]:
    results = SqliteResults(path, read_only=True)
    found = {kind: sorted(results.results(kind)) for kind in CHAINED}
    results.close()
    return found


@pytest.mark.slow
def test_verdicts_from_the_archive_are_those_from_the_log(
    floor: Path, live: str, archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from_log = said(capsys, "verify", "--log", live)
    from_archive = from_log | {"archive": manifests(tmp_path / "archive"), "compared": ANY}
    assert said(capsys, "verify", "--log", archive) == from_archive | {"results": None}, "an archive has none"
    assert (from_log["quarantined"], from_log["results"]["streams"]) == (1, 5)
    assert run("replay", "--log", archive, "--quiet") == 1
    assert said(capsys, "verify", "--log", archive) == from_archive, "judged, it has as many results"
    there, here = verdicts(tmp_path / "archive.verdicts"), verdicts(floor / "floor.db.verdicts")
    assert here["findings"], "the day has faults"
    assert there == here
    assert run("verify", "--log", archive) == 0, "the verdicts lie beside the archive, not in it"
    assert run("replay", "--log", archive, "--verdicts", tmp_path / "elsewhere", "--quiet") == 1
    assert verdicts(tmp_path / "elsewhere") == here


def manifests(folder: Path) -> dict[str, object]:
    listed = ArchiveLog(folder, read_only=True).manifests
    return {"manifests": len(listed.sealed), "digest": listed.digest}


@pytest.mark.parametrize("command", [["round", "fu-01", "3"], ["quarantine", "list"]])
def test_other_commands_say_the_same(live: str, archive: str, command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    from_log = said(capsys, *command, "--log", live)
    assert from_log
    assert said(capsys, *command, "--log", archive) == from_log


def test_sealing_is_told_and_a_second_time_adds_nothing(
    floor: Path, live: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = SqliteLog(floor / "floor.db", read_only=True)
    days = [decode(record.data).gaming_day for stream in log.streams() for record in log.read(stream)]
    log.close()
    first = said(capsys, "archive", "--log", live, "--out", tmp_path / "a")
    assert first["running_day"] == max(days)
    assert (first["events"], first["integrity"]) == (sum(day < max(days) for day in days), [])
    running = said(capsys, "archive", "--log", live, "--out", tmp_path / "a", "--running")
    assert running["events"] == sum(day == max(days) for day in days) > 0
    again = said(capsys, "archive", "--log", live, "--out", tmp_path / "a", "--running")
    assert (again["events"], again["segments"]) == (0, 0)
    assert (again["manifests"], again["digest"]) == (running["manifests"], running["digest"])
    assert run("archive", "--log", live, "--out", tmp_path / "a") == 0
    out, err = capsys.readouterr()
    assert out.startswith("0 events sealed in 0 segments; gaming day ")
    assert f"SHA-256 of the last: {again['digest']}" in out
    assert err == ""


def test_an_archive_needs_no_results_though_its_checkpoint_states_them(
    floor: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for file in floor.glob("floor.db*"):
        shutil.copy(file, tmp_path)
    log, key = f"sqlite://{tmp_path}/floor.db", tmp_path / "seal.key"
    assert run("keys", "new", key, "--by", "office", "--log", log, "--quiet") == 0
    assert run("checkpoint", "--log", log, "--key", key, "--quiet") == 0
    assert run("archive", "--log", log, "--out", tmp_path / "archive", "--running", "--quiet") == 0
    capsys.readouterr()
    assert run("verify", "--log", f"archive://{tmp_path}/archive", "--key", f"{key}.pub") == 0
    assert "no results are next to the archive: none were checked" in capsys.readouterr().out
    (tmp_path / "floor.db.verdicts").unlink()
    assert run("verify", "--log", log, "--key", f"{key}.pub") == 4, "beside the log they are missed"


def test_restore(live: str, archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"sqlite://{tmp_path}/again.db"
    restored = said(capsys, "archive", "--restore", tmp_path / "archive", "--log", address)
    whole = said(capsys, "verify", "--log", live)
    assert (restored["events"], restored["quarantined"], restored["integrity"]) == (whole["events"], 1, [])
    assert said(capsys, "verify", "--log", address) == whole | {"results": NO_RESULTS, "compared": ANY}, (
        "judged anew when it is replayed"
    )
    assert run("archive", "--restore", tmp_path / "archive", "--log", address) == 0
    assert capsys.readouterr().out.startswith("0 events of ")
    assert run("archive", "--restore", tmp_path / "archive", "--log", live) == 0, "the same history"
    other = f"sqlite://{tmp_path}/other.db"
    (tmp_path / "no.jsonl").write_bytes(b"")
    assert run("ingest", tmp_path / "no.jsonl", "--log", other, "--property", "bellwether") == 0
    capsys.readouterr()
    assert run("archive", "--restore", tmp_path / "archive", "--log", other) == 3
    assert "name a new log" in capsys.readouterr().err


def test_damage_is_named_by_table_number_and_kind(archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = min((tmp_path / "archive" / "segments" / "table" / "fu-01").iterdir())
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    report = said(capsys, "verify", "--log", archive)
    first = report["first_break"]
    assert (first["stream"], first["seq"], first["kind"], first["code"]) == ("table/fu-01", 1, "changed", "LOG-SEAL")
    assert run("verify", "--log", archive) == 4
    assert capsys.readouterr().out.startswith("LOG-SEAL table/fu-01 event 1: segments/table/fu-01/")
    assert run("replay", "--log", archive) == 4
    assert run("archive", "--restore", tmp_path / "archive", "--log", f"sqlite://{tmp_path}/x.db") == 4
    assert "LOG-SEAL table/fu-01 event 1" in capsys.readouterr().err
    (tmp_path / "archive" / "manifests" / "00000002.json").write_bytes(b"{}")
    assert run("verify", "--log", archive) == 4
    assert capsys.readouterr().out.startswith("LOG-SEAL archive manifest 2: ")
    assert run("archive", "--restore", tmp_path / "archive", "--log", f"sqlite://{tmp_path}/y.db") == 4


@pytest.mark.parametrize(
    "name", ["notes.txt", "segments/table/fu-01/2026-03-20.000000000900-000000000901.parquet", "attachments/ab/" + "ab" * 32]
)
def test_every_reader_of_a_folder_names_a_file_that_was_not_sealed_into_it(
    live: str, archive: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    folder, restored = tmp_path / "archive", f"sqlite://{tmp_path}/again.db"
    added = folder / name
    added.parent.mkdir(parents=True, exist_ok=True)
    added.write_bytes(b"x")
    for command in (
        ["verify", "--log", archive],
        ["archive", "--log", restored, "--restore", folder],
        ["archive", "--log", live, "--out", folder, "--running"],
    ):
        assert run(*command) == 4, command
        told = capsys.readouterr()
        assert f"{name} was not sealed into this archive" in told.out + told.err
    assert run("verify", "--log", restored) == 0, "nothing of it came into the log"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (["archive", "--log", "LIVE"], 2, "one of the arguments --out --restore is required"),
        (["archive", "--log", "LIVE", "--restore", "X", "--out", "X"], 2, "not allowed with"),
        (["archive", "--log", "LIVE", "--restore", "X", "--running"], 2, "--running and --for need --out"),
        (["archive", "--log", "LIVE", "--restore", "nowhere"], 3, "there is no archive at"),
        (["archive", "--log", "sqlite:nowhere.db", "--out", "X"], 3, "there is no log at"),
        (["verify", "--log", "archive:///nowhere"], 3, "there is no archive at /nowhere"),
        (["ingest", "-", "--log", "ARCHIVE"], 3, "takes no events"),
    ],
)
def test_what_cannot_be_done(
    live: str, archive: str, arguments: list[str], code: int, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    named = [{"LIVE": live, "ARCHIVE": archive}.get(argument, argument) for argument in arguments]
    try:
        found = run(*named)
    except SystemExit as stopped:
        found = int(str(stopped.code))
    assert found == code
    assert sentence in capsys.readouterr().err


SEALING = """
import sys
from collections.abc import Iterator
from pathlib import Path
from events.archive.write import write_archive
from events.sqlite.log import SqliteLog
write_archive(SqliteLog(sys.argv[1], read_only=True), Path(sys.argv[2]), running=True,
              progress=lambda events: print(events, flush=True))
"""


@pytest.mark.slow
def test_killed_in_the_middle(floor: Path, tmp_path: Path) -> None:
    """Killed again and again after one more segment: what is there is sound each time, and in the end whole."""
    folder, log = tmp_path / "archive", SqliteLog(floor / "floor.db", read_only=True)
    whole = {stream: log.head(stream) for stream in log.streams()}
    log.close()
    sealed = 0
    for _ in range(4):
        command = [sys.executable, "-c", SEALING, str(floor / "floor.db"), str(folder)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
            assert process.stdout is not None
            assert process.stdout.readline()
            os.kill(process.pid, signal.SIGKILL)
        report = verify_archive(ArchiveLog(folder, read_only=True))
        assert report.ok, report.breaks
        assert report.events > sealed
        sealed = report.events
    assert sealed < sum(head.seq for head in whole.values())
    assert run("archive", "--log", f"sqlite://{floor}/floor.db", "--out", folder, "--running", "--quiet") == 0
    report = verify_archive(ArchiveLog(folder, read_only=True))
    assert (report.ok, report.heads) == (True, whole)
    assert not list(folder.rglob("*.partial"))
