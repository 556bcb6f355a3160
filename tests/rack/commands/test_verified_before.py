"""A log that reaches less far than an earlier verification is a failure until a person accepts it by name (D840)."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from desk.verification.last_verification import State, read, record_path, verified_at
from rack.cli import main
from tests.contract.backends import SqliteTamper
from tests.device_lines import as_lines
from tests.rack.commands.test_proof_commands import CommandRunner

TABLE = "table/fu-01"


class Desk:
    """A log that grew from `before` to what it is now, was signed each time, and verified whole at the end."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        from tests.dashboards.living import RULES, SHORT

        self.folder, self.capsys = folder / "log", capsys
        self.folder.mkdir()
        self.address = f"sqlite://{self.folder}/floor.db"
        self.run = CommandRunner(self.folder, capsys)
        transcript = self.folder / "rounds.txt"
        transcript.write_text(RULES + SHORT.format(number=1))
        self.run("ingest", as_lines(transcript), "--property", "bellwether")
        self.run("keys", "new", self.folder / "key", "--by", "chief")
        self.run("checkpoint", "--key", self.folder / "key")
        shutil.copytree(self.folder, folder / "before")
        self.before = folder / "before"
        transcript.write_text(RULES + SHORT.format(number=1) + SHORT.format(number=2))
        self.run("ingest", as_lines(transcript), "--property", "bellwether")
        self.run("checkpoint", "--key", self.folder / "key")

    def roll_back(self, *parts: str) -> None:
        """Put back the log, its marks and its checkpoints (or these parts of them), and not the notice."""
        for name in parts or [path.name for path in self.folder.glob("floor.db*")]:
            if name.endswith(".verified"):
                continue
            (self.folder / name).unlink(missing_ok=True)
            if (self.before / name).exists():
                shutil.copyfile(self.before / name, self.folder / name)

    def verify(self, *words: str) -> tuple[int, dict[str, object]]:
        code = main(["verify", "--log", self.address, "--json", *words])
        out = self.capsys.readouterr().out
        return code, json.loads(out) if out.strip() else {}

    @property
    def state(self) -> State:
        return verified_at(self.address).state


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    return Desk(tmp_path, capsys)


def rolled_back(desk: Desk) -> None:
    desk.roll_back()


def checkpoints_rolled_back(desk: Desk) -> None:
    desk.roll_back(*(path.name for path in desk.folder.glob("floor.db.checkpoints*")))


def cut_without_checkpoints(desk: Desk) -> None:
    desk.roll_back()
    for path in desk.folder.glob("floor.db.checkpoints*"):
        path.unlink(missing_ok=True)


def without_marks(desk: Desk) -> None:
    SqliteTamper(desk.folder / "floor.db").cut(TABLE, 20)
    for path in [*desk.folder.glob("floor.db.checkpoints*"), *desk.folder.glob("*high-water")]:
        path.unlink(missing_ok=True)


def stream_gone(desk: Desk) -> None:
    SqliteTamper(desk.folder / "floor.db").cut(TABLE, 0)
    for path in [*desk.folder.glob("floor.db.checkpoints*"), *desk.folder.glob("*high-water")]:
        path.unlink(missing_ok=True)


def written_anew(desk: Desk) -> None:
    """The log is as long as it was, with another event and every hash computed again, and nothing signs it."""
    hand = SqliteTamper(desk.folder / "floor.db")
    last = read(record_path(desk.address))
    assert last is not None
    end = last.last.streams[TABLE].seq
    hand.replace(TABLE, end, re.sub(rb'"occurred_at_us":1', b'"occurred_at_us":2', hand.data(TABLE, end)))
    hand.rechain(TABLE, end)
    for path in [*desk.folder.glob("floor.db.checkpoints*"), *desk.folder.glob("*high-water")]:
        path.unlink(missing_ok=True)


WAYS: list[Callable[[Desk], None]] = [
    rolled_back,
    checkpoints_rolled_back,
    cut_without_checkpoints,
    without_marks,
    stream_gone,
    written_anew,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_less_than_was_verified_fails_again_and_again(desk: Desk, way: Callable[[Desk], None]) -> None:
    assert desk.verify("--by", "a.auditor")[0] == 0
    way(desk)
    for _ in range(2):
        code, said = desk.verify("--by", "anybody")
        assert code == 4
        assert "a.auditor" in str(said["failures"])
        assert said["lost"]
        assert desk.state is State.FAILED
    assert desk.verify("--since")[0] == 3


@pytest.mark.parametrize("way", WAYS[:-1], ids=lambda way: way.__name__)
def test_nothing_that_was_never_verified_is_missed(desk: Desk, way: Callable[[Desk], None]) -> None:
    """The other side: without an earlier verification the same log passes, for nothing contradicts it."""
    way(desk)
    assert desk.verify()[0] == 0


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_person_accepts_it_by_name_and_it_stays_on_record(desk: Desk, way: Callable[[Desk], None]) -> None:
    desk.verify("--by", "a.auditor")
    way(desk)
    assert desk.verify()[0] == 4
    code, said = desk.verify("--accept-loss", "restored from the backup", "--by", "b.chief")
    assert (code, desk.state) == (0, State.PASSED)
    assert said["accepted"]
    assert desk.verify()[0] == 0
    kept = read(record_path(desk.address))
    assert kept is not None
    (decision,) = kept.accepted
    assert (decision.by, decision.reason) == ("b.chief", "restored from the backup")
    assert decision.lost
    main(["verify", "--log", desk.address])
    assert "by b.chief (restored from the backup)" in desk.capsys.readouterr().out


def test_accepting_excuses_nothing_else(desk: Desk) -> None:
    desk.verify()
    rolled_back(desk)
    SqliteTamper(desk.folder / "floor.db").remove(TABLE, 3)
    assert desk.verify("--accept-loss", "restored", "--by", "b.chief")[0] == 4
    kept = read(record_path(desk.address))
    assert kept is not None
    assert not kept.accepted


@pytest.mark.parametrize(
    "words", [["--accept-loss", "restored"], ["--accept-loss", "restored", "--by", " "], ["--accept-loss", "", "--by", "b.chief"]]
)
def test_a_decision_needs_a_name_and_a_reason(desk: Desk, words: list[str]) -> None:
    assert desk.verify(*words)[0] == 2


def test_a_failure_for_another_reason_in_between_forgets_nothing(desk: Desk) -> None:
    assert desk.verify("--by", "a.auditor")[0] == 0
    from events.proofs.keys import new_key
    from events.proofs.signed_note import KeyKind

    new_key(desk.folder / "other", "rack.example/other", KeyKind.LOG)
    assert desk.verify("--key", str(desk.folder / "other.pub"))[0] == 4
    rolled_back(desk)
    code, said = desk.verify()
    assert code == 4
    assert "a.auditor" in str(said["failures"])


def test_another_log_at_the_address_in_between_forgets_nothing(desk: Desk, tmp_path: Path) -> None:
    assert desk.verify("--by", "a.auditor")[0] == 0
    shutil.copytree(desk.folder, tmp_path / "aside")
    for path in desk.folder.glob("floor.db*"):
        if not path.name.endswith(".verified"):
            path.unlink(missing_ok=True)
    desk.run("ingest", as_lines(desk.folder / "rounds.txt"), "--property", "bellwether")
    for told in (True, False):  # it is said once: then this log was verified here last
        assert main(["verify", "--log", desk.address]) == 0
        assert ("the log that was verified here last is another one" in desk.capsys.readouterr().out) is told
    rolled_back(desk)
    assert desk.verify()[0] == 4


def test_a_notice_of_an_earlier_version_counts_too(desk: Desk) -> None:
    desk.verify("--by", "a.auditor")
    path = record_path(desk.address)
    kept = json.loads(path.read_text())
    for name in ("reached", "accepted"):
        assert not kept.pop(name)
    kept["last"].pop("checkpoint")
    path.write_text(json.dumps(kept))
    rolled_back(desk)
    assert desk.verify()[0] == 4


def test_of_two_who_verify_at_once_the_further_one_counts(desk: Desk) -> None:
    """Who began earlier and ends later does not lower what was reached."""
    desk.verify("--by", "a.auditor")
    path = record_path(desk.address)
    kept = json.loads(path.read_text())
    end = kept["last"]["streams"][TABLE]["seq"]
    rolled_back(desk)
    notice = path.read_text()
    path.unlink()
    assert desk.verify("--by", "early")[0] == 0
    early = read(path)
    assert early is not None
    path.write_text(notice)
    from desk.verification.last_verification import keep

    keep(path, early.last)
    now = read(path)
    assert now is not None
    assert now.reached[now.last.log_id].streams[TABLE].seq == end > now.last.streams[TABLE].seq
    assert desk.state is State.OTHER_CONTENTS
    assert desk.verify()[0] == 4


def test_what_grows_passes(desk: Desk) -> None:
    assert desk.verify()[0] == 0
    desk.run("checkpoint", "--key", desk.folder / "key")
    assert desk.verify()[0] == 0
    assert desk.verify("--since")[0] == 0
    assert desk.state is State.PASSED


# ------------------------------------------------------------------------------- log, checkpoints and notice replaced (D1380)


def everything_replaced(desk: Desk) -> None:
    """The older state whole: log, marks, checkpoints and no notice, as from a copy of the disk."""
    desk.roll_back()
    record_path(desk.address).unlink()


def another_log_in_its_place(desk: Desk) -> None:
    """Written from the first event on, with keys of its own."""
    for path in desk.folder.glob("floor.db*"):
        path.unlink()
    desk.run("ingest", as_lines(desk.folder / "rounds.txt"), "--property", "bellwether")
    desk.run("keys", "new", desk.folder / "other", "--by", "chief")
    desk.run("checkpoint", "--key", desk.folder / "other")


def note_of(desk: Desk, path: Path) -> None:
    from contextlib import closing

    from events.open import open_checkpoints
    from events.proofs.statements import CheckpointBatch

    with closing(open_checkpoints(desk.address, log_id=desk.verify()[1]["log_id"], read_only=True)) as store:
        *_, last = store.batches()
    path.write_bytes(CheckpointBatch.decode(last).note)


def proof_of(desk: Desk, path: Path) -> None:
    desk.run("prove", "property/main", "1", "--out", path)


def packet_of(desk: Desk, path: Path) -> None:
    desk.run("replay", code=1)
    made = ("--out", path.with_name("packets"), "--key", desk.folder / "key", "--by", "chief", "--reason", "x")
    desk.run("dispute", "fu-01", "2", *made)
    (packet,) = path.with_name("packets").glob("*.pdf")
    packet.rename(path)


@pytest.mark.parametrize("way", [everything_replaced, another_log_in_its_place], ids=lambda way: way.__name__)
@pytest.mark.parametrize("take", [note_of, proof_of, packet_of], ids=lambda take: take.__name__)
def test_what_somebody_took_away_shows_that_everything_was_replaced(
    desk: Desk, way: Callable[[Desk], None], take: Callable[[Desk, Path], None], tmp_path: Path
) -> None:
    taken = tmp_path / "taken"
    take(desk, taken)
    code, said = desk.verify("--checkpoint", str(taken))
    assert (code, said["compared"]) == (
        0,
        {"keys": False, "checkpoints": ["taken"], "witness": False, "earlier": take is note_of},
    )
    way(desk)
    code, said = desk.verify()
    assert (code, said["compared"]) == (0, {"keys": False, "checkpoints": [], "witness": False, "earlier": False})
    code, said = desk.verify("--checkpoint", str(taken))
    assert code == 4
    assert str(taken) in str(said["failures"])
    assert desk.state is State.FAILED


@pytest.mark.parametrize("garbage", [b"", b"{}", b'{"', b"%PDF-1.7", b"a\nb\n", b"x" * 70_000], ids=lambda data: data[:9])
def test_what_is_no_checkpoint_is_no_failure_of_the_log(desk: Desk, garbage: bytes, tmp_path: Path) -> None:
    (tmp_path / "taken").write_bytes(garbage)
    assert desk.verify("--checkpoint", str(tmp_path / "taken"))[0] == 2


def test_a_checkpoint_that_anybody_could_have_written_accuses_no_log(desk: Desk, tmp_path: Path) -> None:
    """It names this log, and no key of the log signed it."""
    taken = tmp_path / "taken"
    note_of(desk, taken)
    lines = taken.read_text().split("\n")
    lines[1] = "999"
    taken.write_text("\n".join(lines))
    assert desk.verify("--checkpoint", str(taken))[0] == 2


@pytest.mark.parametrize(
    ("words", "sentence"),
    [([], "only that the log agrees with itself"), (["--key"], "an older state of the log"), (["--checkpoint"], "1 checkpoint")],
)
def test_a_pass_says_what_it_does_not_prove(desk: Desk, words: list[str], sentence: str, tmp_path: Path) -> None:
    note_of(desk, tmp_path / "taken")
    files = {"--key": desk.folder / "key.pub", "--checkpoint": tmp_path / "taken"}
    assert main(["verify", "--log", desk.address, *(str(each) for word in words for each in (word, files[word]))]) == 0
    assert sentence in desk.capsys.readouterr().out


# ------------------------------------------------------------------------------------------- replaced while it is verified


def an_older_copy(desk: Desk) -> None:
    for path in desk.before.glob("floor.db*"):
        fresh = desk.folder / f"{path.name}.new"
        shutil.copyfile(path, fresh)
        fresh.replace(desk.folder / path.name)


def another_log(desk: Desk) -> None:
    other = desk.folder / "other.db"
    words = ["ingest", str(as_lines(desk.folder / "rounds.txt")), "--property", "x", "--log", f"sqlite://{other}"]
    assert main(words) == 0
    other.replace(desk.folder / "floor.db")


def no_file(desk: Desk) -> None:
    (desk.folder / "floor.db").unlink()


def more_events(desk: Desk) -> None:
    """The other side: a log that grows meanwhile is the same log."""
    from tests.dashboards.living import RULES, SHORT

    transcript = desk.folder / "rounds.txt"
    transcript.write_text(RULES + "".join(SHORT.format(number=number) for number in (1, 2, 3)))
    desk.run("ingest", as_lines(transcript), "--property", "bellwether")


@pytest.mark.parametrize("way", [an_older_copy, another_log, no_file, more_events], ids=lambda way: way.__name__)
def test_what_takes_the_place_of_a_log_while_it_is_read_was_not_verified(
    desk: Desk, way: Callable[[Desk], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    from desk.verification import verification

    read_whole = verification.verify_log

    def slowly(*given: Any, **named: Any) -> Any:
        found = read_whole(*given, **named)
        way(desk)
        desk.capsys.readouterr()
        return found

    monkeypatch.setattr(verification, "verify_log", slowly)
    code, said = desk.verify()
    assert code == (0 if way is more_events else 4)
    assert ("is not what was verified" in str(said["failures"])) is (way is not more_events)
