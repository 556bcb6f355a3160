"""The additions and refusals of an appender: number, time, gaming day, chain. Pure; both logs use it.

The rules: a stream's first event is `gaming_day_opened`; the day changes only by that event (whose own envelope carries the new
day), never backwards and never within a round (`DayRounds`); `recorded_at_us` never decreases; an event is appended only to the
kinds of streams that `events.vocabulary.places` names for it.
"""

from collections.abc import Iterable
from datetime import date
from hashlib import sha256
from typing import NamedTuple

import msgspec

from events.errors import BrokenSeal, EventError
from events.log.contract import Head, Record
from events.log.hash_chain import link
from events.vocabulary.codec import canonical, decode, encode
from events.vocabulary.envelope import Draft, Envelope, RawEnvelope
from events.vocabulary.model import Event, GamingDayOpened, RoundClosed, RoundOpened, TableClosed, decoding
from events.vocabulary.places import check_place


class DayRounds(NamedTuple):
    """Whether a round is open in a stream, and the number of the last round closed since the gaming day opened (0: none).

    An opening that comes after the close of its round, or of a later one, is late and opens nothing (D1122). A table that is
    closed has no open round.
    """

    open: bool = False
    last_closed: int = 0

    def after(self, kind: str, round_no: int | None) -> "DayRounds":
        """Return the state after an event of a type."""
        if kind == RoundOpened.TYPE:
            return DayRounds(round_no is None or round_no > self.last_closed, self.last_closed)
        if kind == RoundClosed.TYPE:
            return DayRounds(False, round_no or self.last_closed)
        if kind == TableClosed.TYPE:
            return DayRounds(False, self.last_closed)
        return DayRounds() if kind == GamingDayOpened.TYPE else self


UNKNOWN_ROUNDS = DayRounds(False, 2**53)
"""The state in the middle of a stream: no opening counts until a close or a gaming day is read."""


class StreamState(msgspec.Struct, frozen=True):
    """The state of a stream for its appender. `gaming_day` is None before the first event."""

    head: Head
    gaming_day: str | None = None
    recorded_at_us: int = 0
    rounds: DayRounds = DayRounds()


class _EventKind(msgspec.Struct):
    type: str
    round_no: int | None = None


class RecordSummary(NamedTuple):
    """The facts of a stored record for an appender: the state of the stream after it, and how to recognize a repeat."""

    state: StreamState
    source: str
    source_seq: int
    report: bytes
    event_id: bytes


_kind_decoder = msgspec.json.Decoder(_EventKind)
_raw_decoder = msgspec.json.Decoder(RawEnvelope)


def state_at(genesis: bytes, newest_first: Iterable[Record]) -> StreamState:
    """Return the state after the newest record, reading back to the last round that was closed, at most one gaming day.

    Raises `BrokenSeal` if a record that is read is not an event.
    """
    newest: Record | None = None
    of_the_day: list[_EventKind] = []
    for record in newest_first:
        newest = newest or record
        try:
            kind = _kind_decoder.decode(record.data)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            raise BrokenSeal(record.stream, record.seq, f"the stored bytes are not an event: {error}") from error
        of_the_day.append(kind)
        if kind.type in (RoundClosed.TYPE, GamingDayOpened.TYPE):
            break
    if newest is None:
        return StreamState(Head(0, genesis))
    try:
        last = decode(newest.data)
    except EventError as error:
        raise BrokenSeal(newest.stream, newest.seq, f"the stored bytes are not an event: {error}") from error
    rounds = DayRounds()
    for kind in reversed(of_the_day):
        rounds = rounds.after(kind.type, kind.round_no)
    return StreamState(Head(newest.seq, newest.hash), last.gaming_day, last.recorded_at_us, rounds)


def learn(before: StreamState | None, record: Record) -> RecordSummary:
    """Return the facts of a stored record, given the state before it (None: unknown).

    Raises `BrokenSeal` if the record is not an event.
    """
    try:
        raw = _raw_decoder.decode(record.data)
        report = digest_of_report(
            raw.source, raw.source_seq, raw.occurred_at_us, raw.round_no, raw.type, raw.version, bytes(raw.payload)
        )
        event_id = bytes.fromhex(raw.event_id)
    except ValueError as error:
        raise BrokenSeal(record.stream, record.seq, f"the stored bytes are not an event: {error}") from error
    rounds = (before.rounds if before is not None else DayRounds()).after(raw.type, raw.round_no)
    state = StreamState(Head(record.seq, record.hash), raw.gaming_day, raw.recorded_at_us, rounds)
    return RecordSummary(state, raw.source, raw.source_seq, report, event_id)


def check_continues(head: Head, record: Record) -> None:
    """Raise `BrokenSeal` if a record is not the one that follows this end of its stream."""
    if record.seq != head.seq + 1 or link(head.hash, record.data) != record.hash:
        raise BrokenSeal(record.stream, record.seq, f"it does not continue the stream, which ends at {head.seq}")


def place(
    state: StreamState, draft: Draft, *, log_id: str, property_id: str, stream: str, now_us: int
) -> tuple[Record, StreamState]:
    """Return the record that a draft becomes as the next event of its stream, and the state after it.

    Raises `EventError` saying what to do if the draft may not be appended.
    """
    check_place(stream, draft.payload)
    day = _check_day(stream, state.gaming_day, state.rounds, draft.payload)
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
    rounds = state.rounds.after(payload.TYPE, draft.round_no)
    return record, StreamState(Head(seq, record.hash), day, recorded_at_us, rounds)


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


OF_THE_DAY = frozenset({GamingDayOpened, RoundOpened, RoundClosed, TableClosed})
"""The events that change the gaming day of a stream or whether a round is open: `day_after` gives the same after any other."""


def day_after(
    stream: str, day: str | None, rounds: DayRounds, payload: Event, *, round_no: int | None, stated: str
) -> tuple[str, DayRounds]:
    """Return the gaming day and its rounds after a stored event whose envelope states a day.

    Raises `EventError` if it breaks a rule of the gaming day.
    """
    expected = _check_day(stream, day, rounds, payload)
    if stated != expected:
        raise EventError(f"{stream}: the envelope counts to gaming day {stated}, the stream is at {expected}")
    return expected, rounds.after(payload.TYPE, round_no)


def _check_day(stream: str, day: str | None, rounds: DayRounds, payload: Event) -> str:
    if not isinstance(payload, GamingDayOpened):
        if day is None:
            raise EventError(f"{stream}: the first event of a stream must be gaming_day_opened, not {payload.TYPE}")
        return day
    try:
        date.fromisoformat(payload.gaming_day)
    except ValueError as error:
        raise EventError(f"{stream}: gaming day {payload.gaming_day}: {error}") from error
    if rounds.open:
        raise EventError(f"{stream}: a round is open; append round_closed before the gaming day {payload.gaming_day} is opened")
    if day is not None and payload.gaming_day < day:
        raise EventError(f"{stream}: gaming day {day} is open already; {payload.gaming_day} would be a step back")
    return payload.gaming_day
