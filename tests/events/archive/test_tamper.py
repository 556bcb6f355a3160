"""Whatever is done to an archive's files, `rack verify` names the first place that is not as it was sealed, and how."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from events.archive.manifest import ARCHIVE, QUARANTINE, SegmentManifest, path_of
from events.archive.manifest_chain import ManifestChain
from events.archive.write import write_archive
from events.errors import BrokenSeal, IntegrityError, SegmentMissing
from events.log.contract import EventLog
from events.sqlite.log import SqliteLog
from tests.contract.drafts import TABLE, Drafts
from tests.events.archive.archives import (
    DAYS,
    OTHER,
    PROPERTY,
    chained,
    files,
    fill_three_days,
    first_break,
    forge,
    forge_file,
    opened,
    parquet,
    refused,
    verified,
)
from tests.events.archive.closing import LOG_ID


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of six segments: three days at a table, two at another, the property's, and what was refused."""
    folder = tmp_path_factory.mktemp("sealed")
    log = SqliteLog(folder / "floor.db", property_id="bellwether", create=True, log_id=LOG_ID)
    fill_three_days(log, Drafts())
    log.quarantine(refused(b"\x00 garbage"))
    write_archive(log, folder / "archive", running=True)
    log.close()
    return folder / "archive"


@pytest.fixture
def folder(sealed: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(shutil.copytree(sealed, tmp_path / "archive"))


def segment(folder: Path, stream: str, first_seq: int) -> SegmentManifest:
    return next(each for each in ManifestChain(folder).of(stream) if each.first_seq == first_seq)


def test_sound(folder: Path) -> None:
    report = verified(folder)
    assert (report.ok, report.events, report.quarantine.entries, report.breaks) == (True, 42, 1, ())
    assert ManifestChain(folder).sealed[0].named == "manifest 1 (table/fu-07, events 1 to 7)"


# ------------------------------------------------------------------------------------------------------------ any byte


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_changed_byte_of_any_file_is_found(folder: Path, data: st.DataObject) -> None:
    contents = {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}
    path = data.draw(st.sampled_from([path for path, content in contents.items() if content]))
    at = data.draw(st.integers(0, len(contents[path]) - 1))
    changed = bytearray(contents[path])
    changed[at] ^= data.draw(st.integers(1, 255))
    places = places_of(folder, path)
    path.write_bytes(changed)
    try:
        stream, seq, kind = first_break(folder)
    finally:
        path.write_bytes(contents[path])
    assert (stream, seq) in places
    assert kind in {"changed", "removed", "tail_cut"}
    assert kind == "changed" or path.suffix == ".json"


def places_of(folder: Path, path: Path) -> set[tuple[str, int]]:
    """Where a changed file may be named: a segment by its first event, a manifest by its number or its segment's."""
    sealed = ManifestChain(folder).sealed
    for manifest in sealed:
        if path == manifest.file(folder):
            return {(manifest.stream, manifest.first_seq)}
        if path == path_of(folder, manifest.number):
            return {(ARCHIVE, manifest.number), (manifest.stream, manifest.first_seq)}
    assert path.name in {"archive.json", "head.json"}
    return {(ARCHIVE, 1)} if path.name == "archive.json" else {(ARCHIVE, len(sealed)), (ARCHIVE, len(sealed) + 1)}


@pytest.mark.parametrize("cut", [1, 100])
def test_files_cut_short_or_lengthened(folder: Path, cut: int) -> None:
    path = segment(folder, TABLE, 8).file(folder)
    content = path.read_bytes()
    for other in (content[:-cut], content + b"\0" * cut):
        path.write_bytes(other)
        assert first_break(folder) == (TABLE, 8, "changed")


def test_everything_else_still_reads(folder: Path) -> None:
    path = segment(folder, TABLE, 8).file(folder)
    path.write_bytes(b"\0" * path.stat().st_size)
    report = verified(folder)
    assert [(found.stream, found.seq) for found in report.breaks] == [(TABLE, 8)]
    assert {stream: head.seq for stream, head in report.heads.items()} == {PROPERTY: 7, TABLE: 7, OTHER: 14}
    archive = opened(folder)
    assert [record.seq for record in archive.read(TABLE, 15)] == list(range(15, 22)), "a later segment is sealed by itself"
    read = archive.read(TABLE)
    assert [next(read).seq for _ in range(7)] == list(range(1, 8))
    with pytest.raises(BrokenSeal, match=r"2026-03-15\.000000000008-000000000014\.parquet, the segment with events 8 to 14"):
        next(read)


def test_what_was_refused_is_sealed_too(folder: Path) -> None:
    path = segment(folder, QUARANTINE, 1).file(folder)
    path.write_bytes(path.read_bytes()[::-1])
    report = verified(folder)
    assert report.first_break is not None
    assert (report.first_break.stream, report.first_break.seq, report.quarantine.entries) == (QUARANTINE, 1, 0)


# -------------------------------------------------------------------------------------- removed, swapped, moved, added


def test_a_segment_is_removed(folder: Path) -> None:
    segment(folder, TABLE, 8).file(folder).unlink()
    assert first_break(folder) == (TABLE, 8, "removed")
    with pytest.raises(SegmentMissing, match="the segment with events 8 to 14 is missing: segments/table/fu-07/2026"):
        list(opened(folder).read(TABLE))


def test_two_segments_are_swapped(folder: Path) -> None:
    one, other = segment(folder, TABLE, 1).file(folder), segment(folder, OTHER, 8).file(folder)
    held = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(held)
    breaks = verified(folder).breaks
    assert [(found.stream, found.seq, found.kind) for found in breaks] == [(TABLE, 1, "swapped"), (OTHER, 8, "swapped")]
    assert breaks[0].message.startswith("the bytes stored here are table/fu-08 event 8")


def test_a_segment_stands_in_the_place_of_another(folder: Path) -> None:
    shutil.copy(segment(folder, TABLE, 15).file(folder), segment(folder, TABLE, 8).file(folder))
    assert first_break(folder) == (TABLE, 8, "moved")


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("segments/table/fu-07/2026-03-17.000000000022-000000000028.parquet", (TABLE, 22)),
        ("segments/table/fu-09/2026-03-14.000000000001-000000000007.parquet", ("table/fu-09", 1)),
        ("segments/table/fu-07/copy.parquet", (ARCHIVE, 8)),
        ("notes.txt", (ARCHIVE, 8)),
        ("manifests/00000009.txt", (ARCHIVE, 8)),
    ],
)
def test_a_file_is_added(folder: Path, name: str, where: tuple[str, int]) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    shutil.copy(segment(folder, TABLE, 1).file(folder), path)
    assert first_break(folder) == (*where, "added")
    path.unlink()
    path.symlink_to("/etc/hostname")
    assert first_break(folder) == (*where, "added"), "a link is not followed"


def test_manifests_are_removed(folder: Path) -> None:
    path_of(folder, 7).unlink()
    assert first_break(folder) == (ARCHIVE, 7, "tail_cut")
    path_of(folder, 3).unlink()
    assert first_break(folder) == (ARCHIVE, 3, "removed")


def test_what_says_of_the_archive_is_removed(folder: Path) -> None:
    (folder / "head.json").unlink()
    assert first_break(folder) == (ARCHIVE, 8, "changed")
    (folder / "archive.json").unlink()
    assert first_break(folder) == (ARCHIVE, 1, "changed")


def test_manifests_are_swapped_copied_or_of_another_archive(folder: Path, tmp_path: Path) -> None:
    third, fourth = path_of(folder, 3), path_of(folder, 4)
    held = third.read_bytes(), fourth.read_bytes()
    third.write_bytes(held[1])
    fourth.write_bytes(held[0])
    assert first_break(folder) == (ARCHIVE, 3, "changed")
    third.write_bytes(held[0])
    fourth.write_bytes(held[1])
    shutil.copy(path_of(folder, 7), path_of(folder, 8))
    assert first_break(folder) == (ARCHIVE, 8, "changed")
    path_of(folder, 8).unlink()
    other = SqliteLog(tmp_path / "other.db", property_id="bellwether", create=True)
    fill_three_days(other, Drafts())
    write_archive(other, tmp_path / "other")
    other.close()
    shutil.copy(path_of(tmp_path / "other", 1), path_of(folder, 1))
    assert first_break(folder) == (ARCHIVE, 1, "changed")


# -------------------------------------------------------------------- by someone who knows how the archive is put together


def rows_of(folder: Path, manifest: SegmentManifest) -> list[tuple[int, bytes]]:
    return [(record.seq, record.data) for record in opened(folder).read(manifest.stream, manifest.first_seq, manifest.last_seq)]


def edit(seq: int) -> Callable[[list[tuple[int, bytes]]], list[tuple[int, bytes]]]:
    return lambda rows: [(n, data.replace(b'"seat":2', b'"seat":3') if n == seq else data) for n, data in rows]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        (edit(11), (TABLE, 8, "changed")),
        (lambda rows: [row for row in rows if row[0] != 11], (TABLE, 8, "changed")),
        (lambda rows: [(n, rows[{10: 4, 12: 2}.get(n, n - 8)][1]) for n, _ in rows], (TABLE, 10, "swapped")),
        (lambda rows: [(n + (n > 10), data) for n, data in rows], (TABLE, 11, "removed")),
        (lambda rows: rows[::-1], (TABLE, 8, "removed")),
    ],
    ids=["changed", "left out", "swapped", "renumbered", "reversed"],
)
def test_the_file_is_replaced_and_the_manifests_made_to_fit(
    folder: Path, change: Callable[[list[tuple[int, bytes]]], list[tuple[int, bytes]]], where: tuple[str, int, str]
) -> None:
    """All digests of files and manifests fit: the chain does not. If a row names another place, it is told which."""
    manifest = segment(folder, TABLE, 8)
    rows = rows_of(folder, manifest)
    assert change(rows) != rows
    forge_file(folder, manifest.number, lambda path: parquet(path, change(rows)))
    assert first_break(folder) == where


def test_the_chain_is_made_to_fit_too_and_the_next_day_does_not_continue_it(folder: Path) -> None:
    manifest = segment(folder, TABLE, 8)
    rows = edit(11)(rows_of(folder, manifest))
    forge_file(folder, manifest.number, lambda path: parquet(path, rows))
    head = chained(manifest.start, [data for _, data in rows]).hex()
    forge(folder, manifest.number, lambda each: msgspec.structs.replace(each, head=head))
    assert first_break(folder) == (TABLE, 15, "changed")


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"gaming_day": "2026-03-14"}, (TABLE, 8, "removed")),
        ({"first_seq": 9, "largest_bytes": 2730}, (TABLE, 8, "removed")),
        ({"first_seq": 7}, (TABLE, 8, "removed")),
        ({"last_seq": 13, "largest_bytes": 2730}, (TABLE, 14, "removed")),
        ({"previous_head": "0" * 64}, (TABLE, 8, "changed")),
        ({"head": "0" * 64}, (TABLE, 15, "changed")),
        ({"stream": OTHER}, (OTHER, 8, "changed")),
        ({"log_id": "0" * 32}, (ARCHIVE, 5, "changed")),
        ({"property_id": "copperhill"}, (ARCHIVE, 5, "changed")),
    ],
)
def test_a_manifest_says_otherwise(folder: Path, changes: dict[str, object], where: tuple[str, int, str]) -> None:
    number = segment(folder, TABLE, 8).number
    assert number == 3
    forge(folder, number, lambda each: msgspec.structs.replace(each, **changes))
    found = first_break(folder)
    assert found == (*where[:1], number if where[0] == ARCHIVE else where[1], where[2])


def test_a_day_that_is_not_its_segments(folder: Path) -> None:
    """The file lies where the manifest says; the events are of another gaming day."""
    manifest = segment(folder, TABLE, 8)
    forge(folder, manifest.number, lambda each: msgspec.structs.replace(each, gaming_day=DAYS[0]))
    os.rename(manifest.file(folder), segment(folder, TABLE, 8).file(folder))
    found = verified(folder).first_break
    assert found is not None
    assert (found.stream, found.seq, found.kind) == (TABLE, 8, "changed")
    assert found.message == "the event belongs to gaming day 2026-03-15, its segment to 2026-03-14"


# ------------------------------------------------------------------------------------------------- what relies on it


def test_nothing_is_added_to_a_broken_archive(folder: Path, log: EventLog, drafts: Drafts) -> None:
    path_of(folder, 2).write_bytes(path_of(folder, 1).read_bytes())
    fill_three_days(log, drafts)
    before = files(folder)
    with pytest.raises(IntegrityError, match="the file of manifest 2 holds manifest 1"):
        write_archive(log, folder)
    assert files(folder) == before


def test_a_broken_archive_is_not_opened_unless_to_verify_it(folder: Path) -> None:
    path_of(folder, 4).write_bytes(b"{}")
    with pytest.raises(BrokenSeal, match="archive event 4: manifest 4 cannot be read"):
        opened(folder)


def test_a_file_that_may_not_be_read_is_no_damage(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from events.errors import LogUnavailable

    def refuse(path: object, *_: object) -> int:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("events.archive.segment.open_plain", refuse)
    with pytest.raises(LogUnavailable, match="Permission denied"):
        list(opened(folder).read(TABLE))
