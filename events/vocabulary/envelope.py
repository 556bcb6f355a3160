"""The envelope of every payload: its place in the log, who reported it and when, its gaming day and round.

The appender sets `seq`, `recorded_at_us` and `gaming_day`; the reporting device sets everything else (a `Draft`).
`occurred_at_us` is the device's clock and proves nothing about order; `seq` is the order.
"""

from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from events.errors import EventError
from events.vocabulary.model import MAX_INT, Day, Event, Number, Strict, Token

TimeUs = Annotated[int, Meta(ge=0, le=MAX_INT)]
LogId = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
EventId = LogId
StreamName = Annotated[str, Meta(pattern=r"\A(table|meter|review|property|observed|review/observed)/[a-z0-9-]{1,32}\Z")]


class Draft(Strict, frozen=True, kw_only=True):
    """One event as a device reports it, before the log numbers it.

    `source_seq` is the device's own counter: the same number with the same content is a duplicate.
    """

    event_id: EventId
    source: Token
    source_seq: Number
    occurred_at_us: TimeUs
    round_no: Number | None
    payload: Event


class Envelope(Strict, frozen=True, kw_only=True):
    """Envelope version 1, hashed whole. `payload` is the decoded event; `type` and `version` are its permanent name."""

    event_id: EventId
    gaming_day: Day
    log_id: LogId
    occurred_at_us: TimeUs
    payload: Event
    property_id: Token
    recorded_at_us: TimeUs
    round_no: Number | None
    seq: Number
    source: Token
    source_seq: Number
    stream: StreamName
    type: str
    version: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.type, self.version) != (self.payload.TYPE, self.payload.VERSION):
            raise EventError(f"envelope says {self.type} v{self.version}, payload is {self.payload.TYPE}")

    def draft(self) -> Draft:
        """The device's part of this event."""
        return Draft(
            event_id=self.event_id,
            source=self.source,
            source_seq=self.source_seq,
            occurred_at_us=self.occurred_at_us,
            round_no=self.round_no,
            payload=self.payload,
        )


AnyId = Annotated[str, Meta(min_length=32, max_length=32)]
"""An id whose digits are checked elsewhere."""


P = TypeVar("P")


class ReadEnvelope(msgspec.Struct, Generic[P], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An envelope read from bytes. Its payload is the decoded event or (`RawEnvelope`) still bytes.

    The fields are in canonical order, so that the encoder need not sort. The codec checks patterns and remembers checked names;
    everything else is checked here.
    """

    event_id: AnyId
    gaming_day: str
    log_id: str
    occurred_at_us: TimeUs
    payload: P
    property_id: str
    recorded_at_us: TimeUs
    round_no: Number | None
    seq: Number
    source: str
    source_seq: Number
    stream: str
    type: str
    version: Number


def unlogged(
    payload: Event,
    *,
    stream: str,
    seq: int,
    gaming_day: str,
    source: str,
    source_seq: int,
    occurred_at_us: int,
    round_no: int | None,
    event_id: str = "",
) -> ReadEnvelope[Event]:
    """Return an event without a log, such as one of a judged transcript, in an empty envelope."""
    return ReadEnvelope(
        event_id=event_id,
        gaming_day=gaming_day,
        log_id="",
        occurred_at_us=occurred_at_us,
        payload=payload,
        property_id="",
        recorded_at_us=0,
        round_no=round_no,
        seq=seq,
        source=source,
        source_seq=source_seq,
        stream=stream,
        type=payload.TYPE,
        version=payload.VERSION,
    )


class RawEnvelope(ReadEnvelope[msgspec.Raw], frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The envelope in the first step of decoding: the payload still bytes, its type not yet looked up."""
