"""The chips of a table: the movements in a round into and out of its inventory (D27)."""

from events.vocabulary import model
from events.vocabulary.model import Event
from rulebook.chapters.rulebook import Rulebook


def inventory_change(payload: Event, book: Rulebook) -> int:
    """Return the change of the table inventory by a round's event, in cents.

    Progressive chips enter it when collected, so any part returned leaves it, with winnings by slip too; other stakes stay on the
    layout until taken.
    """
    match payload:
        case model.WagerTaken() | model.VigorishTaken():
            return payload.amount_cents
        case model.ProgressiveLocked():
            return payload.collected * book.offers["progressive"].min_cents
        case model.WagerPaid():
            stake = payload.stake_cents if payload.wager == "progressive" else 0
            return -stake - (payload.winnings_cents if payload.source == "inventory" else 0)
        case model.WagerReturned():
            return -payload.amount_cents if payload.wager == "progressive" else 0
        case model.EnvyPaid():
            return -payload.amount_cents
        case _:
            return 0
