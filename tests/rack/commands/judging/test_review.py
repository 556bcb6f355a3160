"""`rack review`: the queue and what is done about it, through the log."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rack.cli import main
from tests.desk.review.test_cameras import WHOLE as CAMERAS
from tests.device_lines import as_lines
from tests.rack.commands.judging.command_line import judged, printed
from trial.property_folder import PERSONS

TRANSCRIPT = """
rules   pa-688a ace_high_bonus=1
table   fu-01
round   1
wager   seat=3 base 25.00  ace_high_bonus 10.00
dice    2 2 4 -> dealer
deal    dealer=Jk Kd Jc 9s 8h 4d 3c  seat3=As Qd Th 9h 7c 5s 2d
pay     seat=3 ace_high_bonus 100.00
close
"""


@pytest.fixture
def address(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """A log with one underpaid wager, replayed."""
    return judged(tmp_path, TRANSCRIPT, capsys)


def said(capsys: pytest.CaptureFixture[str], address: str, *words: str, code: int = 0) -> Any:
    return printed(capsys, "review", address, *words, "--json", code=code)


def underpaid(capsys: pytest.CaptureFixture[str], address: str) -> str:
    (finding,) = [
        case["finding"]["id"] for case in said(capsys, address, "list", code=1) if case["finding"]["code"] == "PAY-UNDER"
    ]
    return str(finding)


def test_the_queue_from_open_to_signed(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    finding = underpaid(capsys, address)
    by = ("--by", "m.ortiz", "--reason", "slip 17")
    assert said(capsys, address, "assign", finding[:10], "--to", "s.lee", *by)["says"] == "assigned the finding to s.lee: slip 17"
    resolved = said(
        capsys,
        address,
        "resolve",
        finding,
        "--disposition",
        "confirmed_paid_patron",
        "--amount",
        "100.00",
        "--by",
        "s.lee",
        "--reason",
        "paid",
    )
    assert resolved["says"] == "resolved the finding: fault confirmed, the patron was paid, 100.00: paid"
    assert main(["review", "sign", finding, "--by", "s.lee", "--reason", "x", "--log", address]) == 2
    assert "another person's" in capsys.readouterr().err
    said(capsys, address, "sign", finding, *by)
    assert said(capsys, address, "list") == []
    every = {case["finding"]["id"]: case["review"]["state"] for case in said(capsys, address, "list", "fu-01", "--all")}
    assert every[finding] == "resolved"
    assert main(["review", "show", finding, "--log", address]) == 0
    shown = capsys.readouterr().out
    assert f"{finding}: table fu-01, round 1; resolved, assigned to s.lee" in shown
    assert "second signature" in shown
    assert said(capsys, address, "reopen", finding, *by)["what"] == "finding_reopened"
    assert main(["verify", "--log", address]) == 0


def test_who_is_not_registered_acts_on_nothing_until_they_are(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    finding = underpaid(capsys, address)
    note = ["review", "note", finding, "--by", "T.Ito@bellwether.example", "--reason", "seen", "--log", address]
    assert main(note) == 2
    problem = capsys.readouterr().err
    assert "'T.Ito@bellwether.example' is not registered" in problem
    assert "are: k.may, m.ortiz, r.haas, s.lee." in problem
    assert "rack review register ID --name TEXT" in problem
    assert main(["review", "assign", finding, "--to", "t.ito", "--by", "s.lee", "--reason", "x", "--log", address]) == 2
    assert "'t.ito' is not registered" in capsys.readouterr().err
    account = ("--account", "t.ito@bellwether.example", "--account", "tito")
    added = said(capsys, address, "register", "t.ito", "--name", "Tomo Ito", *account)
    assert added[-1] == {"id": "t.ito", "name": "Tomo Ito", "accounts": ["t.ito@bellwether.example", "tito"], "roles": []}
    assert said(capsys, address, "persons") == added
    assert main(note) == 0
    assert "t.ito noted" in capsys.readouterr().out


def test_a_person_signs_once_whatever_the_name(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    finding = underpaid(capsys, address)
    paid = ("--disposition", "confirmed_paid_patron", "--amount", "100.00", "--reason", "paid")
    said(capsys, address, "resolve", finding, *paid, "--by", "s.lee@bellwether.example")
    for name in ("s.lee", "S.LEE", " s.lee", "s.lee\N{ZERO WIDTH SPACE}"):
        assert main(["review", "sign", finding, "--by", name, "--reason", "x", "--log", address]) == 2
        assert "s.lee has signed already; the second signature must be another person's" in capsys.readouterr().err


def test_without_a_register_the_command_says_how_to_make_one(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    finding = underpaid(capsys, address)
    (tmp_path / PERSONS).unlink()
    note = ["review", "note", finding, "--by", "m.ortiz", "--reason", "seen", "--log", address]
    assert main(note) == 2
    assert f"{tmp_path / PERSONS}: there is no register of persons" in capsys.readouterr().err
    monkeypatch.setenv("RACK_PERSONS", str(tmp_path / "people.toml"))
    assert main(["review", "register", "m.ortiz", "--name", "M. Ortiz", "--log", address]) == 0
    assert (tmp_path / "people.toml").is_file()
    assert main(note) == 0


def test_a_log_on_kafka_names_its_register(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", "persons", "--log", "kafka://127.0.0.1:1/floor"]) == 2
    assert "RACK_PERSONS" in capsys.readouterr().err


def test_a_dispute_and_its_video(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    by = ("--by", "m.ortiz", "--reason", "paid 100, should be 200")
    said(capsys, address, "open", "fu-01", "1", "--dispute", "d-1", "--seat", "3", *by)
    shown = ("--camera", "cam-4", "--from", "2026-03-01T21:14:00Z", "--to-time", "2026-03-01T21:15:00Z")
    said(capsys, address, "video", "fu-01", "1", *shown, *by)
    finding = underpaid(capsys, address)
    close = ["review", "close", "fu-01", "--dispute", "d-1", "--outcome", "for_patron", *by, "--log", address]
    assert main(close) == 2
    assert "the patron at seat 3 is still owed $100.00" in capsys.readouterr().err
    paid = ("--disposition", "confirmed_paid_patron", "--amount", "100.00")
    said(capsys, address, "resolve", finding, *paid, *by)
    said(capsys, address, "sign", finding, "--by", "s.lee", "--reason", "seen")
    closed = said(capsys, address, "close", "fu-01", "--dispute", "d-1", "--outcome", "for_patron", *by)
    assert closed["says"].startswith("closed dispute d-1, decided for the patron")
    assert said(capsys, address, "custody", "fu-01") == []


def test_a_clip_is_marked_by_its_cameras_clock_and_with_the_digest_of_its_file(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Camera 4 is 2.3 s ahead; of camera 8 no one said how its clock goes."""
    (tmp_path / "cameras.toml").touch(0o600)
    (tmp_path / "cameras.toml").write_text(CAMERAS)
    clip = tmp_path / "clip.mkv"
    clip.write_bytes(b"abc")
    by = ("--by", "m.ortiz", "--reason", "seat 3 points")
    at = ("--from", "2026-03-01T16:14:00-05:00", "--to-time", "2026-03-01T16:14:30-05:00")
    first = said(capsys, address, "video", "fu-01", "1", "--camera", "cam-4", *at, "--file", str(clip), *by)
    second = said(capsys, address, "video", "fu-01", "1", "--camera", "cam-8", *at, *by)
    abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-2, B.1
    assert first["says"] == (
        "marked 30 s of video of camera cam-4 from 2026-03-01 21:14:02 UTC by its clock, 2.3 s ahead "
        f"(file with SHA-256 {abc}): seat 3 points"
    )
    assert second["says"] == ("marked 30 s of video of camera cam-8 from 2026-03-01 21:14:00 UTC by its clock: seat 3 points")
    missing = ["review", "video", "fu-01", "1", "--camera", "cam-4", *at, "--file", str(tmp_path / "none.mkv"), *by]
    assert main([*missing, "--log", address]) == 3
    assert "none.mkv: No such file" in capsys.readouterr().err


def test_a_broken_review_of_one_table_hides_no_other(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was done about its findings cannot be told, so that they are left out and named."""
    second = tmp_path / "second.txt"
    second.write_text(TRANSCRIPT.replace("fu-01", "fu-02"))
    assert main(["ingest", str(as_lines(second)), "--log", address]) == 0
    assert main(["replay", "--log", address]) == 1
    ids = {}
    for table in ("fu-01", "fu-02"):
        capsys.readouterr()
        (ids[table],) = [
            each["finding"]["id"]
            for each in said(capsys, address, "list", table, code=1)
            if each["finding"]["code"] == "PAY-UNDER"
        ]
    said(capsys, address, "note", ids["fu-01"], "--by", "m.ortiz", "--reason", "seen")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        database.execute("DROP TRIGGER events_keep")
        sewn = "CAST(replace(CAST(data AS TEXT), 'seen', 'sewn') AS BLOB)"
        database.execute(f"UPDATE events SET data = {sewn} WHERE stream = 'review/fu-01'")
    assert main(["review", "list", "--log", address, "--json"]) == 4
    out, err = capsys.readouterr()
    assert {each["finding"]["stream"] for each in json.loads(out)} == {"table/fu-02"}
    assert (
        "the review stream of fu-01 is broken and its findings are not listed; run `rack verify`: LOG-SEAL review/fu-01 event"
        in err
    )
    assert said(capsys, address, "note", ids["fu-02"][:12], "--by", "m.ortiz", "--reason", "paid")["seq"] == 2
    assert main(["review", "show", ids["fu-01"], "--log", address]) == 4


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["register", "T.Ito", "--name", "X"], "is no id of a person"),
        (["register", "s-lee", "--name", "X"], "two names must be two people"),
        (["note", "zz", "--by", "m.ortiz", "--reason", "x"], "no single finding matches 'zz'"),
        (["list", "fu-99"], "the log has no table 'fu-99'"),
        (["custody", "fu-99"], "the log has no table 'fu-99'"),
        (
            ["resolve", "FINDING", "--disposition", "false_alarm", "--amount", "1.0", "--by", "a", "--reason", "b"],
            "'1.0' is no amount",
        ),
        (
            ["resolve", "FINDING", "--disposition", "false_alarm", "--amount", "1,00.00", "--by", "a", "--reason", "b"],
            "is no amount",
        ),
        (["video", "fu-01", "1", "--camera", "c", "--by", "a", "--reason", "b", "--from", "fu=1"], "expected a time"),
    ],
)
def test_what_is_missing_is_named(address: str, capsys: pytest.CaptureFixture[str], words: list[str], problem: str) -> None:
    finding = underpaid(capsys, address)
    assert main(["review", *(finding if word == "FINDING" else word for word in words), "--log", address]) == 2
    assert problem in capsys.readouterr().err


def test_the_log_must_have_been_replayed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    transcript, address = tmp_path / "table.txt", f"sqlite://{tmp_path}/floor.db"
    transcript.write_text(TRANSCRIPT)
    assert main(["ingest", str(as_lines(transcript)), "--log", address, "--property", "bellwether"]) == 0
    assert main(["review", "list", "--log", address]) == 3
    assert "replay the log first" in capsys.readouterr().err
