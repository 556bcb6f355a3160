"""`rack keys`, `checkpoint`, `witness`, `prove`, and `rack verify` of what they leave behind, on a log in SQLite."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind
from intake.lines import line_of
from rack.cli import main
from tests.rack.commands.test_log_commands import DRAFTS, TABLE


class CommandRunner:
    """Runs commands on one log in a folder, and remembers what they said."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self._capsys = folder, capsys
        self.out = self.err = ""

    def __call__(self, *arguments: str | Path, log: bool = True, code: int = 0) -> Any:
        words = [str(each) for each in arguments]
        assert main([*words, *(["--log", f"sqlite://{self.folder}/floor.db"] if log else [])]) == code
        self.out, self.err = self._capsys.readouterr()
        return json.loads(self.out) if "--json" in words else self.out

    def ingest(self, **replaced: str) -> None:
        lines = b"".join(line_of(TABLE, draft) + b"\n" for draft in DRAFTS)
        (self.folder / "day.jsonl").write_bytes(lines)
        self("ingest", self.folder / "day.jsonl", "--property", "bellwether")


@pytest.fixture
def rack(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandRunner:
    desk = CommandRunner(tmp_path, capsys)
    desk.ingest()
    return desk


@pytest.fixture
def key(rack: CommandRunner, tmp_path: Path) -> Path:
    rack("keys", "new", tmp_path / "key", "--by", "chief")
    return tmp_path / "key"


def test_a_log_that_lost_acknowledged_events_is_not_signed(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "floor.db")) as database, database:
        database.executescript(f"DROP TRIGGER events_stay; DELETE FROM events WHERE seq = {len(DRAFTS)}")
    rack("checkpoint", "--key", key, code=4)
    assert "the stream ends at 3, but 4 events were acknowledged" in rack.err
    assert not list(tmp_path.glob("key.*.signed")), "nothing was signed"


def test_the_first_key_of_a_log_is_published_in_it(rack: CommandRunner, tmp_path: Path) -> None:
    made = rack("keys", "new", tmp_path / "key", "--by", "chief", "--json")
    assert made["file"] == str(tmp_path / "key")
    assert (tmp_path / "key.pub").read_text().strip() == made["public_key"]
    (listed,) = rack("keys", "list", "--json")
    unvouched = {"retired": None, "vouch": None, "vouched_by": None}
    assert listed == {"public_key": made["public_key"], "published": made["event"], **unvouched}
    rack("keys", "new", tmp_path / "another", "--by", "chief", code=2)
    assert "`rack keys rotate`" in rack.err
    assert not (tmp_path / "another").exists()


def test_a_key_needs_somebody_who_publishes_it(rack: CommandRunner, tmp_path: Path) -> None:
    for by in ((), ("--by", "m.ortiz"), ("--by", "x" * 33), ("--by", "")):
        rack("keys", "new", tmp_path / "key", *by, code=2)
        assert "--by" in rack.err
        assert not (tmp_path / "key").exists()


def test_no_key_and_no_checkpoint(rack: CommandRunner, tmp_path: Path) -> None:
    assert "has no keys" in rack("keys", "list")
    rack("checkpoint", "--key", tmp_path / "nowhere", code=3)
    assert "rack keys new" in rack.err
    report = rack("verify", "--json")
    assert (report["ok"], report["checkpoints"], report["events"], report["tables"]) == (True, 0, 4, 1)
    rack("prove", "fu-01", "1", code=2)
    assert "no checkpoint covers table/fu-01 event 1" in rack.err


def test_what_verify_says_of_a_log_with_checkpoints(rack: CommandRunner, key: Path) -> None:
    made = rack("checkpoint", "--key", key, "--json")
    rack("checkpoint", "--key", key)
    report = rack("verify", "--json")
    assert {"ok", "events", "tables", "checkpoints", "first_break"} <= report.keys()
    assert (report["ok"], report["checkpoints"], report["first_break"], report["overdue"]) == (True, 2, None, False)
    assert (made["size"], report["signed"]["statements"]) == (3, 4), "two streams and a time; then another time"
    assert report["signed"]["events"] == report["events"] == 6
    assert "only that the log agrees with itself" in rack("verify")
    assert "the log itself names" not in rack("verify", "--key", f"{key}.pub")


def test_a_readable_key_does_not_sign(rack: CommandRunner, key: Path) -> None:
    key.chmod(0o644)
    rack("checkpoint", "--key", key, code=3)
    assert "chmod 600" in rack.err
    assert rack("verify", "--json")["checkpoints"] == 0


def test_the_key_of_somebody_else_does_not_sign(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("keys", "new", tmp_path / "w", "--witness", "north", log=False)
    rack("checkpoint", "--key", tmp_path / "w", code=3)
    assert "is not in force in this log" in rack.err


def test_a_changed_event_is_named_by_table_number_and_kind(rack: CommandRunner, key: Path) -> None:
    rack("checkpoint", "--key", key)
    path = rack.folder / "floor.db"
    content = path.read_bytes()
    assert content.count(b'"no_more_bets"') == 1
    path.write_bytes(content.replace(b'"announced_by":"dealer"', b'"announced_by":"device"'))
    report = rack("verify", "--json", code=4)
    first = report["first_break"]
    assert not report["ok"]
    assert (first["table"], first["number"], first["kind"]) == ("fu-01", 3, "changed")
    assert (first["stream"], first["seq"], first["code"]) == (TABLE, 3, "LOG-SEAL")


def test_another_key_takes_over_and_old_signatures_stay(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("checkpoint", "--key", key)
    new = tmp_path / "key-2"
    rack("keys", "rotate", new, "--by", "chief", "--reason", "yearly", "--old", key)
    rack("checkpoint", "--key", key, code=3)
    assert "not in force" in rack.err
    rack("checkpoint", "--key", new)
    first, second = rack("keys", "list", "--json")
    assert (first["retired"], second["retired"]) == (second["published"] + 1, None)
    assert second["vouch"] is not None
    for anchors in ((), ("--key", f"{key}.pub")):
        report = rack("verify", "--json", *anchors)
        assert (report["ok"], report["checkpoints"], report["signed"]["unvouched"]) == (True, 2, [])
        assert len(report["signed"]["keys"]) == 2
    assert second["vouched_by"] == first["public_key"]
    assert f"by {first['public_key'].split('+')[1]}" in rack("keys", "list")


def rotated(rack: CommandRunner, key: Path, folder: Path) -> Path:
    new = folder / "key-2"
    rack("keys", "rotate", new, "--by", "chief", "--reason", "yearly", "--old", key)
    return new


def test_who_holds_the_new_key_alone_is_told_which_key_signed_before(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    """D448: neither forged nor whole by that key alone."""
    rack("checkpoint", "--key", key)
    new = rotated(rack, key, tmp_path)
    first = rack("keys", "list", "--json")[0]["public_key"]
    name, key_id, _ = first.split("+", 2)
    said = f"1 checkpoint was signed before the key you gave, by {name} ({key_id}), and not checked with your key"
    report = rack("verify", "--json", "--key", f"{new}.pub", code=4)
    assert (report["ok"], report["first_break"]["kind"]) == (False, "checkpoint_unchecked")
    assert said in report["first_break"]["message"]
    assert "forged" not in rack("verify", "--key", f"{new}.pub", code=4)
    rack("checkpoint", "--key", new)
    report = rack("verify", "--json", "--key", f"{new}.pub")
    assert (report["ok"], report["checkpoints"]) == (True, 2)
    assert report["signed"]["earlier"] == [{"key": first, "checkpoints": 1}]
    assert len(report["signed"]["keys"]) == 1
    assert said in rack("verify", "--key", f"{new}.pub")
    both = rack("verify", "--json", "--key", f"{new}.pub", "--key", f"{key}.pub")
    assert (both["signed"]["earlier"], len(both["signed"]["keys"])) == ([], 2)


def test_a_witness_with_the_new_key_waits_for_its_first_checkpoint(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    """D448"""
    rack("checkpoint", "--key", key)
    new = rotated(rack, key, tmp_path)
    rack("keys", "new", tmp_path / "w", "--witness", "north", log=False)
    witness = ("witness", "--key", tmp_path / "w", "--folder", tmp_path / "north", "--log-key", f"{new}.pub")
    assert "no checkpoint yet signed with the key of --log-key" in rack(*witness)
    rack("checkpoint", "--key", new)
    assert rack(*witness).startswith("cosigned")


def test_of_several_keys_one_that_the_log_does_not_name_is_told(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    """D448: each key counts by itself, in any order; one of another log checks nothing."""
    rack("checkpoint", "--key", key)
    made = new_key(tmp_path / "strange", "discard-rack/bellwether/" + "0" * 32, KeyKind.LOG).public_key
    for order in ((key, "strange"), ("strange", key)):
        said = rack("verify", *(part for name in order for part in ("--key", f"{tmp_path / name}.pub")))
        assert f"the key {made}, which you gave, is not named by the log; nothing was checked with it" in said
    assert rack("verify", "--json", "--key", tmp_path / "strange.pub", code=4)["first_break"]["kind"] == "checkpoint_forged"


def test_a_proof_signed_with_another_key_asks_for_that_key(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("checkpoint", "--key", key)
    proof = tmp_path / "proof.json"
    rack("prove", "fu-01", "2", "--out", proof)
    new = rotated(rack, key, tmp_path)
    rack("verify", proof, "--key", f"{new}.pub", code=4, log=False)
    assert "a proof holds no vouches" in rack.err
    rack("verify", proof, "--key", f"{new}.pub", "--key", f"{key}.pub", log=False)


def test_a_key_for_which_none_vouches_is_told(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("keys", "rotate", tmp_path / "key-2", "--by", "chief", "--reason", "the old one is lost")
    rack("checkpoint", "--key", tmp_path / "key-2")
    assert "no earlier key vouches for the key" in rack("verify")
    report = rack("verify", "--json", "--key", f"{key}.pub", code=4)
    assert "none of those vouches for it" in report["first_break"]["message"]


def test_rotation_refuses_what_does_not_fit(rack: CommandRunner, tmp_path: Path) -> None:
    rotate = ("keys", "rotate", tmp_path / "new", "--by", "chief", "--reason", "yearly")
    rack(*rotate, code=2)
    assert "no key in force" in rack.err
    rack("keys", "new", tmp_path / "key", "--by", "chief")
    rack("keys", "new", tmp_path / "w", "--witness", "north", log=False)
    rack(*rotate, "--old", tmp_path / "w", code=2)
    assert "is not the key in force" in rack.err
    assert not (tmp_path / "new").exists()


def test_a_proof_is_checked_without_the_log(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("checkpoint", "--key", key)
    proof = tmp_path / "proof.json"
    rack("prove", "fu-01", "2", "4", "--out", proof)
    for file in rack.folder.glob("floor.db*"):
        file.unlink()
    shown = rack("verify", proof, "--key", f"{key}.pub", "--json", log=False)
    assert (shown["ok"], shown["stream"], shown["events"]) == (True, TABLE, [2, 4])
    rack("verify", proof, log=False, code=2)
    assert "--key" in rack.err
    deck = rb"{\"deck\":\"%s\""  # with its key: two digits alone are in many a hash and signature
    assert deck % b"d1" in proof.read_bytes()
    proof.write_bytes(proof.read_bytes().replace(deck % b"d1", deck % b"d2"))
    rack("verify", proof, "--key", f"{key}.pub", log=False, code=4)
    assert "leads to another root" in rack.err
    proof.write_bytes(b"%PDF")
    rack("verify", proof, "--key", f"{key}.pub", log=False, code=4)
    assert "not a proof of events" in rack.err


def test_another_key_does_not_check_a_proof(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("checkpoint", "--key", key)
    rack("prove", "fu-01", "2", "--out", tmp_path / "proof.json")
    rack("keys", "rotate", tmp_path / "key-2", "--by", "chief", "--reason", "x")
    rack("verify", tmp_path / "proof.json", "--key", tmp_path / "key-2.pub", log=False, code=4)
    assert "no trusted key" in rack.err


@pytest.fixture
def witness(rack: CommandRunner, tmp_path: Path) -> tuple[str | Path, ...]:
    rack("keys", "new", tmp_path / "w", "--witness", "north", log=False)
    return "witness", "--key", tmp_path / "w", "--folder", tmp_path / "north"


def test_a_witness_cosigns_what_only_grows(
    rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path
) -> None:
    assert rack(*witness) == "The log has no checkpoint yet; sign one with `rack checkpoint`.\n"
    rack("checkpoint", "--key", key)
    assert rack(*witness, "--json")["new"]
    assert rack(*witness).startswith("no new checkpoint since")
    rack("checkpoint", "--key", key)
    seen = rack(*witness, "--json")
    assert (seen["new"], seen["size"]) == (True, 4)
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    assert rack("verify", "--json", *args)["cosigned"] == 2
    assert "the witness cosigned statements 1 to 4 of 4" in rack("verify", *args)
    rack("checkpoint", "--key", key)
    told = rack("verify", "--json", *args)["witness"]
    assert (told["witness"], told["cosigned"], told["newest_size"], told["behind"]) == ("north", 2, 4, 1)
    assert [each["covered"] for each in told["checkpoints"]] == [False, True, True]
    assert rack("verify", "--json")["witness"] is None
    note = tmp_path / "north" / f"{4:016d}.note"
    rack("prove", "fu-01", "1", "--note", note, "--out", tmp_path / "proof.json")
    keys = ("--key", f"{key}.pub", "--witness-key", tmp_path / "w.pub")
    assert rack("verify", tmp_path / "proof.json", *keys, "--json", log=False)["witnesses"] == [
        (tmp_path / "w.pub").read_text().strip()
    ]


def test_a_witness_refuses_a_fork_loudly(rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path) -> None:
    """The operator makes another log of the same identity with the same key, and another story in it."""
    stores = {path.name: path.read_bytes() for path in rack.folder.iterdir() if path.is_file()}
    rack("checkpoint", "--key", key)
    rack(*witness)
    for path in rack.folder.glob("floor.db*"):
        path.unlink()
    for path in rack.folder.glob("key.*.signed"):
        path.unlink()
    for name, content in stores.items():
        (rack.folder / name).write_bytes(content)
    rack("keys", "rotate", tmp_path / "key-2", "--by", "chief", "--reason", "another story", "--old", key)
    rack("checkpoint", "--key", tmp_path / "key-2")
    assert rack("verify", "--json")["ok"], "the log is whole by itself"
    rack(*witness, code=4)
    assert "the witness north holds a checkpoint over 3 statements" in rack.err
    assert list((tmp_path / "north").glob("refused-*")), "what was refused is evidence"
    assert len(list((tmp_path / "north").glob("*.note"))) == 1
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    report = rack("verify", "--json", *args, code=4)
    assert (report["first_break"]["kind"], report["first_break"]["code"]) == ("checkpoint_fork", "LOG-FORK")
    assert report["first_break"]["table"] is None
    assert [each["stored"] for each in report["witness"]["refused"]] == [True]


def test_what_a_witness_refused_is_an_integrity_failure_though_the_log_is_whole(
    rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path
) -> None:
    """The other story was shown to the witness and then put out of the way: its folder still says so."""
    rack("checkpoint", "--key", key)
    rack(*witness)
    (tmp_path / "north" / "refused-0123456789abcdef").write_bytes(b"another story")
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    report = rack("verify", "--json", *args, code=4)
    assert not report["ok"]
    assert report["breaks"] == [], "of the log itself nothing is broken"
    assert report["failures"] == ["the witness north refused 1 checkpoint of this log and kept what it was shown"]
    assert "REFUSED: north was shown a checkpoint, which the log does not hold" in rack("verify", *args, code=4)


def test_a_witness_that_leaves_checkpoints_unsigned_is_silent(
    rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rack("checkpoint", "--key", key)
    rack(*witness)
    rack("checkpoint", "--key", key)
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    assert "SILENCE of the witness" not in rack("verify", *args)
    monkeypatch.setattr("desk.verification.witness_status.SIGNATURE_TIMEOUT_S", 0)
    assert "SILENCE of the witness north: 1 checkpoint without its signature, the first from " in rack("verify", *args)


def test_another_log_in_the_place_of_the_one_that_the_witness_saw(
    rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path
) -> None:
    """The whole log was thrown away, and a new one begun."""
    rack("checkpoint", "--key", key)
    rack(*witness)
    for path in rack.folder.glob("floor.db*"):
        path.unlink()
    rack.ingest()
    rack("keys", "new", tmp_path / "key-2", "--by", "chief")
    rack("checkpoint", "--key", tmp_path / "key-2")
    rack(*witness, code=4)
    assert "the witness north saw the log discard-rack/bellwether/" in rack.err
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    assert rack("verify", "--json", *args, code=4)["first_break"]["kind"] == "checkpoint_fork"


def test_a_spoilt_folder_of_a_witness_is_a_break(
    rack: CommandRunner, key: Path, witness: tuple[str | Path, ...], tmp_path: Path
) -> None:
    rack("checkpoint", "--key", key)
    rack(*witness)
    args = ("--witness", tmp_path / "north", "--witness-key", tmp_path / "w.pub")
    note = tmp_path / "north" / f"{3:016d}.note"
    note.write_bytes(note.read_bytes()[:-5])
    assert rack("verify", "--json", *args, code=4)["first_break"]["kind"] == "checkpoint_forged"
    note.unlink()
    rack("verify", *args, code=2)
    assert "holds no cosigned checkpoint" in rack.err


def test_a_log_key_is_no_witness(rack: CommandRunner, key: Path, tmp_path: Path) -> None:
    rack("checkpoint", "--key", key)
    rack("witness", "--key", key, "--folder", tmp_path / "north", code=3)  # another key is wanted; the log is whole
    assert "rack keys new --witness" in rack.err


@pytest.mark.parametrize("arguments", [("--witness", "."), ("--witness-key", "x.pub")])
def test_a_witness_folder_is_read_with_its_key(rack: CommandRunner, arguments: tuple[str, str]) -> None:
    rack("verify", *arguments, code=2)
    assert "together" in rack.err


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_stopped_says_so_in_its_last_checkpoint(rack: CommandRunner, key: Path, number: int) -> None:
    code = "import sys; from rack.cli import main; sys.exit(main())"
    arguments = ["checkpoint", "--key", str(key), "--follow", "--seconds", "1"]
    process = subprocess.Popen(
        [sys.executable, "-c", code, *arguments, "--log", f"sqlite://{rack.folder}/floor.db"],
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )
    try:
        assert process.stderr is not None
        for _ in range(3):
            assert "signed" in process.stderr.readline()
        process.send_signal(number)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, err
    assert "stopped" in err
    report = rack("verify", "--json")
    assert report["checkpoints"] >= 4
    assert report["signed"]["within_s"] is None
    assert not report["overdue"]


def test_a_late_checkpoint_is_a_silence(rack: CommandRunner, key: Path) -> None:
    rack("checkpoint", "--key", key, "--seconds", "1")
    assert not rack("verify", "--json")["overdue"]
    made = rack("verify", "--json")["signed"]["at_us"]
    while time.time_ns() // 1000 <= made + 1_000_000:
        time.sleep(0.05)
    assert rack("verify", "--json")["overdue"]
    assert "SILENCE: no checkpoint since" in rack("verify")
    rack("checkpoint", "--key", key)
    report = rack("verify", "--json")
    assert (report["ok"], report["overdue"]) == (True, False)
    (silence,) = report["signed"]["silences"]
    assert (silence["from_us"], silence["within_s"]) == (made, 1)
    assert "SILENCE: no checkpoint between" in rack("verify")


def test_a_key_that_is_there_already_is_published(rack: CommandRunner, tmp_path: Path) -> None:
    """As one in a device is, or one whose publication failed the first time."""
    rack("keys", "new", tmp_path / "key", "--existing", "--by", "chief", code=3)
    assert "rack keys new" in rack.err
    rack("keys", "new", tmp_path / "w", "--witness", "north", log=False)
    rack("keys", "new", tmp_path / "w", "--existing", "--by", "chief", code=2)
    assert "this log's key is one of kind 1 named discard-rack/bellwether/" in rack.err
    name = rack.err.split("named ")[1].strip()
    made = new_key(tmp_path / "key", name, KeyKind.LOG).public_key
    assert rack("keys", "new", tmp_path / "key", "--existing", "--by", "chief", "--json")["public_key"] == str(made)
    rack("checkpoint", "--key", tmp_path / "key")
    rack("keys", "rotate", tmp_path / "key", "--existing", "--by", "chief", "--reason", "x", code=2)
    assert "a key cannot be used again" in rack.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("verify", "PIPE", "--key", "KEY.pub"),
        ("verify", "ZEROS", "--key", "KEY.pub"),
        ("verify", "KEY", "--key", "PIPE"),
        ("verify", "KEY", "--key", "ZEROS"),
        ("prove", "t-01", "2", "--note", "PIPE"),
        ("prove", "t-01", "2", "--note", "ZEROS"),
        ("checkpoint", "--key", "PIPE"),
    ],
)
def test_a_pipe_or_a_device_in_the_place_of_a_file_is_refused_at_once(
    rack: CommandRunner, key: Path, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "pipe")
    places = {"PIPE": tmp_path / "pipe", "ZEROS": Path("/dev/zero"), "KEY": key, "KEY.pub": Path(f"{key}.pub")}
    rack(*(places.get(each, each) for each in arguments), log=arguments[0] != "verify", code=3)
    assert "not a plain file (a link, device or pipe)" in rack.err
