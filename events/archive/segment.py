"""One sealed Parquet file: numbered rows of bytes, in row groups that fit in memory. Only this module uses pyarrow.

Two columns, `seq` and `bytes`, zstd, plain pages. The file is written under another name, fsynced and renamed. It is read a row
group at a time, after its length, its digest, and the sizes in its footer and pages were found to agree with the manifest:
nothing larger is ever allocated.
"""

import contextlib
import os
import struct
from collections.abc import Iterator
from hashlib import file_digest
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from events.archive.files import create_fresh, make_folder
from events.archive.manifest import SegmentManifest
from events.archive.parquet_pages import pages
from events.log.high_water import sync
from events.log.plain_file import open_plain

GROUP_ROWS = 4096
GROUP_BYTES = 1024 * 1024
"""A row group is closed when it has this many rows, or this many bytes (of which the last row may take it past)."""
LEVEL = 6
MAX_FOOTER_BYTES = 16 * 1024 * 1024
_ROW_OVERHEAD = 64
"""Bytes that a row may take next to its own: number, lengths, its share of the headers."""
_SCHEMA = pa.schema([pa.field("seq", pa.int64(), nullable=False), pa.field("bytes", pa.binary(), nullable=False)])
_ALLOWED_ENCODINGS = {"PLAIN", "RLE"}
_MAGIC = b"PAR1"

Rows = tuple[list[int], list[bytes]]
"""Numbers and bytes of the rows of one row group."""


class DamagedSegment(Exception):
    """The file is not the sealed one, or asks for more memory than its manifest allows."""


class SegmentSize(msgspec.Struct, frozen=True):
    """The size and digest of a file on disk."""

    file_bytes: int
    file_sha256: str
    largest_bytes: int
    total_bytes: int


class SegmentWriter:
    """Writes rows to a file under the temporary name `fresh`; `publish` renames it."""

    def __init__(self, fresh: Path) -> None:
        make_folder(fresh.parent)
        self.fresh = fresh
        self._file = create_fresh(fresh)
        self._writer = pq.ParquetWriter(
            self._file,
            _SCHEMA,
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=False,
            version="2.6",
            data_page_version="1.0",
            write_statistics=["seq"],
            store_schema=False,
        )
        self._numbers: list[int] = []
        self._rows: list[bytes] = []
        self._held = self._total = self._largest = 0

    def add(self, seq: int, data: bytes) -> None:
        """Add one row."""
        self._numbers.append(seq)
        self._rows.append(data)
        self._held += len(data)
        self._total += len(data)
        self._largest = max(self._largest, len(data))
        if self._held >= GROUP_BYTES or len(self._rows) >= GROUP_ROWS:
            self._write()

    def finish(self) -> SegmentSize:
        """Write the remaining rows, make the file durable under its temporary name, and return its size."""
        if self._rows:
            self._write()
        self._writer.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        sync(self.fresh.parent)
        with self.fresh.open("rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
        return SegmentSize(self.fresh.stat().st_size, digest, self._largest, self._total)

    def discard(self) -> None:
        """Delete the unfinished file."""
        with contextlib.suppress(Exception):  # what is thrown away need not be written to its end
            self._writer.close()
        self._file.close()
        self.fresh.unlink(missing_ok=True)

    def _write(self) -> None:
        columns = [pa.array(self._numbers, pa.int64()), pa.array(self._rows, pa.binary())]
        self._writer.write_table(pa.Table.from_arrays(columns, schema=_SCHEMA), row_group_size=len(self._rows))
        self._numbers, self._rows, self._held = [], [], 0


def publish(fresh: Path, path: Path) -> None:
    """Rename a finished file to its final name, durably."""
    os.replace(fresh, path)
    sync(path.parent)


class SegmentReader:
    """A sealed file, opened after its size and digest were compared with the manifest. Use it as a context manager.

    Raises `Damaged` if it is another file, `FileNotFoundError` if none exists, `OSError`.
    """

    def __init__(self, path: Path, manifest: SegmentManifest, *, digest: bool = True) -> None:
        self._manifest = manifest
        self._file: BinaryIO = os.fdopen(open_plain(path), "rb")
        try:
            size = os.fstat(self._file.fileno()).st_size
            if size != manifest.file_bytes:
                raise DamagedSegment(f"it has {size} bytes, {manifest.file_bytes} were sealed")
            if digest and file_digest(self._file, "sha256").hexdigest() != manifest.file_sha256:
                raise DamagedSegment("its bytes are not those that were sealed: their SHA-256 differs")
            self._footer = self._check_footer(size)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "SegmentReader":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._file.close()

    def groups(self) -> Iterator[Rows]:
        """Yield the rows, one row group at a time. Raises `Damaged`."""
        for number in range(self._footer.metadata.num_row_groups):
            self._check_group(number)
            with _reading():
                table = self._footer.read_row_group(number, use_threads=False)
                rows: Rows = table.column("seq").to_pylist(), table.column("bytes").to_pylist()
            yield rows

    def _check_footer(self, size: int) -> pq.ParquetFile:
        if size < 12:
            raise DamagedSegment("it is too short for a Parquet file")
        self._file.seek(size - 8)
        length, magic = struct.unpack("<I4s", self._file.read(8))
        if magic != _MAGIC or length > min(MAX_FOOTER_BYTES, size - 12):
            raise DamagedSegment("it does not end like a Parquet file")
        self._file.seek(0)
        with _reading():
            parquet = pq.ParquetFile(
                self._file,
                pre_buffer=False,
                arrow_extensions_enabled=False,
                thrift_string_size_limit=MAX_FOOTER_BYTES,
                thrift_container_size_limit=MAX_FOOTER_BYTES // 32,
            )
            if not parquet.schema_arrow.equals(_SCHEMA):
                raise DamagedSegment("its columns are not `seq` and `bytes`")
        if parquet.metadata.num_rows != self._manifest.rows:
            raise DamagedSegment(f"it says that it holds {parquet.metadata.num_rows} events, {self._manifest.rows} were sealed")
        return parquet

    def _check_group(self, number: int) -> None:
        """Refuse a row group that needs more memory than its manifest allows or has other pages."""
        group = self._footer.metadata.row_group(number)
        if not 0 < group.num_rows <= GROUP_ROWS:
            raise DamagedSegment(f"row group {number} has {group.num_rows} rows; the limit is {GROUP_ROWS}")
        allowed = GROUP_BYTES + self._manifest.largest_bytes + _ROW_OVERHEAD * (group.num_rows + 1)
        for index in range(group.num_columns):
            column = group.column(index)
            start, length = column.data_page_offset, column.total_compressed_size
            plainly = not column.has_dictionary_page and _ALLOWED_ENCODINGS.issuperset(column.encodings)
            if column.compression != "ZSTD" or not plainly:
                raise DamagedSegment(
                    f"row group {number} is not in plain encoding compressed with zstd, the form of every archive"
                )
            if not (start > 0 and 0 < length <= self._manifest.file_bytes - start):
                raise DamagedSegment(f"row group {number} lies outside the file")
            values = plain = 0
            try:
                for page in pages(self._file, start, length):
                    values, plain = values + page.values, plain + page.plain_bytes
                    if values > group.num_rows or plain > allowed:
                        break
            except ValueError as error:
                raise DamagedSegment(f"row group {number}: {error}") from error
            if plain > allowed:
                raise DamagedSegment(f"row group {number} would take {plain} bytes or more; the limit is {allowed}")
            if values != group.num_rows:
                raise DamagedSegment(f"row group {number} has {group.num_rows} rows and pages of {values}")


@contextlib.contextmanager
def _reading() -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DamagedSegment(f"it cannot be read as Parquet: {error}") from error
