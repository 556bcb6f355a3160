"""The chips of a table: what the events of a round move into and out of its inventory (D27)."""

from __future__ import annotations

from events.vocabulary import model
from events.vocabulary.model import Event
from rulebook.chapters.rulebook import Rulebook


def inventory_change(payload: Event, book: Rulebook) -> int:
    """Return what an event of a round adds to the table inventory, in cents.

    Progressive chips go into it when they are collected, so that whatever of them goes back leaves it; other stakes lie
    on the layout until they are taken.
    """
    match payload:
        case model.WagerTaken() | model.VigorishTaken():
            return payload.amount_cents
        case model.ProgressiveLocked():
            return payload.collected * book.offers["progressive"].min_cents
        case model.WagerPaid():
            stake = payload.stake_cents if payload.wager == "progressive" else 0
            return -(stake + payload.winnings_cents) if payload.source == "inventory" else 0
        case model.WagerReturned():
            return -payload.amount_cents if payload.wager == "progressive" else 0
        case model.EnvyPaid():
            return -payload.amount_cents
        case _:
            return 0
