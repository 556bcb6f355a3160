"""What an appender adds to a device's draft, and what it refuses: number, time, gaming day, chain. Pure; both logs use it.

The rules: a stream's first event is `gaming_day_opened`; the day changes only by that event (whose own envelope carries
the new day), never backwards; a round that is open then keeps the day on which it was opened; `recorded_at_us` never
decreases; an event stands only in the kinds of streams that `events.vocabulary.places` names for it.
"""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from typing import NamedTuple

import msgspec

from events.errors import BrokenSeal, EventError
from events.log.contract import Head, Record
from events.log.hash_chain import link
from events.vocabulary.codec import canonical, decode, encode
from events.vocabulary.envelope import Draft, Envelope, RawEnvelope
from events.vocabulary.model import Event, GamingDayOpened, decoding
from events.vocabulary.places import check_place


class StreamState(msgspec.Struct, frozen=True):
    """Where a stream is for its appender. `gaming_day` is None before the first event."""

    head: Head
    gaming_day: str | None = None
    recorded_at_us: int = 0


class RecordSummary(NamedTuple):
    """What a stored record says to an appender: if its stream is after it, and by what a repeat is known."""

    state: StreamState
    source: str
    source_seq: int
    report: bytes
    event_id: bytes


_raw_decoder = msgspec.json.Decoder(RawEnvelope)


def state_at(genesis: bytes, newest: Record | None) -> StreamState:
    """Return the state after the newest record. Raises `BrokenSeal` if it is not an event."""
    if newest is None:
        return StreamState(Head(0, genesis))
    try:
        last = decode(newest.data)
    except EventError as error:
        raise BrokenSeal(newest.stream, newest.seq, f"the stored bytes are not an event: {error}") from error
    return StreamState(Head(newest.seq, newest.hash), last.gaming_day, last.recorded_at_us)


def learn(record: Record) -> RecordSummary:
    """Return what a stored record says. Raises `BrokenSeal` if it is not an event."""
    try:
        raw = _raw_decoder.decode(record.data)
        report = digest_of_report(
            raw.source, raw.source_seq, raw.occurred_at_us, raw.round_no, raw.type, raw.version, bytes(raw.payload)
        )
        event_id = bytes.fromhex(raw.event_id)
    except ValueError as error:
        raise BrokenSeal(record.stream, record.seq, f"the stored bytes are not an event: {error}") from error
    state = StreamState(Head(record.seq, record.hash), raw.gaming_day, raw.recorded_at_us)
    return RecordSummary(state, raw.source, raw.source_seq, report, event_id)


def check_continues(head: Head, record: Record) -> None:
    """Raise `BrokenSeal` if a record is not the one that follows this end of its stream."""
    if record.seq != head.seq + 1 or link(head.hash, record.data) != record.hash:
        raise BrokenSeal(record.stream, record.seq, f"it does not continue the stream, which ends at {head.seq}")


def place(
    state: StreamState, draft: Draft, *, log_id: str, property_id: str, stream: str, now_us: int
) -> tuple[Record, StreamState]:
    """Return the record that a draft becomes as the next event of its stream, and the state after it.

    Raises `EventError` saying what to do where the draft may not be there.
    """
    check_place(stream, draft.payload)
    day = _check_day(stream, state.gaming_day, draft.payload)
    seq, recorded_at_us = state.head.seq + 1, max(now_us, state.recorded_at_us)
    payload = draft.payload
    decoding.active = True  # `encode` validates the whole event from its bytes; not twice
    try:
        envelope = Envelope(
            log_id=log_id,
            property_id=property_id,
            stream=stream,
            seq=seq,
            event_id=draft.event_id,
            source=draft.source,
            source_seq=draft.source_seq,
            occurred_at_us=draft.occurred_at_us,
            recorded_at_us=recorded_at_us,
            gaming_day=day,
            round_no=draft.round_no,
            type=payload.TYPE,
            version=payload.VERSION,
            payload=payload,
        )
    finally:
        decoding.active = False
    data = encode(envelope)
    record = Record(stream, seq, data, link(state.head.hash, data))
    return record, StreamState(Head(seq, record.hash), day, recorded_at_us)


def report_digest(draft: Draft) -> bytes:
    """Return 32 bytes that are equal for drafts which say the same thing: a resent message may have another event id."""
    payload = draft.payload
    try:
        content = canonical(payload)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise EventError(f"{draft.source} {draft.source_seq}: {error}") from error
    return digest_of_report(
        draft.source, draft.source_seq, draft.occurred_at_us, draft.round_no, payload.TYPE, payload.VERSION, content
    )


def digest_of_report(
    source: str, source_seq: int, occurred_at_us: int, round_no: int | None, type_: str, version: int, payload: bytes
) -> bytes:
    """Return the digest of a report whose payload is given as canonical bytes."""
    head = canonical([source, source_seq, occurred_at_us, round_no, type_, version])
    return sha256(head[:-1] + b"," + payload + b"]").digest()


def day_after(stream: str, day: str | None, payload: Event, stated: str) -> str:
    """Return the gaming day after a stored event whose envelope states a day.

    Raises `EventError` if it breaks a rule of the gaming day.
    """
    expected = _check_day(stream, day, payload)
    if stated != expected:
        raise EventError(f"{stream}: the envelope counts to gaming day {stated}, the stream is at {expected}")
    return expected


def _check_day(stream: str, day: str | None, payload: Event) -> str:
    if not isinstance(payload, GamingDayOpened):
        if day is None:
            raise EventError(f"{stream}: the first event of a stream must be gaming_day_opened, not {payload.TYPE}")
        return day
    try:
        date.fromisoformat(payload.gaming_day)
    except ValueError as error:
        raise EventError(f"{stream}: gaming day {payload.gaming_day}: {error}") from error
    if day is not None and payload.gaming_day < day:
        raise EventError(f"{stream}: gaming day {day} is open already; {payload.gaming_day} would be a step back")
    return payload.gaming_day
