"""`rack verify --since`: what came after the last verification is read, whoever altered it is found, and the rest is said."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pytest

from desk.verification.last_verification import read, record_path
from events.open import open_log
from floor.day.gaming_day import simulate
from rack.cli import main
from rack.opening import log_at, results_at
from replay.run.replayer import replay
from tests.contract.backends import in_rows
from trial.property_folder import PROPERTY

Day = list[Any]


class Property:
    """A log in a folder with a key: grows, is judged and signed, and is verified."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.address = folder, f"sqlite://{folder}/floor.db"
        self.notice = record_path(self.address)

    def grow(self, groups: Day, *, sign: bool = True) -> None:
        with closing(log_at(self.address, create=True, property_id=PROPERTY)) as log:
            log.append_groups(groups)
            with closing(results_at(self.address)) as results:
                replay(log, results)
        if not (self.folder / "key").exists():
            assert self("keys", "new", self.folder / "key", "--by", "chief") == 0
        if sign:
            assert self("checkpoint", "--key", self.folder / "key") == 0

    def __call__(self, *words: object) -> int:
        return main([*map(str, words), "--log", self.address, "--quiet"])

    def tamper(self, statement: str, *values: object, results: bool = False) -> None:
        in_rows(self.folder / "floor.db")
        with closing(sqlite3.connect(self.folder / f"floor.db{'.verdicts' if results else ''}")) as database, database:
            assert database.execute(statement, values).rowcount > 0


@pytest.fixture(scope="module")
def day() -> Day:
    return list(simulate(5, 30).groups())


@pytest.fixture(scope="module")
def whole(day: Day, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log that was verified, has grown since, was signed, and has grown again."""
    at = Property(tmp_path_factory.mktemp("property"))
    at.grow(day[: len(day) // 2])
    assert at("verify") == 0
    at.grow(day[len(day) // 2 : -3])
    at.grow(day[-3:], sign=False)
    return at.folder


@pytest.fixture
def at(whole: Path, tmp_path: Path) -> Property:
    return Property(Path(shutil.copytree(whole, tmp_path / "copy")))


def ends(at: Property) -> dict[str, int]:
    """Return where the verification on record says that each stream was borne out."""
    kept = read(at.notice)
    assert kept is not None
    assert kept.last.start is not None
    return {stream: start.size for stream, start in kept.last.start.streams.items()}


def test_only_what_is_new_is_read_and_the_rest_is_said(at: Property, capsys: pytest.CaptureFixture[str]) -> None:
    before = ends(at)
    assert at("verify", "--since", "--json") == 0
    said = json.loads(capsys.readouterr().out)
    with closing(open_log(at.address, read_only=True)) as log:
        sizes = {stream: log.head(stream).seq for stream in log.streams()}
    unread = {stream: size for stream, size in before.items() if stream != "property/main"}
    assert said["unread"] == unread != {}
    assert said["events"] == sum(sizes.values()) - sum(unread.values())
    assert {stream: head["seq"] for stream, head in said["streams"].items()} == sizes
    assert said["results"]["unread"] > 0
    assert at("verify", "--since") == 0
    out = capsys.readouterr().out
    assert "NOT READ AGAIN: " in out
    assert "without --since also checks" in out
    assert "read since" in out


def test_the_next_begins_where_the_last_one_ended_and_names_who_read_everything(at: Property) -> None:
    first = read(at.notice)
    assert at("verify", "--since") == 0
    before, now = first, read(at.notice)
    assert before is not None
    assert now is not None
    assert before.last.start is not None
    assert now.last.start is not None
    assert sum(each.size for each in now.last.start.streams.values()) > sum(
        each.size for each in before.last.start.streams.values()
    )
    assert (now.last.start.at_us, now.last.start.by) == (before.last.start.at_us, before.last.start.by)
    assert "events since" in now.last.checks
    assert "before were not read again" in now.last.sentence
    assert at("verify", "--since") == 0


def table(at: Property) -> tuple[str, int, int]:
    """Return a table with its last event verified before, and its last."""
    with closing(open_log(at.address, read_only=True, check_heads=False)) as log:
        found = [(stream, size, log.head(stream).seq) for stream, size in ends(at).items() if stream.startswith("table/")]
    return max(found, key=lambda each: each[2] - each[1])


CHANGED = "UPDATE events SET data = CAST(replace(CAST(data AS TEXT), '1', '2') AS BLOB) WHERE stream = ? AND seq = ?"
CUT = "DELETE FROM events WHERE stream = ? AND seq > ?"
REMOVED = "DELETE FROM events WHERE stream = ? AND seq = ?"


@pytest.mark.parametrize("statement", [CHANGED, REMOVED])
@pytest.mark.parametrize("place", ["first new", "new", "last"])
def test_whoever_alters_what_is_read_is_found(at: Property, statement: str, place: str) -> None:
    stream, verified, end = table(at)
    at.tamper(statement, stream, {"first new": verified + 1, "new": (verified + end) // 2, "last": end}[place])
    assert at("verify", "--since") == 4
    assert at("verify", "--since") == 3, "a failure is on record: from now on everything is read"
    assert at("verify") == 4


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_an_end_that_is_cut_off_is_found(at: Property, more: int) -> None:
    stream, verified, _ = table(at)
    at.tamper(CUT, stream, verified + more)
    assert at("verify", "--since") == 4


def test_a_changed_event_at_which_it_begins_is_found(at: Property) -> None:
    """The last verified event, and those before it that are read for the day: their chain ends in the stated hash."""
    stream, verified, _ = table(at)
    at.tamper(CHANGED, stream, verified)
    assert at("verify", "--since") == 4


def test_a_whole_chain_that_was_made_anew_is_found_by_the_checkpoint(at: Property) -> None:
    """Somebody changes an old event and repairs every later hash, the note of the verification too."""
    stream, verified, _ = table(at)
    rewritten(at, stream, verified // 2)
    note = json.loads(at.notice.read_bytes())
    note["last"]["start"]["streams"][stream]["subtrees"][0] = "ab" * 32
    at.notice.write_bytes(msgspec.json.encode(note))
    assert at("verify", "--since") == 4


def rewritten(at: Property, stream: str, seq: int) -> None:
    """Change an event, and compute every later hash of its stream again."""
    in_rows(at.folder / "floor.db")
    with closing(sqlite3.connect(at.folder / "floor.db")) as database, database:
        rows = database.execute("SELECT seq, data FROM events WHERE stream = ? AND seq >= ? ORDER BY seq", (stream, seq))
        (before,) = database.execute("SELECT hash FROM events WHERE stream = ? AND seq = ?", (stream, seq - 1)).fetchone()
        for number, data in rows.fetchall():
            data = data.replace(b'"occurred_at_us":1', b'"occurred_at_us":2') if number == seq else data
            before = sha256(b"rack/chain/v1\0" + before + data).digest()
            database.execute("UPDATE events SET data = ?, hash = ? WHERE stream = ? AND seq = ?", (data, before, stream, number))


def test_results_that_are_new_are_read_and_those_that_are_missing_among_the_others_show(at: Property) -> None:
    at.tamper("UPDATE records SET data = x'7b7d' WHERE pos = (SELECT max(pos) FROM records)", results=True)
    assert at("verify", "--since") == 4


def test_a_result_that_is_missing_among_those_that_are_not_read_shows(at: Property) -> None:
    at.tamper("DELETE FROM records WHERE pos = 2", results=True)
    assert at("verify", "--since") == 4


def of_nobody(at: Property) -> None:
    at.notice.unlink()


def unreadable(at: Property) -> None:
    at.notice.write_bytes(b"{}")


def of_another_log(at: Property) -> None:
    at.notice.write_bytes(at.notice.read_bytes().replace(b'"log_id": "', b'"log_id": "0'))


def without_a_start(at: Property) -> None:
    note = json.loads(at.notice.read_bytes())
    note["last"]["start"] = None
    at.notice.write_bytes(msgspec.json.encode(note))


@pytest.mark.parametrize("spoiled", [of_nobody, unreadable, of_another_log, without_a_start])
def test_without_a_verification_on_record_there_is_nothing_to_begin_at(
    at: Property, spoiled: Callable[[Property], None], capsys: pytest.CaptureFixture[str]
) -> None:
    spoiled(at)
    assert at("verify", "--since") == 3
    assert "without --since" in capsys.readouterr().err


@pytest.mark.parametrize("other", [["--verdicts"], ["--rounds", "x"]])
def test_what_reads_everything_is_not_asked_for_with_it(at: Property, other: list[str]) -> None:
    assert at("verify", "--since", *other) == 2


def test_what_is_read_grows_by_what_is_new(at: Property, day: Day, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts: of a table's events those since, and some before to know where it stood."""
    from events.proofs.since import LEAD
    from events.sqlite.log import SqliteLog

    assert at("verify", "--since") == 0
    counted: dict[str, int] = {}
    inner = SqliteLog.read

    def read_(self: SqliteLog, stream: str, *place: Any) -> Any:
        for record in inner(self, stream, *place):
            counted[stream] = counted.get(stream, 0) + 1
            yield record

    monkeypatch.setattr(SqliteLog, "read", read_)
    assert at("verify", "--since") == 0
    before, log = ends(at), open_log(at.address, read_only=True)
    with closing(log):
        for stream, start in before.items():
            if stream.startswith("table/"):
                assert counted[stream] <= log.head(stream).seq - start + LEAD + 5, stream


def test_of_a_table_that_has_not_grown_the_last_event_alone_is_read(at: Property, monkeypatch: pytest.MonkeyPatch) -> None:
    from events.sqlite.log import SqliteLog

    assert at("checkpoint", "--key", at.folder / "key") == 0
    assert at("verify", "--since") == 0
    first: dict[str, int] = {}
    inner = SqliteLog.read

    def read_(self: SqliteLog, stream: str, *place: Any) -> Any:
        for record in inner(self, stream, *place):
            first[stream] = min(first.get(stream, record.seq), record.seq)
            yield record

    monkeypatch.setattr(SqliteLog, "read", read_)
    assert at("verify", "--since") == 0
    tables = {stream: size for stream, size in ends(at).items() if stream.startswith("table/")}
    assert tables
    assert {stream: first[stream] for stream in tables} == tables
