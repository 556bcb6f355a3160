"""What devices hand in, line by line: each becomes a draft for its stream, or is refused with a reason.

A line is JSON: the fields of `events.vocabulary.codec.encode_draft` and `stream`. White space and the order of fields
do not matter here (the log's own bytes are canonical, whatever the device wrote); a key that stands twice does, for
nobody can say which was meant. What a device may report, and where, `intake.doors` says. A refused line goes to
quarantine, and where its stream can be read and is a table's or a meter's, an `intake_refused` event takes its place
there, so that its round becomes UNDETERMINED; a line for another stream leaves nothing there, for no device writes in
it. Both are functions of the line alone: handing the same file in again changes nothing.
"""

from __future__ import annotations

import contextlib
import json
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from hashlib import sha256
from itertools import groupby
from typing import Any, BinaryIO, Protocol

import msgspec

from events.errors import DuplicateEventId, EventError, WrongPlace
from events.log.contract import UNKNOWN_STREAM, AppendResult, EventLog, Head, QuarantineEntry
from events.vocabulary.codec import MAX_EVENT_BYTES, canonical, decode, decode_payload, encode_draft
from events.vocabulary.envelope import Draft, EventId, StreamName, TimeUs
from events.vocabulary.model import EventCorrected, IntakeRefused, Number, Token
from events.vocabulary.places import Writer, writers_of
from intake.arriving import Pace
from intake.doors import check_line
from intake.errors import IntakeError

BATCH, BATCH_BYTES = 1_000, 8 * 1024 * 1024
"""What is appended at once: so many lines, or fewer where they are long, or come in slowly (`intake.arriving.GROUP_S`)."""

KEPT_BYTES = 1024 * 1024
"""How much of a line is read, and kept where it is refused: twice the largest event."""

_STREAM = re.compile(rb'"stream"\s*:\s*"((?:table|meter|review|property)/[a-z0-9-]{1,32})"')
_ROUND = re.compile(rb'"round_no"\s*:\s*([1-9][0-9]{0,15})\b')
_CORRECTION = f'"type":"{EventCorrected.TYPE}"'.encode()
_TIME = re.compile(rb'"occurred_at_us"\s*:\s*([1-9][0-9]{0,15})\b')


class DecodedLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One reported event as it is first decoded."""

    event_id: EventId
    occurred_at_us: TimeUs
    payload: msgspec.Raw
    round_no: Number | None
    source: Token
    source_seq: Number
    stream: StreamName
    type: str
    version: Number


class AcceptedLine(msgspec.Struct, frozen=True):
    """A line that became a draft. `data` are its bytes as handed in, `where` is `file:line`."""

    where: str
    data: bytes
    stream: str
    draft: Draft


class Refusal(msgspec.Struct, frozen=True):
    """A line that did not. `stream` is null where not even that can be read."""

    where: str
    data: bytes
    stream: str | None
    reason: str

    @property
    def sha256(self) -> str:
        """The name of the bytes in quarantine."""
        return sha256(self.data).hexdigest()


class RefusedLine(msgspec.Struct, frozen=True):
    """A refusal as the account tells it: without the bytes, which are in quarantine under their SHA-256."""

    where: str
    stream: str | None
    reason: str
    sha256: str

    @classmethod
    def of(cls, refusal: Refusal) -> RefusedLine:
        """Return what is told of a refusal."""
        return cls(refusal.where, refusal.stream, refusal.reason, refusal.sha256)


class IntakeSummary(msgspec.Struct):
    """What an intake did."""

    lines: int = 0
    appended: int = 0
    duplicates: int = 0
    refused: list[RefusedLine] = msgspec.field(default_factory=list)


_decoder = msgspec.json.Decoder(DecodedLine)


class LineSource(Protocol):
    """A file, or what comes down a pipe (see `intake.arriving.ArrivingLines`)."""

    def readline(self, limit: int, /) -> bytes | None:
        """Return the next line, or so many bytes of a longer one; null where none has come in time."""


def read_lines(
    file: BinaryIO, name: str, tokens: Callable[[bytes], bytes] = bytes, *, writer: Writer = "device"
) -> Iterator[AcceptedLine | Refusal]:
    """Yield each line of a writer that says anything, read, with tokens for card numbers (see `intake.patrons.with_tokens`).

    Of an endless line no more is held than `KEPT_BYTES`. Raises `IntakeError` where no token can be put in.
    """
    return (line for line in read_arriving(file, name, tokens, writer=writer) if line is not None)


def read_arriving(
    file: LineSource, name: str, tokens: Callable[[bytes], bytes] = bytes, *, writer: Writer = "device"
) -> Iterator[AcceptedLine | Refusal | None]:
    """Yield each line as `read_lines` does, and null where none has come in time: what is held is due."""
    number = 0
    while (line := file.readline(KEPT_BYTES)) != b"":
        if line is None:
            yield None
            continue
        number += 1
        where, whole, size, more = f"{name}:{number}", sha256(line), len(line), line
        while len(more) == KEPT_BYTES and not more.endswith(b"\n"):
            while (rest := file.readline(KEPT_BYTES)) is None:
                yield None
            more = rest
            whole.update(more)
            size += len(more)
        if not line.strip() and size == len(line):
            continue
        try:
            data = tokens(line.rstrip(b"\r\n"))
        except IntakeError as error:
            again = "then hand the file in again: what is in the log already is dropped as repeats"
            raise IntakeError(f"{where}: {error}; {again}") from None
        if size == len(line):
            yield read_line(data, where, writer)
            continue
        kept = f"the first {len(line)} are kept; SHA-256 of all, with the line's end: {whole.hexdigest()}"
        found = _STREAM.search(data)
        stream = found[1].decode() if found else None
        yield Refusal(where, data, stream, f"the line has {size} bytes, more than {MAX_EVENT_BYTES}; {kept}")


def read_line(data: bytes, where: str, writer: Writer = "device") -> AcceptedLine | Refusal:
    """Return what a line of this writer reports, or why it is refused."""
    try:
        stream, draft = parse_line(data)
    except EventError as error:
        found = _STREAM.search(data)
        return Refusal(where, data, found[1].decode() if found else None, str(error))
    try:
        check_line(writer, stream, draft)
    except WrongPlace as error:
        return Refusal(where, data, stream, str(error))
    return AcceptedLine(where, data, stream, draft)


def parse_line(data: bytes) -> tuple[str, Draft]:
    """Return stream and draft of a line. Raises `EventError` saying what was expected."""
    if len(data) > MAX_EVENT_BYTES:
        raise EventError(f"the line has {len(data)} bytes, more than {MAX_EVENT_BYTES}")
    try:
        line = _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EventError(f"expected an event as one JSON object: {error}") from error
    with contextlib.suppress(EventError):  # the payload may be spaced otherwise: the slower way says what is wrong
        draft = _draft(line, bytes(line.payload))
        if line_of(line.stream, draft) == data:
            return line.stream, draft
    try:
        payload = canonical(_without_duplicate_keys(data)["payload"])
    except (OverflowError, UnicodeError, RecursionError) as error:
        raise EventError(f"the payload cannot be written as canonical JSON: {error}") from error
    return line.stream, _draft(line, payload)


def line_of(stream: str, draft: Draft) -> bytes:
    """Return the line that reports a draft, as `rack simulate` writes it: the stream first, then `encode_draft`'s bytes."""
    return b'{"stream":"' + stream.encode() + b'",' + encode_draft(draft)[1:]


def _draft(line: DecodedLine, payload: bytes) -> Draft:
    return Draft(
        event_id=line.event_id,
        source=line.source,
        source_seq=line.source_seq,
        occurred_at_us=line.occurred_at_us,
        round_no=line.round_no,
        payload=decode_payload(line.type, line.version, payload),
    )


def append_lines(
    log: EventLog, lines: Iterable[AcceptedLine | Refusal | None], pace: Pace | None = None
) -> Iterator[IntakeSummary]:
    """Append what is reported, quarantine what is refused; yield the running account after each batch.

    With a pace, what is held is appended as soon as it is due, and where a null comes in between.
    """
    taken, quarantine = IntakeSummary(), _Quarantine(log)
    batch: list[AcceptedLine | Refusal] = []
    size = 0
    for line in lines:
        if line is not None:
            batch.append(line)
            size += len(line.data)
            if pace is not None:
                pace.hold()
        if len(batch) == BATCH or size >= BATCH_BYTES or (pace is not None and pace.is_due()):
            _append_screened(log, batch, taken, quarantine)
            batch.clear()
            size = 0
            if pace is not None:
                pace.release()
            yield taken
    _append_screened(log, batch, taken, quarantine)
    yield taken


def _append_screened(
    log: EventLog, batch: Sequence[AcceptedLine | Refusal], taken: IntakeSummary, quarantine: _Quarantine
) -> None:
    """Append a batch in one turn: what was found out of the log to screen it holds until it is stored."""
    if batch:
        with log.turn():
            _append_batch(log, quarantine.screened(batch), taken, quarantine)


def _append_batch(
    log: EventLog, batch: Sequence[AcceptedLine | Refusal], taken: IntakeSummary, quarantine: _Quarantine
) -> None:
    """Append a batch in one commit; where the log refuses a draft of it, find that draft by halving."""
    refusals = [line for line in batch if isinstance(line, Refusal)]
    for refusal in refusals:
        quarantine.keep(refusal)
    pairs = [pair for line in batch if (pair := _stream_and_draft(line)) is not None]
    groups = [(stream, [draft for _, draft in run]) for stream, run in groupby(pairs, key=lambda pair: pair[0])]
    try:
        results = log.append_groups(groups) if groups else []
    except EventError as error:
        if len(batch) > 1:
            middle = len(batch) // 2
            _append_batch(log, batch[:middle], taken, quarantine)
            _append_batch(log, batch[middle:], taken, quarantine)
        else:
            _refuse_one(log, batch[0], error, taken, quarantine)
        return
    taken.lines += len(batch)
    taken.refused.extend(map(RefusedLine.of, refusals))
    quarantine.follow(results)
    count(results, taken)


def _refuse_one(
    log: EventLog, line: AcceptedLine | Refusal, error: EventError, taken: IntakeSummary, quarantine: _Quarantine
) -> None:
    if isinstance(line, AcceptedLine):
        if isinstance(error, DuplicateEventId) and quarantine.has(line):
            taken.lines, taken.duplicates = taken.lines + 1, taken.duplicates + 1
            return
        # try its refusal in its place
        _append_batch(log, [Refusal(line.where, line.data, line.stream, str(error))], taken, quarantine)
        return
    taken.lines += 1
    taken.refused.append(RefusedLine.of(line))
    placed = _stream_and_draft(line)
    if not isinstance(error, DuplicateEventId) or placed is None:
        return  # the stream takes not even the notice (it was never opened): quarantine has the bytes
    stream, told = placed  # who knew the bytes took the notice's id first: it stands under another
    again = msgspec.structs.replace(told, event_id=secrets.token_hex(16))
    results = log.append_groups([(stream, [again])])
    quarantine.follow(results)
    count(results, taken)


class _Quarantine:
    """The quarantine beside what comes in: keeps what is refused, and knows what came out of it, and which notices stand.

    What came into a stream out of it (see `intake.quarantine`) is read when it is asked for; so are its notices. It is read
    again where somebody else has appended to the stream meanwhile. Asked within a turn.
    """

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._ends: dict[str, Head] = {}
        self._said: dict[str, dict[str, tuple[object, ...]]] = {}
        self._notices: dict[str, set[str]] = {}

    def keep(self, refusal: Refusal) -> None:
        """Put refused bytes into quarantine."""
        stream = refusal.stream or UNKNOWN_STREAM
        self._log.quarantine(QuarantineEntry(stream, refusal.sha256, refusal.reason, refusal.data))
        if stream in self._notices:
            self._notices[stream].add(_identity(stream, refusal.data)[:32])

    def follow(self, results: Iterable[AppendResult]) -> None:
        """Note where streams end after what was appended here."""
        for result in results:
            if result.stream in self._ends:
                self._ends[result.stream] = result.head

    def _look_again(self, stream: str) -> None:
        """Forget what is known of a stream where somebody else has appended to it."""
        end = self._log.head(stream)
        if self._ends.get(stream) != end:
            self._ends[stream] = end
            self._said.pop(stream, None)
            self._notices.pop(stream, None)

    def screened(self, batch: Sequence[AcceptedLine | Refusal]) -> list[AcceptedLine | Refusal]:
        """Return a batch without the corrections of notices: those are refused."""
        streams = {
            line.stream
            for line in batch
            if isinstance(line, AcceptedLine) and isinstance(line.draft.payload, EventCorrected)
        }
        for stream in streams:
            self._look_again(stream)
            if stream not in self._notices:
                self._notices[stream] = notice_ids(self._log, stream)
        coming = {_identity(line.stream, line.data)[:32] for line in batch if line.stream in streams}
        return [self._screened(line, coming) for line in batch]

    def _screened(self, line: AcceptedLine | Refusal, coming: Set[str]) -> AcceptedLine | Refusal:
        """`coming` are ids that notices of this batch's lines would have."""
        if not isinstance(line, AcceptedLine) or not isinstance(line.draft.payload, EventCorrected):
            return line
        try:
            check_correction(line.stream, line.draft.payload, self._notices[line.stream], coming)
        except WrongPlace as error:
            return Refusal(line.where, line.data, line.stream, str(error))
        return line

    def has(self, line: AcceptedLine) -> bool:
        """Whether what a line says came into its stream from quarantine, under the same id."""
        self._look_again(line.stream)
        if line.stream not in self._said:
            self._said[line.stream] = dict(self._of(line.stream))
        said = line.draft
        same = (said.payload.TYPE, said.payload.VERSION, said.round_no, canonical(said.payload))
        return self._said[line.stream].get(said.event_id) == same

    def _of(self, stream: str) -> Iterator[tuple[str, tuple[object, ...]]]:
        """Yield the id of each correction of a stream, and what it puts in the place of another event."""
        for record in self._log.read(stream):
            if _CORRECTION not in record.data:
                continue
            try:
                event = decode(record.data)
            except EventError:  # of a version that this program does not know
                continue
            instead = event.payload.replacement if isinstance(event.payload, EventCorrected) else None
            if instead is not None:
                yield event.event_id, (instead.type, instead.version, instead.round_no, canonical(instead.payload))


def count(results: Sequence[AppendResult], taken: IntakeSummary) -> None:
    """Add to the account what the log made of drafts."""
    for result in results:
        stored = sum(seq is not None for seq in result.seqs)
        taken.appended += stored
        taken.duplicates += len(result.seqs) - stored


def _stream_and_draft(line: AcceptedLine | Refusal) -> tuple[str, Draft] | None:
    if isinstance(line, AcceptedLine):
        return line.stream, line.draft
    stream = line.stream
    return None if stream is None or not takes_notice(stream) else (stream, notice(stream, line))


def takes_notice(stream: str) -> bool:
    """Whether a notice of what was refused may stand in a stream: there where devices write.

    >>> takes_notice("table/fu-01"), takes_notice("review/fu-01")
    (True, False)
    """
    return "intake" in writers_of(stream, IntakeRefused.TYPE)


def notice_ids(log: EventLog, stream: str) -> set[str]:
    """Return the ids of the notices that stand, or may come to stand, in a stream for what is in quarantine."""
    streams = (stream, UNKNOWN_STREAM)
    return {_identity(stream, entry.data)[:32] for entry in log.quarantined() if entry.stream in streams}


def check_correction(stream: str, corrected: EventCorrected, *notices: Set[str]) -> None:
    """Raise `WrongPlace` where a reported correction supersedes a notice: that a line was refused, no device takes back."""
    if any(corrected.supersedes_event_id in ids for ids in notices):
        raise WrongPlace(
            f"event_corrected in {stream} supersedes event {corrected.supersedes_seq}, the notice of a refused line: "
            "expected a correction of what a device reported; bring the line in with `rack quarantine redrive`"
        )


def notice(stream: str, refusal: Refusal) -> Draft:
    """Return the event that stands in a stream for a refused line: always the same for the same bytes."""
    identity = _identity(stream, refusal.data)
    return Draft(
        event_id=identity[:32],
        source=f"intake-{identity[32:52]}",
        source_seq=1,
        occurred_at_us=_number(_TIME, refusal.data) or 0,
        round_no=_number(_ROUND, refusal.data),
        payload=IntakeRefused(sha256=refusal.sha256, size=len(refusal.data), reason=_text(refusal.reason)),
    )


def _identity(stream: str, data: bytes) -> str:
    return sha256(b"rack/intake/v1\0" + stream.encode() + b"\0" + data).hexdigest()


def _number(pattern: re.Pattern[bytes], data: bytes) -> int | None:
    found = pattern.search(data)
    return int(found[1]) if found is not None and int(found[1]) < 2**53 else None


def _text(reason: str) -> str:
    return reason.encode("ascii", "backslashreplace").decode()[:400]


def _without_duplicate_keys(data: bytes) -> Any:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            raise EventError(f"the field {repeated!r} stands twice; which was meant cannot be told")
        return found

    try:
        return json.loads(data, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        if isinstance(error, EventError):
            raise
        raise EventError(f"expected an event as one JSON object: {error}") from error
