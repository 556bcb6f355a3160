"""The meters after a round: their readings if a void reverses contributions, and payments that no meter recorded (D18).

The chapter and its paytables have no part in this: whether a void reverses a meter, and whether a payment can be a share of one,
is for the rules that compare readings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.vocabulary import model
from events.vocabulary.model import WagerPaid
from replay.fold.all_wagers_returned import all_wagers_returned
from replay.fold.device_order import in_order_of_play
from replay.fold.table_state import Armed, Unrecorded
from rulebook.settlement.progressive import WHOLE_METER_BP, share_cents

if TYPE_CHECKING:
    from replay.fold.recorded_event import RecordedEvent
    from replay.fold.round import Round
    from replay.fold.table_state import TableState


def meters_after(state: TableState, ended: Round, with_late: Round) -> None:
    """Record in the table's state the known meter readings after a round with its late events (`with_late`)."""
    _note_void(state, with_late)
    _note_unrecorded_payments(state, with_late)
    _forget_silent_meters(state, ended)
    _note_hits_in_place(state, ended)


def _note_hits_in_place(state: TableState, ended: Round) -> None:
    """Note the readings after a round with a hit, in the order of play that the meter's readings show: a line may be late."""
    for meter in {fact.payload.meter for fact in ended.of(model.MysteryHit)}:
        kinds = (model.ProgressiveAccepted, model.MysteryArmed, model.MysteryHit)
        told = [fact for fact in ended.in_order(*kinds) if fact.payload.meter == meter]
        last = as_the_meter_reads(in_order_of_play(told))[-1]
        if meter not in state.readings:
            continue
        is_hit = isinstance(last.payload, model.MysteryHit)
        state.readings[meter] = last.payload.after_centicents if is_hit else last.payload.reading_centicents
        if isinstance(last.payload, model.MysteryArmed):
            state.armed[meter] = Armed(last.payload.commitment, last.seq)


def as_the_meter_reads(facts: list[RecordedEvent]) -> list[RecordedEvent]:
    """Put a hit right after its contribution if its line is late, so that the meter began again with the next contribution, or
    too early (D863). A hit at any other reading or seat stays where it is.
    """
    for hit in [fact for fact in facts if isinstance(fact.payload, model.MysteryHit)]:
        contributed = [fact for fact in facts if isinstance(fact.payload, model.ProgressiveAccepted)]
        readings = [fact.payload.reading_centicents for fact in contributed]
        hit_at = (hit.payload.seat, hit.payload.reading_centicents)
        won = next((at for at, fact in enumerate(contributed) if (fact.payload.seat, readings[at]) == hit_at), None)
        begins_again = won is not None and all(after < readings[won] for after in readings[won + 1 : won + 2])
        if won is not None and begins_again and hit.payload.after_centicents < readings[won]:
            facts.remove(hit)
            facts.insert(facts.index(contributed[won]) + 1, hit)
    return facts


def _note_void(state: TableState, ended: Round) -> None:
    """Note the readings, before a void round, of the meters that took wagers in it: None if a reading is not known.

    A void round right before it counts, too. If no event declares the round void, and all wagers were returned as void, it
    is for the rules whether it was (D321), and no reading is known here; nor is it if a share may have left the meter
    before and was not recorded (D331).
    """
    if not all_wagers_returned(ended):
        return
    is_declared = ended.voided is not None
    readings = {**ended.before.readings, **ended.before.readings_before_void}
    for fact in ended.of(model.ProgressiveAccepted):
        meter = fact.payload.meter
        is_known = is_declared and meter not in ended.before.unrecorded
        state.readings_before_void[meter] = readings.get(meter) if is_known else None


def _note_unrecorded_payments(state: TableState, ended: Round) -> None:
    """Record progressive wagers with a payment that may be a share of a meter, if no meter recorded it (D331).

    A payment by slip may be one; a payment in cash may be one if it is the whole meter (D375).
    """
    payments = unrecorded_payments(ended)
    if not payments:
        return
    stakes: dict[int, int] = {}
    for fact in ended.of(model.ProgressiveAccepted):
        stakes[fact.payload.seat] = stakes.get(fact.payload.seat, 0) + fact.payload.amount_cents
    for meter, reading in state.readings.items():
        whole_cents = share_cents(reading, WHOLE_METER_BP)
        shares = [
            Unrecorded(stakes.get(payment.seat, 0), payment.winnings_cents)
            for payment in payments
            if payment.source == "slip" or payment.winnings_cents >= whole_cents
        ]
        if shares:
            state.unrecorded[meter] = (*state.unrecorded.get(meter, ()), *shares)


def unrecorded_payments(ended: Round) -> list[WagerPaid]:
    """Return the payments of progressive wagers of a round that no meter recorded."""
    winners = {fact.payload.seat for fact in ended.of(model.ProgressiveWon)}
    paid = [fact.payload for fact in ended.of(model.WagerPaid)]
    return [each for each in paid if each.wager == "progressive" and each.seat not in winners]


def _forget_silent_meters(state: TableState, ended: Round) -> None:
    """Forget the readings of meters without a report in a round with progressive wagers, or of unrecorded wagers (D400).

    If a device lost evidence, its meters may have reported more (D402), and so they may if the system counted more wagers
    than are on record as accepted (D561).
    """
    placed = ended.of(model.WagerPlaced)
    is_complete = (placed or ended.covers("wagering")) and not ended.lost
    if is_complete and not any(fact.payload.wager == "progressive" for fact in placed):
        return
    kinds = (model.ProgressiveAccepted, model.ProgressiveWon, model.MysteryHit)
    reports = [fact for kind in kinds for fact in ended.of(kind)]
    incomplete = {fact.payload.meter for fact in reports if fact.source in ended.lost_by}
    locked, accepted = ended.last(model.ProgressiveLocked), ended.of(model.ProgressiveAccepted)
    if locked is not None and locked.payload.accepted > len({fact.payload.seat for fact in accepted}):
        incomplete |= {fact.payload.meter for fact in accepted}
    certain = {fact.payload.meter for fact in reports} - incomplete
    if not state.readings.keys() <= certain:
        state.readings = {meter: reading for meter, reading in state.readings.items() if meter in certain}
