"""Seals a log's events in an archive, and goes on where an earlier run stopped. Sealed files are never rewritten.

A segment is written to a file of its own, read back and its chain compared. Then its manifest is written, which seals it, and the
file is renamed. An interruption leaves at most files with the names of unfinished ones.

The running gaming day is the latest that any stream of the log has opened. Events of earlier days are sealed, also in streams
without new events. The running day is sealed only on request; its later events become another segment.
"""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from events.archive.files import make_folder
from events.archive.manifest import SegmentManifest, fresh_segment
from events.archive.manifest_chain import ManifestChain, create
from events.archive.read import check_segment, day_of, row_of
from events.archive.segment import SegmentReader, SegmentWriter, publish
from events.errors import AppendRefused, BrokenSeal, IntegrityError, LostTail
from events.log.contract import MAX_SEQ, QUARANTINE, CheckpointStore, EventLog, Head, QuarantineEntry, Record
from events.log.hash_chain import link
from events.log.lock import take_lock
from events.proofs.checkpoint import origin_of
from events.proofs.quarantine import EntryChanged, EntryMissing, RefusalNotice, compare_quarantine, notice_in
from events.proofs.statements import CHECKPOINTS, BadCheckpoint, CheckpointBatch, Ledger
from events.vocabulary.codec import MAX_EVENT_BYTES

TOGETHER = 64
"""Streams whose segments are written at the same time, in one reading of the log: a file and a row group each."""

Progress = Callable[[int], None]
"""Called with the events sealed so far."""


class ArchiveSummary(msgspec.Struct, kw_only=True):
    """The result of a run: the segments, events, refused lines and checkpoints added, and the broken parts of the log that it
    left out.

    `manifests` and `digest` (of the last manifest) identify the archive after the run.
    """

    segments: int = 0
    events: int = 0
    refused: int = 0
    checkpoints: int = 0
    manifests: int = 0
    digest: str = ""
    running_day: str | None = None
    integrity: list[str] = []


def write_archive(
    log: EventLog,
    folder: Path,
    *,
    running: bool = False,
    checkpoints: CheckpointStore | None = None,
    progress: Progress | None = None,
) -> ArchiveSummary:
    """Seal the events that the archive in `folder` does not hold yet; make it if none exists.

    `checkpoints` are the log's: they are sealed as far as the archive has every event that they cover. With `running`, the
    running gaming day is sealed too, up to now. Raises `AppendRefused` if the folder holds another log's archive, `SecondWriter`
    if another run works on it, `LogUnavailable` if it is neither an archive nor empty, an `IntegrityError` if the archive itself
    is broken. A stream that is broken, or does not continue its sealed part, is named in the result and sealed up to there; the
    others go on.
    """
    make_folder(folder)
    lock = take_lock(folder / "archive")
    try:
        run = _ArchiveWriter(log, _open(log, folder), progress)
        run.streams(running)
        run.quarantine()
        if checkpoints is not None:
            run.checkpoints(checkpoints)
        run.manifests.note()
        run.sealed.manifests, run.sealed.digest = len(run.manifests.sealed), run.manifests.digest
        return run.sealed
    finally:
        os.ftruncate(lock, 0)  # who held it is nothing to keep
        os.close(lock)


def _open(log: EventLog, folder: Path) -> ManifestChain:
    create(folder, log.log_id, log.property_id)
    manifests = ManifestChain(folder)
    if manifests.broken is not None:
        raise manifests.broken
    identity = manifests.identity.log_id, manifests.identity.property_id
    if identity != (log.log_id, log.property_id):
        raise AppendRefused(f"{folder} is the archive of log {identity[0]} of property {identity[1]}; name another folder")
    for last in manifests.sealed[-1:]:
        if last.fresh(folder).exists() and not last.file(folder).exists():  # sealed, and then interrupted
            publish(last.fresh(folder), last.file(folder))
    return manifests


class _ArchiveWriter:
    """One run of the archiver over a log."""

    def __init__(self, log: EventLog, manifests: ManifestChain, progress: Progress | None) -> None:
        self.log, self.manifests, self.sealed = log, manifests, ArchiveSummary()
        self._progress = progress
        self._notices: list[RefusalNotice] = []

    def streams(self, running: bool) -> None:
        """Seal the streams in batches of the size written together."""
        streams = self.log.streams()
        self.sealed.running_day = self._running_day(streams)
        last_day = None if running else self.sealed.running_day
        open_ = [stream for stream in sorted({*streams, *self.manifests.streams()}) if self._continues(stream)]
        for start in range(0, len(open_), TOGETHER):
            self._take(open_[start : start + TOGETHER], streams, last_day)

    def quarantine(self) -> None:
        """Seal the lines refused since the last run, up to the first entry whose bytes do not fit the log's chain.

        The events read in this run are compared, sealed or not; `rack verify` compares those of earlier runs.
        """
        entries, sealed = self.log.quarantined(), self.manifests.head(QUARANTINE).seq
        check = compare_quarantine(entries, self._notices)
        for fault in check.faults:
            self._report(fault)
        missing = {fault.stream for fault in check.faults if isinstance(fault, EntryMissing)}
        changed = {fault.expected for fault in check.faults if isinstance(fault, EntryChanged)}
        fitting: list[QuarantineEntry] = []
        for place, (entry, notice) in enumerate(zip(entries, check.notices, strict=True), 1):
            doubtful = notice is None and entry.stream in missing
            if place > sealed and (entry.sha256 in changed or doubtful):
                break
            fitting.append(entry)
        self._list(QUARANTINE, map(row_of, fitting))

    def checkpoints(self, store: CheckpointStore) -> None:
        """Seal the checkpoints made since the last run, as far as the archive has every event that they cover."""
        try:
            self._list(CHECKPOINTS, self._covered(store))
        except IntegrityError as broken:
            self._report(broken)

    def _covered(self, store: CheckpointStore) -> Iterator[bytes]:
        ledger = Ledger(origin_of(self.log.log_id, self.log.property_id))
        for data in store.batches():
            try:
                ledger.add(CheckpointBatch.decode(data))
            except ValueError as error:
                raise BadCheckpoint(ledger.size + 1, "statement_changed", str(error)) from error
            if any(stated.size > self.manifests.head(stated.stream).seq for stated in ledger.added):
                return
            yield data

    def _list(self, stream: str, rows: Iterable[bytes]) -> None:
        """Seal the rows added to a list since the last run; the rows sealed earlier must be its first."""
        head = Head(0, self.manifests.genesis(stream))
        sealed = self.manifests.head(stream)
        writing: _OpenSegment | None = None
        try:
            for row in rows:
                head = Head(head.seq + 1, link(head.hash, row))
                if head.seq <= sealed.seq:
                    if head.seq == sealed.seq and head.hash != sealed.hash:
                        self._report(BrokenSeal(stream, head.seq, "the log's entries are not those that were sealed"))
                        return
                    continue
                if writing is None:
                    writing = _OpenSegment(self.manifests, stream, None)
                writing.add(head.seq, row)
            if head.seq < sealed.seq:
                self._report(_lost(stream, head.seq, sealed.seq))
            if writing is not None:
                self.seal(writing, head)
        finally:
            if writing is not None:
                writing.discard()

    def seal(self, segment: "_OpenSegment", head: Head) -> None:
        """Seal a segment that ends at `head`."""
        rows = segment.seal(head)
        self.sealed.segments += 1
        if segment.stream == QUARANTINE:
            self.sealed.refused += rows
        elif segment.stream == CHECKPOINTS:
            self.sealed.checkpoints += rows
        else:
            self.sealed.events += rows
        if self._progress is not None:
            self._progress(self.sealed.events)

    def _continues(self, stream: str) -> bool:
        """Whether the log still has the sealed part of a stream; if not, report it."""
        sealed, head = self.manifests.head(stream), self.log.head(stream)
        if head.seq < sealed.seq:
            self._report(_lost(stream, head.seq, sealed.seq))
            return False
        if head.seq == sealed.seq and head.hash != sealed.hash:
            self._report(BrokenSeal(stream, head.seq, "the log's chain is not the one that was sealed"))
            return False
        return head.seq > sealed.seq

    def _running_day(self, streams: Sequence[str]) -> str | None:
        days = [day for stream in streams if (day := self._last_day(stream)) is not None]
        return max(days, default=None)

    def _last_day(self, stream: str) -> str | None:
        seq = self.log.head(stream).seq
        with contextlib.suppress(IntegrityError):  # reported when the stream is read
            for record in self.log.read(stream, seq, seq):
                return day_of(record.data)
        return None

    def _take(self, together: Sequence[str], streams: Sequence[str], running_day: str | None) -> None:
        ends = {stream: _StreamWriter(self, stream, running_day) for stream in together}
        stopped = {stream for stream in streams if stream not in ends}
        try:
            while True:
                after = {stream: end.head.seq for stream, end in ends.items()} | dict.fromkeys(stopped, MAX_SEQ)
                try:
                    for batch in self.log.tail(after):
                        for record in batch:
                            self._take_notice(record)
                            if record.stream in ends and record.stream not in stopped:
                                ends[record.stream].take(record)
                    break
                except IntegrityError as broken:
                    self._report(broken)
                    if broken.stream in stopped:
                        break
                    stopped.add(broken.stream)
            for end in ends.values():
                end.seal()
        finally:
            for end in ends.values():
                end.discard()

    def _take_notice(self, record: Record) -> None:
        notice = notice_in(record.stream, record.seq, record.data)
        if notice is not None:
            self._notices.append(notice)

    def _report(self, broken: IntegrityError) -> None:
        problem = f"{broken.code} {broken}"
        if problem not in self.sealed.integrity:
            self.sealed.integrity.append(problem)


class _StreamWriter:
    """The end of one stream in the archive, with the segment being written there."""

    def __init__(self, run: _ArchiveWriter, stream: str, running_day: str | None) -> None:
        self._run, self._stream, self._running_day = run, stream, running_day
        self.head = run.manifests.head(stream)
        sealed = run.manifests.of(stream)
        self._day = sealed[-1].gaming_day if sealed else None
        self._writing: _OpenSegment | None = None
        self._done = False

    def take(self, record: Record) -> None:
        """Add the stream's next record, unless the running day has begun. Raises `BrokenSeal` if it does not fit."""
        if self._done:
            return
        hash_ = link(self.head.hash, record.data)
        if record.seq != self.head.seq + 1 or hash_ != record.hash:
            raise BrokenSeal(self._stream, record.seq, f"it does not continue the archive, which ends at {self.head.seq}")
        if len(record.data) > MAX_EVENT_BYTES:
            raise BrokenSeal(self._stream, record.seq, f"it has {len(record.data)} bytes, more than an event can have")
        day = day_of(record.data) or self._day
        if self._writing is not None and day != self._writing.day:
            self.seal()
        if self._writing is None:
            if day is not None and self._running_day is not None and day >= self._running_day:
                self._done = True
                return
            self._writing = _OpenSegment(self._run.manifests, self._stream, day)
        self._writing.add(record.seq, record.data)
        self.head, self._day = Head(record.seq, record.hash), day

    def seal(self) -> None:
        """Seal the written rows."""
        if self._writing is not None:
            self._run.seal(self._writing, self.head)
            self._writing = None

    def discard(self) -> None:
        """Delete the written rows that were not sealed."""
        if self._writing is not None:
            self._writing.discard()
            self._writing = None


class _OpenSegment:
    """A segment being written."""

    def __init__(self, manifests: ManifestChain, stream: str, day: str | None) -> None:
        self.stream, self.day, self._manifests = stream, day, manifests
        self._start = manifests.head(stream)
        self._sealable = False
        self._writer = SegmentWriter(fresh_segment(manifests.folder, stream, self._start.seq + 1))

    def add(self, seq: int, data: bytes) -> None:
        """Take one row."""
        self._writer.add(seq, data)

    def seal(self, head: Head) -> int:
        """Make the file durable, read it back, name it and write its manifest; return its number of rows."""
        written, manifests = self._writer.finish(), self._manifests
        manifest = SegmentManifest(
            file_bytes=written.file_bytes,
            file_sha256=written.file_sha256,
            first_seq=self._start.seq + 1,
            format=1,
            gaming_day=self.day,
            head=head.hash.hex(),
            largest_bytes=written.largest_bytes,
            last_seq=head.seq,
            log_id=manifests.identity.log_id,
            number=len(manifests.sealed) + 1,
            previous_head=self._start.hash.hex(),
            previous_manifest=manifests.digest,
            property_id=manifests.identity.property_id,
            stream=self.stream,
            total_bytes=written.total_bytes,
        )
        with SegmentReader(self._writer.fresh, manifest) as segment:
            check_segment(segment, manifest)
        self._sealable = True  # from here on the file may be sealed, whatever interrupts this
        manifests.add(manifest)
        publish(self._writer.fresh, manifest.file(manifests.folder))
        return manifest.rows

    def discard(self) -> None:
        """Delete the file unless it may be sealed."""
        if not self._sealable:
            self._writer.discard()


def _lost(stream: str, held: int, sealed: int) -> LostTail:
    return LostTail(stream, held + 1, f"the log ends at number {held}, the archive at {sealed}")
