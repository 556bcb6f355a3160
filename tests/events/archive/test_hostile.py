"""Archives that somebody made to do harm: refused with a clear sentence, and never more memory than a segment may take.

The digests fit throughout: who makes such an archive makes the manifests too.
"""

import os
import shutil
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.archive.files import MAX_SMALL_BYTES
from events.archive.manifest import ARCHIVE, SegmentManifest, example, parse, path_of
from events.archive.manifest_chain import ManifestChain
from events.archive.parquet_pages import pages
from events.archive.read import ArchiveLog
from events.archive.segment import GROUP_BYTES, GROUP_ROWS, SegmentReader
from events.archive.write import write_archive
from events.errors import AppendRefused, BrokenSeal
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import canonical
from tests.contract.drafts import TABLE, Drafts, fill
from tests.events.archive.archives import forge, forge_file, opened, parquet, verified
from tests.events.archive.closing import LOG_ID

MIB = 1024 * 1024
ROOM = 3 * (GROUP_BYTES + 16 * GROUP_ROWS) + MIB
"""What reading a segment of ordinary size may take: a row group as it lies in the file, as pages and as a table."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sealed")
    log = SqliteLog(folder / "floor.db", property_id="bellwether", create=True, log_id=LOG_ID)
    fill(log, Drafts())
    write_archive(log, folder / "archive", running=True)
    log.close()
    return folder / "archive"


@pytest.fixture
def folder(sealed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sealed, tmp_path / "archive"))


def rows(folder: Path) -> list[tuple[int, bytes]]:
    return [(record.seq, record.data) for record in opened(folder).read(TABLE)]


@contextmanager
def measured() -> Iterator[pa.MemoryPool]:
    """What Arrow takes meanwhile, counted from nothing."""
    usual, pool = pa.default_memory_pool(), pa.proxy_memory_pool(pa.system_memory_pool())
    pa.set_memory_pool(pool)
    try:
        yield pool
    finally:
        pa.set_memory_pool(usual)


def refusal(folder: Path) -> str:
    """How reading the table is refused; and nothing near the declared sizes was allocated for it."""
    with measured() as pool, pytest.raises(BrokenSeal) as found:
        list(opened(folder).read(TABLE))
    assert pool.max_memory() < ROOM
    assert (found.value.stream, found.value.seq) == (TABLE, 1)
    report = verified(folder)
    assert report.first_break is not None
    assert (report.first_break.kind, report.first_break.code) == ("changed", "LOG-SEAL")
    return found.value.detail


# ------------------------------------------------------------------------------------------------------- Parquet files


WIDE = pa.schema([pa.field("seq", pa.int64(), nullable=False), pa.field("bytes", pa.binary())])


@pytest.mark.parametrize(
    "schema",
    [
        WIDE,
        pa.schema([pa.field("seq", pa.int64()), pa.field("bytes", pa.binary(), nullable=False)]),
        pa.schema([pa.field("n", pa.int64(), nullable=False), pa.field("bytes", pa.binary(), nullable=False)]),
        pa.schema([pa.field("seq", pa.int32(), nullable=False), pa.field("bytes", pa.binary(), nullable=False)]),
        pa.schema([pa.field("seq", pa.int64(), nullable=False), pa.field("bytes", pa.string(), nullable=False)]),
    ],
    ids=["null bytes", "null numbers", "another name", "narrow numbers", "text"],
)
def test_another_schema(folder: Path, schema: pa.Schema) -> None:
    held = rows(folder)

    def write(path: Path) -> None:
        columns = [pa.array([n for n, _ in held], schema.field(0).type)]
        columns.append(pa.array([data for _, data in held], pa.binary()).cast(schema.field(1).type))
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), path, compression="zstd", use_dictionary=False)

    forge_file(folder, 1, write)
    assert "its columns are not `seq` and `bytes`" in refusal(folder)


def test_more_columns(folder: Path) -> None:
    held = rows(folder)
    table = pa.table({"seq": [n for n, _ in held], "bytes": [data for _, data in held], "more": [0] * len(held)})
    forge_file(folder, 1, lambda path: pq.write_table(table, path))
    assert "its columns are not" in refusal(folder)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"use_dictionary": True}, "not in plain encoding"),
        ({"compression": "gzip", "compression_level": None}, "compressed with zstd"),
        ({"compression": "none", "compression_level": None}, "compressed with zstd"),
        ({"column_encoding": {"seq": "DELTA_BINARY_PACKED", "bytes": "PLAIN"}}, "not in plain encoding"),
        ({"column_encoding": {"seq": "PLAIN", "bytes": "DELTA_BYTE_ARRAY"}}, "not in plain encoding"),
        ({"data_page_version": "2.0"}, "a page is not a plain data page"),
    ],
)
def test_other_encodings(folder: Path, options: dict[str, Any], said: str) -> None:
    """Dictionaries and deltas make gigabytes out of nothing: an archive has none, and no reader looks into one."""
    held = rows(folder)
    forge_file(folder, 1, lambda path: parquet(path, held, **options))
    assert said in refusal(folder)


def test_more_rows_than_sealed(folder: Path) -> None:
    held = rows(folder)
    forge_file(folder, 1, lambda path: parquet(path, [*held, (14, b"{}")]))
    assert "it says that it holds 14 events, 13 were sealed" in refusal(folder)


@pytest.mark.nightly
@pytest.mark.parametrize("megabytes", [2, 200])
def test_a_decompression_bomb(folder: Path, megabytes: int) -> None:
    """A row of this many zeros is a few kilobytes of zstd: more than the manifest says is not unpacked."""
    held = rows(folder)
    forge_file(folder, 1, lambda path: parquet(path, [*held[:-1], (13, bytes(megabytes * MIB))]))
    assert " bytes or more; " in refusal(folder)


def test_without_the_check_a_bomb_would_be_unpacked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That the measure of `refusal` can fail."""
    held = rows(folder)
    forge_file(folder, 1, lambda path: parquet(path, [*held[:-1], (13, bytes(20 * MIB))]))
    monkeypatch.setattr(SegmentReader, "_check_group", lambda self, number: None)
    with measured() as pool, pytest.raises(BrokenSeal):
        list(opened(folder).read(TABLE))
    assert pool.max_memory() > 20 * MIB


def test_a_manifest_that_asks_for_a_bomb(folder: Path) -> None:
    with pytest.raises(ValueError, match="an event of 524289 bytes; the limit is 524288"):
        msgspec.structs.replace(example(), largest_bytes=512 * 1024 + 1)
    with pytest.raises(ValueError, match="cannot have"):
        msgspec.structs.replace(example(), largest_bytes=100, total_bytes=4711 * 100 + 1)


def test_a_row_group_of_too_many_rows(folder: Path) -> None:
    held = [(n, b"{}") for n in range(1, GROUP_ROWS + 2)]
    forge_file(folder, 1, lambda path: parquet(path, held, row_group_size=2 * GROUP_ROWS))
    forge(
        folder, 1, lambda each: msgspec.structs.replace(each, last_seq=GROUP_ROWS + 1, total_bytes=2 * len(held), largest_bytes=2)
    )
    shutil.copy(next((folder / "segments" / TABLE).iterdir()), ManifestChain(folder).sealed[0].file(folder))
    assert f"row group 0 has {GROUP_ROWS + 1} rows; the limit is {GROUP_ROWS}" in refusal(folder)


@pytest.mark.parametrize(("offset", "said"), [(-8, "does not end like a Parquet file"), (-4, "does not end like a Parquet file")])
def test_a_footer_that_is_longer_than_the_file(folder: Path, offset: int, said: str) -> None:
    def write(path: Path) -> None:
        data = bytearray(path.read_bytes())
        data[offset : offset + 4 or None] = struct.pack("<I", 0x7FFFFFFF)
        path.write_bytes(data)

    forge_file(folder, 1, write)
    assert said in refusal(folder)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1PAR1", b"not parquet at all, but long enough"])
def test_no_parquet_file(folder: Path, content: bytes) -> None:
    if not content:
        forge_file(folder, 1, lambda path: path.write_bytes(b"x"))
    else:
        forge_file(folder, 1, lambda path: path.write_bytes(content))
    said = refusal(folder)
    assert "too short for a Parquet file" in said or "does not end like a Parquet file" in said


@pytest.mark.slow
@given(st.data())
def test_any_damage_that_the_digests_cover_up(
    sealed: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """A byte of the file is changed and its digest made to fit: told as damage, never as another error, never read over."""
    folder = Path(shutil.copytree(sealed, tmp_path_factory.mktemp("any") / "archive"))
    path = ManifestChain(folder).sealed[0].file(folder)
    held, content = rows(folder), bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    forge_file(folder, 1, lambda place: place.write_bytes(content))
    report = verified(folder)
    if report.ok:  # bytes that mean nothing, such as a page's statistics
        assert rows(folder) == held
    else:
        assert report.first_break is not None
        assert report.first_break.stream == TABLE


# --------------------------------------------------------------------------------------------------------- page headers


class Pages:
    """A file that is read at offsets."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def seek(self, at: int) -> None:
        self.at = at

    def read(self, size: int) -> bytes:
        return self.data[self.at : self.at + size]


@given(st.binary(max_size=200))
def test_headers_of_any_bytes(data: bytes) -> None:
    """Walking page headers ends, with pages within the column or a `ValueError`."""
    found = 0
    try:
        for page in pages(Pages(data), 0, len(data)):  # a double for a file
            found += page.compressed_bytes
    except ValueError:
        return
    assert found <= len(data)


@pytest.mark.parametrize("data", [b"\x1c" * 8000, b"\x19\xfc" + b"\xff" * 9 + b"\x01", b"\x15" + b"\x80" * 200, b"\x1d\x00"])
def test_headers_that_would_not_end(data: bytes) -> None:
    with pytest.raises(ValueError, match="page"):
        list(pages(Pages(data), 0, len(data)))  # a double for a file


# ------------------------------------------------------------------------------------------------------ paths and files


def as_json(**changes: object) -> bytes:
    return canonical(msgspec.structs.asdict(example()) | changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"stream": "table/../../../etc/passwd"},
        {"stream": "/etc/passwd"},
        {"stream": "table/fu-07/.."},
        {"stream": "table\\fu-07"},
        {"stream": "table/fu-07\n"},
        {"stream": "table/FU-07"},
        {"stream": ""},
        {"gaming_day": "../../2026-03-14"},
        {"gaming_day": "2026-03-14/.."},
        {"gaming_day": ""},
        {"first_seq": 0},
        {"first_seq": -1},
        {"first_seq": 2**60},
        {"first_seq": 4712},
        {"number": 0},
        {"file_bytes": 0},
        {"file_sha256": "0" * 63},
        {"file_sha256": "../../../../etc/passwd"},
        {"head": "Z" * 64},
        {"format": 2},
        {"total_bytes": -1},
        {"path": "/etc/passwd"},
    ],
)
def test_what_no_manifest_may_say(changes: dict[str, object]) -> None:
    assert parse(as_json(), SegmentManifest) == example()
    with pytest.raises(ValueError, match=r"\S"):
        parse(as_json(**changes), SegmentManifest)


@pytest.mark.parametrize(
    "data",
    [
        as_json().replace(b'"number":1', b'"number":1,"number":1'),
        as_json().replace(b'"number":1', b'"number": 1'),
        as_json().replace(b'"number":1', b'"number":1.0'),
        as_json() + b"\n",
        b"[" * 100_000,
        b"\xff\xfe",
        b"",
        as_json().replace(b'"number":1,', b""),
    ],
)
def test_manifests_in_another_form(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\S"):
        parse(data, SegmentManifest)


def link(path: Path, target: Path) -> None:
    shutil.move(path, target)
    path.symlink_to(target)


def pipe(path: Path, _: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def directory(path: Path, _: Path) -> None:
    path.unlink()
    path.mkdir()


def long(path: Path, _: Path) -> None:
    path.write_bytes(b" " * (MAX_SMALL_BYTES + 1))


@pytest.mark.parametrize("change", [link, pipe, directory])
def test_a_segment_that_is_no_plain_file(folder: Path, tmp_path: Path, change: Callable[[Path, Path], None]) -> None:
    change(ManifestChain(folder).sealed[0].file(folder), tmp_path / "elsewhere")
    refusal(folder)


@pytest.mark.parametrize("change", [link, pipe, directory, long])
@pytest.mark.parametrize("name", ["archive.json", "head.json", "manifests/00000001.json"])
def test_a_manifest_that_is_no_plain_file(folder: Path, tmp_path: Path, change: Callable[[Path, Path], None], name: str) -> None:
    change(folder / name, tmp_path / "elsewhere")
    archive = ArchiveLog(folder, read_only=True, check_heads=False)
    assert archive.manifests.broken is not None
    assert archive.manifests.broken.stream == ARCHIVE
    assert "cannot be read" in str(archive.manifests.broken)


def test_links_are_not_written_through(tmp_path: Path) -> None:
    """Names under which the next run will write point elsewhere: what is there stays as it was."""
    log, drafts, folder = SqliteLog(tmp_path / "f.db", property_id="bellwether", create=True), Drafts(), tmp_path / "a"
    last = fill(log, drafts)
    write_archive(log, folder, running=True)
    victim = tmp_path / "victim"
    victim.write_text("dear")
    for name in (f"segments/{TABLE}/000000000014.partial", "manifests/00000002.json.partial", "head.json.partial"):
        (folder / name).symlink_to(victim)
    log.append(TABLE, last + 1, drafts.round())
    assert write_archive(log, folder, running=True).events == 6
    log.close()
    assert victim.read_text() == "dear"
    assert verified(folder).ok


def test_more_manifests_than_head_says_are_read_and_a_huge_number_is_not(folder: Path) -> None:
    (folder / "manifests" / ("9" * 200 + ".json")).write_bytes(path_of(folder, 1).read_bytes())
    archive = ArchiveLog(folder, read_only=True, check_heads=False)
    assert archive.manifests.broken is not None
    with pytest.raises(AppendRefused):
        ArchiveLog(folder)
