"""What a round leaves of the meters: where they stand if a void takes back what they took in, and what may have left them (D18).

The chapter and its paytables are not asked here: whether a void reverses a meter, and whether what was paid can be a share of
one, is for the rules that compare readings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.vocabulary import model
from games.settlement.progressive import WHOLE_METER_BP, share_cents
from replay.fold.all_wagers_returned import all_wagers_returned
from replay.fold.table_state import Unrecorded

if TYPE_CHECKING:
    from replay.fold.round import Round
    from replay.fold.table_state import TableState


def meters_after(state: TableState, ended: Round) -> None:
    """Note what is known of the meters after a round."""
    _take_back(state, ended)
    _paid_unrecorded(state, ended)
    _forget_unheard(state, ended)


def _take_back(state: TableState, ended: Round) -> None:
    """Note of the meters that took wagers in a void round what they stood at before: null where that is not known.

    Before a round stands what a void round before it left. Where no line says that the round was void, and all wagers went
    back as void, it is for the rules whether it was (D321), and nothing is known here; nor is it where a share may have left
    the meter before, that nobody wrote down (D331).
    """
    if not all_wagers_returned(ended):
        return
    declared = ended.voided is not None
    before = {**ended.before.readings, **ended.before.readings_before_void}
    for fact in ended.of(model.ProgressiveAccepted):
        meter = fact.payload.meter
        known = declared and meter not in ended.before.unrecorded
        state.readings_before_void[meter] = before.get(meter) if known else None


def _paid_unrecorded(state: TableState, ended: Round) -> None:
    """Note the progressive wagers that were paid what may be a share, which no meter has on record (D331).

    Paid by slip it may be one; paid in cash it may be one of a meter of which it is all (D375).
    """
    recorded = {fact.payload.seat for fact in ended.of(model.ProgressiveWon)}
    paid = [
        fact.payload
        for fact in ended.of(model.WagerPaid)
        if fact.payload.wager == "progressive" and fact.payload.seat not in recorded
    ]
    if not paid:
        return
    staked: dict[int, int] = {}
    for fact in ended.of(model.ProgressiveAccepted):
        staked[fact.payload.seat] = staked.get(fact.payload.seat, 0) + fact.payload.amount_cents
    for meter, reading in state.readings.items():
        whole = share_cents(reading, WHOLE_METER_BP)
        left = [
            Unrecorded(staked.get(each.seat, 0), each.winnings_cents)
            for each in paid
            if each.source == "slip" or each.winnings_cents >= whole
        ]
        if left:
            state.unrecorded[meter] = (*state.unrecorded.get(meter, ()), *left)


def _forget_unheard(state: TableState, ended: Round) -> None:
    """Forget the meters that are silent in a round with Progressives, or in one that does not say who wagered (D400).

    Of a device that lost evidence, its meters may have said more (D402).
    """
    placed = ended.of(model.WagerPlaced)
    told = (placed or ended.covers("wagering")) and not ended.lost
    if told and not any(fact.payload.wager == "progressive" for fact in placed):
        return
    spoke = (model.ProgressiveAccepted, model.ProgressiveWon, model.MysteryHit)
    said = [fact for type_ in spoke for fact in ended.of(type_)]
    unsure = ended.lost_by
    heard = {fact.payload.meter for fact in said} - {fact.payload.meter for fact in said if fact.source in unsure}
    if not state.readings.keys() <= heard:
        state.readings = {meter: reading for meter, reading in state.readings.items() if meter in heard}
