"""`rack verify` and `rack ingest` on a log in SQLite."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from events.vocabulary.envelope import Draft
from events.vocabulary.model import GamingDayOpened, NoMoreBets, RoundClosed, RoundOpened
from intake.lines import line_of
from rack.cli import main

TABLE = "table/fu-01"
PAYLOADS = [
    (GamingDayOpened(gaming_day="2026-03-01"), None),
    (RoundOpened(deck="d1", observed=[]), 1),
    (NoMoreBets(announced_by="dealer"), 1),
    (RoundClosed(by="d-7"), 1),
]
DRAFTS = [
    Draft(event_id=f"{n:032x}", source="dealer", source_seq=n, occurred_at_us=n, round_no=round_no, payload=payload)
    for n, (payload, round_no) in enumerate(PAYLOADS, 1)
]


@pytest.fixture
def day(tmp_path: Path) -> Path:
    path = tmp_path / "day.jsonl"
    path.write_bytes(b"".join(line_of(TABLE, draft) + b"\n" for draft in DRAFTS))
    return path


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"sqlite://{tmp_path}/floor.db"


def run(*arguments: str | Path) -> int:
    return main([str(argument) for argument in arguments])


def test_ingest_creates_a_log_when_its_property_is_named(day: Path, address: str, capsys) -> None:
    assert run("ingest", day, "--log", address) == 3
    assert "there is no log at" in capsys.readouterr().err
    assert run("ingest", day, "--log", address, "--property", "bellwether") == 0
    assert capsys.readouterr().out == "4 lines: 4 events appended, 0 duplicates dropped, 0 refused\n"
    assert run("ingest", day, "--log", address, "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"lines": 4, "appended": 0, "duplicates": 4, "refused": []}


def test_ingest_names_the_bad_line_and_takes_the_rest(day: Path, address: str, capsys) -> None:
    lines = day.read_bytes().splitlines(keepends=True)
    day.write_bytes(b"\n" + lines[0] + lines[1] + lines[2].replace(b'"dealer"},', b'"nobody"},') + lines[3])
    assert run("ingest", day, "--log", address, "--property", "bellwether", "--json") == 1
    out, err = capsys.readouterr()
    (refused,) = json.loads(out)["refused"]
    assert (refused["where"], refused["stream"]) == (f"{day}:4", TABLE)
    assert err.startswith(f"{day}:4: {TABLE}: no_more_bets v1: ")
    assert "quarantined as" in err
    assert run("verify", "--log", address, "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["events"], report["quarantined"], report["ok"]) == (4, 1, True)


def test_ingest_of_no_file(address: str, capsys) -> None:
    assert run("ingest", "nowhere.jsonl", "--log", address) == 2
    assert capsys.readouterr().err.startswith("rack: nowhere.jsonl is no file")


def test_no_log_is_named(day: Path, monkeypatch, capsys) -> None:
    monkeypatch.delenv("RACK_LOG", raising=False)
    assert run("ingest", day) == 2
    assert "set RACK_LOG" in capsys.readouterr().err


@pytest.mark.parametrize("address", ["floor.db", "sqlite://", "kafka://host:1", "redis://x/y"])
def test_no_address_of_a_log(address: str, capsys) -> None:
    assert run("verify", "--log", address) == 3
    assert "is no address of a log" in capsys.readouterr().err


def test_verify_says_that_a_log_is_whole(day: Path, address: str, capsys) -> None:
    run("ingest", day, "--log", address, "--property", "bellwether")
    capsys.readouterr()
    assert run("verify", "--log", address) == 0
    assert capsys.readouterr().out.endswith("of bellwether: 4 events in 1 stream: verified\n")


def test_verify_names_the_first_break_and_exits_4(day: Path, address: str, tmp_path: Path, capsys) -> None:
    run("ingest", day, "--log", address, "--property", "bellwether")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        database.execute("DROP TRIGGER events_keep")
        database.execute("UPDATE events SET data = CAST(replace(CAST(data AS TEXT), 'dealer', 'device') AS BLOB) WHERE seq = 3")
    capsys.readouterr()
    assert run("verify", "--log", address, "--json") == 4
    out, _ = capsys.readouterr()
    first = json.loads(out)["first_break"]
    assert (first["stream"], first["seq"], first["kind"], first["code"]) == (TABLE, 3, "changed", "LOG-SEAL")
    assert run("verify", "--log", address) == 4
    assert f"LOG-SEAL {TABLE} event 3" in capsys.readouterr().out
