"""The manifests of an archive: the log's identity, one manifest for each sealed segment, and their number.

```
archive.json                                        which log this is of, written once
manifests/00000001.json …                           one for each segment, in the order of sealing; each names the digest
                                                    of the one before (the first that of archive.json)
segments/table/fu-07/2026-03-14.000000000001-000000004711.parquet …
head.json                                           how many manifests there are, and the digest of the last
```

Only `head.json` is ever replaced. The last manifest's segment may still have its temporary name (`….partial`) and is then about
to be renamed. Other files with such names are unfinished and count for nothing.

All files but the segments are canonical JSON (RFC 8785); anything else is refused. A segment's path follows from the stream, day
and numbers in its manifest, whose forms are checked: no manifest holds a path.

Lines refused at intake are a stream too, `quarantine`, with a chain of its own: number n is the nth entry. The signed checkpoints
are `checkpoints`, as far as the archive has every event that they cover.
"""

from pathlib import Path
from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import Meta

from events.archive.files import PARTIAL
from events.log.contract import QUARANTINE, Head
from events.proofs.statements import CHECKPOINTS
from events.vocabulary.codec import MAX_EVENT_BYTES, canonical
from events.vocabulary.envelope import LogId
from events.vocabulary.model import MAX_INT, Count, Day, Digest, Number, Token

IDENTITY, HEAD = "archive.json", "head.json"
ARCHIVE = "archive"
"""Represents a stream in errors about the archive itself; the number is that of a manifest."""
LISTS = (QUARANTINE, CHECKPOINTS)
"""Streams of an archive that hold no events."""
MAX_REFUSED_BYTES = 1024 * 1024 * 1024

M = TypeVar("M", bound=msgspec.Struct)

SealedStream = Annotated[
    str, Meta(pattern=r"\A((table|meter|review|property|observed|review/observed)/[a-z0-9-]{1,32}|quarantine|checkpoints)\Z")
]


class ArchiveIdentity(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The identity of an archive's log."""

    format: Literal[1]
    log_id: LogId
    property_id: Token


class ManifestHead(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of sealed manifests at the end of the last run, and the digest of the last (if none: of archive.json)."""

    manifests: Count
    sha256: Digest


class SegmentManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One sealed segment: a contiguous range of one stream, all of one gaming day.

    `gaming_day` is None for rows that are not events, and if no event of the range could be read. Digests are in hex.
    """

    file_bytes: Number
    file_sha256: Digest
    first_seq: Number
    format: Literal[1]
    gaming_day: Day | None
    head: Digest
    largest_bytes: Annotated[int, Meta(ge=0, le=MAX_REFUSED_BYTES)]
    last_seq: Number
    log_id: LogId
    number: Number
    previous_head: Digest
    previous_manifest: Digest
    property_id: Token
    stream: SealedStream
    total_bytes: Annotated[int, Meta(ge=0, le=MAX_INT)]

    def __post_init__(self) -> None:
        rows = self.rows
        if rows < 1:
            raise ValueError(f"events {self.first_seq} to {self.last_seq}: the last number is below the first")
        if not self.largest_bytes <= self.total_bytes <= rows * self.largest_bytes:
            raise ValueError(f"{rows} events of at most {self.largest_bytes} bytes cannot have {self.total_bytes}")
        if self.stream not in LISTS and self.largest_bytes > MAX_EVENT_BYTES:
            raise ValueError(f"an event of {self.largest_bytes} bytes; the limit is {MAX_EVENT_BYTES}")

    @property
    def rows(self) -> int:
        """The number of events in the segment."""
        return self.last_seq - self.first_seq + 1

    @property
    def end(self) -> Head:
        """The end of the stream after this segment."""
        return Head(self.last_seq, bytes.fromhex(self.head))

    @property
    def start(self) -> bytes:
        """The chain hash before the segment's first event."""
        return bytes.fromhex(self.previous_head)

    def file(self, folder: Path) -> Path:
        """Return the path of the segment.

        >>> example().file(Path("a")).as_posix()
        'a/segments/table/fu-07/2026-03-14.000000000001-000000004711.parquet'
        """
        name = f"{self.gaming_day or 'no-day'}.{self.first_seq:012}-{self.last_seq:012}.parquet"
        return folder / "segments" / self.stream / name

    def fresh(self, folder: Path) -> Path:
        """Return the temporary path of the segment."""
        return fresh_segment(folder, self.stream, self.first_seq)

    @property
    def named(self) -> str:
        """Return the segment's name in words."""
        return f"manifest {self.number} ({self.stream}, events {self.first_seq} to {self.last_seq})"


def example() -> SegmentManifest:
    """Return a manifest for documentation and tests."""
    return SegmentManifest(
        file_bytes=7_000,
        file_sha256="0" * 64,
        first_seq=1,
        format=1,
        gaming_day="2026-03-14",
        head="2" * 64,
        largest_bytes=900,
        last_seq=4711,
        log_id="5e" * 16,
        number=1,
        previous_head="1" * 64,
        previous_manifest="0" * 64,
        property_id="bellwether",
        stream="table/fu-07",
        total_bytes=2_000_000,
    )


def fresh_segment(folder: Path, stream: str, first_seq: int) -> Path:
    """Return the path of an unfinished segment."""
    return folder / "segments" / stream / f"{first_seq:012}{PARTIAL}"


def path_of(folder: Path, number: int) -> Path:
    """Return the path of a manifest."""
    return folder / "manifests" / f"{number:08}.json"


def parse(data: bytes, cls: type[M]) -> M:
    """Decode canonical bytes. Raises `ValueError` for any other bytes."""
    try:
        statement = msgspec.json.decode(data, type=cls)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(str(error)) from error
    if canonical(msgspec.structs.asdict(statement)) != data:
        raise ValueError("it is not in canonical form (RFC 8785)")
    return statement
