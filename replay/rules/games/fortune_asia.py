"""What is particular to Fortune Asia Poker: the players set first, and the dealer's cards stay unseen until they have.

58 Pa. Code §§ 659a.11(c), 659a.13(d), (e), (j). Everything else is judged by the rules that the games share.
"""

from __future__ import annotations

from collections.abc import Iterator

from events.vocabulary import model
from games.cards.cards import CODE
from games.rulebook.rulebook import Rulebook
from games.settlement.pai_gow import Position
from replay.findings import Finding
from replay.fold.recorded_event import RecordedEvent, in_order
from replay.fold.round import Round
from replay.rules.dealing import stakes_at
from replay.rules.game_rules import GameRules
from replay.rules.rule import Indeterminate, finding, rule
from replay.settlement.void_ground import VoidGround
from replay.settlement.voids import must_be_void


def turned_over(round_: Round) -> RecordedEvent | None:
    """Return the fact that first shows the dealer's cards turned over or set, or null (§ 659a.11(c))."""
    exposures = [
        fact
        for type_ in (model.HandRevealed, model.HandSet)
        for fact in round_.of(type_)
        if fact.payload.position == "dealer"
    ]
    return min(exposures, key=lambda fact: fact.seq, default=None)


def _seen_early(round_: Round) -> list[tuple[RecordedEvent, bool | None]]:
    """The facts that show a card of the dealer, and whether each came before the cards were turned over."""
    turned = turned_over(round_)
    seen = [fact for fact in round_.of(model.CardExposed) if _owner(round_, fact) == "dealer"]
    seen += [fact for fact in round_.of(model.CardsDealt) if fact.payload.to == "dealer" and fact.payload.face_up]
    return [(fact, True if turned is None else round_.certainly_before(fact, turned)) for fact in in_order(seen)]


def _owner(round_: Round, exposed: RecordedEvent) -> Position | None:
    """Whose card was exposed; one of a stack not yet delivered belongs to whom it was then dealt, null where unknown."""
    whose = exposed.payload.whose
    if whose != "stack":
        position: Position = whose
        return position
    card = exposed.payload.card
    if card is None:
        return None
    return next((position for position, cards in round_.hands().items() if CODE[card] in cards), None)


def exposed_dealer(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of the dealer seen before the dealer's cards are turned over voids all hands (§ 659a.13(e), (j))."""
    seen = [fact for fact, before in _seen_early(round_) if before]
    if not seen:
        return
    last = round_.last_card
    dealing = last is None or seen[0].seq <= last.seq
    yield VoidGround(
        "exposed_dealer",
        "DEAL-EXPOSED",
        "659a.13(j)" if dealing else "659a.13(e)",
        "with a card of the dealer exposed, all hands are void and all wagers returned",
        f"{_cards(seen)} of the dealer exposed; the round was not voided",
        tuple(fact.seq for fact in seen),
    )


def _cards(seen: list[RecordedEvent]) -> str:
    cards = [card for fact in seen for card in getattr(fact.payload, "cards", None) or (fact.payload.card,)]
    return " ".join(card or "a card not read" for card in cards)


@rule("DEAL-EXPOSED", on=("659a.13(d)", "659a.13(e)"))
def exposed_stack(round_: Round, book: Rulebook) -> Iterator[Finding | Indeterminate]:
    """A card exposed before its stack is delivered is the player's to elect on, or the dealer's and voids the round."""
    if round_.voided is not None or must_be_void(round_, book) or round_.lost:
        return
    if any(before is None for _, before in _seen_early(round_)):
        yield Indeterminate(
            "the clocks contradict the order of the dealer's exposed card and the turning over of the dealer's"
        )
    elected = {fact.payload.seat for fact in round_.of(model.HandElected)}
    elected |= {fact.payload.scope for fact in round_.of(model.RoundVoided)}
    for fact in round_.of(model.CardExposed):
        if fact.payload.whose != "stack" or fact.payload.by == "player":
            continue
        owner = _owner(round_, fact)
        if owner is None:
            yield Indeterminate("a card was exposed before it was dealt, and whose it became is not on record")
        elif owner in stakes_at(round_, book) and owner not in elected:
            elected.add(owner)
            yield finding(
                round_,
                book,
                "DEAL-EXPOSED",
                "659a.13(d)",
                expected="the player elects to play or to void the hand",
                observed=f"{fact.payload.card or 'a card'} exposed by the {fact.payload.by} before it was delivered; no election",
                evidence=(fact,),
                seat=owner,
            )


GAME_RULES = GameRules(
    game="fortune_asia",
    void_grounds=exposed_dealer,
    dealer_exposed=turned_over,
    rules={"equipment": (exposed_stack,)},
)
