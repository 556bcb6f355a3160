"""Whatever the umask: no file or folder that a command writes can be read by others, or written by the group."""

import os
import stat
import subprocess
import sys
from argparse import ArgumentParser, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import pytest

from rack.arguments import given_path
from rack.cli import build_parser, main

MOST_FILE, MOST_FOLDER = 0o640, 0o750


@pytest.fixture
def umask() -> Iterator[int]:
    """The umask that takes nothing away."""
    before = os.umask(0)
    yield 0
    os.umask(before)


def too_open(folder: Path) -> list[str]:
    """Return what allows more than it should, with its mode."""
    found = []
    for path in folder.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        most = MOST_FOLDER if path.is_dir() else MOST_FILE
        if not path.is_symlink() and mode & ~most:
            found.append(f"{path.relative_to(folder)} {mode:04o}")
    return found


@pytest.mark.slow
def test_of_everything_that_a_demo_and_what_follows_it_write(umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log, key, at = "sqlite:demo/floor.db", "demo/demo.key", ["--log", "sqlite:demo/floor.db"]
    (tmp_path / "photo.jpg").touch(0o640)
    (tmp_path / "photo.jpg").write_bytes(b"a photograph")
    day = ["--from", "2026-04-06", "--to", "2026-04-06"]
    for words in (
        ["demo", "--rounds", "20", "--out", "demo"],
        ["verify", *at, "--report", "verified.pdf", "--sign", key],
        ["checkpoint", "--key", key, *at],
        ["keys", "new", "witness", "--witness", "north"],
        ["witness", "--key", "witness", "--folder", "north", *at],
        ["prove", "fu-01", "1", "--out", "proof.json", *at],
        ["dispute", "fu-01", "1", "--key", key, "--out", "packets", *at],
        ["case", "open", "fu-01", "1", "--by", "m.ortiz", "--claim", "x", "--seat", "3", *at],
        ["case", "attach", "fu-01-c1", "photo.jpg", "--by", "m.ortiz", "--note", "x", *at],
        ["archive", "--out", "archive", "--running", *at],
        ["archive", "--restore", "archive", "--log", "sqlite:restored.db"],
        ["rounds", "--out", "rounds", *at],
        ["warehouse", "build", "--warehouse", "w/warehouse.duckdb", *at],
        ["warehouse", "export", "--warehouse", "demo/warehouse.duckdb", "--out", "csv", "--format", "csv", *at],
        ["report", "all", "--warehouse", "demo/warehouse.duckdb", "--out", "reports", "--key", key, *day, *at],
        ["simulate", "--out", "day.jsonl", "--rounds", "5"],
        ["devices", "add", "table-1", "--devices", "devices.toml", "--stream", "table/fu-01"],
        ["patrons", "new", "--keyring", "patrons.keys"],
        ["alerts", "secret", "webhook.secret"],
    ):
        try:
            main([*words, "--quiet"])
        except SystemExit as ended:
            raise AssertionError(words) from ended
    assert log
    written = {path.name for path in tmp_path.rglob("*") if path.is_file()}
    assert {
        "warehouse.duckdb",
        "floor.db",
        "floor.db.verified",
        "floor.db.high-water",
        "verified.pdf",
        "proof.json",
        "fu-01-1.pdf",
        "fu-01-1.json",
        "SHA256SUMS",
        "day.jsonl",
        "witness.pub",
        "webhook.secret",
        "patrons.keys",
        "manifest.json",
    } <= written
    assert not too_open(tmp_path)
    assert os.umask(umask) == umask, "the umask of whoever calls stays as it was"


def test_of_what_the_pages_write() -> None:
    """They may be started without the command: the server sets it for itself."""
    script = "import os; os.umask(0); import dashboards.start.discard_rack; print(oct(os.umask(0)))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("0o27")


# ------------------------------------------------------------------------------------------------------------ empty paths


def paths(parser: ArgumentParser, command: str = "") -> Iterator[tuple[str, str]]:
    """Yield each command with each of its options that take a path."""
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            for name, below in action.choices.items():
                yield from paths(below, name)
        elif action.type in (given_path, Path):
            yield command, action.option_strings[0] if action.option_strings else action.dest


@pytest.mark.slow
def test_every_option_that_takes_a_path_refuses_an_empty_text(capsys: pytest.CaptureFixture[str]) -> None:
    found = list(paths(build_parser()))
    assert len(found) > 40
    for command, name in found:
        if not name.startswith("-"):
            continue
        for given in ("", " "):
            with pytest.raises(SystemExit) as ended:
                main([command, name, given])
            said = capsys.readouterr().err
            assert ended.value.code == 2
            assert "expected a path, got an empty text" in said or "required" in said or "invalid choice" in said


def test_no_option_reads_a_path_otherwise() -> None:
    def types(parser: ArgumentParser) -> Iterator[object]:
        for action in parser._actions:
            yield action.type
            if isinstance(action, _SubParsersAction):
                for below in action.choices.values():
                    yield from types(below)

    assert Path not in set(types(build_parser()))


def test_an_empty_path_in_a_place_is_refused_too(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", ""])
    assert "expected a path" in capsys.readouterr().err


def test_the_command_line_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "rack", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("rack ")
    failed = subprocess.run([sys.executable, "-m", "rack", "verify", ""], capture_output=True, text=True, check=False)
    assert failed.returncode == 2
