"""Events of a round as the floor says them, made from cards, stakes and dues."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from events import model
from events.model import Event, fact
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


def texts(cards: Iterable[int]) -> list[Any]:
    """Return cards as text."""
    return [TEXT[card] for card in cards]


def placed(seat: int, bettor: str, wager: Any, amount: int, number: int | None = None) -> model.WagerPlaced:
    """A stake that is placed."""
    return fact(
        model.WagerPlaced, seat=seat, bettor=bettor, wager=wager, number=number, amount_cents=amount, form="chips"
    )


def taken(
    seat: int, bettor: str, wager: Any, amount: int, reason: Any = "lost", number: int | None = None
) -> model.WagerTaken:
    """A stake that is collected."""
    return fact(
        model.WagerTaken, seat=seat, bettor=bettor, wager=wager, number=number, amount_cents=amount, reason=reason
    )


def returned(seat: int, bettor: str, wager: Any, amount: int, reason: Any) -> model.WagerReturned:
    """A stake that goes back."""
    return fact(
        model.WagerReturned, seat=seat, bettor=bettor, wager=wager, number=None, amount_cents=amount, reason=reason
    )


def paid(due: Due, stake: int, winnings: int, source: Any = "inventory") -> model.WagerPaid:
    """A wager that is paid."""
    wager: Any = due.wager
    return fact(
        model.WagerPaid, seat=due.seat, bettor=due.bettor, wager=wager, number=None, stake_cents=stake,
        winnings_cents=winnings,
        source=source,
    )  # fmt: skip


def source_of(winnings_cents: int) -> str:
    """Return where the winnings of an optional wager come from."""
    return "slip" if winnings_cents >= BY_SLIP_CENTS else "inventory"
