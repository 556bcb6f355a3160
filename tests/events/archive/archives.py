"""Archives for tests, and what somebody with the machine's rights can make of them."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from events.archive.manifest import SegmentManifest, path_of
from events.archive.manifest_chain import ManifestChain
from events.archive.read import ArchiveLog
from events.archive.segment import LEVEL
from events.archive.verify import verify_archive
from events.log.contract import EventLog, QuarantineEntry
from events.log.hash_chain import link
from events.proofs.verify import VerificationReport
from events.vocabulary.codec import canonical
from tests.contract.drafts import TABLE, Drafts, group

OTHER, PROPERTY = "table/fu-08", "property/main"
DAYS = ("2026-03-14", "2026-03-15", "2026-03-16")
SCHEMA = pa.schema([pa.field("seq", pa.int64(), nullable=False), pa.field("bytes", pa.binary(), nullable=False)])


def open_day(log: EventLog, drafts: Drafts, day: str, *streams: str) -> None:
    for stream in streams:
        log.append(stream, log.head(stream).seq + 1, [drafts.day(day), *group(drafts, stream)])


def fill_three_days(log: EventLog, drafts: Drafts) -> None:
    """Three days at one table, two at another that is still at the second, and the property's events of the first."""
    open_day(log, drafts, DAYS[0], TABLE, OTHER, PROPERTY)
    open_day(log, drafts, DAYS[1], TABLE, OTHER)
    open_day(log, drafts, DAYS[2], TABLE)


def refused(data: bytes, stream: str = TABLE, reason: str = "not an event") -> QuarantineEntry:
    return QuarantineEntry(stream, sha256(data).hexdigest(), reason, data)


def opened(folder: Path) -> ArchiveLog:
    return ArchiveLog(folder, read_only=True)


def verified(folder: Path) -> VerificationReport:
    return verify_archive(ArchiveLog(folder, read_only=True, check_heads=False))


def first_break(folder: Path) -> tuple[str, int, str]:
    """Where the archive first is not as it was sealed, and how."""
    found = verified(folder).first_break
    assert found is not None, "nothing was found"
    return found.stream, found.seq, found.kind


def files(folder: Path) -> dict[str, bytes]:
    """Every file of an archive but the lock and the note of how many manifests there are."""
    found = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in found if path.name not in ("archive.lock", "head.json")
    }


def parquet(path: Path, rows: list[tuple[int, bytes]], schema: pa.Schema = SCHEMA, **options: Any) -> None:
    """Write a segment's file as the archive does, or otherwise."""
    options = {
        "compression": "zstd",
        "compression_level": LEVEL,
        "use_dictionary": False,
        "version": "2.6",
        "data_page_version": "1.0",
        "store_schema": False,
    } | options
    columns = [pa.array([seq for seq, _ in rows], pa.int64()), pa.array([data for _, data in rows], pa.binary())]
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), path, **options)


def forge(folder: Path, number: int, change: Callable[[SegmentManifest], SegmentManifest]) -> None:
    """Put another manifest in the place of one, and make all later ones and `head.json` fit."""
    manifests = ManifestChain(folder).sealed
    previous = sha256((folder / "archive.json").read_bytes()).hexdigest()
    for manifest in manifests:
        each = msgspec.structs.replace(manifest, previous_manifest=previous)
        each = change(each) if manifest.number == number else each
        data = canonical(msgspec.structs.asdict(each))
        path_of(folder, manifest.number).write_bytes(data)
        previous = sha256(data).hexdigest()
    head = {"manifests": len(manifests), "sha256": previous}
    (folder / "head.json").write_bytes(canonical(head))


def forge_file(folder: Path, number: int, write: Callable[[Path], None]) -> SegmentManifest:
    """Put another file in the place of a segment, with a manifest that names its size and digest. Return the old one."""
    manifest = ManifestChain(folder).sealed[number - 1]
    path = manifest.file(folder)
    write(path)
    data = path.read_bytes()
    forge(folder, number, lambda each: msgspec.structs.replace(each, file_bytes=len(data), file_sha256=sha256(data).hexdigest()))
    return manifest


def chained(previous: bytes, rows: list[bytes]) -> bytes:
    """The chain hash after rows."""
    for row in rows:
        previous = link(previous, row)
    return previous
