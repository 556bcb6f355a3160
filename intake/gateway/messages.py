"""Bodies of requests: JSON Lines, batches of CloudEvents 1.0, or what a device's profile reads; each line has its answer.

A CloudEvent carries an event of the vocabulary so: `id` is the event's id, `source` the device's source, `subject` the stream,
`type` the event's type and version (`wager_paid.v1`), `time` the device's clock, `data` the payload, and the extensions
`sourceseq` and `roundno` (left out between rounds) are its own number and the round. CloudEvents' integers have 32 bits; a
greater `sourceseq` is written as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from io import BytesIO
from typing import Any, Final, Literal

import msgspec

from events.errors import EventError
from events.vocabulary.codec import canonical
from intake.appending import BATCH, LineOutcome
from intake.devices import Device
from intake.lines import JSON_LINES, AcceptedLine, Refusal, read_line, read_lines
from intake.profiles.profile import Profile

CLOUD_EVENTS: Final = "application/cloudevents-batch+json"

MOST_ELEMENTS: Final = 10 * BATCH
"""The most CloudEvents of a batch."""

_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00Z")
_TYPE: Final = re.compile(r"\A([a-z0-9_]{1,64})\.v([1-9][0-9]{0,5})\Z")

Status = Literal["stored", "duplicate", "quarantined", "skipped"]

Tokens = Callable[[bytes], bytes]
"""Puts tokens in the place of card numbers (see `intake.patrons.with_tokens`)."""


class NotItsOwn(Exception):
    """A device names a source or a stream that is not its own: nothing of the request is taken."""


class BadBody(Exception):
    """A body cannot be divided into lines: nothing of it is taken. Says what was expected."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a line: `stored` with its sequence number, `duplicate`, or `quarantined` with the reason.

    A line that a profile makes several events of has `events` instead: one of these for each; `skipped` is one that
    it makes none of. `sha256` is the name of
    the bytes in quarantine.
    """

    line: int
    status: Status
    stream: str | None = None
    seq: int | None = None
    reason: str | None = None
    sha256: str | None = None
    events: list[Answer] | None = None


class _Source(msgspec.Struct):
    source: str = ""


_source_decoder = msgspec.json.Decoder(_Source)


class Message(msgspec.Struct, frozen=True):
    """A line of a body, or an element of its array, by its number from 1; and what it says, in the log's words."""

    number: int
    lines: tuple[AcceptedLine | Refusal, ...]


def content_types(profile: Profile | None) -> tuple[str, ...]:
    """Return the content types that a device of this profile may hand in, the usual one first."""
    return (*JSON_LINES, CLOUD_EVENTS) if profile is None else profile.content_types


def read_body(body: bytes, kind: str, tokens: Tokens, profile: Profile | None = None) -> list[Message]:
    """Return what the lines of a body of this content type say.

    Raises `BadBody`, or `IntakeError` where no token can be put in.
    """
    if profile is not None:
        read = profile.read_arriving(BytesIO(body), "line", tokens)
        return [Message(_number(each[0]), each[1]) for each in read if each is not None]
    if kind == CLOUD_EVENTS:
        return [
            Message(number, (_read_cloud_event(tokens(data), f"event {number}"),))
            for number, data in enumerate(_elements(body), 1)
        ]
    return [Message(_number(line.where), (line,)) for line in read_lines(BytesIO(body), "line", tokens)]


def _number(where: str) -> int:
    return int(where.removeprefix("line:"))


def check_device(device: Device, messages: Sequence[Message], *, vendor: bool = False) -> None:
    """Raise `NotItsOwn` where a line, as far as it can be read, names a source or a stream that is not the device's.

    A `vendor`'s message that cannot be translated names no source in our words.
    """
    sources = set(device.sources)
    for line in lines_of(messages):
        if device.streams is not None and line.stream is not None and line.stream not in device.streams:
            raise NotItsOwn(f"{line.where}: this device does not write to {line.stream}; nothing was taken")
        source = _source_of(line, vendor=vendor)
        if source and source not in sources:
            raise NotItsOwn(f"{line.where}: this device does not speak for the source {source}; nothing was taken")


def _source_of(line: AcceptedLine | Refusal, *, vendor: bool) -> str:
    """Return the source that a line names; nothing where it cannot be read: within a payload, it is something else."""
    if isinstance(line, AcceptedLine):
        return line.draft.source
    if vendor:
        return ""
    try:
        return _source_decoder.decode(line.data).source
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def lines_of(messages: Sequence[Message]) -> list[AcceptedLine | Refusal]:
    """Return the lines of messages, in order."""
    return [line for message in messages for line in message.lines]


def answers(messages: Sequence[Message], outcomes: Iterable[LineOutcome]) -> Iterator[Answer]:
    """Yield the answer to each message, in order, from the answers to their lines."""
    left = iter(outcomes)
    for message in messages:
        each = [_answer(message.number, next(left)) for _ in message.lines]
        if len(each) == 1:
            yield each[0]
            continue
        status: Status = "duplicate" if each else "skipped"
        for kind in ("stored", "quarantined"):
            if any(one.status == kind for one in each):
                status = kind
        yield Answer(message.number, status, events=each or None)


def _answer(number: int, outcome: LineOutcome) -> Answer:
    if outcome.refused is not None:
        refused = outcome.refused
        return Answer(number, "quarantined", outcome.stream, outcome.seq, refused.reason, refused.sha256)
    return Answer(number, "duplicate" if outcome.seq is None else "stored", outcome.stream, outcome.seq)


# ----------------------------------------------------------------------------------------------------------- CloudEvents


class _CloudEvent(msgspec.Struct, forbid_unknown_fields=True):
    specversion: Literal["1.0"]
    id: str
    source: str
    type: str
    subject: str
    time: str
    data: msgspec.Raw
    sourceseq: int | str
    roundno: int | None = None
    datacontenttype: Literal["application/json"] = "application/json"
    dataschema: str | None = None


_elements_decoder = msgspec.json.Decoder(list[msgspec.Raw])
_cloud_decoder = msgspec.json.Decoder(_CloudEvent)


def _elements(body: bytes) -> list[bytes]:
    try:
        elements = [bytes(each) for each in _elements_decoder.decode(body)]
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadBody(f"expected a JSON array of CloudEvents: {error}") from error
    if len(elements) > MOST_ELEMENTS:
        raise BadBody(f"a batch has at most {MOST_ELEMENTS:,} CloudEvents, this one {len(elements):,}; hand in fewer")
    return elements


def _read_cloud_event(data: bytes, where: str) -> AcceptedLine | Refusal:
    try:
        line = _line_of(data)
    except EventError as error:
        return Refusal(where, data, None, str(error))
    return read_line(line, where)


def _line_of(data: bytes) -> bytes:
    """Return the line that says the same as a CloudEvent."""
    try:
        event = _cloud_decoder.decode(data)
        kind = _TYPE.match(event.type)
        if kind is None:
            raise EventError(
                f"type: expected a type and version of the vocabulary such as wager_paid.v1, got {event.type[:80]!r}"
            )
        fields: dict[str, Any] = {
            "stream": event.subject,
            "event_id": event.id,
            "source": event.source,
            "source_seq": int(event.sourceseq),
            "occurred_at_us": _time_us(event.time),
            "round_no": event.roundno,
            "type": kind[1],
            "version": int(kind[2]),
        }
        return canonical(fields)[:-1] + b',"payload":' + bytes(event.data) + b"}"
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, ValueError, OverflowError) as error:
        if isinstance(error, EventError):
            raise
        raise EventError(f"expected a CloudEvent 1.0: {error}") from error


def _time_us(text: str) -> int:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise EventError(f"time: {text[:40]!r} names no zone; write 2026-03-01T21:14:00Z")
    return (moment - _EPOCH) // timedelta(microseconds=1)
