"""A log that packs the older events of a stream gives the bytes that it was given, and hides nothing that is done to a pack."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import apsw
import msgspec
import pytest

from events.errors import BrokenSeal, DuplicateEventId, Fork
from events.log.contract import Record
from events.proofs.verify import verify
from events.sqlite import packs, repeats
from events.sqlite.log import SqliteLog
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from floor.day import gaming_day
from tests.contract.backends import SqliteTamper
from tests.events.sqlite.test_repeats import STREAM, draft, with_day

MANY = 3 * packs.PACKED + 40
BYTES_AN_EVENT = 130


def numbered(first: int, last: int) -> list[tuple[str, list[Draft]]]:
    return [(STREAM, [draft("d-1", number) for number in range(first, last + 1)])]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("packed") / "log.db"
    with closing(with_day(SqliteLog(path, create=True, property_id="bellwether", log_id="0b" * 16))) as log:
        log.append_groups(numbered(1, MANY))
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, made: bytes) -> Path:
    (tmp_path / "log.db").write_bytes(made)
    return tmp_path / "log.db"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    with closing(SqliteLog(path)) as log:
        yield log


def execute(path: Path, *sql: str) -> list[Any]:
    with closing(apsw.Connection(str(path))) as connection:
        connection.execute("DROP TRIGGER IF EXISTS packs_keep; DROP TRIGGER IF EXISTS packs_stay")
        return [connection.execute(each).fetchall() for each in sql][-1]


def counts(path: Path) -> tuple[int, int]:
    return execute(path, "SELECT (SELECT count(*) FROM packs), (SELECT count(*) FROM events)")[0]


# ------------------------------------------------------------------------------------------------------ the same bytes


def test_old_events_are_packed_and_every_read_gives_the_same_bytes(log: SqliteLog, path: Path) -> None:
    assert counts(path) == (3, 41)
    records = list(log.read(STREAM))
    assert [record.seq for record in records] == list(range(1, MANY + 2))
    SqliteTamper(path).execute("SELECT 1")  # puts every event into a row of its own
    assert counts(path) == (0, MANY + 1)
    with closing(SqliteLog(path, read_only=True)) as by_row:
        assert list(by_row.read(STREAM)) == records
        assert [record for batch in by_row.tail({}) for record in batch] == records
        assert verify(by_row).ok


@pytest.mark.parametrize("first", [1, 2, 255, 256, 257, 513, 768, 769, MANY + 1])
def test_a_read_may_begin_and_end_anywhere(log: SqliteLog, first: int) -> None:
    records = list(log.read(STREAM))
    for last in (first, first + 1, 256, 257, 769, MANY + 9):
        assert list(log.read(STREAM, first, last)) == records[first - 1 : max(last, first - 1)]
    assert [record for batch in log.tail({STREAM: first - 1}) for record in batch] == records[first - 1 :]


def test_one_event_is_read_from_one_pack(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as counted:
        unpacked = Mock(wraps=packs.unpack)
        counted.setattr(packs, "unpack", unpacked)
        assert [record.seq for record in log.read(STREAM, 100, 100)] == [100]
    assert {call.args[:3] for call in unpacked.call_args_list} == {(STREAM, 1, packs.PACKED)}
    assert unpacked.call_count <= 2


def test_bytes_on_disk(tmp_path: Path) -> None:
    """Of a floor's own events; what a stream has not packed yet counts as if it were."""
    path = tmp_path / "floor.db"
    with closing(SqliteLog(path, create=True, property_id="bellwether")) as log:
        log.append_groups(list(gaming_day.simulate(1, 60).groups()))
    sql = "SELECT name, sum(pgsize) FROM dbstat GROUP BY name"
    used = dict(execute(path, sql))
    ((packed, events),) = execute(path, "SELECT (SELECT sum(last - first + 1) FROM packs), (SELECT max(pos) FROM events)")
    indexed = used["reports"] + used["event_ids"] + used["names"]
    assert used["packs"] / packed + indexed / events < BYTES_AN_EVENT


@pytest.mark.parametrize("reading", ["read", "tail"])
def test_a_reader_goes_on_while_a_writer_packs_what_it_is_reading(log: SqliteLog, path: Path, reading: str) -> None:
    with closing(SqliteLog(path, read_only=True)) as reader:
        records = reader.read(STREAM) if reading == "read" else (record for batch in reader.tail({}) for record in batch)
        seen = [next(records).seq for _ in range(MANY - 20)]
        log.append_groups(numbered(MANY + 1, 2 * MANY))
        seen += [record.seq for record in records]
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) >= MANY


def test_what_cannot_be_packed_stays_as_it_is() -> None:
    def event(seq: int, data: object = b"{}", hash_: object = bytes(32)) -> Any:
        return seq, data, hash_

    whole = [event(1), event(2), event(3)]
    assert packs.unpack("s", 1, 3, *(packs.pack(whole) or ())) == whole
    for damaged in (event(2, b"{\n}"), event(2, "{}"), event(2, b"{}", None), event(2, b"{}", b"short"), event(4)):
        assert packs.pack([event(1), damaged, event(3)]) is None


# ------------------------------------------------------------------------------------------------------------- repeats


def test_a_report_and_an_id_in_a_pack_are_known(log: SqliteLog) -> None:
    (again,) = log.append_groups(numbered(1, 5))
    assert set(again.seqs) == {None}
    with pytest.raises(DuplicateEventId):
        log.append_groups([(STREAM, [msgspec.structs.replace(draft("d-9", 1), event_id=draft("d-1", 3).event_id)])])
    assert log.repairs() == []


def test_rows_that_say_the_same_of_different_events_confuse_nothing(log: SqliteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Digests of three bytes meet by chance: the events decide."""
    monkeypatch.setattr(repeats.ShortForms, "digest", lambda self, digest: 7)
    seq = MANY + 1
    for number in (1, 2, 3):
        for seat in (1, 2):  # the same number twice, with other contents
            report = draft("d-3", number, model.LightSeen(seat=seat))
            report = msgspec.structs.replace(report, event_id=f"{0xD300 + 10 * number + seat:032x}")
            seq += 1
            assert log.append_groups([(STREAM, [report])])[0].seqs == (seq,)
            assert log.append_groups([(STREAM, [report])])[0].seqs == (None,)


# ------------------------------------------------------------------------------------------------------------ tampering


def cut_short(path: Path) -> None:
    execute(path, "UPDATE packs SET data = substr(data, 1, length(data) / 2) WHERE first = 257")


def other_bytes(path: Path) -> None:
    execute(path, "UPDATE packs SET data = zeroblob(length(data)) WHERE first = 257")


def fewer_hashes(path: Path) -> None:
    execute(path, "UPDATE packs SET hashes = substr(hashes, 33) WHERE first = 257")


@pytest.mark.parametrize("damage", [cut_short, other_bytes, fewer_hashes])
def test_a_damaged_pack_is_named_with_its_events_and_hides_no_others(path: Path, damage: Callable[[Path], None]) -> None:
    damage(path)
    with closing(SqliteLog(path, read_only=True)) as log:
        read: list[Record] = []
        with pytest.raises(BrokenSeal, match="events 257 to 512 are stored as one, which cannot be unpacked") as broken:
            read.extend(log.read(STREAM))
        assert (broken.value.stream, broken.value.seq) == (STREAM, 257)
        assert [record.seq for record in log.read(STREAM, 1, 256)] == list(range(1, 257))
        with pytest.raises(BrokenSeal):
            list(log.read(STREAM, 513))  # the hash before it is not to be had
        (found,) = verify(log).breaks
        assert (found.stream, found.seq, found.code) == (STREAM, 257, "LOG-SEAL")


TWICE = {
    "by itself, too": "INSERT INTO events SELECT 99999, stream, 100, x'7b7d', zeroblob(32) FROM packs WHERE first = 1",
    "in two packs": "INSERT INTO packs SELECT 99999, stream, 100, 100, data, hashes FROM packs WHERE first = 1",
}


@pytest.mark.parametrize("sql", TWICE.values(), ids=TWICE)
def test_a_number_that_is_stored_twice_is_found(path: Path, sql: str) -> None:
    execute(path, sql)
    with closing(SqliteLog(path, read_only=True)) as log:
        read: list[Record] = []
        with pytest.raises(Fork, match="this event twice") as twice:
            read.extend(log.read(STREAM))
        assert twice.value.seq == 100
        assert [record.seq for record in log.read(STREAM, 1, 99)] == list(range(1, 100))
        assert [each.seq for each in verify(log).breaks] == [100]


def test_packs_only_grow(log: SqliteLog, path: Path) -> None:
    with closing(apsw.Connection(str(path))) as connection:
        for sql in ("DELETE FROM packs", "UPDATE packs SET data = x'00'", "DELETE FROM events"):
            with pytest.raises(apsw.ConstraintError, match="append-only"):
                connection.execute(sql)
