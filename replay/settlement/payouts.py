"""The moves of a round's wagers: taken, paid, returned, and the patron's final net (D22, D245)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from events.vocabulary import model
from replay.fold.derived import derived
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.fold.wager_keys import Key, key_in
from rulebook.chapters.money import show_money


class WagerFlow(msgspec.Struct):
    """The dealer's actions on one wager: cents taken, winnings paid, stake returned, returned as late; by slip; and the facts.

    `gave`: a move ended it by giving the patron money: it was paid, or returned for a reason other than late or uncovered.
    """

    taken_cents: int = 0
    winnings_cents: int = 0
    stake_back_cents: int = 0
    late_back_cents: int = 0
    by_slip_cents: int = 0
    gave: bool = False
    facts: list[RecordedEvent] = []


@derived
def moves(round_: Round) -> list[RecordedEvent]:
    """Return the moves of all wagers, in the order of the log."""
    return round_.in_order(model.WagerTaken, model.WagerPaid, model.WagerReturned)


@derived
def flows(round_: Round) -> dict[Key, WagerFlow]:
    """Return the flow of each wager, by its key."""
    found: dict[Key, WagerFlow] = {}

    def of_wager(fact: RecordedEvent) -> WagerFlow:
        key = key_in(fact.payload)
        flow = found.get(key)
        if flow is None:
            flow = found[key] = WagerFlow()
        flow.facts.append(fact)
        return flow

    for fact in round_.of(model.WagerTaken):
        of_wager(fact).taken_cents += fact.payload.amount_cents
    for fact in round_.of(model.WagerPaid):
        flow, paid = of_wager(fact), fact.payload
        flow.winnings_cents += paid.winnings_cents
        flow.stake_back_cents += paid.stake_cents
        flow.by_slip_cents += paid.winnings_cents if paid.source == "slip" else 0
        flow.gave = True
    for fact in round_.of(model.WagerReturned):
        flow, returned = of_wager(fact), fact.payload
        if returned.reason == "late":
            flow.late_back_cents += returned.amount_cents
        else:
            flow.stake_back_cents += returned.amount_cents
        flow.gave = flow.gave or returned.reason not in ("late", "uncovered")
    return found


def net_done(stake_cents: int, wager: str, flow: WagerFlow, late_back_cents: int = 0) -> int:
    """Return the patron's actual net: everything returned less the stake, and less later collections.

    A wager that was neither paid nor returned stays with the patron, except the part taken and not returned as uncovered; so does
    the rest next to an uncovered part; money returned in excess is the patron's too (D514). A progressive wager was collected
    before the deal. A late part that was returned was next to the stake; if more was returned as late, it had been collected
    earlier, or was missing from the stake (D362).
    """
    lay = stake_cents + late_back_cents
    if flow.gave or wager == "progressive":
        cost = lay + (_taken_from_hand(lay, wager, flow) if flow.taken_cents else 0)
        missing = max(0, cost - flow.stake_back_cents - late_back_cents)
        back = flow.stake_back_cents + late_back_cents + min(flow.late_back_cents - late_back_cents, missing)
        return flow.winnings_cents + back - cost
    if not flow.taken_cents:
        return _out_of_taken(lay, flow, "uncovered")
    if not (flow.stake_back_cents or flow.late_back_cents):
        return -flow.taken_cents
    late = _out_of_taken(lay - _uncovered_cents(flow), flow, "late")
    return _out_of_taken(lay, flow, "uncovered") + min(late, flow.taken_cents) - flow.taken_cents


def _out_of_taken(stake_cents: int, flow: WagerFlow, reason: Literal["uncovered", "late"]) -> int:
    """Return money returned for that reason that was not on the layout: it had been taken, or was never there (D362, D514)."""
    left, back = stake_cents, 0
    for fact in in_order(flow.facts):
        match fact.payload:
            case model.WagerTaken(amount_cents=cents):
                left = max(0, left - cents)
            case model.WagerReturned(amount_cents=cents, reason=why) if why == reason:
                back += max(0, cents - left)
                left = max(0, left - cents)
    return back


def _taken_from_hand(stake_cents: int, wager: str, flow: WagerFlow) -> int:
    """Return the money taken beyond the stake still on the layout: an overpayment, or a loser's payment, was corrected (D325).

    A progressive wager is not on the layout; taking no more than its amount only reports the earlier collection (D316).
    """
    if wager == "progressive":
        return flow.taken_cents if flow.taken_cents > stake_cents else 0
    left, from_hand = stake_cents - _uncovered_cents(flow), 0
    for fact in in_order(flow.facts):
        match fact.payload:
            case model.WagerTaken(amount_cents=cents):
                from_hand += max(0, cents - left)
                left = max(0, left - cents)
            case model.WagerPaid(stake_cents=cents):
                left = max(0, left - cents)
            case model.WagerReturned(amount_cents=cents, reason=reason) if reason != "uncovered":
                left = max(0, left - cents)
    return from_hand


def _uncovered_cents(flow: WagerFlow) -> int:
    """Return the part returned because the player-dealer's wager did not cover it: it was never at stake."""
    return sum(fact.payload.amount_cents for fact in flow.facts if _is_uncovered(fact))


def _is_uncovered(fact: RecordedEvent) -> bool:
    """Return whether a move returned an uncovered part of a wager, which was never at stake."""
    return isinstance(fact.payload, model.WagerReturned) and fact.payload.reason == "uncovered"


def first_moves(moves: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return the first move of each wager, in order: a later move corrects it, and is not out of order."""
    found: dict[Key, RecordedEvent] = {}
    for fact in moves:
        found.setdefault(key_in(fact.payload), fact)
    return list(found.values())


def describe_flow(flow: WagerFlow, stake_cents: int) -> str:
    """Return the flow of a wager in words. `stake_cents` should have been returned with the winnings (0: none)."""
    parts = []
    if flow.winnings_cents:
        parts.append(f"{show_money(flow.winnings_cents)} paid")
    if flow.taken_cents:
        parts.append(f"{show_money(flow.taken_cents)} collected")
    if flow.stake_back_cents + flow.late_back_cents and not flow.winnings_cents:
        parts.append(f"{show_money(flow.stake_back_cents + flow.late_back_cents)} returned")
    elif flow.winnings_cents and flow.stake_back_cents != stake_cents:
        back, stake = show_money(flow.stake_back_cents), show_money(stake_cents)
        if 0 < stake_cents < flow.stake_back_cents:
            parts.append(f"{back} returned for a stake of {stake}")
        else:
            parts.append(f"{back} of the stake{f' of {stake}' if stake_cents else ''} returned")
    return ", ".join(parts) if parts else "nothing paid and nothing collected"
