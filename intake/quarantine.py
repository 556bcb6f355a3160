"""What was refused at intake, and how it comes into the record after all (`rack quarantine`, D240).

Nothing leaves the quarantine. Where a refused line can be read by now, or somebody hands in what it should have said, it
is appended as a correction of the `intake_refused` event that stands for it: what the line says counts from then on in
the place where it came in, and its round is judged again. The correction stands under the device's own id and number, so
that the gap closes which the refusal had left in the device's count, and the line cannot come in a second time.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from events.errors import EventError, IntegrityError
from events.log.contract import AppendResult, EventLog, QuarantineEntry
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import EventCorrected, GamingDayOpened, IntakeRefused, Replacement
from intake.doors import check_line
from intake.errors import IntakeError
from intake.lines import UNKNOWN_STREAM, Refusal, check_correction, notice, notice_ids, parse_line

DIRECT_EVENTS = (GamingDayOpened, EventCorrected)
"""Events that no correction can bring in: the log counts its days by the one, and replaces nothing by the other."""

_MARKS = tuple(f'"type":"{event.TYPE}"'.encode() for event in (IntakeRefused, EventCorrected))


class QuarantineCase(msgspec.Struct, frozen=True):
    """Refused bytes and what became of them: the event that stands for them in a stream, and the one that redrove them.

    `stream` is where they were meant for, or came in; `unknown` where nobody can tell.
    """

    entry: QuarantineEntry
    stream: str
    refused_seq: int | None = None
    refused_id: str = ""
    redriven_seq: int | None = None


def quarantine_cases(log: EventLog) -> list[QuarantineCase]:
    """Return everything in quarantine, oldest first."""
    entries = log.quarantined()
    wanted = {entry.stream for entry in entries}
    told = {
        stream: _cases_of_stream(log, stream)
        for stream in log.streams()
        if stream in wanted or UNKNOWN_STREAM in wanted
    }
    return [_case_of(entry, told) for entry in entries]


def _case_of(entry: QuarantineEntry, told: dict[str, dict[str, QuarantineCase]]) -> QuarantineCase:
    for stream in [entry.stream] if entry.stream != UNKNOWN_STREAM else sorted(told):
        said = told.get(stream, {}).get(entry.sha256)
        if said is not None:
            return msgspec.structs.replace(said, entry=entry)
    return QuarantineCase(entry, entry.stream)


def _cases_of_stream(log: EventLog, stream: str) -> dict[str, QuarantineCase]:
    """Return what a stream tells of refused bytes, by their SHA-256, as far as it can be read."""
    nothing = QuarantineEntry("", "", "", b"")
    refused: dict[int, tuple[str, QuarantineCase]] = {}
    try:
        for record in log.read(stream):
            if not any(mark in record.data for mark in _MARKS):
                continue
            try:
                event = decode(record.data)
            except EventError:
                continue
            match event.payload:
                case IntakeRefused(sha256=digest):
                    refused[event.seq] = digest, QuarantineCase(nothing, stream, event.seq, event.event_id)
                case EventCorrected(supersedes_seq=seq, supersedes_event_id=id_) if seq in refused:
                    digest, said = refused[seq]
                    if said.refused_id == id_:
                        refused[seq] = digest, msgspec.structs.replace(said, redriven_seq=event.seq)
    except IntegrityError:
        pass  # what stands before the break stands; `rack verify` names it
    return dict(refused.values())


def find_case(entries: Iterable[QuarantineCase], digest: str) -> QuarantineCase:
    """Return the entry whose SHA-256 begins so. Raises `IntakeError` where there is none, or more than one."""
    found = [each for each in entries if digest and each.entry.sha256.startswith(digest.lower())]
    if len(found) != 1:
        raise IntakeError(
            f"{digest}: {len(found) or 'no'} entries of the quarantine have a SHA-256 that begins so; "
            "`rack quarantine list` shows them"
        )
    return found[0]


def redrive(log: EventLog, each: QuarantineCase, *, by: str, reason: str, line: bytes | None = None) -> AppendResult:
    """Append what a refused line says, or what `line` says in its stead; return what was appended.

    Raises `EventError` where it still cannot be read or may not stand there, or no device may report it, whoever redrives it;
    `IntakeError` where it was redriven already.
    """
    entry = each.entry
    name = f"{entry.sha256[:16]}…"
    if each.redriven_seq is not None:
        raise IntakeError(f"{name}: was redriven already, as {each.stream} event {each.redriven_seq}")
    try:
        stream, draft = parse_line(entry.data if line is None else line)
        check_line("device", stream, draft)
        if isinstance(draft.payload, EventCorrected):
            check_correction(stream, draft.payload, notice_ids(log, stream))
    except EventError as error:
        raise EventError(f"{name}: {error}") from error
    if each.stream not in (stream, UNKNOWN_STREAM):
        raise EventError(f"{name}: was refused for {each.stream}, and the line that was handed in is for {stream}")
    read = "as it came in" if line is None else f"from a line of SHA-256 {sha256(line).hexdigest()}"
    why = f"redriven from quarantine {entry.sha256}, read {read}: {reason}"
    refused_seq, refused_id = each.refused_seq, each.refused_id
    if refused_seq is None:  # no event stands for it yet: its stream could not be read, or was not open
        told = notice(stream, Refusal("", entry.data, stream, entry.reason))
        appended = log.append(stream, log.head(stream).seq + 1, [told])
        refused_seq, refused_id = appended.head.seq, told.event_id
    drafts = _drafts(draft, refused_seq, refused_id, by, why)
    return log.append(stream, log.head(stream).seq + 1, drafts)


def _drafts(draft: Draft, refused_seq: int, refused_id: str, by: str, why: str) -> list[Draft]:
    payload = draft.payload
    stated: dict[str, Any] = {"by": by, "reason": why, "supersedes_event_id": refused_id, "supersedes_seq": refused_seq}
    try:
        if isinstance(payload, DIRECT_EVENTS):
            identity = sha256(b"rack/redrive/v1\0" + refused_id.encode()).hexdigest()
            gone = Draft(
                event_id=identity[:32],
                source=f"redrive-{identity[32:52]}",
                source_seq=1,
                occurred_at_us=draft.occurred_at_us,
                round_no=None,
                payload=EventCorrected(**stated, replacement=None),
            )
            return [draft, gone]
        content: dict[str, Any] = msgspec.to_builtins(payload)
        instead = Replacement(payload=content, round_no=draft.round_no, type=payload.TYPE, version=payload.VERSION)
        return [msgspec.structs.replace(draft, payload=EventCorrected(**stated, replacement=instead))]
    except msgspec.ValidationError as error:
        raise EventError(f"{error}; name who redrives as an id such as sv-1, and say why in a line") from error
