"""Events of a round as the floor says them, made from cards and dues."""

from __future__ import annotations

from functools import cache
from typing import Any

from events import model
from events.model import Event
from games.cards import TEXT
from games.pai_gow import Position
from games.wagers import Due


@cache
def dealt(to: Position, card: int | None, face_up: bool = False) -> model.CardsDealt:
    """One card to a position; there are few of these events, so each is made once."""
    return model.CardsDealt(to=to, cards=[None if card is None else TEXT[card]], face_up=face_up)  # type: ignore[list-item]


@cache
def same(type_: type[Event], **values: Any) -> Event:
    """An event that is made once for each of its few values."""
    return type_(**values)


def texts(cards: tuple[int, ...] | list[int]) -> list[Any]:
    """Return cards as text."""
    return [TEXT[card] for card in cards]


def taken(seat: int, bettor: str, wager: Any, amount: int, reason: Any) -> model.WagerTaken:
    """A stake that is collected."""
    return model.WagerTaken(seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=amount, reason=reason)


def returned(seat: int, bettor: str, wager: Any, amount: int, reason: Any) -> model.WagerReturned:
    """A stake that goes back."""
    return model.WagerReturned(seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=amount, reason=reason)


def paid(due: Due, stake: int, winnings: int, source: Any = "inventory") -> model.WagerPaid:
    """A wager that is paid."""
    wager: Any = due.wager
    return model.WagerPaid(
        seat=due.seat, bettor=due.bettor, wager=wager, number=None, stake_cents=stake, winnings_cents=winnings,
        source=source,
    )  # fmt: skip
