"""Refused bytes are compared with the SHA-256 in the chain wherever they are used: what does not fit is named and not used."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from events.errors import IntegrityError
from events.log.contract import UNKNOWN_STREAM, QuarantineEntry
from events.proofs.quarantine import EntryChanged, EntryMissing, RefusalNotice, compare_quarantine
from events.sqlite.log import SqliteLog
from intake.appending import append_lines
from intake.lines import line_of, read_line
from intake.quarantine import quarantine_cases, redrive
from rack.cli import main
from tests.replay.tables import PAID, PROPERTY, Table

TABLE = "table/fu-01"
REFUSED_SEQ = 6


def day() -> list[bytes]:
    table = Table(TABLE)
    table.play(1, PAID)
    return [line_of(table.stream, draft) for draft in table.drafts]


def smudged(line: bytes) -> bytes:
    return line.replace(b'"payload":{', b'"payload":{"smudged":1,', 1)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A log with a line refused as event 6 of the table, and one whose stream no one can read."""
    path = tmp_path / "floor.db"
    lines = day()
    lines[REFUSED_SEQ - 1] = smudged(lines[REFUSED_SEQ - 1])
    with closing(SqliteLog(path, create=True, property_id=PROPERTY)) as log:
        for _ in append_lines(log, [read_line(line, "day") for line in [*lines, b"garbage"]]):
            pass
    return path


Attack = Callable[[Path], tuple[str, ...]]


def execute(path: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        assert database.execute(statement, values).rowcount == 1


def original() -> bytes:
    return day()[REFUSED_SEQ - 1]


def name() -> str:
    return sha256(smudged(original())).hexdigest()


def changed(path: Path) -> tuple[str, ...]:
    """The line as the device should have said it, with more money: it can be read, and would go into the record."""
    execute(path, "UPDATE quarantine SET data = ? WHERE stream = ?", original(), TABLE)
    return f"{TABLE} event {REFUSED_SEQ}", name(), sha256(original()).hexdigest()


def renamed(path: Path) -> tuple[str, ...]:
    digest = sha256(original()).hexdigest()
    execute(path, "UPDATE quarantine SET data = ?, sha256 = ? WHERE stream = ?", original(), digest, TABLE)
    return f"{TABLE} event {REFUSED_SEQ}", name(), "missing", digest


def deleted(path: Path) -> tuple[str, ...]:
    execute(path, "DELETE FROM quarantine WHERE stream = ?", TABLE)
    return f"{TABLE} event {REFUSED_SEQ}", name(), "missing"


def garbage_changed(path: Path) -> tuple[str, ...]:
    """An entry that no event vouches for is named by its place."""
    execute(path, "UPDATE quarantine SET data = ? WHERE stream = ?", original(), UNKNOWN_STREAM)
    return "quarantine entry 2", sha256(b"garbage").hexdigest(), sha256(original()).hexdigest()


ATTACKS = [changed, renamed, deleted, garbage_changed]


def run(*arguments: object) -> int:
    return main([str(argument) for argument in arguments])


def address(path: Path) -> str:
    return f"sqlite://{path}"


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("command", ["verify", "list", "redrive", "archive"])
def test_every_use_names_what_does_not_fit(path: Path, tmp_path: Path, capsys, attack: Attack, command: str) -> None:
    expected = attack(path)
    arguments = {
        "verify": ("verify", "--log", address(path)),
        "list": ("quarantine", "list", "--log", address(path)),
        "redrive": ("quarantine", "redrive", "--log", address(path), "--by", "sv-1", "--reason", "again"),
        "archive": ("archive", "--log", address(path), "--out", tmp_path / "archive", "--running"),
    }[command]
    assert run(*arguments) == 4
    captured = capsys.readouterr()
    for part in expected:
        assert part in captured.out + captured.err
    if command == "redrive":
        with closing(SqliteLog(path, read_only=True)) as log:
            assert b"event_corrected" not in b"".join(record.data for record in log.read(TABLE))
    if command == "archive":
        again = run("verify", "--log", f"archive://{tmp_path / 'archive'}")
        assert again == (0 if attack is garbage_changed else 4)
        assert original() not in b"".join(each.data for each in _sealed(tmp_path / "archive"))


def _sealed(folder: Path) -> list[QuarantineEntry]:
    from events.archive.read import ArchiveLog

    return ArchiveLog(folder, read_only=True).quarantined()


@pytest.mark.parametrize("command", ["verify", "list", "archive"])
def test_what_fits_is_no_failure(path: Path, tmp_path: Path, capsys, command: str) -> None:
    arguments = {
        "verify": ("verify", "--log", address(path), "--json"),
        "list": ("quarantine", "list", "--log", address(path)),
        "archive": ("archive", "--log", address(path), "--out", tmp_path / "archive", "--running"),
    }[command]
    assert run(*arguments) == 0
    captured = capsys.readouterr()
    if command == "verify":
        counts = {"entries": 2, "vouched": 1, "unvouched": 1, "changed": 0, "missing": 0}
        assert json.loads(captured.out)["quarantine"] == counts
    if command == "list":
        assert "no event vouches for it" in captured.out
    if command == "archive":
        assert run("verify", "--log", f"archive://{tmp_path / 'archive'}") == 0
        assert "does not vouch for 1 refused line" in capsys.readouterr().out


@pytest.mark.parametrize("attack", [changed, renamed, deleted])
def test_json_agrees_with_the_exit(path: Path, capsys, attack: Attack) -> None:
    attack(path)
    assert run("verify", "--log", address(path), "--json") == 4
    result = json.loads(capsys.readouterr().out)
    assert (result["ok"], len(result["failures"])) == (False, 1)
    assert result["quarantine"]["changed"] + result["quarantine"]["missing"] == 1
    kind = "entry_changed" if attack is changed else "entry_missing"
    assert [(found["kind"], found["stream"], found["seq"]) for found in result["breaks"]] == [(kind, TABLE, REFUSED_SEQ)]


@pytest.mark.parametrize(("attack", "state"), [(changed, "CHANGED"), (deleted, "MISSING")])
def test_an_entry_is_shown_with_its_fault(path: Path, capsys, attack: Attack, state: str) -> None:
    expected = attack(path)
    assert run("quarantine", "show", name()[:16], "--log", address(path)) == 4
    captured = capsys.readouterr()
    assert state in captured.out
    assert all(part in captured.err for part in expected)


@pytest.mark.parametrize("attack", [changed, deleted])
def test_a_corrected_line_cannot_stand_for_bytes_that_do_not_fit(path: Path, attack: Attack) -> None:
    attack(path)
    with closing(SqliteLog(path)) as log:
        case = next(case for case in quarantine_cases(log) if case.refused_seq == REFUSED_SEQ)
        with pytest.raises(IntegrityError):
            redrive(log, case, by="sv-1", reason="again", line=original())


def test_a_line_handed_in_again_fills_the_place_of_a_deleted_one(path: Path) -> None:
    deleted(path)
    with closing(SqliteLog(path)) as log:
        for _ in append_lines(log, [read_line(smudged(original()), "again")]):
            pass
    assert run("verify", "--log", address(path)) == 0


def test_a_sealed_entry_that_was_changed_since_is_named_by_the_next_run(path: Path, tmp_path: Path) -> None:
    archive = ("archive", "--log", address(path), "--out", tmp_path / "archive", "--running")
    assert run(*archive) == 0
    assert run(*archive) == 0
    changed(path)
    assert run(*archive) == 4


LINE = b"refused"
DIGEST = sha256(LINE).hexdigest()


def entry(stream: str = TABLE, data: bytes = LINE, digest: str = DIGEST) -> QuarantineEntry:
    return QuarantineEntry(stream, digest, "why", data)


@pytest.mark.parametrize(
    ("entries", "notices", "faults"),
    [
        ([], [], []),
        ([entry()], [RefusalNotice(TABLE, 3, DIGEST, 7)], []),
        ([entry(UNKNOWN_STREAM)], [RefusalNotice(TABLE, 3, DIGEST, 7)], []),
        ([entry()], [], []),
        ([entry("table/fu-02")], [RefusalNotice(TABLE, 3, DIGEST, 7)], [(EntryMissing, TABLE, 3)]),
        ([entry()], [RefusalNotice(TABLE, 3, DIGEST, 8)], [(EntryChanged, TABLE, 3)]),
        ([entry(data=b"Refused")], [RefusalNotice(TABLE, 3, DIGEST, 7)], [(EntryChanged, TABLE, 3)]),
        ([entry(data=b"Refused")], [], [(EntryChanged, "quarantine", 1)]),
        ([], [RefusalNotice(TABLE, 3, DIGEST, 7)], [(EntryMissing, TABLE, 3)]),
    ],
)
def test_entries_and_events_are_compared(entries: list, notices: list, faults: list) -> None:
    check = compare_quarantine(entries, notices)
    assert [(type(fault), fault.stream, fault.seq) for fault in check.faults] == faults
    assert check.entries == check.vouched + check.unvouched == len(entries)
    assert check.changed + check.missing == len(faults)
