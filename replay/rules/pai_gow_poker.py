"""Pai Gow Poker: the dealer's cards stay face down until every player has set (58 Pa. Code § 645c.1(d))."""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.rulebook.rulebook import Rulebook
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.rule import Indeterminate, rule
from replay.settlement.hand_readings import DEALER_SHOWN
from replay.settlement.settlement import FURTHER_WHY


def turned_over(round_: Round) -> RecordedEvent | None:
    """Return the fact by which the dealer's cards were first seen: dealt face up, revealed or set; or null."""
    seen = [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    for type_ in (model.HandRevealed, model.HandSet):
        seen += [fact for fact in round_.of(type_) if fact.payload.position == "dealer"]
    return min(seen, key=lambda fact: fact.seq, default=None)


DEALER_SHOWN["645c.1(d)"] = turned_over


@rule("DEAL-EXPOSED", on=("645c.1(d)",))
def dealers_card_exposed(round_: Round, book: Rulebook) -> Iterator[Indeterminate]:
    """What follows from a card of the dealer seen before its time stands in § 645a.13, which we do not hold (D13)."""
    turned = turned_over(round_)
    for fact in round_.of(model.CardExposed):
        early = turned is None or fact.seq < turned.seq
        if fact.payload.whose == "dealer" and early and round_.voided is None:
            yield Indeterminate(
                "a card of the dealer was exposed before the players had set: § 645a.13 is not held (D13)"
            )


UNREAD = {
    "tiger_9": "the dealer's cards, or how they were set, are not all on record",
    "sum": "the dice were not all read",
    "match": "the dice were not all read",
    "beat_it": "the dice, or which of them is red, were not all read",
    "mystery": "who passed the hidden target, or the meter then, is not on record",
}
"""What is missing where a wager that the player's cards do not decide cannot be told."""


def unread(round_: Round, book: Rulebook, seat: int, wager: str) -> str | None:
    """Say what is missing of a wager that the player's cards do not decide."""
    return UNREAD.get(wager)


FURTHER_WHY["pai_gow_poker"].append(unread)
