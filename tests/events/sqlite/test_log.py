"""What only the log on one machine can suffer: full disks, failing disks, crashes, copies, torn files."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import pytest

from events.errors import AppendRefused, BrokenSeal, EventError, IntegrityError, LogUnavailable, LostTail
from events.log.appender import learn
from events.log.contract import QuarantineEntry
from events.proofs.verify import verify
from events.sqlite import database
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from tests.contract.backends import SqliteTamper
from tests.contract.drafts import TABLE, Drafts, fill
from tests.events.archive.closing import LOG_ID, SqliteClosing

# ------------------------------------------------------------------------------------------------------------- opening


def test_a_log_is_created_once_and_keeps_its_identity(log: SqliteLog, path: Path) -> None:
    assert (log.log_id, log.property_id) == (LOG_ID, "bellwether")
    log.close()
    log.close()
    with SqliteClosing(path, create=True, property_id="bellwether", log_id="ff" * 16) as again:
        assert again.log_id == LOG_ID
    with pytest.raises(LogUnavailable, match="property bellwether, not other"):
        SqliteLog(path, property_id="other")


@pytest.mark.parametrize("name", ["log_id", "property_id", "schema"])
def test_a_log_whose_identity_is_damaged_says_so(log: SqliteLog, path: Path, name: str) -> None:
    log.close()
    SqliteTamper(path).execute("UPDATE meta SET name = 'x' || substr(name, 2) WHERE name = ?", name)
    for options in ({}, {"read_only": True}, {"read_only": True, "check_heads": False}):
        with pytest.raises(LogUnavailable, match=r"damaged|has the form unknown"):
            SqliteLog(path, **options)


def test_a_log_id_is_random(tmp_path: Path) -> None:
    ids = set()
    for name in ("a", "b"):
        with SqliteClosing(tmp_path / name, create=True, property_id="p") as log:
            ids.add(log.log_id)
    assert len(ids) == 2
    assert all(len(log_id) == 32 for log_id in ids)


def test_nothing_is_created_unasked(path: Path) -> None:
    for options in ({}, {"read_only": True}, {"read_only": True, "create": True}):
        with pytest.raises(LogUnavailable, match="there is no log at"):
            SqliteLog(path, **options)
    assert list(path.parent.iterdir()) == []


@pytest.mark.parametrize("property_id", [None, "", "Bellwether"])
def test_a_new_log_needs_its_property(path: Path, property_id: str | None) -> None:
    with pytest.raises(EventError, match="id of its property"):
        SqliteLog(path, create=True, property_id=property_id)
    with SqliteClosing(path, create=True, property_id="bellwether") as log:
        assert log.property_id == "bellwether"


def test_other_files_are_no_logs(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to look at" * 100)
    for read_only in (False, True):
        with pytest.raises(LogUnavailable, match="could not be opened"):
            SqliteLog(path, read_only=read_only)
    path.unlink()
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    with pytest.raises(LogUnavailable, match="not a log of Discard Rack"):
        SqliteLog(path, create=True, property_id="bellwether")


def test_a_log_of_another_form_is_refused(log: SqliteLog, path: Path) -> None:
    log.close()
    SqliteTamper(path).execute("UPDATE meta SET value = '5' WHERE name = 'schema'")
    with pytest.raises(LogUnavailable, match="has the form 5, this version reads 1 to 4"):
        SqliteLog(path)


FIRST_FORM = """
DROP TABLE reports; DROP TABLE event_ids; DROP TABLE names; DROP TABLE packs;
ALTER TABLE quarantine DROP COLUMN at_us;
CREATE TABLE reports (stream TEXT NOT NULL, source TEXT NOT NULL, source_seq INTEGER NOT NULL, digest BLOB NOT NULL,
                      PRIMARY KEY (stream, source, source_seq, digest)) STRICT, WITHOUT ROWID;
CREATE TABLE event_ids (stream TEXT NOT NULL, event_id BLOB NOT NULL, PRIMARY KEY (stream, event_id)) STRICT, WITHOUT ROWID;
DELETE FROM meta WHERE name = 'salt';
UPDATE meta SET value = '1' WHERE name = 'schema'
"""


def test_a_log_of_the_first_form_is_read_and_written_on(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    log.quarantine(QuarantineEntry(TABLE, sha256(b"torn").hexdigest(), "torn", b"torn"))
    before = list(log.read(TABLE))
    log.close()
    tamper = SqliteTamper(path)
    tamper.execute(FIRST_FORM)
    for record in before:
        event = learn(None, record)
        tamper.execute("INSERT INTO event_ids VALUES (?, ?)", TABLE, event.event_id)
        tamper.execute("INSERT INTO reports VALUES (?, ?, ?, ?)", TABLE, event.source, event.source_seq, event.report)
    for read_only in (True, False, True):
        again = SqliteLog(path, read_only=read_only)
        assert list(again.read(TABLE)) == before
        assert [(each.data, each.at_us) for each in again.quarantined()] == [(b"torn", 0)]
        again.close()
    assert verify(SqliteLog(path, read_only=True)).ok


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match=r"floor.db.lock: No such file"):
        SqliteLog(tmp_path / "missing" / "floor.db", create=True, property_id="p")


def test_nothing_works_after_closing(log: SqliteLog, drafts: Drafts) -> None:
    log.close()
    for use in (log.streams, lambda: log.append(TABLE, 1, [drafts.day()]), lambda: log.head(TABLE)):
        with pytest.raises(LogUnavailable, match="was closed"):
            use()


def test_the_table_of_events_only_grows(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    connection = apsw.Connection(str(path))
    for sql in ("DELETE FROM events", "UPDATE events SET data = x'00'"):
        with pytest.raises(apsw.ConstraintError, match="append-only"):
            connection.execute(sql)
    connection.close()
    assert verify(log).ok


# --------------------------------------------------------------------------------------------------- copies, readers


def test_a_copy_without_its_wal_is_read_as_far_as_it_goes(log: SqliteLog, path: Path, tmp_path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    log._database.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    log.append(TABLE, 14, [drafts.wager()])
    copy = tmp_path / "copy.db"
    shutil.copy(path, copy)
    with SqliteClosing(copy, read_only=True) as copied:
        assert copied.head(TABLE).seq == 13
        assert verify(copied).ok
        assert copied.acknowledged() == {}
    shutil.copy(f"{path}.high-water", f"{copy}.high-water")
    with pytest.raises(LostTail, match="the stream ends at 13, but 14 events were acknowledged"):
        SqliteLog(copy, read_only=True)


def test_a_copy_where_nothing_can_be_created(log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite opens a WAL database only if it can make a -shm file, or when told that no one will write."""
    fill(log, drafts)
    real = apsw.Connection

    def only_immutable(name: str, **options: Any) -> apsw.Connection:
        if "immutable" not in name:
            raise apsw.CantOpenError("unable to open database file")
        return real(name, **options)

    monkeypatch.setattr(database.apsw, "Connection", only_immutable)
    with pytest.raises(LogUnavailable):
        SqliteLog(path, read_only=True)  # there is a -wal: somebody writes
    log.close()
    with SqliteClosing(path, read_only=True) as copied:
        assert verify(copied).events == 13


def test_a_reader_in_another_process_follows(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    script = (
        "import sys; from events.sqlite.log import SqliteLog; from events.proofs.verify import verify\n"
        "log = SqliteLog(sys.argv[1], read_only=True)\n"
        "r = verify(log); print(r.ok, r.events)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "13"]


# ------------------------------------------------------------------------------------------------------ failing disks


class FaultyFile(apsw.VFSFile):
    def __init__(self, vfs: FaultyVfs, name: Any, flags: list[int]) -> None:
        self.vfs = vfs
        self.is_wal = bool(flags[0] & apsw.SQLITE_OPEN_WAL)
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:
        if self.is_wal and self.vfs.fault == "full":
            raise apsw.FullError("no space left")
        if self.is_wal and self.vfs.fault == "torn":
            super().xWrite(data[: len(data) // 2], offset)
            raise apsw.IOError("input/output error")
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        if self.is_wal and self.vfs.fault == "sync":
            raise apsw.IOError("input/output error")
        super().xSync(flags)


class FaultyVfs(apsw.VFS):
    fault: str | None = None

    def __init__(self) -> None:
        super().__init__("faulty", "")

    def xOpen(self, name: Any, flags: list[int]) -> FaultyFile:
        return FaultyFile(self, name, flags)


@pytest.fixture
def disk(path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyVfs]:
    vfs, real = FaultyVfs(), apsw.Connection
    monkeypatch.setattr(database.apsw, "Connection", lambda name, **options: real(name, vfs="faulty", **options))
    yield vfs
    vfs.unregister()


def test_a_full_disk_stores_nothing_and_can_be_helped(disk: FaultyVfs, log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    before, group = log.head(TABLE), drafts.round()
    disk.fault = "full"
    for _ in range(2):
        with pytest.raises(AppendRefused, match="disk is full; nothing was stored"):
            log.append(TABLE, 14, group)
    assert log.head(TABLE) == before
    disk.fault = None
    assert log.append(TABLE, 14, group).seqs == tuple(range(14, 20))
    assert verify(log).ok


@pytest.mark.parametrize("fault", ["sync", "torn"])
def test_a_failing_disk_ends_writing_until_the_log_is_opened_again(
    disk: FaultyVfs, log: SqliteLog, path: Path, drafts: Drafts, fault: str
) -> None:
    fill(log, drafts)
    group = drafts.round()
    disk.fault = fault
    with pytest.raises(LogUnavailable, match="only known after opening the log again"):
        log.append(TABLE, 14, group)
    disk.fault = None
    with pytest.raises(LogUnavailable, match="only known after opening the log again"):
        log.append(TABLE, 14, group)
    log.close()
    with SqliteClosing(path) as again:
        stored = again.head(TABLE).seq
        assert stored in (13, 19), "a group is stored whole or not at all"
        again.append(TABLE, stored + 1, group)
        assert again.head(TABLE).seq == 19
        assert verify(again).ok


def test_opening_for_writing_makes_durable_what_a_dead_writer_left(
    log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it wrote may be in the system's cache only; read and acknowledged as repeats, it must be on the disk."""
    fill(log, drafts)
    wal, synced = Path(f"{path}-wal"), list[Path]()
    assert wal.exists()
    log._resources.pop_all()  # the writer dies: nothing is closed, only its lock is gone
    os.unlink(f"{path}.lock")
    monkeypatch.setattr(database, "sync", synced.append)
    with SqliteClosing(path) as again:
        assert synced == [wal]
        assert again.head(TABLE).seq == 13

    def fails(_: Path) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(database, "sync", fails)
    with pytest.raises(LogUnavailable, match=r"floor\.db-wal: Input/output error"):
        SqliteLog(path)
    log._database.close()


@pytest.mark.parametrize("kind", [SqliteLog, SqliteResults])
def test_what_could_not_be_opened_is_closed_again(disk: FaultyVfs, tmp_path: Path, kind: type[Any]) -> None:
    """(A connection left to the garbage collector would close, and fail, at any later moment.)"""
    disk.fault = "torn"
    options = {"create": True, "property_id": "bellwether"} if kind is SqliteLog else {}
    with pytest.raises(LogUnavailable, match="could not be") as refused:
        kind(tmp_path / "new.db", **options)
    assert refused.value.__traceback__ is not None, "what was opened is still referred to"
    assert connections(tmp_path) == []


def test_a_file_that_is_no_database_is_closed_again(tmp_path: Path) -> None:
    (tmp_path / "junk.db").write_bytes(b"junk" * 1000)
    with pytest.raises(database.DamagedDatabase, match="file is not a database") as refused:
        SqliteResults(tmp_path / "junk.db")
    assert refused.value.__traceback__ is not None
    assert connections(tmp_path) == []


def connections(folder: Path) -> list[str]:
    """Return the files in a folder to which a connection is open."""
    return [each.filename for each in apsw.connections() if each.filename.startswith(str(folder))]


def test_a_disk_that_fails_while_the_log_is_closed(disk: FaultyVfs, log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    disk.fault = "sync"
    with pytest.raises(LogUnavailable, match=r"not closed cleanly .*; nothing is lost by that"):
        log.close()
    disk.fault = None
    with SqliteClosing(path) as again:
        assert again.head(TABLE).seq == 13


def test_a_program_that_holds_the_database_locked(
    log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(log, drafts)
    log._database.connection.set_busy_timeout(1)
    other = apsw.Connection(str(path))
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(AppendRefused, match="another program holds it locked"):
        log.append(TABLE, 14, drafts.round())
    other.execute("ROLLBACK")
    other.close()
    assert log.append(TABLE, 14, drafts.round()).head.seq == 19


@pytest.mark.slow
def test_every_changed_byte_of_the_file_is_harmless_or_found(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    """Bytes changed behind SQLite's back: the walk names a place or says that the file is damaged; it never passes
    other events than were stored, and never fails in any other way."""
    fill(log, drafts, rounds=4)
    whole = [(record.seq, record.data) for record in log.read(TABLE)]
    log.close()
    original = path.read_bytes()
    outcomes = set()
    for place in range(100, len(original), 97):
        path.write_bytes(original[:place] + bytes([original[place] ^ 0xFF]) + original[place + 1 :])
        try:
            with SqliteClosing(path, read_only=True, check_heads=False) as damaged:
                report = verify(damaged)
                if report.ok and report.streams:
                    assert [(record.seq, record.data) for record in damaged.read(TABLE)] == whole
                outcomes.add(report.first_break.kind if report.first_break else "sound")
        except LogUnavailable:
            outcomes.add("unavailable")
    assert {"changed", "sound"} <= outcomes


def test_bytes_that_became_text_are_a_broken_seal(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    tamper = SqliteTamper(path)
    tamper.execute("PRAGMA writable_schema = ON")
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.execute("DROP TRIGGER IF EXISTS events_keep; PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'events'")
    connection.close()
    for text, seq in (("'text'", 5), ("CAST(x'ff' AS TEXT)", 4)):
        tamper.execute(f"UPDATE events SET data = {text} WHERE seq = ?", seq)
        log.close()
        with SqliteClosing(path, read_only=True) as reader, pytest.raises(BrokenSeal) as found:
            list(reader.read(TABLE))
        assert found.value.seq == seq


def test_a_writer_does_not_go_on_from_an_unreadable_end(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    for data in (b"\xff", b'{"type":"round_closed"}'):
        log.close()
        Path(f"{path}.high-water").unlink(missing_ok=True)
        SqliteTamper(path).replace(TABLE, 13, data)
        log = SqliteLog(path)
        with pytest.raises(BrokenSeal, match="event 13: the stored bytes are not an event"):
            log.append(TABLE, 14, [drafts.wager()])
        log.close()


# -------------------------------------------------------------------------------------------------------------- crashes

WRITER = """
import sys
from events.log.appender import learn
from events.log.contract import QuarantineEntry
from events.sqlite.log import SqliteLog
from events.sqlite.results import SqliteResults
from tests.contract.drafts import Drafts
log, drafts = SqliteLog(sys.argv[1]), Drafts()
names = ["table/a", "table/b"]
log.append_groups([(name, [drafts.day()]) for name in names])
while True:
    done = log.append_groups([(name, [drafts.wager() for _ in range(5)]) for name in names])
    print(*(one.head.seq for one in done), flush=True)
"""


@pytest.mark.parametrize("commits", [1, 40])
def test_what_was_acknowledged_survives_the_death_of_the_writer(log: SqliteLog, path: Path, commits: int) -> None:
    log.close()
    with subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        acknowledged = [writer.stdout.readline() for _ in range(commits)][-1].split()
        writer.send_signal(signal.SIGKILL)
    with SqliteClosing(path) as again:
        ends = [again.head(name).seq for name in ("table/a", "table/b")]
        assert ends[0] == ends[1], "a commit of two streams is whole"
        assert (ends[0] - 1) % 5 == 0
        assert ends[0] >= int(acknowledged[0])
        assert verify(again).ok


def test_integrity_errors_name_the_place() -> None:
    error: IntegrityError = LostTail(TABLE, 3, "gone")
    assert (str(error), error.stream, error.seq, error.detail) == (f"{TABLE} event 3: gone", TABLE, 3, "gone")
