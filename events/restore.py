"""Restores an archive to a log: the same log id, the same chain, every event byte for byte.

The high-water mark is written first, so that a partly restored log does not pass for a whole one. An interrupted restore goes on
where it stopped.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Any, Protocol

import msgspec

from events.archive.read import ArchiveLog
from events.archive.verify import added_files
from events.errors import AppendRefused, BrokenSeal, IntegrityError
from events.log.contract import MAX_SEQ, QUARANTINE, EventLog, Head, QuarantineEntry, Record
from events.open import open_checkpoints, parse_address
from events.proofs.checkpoint import origin_of
from events.proofs.statements import CHECKPOINTS, CheckpointBatch, Ledger

Progress = Callable[[int], None]
"""Called with the events restored so far."""


class RestoreTarget(EventLog, Protocol):
    """A log that accepts records of another copy of itself."""

    def expect(self, heads: Mapping[str, Head]) -> None:
        """Record durably how far the streams will reach. Until they do, the log counts as having lost events."""

    def adopt(self, records: Sequence[Record]) -> None:
        """Store records as they are, durably. Raises `BrokenSeal` if one does not continue its stream."""

    def adopt_refused(self, entry: QuarantineEntry) -> None:
        """Store refused bytes durably with the time of their first intake."""


class RestoreSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a restore: events, refused lines and checkpoints added, the ends of the streams, and what is broken.

    `added` names the files in the archive's folder that were not sealed into it; nothing of them was restored.
    """

    log_id: str
    property_id: str
    events: int
    refused: int
    checkpoints: int
    heads: dict[str, Head]
    integrity: list[str]
    added: list[str]


def restore(archive: ArchiveLog, address: str, *, progress: Progress | None = None, **options: Any) -> RestoreSummary:
    """Restore an archive to the log at an address: one that does not exist yet, or that an earlier restore began.

    Raises `AppendRefused` if the address has another log or holds records that the archive does not; `IntegrityError` if the
    manifests are not as sealed. If a segment is broken, its stream is restored up to there and the result names it. The backend
    gets the options.
    """
    heads = archive.acknowledged()
    log = _target(address, log_id=archive.log_id, property_id=archive.property_id, create=True, **options)
    try:
        _check(log, archive, heads, address)
        log.expect(heads)
        events, integrity = _events(log, archive, heads, progress)
        present = {(entry.stream, entry.sha256) for entry in log.quarantined()}
        try:
            missing = [entry for entry in archive.quarantined() if (entry.stream, entry.sha256) not in present]
        except IntegrityError as broken:
            integrity[QUARANTINE], missing = broken, []
        for entry in missing:
            log.adopt_refused(entry)
        checkpoints = _checkpoints(archive, address, integrity, options)
        ends = {stream: log.head(stream) for stream in heads}
        for stream, head in heads.items():
            if ends[stream] != head and stream not in integrity:
                message = f"restored as far as {ends[stream].seq}, and not to the archive's end"
                integrity[stream] = BrokenSeal(stream, head.seq, message)
        return RestoreSummary(
            log_id=log.log_id,
            property_id=log.property_id,
            events=events,
            refused=len(missing),
            heads=ends,
            checkpoints=checkpoints,
            integrity=[f"{broken.code} {broken}" for broken in integrity.values()],
            added=[f"{each.code} {each.message}" for each in added_files(archive)],
        )
    finally:
        log.close()


def _events(
    log: RestoreTarget, archive: ArchiveLog, heads: Mapping[str, Head], progress: Progress | None
) -> tuple[int, dict[str, IntegrityError]]:
    """Restore every stream up to its first damage; return the number of events, and the damage."""
    events, broken = 0, dict[str, IntegrityError]()
    while True:
        after = {stream: MAX_SEQ if stream in broken else log.head(stream).seq for stream in heads}
        try:
            for batch in archive.tail(after):
                log.adopt(batch)
                events += len(batch)
                if progress is not None:
                    progress(events)
            return events, broken
        except IntegrityError as error:
            if error.stream in broken:
                raise
            broken[error.stream] = error


def _checkpoints(archive: ArchiveLog, address: str, broken: dict[str, IntegrityError], options: Mapping[str, Any]) -> int:
    """Add the archive's checkpoints after the log's own, which must be the first of them; return the number added."""
    ledger, added = Ledger(origin_of(archive.log_id, archive.property_id)), 0
    known = {name: options[name] for name in ("security", "state_dir", "timeout_s") if name in options}
    if archive.manifests.head(CHECKPOINTS).seq == 0:
        return 0
    with closing(open_checkpoints(address, log_id=archive.log_id, **known)) as store:
        present = store.batches()
        try:
            for record in archive.listed(CHECKPOINTS):
                before, held = ledger.size, next(present, None)
                ledger.add(CheckpointBatch.decode(record.data))
                if held is None:
                    store.append(before, record.data, Head(ledger.size, ledger.root()))
                    added += 1
                elif held != record.data:
                    raise AppendRefused(f"{address} has other checkpoints than the archive; the events were restored")
        except IntegrityError as error:
            broken[CHECKPOINTS] = error
    return added


def _target(address: str, **options: Any) -> RestoreTarget:
    scheme, rest = parse_address(address)
    if scheme == "sqlite":
        from events.sqlite.restore import SqliteRestore

        return SqliteRestore(rest, check_heads=False, **options)
    if scheme == "kafka":
        from events.kafka.restore import KafkaRestore

        return KafkaRestore(address, check_heads=False, **options)
    raise AppendRefused(f"{address} is no log that takes events: name sqlite:///path/file.db or kafka://host:port/prefix")


def _check(log: EventLog, archive: ArchiveLog, heads: Mapping[str, Head], address: str) -> None:
    """Raise `AppendRefused` unless the log's stored and acknowledged events are the beginning of the archive."""
    if log.log_id != archive.log_id:
        raise AppendRefused(f"{address} is the log {log.log_id}, the archive is of {archive.log_id}; name a new log")
    stored = [(stream, log.head(stream), "holds") for stream in log.streams()]
    marked = [(stream, mark, "acknowledged") for stream, mark in sorted(log.acknowledged().items())]
    for stream, held, what in [*stored, *marked]:
        if held.seq > heads.get(stream, Head(0, b"")).seq:
            raise AppendRefused(f"{address} {what} more of {stream} than the archive has; nothing was restored")
        if any(record.hash != held.hash for record in archive.read(stream, held.seq, held.seq)):
            raise AppendRefused(f"{address} {what} another {stream} than the archive has; nothing was restored")
