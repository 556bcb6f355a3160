"""Whose an exposed card is, or became: of a stack not yet delivered its holder's (58 Pa. Code §§ 688a.13(d), 659a.13(d), (e))."""

from __future__ import annotations

from events.vocabulary import model
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from games.settlement.pai_gow import Position
from replay.fold.all_wagers_returned import is_returned_as_void
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round


def owner_of(round_: Round, exposed: RecordedEvent) -> Position | None:
    """Return whose card was exposed; of a stack whoever was dealt that card, null where the record does not have it."""
    whose = exposed.payload.whose
    if whose != "stack":
        position: Position = whose
        return position
    card = exposed.payload.card
    if card is None:
        return None
    return next((position for position, cards in round_.hands().items() if CODE[card] in cards), None)


def may_be_of(round_: Round, book: Rulebook, exposed: RecordedEvent, position: Position) -> bool:
    """Say whether a card of the stack that is in no hand on record may be a position's: it was not read, or that hand was not."""
    card = exposed.payload.card
    if owner_of(round_, exposed) is not None or any(
        card in fact.payload.cards for fact in round_.of(model.CardsDealt) if card
    ):
        return False
    held = round_.hands().get(position, ())
    return card is None or None in held or len(held) < book.chapter.numbers["cards_per_hand"]


def elected_by_return(round_: Round, book: Rulebook) -> frozenset[int]:
    """Return the seats whose hand was voided without a word: a card of it was exposed, and every wager of it went back as void.

    "The player may void the hand" (§ 688a.13(d), D501). Not a card that was seen after the hands were revealed, nor a seat of
    which the record has an election.
    """
    if not round_.of(model.CardExposed) or not round_.of(model.WagerReturned) or not book.has("13(d)"):
        return frozenset()
    found = set[int]()
    for fact in round_.of(model.CardExposed):
        seat = owner_of(round_, fact)
        if not isinstance(seat, int) or fact.payload.by == "player":
            continue
        over = [each for each in round_.of(model.HandRevealed) if each.payload.position == seat]
        over += [each for each in round_.of(model.WagerReturned) if each.payload.seat == seat]
        if is_returned_as_void(round_, seat) and not any(round_.certainly_before(each, fact) for each in over):
            found.add(seat)
    return frozenset(found - {fact.payload.seat for fact in round_.of(model.HandElected)})
