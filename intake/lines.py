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
from collections.abc import Callable, Iterator, Set
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple, Protocol

import msgspec

from events.errors import EventError, WrongPlace
from events.log.contract import UNKNOWN_STREAM, EventLog
from events.vocabulary.codec import MAX_EVENT_BYTES, canonical, decode_payload, encode_draft, unique_keys
from events.vocabulary.envelope import Draft, EventId, StreamName, TimeUs
from events.vocabulary.model import EventCorrected, IntakeRefused, Number, Token
from events.vocabulary.places import Writer, writers_of
from intake.doors import check_line
from intake.errors import IntakeError

JSON_LINES: Final = ("application/x-ndjson", "application/jsonl", "application/json")
"""The content types of JSON Lines."""

KEPT_BYTES = 1024 * 1024
"""How much of a line is read, and kept where it is refused: twice the largest event."""

_STREAM = re.compile(rb'"stream"\s*:\s*"((?:table|meter|review|property)/[a-z0-9-]{1,32})"')
_ROUND = re.compile(rb'"round_no"\s*:\s*([1-9][0-9]{0,15})\b')
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
    """A line that became a draft. `data` are its bytes as handed in, `where` is `file:line`.

    `origin` is what the quarantine states beside the reason, where the log refuses it: the place of a record in a topic.
    """

    where: str
    data: bytes
    stream: str
    draft: Draft
    origin: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """A line that did not. `stream` is null where not even that can be read; `origin` as in `AcceptedLine`."""

    where: str
    data: bytes
    stream: str | None
    reason: str
    origin: str = ""

    @property
    def sha256(self) -> str:
        """The name of the bytes in quarantine."""
        return sha256(self.data).hexdigest()


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
    for raw in raw_lines(file, name):
        if raw is None:
            yield None
            continue
        with named_tokens(raw.where):
            data = tokens(raw.data)
        if raw.excess is None:
            yield read_line(data, raw.where, writer)
            continue
        found = _STREAM.search(data)
        yield Refusal(raw.where, data, found[1].decode() if found else None, raw.excess)


class RawLine(NamedTuple):
    """A line as it came, without its end; of an overlong one the beginning, and `excess` says so."""

    where: str
    data: bytes
    excess: str | None


def raw_lines(file: LineSource, name: str) -> Iterator[RawLine | None]:
    """Yield each line that says anything, and null where none has come in time. Of an endless line `KEPT_BYTES` are held."""
    number = 0
    while (line := file.readline(KEPT_BYTES)) != b"":
        if line is None:
            yield None
            continue
        number += 1
        whole, size, more = sha256(line), len(line), line
        while len(more) == KEPT_BYTES and not more.endswith(b"\n"):
            while (rest := file.readline(KEPT_BYTES)) is None:
                yield None
            more = rest
            whole.update(more)
            size += len(more)
        if not line.strip() and size == len(line):
            continue
        kept = f"the first {len(line)} are kept; SHA-256 of all, with the line's end: {whole.hexdigest()}"
        excess = f"the line has {size} bytes, more than {MAX_EVENT_BYTES}; {kept}" if size > len(line) else None
        yield RawLine(f"{name}:{number}", line.rstrip(b"\r\n"), excess)


@contextlib.contextmanager
def named_tokens(where: str) -> Iterator[None]:
    """Let an `IntakeError` of what makes tokens name the line."""
    try:
        yield
    except IntakeError as error:
        again = "then hand the file in again: what is in the log already is dropped as repeats"
        raise IntakeError(f"{where}: {error}; {again}") from None


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


def takes_notice(stream: str) -> bool:
    """Whether a notice of what was refused may stand in a stream: there where devices write.

    >>> takes_notice("table/fu-01"), takes_notice("review/fu-01")
    (True, False)
    """
    return "intake" in writers_of(stream, IntakeRefused.TYPE)


def notice_ids(log: EventLog, stream: str) -> set[str]:
    """Return the ids of the notices that stand, or may come to stand, in a stream for what is in quarantine."""
    streams = (stream, UNKNOWN_STREAM)
    return {notice_id(stream, entry.data) for entry in log.quarantined() if entry.stream in streams}


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


def notice_id(stream: str, data: bytes) -> str:
    """Return the id of the notice that stands in a stream for these refused bytes."""
    return _identity(stream, data)[:32]


def _identity(stream: str, data: bytes) -> str:
    return sha256(b"rack/intake/v1\0" + stream.encode() + b"\0" + data).hexdigest()


def _number(pattern: re.Pattern[bytes], data: bytes) -> int | None:
    found = pattern.search(data)
    return int(found[1]) if found is not None and int(found[1]) < 2**53 else None


def _text(reason: str) -> str:
    return reason.encode("ascii", "backslashreplace").decode()[:400]


def _without_duplicate_keys(data: bytes) -> Any:
    try:
        return json.loads(data, object_pairs_hook=unique_keys)
    except (ValueError, RecursionError) as error:
        if isinstance(error, EventError):
            raise
        raise EventError(f"expected an event as one JSON object: {error}") from error
