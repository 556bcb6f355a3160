"""Bodies of requests: JSON, CloudEvents 1.0, or what a device's profile reads; each event has its answer."""

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import BytesIO
from typing import Final, Literal

import msgspec

from events.errors import EventError
from intake.appending import BATCH, LineOutcome
from intake.devices import Device
from intake.gateway import cloud_events
from intake.lines import JSON_LINES, AcceptedLine, Refusal, json_lines, read_lines
from intake.profiles.profile import Profile

MOST_EVENTS: Final = 10 * BATCH
"""The most events of a JSON array."""

Status = Literal["stored", "duplicate", "quarantined", "skipped"]

Tokens = Callable[[bytes], bytes]
"""Puts tokens in the place of card numbers (see `intake.patrons.with_tokens`)."""


class NotItsOwn(Exception):
    """A device names a source or a stream that is not its own: nothing of the request is taken."""


class BadBody(Exception):
    """A body cannot be divided into lines: nothing of it is accepted. Says what was expected."""


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """The answer to a line: `stored` with its sequence number, `duplicate`, or `quarantined` with the reason; a correction that
    corrects nothing is `stored` with the reason.

    If a profile makes several events from a line, `events` has an answer for each; if it makes none, the answer is `skipped`.
    `sha256` is the name of the bytes in quarantine.
    """

    line: int
    status: Status
    stream: str | None = None
    seq: int | None = None
    reason: str | None = None
    sha256: str | None = None
    events: "list[Answer] | None" = None


class _Source(msgspec.Struct):
    source: str = ""


_source_decoder = msgspec.json.Decoder(_Source)


class IntakeMessage(msgspec.Struct, frozen=True):
    """A line of a body, or an element of its array, by its number from 1; and its content in the log's vocabulary."""

    number: int
    lines: tuple[AcceptedLine | Refusal, ...]


def content_types(profile: Profile | None) -> tuple[str, ...]:
    """Return the content types that a device of this profile may hand in, the usual one first."""
    return (*JSON_LINES, cloud_events.BATCH, cloud_events.SINGLE) if profile is None else profile.content_types


def read_body(body: bytes, kind: str, tokens: Tokens, profile: Profile | None = None) -> list[IntakeMessage]:
    """Return what a body's lines say. Raises `BadBody`, or `IntakeError` if no token can be put in."""
    body = body.removeprefix(BOM_UTF8)
    if kind == cloud_events.SINGLE:
        return _cloud_events([body], tokens)
    if kind == cloud_events.BATCH:
        try:
            return _cloud_events(cloud_events.elements(body), tokens)
        except EventError as error:
            raise BadBody(str(error)) from error
    if kind in JSON_LINES:
        body = json_lines(body)
        if body.count(b"\n") > MOST_EVENTS:
            raise BadBody(f"a JSON array has at most {MOST_EVENTS:,} events; hand in fewer at a time")
    if profile is not None:
        read = profile.read_arriving(BytesIO(body), "line", tokens)
        return [IntakeMessage(_number(each[0]), each[1]) for each in read if each is not None]
    return [IntakeMessage(_number(line.where), (line,)) for line in read_lines(BytesIO(body), "line", tokens)]


def _cloud_events(elements: Sequence[bytes], tokens: Tokens) -> list[IntakeMessage]:
    if len(elements) > MOST_EVENTS:
        raise BadBody(f"a batch has at most {MOST_EVENTS:,} CloudEvents, this one {len(elements):,}; hand in fewer")
    return [
        IntakeMessage(number, (cloud_events.read_cloud_event(data, f"event {number}", tokens),))
        for number, data in enumerate(elements, 1)
    ]


def _number(where: str) -> int:
    return int(where.removeprefix("line:"))


def check_device(device: Device, messages: Sequence[IntakeMessage], *, vendor: bool = False) -> None:
    """Raise `NotItsOwn` if a line, as far as it can be read, names a source or a stream that is not the device's.

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
    """Return the source that a line names; nothing if it cannot be read: within a payload, it is something else."""
    if isinstance(line, AcceptedLine):
        return line.draft.source
    if vendor:
        return ""
    try:
        return cloud_events.source_name(_source_decoder.decode(line.data).source)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return ""


def lines_of(messages: Sequence[IntakeMessage]) -> list[AcceptedLine | Refusal]:
    """Return the lines of messages, in order."""
    return [line for message in messages for line in message.lines]


def answers(messages: Sequence[IntakeMessage], outcomes: Iterable[LineOutcome]) -> Iterator[Answer]:
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
    reason = outcome.misfit.reason if outcome.misfit is not None else None
    return Answer(number, "duplicate" if outcome.seq is None else "stored", outcome.stream, outcome.seq, reason)
