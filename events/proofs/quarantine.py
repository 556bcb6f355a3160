"""Compares the refused bytes that a log keeps in quarantine with what its chain says of them.

An `intake_refused` event states the SHA-256 and the size of the bytes that were refused in its place. The bytes lie next to
the chain: code that uses them compares them first. Bytes are kept before their event is appended, so that whoever reads the
events first, and then the quarantine, finds an entry for every event. An entry without an event (no one could read its stream,
its stream takes no notice, or a crash came between) is compared with the name under which it is kept; no chain vouches for it.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from events.errors import EventError, IntegrityError
from events.log.contract import QUARANTINE, UNKNOWN_STREAM, QuarantineEntry
from events.vocabulary.codec import decode
from events.vocabulary.model import IntakeRefused

_MARK = f'"type":"{IntakeRefused.TYPE}"'.encode()


class RefusalNotice(NamedTuple):
    """The content of an `intake_refused` event: its place, and the SHA-256 (hex) and size (bytes) of the refused line."""

    stream: str
    seq: int
    sha256: str
    size: int
    reason: str = ""


class EntryChanged(IntegrityError):
    """The bytes of an entry are not those that were refused. `expected` and `actual` are SHA-256 in hex.

    If no event vouches for the entry, `stream` is `quarantine` and `seq` the entry's place in it, from 1.
    """

    def __init__(self, entry: QuarantineEntry, notice: RefusalNotice | None, place: int) -> None:
        actual = sha256(entry.data).hexdigest()
        if notice is None:
            stream, seq, source = QUARANTINE, place, "is kept under"
            expected = f"the SHA-256 {entry.sha256}"
        else:
            stream, seq, source = notice.stream, notice.seq, "was refused with"
            expected = f"the SHA-256 {notice.sha256} and {notice.size} bytes"
        super().__init__(
            stream,
            seq,
            f"the quarantine's bytes were changed: the line {source} {expected}, found are {actual} and "
            f"{len(entry.data)} bytes; they are not used: take the line from the archive or the device",
        )
        if notice is None:
            self.args = (f"{stream} entry {seq}: {self.detail}",)
        self.expected, self.actual = entry.sha256, actual


class EntryMissing(IntegrityError):
    """The quarantine has no entry for an `intake_refused` event. `expected` is the SHA-256 in hex."""

    code = "LOG-GAP"

    def __init__(self, notice: RefusalNotice, unvouched: Sequence[str]) -> None:
        entries = f"; entries of the stream without an event: {', '.join(unvouched)}" if unvouched else ""
        super().__init__(
            notice.stream,
            notice.seq,
            f"the refused line of SHA-256 {notice.sha256} ({notice.size} bytes) is missing from quarantine{entries}; "
            "restore it from the archive, or hand the device's line in again",
        )
        self.expected = notice.sha256


class QuarantineCheck(msgspec.Struct, frozen=True):
    """A comparison of the quarantine with the events.

    It counts entries, entries with and without an event that vouches for them, entries with changed bytes, and events without
    their entry. `notices` has the event of each entry, None if none exists.
    """

    entries: int = 0
    vouched: int = 0
    unvouched: int = 0
    changed: int = 0
    missing: int = 0
    faults: tuple[EntryChanged | EntryMissing, ...] = ()
    notices: tuple[RefusalNotice | None, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """The counts, as JSON values."""
        names = ("entries", "vouched", "unvouched", "changed", "missing")
        return {name: getattr(self, name) for name in names}


def notice_in(stream: str, seq: int, data: bytes) -> RefusalNotice | None:
    """Return the notice that an event's canonical bytes are; None if they are another event, or cannot be read."""
    if _MARK not in data:
        return None
    try:
        payload = decode(data).payload
    except EventError:
        return None
    return notice_of(stream, seq, payload) if isinstance(payload, IntakeRefused) else None


def notice_of(stream: str, seq: int, refused: IntakeRefused) -> RefusalNotice:
    """Return the notice that an event states."""
    return RefusalNotice(stream, seq, refused.sha256, refused.size, refused.reason)


def is_sound(entry: QuarantineEntry) -> bool:
    """Whether an entry's bytes are those under whose SHA-256 it is kept."""
    return sha256(entry.data).hexdigest() == entry.sha256


def compare_quarantine(entries: Sequence[QuarantineEntry], notices: Iterable[RefusalNotice]) -> QuarantineCheck:
    """Compare everything in quarantine with the notices of all streams, which were read before it."""
    by_line: dict[tuple[str, str], RefusalNotice] = {}
    by_digest: dict[str, RefusalNotice] = {}
    for notice in notices:
        by_line.setdefault((notice.stream, notice.sha256), notice)
        by_digest.setdefault(notice.sha256, notice)
    matches = tuple(
        by_digest.get(entry.sha256) if entry.stream == UNKNOWN_STREAM else by_line.get((entry.stream, entry.sha256))
        for entry in entries
    )
    faults: list[EntryChanged | EntryMissing] = [
        EntryChanged(entry, notice, place)
        for place, (entry, notice) in enumerate(zip(entries, matches, strict=True), 1)
        if not is_sound(entry) or (notice is not None and notice.size != len(entry.data))
    ]
    changed = len(faults)
    present = {(entry.stream, entry.sha256) for entry in entries}
    unvouched: dict[str, list[str]] = {}
    for entry, match in zip(entries, matches, strict=True):
        if match is None:
            unvouched.setdefault(entry.stream, []).append(entry.sha256)
    faults += [
        EntryMissing(notice, unvouched.get(notice.stream, ()))
        for line, notice in by_line.items()
        if line not in present and (UNKNOWN_STREAM, notice.sha256) not in present
    ]
    vouched = sum(match is not None for match in matches)
    return QuarantineCheck(
        entries=len(entries),
        vouched=vouched,
        unvouched=len(entries) - vouched,
        changed=changed,
        missing=len(faults) - changed,
        faults=tuple(faults),
        notices=matches,
    )
