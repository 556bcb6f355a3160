"""An archive as a log: address `archive:///path`, for reading only (see *Archive and tables* in the design).

Before a segment yields its first event, its file is compared with its manifest and its whole chain recomputed, so that an event
once read is final. Memory holds one row group at a time, however long the archive. Segments sealed while the archive is open are
found.
"""

import contextlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from events.archive.manifest import ARCHIVE, LISTS, SegmentManifest
from events.archive.manifest_chain import ManifestChain
from events.archive.segment import DamagedSegment, SegmentReader
from events.errors import AppendRefused, BrokenSeal, IntegrityError, LogUnavailable, MisplacedEvent, SegmentMissing, SequenceGap
from events.log.contract import NOTHING_EXPECTED, QUARANTINE, AppendResult, Head, QuarantineEntry, Record
from events.log.diagnosis import diagnose
from events.log.foreign import OwnStore
from events.log.hash_chain import link
from events.log.turn import SoleWriter
from events.vocabulary.codec import canonical
from events.vocabulary.envelope import Draft

POLL_S = 0.2


class _DayField(msgspec.Struct):
    gaming_day: str


class _RefusedRow(msgspec.Struct):
    """The fields before the refused bytes in a row of the archive."""

    at_us: int
    reason: str
    stream: str


_day_decoder = msgspec.json.Decoder(_DayField)
_refused_decoder = msgspec.json.Decoder(_RefusedRow)


class ArchiveLog(SoleWriter, OwnStore):
    """A sealed archive as a log (see `events.log.contract.EventLog`), for reading only.

    Raises `LogUnavailable` if there is no archive or it belongs to another property, `AppendRefused` if the caller wants to
    create or write it and, unless `check_heads=False`, an `IntegrityError` if its manifests are not as sealed. The content of
    segments is checked when they are read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        property_id: str | None = None,
        create: bool = False,
        read_only: bool = False,
        check_heads: bool = True,
    ) -> None:
        self.path = Path(os.path.realpath(path))
        if create or not read_only:
            raise AppendRefused(f"{self.path} is an archive and takes no events; append to the log it was made from")
        self.manifests = ManifestChain(self.path)
        self._sound: set[int] = set()
        if property_id not in (None, self.property_id):
            raise LogUnavailable(f"{self.path} is the archive of property {self.property_id}, not {property_id}")
        if check_heads and self.manifests.broken is not None:
            raise self.manifests.broken

    @property
    def log_id(self) -> str:
        """The log's random id, 32 hex digits."""
        return self.manifests.identity.log_id

    @property
    def property_id(self) -> str:
        """The property this log belongs to."""
        return self.manifests.identity.property_id

    def streams(self) -> list[str]:
        """Return the names of all streams, sorted."""
        self.manifests.refresh()
        return self.manifests.streams()

    def head(self, stream: str) -> Head:
        """Return the end of a stream in the archive; `Head(0, genesis)` if no event of it was sealed."""
        self.manifests.refresh()
        return self.manifests.head(stream)

    def append(self, stream: str, expected_seq: int, drafts: Sequence[Draft]) -> AppendResult:
        """Refuse: an archive takes no events."""
        raise self._refusal()

    def append_groups(
        self, groups: Iterable[tuple[str, Sequence[Draft]]], expected: Mapping[str, int] = NOTHING_EXPECTED
    ) -> list[AppendResult]:
        """Refuse: an archive takes no events."""
        raise self._refusal()

    def quarantine(self, *entries: QuarantineEntry) -> None:
        """Refuse: an archive takes no refused lines."""
        raise self._refusal()

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield a stream's records in order, each after its whole segment was checked (see `EventLog.read`)."""
        self.manifests.refresh()
        for manifest in list(self.manifests.of(stream)):
            if to_seq is not None and manifest.first_seq > to_seq:
                return
            if manifest.last_seq < from_seq:
                continue
            for records in self._records(manifest):
                for record in records:
                    if record.seq >= from_seq and (to_seq is None or record.seq <= to_seq):
                        yield record
        broken = self.manifests.broken
        if broken is not None and broken.stream == stream and (to_seq is None or to_seq >= broken.seq):
            raise broken

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield batches of records of all streams after `after`, segment by segment (see `EventLog.tail`)."""
        done = 0
        patience_s = wait_s or 0.0
        until = time.monotonic() + patience_s
        while True:
            self.manifests.refresh()
            for manifest in self.manifests.sealed[done:]:
                done += 1
                seen = after.get(manifest.stream, 0)
                if manifest.stream in LISTS or manifest.last_seq <= seen:
                    continue
                for records in self._records(manifest):
                    batch = [record for record in records if record.seq > seen]
                    if batch:
                        yield batch
                        until = time.monotonic() + patience_s
            broken = self.manifests.broken
            if broken is not None and after.get(broken.stream, 0) < broken.seq:
                raise broken
            if wait_s is None:
                return
            if time.monotonic() >= until:
                yield []
                until = time.monotonic() + patience_s
            else:
                time.sleep(min(POLL_S, max(0.0, until - time.monotonic())))

    def quarantined(self) -> list[QuarantineEntry]:
        """Return everything in quarantine, oldest first. Raises an `IntegrityError` if it is not as sealed."""
        return [refused_of(record) for record in self.listed(QUARANTINE)]

    def listed(self, stream: str) -> Iterator[Record]:
        """Yield the archive's rows that are not events: `quarantine` or `checkpoints`."""
        self.manifests.refresh()
        for manifest in self.manifests.of(stream):
            for records in self._records(manifest):
                yield from records

    def acknowledged(self) -> dict[str, Head]:
        """Return the sealed end of each stream. Raises an `IntegrityError` if the manifests are not as sealed."""
        self.manifests.refresh()
        if self.manifests.broken is not None:
            raise self.manifests.broken
        return {stream: self.manifests.head(stream) for stream in self.manifests.streams()}

    def verify_head(self, stream: str) -> None:
        """Raise the damage in the manifests if it concerns this stream or the whole archive."""
        broken = self.manifests.broken
        if broken is not None and broken.stream in (stream, ARCHIVE):
            raise broken

    def close(self) -> None:
        """Do nothing: no file stays open between reads."""

    def _refusal(self) -> AppendRefused:
        return AppendRefused(f"{self.path} is an archive, open for reading only")

    # --------------------------------------------------------------------------------------------------------- segments

    def _records(self, manifest: SegmentManifest) -> Iterator[list[Record]]:
        """Yield a segment's records, a row group at a time, after the whole segment was checked."""
        checked = manifest.number in self._sound
        try:
            with self._segment(manifest, digest=not checked) as segment:
                if not checked:
                    check_segment(segment, manifest)
                    self._sound.add(manifest.number)
                yield from check_chain(segment, manifest)
        except FileNotFoundError:
            name = manifest.file(self.path).relative_to(self.path).as_posix()
            raise SegmentMissing(manifest.stream, manifest.first_seq, manifest.last_seq, name) from None
        except PermissionError as error:
            raise LogUnavailable(f"{error.filename}: {error.strerror}") from error
        except (DamagedSegment, OSError) as error:
            raise self._damage(manifest, str(error)) from error

    def _segment(self, manifest: SegmentManifest, *, digest: bool) -> SegmentReader:
        """Open a segment; the last one may be in the middle of its renaming."""
        if manifest in self.manifests.sealed[-1:]:
            for path in (manifest.file(self.path), manifest.fresh(self.path)):
                with contextlib.suppress(FileNotFoundError):
                    return SegmentReader(path, manifest, digest=digest)
        return SegmentReader(manifest.file(self.path), manifest, digest=digest)

    def _damage(self, manifest: SegmentManifest, what: str) -> IntegrityError:
        """Return what is wrong with a segment's file; if it is another segment's file, name that one."""
        for other in self.manifests.sealed:
            if other is not manifest and self._lies_at(manifest, other):
                swapped = self._lies_at(other, manifest)
                return MisplacedEvent(manifest.stream, manifest.first_seq, other.stream, other.first_seq, swapped)
        name = manifest.file(self.path).relative_to(self.path).as_posix()
        rows = f"events {manifest.first_seq} to {manifest.last_seq}"
        return BrokenSeal(manifest.stream, manifest.first_seq, f"{name}, the segment with {rows}: {what}")

    def _lies_at(self, place: SegmentManifest, other: SegmentManifest) -> bool:
        """Whether one manifest's file is in the place of another's."""
        try:
            with SegmentReader(place.file(self.path), other):
                return True
        except (DamagedSegment, OSError):
            return False


def check_segment(segment: SegmentReader, manifest: SegmentManifest) -> None:
    """Check a whole segment. Raises an `IntegrityError` that names the first unreliable event, or `Damaged`."""
    try:
        for _ in check_chain(segment, manifest):
            pass
    except SequenceGap:
        raise
    except BrokenSeal as error:
        for seq, data in _rows(segment):  # an event that names another place than its own was put there
            diagnosis = diagnose(manifest.stream, seq, data, lambda stream, other: _bytes_at(segment, manifest, stream, other))
            if isinstance(diagnosis, MisplacedEvent):
                raise diagnosis from error
        raise


def check_chain(segment: SegmentReader, manifest: SegmentManifest) -> Iterator[list[Record]]:
    """Yield a segment's records with their chain hashes. Raises an `IntegrityError` at the first that does not fit the chain.

    Only the head, at the end, proves that the bytes are as sealed: do not rely on a record before the last one is yielded.
    """
    stream, seq, previous = manifest.stream, manifest.first_seq, manifest.start
    for numbers, rows in segment.groups():
        records = []
        for number, data in zip(numbers, rows, strict=True):
            if number != seq:
                raise SequenceGap(stream, seq, number)
            previous = link(previous, data)
            records.append(Record(stream, seq, data, previous))
            seq += 1
        if stream not in LISTS:
            _check_places(records, manifest, last=seq > manifest.last_seq)
        yield records
    if previous.hex() != manifest.head:
        rows_named = f"events {manifest.first_seq} to {manifest.last_seq}"
        raise BrokenSeal(stream, manifest.first_seq, f"{rows_named} do not give the chain hash that was sealed")


def _check_places(records: Sequence[Record], manifest: SegmentManifest, *, last: bool) -> None:
    """Compare the first and the last event of a segment with its gaming day: if they agree, so do those between."""
    edges = [records[0]] if records[0].seq == manifest.first_seq else []
    for record in [*edges, *([records[-1]] if last else [])]:
        day = day_of(record.data)
        if day is not None and day != manifest.gaming_day:
            message = f"the event belongs to gaming day {day}, its segment to {manifest.gaming_day}"
            raise BrokenSeal(record.stream, record.seq, message)


def _rows(segment: SegmentReader) -> Iterator[tuple[int, bytes]]:
    for numbers, rows in segment.groups():
        yield from zip(numbers, rows, strict=True)


def _bytes_at(segment: SegmentReader, manifest: SegmentManifest, stream: str, seq: int) -> bytes | None:
    return next((data for number, data in _rows(segment) if (stream, number) == (manifest.stream, seq)), None)


def day_of(data: bytes) -> str | None:
    """Return an event's gaming day; None if it cannot be read."""
    try:
        return _day_decoder.decode(data).gaming_day
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def row_of(entry: QuarantineEntry) -> bytes:
    """Return a quarantined entry as one row: a line of fields, then its bytes."""
    return canonical({"at_us": entry.at_us, "reason": entry.reason, "stream": entry.stream}) + b"\n" + entry.data


def refused_of(record: Record) -> QuarantineEntry:
    """Decode the quarantined entry of a row. Raises `BrokenSeal` if the row is not one."""
    line, _, data = record.data.partition(b"\n")
    try:
        refusal = _refused_decoder.decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BrokenSeal(QUARANTINE, record.seq, f"the row is not a refused line: {error}") from error
    return QuarantineEntry(refusal.stream, sha256(data).hexdigest(), refusal.reason, data, refusal.at_us)
