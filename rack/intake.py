"""What devices hand in, line by line: each becomes a draft for its stream, or is refused with a reason.

A line is JSON: the fields of `events.vocabulary.codec.encode_draft` and `stream`. White space and the order of fields do not matter
here (the log's own bytes are canonical, whatever the device wrote); a key that stands twice does, for nobody can say which
was meant. A refused line goes to quarantine, and where its stream can be read, an `intake_refused` event takes its place
there, so that its round becomes UNDETERMINED. Both are functions of the line alone: handing the same file in again changes
nothing.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any, BinaryIO

import msgspec

from events.errors import EventError, IdTaken
from events.log.contract import Appended, EventLog, Quarantined
from events.vocabulary.codec import MAX_EVENT_BYTES, canonical, decode, decode_payload, encode_draft
from events.vocabulary.envelope import Draft, EventId, StreamName, TimeUs
from events.vocabulary.model import EventCorrected, IntakeRefused, Number, Token
from rack.errors import UsageError

UNKNOWN_STREAM = "unknown"
"""Where bytes are quarantined whose stream cannot be read."""

BATCH, BATCH_BYTES = 1_000, 8 * 1024 * 1024
"""What is appended at once: so many lines, or fewer where they are long."""

KEPT_BYTES = 1024 * 1024
"""How much of a line is read, and kept where it is refused: twice the largest event."""

_STREAM = re.compile(rb'"stream"\s*:\s*"((?:table|meter|review|property)/[a-z0-9-]{1,32})"')
_ROUND = re.compile(rb'"round_no"\s*:\s*([1-9][0-9]{0,15})\b')
_CORRECTION = f'"type":"{EventCorrected.TYPE}"'.encode()
_TIME = re.compile(rb'"occurred_at_us"\s*:\s*([1-9][0-9]{0,15})\b')


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
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


class Report(msgspec.Struct, frozen=True):
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


class Refused(msgspec.Struct, frozen=True):
    """A refusal as the account tells it: without the bytes, which are in quarantine under their SHA-256."""

    where: str
    stream: str | None
    reason: str
    sha256: str

    @classmethod
    def of(cls, refusal: Refusal) -> Refused:
        """Return what is told of a refusal."""
        return cls(refusal.where, refusal.stream, refusal.reason, refusal.sha256)


class Taken(msgspec.Struct):
    """What an intake did."""

    lines: int = 0
    appended: int = 0
    duplicates: int = 0
    refused: list[Refused] = msgspec.field(default_factory=list)


_decoder = msgspec.json.Decoder(Line)


def read_lines(file: BinaryIO, name: str, tokens: Callable[[bytes], bytes] = bytes) -> Iterator[Report | Refusal]:
    """Yield each line that says anything, read, with tokens for card numbers (see `rack.patrons.with_tokens`).

    Of an endless line no more is held than `KEPT_BYTES`. Raises `UsageError` where no token can be put in.
    """
    number = 0
    while line := file.readline(KEPT_BYTES):
        number += 1
        where, whole, size, more = f"{name}:{number}", sha256(line), len(line), line
        while len(more) == KEPT_BYTES and not more.endswith(b"\n") and (more := file.readline(KEPT_BYTES)):
            whole.update(more)
            size += len(more)
        if not line.strip() and size == len(line):
            continue
        try:
            data = tokens(line.rstrip(b"\r\n"))
        except UsageError as error:
            again = "then hand the file in again: what is in the log already is dropped as repeats"
            raise UsageError(f"{where}: {error}; {again}") from None
        if size == len(line):
            yield read_line(data, where)
            continue
        kept = f"the first {len(line)} are kept; SHA-256 of all, with the line's end: {whole.hexdigest()}"
        found = _STREAM.search(data)
        stream = found[1].decode() if found else None
        yield Refusal(where, data, stream, f"the line has {size} bytes, more than {MAX_EVENT_BYTES}; {kept}")


def read_line(data: bytes, where: str) -> Report | Refusal:
    """Return what a line reports, or why it is refused."""
    try:
        stream, draft = parse_line(data)
    except EventError as error:
        found = _STREAM.search(data)
        return Refusal(where, data, found[1].decode() if found else None, str(error))
    return Report(where, data, stream, draft)


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
        payload = canonical(_without_repeats(data)["payload"])
    except (OverflowError, UnicodeError, RecursionError) as error:
        raise EventError(f"the payload cannot be written as canonical JSON: {error}") from error
    return line.stream, _draft(line, payload)


def line_of(stream: str, draft: Draft) -> bytes:
    """Return the line that reports a draft, as `rack simulate` writes it: the stream first, then `encode_draft`'s bytes."""
    return b'{"stream":"' + stream.encode() + b'",' + encode_draft(draft)[1:]


def _draft(line: Line, payload: bytes) -> Draft:
    return Draft(
        event_id=line.event_id,
        source=line.source,
        source_seq=line.source_seq,
        occurred_at_us=line.occurred_at_us,
        round_no=line.round_no,
        payload=decode_payload(line.type, line.version, payload),
    )


def take(log: EventLog, lines: Iterable[Report | Refusal]) -> Iterator[Taken]:
    """Append what is reported, quarantine what is refused; yield the running account after each batch."""
    taken, redriven = Taken(), _Redriven(log)
    batch: list[Report | Refusal] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line.data)
        if len(batch) == BATCH or size >= BATCH_BYTES:
            _take_batch(log, batch, taken, redriven)
            batch.clear()
            size = 0
            yield taken
    _take_batch(log, batch, taken, redriven)
    yield taken


def _take_batch(log: EventLog, batch: Sequence[Report | Refusal], taken: Taken, redriven: _Redriven) -> None:
    """Append a batch in one commit; where the log refuses a draft of it, find that draft by halving."""
    if not batch:
        return
    refusals = [line for line in batch if isinstance(line, Refusal)]
    for refusal in refusals:
        _quarantine(log, refusal)
    pairs = [pair for line in batch if (pair := _placed(line)) is not None]
    groups = [(stream, [draft for _, draft in run]) for stream, run in groupby(pairs, key=lambda pair: pair[0])]
    try:
        results = log.append_groups(groups) if groups else []
    except EventError as error:
        if len(batch) > 1:
            middle = len(batch) // 2
            _take_batch(log, batch[:middle], taken, redriven)
            _take_batch(log, batch[middle:], taken, redriven)
        else:
            _refuse_one(log, batch[0], error, taken, redriven)
        return
    taken.lines += len(batch)
    taken.refused.extend(map(Refused.of, refusals))
    count(results, taken)


def _refuse_one(log: EventLog, line: Report | Refusal, error: EventError, taken: Taken, redriven: _Redriven) -> None:
    if isinstance(line, Report):
        if isinstance(error, IdTaken) and redriven.has(line):
            taken.lines, taken.duplicates = taken.lines + 1, taken.duplicates + 1
            return
        # try its refusal in its place
        _take_batch(log, [Refusal(line.where, line.data, line.stream, str(error))], taken, redriven)
        return
    taken.lines += 1  # the stream takes not even the notice (it was never opened): quarantine has the bytes
    taken.refused.append(Refused.of(line))


class _Redriven:
    """What came into a log's streams from quarantine (see `rack.quarantine`); each stream is read once, when it is asked for."""

    def __init__(self, log: EventLog) -> None:
        self._log = log
        self._said: dict[str, dict[str, tuple[object, ...]]] = {}

    def has(self, line: Report) -> bool:
        """Whether what a line says came into its stream from quarantine, under the same id."""
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


def count(results: Sequence[Appended], taken: Taken) -> None:
    """Add to the account what the log made of drafts."""
    for result in results:
        stored = sum(seq is not None for seq in result.seqs)
        taken.appended += stored
        taken.duplicates += len(result.seqs) - stored


def _quarantine(log: EventLog, refusal: Refusal) -> None:
    log.quarantine(Quarantined(refusal.stream or UNKNOWN_STREAM, refusal.sha256, refusal.reason, refusal.data))


def _placed(line: Report | Refusal) -> tuple[str, Draft] | None:
    if isinstance(line, Report):
        return line.stream, line.draft
    return None if line.stream is None else (line.stream, notice(line.stream, line))


def notice(stream: str, refusal: Refusal) -> Draft:
    """Return the event that stands in a stream for a refused line: always the same for the same bytes."""
    identity = sha256(b"rack/intake/v1\0" + stream.encode() + b"\0" + refusal.data).hexdigest()
    return Draft(
        event_id=identity[:32],
        source=f"intake-{identity[32:52]}",
        source_seq=1,
        occurred_at_us=_number(_TIME, refusal.data) or 0,
        round_no=_number(_ROUND, refusal.data),
        payload=IntakeRefused(sha256=refusal.sha256, size=len(refusal.data), reason=_text(refusal.reason)),
    )


def _number(pattern: re.Pattern[bytes], data: bytes) -> int | None:
    found = pattern.search(data)
    return int(found[1]) if found is not None and int(found[1]) < 2**53 else None


def _text(reason: str) -> str:
    return reason.encode("ascii", "backslashreplace").decode()[:400]


def _without_repeats(data: bytes) -> Any:
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
