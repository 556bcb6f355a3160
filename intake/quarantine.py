"""Input that was refused, and how it comes into the record after all (`rack quarantine`, D240).

Nothing leaves the quarantine. If a refused line can be read by now, or somebody hands in the right line, it is appended as a
correction of the line's `intake_refused` event. From then on the line counts in the place where it came in, and its round is
judged again. The correction has the device's own id and number: this closes the gap that the refusal left in the device's count,
and the line cannot come in a second time.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

import msgspec

from events.errors import EventError, IntegrityError
from events.log.contract import QUARANTINE, UNKNOWN_STREAM, AppendResult, EventLog, QuarantineEntry
from events.proofs.quarantine import EntryChanged, EntryMissing, RefusalNotice, compare_quarantine, notice_of
from events.vocabulary.card_numbers import hidden_in_text, hidden_numbers
from events.vocabulary.codec import decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import EventCorrected, GamingDayOpened, IntakeRefused, Replacement, RulesFiled
from intake.errors import IntakeError
from intake.filings import OfficeRule, ReadRules, TableFilings, check_of_device, check_submission, check_wager, filing_in
from intake.lines import Refusal, check_correction, notice, notice_ids, parse_line, takes_notice
from intake.writer_rights import check_line

DIRECT_EVENTS = (GamingDayOpened, EventCorrected)
"""Events that no correction can bring in: the log counts its days by the one, and replaces nothing by the other."""

_MARKS = tuple(f'"type":"{event.TYPE}"'.encode() for event in (IntakeRefused, EventCorrected))


class QuarantineCase(msgspec.Struct, frozen=True):
    """Refused bytes, the notice that represents them in a stream, and the event that redrove them.

    `stream` is where they were meant for, or came in; `unknown` if no one can tell. `fault` is why the bytes may not be
    used: they were changed or are missing, or the entry has no event and another of its stream is missing. `size` is in
    bytes, of a missing entry as its event states it. `vouched`: an event states the SHA-256.
    """

    entry: QuarantineEntry
    stream: str
    refused_seq: int | None = None
    refused_id: str = ""
    redriven_seq: int | None = None
    fault: IntegrityError | None = None
    size: int = 0

    @property
    def vouched(self) -> bool:
        """Whether an event of the chain states the SHA-256."""
        return self.refused_seq is not None

    @property
    def state(self) -> str:
        """The entry's state in words: refused, redriven, or what is wrong with it."""
        if self.fault is not None:
            return "CHANGED" if isinstance(self.fault, EntryChanged) else "MISSING" if self.vouched else "DOUBTFUL"
        if self.redriven_seq is not None:
            return f"redriven as event {self.redriven_seq}"
        return f"refused as event {self.refused_seq}" if self.vouched else "no event vouches for it"

    @property
    def refused_at(self) -> str:
        """The time of the refusal, in UTC by the log's clock."""
        moment = datetime.fromtimestamp(self.entry.at_us / 1_000_000, UTC)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if self.entry.at_us else "–"

    def values(self) -> dict[str, Any]:
        """Return the entry as JSON values, without its bytes."""
        return {
            "sha256": self.entry.sha256,
            "stream": self.stream,
            "reason": self.entry.reason,
            "bytes": self.size,
            "vouched": self.vouched,
            "fault": None if self.fault is None else str(self.fault),
            "refused_at": self.refused_at,
            "refused_seq": self.refused_seq,
            "redriven_seq": self.redriven_seq,
        }


def quarantine_cases(log: EventLog) -> list[QuarantineCase]:
    """Return everything in quarantine, oldest first, compared with the chain; then what is missing from it."""
    streams = {stream: _cases_of_stream(log, stream) for stream in log.streams() if takes_notice(stream)}
    notices = [stated for stream in streams.values() for stated, _ in stream.values()]
    entries = log.quarantined()  # after the events: an entry is kept before its event stands
    check = compare_quarantine(entries, notices)
    faults = {(fault.stream, fault.seq): fault for fault in check.faults}
    missing = [fault for fault in check.faults if isinstance(fault, EntryMissing)]
    doubtful = {fault.stream: fault for fault in reversed(missing)}
    cases: list[QuarantineCase] = []
    for place, (entry, stated) in enumerate(zip(entries, check.notices, strict=True), 1):
        if stated is None:
            fault = faults.get((QUARANTINE, place)) or doubtful.get(entry.stream)
            cases.append(QuarantineCase(entry, entry.stream, fault=fault, size=len(entry.data)))
        else:
            _, case = streams[stated.stream][stated.seq]
            fault = faults.get((stated.stream, stated.seq))
            cases.append(msgspec.structs.replace(case, entry=entry, fault=fault, size=len(entry.data)))
    for fault in missing:
        stated, case = streams[fault.stream][fault.seq]
        entry = QuarantineEntry(stated.stream, stated.sha256, stated.reason, b"")
        cases.append(msgspec.structs.replace(case, entry=entry, fault=fault, size=stated.size))
    return cases


def _cases_of_stream(log: EventLog, stream: str) -> dict[int, tuple[RefusalNotice, QuarantineCase]]:
    """Return what a stream states of refused bytes, by the number of the event, as far as it can be read."""
    nothing = QuarantineEntry("", "", "", b"")
    refused: dict[int, tuple[RefusalNotice, QuarantineCase]] = {}
    try:
        for record in log.read(stream):
            if not any(mark in record.data for mark in _MARKS):
                continue
            try:
                event = decode(record.data)
            except EventError:
                continue
            match event.payload:
                case IntakeRefused() as payload:
                    case = QuarantineCase(nothing, stream, event.seq, event.event_id)
                    refused[event.seq] = notice_of(stream, event.seq, payload), case
                case EventCorrected(supersedes_seq=seq, supersedes_event_id=id_) if seq in refused:
                    stated, case = refused[seq]
                    if case.refused_id == id_:
                        refused[seq] = stated, msgspec.structs.replace(case, redriven_seq=event.seq)
    except IntegrityError:
        pass  # what is before the break stands; `rack verify` names it
    return refused


def find_case(entries: Iterable[QuarantineCase], digest: str) -> QuarantineCase:
    """Return the entry whose SHA-256 begins with these digits. Raises `IntakeError` if none exists, or more than one."""
    found = [each for each in entries if digest and each.entry.sha256.startswith(digest.lower())]
    if len(found) != 1:
        raise IntakeError(
            f"{digest}: {len(found) or 'no'} entries of the quarantine have a SHA-256 that begins so; "
            "`rack quarantine list` shows them"
        )
    return found[0]


def redrive(
    log: EventLog, each: QuarantineCase, *, by: str, reason: str, line: bytes | None = None, read_rules: ReadRules | None = None
) -> AppendResult:
    """Append the event of a refused line, or of `line` in its place; return what was appended.

    A card number in `reason` is left out. Raises `EventError` if `line` holds one, if it still cannot be read or does not belong
    in its stream, or if no device may report it, whoever redrives it; `IntakeError` if it was redriven already; an
    `IntegrityError` if the stored bytes are not those that were refused, even if `line` replaces them: no one can tell what
    they said.
    """
    if each.fault is not None:
        raise each.fault
    name = f"{each.entry.sha256[:16]}…"
    if line is not None and hidden_numbers(line) != line:
        raise EventError(f"{name}: a card number is in the line that was handed in; write the patron's token in its place")
    if each.redriven_seq is not None:
        raise IntakeError(f"{name}: was redriven already, as {each.stream} event {each.redriven_seq}")
    with log.turn():
        return _redrive(log, each, by, hidden_in_text(reason), line, read_rules)


def _redrive(
    log: EventLog, each: QuarantineCase, by: str, reason: str, line: bytes | None, read_rules: ReadRules | None
) -> AppendResult:
    entry = each.entry
    name = f"{entry.sha256[:16]}…"
    try:
        stream, draft = parse_line(entry.data if line is None else line)
        check_line("device", stream, draft)
        if isinstance(draft.payload, EventCorrected):
            check_correction(stream, draft.payload, notice_ids(log, stream))
        if read_rules is not None:
            table = TableFilings()
            table.read_on(log, stream)
            check_wager(draft.payload, read_rules, table.game)
        if isinstance(draft.payload, EventCorrected | RulesFiled) and read_rules is not None:
            check_of_device(stream, draft.payload, table, OfficeRule().holds(log))
            filed = filing_in(draft.payload)
            if filed is not None:
                check_submission(filed, read_rules, table.game)
    except EventError as error:
        raise EventError(f"{name}: {error}") from error
    if each.stream not in (stream, UNKNOWN_STREAM):
        raise EventError(f"{name}: was refused for {each.stream}, and the line that was handed in is for {stream}")
    read = "as it came in" if line is None else f"from a line of SHA-256 {sha256(line).hexdigest()}"
    why = f"redriven from quarantine {entry.sha256}, read {read}: {reason}"
    refused_seq, refused_id = each.refused_seq, each.refused_id
    if refused_seq is None:  # no event stands for it yet: its stream could not be read, or was not open
        refusal_notice = notice(stream, Refusal("", entry.data, stream, entry.reason))
        appended = log.append(stream, log.head(stream).seq + 1, [refusal_notice])
        refused_seq, refused_id = appended.head.seq, refusal_notice.event_id
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
        replacement = Replacement(payload=content, round_no=draft.round_no, type=payload.TYPE, version=payload.VERSION)
        return [msgspec.structs.replace(draft, payload=EventCorrected(**stated, replacement=replacement))]
    except msgspec.ValidationError as error:
        raise EventError(f"{error}; name who redrives as an id such as sv-1, and say why in a line") from error
