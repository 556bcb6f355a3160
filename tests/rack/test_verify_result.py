"""`ok`, exit code, last line and the notice next to the log say one thing, whatever fails (`desk.verification.result`)."""

import json
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from desk.verification.last_verification import FullVerification, KeptNotices, State, keep, read, record_path, verified_at
from rack.cli import main
from tests.contract.backends import SqliteTamper
from tests.device_lines import as_lines
from tests.rack.commands.test_proof_commands import CommandRunner

TABLE = "table/fu-01"
Failure = Callable[[CommandRunner], list[str | Path]]
"""Brings a failure about in the folder of a desk, and returns what `rack verify` is to be given besides."""


def tamper(desk: CommandRunner) -> SqliteTamper:
    return SqliteTamper(desk.folder / "floor.db")


def witness(desk: CommandRunner) -> list[str | Path]:
    """A witness that has cosigned what there is."""
    desk("keys", "new", desk.folder / "w", "--witness", "north", log=False)
    desk("witness", "--key", desk.folder / "w", "--folder", desk.folder / "north")
    return ["--witness", desk.folder / "north", "--witness-key", desk.folder / "w.pub"]


def rounds(desk: CommandRunner) -> list[str | Path]:
    desk("rounds", "--out", desk.folder / "rounds")
    return ["--rounds", desk.folder / "rounds"]


def nothing(desk: CommandRunner) -> list[str | Path]:
    return ["--key", desk.folder / "key.pub", *witness(desk), *rounds(desk)]


def bytes_changed(desk: CommandRunner) -> list[str | Path]:
    hand = tamper(desk)
    hand.replace(TABLE, 3, hand.data(TABLE, 3).replace(b"a", b"b", 1))
    return []


def record_removed(desk: CommandRunner) -> list[str | Path]:
    tamper(desk).remove(TABLE, 3)
    return []


def records_swapped(desk: CommandRunner) -> list[str | Path]:
    tamper(desk).swap(TABLE, 3, 4)
    return []


def tail_cut(desk: CommandRunner) -> list[str | Path]:
    tamper(desk).cut(TABLE, 4)
    return []


def chain_computed_anew(desk: CommandRunner) -> list[str | Path]:
    hand = tamper(desk)
    hand.replace(TABLE, 3, hand.data(TABLE, 3).replace(b"a", b"b", 1))
    hand.rechain(TABLE, 3)
    (desk.folder / "floor.db.high-water").unlink()  # only the checkpoint knows
    return []


def checkpoints_removed(desk: CommandRunner) -> list[str | Path]:
    (desk.folder / "floor.db.checkpoints").unlink()
    return ["--key", desk.folder / "key.pub"]


def key_of_another_log(desk: CommandRunner) -> list[str | Path]:
    from events.proofs.keys import new_key
    from events.proofs.signed_note import KeyKind

    new_key(desk.folder / "other", "rack.example/other", KeyKind.LOG)
    return ["--key", desk.folder / "other.pub"]


def witness_refused(desk: CommandRunner) -> list[str | Path]:
    given = witness(desk)
    (desk.folder / "north" / "refused-0123456789abcdef").write_bytes(b"another story")
    return given


def witness_saw_more(desk: CommandRunner) -> list[str | Path]:
    kept = {path: path.read_bytes() for path in desk.folder.glob("floor.db.checkpoints*")}
    desk("checkpoint", "--key", desk.folder / "key")
    given = witness(desk)
    for path, content in kept.items():
        path.write_bytes(content)
    return given


def round_table_lacks_a_file(desk: CommandRunner) -> list[str | Path]:
    given = rounds(desk)
    for path in (desk.folder / "rounds").rglob("*.parquet"):
        path.unlink()
    return given


KINDS: dict[Failure, bool] = {
    nothing: True,
    bytes_changed: False,
    record_removed: False,
    records_swapped: False,
    tail_cut: False,
    chain_computed_anew: False,
    checkpoints_removed: False,
    key_of_another_log: False,
    witness_refused: False,
    witness_saw_more: False,
    round_table_lacks_a_file: False,
}
"""What is done → whether a verification passes."""


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> CommandRunner:
    """A log with a key and a checkpoint, two rounds of a table in it."""
    desk = CommandRunner(tmp_path, capsys)
    from tests.dashboards.living import RULES, SHORT

    (tmp_path / "rounds.txt").write_text(RULES + "".join(SHORT.format(number=number) for number in (1, 2)))
    desk("ingest", as_lines(tmp_path / "rounds.txt"), "--property", "bellwether")
    desk("keys", "new", tmp_path / "key", "--by", "chief")
    desk("checkpoint", "--key", tmp_path / "key")
    return desk


def verify(desk: CommandRunner, *words: str | Path) -> tuple[int, str]:
    code = main(["verify", "--log", address(desk), *map(str, words)])
    out = desk._capsys.readouterr().out
    return code, out


def address(desk: CommandRunner) -> str:
    return f"sqlite://{desk.folder}/floor.db"


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_ok_is_true_exactly_when_the_exit_code_is_0(desk: CommandRunner, kind: Failure) -> None:
    given = kind(desk)
    code, out = verify(desk, *given, "--json")
    said = json.loads(out)
    assert said["ok"] is (code == 0) is KINDS[kind]
    assert bool(said["failures"]) is not said["ok"]
    text_code, text = verify(desk, *given)
    assert text_code == code
    assert text.rstrip().endswith(": verified") is said["ok"]
    kept = read(record_path(address(desk)))
    assert kept is not None
    assert kept.last.ok is said["ok"]
    assert said["ok"] or kept.last.sentence == said["failures"][0]
    state = verified_at(address(desk)).state
    assert (state is State.PASSED) is said["ok"]


@pytest.mark.parametrize("archived", [False, True], ids=["as sealed", "a file added"])
def test_of_an_archive_too(desk: CommandRunner, archived: bool) -> None:
    folder = desk.folder / "archive"
    desk("archive", "--out", folder, "--running")
    if archived:
        (folder / "added.txt").write_text("not sealed")
    code = main(["verify", "--log", f"archive://{folder}", "--json"])
    assert json.loads(desk._capsys.readouterr().out)["ok"] is (code == 0) is not archived
    assert verified_at(f"archive://{folder}").state is (State.FAILED if archived else State.PASSED)
    assert main(["verify", "--log", f"archive://{folder}", "--json"]) == code, "the notice is no part of the archive"


@pytest.mark.parametrize("reproduced", [True, False])
def test_of_a_packet_too(desk: CommandRunner, reproduced: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A packet that is as it was made, and of which this program's rules lead to another verdict, is exit 1 and not ok."""
    desk("dispute", "fu-01", "1", "--key", desk.folder / "key", "--out", desk.folder)
    if not reproduced:
        from desk import packet

        real = packet.check_packet

        class Other:
            def __init__(self, found: Any) -> None:
                self._found = found
                self.reproduced = False

            def __getattr__(self, name: str) -> Any:
                return getattr(self._found, name)

        monkeypatch.setattr(packet, "check_packet", lambda data, keys: Other(real(data, keys)))
    code = main(["verify", str(desk.folder / "fu-01-1.json"), "--key", str(desk.folder / "key.pub"), "--json"])
    said = json.loads(desk._capsys.readouterr().out)
    assert (code, said["ok"]) == ((0, True) if reproduced else (1, False))


# -------------------------------------------------------------------------------------------------- the notice that is kept


def test_the_notice_says_when_by_whom_what_and_how_far(desk: CommandRunner) -> None:
    desk("verify", "--by", "a.auditor")
    kept = read(record_path(address(desk)))
    assert kept is not None
    assert (kept.last.by, kept.last.ok, kept.failure) == ("a.auditor", True, None)
    assert set(kept.last.streams) == {TABLE, "property/main"}
    assert kept.last.checks == ("checkpoints", "events")
    assert "\n" in record_path(address(desk)).read_text().rstrip(), "people read it too"


def test_a_failure_stands_until_a_verification_with_its_checks_passes(desk: CommandRunner) -> None:
    given = witness_refused(desk)
    verify(desk, *given)
    assert verify(desk)[0] == 0
    standing = verified_at(address(desk))
    assert standing.state is State.FAILED, "a verification without the witness does not answer what the witness says"
    assert standing.shown is not None
    assert "refused 1 checkpoint" in standing.shown.sentence
    (desk.folder / "north" / "refused-0123456789abcdef").unlink()
    assert verify(desk, *given)[0] == 0
    assert verified_at(address(desk)).state is State.PASSED


def test_not_yet_verified(desk: CommandRunner) -> None:
    assert verified_at(address(desk)).state is State.NONE
    assert verified_at(address(desk)).shown is None


def test_a_log_that_has_grown_is_the_log_that_was_verified(desk: CommandRunner) -> None:
    verify(desk)
    desk("checkpoint", "--key", desk.folder / "key")
    desk("keys", "rotate", desk.folder / "key-2", "--by", "chief", "--reason", "yearly", "--old", desk.folder / "key")
    assert verified_at(address(desk)).state is State.PASSED


@pytest.mark.parametrize("kind", [tail_cut, bytes_changed, chain_computed_anew])
def test_a_log_that_was_changed_since_is_not(desk: CommandRunner, kind: Failure) -> None:
    """`bytes_changed` alone does not show at the verified end: that is for the next verification, and the pages of its round."""
    verify(desk)
    kind(desk)
    expected = State.PASSED if kind is bytes_changed else State.OTHER_CONTENTS
    assert verified_at(address(desk)).state is expected


def test_the_notice_of_another_log_is_not_this_ones(desk: CommandRunner, tmp_path_factory: pytest.TempPathFactory) -> None:
    other = CommandRunner(tmp_path_factory.mktemp("other"), desk._capsys)
    other.ingest()
    tamper(other).cut(TABLE, 1)
    assert verify(other)[0] == 4
    shutil.copyfile(record_path(address(other)), record_path(address(desk)))
    standing = verified_at(address(desk))
    assert (standing.state, standing.shown) == (State.NONE, None)
    assert "is of another log" in standing.detail
    assert verify(desk)[0] == 0
    assert verified_at(address(desk)).state is State.PASSED


def written(**changed: Any) -> bytes:
    made = {"at_us": 1, "by": "a", "ok": True, "sentence": "s", "checks": [], "log_id": "0" * 32, "events": 1, "streams": {}}
    return json.dumps({"last": made | changed, "failure": None}).encode()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff",
        b"[" * 100_000,
        written(at_us=2**63),
        written(at_us=-1),
        written(extra=1),
        written(ok=1),
        written(sentence="x" * 2_001),
        written(streams={TABLE: {"seq": 2**64, "hash": "0" * 64}}),
        written(streams={TABLE: {"seq": 1, "hash": "x"}}),
    ],
)
def test_a_notice_that_cannot_be_read_is_said_to_be_so_and_is_replaced(desk: CommandRunner, data: bytes) -> None:
    path = record_path(address(desk))
    path.write_bytes(data)
    standing = verified_at(address(desk))
    assert standing.state is State.UNREADABLE
    assert standing.alarming
    assert verify(desk)[0] == 0
    assert verified_at(address(desk)).state is State.PASSED


def test_where_the_notice_cannot_be_written_the_verification_stands(desk: CommandRunner) -> None:
    record_path(address(desk)).mkdir()  # a folder in its place
    code = main(["verify", "--log", address(desk)])
    assert code == 0
    assert "the pages will not show this verification" in desk._capsys.readouterr().err


def test_a_log_on_kafka_has_its_notice_where_this_machine_keeps_its_marks() -> None:
    assert record_path("kafka://127.0.0.1:9092/floor") == Path(".rack/floor.verified")


def test_of_two_who_verify_at_once_one_whole_notice_stays(tmp_path: Path) -> None:
    made = FullVerification(at_us=1, by="a", ok=True, sentence="s", checks=(), log_id="0" * 32, events=1, streams={})
    keep(tmp_path / "v", made)
    keep(tmp_path / "v", made)
    assert read(tmp_path / "v") == KeptNotices(last=made, failure=None)
    assert [path.name for path in tmp_path.iterdir()] == ["v"]
    with closing((tmp_path / "v").open("rb")) as file:
        assert file.read().startswith(b"{")
