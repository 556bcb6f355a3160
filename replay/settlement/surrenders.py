"""Surrenders: the evidence of each, and which are valid (58 Pa. Code § 688a.11(d))."""

from events.vocabulary import model
from replay.fold.derived import derived_by_rules
from replay.fold.recorded_event import RecordedEvent, distinct_by
from replay.fold.round import Round
from replay.settlement.game_terms import terms_of
from rulebook.chapters.rulebook import Rulebook


@derived_by_rules
def surrenders(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return the evidence that a box was surrendered: the player's announcement, or its wager taken as such (D111, D322)."""
    by_seat: dict[int, RecordedEvent] = {fact.payload.seat: fact for fact in distinct_by(round_.of(model.Surrendered), "seat")}
    for fact in round_.of(model.WagerTaken) if book.has(terms_of(book.game).surrender_section) else ():
        if fact.payload.reason == "surrendered":
            by_seat.setdefault(fact.payload.seat, fact)
    return list(by_seat.values())


@derived_by_rules
def standing_surrenders(round_: Round, book: Rulebook) -> list[RecordedEvent]:
    """Return the valid surrenders: once a base wager was paid or returned, it cannot be surrendered (D341)."""
    return [fact for fact in surrenders(round_, book) if settled_before(round_, book, fact) is None]


def settled_before(round_: Round, book: Rulebook, surrender: RecordedEvent) -> RecordedEvent | None:
    """Return the payment or return of a base wager before its surrender, or None."""
    taken = False
    for fact in round_.in_order(model.WagerTaken, model.WagerPaid, model.WagerReturned):
        event, late = fact.payload, getattr(fact.payload, "reason", "") == "late"
        if fact.seq >= surrender.seq:
            return None
        if late or (event.seat, event.wager) != (surrender.payload.seat, book.chapter.base):
            continue
        if isinstance(event, model.WagerPaid) or (isinstance(event, model.WagerReturned) and not taken):
            return fact
        taken = isinstance(event, model.WagerTaken)  # what was taken and put back lies there again
    return None
