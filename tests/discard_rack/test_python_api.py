"""The door for programs: the examples of its page run, what it exports is described, and faults of a log are seen through it."""

import doctest
import inspect
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import discard_rack
from rack.cli import main
from tests.contract.backends import in_rows

ROOT = Path(__file__).resolve().parents[2]
LOG = "sqlite:floor.db"


@pytest.fixture(scope="module")
def day(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a log of one simulated day, its public key and its warehouse."""
    folder = tmp_path_factory.mktemp("api")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        for arguments in (
            ("simulate", "--out", "day.jsonl", "--rounds", "20", "--plant", "nothing"),
            ("ingest", "day.jsonl", "--log", LOG, "--property", "bellwether"),
            ("keys", "new", "log.key", "--by", "m-ortiz", "--log", LOG),
            ("checkpoint", "--log", LOG, "--key", "log.key"),
            ("replay", "--log", LOG, "--warehouse", "warehouse.duckdb"),
        ):
            assert main([*arguments, "--quiet"]) == 0
    return folder


@pytest.fixture
def folder(day: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of that folder, as the working folder."""
    copy = tmp_path / "copy"
    shutil.copytree(day, copy)
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.usefixtures("folder")
def test_the_examples_of_the_page_run() -> None:
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    tried = doctest.testfile(str(ROOT / "docs/python-api.md"), module_relative=False, optionflags=flags, encoding="utf-8")
    assert tried.attempted > 15
    assert tried.failed == 0


def test_every_name_is_there_and_described() -> None:
    page = (ROOT / "docs/python-api.md").read_text("utf-8")
    for name in discard_rack.__all__:
        value = getattr(discard_rack, name)
        assert isinstance(value, str) or inspect.getdoc(value), name
    functions = [name for name in discard_rack.__all__ if inspect.isfunction(getattr(discard_rack, name))]
    assert [name for name in functions if f"{name}(" not in page] == []


def altered(folder: Path, statement: str, *values: object) -> None:
    """Change the log's file as somebody with the rights of its owner can."""
    in_rows(folder / "floor.db")
    with closing(sqlite3.connect(folder / "floor.db")) as database, database:
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute(statement, values)


def test_a_changed_event_is_seen_by_each_function(folder: Path) -> None:
    altered(
        folder, "UPDATE events SET data = CAST(replace(data, '\"seq\":9,', '\"seq\":8,') AS BLOB) WHERE stream = 'table/fu-01'"
    )
    with discard_rack.open_log(LOG) as log:
        report = discard_rack.verify(log)
        assert (report.ok, [(each.stream, each.seq) for each in report.breaks]) == (False, [("table/fu-01", 9)])
        assert any("table/fu-01" in line for line in discard_rack.replay(log).broken)
        with pytest.raises(discard_rack.IntegrityError):
            list(log.read("table/fu-01"))


def test_a_lost_end_is_seen_by_each_function(folder: Path) -> None:
    with discard_rack.open_log(LOG) as log:
        last = max(event.seq for event in log.read("table/fu-02"))
    altered(folder, "DELETE FROM events WHERE stream = 'table/fu-02' AND seq = ?", last)
    with discard_rack.open_log(LOG) as log:
        assert next((each.stream, each.seq) for each in discard_rack.verify(log).breaks) == ("table/fu-02", last)
        assert any("table/fu-02" in line for line in discard_rack.replay(log).broken)
        with pytest.raises(discard_rack.IntegrityError):
            next(log.read("table/fu-02"))


def test_a_log_that_is_not_there_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(discard_rack.LogUnavailable):
        discard_rack.open_log(f"sqlite://{tmp_path}/none.db")
    assert list(tmp_path.iterdir()) == []
