"""`rack ingest` that is stopped by a full disk, or by anything else of the log, says how much was stored."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from events.errors import AppendRefused, LogUnavailable
from events.sqlite.log import SqliteLog
from intake.appending import BATCH
from intake.lines import line_of
from rack.cli import main
from tests.contract.drafts import TABLE, Drafts

LINES = 2 * BATCH + 500


@pytest.fixture
def day(tmp_path: Path) -> Path:
    """A file of more than two batches."""
    drafts = Drafts()
    made = [drafts.day(), *(draft for _ in range(LINES) for draft in [drafts.wager()])][:LINES]
    (tmp_path / "day.jsonl").write_bytes(b"".join(line_of(TABLE, draft) + b"\n" for draft in made))
    return tmp_path / "day.jsonl"


def stopped(monkeypatch: pytest.MonkeyPatch, after: int, error: BaseException) -> None:
    """Let the log take in this many groups and no more."""
    real, left = SqliteLog.append_groups, [after]

    def append_groups(self: SqliteLog, groups: Any) -> Any:
        if not left[0]:
            raise error
        left[0] -= 1
        return real(self, groups)

    monkeypatch.setattr(SqliteLog, "append_groups", append_groups)


def stored(folder: Path) -> int:
    with closing(SqliteLog(folder / "floor.db", read_only=True)) as log:
        return log.head(TABLE).seq


@pytest.mark.sampled(4)
@pytest.mark.parametrize("batches", [0, 1, 2])
@pytest.mark.parametrize(
    ("error", "code"),
    [
        (AppendRefused("floor.db: no space left on device"), 3),
        (LogUnavailable("floor.db: it cannot be read"), 3),
        (OSError(28, "No space left on device", "floor.db"), 3),
        (KeyboardInterrupt(), 130),
    ],
)
def test_what_was_stored_is_said_and_is_so(
    day: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], batches: int, error: BaseException, code: int
) -> None:
    words = ["ingest", str(day), "--log", f"sqlite://{day.parent}/floor.db", "--property", "bellwether", "--json"]
    with monkeypatch.context() as patched:
        stopped(patched, batches, error)
        assert main(words) == code
    said = capsys.readouterr()
    assert stored(day.parent) == batches * BATCH
    assert f"stored before it stopped: {batches * BATCH:,} events" in said.err
    value = json.loads(said.out)
    assert (value["appended"], value["lines"]) == (batches * BATCH, batches * BATCH)
    assert value["stopped"]
    assert main(words) == 0, "the same again loses nothing and stores nothing twice"
    value = json.loads(capsys.readouterr().out)
    assert (value["appended"], value["duplicates"]) == (LINES - batches * BATCH, batches * BATCH)
    assert stored(day.parent) == LINES


def test_a_file_that_is_wrong_was_not_stopped_by_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "office.jsonl").write_text("{}\n")
    words = ["ingest", str(tmp_path / "office.jsonl"), "--office", "--log", f"sqlite://{tmp_path}/floor.db"]
    assert main([*words, "--property", "bellwether"]) == 2
    assert "stored before" not in capsys.readouterr().err
