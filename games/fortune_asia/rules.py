"""The rules particular to Fortune Asia Poker: the players set first, and the dealer's cards stay unseen until they have.

58 Pa. Code §§ 659a.11(c), 659a.13(d), (e), (j). The shared rules judge everything else.
"""

from collections.abc import Iterator

import msgspec

from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.exposure import SHOWN_IN_ORDER
from replay.rules.game_rules import GameRules
from replay.rules.round_steps import (
    HAND_REVEALED,
    OF_THE_DEAL,
    VERIFIED_EARLY,
    base_early,
    bonuses_early,
    early,
    racked_of_shoe,
    set_after_the_deal,
    settled,
)
from replay.settlement.exposures import WHOSE, dealer_cards_seen, dealer_turned_over, may_be_of_the_dealer
from replay.settlement.game_terms import OtherReading
from replay.settlement.void_ground import VoidGround
from rulebook.cards.cards import JOKER, rank, suit
from rulebook.chapters.rulebook import Rulebook


def exposed_dealer(round_: Round, book: Rulebook) -> Iterator[VoidGround]:
    """A card of the dealer seen before the dealer's cards are turned over voids all hands (§ 659a.13(e), (j))."""
    early = dealer_cards_seen(round_)
    certain = [fact for fact, before in early if before]
    if certain:
        yield _exposed_dealer(round_, certain)
        return
    for fact in (fact for fact, before in early if before is None):
        clocks = "the clocks contradict the order of the dealer's exposed card and the turning over of the dealer's"
        yield _exposed_dealer(round_, [fact], clocks)
    for fact in may_be_of_the_dealer(round_, book):
        yield _exposed_dealer(round_, [fact], WHOSE)


def _exposed_dealer(round_: Round, seen: list[RecordedEvent], doubt: str = "") -> VoidGround:
    last = round_.last_card
    dealing = last is None or seen[0].seq <= last.seq
    return VoidGround(
        "exposed_dealer",
        "DEAL-EXPOSED",
        "659a.13(j)" if dealing else "659a.13(e)",
        "with a card of the dealer exposed, all hands are void and all wagers returned",
        f"{_cards(seen)} of the dealer exposed; the round was not voided",
        tuple(fact.seq for fact in seen),
        doubt=doubt,
    )


def _cards(seen: list[RecordedEvent]) -> str:
    cards = [card for fact in seen for card in getattr(fact.payload, "cards", None) or (fact.payload.card,)]
    return " ".join(card or "a card not read" for card in cards)


KING_TO_TEN = {13, 12, 11, 10}


def _joker_for_the_ace_alone(round_: Round, book: Rulebook, seat: int) -> tuple[Round, Rulebook] | None:
    """A royal flush of the Progressive is without the joker, or has it for the ace (D175)."""
    offer, cards = book.offers.get("progressive"), round_.hands().get(seat, [])
    suited = {(suit(card), rank(card)) for card in cards if card is not None and card != JOKER}
    if offer is None or offer.paytable is None or JOKER not in cards:
        return None
    if any({(each, high) for high in KING_TO_TEN} <= suited for each in range(4)):
        return None
    lines = tuple(line for line in offer.paytable.lines if line.hand != "royal_flush")
    changed = msgspec.structs.replace(offer, paytable=msgspec.structs.replace(offer.paytable, lines=lines))
    return round_.reading({}), msgspec.structs.replace(book, offers={**book.offers, "progressive": changed})


JOKER_IN_A_ROYAL = OtherReading(
    decision="D175",
    section="659a.6(e)(3)",
    says="the joker makes a royal flush in the place of any card; {cite} can as well be read to let it stand for the ace alone",
    change=_joker_for_the_ace_alone,
)

GAME_RULES = GameRules(
    game="fortune_asia",
    other_readings=(JOKER_IN_A_ROYAL,),
    void_grounds=exposed_dealer,
    dealer_exposed=dealer_turned_over,
    precedences=(
        *set_after_the_deal("659a.11(a)"),
        *base_early(settled("base"), "11(e)"),
        *bonuses_early(settled("fortune_bonus", "insurance", "progressive"), "11(h)", "11(h)(2)(ii)"),
        early(settled("fortune_bonus", "insurance", "progressive"), HAND_REVEALED, "11(h)"),
        *VERIFIED_EARLY,
        *SHOWN_IN_ORDER,
        *OF_THE_DEAL,
        *racked_of_shoe("659a.11(g)", "659a.11(i)", "base"),
    ),
)
