"""The lines that devices hand in: each becomes a draft for its stream, or is refused with a reason.

A line is JSON: the fields of `events.vocabulary.codec.encode_draft` and `stream`. White space and the order of fields
do not matter here (the log's own bytes are canonical, whatever the device wrote); a key that is twice does, for
no one can say which was meant. What a device may report, and where, `intake.writer_rights` says. A refused line goes to
quarantine, and where its stream can be read and is a table's or a meter's, an `intake_refused` event takes its place
there, so that its round becomes UNDETERMINED; a line for another stream leaves nothing there, for no device writes in
it. Both are functions of the line alone: handing the same file in again changes nothing.
"""

import codecs
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Set
from hashlib import sha256
from io import BytesIO
from typing import Any, BinaryIO, Final, NamedTuple, Protocol, TypeVar

import msgspec

from events.errors import EventError, WrongPlace
from events.log.contract import UNKNOWN_STREAM, EventLog
from events.vocabulary.base import Writer
from events.vocabulary.card_numbers import hidden_numbers
from events.vocabulary.codec import MAX_EVENT_BYTES, as_json, decode_payload, encode_draft, unique_keys
from events.vocabulary.correction_events import refused_correction
from events.vocabulary.envelope import Draft, EventId, StreamName, TimeUs
from events.vocabulary.model import EventCorrected, IntakeRefused, Number, Token
from events.vocabulary.places import writers_of
from intake.errors import IntakeError, NoKeyring
from intake.writer_rights import check_line

DEFECT: Final = "this is a defect of Discard Rack"
"""The end of a reason that names no fault of the record."""

JSON: Final = "application/json"
JSON_LINES: Final = ("application/x-ndjson", "application/jsonl", JSON)
"""The content types of JSON Lines, and of JSON texts in an array or over several lines (see `json_lines`)."""

KEPT_BYTES = 1024 * 1024
"""Bytes of a line that are read, and kept if it is refused: twice the largest event."""

_STREAM = re.compile(rb'"stream"\s*:\s*"((?:table|meter|review|property|observed)/[a-z0-9-]{1,32})"')
_ROUND = re.compile(rb'"round_?no"\s*:\s*"?([1-9][0-9]{0,15})\b')
_CORRECTION = re.compile(rb'"type"\s*:\s*"event_corrected"')
_SUPERSEDED = re.compile(rb'"supersedes_seq"\s*:\s*([1-9][0-9]{0,15})\b')
_TIME = re.compile(rb'"occurred_at_us"\s*:\s*([1-9][0-9]{0,15})\b')


class DecodedLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reported event after the first step of decoding."""

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

    `origin` is what the quarantine states next to the reason, where the log refuses it: the place of a record in a topic.
    """

    where: str
    data: bytes
    stream: str
    draft: Draft
    origin: str = ""


class Refusal(msgspec.Struct, frozen=True):
    """A line that was refused. `stream` is None if it cannot be read either; `origin` as in `AcceptedLine`."""

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
_array_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_text_decoder = json.JSONDecoder(parse_int=str, parse_float=str)


class LineSource(Protocol):
    """A file, or what comes down a pipe (see `intake.piped_lines.ArrivingLines`)."""

    def readline(self, limit: int, /) -> bytes | None:
        """Return the next line, or this many bytes of a longer one; None if none has come in time."""


def read_lines(
    file: BinaryIO, name: str, tokens: Callable[[bytes], bytes] = bytes, *, writer: Writer = "device"
) -> Iterator[AcceptedLine | Refusal]:
    """Yield each line of a writer that is not blank, read, with tokens for card numbers (see `intake.patrons.with_tokens`).

    No more than `KEPT_BYTES` of an endless line are held. Raises `NoKeyring` if a card number needs a token and none can be made.
    """
    return (line for line in read_arriving(file, name, tokens, writer=writer) if line is not None)


def read_arriving(
    file: LineSource, name: str, tokens: Callable[[bytes], bytes] = bytes, *, writer: Writer = "device"
) -> Iterator[AcceptedLine | Refusal | None]:
    """Yield each line like `read_lines`, and None if no line has come in time and the held lines are due."""
    for raw in raw_lines(file, name):
        if raw is None:
            yield None
            continue
        with named_tokens(raw.where):
            line = _reported(raw, tokens, writer)
        yield line


def _reported(raw: "RawLine", tokens: Callable[[bytes], bytes], writer: Writer) -> AcceptedLine | Refusal:
    if raw.excess is None:
        return read_reported(raw.data, raw.where, tokens, writer)

    def beginning() -> Refusal:
        data = tokens(raw.data)
        return Refusal(raw.where, data, stream_in(data), raw.excess or "")

    return read_or_refuse(beginning, raw.data, raw.where)


class RawLine(NamedTuple):
    """A line as it arrived, without its line break; of an overlong one the beginning, with `excess` set."""

    where: str
    data: bytes
    excess: str | None


def raw_lines(file: LineSource, name: str) -> Iterator[RawLine | None]:
    """Yield each line that says anything, and None if none has come in time. Of an endless line, `KEPT_BYTES` are held."""
    number = 0
    while (line := file.readline(KEPT_BYTES)) != b"":
        if line is None:
            yield None
            continue
        number += 1
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
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
    """Make a `NoKeyring` error name the line."""
    try:
        yield
    except NoKeyring as error:
        again = "then hand the file in again: events already in the log are dropped as repeats"
        raise NoKeyring(f"{where}: {error}; {again}") from None


def tokens_at(at_us: int | None, tokens: Callable[[bytes], bytes], data: bytes) -> bytes:
    """Return a record with tokens for card numbers if it states its time, UTC microseconds, in other words than a line."""
    stamp = b"" if at_us is None else b'"occurred_at_us":%d\n' % at_us
    return tokens(stamp + data)[len(stamp) :]


def json_lines(body: bytes) -> bytes:
    """Return JSON with one text per line, as `raw_lines` needs it, without a byte order mark and with each element of an array
    on a line of its own. Blanks replace the line breaks within a text, and as many empty lines follow it, so that line numbers
    do not change.

    Lines that are not JSON do not change.

    >>> json_lines(b'[{"a":1},\\n {"b":2}]'), json_lines(b'{\\n"a":1}\\n{"b":2}'), json_lines(b'\\xef\\xbb\\xbf{}')
    (b'{"a":1}\\n{"b":2}', b'{ "a":1}\\n\\n{"b":2}', b'{}')
    """
    texts = json_texts(body)
    if len(texts) != 1:
        return b"\n".join(map(_one_line, texts))
    if texts[0].lstrip()[:1] != b"{" or all(map(_is_whole, texts[0].splitlines())):
        return texts[0]
    return _joined(texts[0].decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")


def whole_texts(file: BinaryIO) -> BinaryIO:
    """Return a file with one JSON text per line (see `json_lines`): the same file if its first line holds a whole text."""
    beginning = file.read(KEPT_BYTES)
    file.seek(0)
    lines = beginning.removeprefix(codecs.BOM_UTF8).splitlines()
    first = next((line for line in lines if line.strip()), b"")
    if first.lstrip()[:1] not in (b"[", b"{") or _is_whole(first) or len(first) >= KEPT_BYTES - len(codecs.BOM_UTF8):
        return file
    return BytesIO(json_lines(file.read()))


def json_texts(body: bytes) -> list[bytes]:
    """Return the elements of a JSON array that has any, or else the whole; without a byte order mark.

    >>> json_texts(b'[{"a":1},{"b":2}]'), json_texts(b'{"a":1}')
    ([b'{"a":1}', b'{"b":2}'], [b'{"a":1}'])
    """
    body = body.removeprefix(codecs.BOM_UTF8)
    if body.lstrip()[:1] == b"[":
        with contextlib.suppress(msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return [bytes(each) for each in _array_decoder.decode(body)] or [body]
    return [body]


def _is_whole(line: bytes) -> bool:
    """Whether a line, by its first and last character, is a text of its own."""
    line = line.strip()
    return not line or (line[:1] == b"{" and line[-1:] == b"}")


def _one_line(text: bytes) -> bytes:
    return text.replace(b"\r", b" ").replace(b"\n", b" ")


def _joined(body: str) -> str:
    """Join the lines of each text that goes over several; from one on that does not end, every line is for itself."""
    pieces: list[str] = []
    at = 0
    while at < len(body):
        begin, end = at, body.find("\n", at) % (len(body) + 1)
        if not _is_whole(body[at:end].encode("utf-8", "surrogateescape")):
            try:
                _, stop = _text_decoder.raw_decode(body, at + len(body[at:end]) - len(body[at:end].lstrip()))
            except (ValueError, RecursionError):
                pieces.append(body[at:])
                break
            end = body.find("\n", stop) % (len(body) + 1)
            if body[stop:end].strip():
                pieces.append(body[at:])
                break
        text = body[begin:end]
        pieces.append(text.replace("\n", " ") + "\n" * text.count("\n"))
        at = end + 1
    return "\n".join(pieces)


T = TypeVar("T")


def read_or_refuse(read: Callable[[], T], data: bytes, where: str) -> T | Refusal:
    """Return what a reader makes of a record, or its refusal, whatever error the record causes.

    The refusal keeps the record without card numbers. Errors of the machine or the settings are raised: `OSError`,
    `MemoryError`, `NoKeyring`.
    """
    try:
        return read()
    except (OSError, MemoryError, NoKeyring):
        raise
    except Exception as error:
        kept = hidden_numbers(data)
        return Refusal(where, kept, stream_in(kept), reason_of(error))


def reason_of(error: Exception) -> str:
    """Return why a record is refused, without card numbers."""
    text = str(error)
    if not isinstance(error, IntakeError | EventError):
        text = f"the reader failed with {type(error).__name__}: {text[:200]}; {DEFECT}"
    return hidden_numbers(text.encode("utf-8", "backslashreplace")).decode("utf-8", "replace")


def stream_in(data: bytes) -> str | None:
    """Return the stream that refused bytes name, as far as it can be found without reading them."""
    found = _STREAM.search(data)
    return None if found is None else found[1].decode()


def read_reported(
    data: bytes, where: str, tokens: Callable[[bytes], bytes] = bytes, writer: Writer = "device"
) -> AcceptedLine | Refusal:
    """Return what a line reports, with tokens for card numbers, or its refusal; raises what `read_or_refuse` raises."""
    return read_or_refuse(lambda: read_line(tokens(data), where, writer), data, where)


def read_line(data: bytes, where: str, writer: Writer = "device") -> AcceptedLine | Refusal:
    """Return what a line of this writer reports, or why it is refused."""
    try:
        stream, draft = parse_line(data)
    except EventError as error:
        return Refusal(where, data, stream_in(data), _of_correction(data) + str(error))
    try:
        check_line(writer, stream, draft)
    except WrongPlace as error:
        return Refusal(where, data, stream, str(error))
    return AcceptedLine(where, data, stream, draft)


def _of_correction(data: bytes) -> str:
    superseded = _SUPERSEDED.search(data) if _CORRECTION.search(data) is not None else None
    return "" if superseded is None else refused_correction(int(superseded[1]))


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
        payload = as_json(_without_duplicate_keys(data)["payload"])
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
    """Whether a notice of a refusal may be in a stream: only in those that devices write.

    >>> takes_notice("table/fu-01"), takes_notice("review/fu-01")
    (True, False)
    """
    return "intake" in writers_of(stream, IntakeRefused.TYPE)


def notice_ids(log: EventLog, stream: str) -> set[str]:
    """Return the ids that notices about quarantined lines have, or will have, in a stream."""
    streams = (stream, UNKNOWN_STREAM)
    return {notice_id(stream, entry.data) for entry in log.quarantined() if entry.stream in streams}


def check_correction(stream: str, corrected: EventCorrected, *notices: Set[str]) -> None:
    """Raise `WrongPlace` if a reported correction supersedes a notice: no device can take back that a line was refused."""
    if any(corrected.supersedes_event_id in ids for ids in notices):
        raise WrongPlace(
            f"event_corrected in {stream} supersedes event {corrected.supersedes_seq}, the notice of a refused line: "
            "expected a correction of what a device reported; bring the line in with `rack quarantine redrive`"
        )


def notice(stream: str, refusal: Refusal) -> Draft:
    """Return the event that is in a stream for a refused line: always the same for the same bytes."""
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
    """Return the id of the notice that is in a stream for these refused bytes."""
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
