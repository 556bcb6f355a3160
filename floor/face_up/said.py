"""Events of a round as the floor says them, made from cards and dues."""

from __future__ import annotations

from functools import cache
from typing import Any

from events import model
from events.model import Event, fact
from floor.face_up.plan import Way
from games.cards import TEXT
from games.pai_gow import Position
from games.wagers import Due

BY_SLIP_CENTS = 120_000
"""An optional wager that wins so much is paid by the cage, not from the table inventory."""


@cache
def dealt(to: Position, card: int | None, face_up: bool = False) -> model.CardsDealt:
    """One card to a position; there are few of these events, so each is made once."""
    return fact(model.CardsDealt, to=to, cards=[None if card is None else TEXT[card]], face_up=face_up)


@cache
def same(type_: type[Event], **values: Any) -> Event:
    """An event that is made once for each of its few values."""
    return fact(type_, **values)


def texts(cards: tuple[int, ...] | list[int]) -> list[Any]:
    """Return cards as text."""
    return [TEXT[card] for card in cards]


def parts(way: Way) -> dict[str, Any]:
    """Return hands as the fields of an event."""
    high, *medium, low = way
    return {"high": texts(high), "medium": texts(medium[0]) if medium else [], "low": texts(low)}


def hand_set(position: Position, way: Way, by: Any) -> model.HandSet:
    """Hands that are set."""
    return fact(model.HandSet, position=position, by=by, **parts(way))


def taken(seat: int, bettor: str, wager: Any, amount: int, reason: Any) -> model.WagerTaken:
    """A stake that is collected."""
    return fact(
        model.WagerTaken, seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=amount, reason=reason
    )


def source_of(winnings_cents: int) -> str:
    """Return where the winnings of an optional wager come from."""
    return "slip" if winnings_cents >= BY_SLIP_CENTS else "inventory"


def returned(seat: int, bettor: str, wager: Any, amount: int, reason: Any) -> model.WagerReturned:
    """A stake that goes back."""
    return fact(
        model.WagerReturned, seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=amount, reason=reason
    )


def paid(due: Due, stake: int, winnings: int, source: Any = "inventory") -> model.WagerPaid:
    """A wager that is paid."""
    return fact(
        model.WagerPaid, seat=due.seat, bettor=due.bettor, wager=due.wager, number=None, stake_cents=stake,
        winnings_cents=winnings, source=source,
    )  # fmt: skip
