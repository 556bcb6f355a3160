"""Events of a round, made from cards, stakes and dues."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from events.vocabulary import model
from events.vocabulary.model import Event, fact
from rulebook.cards.cards import TEXT
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import Due

BY_SLIP_CENTS = 120_000
"""From this amount on, the cage pays the win of an optional wager, not the table inventory."""


@cache
def card_dealt(to: Any, card: int | None, face_up: bool = False) -> model.CardsDealt:
    """One card to a position; there are few of these events, so each is cached."""
    return fact(model.CardsDealt, to=to, cards=[None if card is None else TEXT[card]], face_up=face_up)


def stack_dealt(to: Any, cards: Iterable[int], face_up: bool = False) -> model.CardsDealt:
    """Cards that are dealt together."""
    return fact(model.CardsDealt, to=to, cards=texts(cards), face_up=face_up)


@cache
def same(type_: type[Event], **values: Any) -> Event:
    """An event cached for each of its few values."""
    return fact(type_, **values)


def texts(cards: Iterable[int]) -> list[Any]:
    """Return cards as text."""
    return [TEXT[card] for card in cards]


def wager_placed(seat: int, bettor: str, wager: Any, amount: int, number: int | None = None) -> model.WagerPlaced:
    """A placed stake."""
    stake = _stake(seat, bettor, wager, amount, number)
    return fact(model.WagerPlaced, **stake, form="chips")


def wager_removed(seat: int, bettor: str, wager: Any, amount: int) -> model.WagerRemoved:
    """A stake withdrawn by its bettor."""
    return fact(model.WagerRemoved, **_stake(seat, bettor, wager, amount))


def refused(seat: int, bettor: str, wager: Any, amount: int, reason: str) -> model.WagerRefused:
    """A refused stake."""
    return fact(model.WagerRefused, **_stake(seat, bettor, wager, amount), reason=reason)


def wager_taken(
    seat: int, bettor: str, wager: Any, amount: int, reason: Any = "lost", number: int | None = None
) -> model.WagerTaken:
    """A collected stake."""
    return fact(model.WagerTaken, **_stake(seat, bettor, wager, amount, number), reason=reason)


def wager_returned(
    seat: int, bettor: str, wager: Any, amount: int, reason: Any, number: int | None = None
) -> model.WagerReturned:
    """A returned stake."""
    return fact(model.WagerReturned, **_stake(seat, bettor, wager, amount, number), reason=reason)


def _stake(seat: int, bettor: str, wager: Any, amount: int, number: int | None = None) -> dict[str, Any]:
    return {"seat": seat, "bettor": bettor, "wager": wager, "number": number, "amount_cents": amount}


def wager_paid(due: Due, stake: int, winnings: int, source: Any = "inventory") -> model.WagerPaid:
    """A paid wager."""
    money = {"stake_cents": stake, "winnings_cents": winnings, "source": source}
    return fact(model.WagerPaid, seat=due.seat, bettor=due.bettor, wager=due.wager, number=due.number, **money)


def source_of(winnings_cents: int) -> str:
    """Return the source of an optional wager's winnings."""
    return "slip" if winnings_cents >= BY_SLIP_CENTS else "inventory"


def collected(deck: str, of: Any, count: int, counted: int | None = None) -> model.CardsCollected:
    """Cards that go into the discard rack."""
    return fact(model.CardsCollected, deck=deck, of=of, count=count, counted=counted)


def hand_set(position: Position, way: tuple[tuple[int, ...], ...], by: Any) -> model.HandSet:
    """Set hands."""
    return fact(model.HandSet, position=position, by=by, **parts(way))


def hand_reset(position: Position, way: tuple[tuple[int, ...], ...], by: Any, reason: str) -> model.HandReset:
    """Hands set again."""
    return fact(model.HandReset, position=position, by=by, reason=reason, **parts(way))


def parts(way: tuple[tuple[int, ...], ...]) -> dict[str, Any]:
    """Return hands as the fields of an event."""
    high, *medium, low = way
    return {"high": texts(high), "medium": texts(medium[0]) if medium else [], "low": texts(low)}


def exposed(whose: Any, by: Any, card: int | None) -> model.CardExposed:
    """An exposed card."""
    return fact(model.CardExposed, whose=whose, by=by, card=None if card is None else TEXT[card])
