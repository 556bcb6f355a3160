"""The mark of what was acknowledged: written cheaply, torn without harm, and never behind what it contradicts."""

import os
from pathlib import Path

import pytest

from events.errors import AppendRefused, DamagedMark, LogUnavailable, LostTail
from events.log import high_water
from events.log.contract import Head
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from tests.contract.backends import SqliteTamper
from tests.contract.drafts import TABLE, Drafts, fill
from tests.events.archive.closing import LOG_ID, SqliteClosing


def slots(path: Path) -> Path:
    return Path(f"{path}.high-water")


def test_the_mark_survives_many_commits_and_rewrites(
    log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(high_water, "_GROWTH", 4)
    streams = [f"table/{name}" for name in "abc"]
    log.append_groups([(stream, [drafts.day()]) for stream in streams])
    for turn in range(120):
        log.append_groups([(streams[turn % 3], [drafts.wager()]), (streams[0], [drafts.wager()])])
    assert log.acknowledged() == {stream: log.head(stream) for stream in streams}
    assert slots(path).stat().st_size < 40_000
    log.close()
    with SqliteClosing(path) as again:
        again.append(streams[0], again.head(streams[0]).seq + 1, [drafts.wager()])
        assert again.acknowledged() == {stream: again.head(stream) for stream in streams}


@pytest.mark.parametrize("lost", [1, 50, 95])
def test_a_torn_mark_is_the_one_before(log: SqliteLog, path: Path, drafts: Drafts, lost: int) -> None:
    fill(log, drafts, rounds=1)
    before = log.head(TABLE)
    end = slots(path).read_bytes().rstrip(b"\0")
    log.append(TABLE, 8, [drafts.wager()])
    content = bytearray(slots(path).read_bytes())
    log.close()
    slot = (len(end) + 95) // 96 * 96
    content[slot + lost : slot + 96] = bytes(96 - lost)
    slots(path).write_bytes(content)
    with SqliteClosing(path) as again:
        assert again.acknowledged() == {TABLE: before}
        again.append(TABLE, 9, [drafts.wager()])
        assert again.acknowledged() == {TABLE: again.head(TABLE)}


def test_the_mark_may_lag_but_not_lead(log: SqliteLog, path: Path, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    content = slots(path).read_bytes()
    log.append(TABLE, 8, drafts.round())
    log.close()
    ahead = slots(path).read_bytes()
    slots(path).write_bytes(content)  # a crash between commit and mark
    with SqliteClosing(path) as again:
        assert again.head(TABLE).seq == 13
    slots(path).write_bytes(ahead)
    SqliteTamper(path).cut(TABLE, 10)
    with pytest.raises(LostTail, match="event 11"):
        SqliteLog(path)


def test_a_database_replaced_by_another_log_is_found(log: SqliteLog, path: Path, tmp_path: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    log.close()
    path.unlink()
    with pytest.raises(LostTail, match=f"the log {LOG_ID} were acknowledged"):
        SqliteLog(path, create=True, property_id="bellwether")
    with SqliteClosing(path, read_only=True, check_heads=False) as other:
        found = verify(other).breaks
        assert [(one.stream, one.seq, one.kind) for one in found] == [(TABLE, 1, "tail_cut")]


def test_no_room_for_the_mark_stops_the_append_before_it_is_stored(
    log: SqliteLog, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(high_water.os, "posix_fallocate", full)
        with pytest.raises(AppendRefused, match=r"high-water: No space left on device; nothing was stored"):
            log.append(TABLE, 1, [drafts.day()])
    assert log.head(TABLE).seq == 0
    assert not slots(log.path).exists()
    fill(log, drafts)


@pytest.mark.parametrize("call", ["_write_at", "os.fdatasync"])
def test_a_mark_that_cannot_be_written_ends_writing(
    log: SqliteLog, path: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    fill(log, drafts)
    group = drafts.round()

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(f"events.log.high_water.{call}", fails)
        with pytest.raises(LogUnavailable, match="stored but not acknowledged"):
            log.append(TABLE, 14, group)
    with pytest.raises(LogUnavailable, match="stored but not acknowledged"):
        log.append(TABLE, 14, group)
    log.close()
    with SqliteClosing(path) as again:
        assert again.append(TABLE, 20, group).seqs == (None,) * 6
        assert again.acknowledged() == {TABLE: again.head(TABLE)}, "a repeat is acknowledged, so what it repeats is marked"


def test_a_mark_file_that_may_not_have_been_replaced_is_written_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file has the name, but the disk does not say that it keeps it: no mark may go to the old one."""
    monkeypatch.setattr(high_water, "_GROWTH", 4)
    marks = high_water.HighWater(tmp_path / "marks", LOG_ID)
    marks.record({TABLE: Head(1, b"\1" * 32)})

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(high_water, "sync", fails)
        with pytest.raises(OSError, match="Input/output error"):
            marks.reserve(500)
    marks.record({TABLE: Head(2, b"\2" * 32)})
    assert marks.load() == {TABLE: Head(2, b"\2" * 32)}
    marks.close()


def test_the_mark_file_on_its_own(tmp_path: Path) -> None:
    marks = high_water.HighWater(tmp_path / "marks", LOG_ID)
    assert marks.load() == {}
    marks.record({TABLE: Head(3, b"\1" * 32)})
    marks.record({TABLE: Head(3, b"\2" * 32), "meter/m": Head(1, b"\3" * 32)})
    marks.close()
    marks.close()
    assert marks.load() == {TABLE: Head(3, b"\2" * 32), "meter/m": Head(1, b"\3" * 32)}
    (tmp_path / "marks").unlink()
    assert marks.load() == {}


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.pwrite
    monkeypatch.setattr(high_water.os, "pwrite", lambda file, data, offset: real(file, data[:7], offset))
    marks = high_water.HighWater(tmp_path / "marks", LOG_ID)
    marks.record({TABLE: Head(3, b"\1" * 32)})
    marks.close()
    assert marks.load() == {TABLE: Head(3, b"\1" * 32)}


@pytest.mark.parametrize("content", [b"", b"\0" * 96, high_water.MAGIC])
def test_a_mark_that_was_emptied_is_damage_and_not_a_log_without_a_mark(content: bytes, tmp_path: Path) -> None:
    mark = tmp_path / "floor.db.high-water"
    mark.write_bytes(content)
    with pytest.raises(DamagedMark):
        high_water.HighWater(mark, LOG_ID).load()
