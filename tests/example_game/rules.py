"""What only High Card has: a dealer's card seen before the hands are turned over, and the order of turning them over."""

from collections.abc import Iterator

from events.vocabulary import model
from replay.fold.round import Round
from replay.rules.game_rules import GameRules
from replay.rules.rule import Departure, Indeterminate, rule
from replay.settlement.void_ground import VoidGround
from rulebook.chapters.rulebook import Rulebook


def dealers_card_seen(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of the dealer that is exposed voids all hands (§ 700a.13(a))."""
    for fact in round_.of(model.CardExposed):
        if fact.payload.whose == "dealer":
            yield VoidGround(
                "exposed_dealer",
                "DEAL-EXPOSED",
                "700a.13(a)",
                "with a card of the dealer exposed, all hands void",
                f"{fact.payload.card or 'a card'} was exposed; the round was not voided",
                (fact.seq,),
            )


@rule("HC-TURN", on=("700a.11(a)",))
def dealer_last(round_: Round, book: Rulebook) -> Iterator[Departure | Indeterminate]:
    """The dealer's hand is turned over after all others (§ 700a.11(a))."""
    turned = round_.of(model.HandRevealed)
    dealers = next((fact for fact in turned if fact.payload.position == "dealer"), None)
    later = next((fact for fact in turned if dealers is not None and fact.seq > dealers.seq), None)
    if dealers is None or later is None:
        return
    if not round_.certainly_before(dealers, later):
        yield Indeterminate("the clocks contradict the order of turning over")
        return
    yield Departure(
        "700a.11(a)",
        expected="the dealer's hand turned over last",
        observed=f"before that of seat {later.payload.position}",
        evidence=(dealers, later),
        seat=later.payload.position,
    )


GAME_RULES = GameRules(game="high_card", void_grounds=dealers_card_seen, rules={"paying": (dealer_last,)})
