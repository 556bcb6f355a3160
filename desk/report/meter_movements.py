"""The movements of a meter, event by event: the statement's terms by the rules, compared with the readings. Pure.

Invariant: opening + contributions + restored + set − paid = closing, to the hundredth of a cent; the part of an event that the
rules do not explain is its `unexplained`, and is never spread over others. The rules are D18 and D21.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

import msgspec

from desk.review.stored_events import event_of
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from events.vocabulary.upcast import upcast
from replay.fold.corrections import correction, counting
from rulebook.settlement.progressive import after_winner, contribution, share_cents

Kind = Literal["set", "contribution", "progressive_hit", "must_hit_by_hit"]


class Movement(msgspec.Struct, frozen=True, kw_only=True):
    """One event of a meter with the readings around it, in hundredths of a cent. `before` is 0 if there was no reading.

    `set`: the reading put into service, armed, or set by the controller. `contributed`: the amount that a wager adds at the
    filed rate. `paid`: the payout in the event; `restored`: the reset that the rules require after it.
    """

    seq: int
    gaming_day: str
    at_us: int
    kind: Kind
    before: int
    after: int
    reserve_before: int
    reserve_after: int
    set: int = 0
    contributed: int = 0
    reserve_contributed: int = 0
    restored: int = 0
    paid: int = 0
    wager_cents: int = 0
    table: str = ""
    round_no: int | None = None
    seat: int | None = None
    share_bp: int | None = None
    reason: str = ""

    @property
    def unexplained(self) -> int:
        """The change that the rules do not explain; 0 if the event adds up."""
        return self.after - (self.before + self.set + self.contributed + self.restored - self.paid)

    @property
    def reserve_unexplained(self) -> int:
        """The change of the reserve that is not a contribution."""
        return self.reserve_after - self.reserve_before - self.reserve_contributed


class _Meter(msgspec.Struct):
    """A meter between two events: its readings (None: none yet), rates, and starting amount."""

    value: int | None = None
    reserve: int = 0
    rate_bp: int = 0
    reserve_rate_bp: int = 0
    seed_cents: int = 0


def movements(records: Iterable[Record]) -> Iterator[Movement]:
    """Yield a meter's movements from its stream's events in order, as corrected. Raises `UndecodableEvent`."""
    meter = _Meter()
    for event, payload in _standing([event_of(record, read) for record in records]):
        match payload:
            case model.MeterSet() | model.MysteryArmed():
                yield _set(meter, event, payload)
            case model.MeterAdvanced():
                yield _advanced(meter, event, payload)
            case model.MeterReset() | model.MysteryHit():
                yield _hit(meter, event, payload)


def _standing(events: Sequence[ReadEnvelope[Event]]) -> Iterator[tuple[ReadEnvelope[Event], Event]]:
    """Yield events with their valid payload; withdrawn ones are left out."""
    made = [correction(each.seq, each.payload) for each in events if isinstance(each.payload, model.EventCorrected)]
    in_force = counting(made, {each.seq: each.event_id for each in events})
    for event in events:
        if event.seq not in in_force:
            yield event, upcast(event.payload)
        elif (replacement := in_force[event.seq].replacement) is not None:
            yield event, replacement[1]


def _set(meter: _Meter, event: ReadEnvelope[Event], payload: model.MeterSet | model.MysteryArmed) -> Movement:
    before, reserve = meter.value or 0, meter.reserve
    if isinstance(payload, model.MeterSet):
        meter.value, meter.reserve = payload.value_centicents, payload.reserve_centicents
        meter.reserve_rate_bp, meter.seed_cents, reason = payload.reserve_rate_bp, payload.seed_cents, payload.reason
    else:
        meter.value, meter.seed_cents, reason = payload.reading_centicents, payload.minimum_cents, "armed"
    meter.rate_bp = payload.rate_bp
    return _movement(meter, event, payload, ("set", before, reserve), set=meter.value - before, reason=reason)


def _advanced(meter: _Meter, event: ReadEnvelope[Event], payload: model.MeterAdvanced) -> Movement:
    gained = contribution(payload.wager_cents, meter.rate_bp)
    first = 0 if meter.value is not None else payload.value_centicents - gained
    before, reserve = meter.value or 0, meter.reserve
    meter.value, meter.reserve = payload.value_centicents, payload.reserve_centicents
    return _movement(
        meter,
        event,
        payload,
        ("contribution", before, reserve),
        set=first,
        contributed=gained,
        reserve_contributed=contribution(payload.wager_cents, meter.reserve_rate_bp),
        wager_cents=payload.wager_cents,
        reason="first reading" if first else "",
    )


def _hit(meter: _Meter, event: ReadEnvelope[Event], payload: model.MeterReset | model.MysteryHit) -> Movement:
    before, reserve = meter.value or 0, meter.reserve
    kind: Kind = "progressive_hit" if isinstance(payload, model.MeterReset) else "must_hit_by_hit"
    if isinstance(payload, model.MeterReset):
        share, paid, meter.reserve = payload.share_bp, payload.paid_centicents, payload.reserve_centicents
        due, right = share_cents(before, share) * 100, after_winner(before, share, meter.seed_cents)
        meter.value = payload.value_centicents
    else:  # a Must-Hit-By winner has the whole meter, and it starts again at its minimum (§ 645c.3(c)(5)(iv))
        share, paid = 10_000, payload.reading_centicents
        due, right = before, meter.seed_cents * 100
        meter.value = payload.after_centicents
    return _movement(meter, event, payload, (kind, before, reserve), restored=right - before + due, paid=paid, share_bp=share)


def _movement(meter: _Meter, event: ReadEnvelope[Event], payload: Event, of: tuple[Kind, int, int], **more: Any) -> Movement:
    """Return an event with its valid payload; `of`: its kind, and the readings before it. `meter` has those after it."""
    kind, before, reserve = of
    place = {name: getattr(payload, name) for name in ("table", "round_no", "seat") if hasattr(payload, name)}
    return Movement(
        seq=event.seq,
        gaming_day=event.gaming_day,
        at_us=event.occurred_at_us,
        kind=kind,
        before=before,
        after=meter.value or 0,
        reserve_before=reserve,
        reserve_after=meter.reserve,
        **place,
        **more,
    )
