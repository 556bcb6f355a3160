"""Undisputed evidence that a record omits: if it omits wagers, whatever depends on them is unknown (D26, D318)."""

from collections.abc import Iterator

from events.vocabulary import model
from replay.fold.round import Round
from replay.fold.wager_keys import key_of
from replay.settlement.stakes import ENVY, ENVY_SECTION, progressive_accepted, stakes
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.bonus import is_qualifying
from rulebook.settlement.wagers import Due, Outcome


def no_wagers_on_record(round_: Round) -> bool:
    """Return whether the record leaves all wagers out, so that payments and collections may be right."""
    return not round_.of(model.WagerPlaced) and not round_.covers("wagering")


def accepted_without_wager(round_: Round, book: Rulebook, seat: int, wager: str) -> bool:
    """Return whether the system accepted a progressive wager at a seat if none lay then by the record (D562)."""
    if wager != "progressive":
        return False
    stake = stakes(round_, book).get((seat, wager, None, ""))
    if stake is not None and (stake.in_time_cents or stake.late_cents):
        return False
    gone = max((fact.seq for fact in stake.facts), default=0) if stake is not None else 0
    return any(fact.payload.seat == seat and fact.seq > gone for fact in progressive_accepted(round_, book))


def envy_for_left_out(round_: Round, book: Rulebook) -> Iterator[Due]:
    """Yield Envy Bonuses that were paid if they may be due.

    Such a bonus is for the hand of a seat that the record does not mention, or for another patron's hand in a record that omits
    all wagers.
    """
    paid = round_.of(model.EnvyPaid)
    if not paid or round_.covers("wagering"):
        return
    placed = stakes(round_, book)
    known = {*round_.hands(), *(stake.seat for stake in placed.values()), "dealer"}
    for event in (fact.payload for fact in paid):
        held = placed.get(key_of(event.seat, event.wager, None, ""))
        left_out = event.for_position not in known and held and is_qualifying(book, event.wager, held.in_time_cents)
        without_wagers = no_wagers_on_record(round_) and event.for_position not in ("dealer", event.seat)
        if left_out or without_wagers:
            yield Due(
                seat=event.seat,
                wager=ENVY[event.wager],
                bettor=held.bettor if held else "",
                net_cents=None,
                outcome=Outcome.UNKNOWN,
                cite=book.cite(ENVY_SECTION[event.wager]),
                for_position=int(event.for_position),
            )
