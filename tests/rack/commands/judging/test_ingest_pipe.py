"""`rack ingest -` on a pipe that stays open: its lines are stored in time, and everybody else works meanwhile."""

import json
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from events.sqlite.log import SqliteLog
from intake.lines import line_of
from rack.cli import main
from tests.contract.drafts import TABLE, Drafts
from tests.desk.people import register_people

WAIT_LIMIT_S = 60.0


@pytest.fixture
def demo(tmp_path: Path) -> Path:
    main(["demo", "--rounds", "40", "--out", str(tmp_path), "--quiet"])
    register_people(tmp_path)
    return tmp_path


def rack(*arguments: object) -> list[str]:
    return [sys.executable, "-c", "import sys; from rack.cli import main; sys.exit(main())", *map(str, arguments)]


def wait_until_stored(log: SqliteLog, stream: str, seq: int) -> None:
    until = time.monotonic() + WAIT_LIMIT_S
    while log.head(stream).seq < seq:
        assert time.monotonic() < until, f"{stream} ends at {log.head(stream).seq}, expected {seq}"
        time.sleep(0.005)


def test_everybody_works_while_a_pipe_is_open(demo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    address = f"sqlite://{demo}/floor.db"
    with closing(SqliteLog(demo / "floor.db", read_only=True)) as log:
        main(["review", "list", "--log", address, "--json"])
        finding = json.loads(capsys.readouterr().out)[0]["finding"]
        table = finding["stream"].partition("/")[2]
        drafts = Drafts()
        with subprocess.Popen(rack("ingest", "-", "--log", address), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as ingest:
            assert ingest.stdin is not None

            def send(*lines: bytes) -> None:
                assert ingest.stdin is not None
                ingest.stdin.write(b"".join(line + b"\n" for line in lines))
                ingest.stdin.flush()

            send(line_of(TABLE, drafts.day()))
            wait_until_stored(log, TABLE, 1)
            asked = [
                ["review", "note", finding["id"], "--by", "m.ortiz", "--reason", "looked at it", "--log", address],
                ["prove", table, "3", "--log", address, "--out", str(demo / "proof"), "--by", "m.ortiz", "--reason", "asked for"],
                ["checkpoint", "--log", address, "--key", str(demo / "demo.key")],
            ]
            for number, command in enumerate(asked, start=2):
                assert main([*command, "--quiet"]) == 0, capsys.readouterr().err
                assert ingest.poll() is None
                send(line_of(TABLE, drafts.wager()))
                wait_until_stored(log, TABLE, number)
            ingest.stdin.close()
            assert ingest.stdout is not None
            assert b"4 lines: 4 events appended" in ingest.stdout.read()
        assert ingest.returncode == 0
        noted = [record.data for record in log.read(f"review/{table}")]
        assert any(b'"type":"finding_noted"' in data for data in noted)
        assert any(b'"type":"record_exported"' in data for data in noted)
    capsys.readouterr()
    assert main(["verify", "--log", address, "--key", str(demo / "demo.key.pub"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]
