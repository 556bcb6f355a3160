"""`rack verify --report`: a dated PDF of what was verified, signed if a key is named; and `--progress`, stream by stream."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from desk.verification.steps import VerificationStep, stepping
from events.log.contract import Head
from rack.cli import main
from tests.desk.packet.signed_floor import Floor, floor_at, played


@pytest.fixture(scope="module")
def floor(tmp_path_factory: pytest.TempPathFactory) -> Floor:
    return floor_at(tmp_path_factory.mktemp("floor"), played())


@pytest.fixture(autouse=True)
def _no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RACK_KEY", raising=False)


def test_a_report_is_signed_with_the_key_that_is_named(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pdf, public = tmp_path / "v.pdf", f"{floor.key}.pub"
    words = ["verify", "--log", floor.address, "--key", public, "--by", "m.ortiz"]
    assert main([*words, "--report", str(pdf), "--sign", str(floor.key)]) == 0
    capsys.readouterr()
    assert main(["verify", str(pdf), "--key", public]) == 0
    assert "Verification of the log" in capsys.readouterr().out


def test_without_a_key_there_is_a_report_and_nothing_takes_it_for_a_signed_one(floor: Floor, tmp_path: Path) -> None:
    pdf = tmp_path / "v.pdf"
    assert main(["verify", "--log", floor.address, "--report", str(pdf), "--quiet"]) == 0
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert main(["verify", str(pdf), "--key", f"{floor.key}.pub", "--quiet"]) == 4


def test_a_broken_log_gets_its_report_too(floor: Floor, tmp_path: Path) -> None:
    copied = tmp_path / "copy"
    shutil.copytree(Path(floor.address.partition("://")[2]).parent, copied)
    database = copied / Path(floor.address).name
    with closing(sqlite3.connect(database)) as broken, broken:
        for trigger in ("events_keep", "events_stay"):
            broken.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        assert broken.execute("UPDATE events SET data = x'7b7d' WHERE stream LIKE 'table/%' AND seq = 3").rowcount > 0
    pdf = tmp_path / "v.pdf"
    words = ["verify", "--log", f"sqlite://{database}", "--report", str(pdf), "--sign", str(floor.key), "--quiet"]
    assert main(words) == 4
    assert main(["verify", str(pdf), "--key", f"{floor.key}.pub", "--quiet"]) == 0


def test_a_key_that_cannot_sign_costs_the_signature_and_not_the_verification(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdf = tmp_path / "v.pdf"
    words = ["verify", "--log", floor.address, "--report", str(pdf), "--sign", str(tmp_path / "absent.key"), "--quiet"]
    assert main(words) == 0
    assert "the report is not signed" in capsys.readouterr().err
    assert pdf.is_file()


def test_a_report_is_never_overwritten(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pdf = tmp_path / "v.pdf"
    pdf.write_bytes(b"kept")
    assert main(["verify", "--log", floor.address, "--report", str(pdf)]) == 2
    assert "never overwritten" in capsys.readouterr().err
    assert pdf.read_bytes() == b"kept"


@pytest.mark.parametrize(
    ("given", "said"),
    [(["--sign", "x.key"], "name the report's file with --report"), (["--report", "absent/v.pdf"], "no such folder")],
)
def test_what_cannot_be_written_is_said_before_anything_is_read(
    given: list[str], said: str, floor: Floor, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--log", floor.address, *given]) == 2
    assert said in capsys.readouterr().err


def test_progress_tells_of_every_stream_as_it_is_walked(floor: Floor, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--log", floor.address, "--progress", "--json", "--quiet"]) == 0
    said = capsys.readouterr()
    streams = json.loads(said.out)["streams"]
    steps = [json.loads(each) for each in said.err.splitlines()]
    assert [each["stream"] for each in steps] == sorted(streams)
    assert [each["number"] for each in steps] == list(range(1, len(streams) + 1))
    assert {each["of"] for each in steps} == {sum(head["seq"] for head in streams.values())}
    assert steps[-1]["events"] == steps[-1]["of"]


@pytest.mark.parametrize(
    ("acknowledged", "words", "share"),
    [
        ({}, "table/a, 1 stream so far: 3 events", 0.0),
        ({"table/a": 4, "table/b": 6}, "table/a, 1 of 2 streams: 3 of 10 events", 0.3),
        ({"table/b": 2}, "table/a, 1 of 2 streams: 3 of 3 events", 1.0),
    ],
)
def test_the_progress_of_a_log_that_lists_its_streams_by_reading_itself_reads_nothing(
    acknowledged: dict[str, int], words: str, share: float
) -> None:
    log, steps = Mock(spec=["is_interleaved", "acknowledged"], is_interleaved=True), list[VerificationStep]()
    log.acknowledged.return_value = {stream: Head(seq, b"") for stream, seq in acknowledged.items()}
    stepping(steps.append)(log)("events checked", "table/a", 3)
    assert [(each.words, each.share) for each in steps] == [(words, share)]
