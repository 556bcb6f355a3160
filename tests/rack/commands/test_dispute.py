"""`rack dispute`, and `rack verify` of what it leaves behind, when the log is gone."""

import json
import shutil
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from events.open import open_checkpoints
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from rack.cli import main
from tests.desk.packet.signed_floor import ORIGIN, Floor, floor_at, played
from tests.rack.signing import signing
from trial.property_folder import DEMO_KEY


@pytest.fixture
def floor(tmp_path: Path) -> Floor:
    (tmp_path / "log").mkdir()
    return floor_at(tmp_path / "log", played())


def rack(capsys: pytest.CaptureFixture[str], *words: str | Path, code: int = 0) -> Any:
    assert main([str(each) for each in words]) == code
    said = capsys.readouterr()
    return json.loads(said.out) if said.out else said.err


def test_a_packet_verifies_when_the_log_is_gone_and_fails_after_one_byte(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, public = tmp_path / "packets", tmp_path / "given.pub"
    shutil.copy(f"{floor.key}.pub", public)
    words = (
        "dispute",
        "fu-01",
        "6",
        "--seat",
        "3",
        "--no-withhold",
        "--log",
        floor.address,
        "--key",
        floor.key,
        "--by",
        "m.ortiz",
        "--out",
        out,
    )
    made = rack(capsys, *words, "--json")
    assert made["verdict"] == "VARIANCE"
    assert made["sentence"].startswith("Seat 3 is owed $25.00")
    assert sorted(path.name for path in out.iterdir()) == [f"fu-01-6-seat-3.{form}" for form in ("html", "json", "pdf")]
    assert made["files"]["pdf"] == str(out / "fu-01-6-seat-3.pdf")
    shutil.rmtree(tmp_path / "log")
    for form in ("json", "pdf"):
        file = Path(made["files"][form])
        checked = rack(capsys, "verify", file, "--key", public, "--json")
        assert (checked["ok"], checked["reproduced"], checked["table"], checked["round"]) == (True, True, "fu-01", 6)
        assert checked["findings"] == ["PAY-MISSED seat=3 wager=base -25.00"]
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
        assert "rack: " in rack(capsys, "verify", file, "--key", public, "--json", code=4)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("--seat", "3"), "fu-01-6-seat-3-withheld"),
        (("--seat", "3", "--withhold"), "fu-01-6-seat-3-withheld"),
        (("--seat", "3", "--no-withhold"), "fu-01-6-seat-3"),
        ((), "fu-01-6"),
        (("--no-withhold",), "fu-01-6"),
    ],
)
def test_other_patrons_are_left_out_if_a_seat_is_named(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], name: str
) -> None:
    where = ("--log", floor.address, "--key", floor.key, "--out", tmp_path, "--json")
    made = rack(capsys, "dispute", "fu-01", "6", *words, *where)
    assert Path(made["files"]["json"]).stem == name


def test_what_was_changed_is_said(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rack(capsys, "dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--out", tmp_path, "--quiet", "--json")
    file = tmp_path / "fu-01-6.json"
    file.write_bytes(file.read_bytes().replace(b'"verdict":"VARIANCE"', b'"verdict":"UPHELD"'))
    assert rack(capsys, "verify", file, "--key", f"{floor.key}.pub", "--json", code=4) == (
        "rack: adjudication: it is not what was signed\n"
    )


def test_a_file_is_not_checked_without_a_key_or_with_another(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rack(capsys, "dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--out", tmp_path, "--json")
    new_key(tmp_path / "other", ORIGIN, KeyKind.LOG)
    for form in ("json", "pdf"):
        file = tmp_path / f"fu-01-6.{form}"
        assert "--key" in rack(capsys, "verify", file, "--json", code=2)
        assert "no key that was given" in rack(capsys, "verify", file, "--key", tmp_path / "other.pub", "--json", code=4)
    assert "without a signature" in rack(capsys, "verify", tmp_path / "fu-01-6.html", "--key", f"{floor.key}.pub", code=2)
    assert "no.json" in rack(capsys, "verify", tmp_path / "no.json", "--key", f"{floor.key}.pub", code=3)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("fu-99", "6"), "the log has no table 'fu-99'; it has fu-01"),
        (("fu-01", "60"), "there is no round 60; there are rounds 1 to 8"),
        (("fu-01", "6", "--seat", "9"), "no seat 9"),
    ],
)
def test_what_is_not_there_is_usage(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    out = tmp_path / "out"
    assert said in rack(capsys, "dispute", *words, "--log", floor.address, "--key", floor.key, "--out", out, code=2)
    assert not out.exists()


def test_the_key_comes_from_the_flag_the_environment_or_the_demo(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("dispute", "fu-01", "6", "--log", floor.address, "--json", "--out")
    monkeypatch.delenv("RACK_KEY", raising=False)
    assert "RACK_KEY" in rack(capsys, *words, tmp_path / "none", code=2)
    monkeypatch.setenv("RACK_KEY", str(floor.key))
    assert rack(capsys, *words, tmp_path / "one")["verdict"] == "VARIANCE"
    monkeypatch.delenv("RACK_KEY")
    floor.key.rename(floor.key.with_name(DEMO_KEY))
    assert rack(capsys, *words, tmp_path / "two")["verdict"] == "VARIANCE"
    new_key(tmp_path / "stranger", ORIGIN, KeyKind.LOG)
    assert "not in force" in rack(capsys, *words, tmp_path / "three", "--key", tmp_path / "stranger", code=3)


def test_a_packet_is_not_overwritten(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--out", tmp_path)
    rack(capsys, *words, "--json")
    before = (tmp_path / "fu-01-6.pdf").read_bytes()
    assert "is never overwritten" in rack(capsys, *words, code=2)
    assert (tmp_path / "fu-01-6.pdf").read_bytes() == before


@pytest.mark.nightly
def test_packets_and_a_process_that_signs_live_together(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each packet writes its export down, so that the next one of the round is newer than the last checkpoint."""
    with signing(floor.address, floor.key, tmp_path) as signer:
        signer.until("signed")
        for number in ("one", "two", "three"):
            words = ("dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--out", tmp_path / number)
            made = rack(capsys, *words, "--json")
            checked = rack(capsys, "verify", made["files"]["json"], "--key", f"{floor.key}.pub", "--json")
            assert checked["reproduced"]
        signer.until("signed", signer.signed() + 2)  # it goes on as before
        assert signer.stop() == 0, signer.said
    report = rack(capsys, "verify", "--log", floor.address, "--key", f"{floor.key}.pub", "--json")
    assert report["ok"]
    assert report["checkpoints"] == 1 + signer.signed(), "no checkpoint but its own"


@pytest.mark.slow
def test_a_process_that_signs_waits_for_a_packet_that_does_so_for_a_moment(floor: Floor, tmp_path: Path) -> None:
    with closing(floor.log()) as log:
        store = open_checkpoints(floor.address, log_id=log.log_id)
    with signing(floor.address, floor.key, tmp_path) as signer:
        signer.until("for it to finish")
        store.close()
        signer.until("signed")
        assert signer.stop() == 0


def test_a_packet_says_that_it_waits_and_for_how_long(floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--wait", "1", "--out")
    rack(capsys, *words, tmp_path / "one", "--json")
    with closing(floor.log()) as log, closing(open_checkpoints(floor.address, log_id=log.log_id)):
        said = rack(capsys, *words, tmp_path / "two", code=2)
    assert "waiting up to 1 s for the next one" in said
    assert "no checkpoint came to cover review/fu-01 up to event " in said
    assert not (tmp_path / "two").exists()


def test_a_packet_of_another_version_with_other_rules_is_told_apart_from_tampering(
    floor: Floor, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rack(capsys, "dispute", "fu-01", "6", "--log", floor.address, "--key", floor.key, "--out", tmp_path, "--json")
    words = ("verify", tmp_path / "fu-01-6.json", "--key", f"{floor.key}.pub", "--json")
    monkeypatch.setattr("replay.run.engine._digest", lambda *_: "another")
    checked = rack(capsys, *words)
    assert (checked["reproduced"], checked["same_engine"]) == (True, False)
    monkeypatch.setattr("desk.packet.check.is_same", lambda one, other: False)
    checked = rack(capsys, *words, code=1)
    assert (checked["ok"], checked["reproduced"]) == (False, False)
