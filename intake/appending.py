"""Lines into the log: what is reported is appended, what is refused goes to quarantine, and each line has its outcome.

A batch is one commit. If the log refuses a draft of it, that draft is found by halving and goes to quarantine; the rest
is appended. Handing the same lines in again changes nothing, so that a sender without an answer may repeat them.
"""

import secrets
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby

import msgspec

from events.errors import DuplicateEventId, EventError, WrongPlace
from events.log.contract import UNKNOWN_STREAM, AppendResult, EventLog, Head, QuarantineEntry
from events.vocabulary.codec import canonical, decode
from events.vocabulary.envelope import Draft
from events.vocabulary.model import EventCorrected
from intake.filings import FilingCheck, ReadRules
from intake.lines import AcceptedLine, Refusal, check_correction, notice, notice_id, notice_ids, takes_notice
from intake.piped_lines import Pace

BATCH, BATCH_BYTES = 1_000, 8 * 1024 * 1024
"""The lines appended at once; fewer if they are long or come in slowly (`intake.piped_lines.GROUP_S`)."""

_CORRECTION = f'"type":"{EventCorrected.TYPE}"'.encode()


class RefusedLine(msgspec.Struct, frozen=True):
    """A refusal as the account lists it: without the bytes, which are in quarantine under their SHA-256."""

    where: str
    stream: str | None
    reason: str
    sha256: str

    @classmethod
    def of(cls, refusal: Refusal) -> "RefusedLine":
        """Return the account's entry for a refusal."""
        return cls(refusal.where, refusal.stream, refusal.reason, refusal.sha256)


class IntakeSummary(msgspec.Struct):
    """The result of an intake. `misfits` are appended corrections that correct nothing; they are not in quarantine."""

    lines: int = 0
    appended: int = 0
    duplicates: int = 0
    refused: list[RefusedLine] = msgspec.field(default_factory=list)
    misfits: list[RefusedLine] = msgspec.field(default_factory=list)


class LineOutcome(msgspec.Struct, frozen=True):
    """The outcome of a line. `seq` is the sequence number of its event, None for a duplicate.

    If it was refused, `seq` is that of the notice, None if a notice already exists or cannot be written. `misfit` says why
    a correction that was appended corrects nothing.
    """

    stream: str | None
    seq: int | None
    refused: RefusedLine | None = None
    misfit: RefusedLine | None = None


def append_lines(
    log: EventLog, lines: Iterable[AcceptedLine | Refusal | None], pace: Pace | None = None, read_rules: ReadRules | None = None
) -> Iterator[IntakeSummary]:
    """Append reported lines, quarantine refused ones; yield the running account after each batch.

    With a pace, waiting lines are appended as soon as they are due, and whenever a None comes.
    """
    appender = LineAppender(log, read_rules)
    yield appender.summary  # stopped in the first batch, one knows what was stored, too
    batch: list[AcceptedLine | Refusal] = []
    size = 0
    for line in lines:
        if line is not None:
            batch.append(line)
            size += len(line.data)
            if pace is not None:
                pace.hold()
        if len(batch) == BATCH or size >= BATCH_BYTES or (pace is not None and pace.is_due()):
            appender.append(batch)
            batch.clear()
            size = 0
            if pace is not None:
                pace.release()
            yield appender.summary
    appender.append(batch)
    yield appender.summary


class LineAppender:
    """Appends lines to a log, a batch at a time. `summary` is the running account. Used by one thread at a time."""

    def __init__(self, log: EventLog, read_rules: ReadRules | None = None) -> None:
        """Append to a log. `read_rules` reads what devices file (see `intake.filings`); None: filings are not checked."""
        self.summary = IntakeSummary()
        self._log, self._quarantine = log, _Quarantine(log)
        self._filings = None if read_rules is None else FilingCheck(log, read_rules)

    def append(self, batch: Sequence[AcceptedLine | Refusal]) -> list[LineOutcome]:
        """Append a batch in one turn and return the answer to each line, in order, once all of it is durable.

        What was found out of the log to screen the batch holds until it is stored. Raises what the log raises if it
        takes nothing at present (`LogUnavailable`, `AppendRefused`) or a stream cannot be continued (`IntegrityError`):
        part of the batch may then be stored, and the whole may be handed in again.
        """
        if not batch:
            return []
        with self._log.turn():
            screened = self._quarantine.screened(batch if self._filings is None else self._filings.screened(batch))
            self._quarantine.keep([line for line in screened if isinstance(line, Refusal)])
            outcomes = [self._fitted(*each) for each in zip(screened, self._append(screened), strict=True)]
        self.summary.lines += len(batch)
        self.summary.refused.extend(each.refused for each in outcomes if each.refused is not None)
        self.summary.misfits.extend(each.misfit for each in outcomes if each.misfit is not None)
        return outcomes

    def _fitted(self, line: AcceptedLine | Refusal, outcome: LineOutcome) -> LineOutcome:
        """Return the outcome of a line; of a correction that was stored and corrects nothing, with why (D851)."""
        if not isinstance(line, AcceptedLine) or outcome.seq is None or outcome.refused is not None:
            return outcome
        stated = line.draft.payload
        if not isinstance(stated, EventCorrected):
            return outcome
        number = stated.supersedes_seq
        if number >= outcome.seq:
            why = f"event {number}, which is not before it"
        else:
            try:
                named = decode(next(iter(self._log.read(line.stream, number, number))).data)
            except EventError:  # of a version that this program does not know
                return outcome
            if named.event_id == stated.supersedes_event_id:
                return outcome
            of_round = "" if named.round_no is None else f" of round {named.round_no}"
            why = f"event {number} ({named.type}{of_round}) by an id that is not its own"
        reason = (
            f"the correction was stored as event {outcome.seq} and corrects nothing: it names {why}; "
            "hand in another one with the number and the id of the event that is wrong"
        )
        return msgspec.structs.replace(outcome, misfit=RefusedLine(line.where, line.stream, reason, ""))

    def _append(self, batch: Sequence[AcceptedLine | Refusal]) -> list[LineOutcome]:
        """Append a batch in one commit; if the log refuses a draft of it, find that draft by halving."""
        pairs = [pair for line in batch if (pair := _stream_and_draft(line)) is not None]
        groups = [(stream, [draft for _, draft in run]) for stream, run in groupby(pairs, key=lambda pair: pair[0])]
        try:
            results = self._log.append_groups(groups) if groups else []
        except EventError as error:
            if len(batch) == 1:
                return [self._refuse(batch[0], error)]
            middle = len(batch) // 2
            return self._append(batch[:middle]) + self._append(batch[middle:])
        seqs = iter(self._take(results))
        return [_outcome(line, next(seqs) if _stream_and_draft(line) is not None else None) for line in batch]

    def _refuse(self, line: AcceptedLine | Refusal, error: EventError) -> LineOutcome:
        if isinstance(line, AcceptedLine):
            if isinstance(error, DuplicateEventId) and self._quarantine.has(line):
                self.summary.duplicates += 1
                return LineOutcome(line.stream, None)
            refusal = Refusal(line.where, line.data, line.stream, str(error), line.origin)
            self._quarantine.keep([refusal])
            return self._append([refusal])[0]  # try it in the line's place
        placed = _stream_and_draft(line)
        if not isinstance(error, DuplicateEventId) or placed is None:
            return _outcome(line, None)  # the stream takes not even the notice (it was never opened): quarantine has it
        stream, told = placed  # who knew the bytes took the notice's id first: it is under another
        again = msgspec.structs.replace(told, event_id=secrets.token_hex(16))
        return _outcome(line, self._take(self._log.append_groups([(stream, [again])]))[0])

    def _take(self, results: Sequence[AppendResult]) -> list[int | None]:
        """Note what was appended; return the sequence numbers in the order of the drafts."""
        self._quarantine.follow(results)
        count(results, self.summary)
        return [seq for result in results for seq in result.seqs]


def _outcome(line: AcceptedLine | Refusal, seq: int | None) -> LineOutcome:
    return LineOutcome(line.stream, seq, RefusedLine.of(line) if isinstance(line, Refusal) else None)


class _Quarantine:
    """The quarantine during an append: it keeps refused bytes, and lists the corrected input that replaced some of them and the
    notices in force.

    Both lists (see `intake.quarantine`) are read on first use, and again if another writer has appended to the stream. Use it
    within a turn.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._ends: dict[str, Head] = {}
        self._replacements: dict[str, dict[str, tuple[object, ...]]] = {}
        self._notices: dict[str, set[str]] = {}

    def keep(self, refusals: Sequence[Refusal]) -> None:
        """Put refused bytes into quarantine."""
        if refusals:
            self._log.quarantine(*map(_entry, refusals))
        for refusal in refusals:
            stream = refusal.stream or UNKNOWN_STREAM
            if stream in self._notices:
                self._notices[stream].add(notice_id(stream, refusal.data))

    def follow(self, results: Iterable[AppendResult]) -> None:
        """Note where streams end after what was appended here."""
        for result in results:
            if result.stream in self._ends:
                self._ends[result.stream] = result.head

    def _look_again(self, stream: str) -> None:
        """Forget the cached state of a stream after another writer has appended to it."""
        end = self._log.head(stream)
        if self._ends.get(stream) != end:
            self._ends[stream] = end
            self._replacements.pop(stream, None)
            self._notices.pop(stream, None)

    def screened(self, batch: Sequence[AcceptedLine | Refusal]) -> list[AcceptedLine | Refusal]:
        """Return a batch without the corrections of notices: those are refused."""
        streams = {
            line.stream for line in batch if isinstance(line, AcceptedLine) and isinstance(line.draft.payload, EventCorrected)
        }
        for stream in streams:
            self._look_again(stream)
            if stream not in self._notices:
                self._notices[stream] = notice_ids(self._log, stream)
        coming = {notice_id(line.stream, line.data) for line in batch if line.stream in streams}
        return [self._screened(line, coming) for line in batch]

    def _screened(self, line: AcceptedLine | Refusal, coming: Set[str]) -> AcceptedLine | Refusal:
        """`coming` are ids that notices of this batch's lines would have."""
        if not isinstance(line, AcceptedLine) or not isinstance(line.draft.payload, EventCorrected):
            return line
        try:
            check_correction(line.stream, line.draft.payload, self._notices[line.stream], coming)
        except WrongPlace as error:
            return Refusal(line.where, line.data, line.stream, str(error), line.origin)
        return line

    def has(self, line: AcceptedLine) -> bool:
        """Whether a line's event already came into its stream from quarantine, under the same id."""
        self._look_again(line.stream)
        if line.stream not in self._replacements:
            self._replacements[line.stream] = dict(self._of(line.stream))
        draft = line.draft
        same = (draft.payload.TYPE, draft.payload.VERSION, draft.round_no, canonical(draft.payload))
        return self._replacements[line.stream].get(draft.event_id) == same

    def _of(self, stream: str) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield the id of each correction in a stream, and the event that it puts in place of another."""
        for record in self._log.read(stream):
            if _CORRECTION not in record.data:
                continue
            try:
                event = decode(record.data)
            except EventError:  # of a version that this program does not know
                continue
            replacement = event.payload.replacement if isinstance(event.payload, EventCorrected) else None
            if replacement is not None:
                yield (
                    event.event_id,
                    (replacement.type, replacement.version, replacement.round_no, canonical(replacement.payload)),
                )


def _entry(refusal: Refusal) -> QuarantineEntry:
    reason = f"{refusal.origin}: {refusal.reason}" if refusal.origin else refusal.reason
    return QuarantineEntry(refusal.stream or UNKNOWN_STREAM, refusal.sha256, reason, refusal.data)


def count(results: Sequence[AppendResult], taken: IntakeSummary) -> None:
    """Add the log's answers to drafts to the account."""
    for result in results:
        stored = sum(seq is not None for seq in result.seqs)
        taken.appended += stored
        taken.duplicates += len(result.seqs) - stored


def _stream_and_draft(line: AcceptedLine | Refusal) -> tuple[str, Draft] | None:
    if isinstance(line, AcceptedLine):
        return line.stream, line.draft
    stream = line.stream
    return None if stream is None or not takes_notice(stream) else (stream, notice(stream, line))
