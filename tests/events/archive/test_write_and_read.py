"""Sealing a log into an archive: what is sealed when, that nothing is written twice, and what is refused."""

import os
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.archive.manifest_chain import ManifestChain
from events.archive.read import ArchiveLog
from events.archive.write import ArchiveSummary, write_archive
from events.errors import AppendRefused, LogUnavailable, SecondWriter
from events.open import open_log
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from events.vocabulary.model import Surrendered
from tests.contract.backends import SqliteTamper
from tests.contract.drafts import TABLE, Drafts, fill
from tests.events.archive.archives import DAYS, OTHER, PROPERTY, files, fill_three_days, open_day, opened, refused
from tests.properties.test_events import QUIET, new_log


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archive"


@pytest.fixture(autouse=True)
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """Durability is the disk's business here; if a run may stop is counted all the same."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    monkeypatch.setattr(os, "fdatasync", lambda file: None)


def ranges(folder: Path) -> list[tuple[str, str | None, int, int]]:
    """What is sealed: stream, gaming day, first and last number, in the order of sealing."""
    return [(each.stream, each.gaming_day, each.first_seq, each.last_seq) for each in ManifestChain(folder).sealed]


@pytest.fixture
def three_days(log: SqliteLog, drafts: Drafts) -> SqliteLog:
    fill_three_days(log, drafts)
    return log


def test_a_segment_is_one_day_of_one_stream_and_the_running_day_is_left(three_days: SqliteLog, folder: Path) -> None:
    sealed = write_archive(three_days, folder)
    assert sorted(ranges(folder)) == [
        (PROPERTY, DAYS[0], 1, 7),
        (TABLE, DAYS[0], 1, 7),
        (TABLE, DAYS[1], 8, 14),
        (OTHER, DAYS[0], 1, 7),
        (OTHER, DAYS[1], 8, 14),
    ]
    assert (sealed.segments, sealed.events, sealed.running_day, sealed.manifests) == (5, 35, DAYS[2], 5)
    assert {path for path in files(folder) if path.startswith("segments/table")} == {
        f"segments/table/{table}/{day}.{numbers}.parquet"
        for table in ("fu-07", "fu-08")
        for day, numbers in ((DAYS[0], "000000000001-000000000007"), (DAYS[1], "000000000008-000000000014"))
    }


def test_every_event_comes_back_byte_for_byte(three_days: SqliteLog, folder: Path) -> None:
    write_archive(three_days, folder, running=True)
    archive = opened(folder)
    assert archive.streams() == three_days.streams()
    for stream in three_days.streams():
        assert list(archive.read(stream)) == list(three_days.read(stream))
        assert archive.head(stream) == three_days.head(stream)
    assert verify(archive).heads == verify(three_days).heads


def test_a_manifest_states_range_chain_file_and_the_manifest_before(three_days: SqliteLog, folder: Path) -> None:
    write_archive(three_days, folder)
    second = ManifestChain(folder).of(TABLE)[1]
    records = {record.seq: record for record in three_days.read(TABLE)}
    assert (second.first_seq, second.last_seq) == (8, 14)
    assert (second.previous_head, second.head) == (records[7].hash.hex(), records[14].hash.hex())
    content = second.file(folder).read_bytes()
    assert (second.file_bytes, second.file_sha256) == (len(content), sha256(content).hexdigest())
    sizes = [len(records[seq].data) for seq in range(8, 15)]
    assert (second.total_bytes, second.largest_bytes) == (sum(sizes), max(sizes))
    before = (folder / "manifests" / f"{second.number - 1:08}.json").read_bytes()
    assert second.previous_manifest == sha256(before).hexdigest()
    assert ManifestChain(folder).sealed[0].previous_manifest == sha256((folder / "archive.json").read_bytes()).hexdigest()


def test_a_second_run_adds_only_what_is_new(three_days: SqliteLog, folder: Path, drafts: Drafts) -> None:
    first = write_archive(three_days, folder)
    before = files(folder)
    again = write_archive(three_days, folder)
    assert (again.segments, again.events, again.digest) == (0, 0, first.digest)
    assert files(folder) == before
    open_day(three_days, drafts, "2026-03-17", OTHER)
    third = write_archive(three_days, folder)
    assert ranges(folder)[5:] == [(TABLE, DAYS[2], 15, 21)]
    assert (third.events, third.running_day) == (7, "2026-03-17")
    assert {name: files(folder)[name] for name in before} == before


def test_the_running_day_is_sealed_piece_by_piece_when_asked_for(log: SqliteLog, folder: Path, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    write_archive(log, folder, running=True)
    log.append(TABLE, 8, drafts.round())
    assert write_archive(log, folder).segments == 0
    write_archive(log, folder, running=True)
    assert ranges(folder) == [(TABLE, "2026-03-14", 1, 7), (TABLE, "2026-03-14", 8, 13)]
    assert list(opened(folder).read(TABLE)) == list(log.read(TABLE))


def test_what_was_refused_is_kept_too(log: SqliteLog, folder: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    entries = [refused(b"\xff\x00 garbage"), refused(b"a\nb", "unknown", "line 2 says: \u201cno\u201d\n"), refused(b"")]
    for count, entry in enumerate(entries, 1):
        log.quarantine(entry)
        assert write_archive(log, folder).refused == 1
        assert opened(folder).quarantined() == log.quarantined()
        assert [entry.data for entry in log.quarantined()] == [entry.data for entry in entries[:count]]
    assert write_archive(log, folder).refused == 0


def test_a_long_day_is_cut_into_row_groups(
    log: SqliteLog, folder: Path, drafts: Drafts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group ends with the row that brings it to its number of rows, or of bytes."""
    monkeypatch.setattr("events.archive.segment.GROUP_ROWS", 4)
    log.append(TABLE, 1, [drafts.day(), *(drafts.wager() for _ in range(8))])
    write_archive(log, folder, running=True)
    assert [len(batch) for batch in opened(folder).tail({})] == [4, 4, 1]
    assert [record.seq for record in opened(folder).read(TABLE, 4, 5)] == [4, 5]
    size = sum(len(record.data) for record in log.read(TABLE, 1, 3))
    for limit, first in ((size, 3), (size + 1, 4)):
        monkeypatch.setattr("events.archive.segment.GROUP_BYTES", limit)
        write_archive(log, tmp_path / str(limit), running=True)
        assert len(next(opened(tmp_path / str(limit)).tail({}))) == first


def test_more_streams_than_are_written_together(
    log: SqliteLog, folder: Path, drafts: Drafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("events.archive.write.TOGETHER", 2)
    for number in range(1, 6):
        open_day(log, drafts, DAYS[0], f"table/t-{number}")
    assert write_archive(log, folder, running=True).segments == 5
    assert verify(opened(folder)).events == 35


# ------------------------------------------------------------------------------------------------------------ refusals


def test_another_log_is_refused(log: SqliteLog, folder: Path, drafts: Drafts, tmp_path: Path) -> None:
    fill(log, drafts)
    write_archive(log, folder)
    before = files(folder)
    with SqliteLogs(tmp_path / "other.db") as other, pytest.raises(AppendRefused, match="is the archive of log"):
        write_archive(other, folder)
    assert files(folder) == before


class SqliteLogs:
    """A log of the same property, with an id of its own."""

    def __init__(self, path: Path, **options: str) -> None:
        self.log = SqliteLog(path, property_id="bellwether", create=True, **options)

    def __enter__(self) -> SqliteLog:
        return self.log

    def __exit__(self, *_: object) -> None:
        self.log.close()


def test_a_log_of_the_same_id_with_another_history_is_refused(log: SqliteLog, folder: Path, tmp_path: Path) -> None:
    """Equal in number, shorter, longer: if the chain does not continue what was sealed, nothing is added."""
    fill(log, Drafts())
    write_archive(log, folder, running=True)
    before = files(folder)
    for rounds, said in ((2, "the log's chain is not the one"), (1, "the log ends at number 7"), (3, "does not continue")):
        with SqliteLogs(tmp_path / f"fork{rounds}.db", log_id=log.log_id) as other:
            fill(other, Drafts(), rounds=rounds)
            sealed = write_archive(other, folder, running=True)
            assert (sealed.segments, len(sealed.integrity)) == (0, 1)
            assert f"{TABLE} event" in sealed.integrity[0]
            assert said in sealed.integrity[0]
    assert files(folder) == before


def test_lost_refused_lines_are_told(log: SqliteLog, folder: Path, tmp_path: Path) -> None:
    for data in (b"one", b"two"):
        log.quarantine(refused(data))
    write_archive(log, folder)
    for kept, said in (([b"one"], "the log ends at number 1, the archive at 2"), ([b"one", b"x"], "are not those")):
        with SqliteLogs(tmp_path / f"{len(kept)}.db", log_id=log.log_id) as other:
            for data in kept:
                other.quarantine(refused(data))
            assert said in write_archive(other, folder).integrity[0]


def test_a_broken_stream_is_sealed_as_far_as_it_stands(log: SqliteLog, path: Path, folder: Path, drafts: Drafts) -> None:
    open_day(log, drafts, DAYS[0], TABLE, OTHER)
    open_day(log, drafts, DAYS[1], TABLE, OTHER)
    SqliteTamper(path).replace(TABLE, 10, b"{}")
    sealed = write_archive(log, folder, running=True)
    assert [line.split(":")[0] for line in sealed.integrity] == [f"LOG-SEAL {TABLE} event 10"]
    assert sorted(ranges(folder)) == [
        (TABLE, DAYS[0], 1, 7),
        (TABLE, DAYS[1], 8, 9),
        (OTHER, DAYS[0], 1, 7),
        (OTHER, DAYS[1], 8, 14),
    ]
    assert verify(opened(folder)).ok


def test_a_folder_with_other_things_is_no_archive(log: SqliteLog, folder: Path) -> None:
    folder.mkdir()
    (folder / "letter.txt").write_text("dear")
    with pytest.raises(LogUnavailable, match="not empty"):
        write_archive(log, folder)


def test_two_runs_at_once(log: SqliteLog, folder: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    second: list[type[Exception]] = []

    def meanwhile(_: int) -> None:
        with pytest.raises(SecondWriter) as found:
            write_archive(log, folder)
        second.append(found.type)

    write_archive(log, folder, running=True, progress=meanwhile)
    assert second == [SecondWriter]


def test_an_archive_takes_no_events(log: SqliteLog, folder: Path, drafts: Drafts) -> None:
    fill(log, drafts)
    write_archive(log, folder)
    with pytest.raises(AppendRefused, match="takes no events"):
        ArchiveLog(folder)
    for act in (
        lambda: opened(folder).append(TABLE, 14, [drafts.wager()]),
        lambda: opened(folder).append_groups([(TABLE, [drafts.wager()])]),
        lambda: opened(folder).quarantine(refused(b"x")),
    ):
        with pytest.raises(AppendRefused, match="reading only"):
            act()
    with pytest.raises(LogUnavailable, match="the archive of property bellwether, not copperhill"):
        ArchiveLog(folder, read_only=True, property_id="copperhill")
    with pytest.raises(LogUnavailable, match="there is no archive at"):
        ArchiveLog(folder / "manifests", read_only=True)
    with pytest.raises(AppendRefused, match="takes no events"):
        open_log(f"archive://{folder}", read_only=True, create=True)
    with pytest.raises(TypeError, match="check_head"):  # an option that it does not know is not passed over in silence
        open_log(f"archive://{folder}", read_only=True, check_head=False)


# ------------------------------------------------------------------------------------------------------- interruptions


class WriteInterrupted(BaseException):
    """The machine stops."""


def interrupt_at(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """Stop before the nth call of a function of `os` that makes something durable."""
    real, left = getattr(os, name), [call]

    def stop(*arguments: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            raise WriteInterrupted
        return real(*arguments, **options)

    monkeypatch.setattr(os, name, stop)


@pytest.mark.parametrize("function", ["fsync", "replace"])
@pytest.mark.parametrize("call", range(1, 11))
def test_an_interrupted_run_leaves_nothing_half_written(
    three_days: SqliteLog, folder: Path, monkeypatch: pytest.MonkeyPatch, function: str, call: int
) -> None:
    """Wherever it stops, what is there reads as sound, and the next run brings the archive to the same contents."""
    with monkeypatch.context() as patch:
        interrupt_at(patch, function, call)
        with pytest.raises(WriteInterrupted):
            write_archive(three_days, folder)
    sealed = set(ranges(folder)) if (folder / "head.json").exists() else set()
    if sealed:
        assert verify(opened(folder)).ok
    result: ArchiveSummary = write_archive(three_days, folder)
    assert sealed <= set(ranges(folder))
    assert (result.manifests, result.segments) == (5, 5 - len(sealed))
    assert {stream: head.seq for stream, head in opened(folder).acknowledged().items()} == {PROPERTY: 7, TABLE: 14, OTHER: 14}
    assert verify(opened(folder)).ok
    assert not list(folder.rglob("*.partial"))


# ----------------------------------------------------------------------------------------------------------- any events


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.tuples(st.sampled_from([TABLE, OTHER]), st.lists(QUIET, max_size=4)), max_size=6), st.data())
def test_any_events_come_back(tmp_path_factory: pytest.TempPathFactory, groups: list, data: st.DataObject) -> None:
    """Whatever the events, the runs and the days: the archive gives back what the log holds, and restores nothing else."""
    folder = tmp_path_factory.mktemp("any") / "archive"
    drafts = Drafts()
    with new_log() as (log, _):
        for number, (stream, payloads) in enumerate(groups):
            day = data.draw(st.sampled_from(DAYS[number // 2 :][:1] or DAYS[2:]), label="day")
            first = [drafts.day(day)] if log.head(stream).seq == 0 or data.draw(st.booleans(), label="new day") else []
            log.append(stream, log.head(stream).seq + 1, [*first, *(drafts(payload) for payload in payloads)])
            if data.draw(st.booleans(), label="archive now"):
                write_archive(log, folder, running=True)
        write_archive(log, folder, running=True)
        archive = opened(folder)
        assert {found.kind for found in verify(archive).breaks} <= {"entry_missing"}, "refusals of which nothing is kept"
        for stream in (TABLE, OTHER):
            assert list(archive.read(stream)) == list(log.read(stream))
        together = list(chain.from_iterable(archive.tail({})))
        assert sorted((record.stream, record.seq) for record in together) == [
            (record.stream, record.seq) for stream in sorted(log.streams()) for record in log.read(stream)
        ]


def test_a_reader_goes_on_while_more_is_sealed(log: SqliteLog, folder: Path, drafts: Drafts) -> None:
    fill(log, drafts, rounds=1)
    write_archive(log, folder, running=True)
    batches: Iterator[list] = opened(folder).tail({}, wait_s=0.02)
    assert [record.seq for record in next(batches)] == list(range(1, 8))
    assert next(batches) == []
    log.append(TABLE, 8, [drafts(Surrendered(seat=1), round_no=7)])
    write_archive(log, folder, running=True)
    assert [record.seq for record in next(batch for batch in batches if batch)] == [8]
