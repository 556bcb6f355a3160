"""Whether a round ended with all wagers returned, whatever its chapter says of voids (D321)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import TYPE_CHECKING

from events.vocabulary import model
from events.vocabulary.model import Event
from replay.fold.derived import derived
from replay.fold.wager_keys import Key, key_in

if TYPE_CHECKING:
    from replay.fold.recorded_event import RecordedEvent
    from replay.fold.round import Round


def is_collected_before(round_: Round, fact: RecordedEvent) -> bool:
    """Say whether a move took the chips of a progressive wager before the deal, which settles nothing (§ 688a.8(b)(2), D383)."""
    first, event = round_.first_card, fact.payload
    is_collection = isinstance(event, model.WagerTaken) and event.wager == "progressive"
    return is_collection and first is not None and (fact.seq < first.seq or not round_.order_seen)


def all_wagers_returned(round_: Round) -> bool:
    """Return whether a round was declared void, or all its wagers were returned as void and no other money moved (D321)."""
    return round_.voided is not None or _is_returned(round_)


@derived
def _is_returned(round_: Round) -> bool:
    return is_returned_as_void(round_)


@derived
def seats_returned_as_void(round_: Round) -> frozenset[int]:
    """Return the seats whose wagers were all returned as void while no other money moved."""
    seats = {fact.payload.seat for fact in round_.of(model.WagerReturned)}
    return frozenset(seat for seat in seats if is_returned_as_void(round_, seat))


def is_returned_as_void(round_: Round, seat: int | None = None, but: Collection[str] = ()) -> bool:
    """Return whether all wagers, or all of a seat, were returned as void and no other money of them moved (D321, D501).

    `but`: wagers that the void leaves to be settled; their moves are ignored.
    """

    def of(type_: type[Event]) -> list[RecordedEvent]:
        facts = (fact for fact in round_.of(type_) if fact.payload.wager not in but)
        return [fact for fact in facts if seat in (None, fact.payload.seat)]

    if not round_.of(model.WagerReturned) or of(model.WagerPaid):
        return False
    if not all(is_collected_before(round_, fact) for fact in of(model.WagerTaken)):
        return False
    returned = {key_in(fact.payload) for fact in of(model.WagerReturned) if fact.payload.reason == "void"}
    if not returned:
        return False
    at_stake_cents: defaultdict[Key, int] = defaultdict(int)
    for fact in of(model.WagerPlaced):
        at_stake_cents[key_in(fact.payload)] += fact.payload.amount_cents
    late = (fact for fact in of(model.WagerReturned) if fact.payload.reason == "late")
    for fact in (*of(model.WagerRemoved), *of(model.WagerRefused), *late):
        at_stake_cents[key_in(fact.payload)] -= fact.payload.amount_cents
    return {wager for wager, cents in at_stake_cents.items() if cents > 0} <= returned
