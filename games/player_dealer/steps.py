"""The order of steps in a round with a player-dealer, from the wager to the rack (GEGR-002138, Round of play)."""

import itertools
from collections.abc import Iterator

from events.vocabulary import model
from replay.fold.recorded_event import RecordedEvent
from replay.fold.round import Round
from replay.rules.exposure import shown_after_dealer
from replay.rules.round_steps import (
    ALL_HANDS_DEALT,
    ENVY_PAID,
    HAND_REVEALED,
    HAND_SETTLED,
    PLAYER_DEALER_REVEALED,
    PLAYER_DEALER_SET,
    Act,
    Precedence,
    Step,
    by_hand,
    cards_collected,
    dealer_collected,
    dealer_compared,
    early,
    envy_paid,
    first_set,
    hands_collected,
    hands_set,
    racked,
    settled,
    stub_in_its_place,
)
from replay.settlement.hand_readings import dealer_position
from replay.settlement.voids import before_deal
from rulebook.chapters.rulebook import Rulebook

PLAYED = "gegr-002138.Round of play"
WINNERS = "gegr-002138.How winners are determined"


def bank_seat(round_: Round) -> int | None:
    """Return the seat of the player-dealer, None if it is not on record."""
    seat = dealer_position(round_)
    return seat if isinstance(seat, int) else None


def button(round_: Round) -> RecordedEvent | None:
    """Return the fact that placed the action button: its last place before the first card, or else its first place after it."""
    before = before_deal(round_, round_.of(model.ActionButtonPlaced))
    return before[-1] if before else round_.first(model.ActionButtonPlaced)


def players_set(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the players' first settings, but for those before the player-dealer's, which `player_dealer_first` finds."""
    own = first_set(round_).get(bank_seat(round_) or 0)
    for position, fact in first_set(round_).items():
        before = own is not None and fact.seq < own.seq and round_.covers("setting")
        if isinstance(position, int) and fact is not own and not before:
            yield Act(fact, position, None, "set")


def first_card_dealt(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the first card, of a pile or of a hand."""
    first = round_.first(model.CardsDealt)
    if first is not None:
        yield Act(first, None, None, "dealt")


def hands_distributed(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the first cards that were dealt to a seat."""
    to_seats = (fact for fact in round_.of(model.CardsDealt) if isinstance(fact.payload.to, int))
    for fact in itertools.islice(to_seats, 1):
        yield Act(fact, None, None, "distributed")


def pile_selected(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the first selection of a pile."""
    for fact in itertools.islice(round_.of(model.PileSelected), 1):
        yield Act(fact, None, None, "selected")


def _piles_dealt(round_: Round, book: Rulebook) -> RecordedEvent | None:
    to_piles = [fact for fact in round_.of(model.CardsDealt) if str(fact.payload.to).startswith("pile")]
    return to_piles[-1] if to_piles else None


def button_placed(round_: Round, book: Rulebook) -> Iterator[Act]:
    """Yield the action button as it lay while the hands were distributed."""
    placed = button(round_)
    if placed is not None:
        yield Act(placed, None, None, "placed")


BANK_WAGERED = Step("the player-dealer's wager is placed", lambda round_, book: round_.first(model.PlayerDealerWagered))
PILES_DEALT = Step("all piles are dealt", _piles_dealt)
PILE_SELECTED = Step("the player-dealer has selected a pile", lambda round_, book: round_.first(model.PileSelected))
DICE_OR_NUMBER = Step(
    "dice or a number determine its position",
    lambda round_, book: round_.first(model.DiceRolled) or round_.first(model.NumberDrawn),
)
BUTTON_PLACED = Step("the action button is placed", lambda round_, book: button(round_))


BY_HANDS = settled("base", "backline")
BONUSES = settled("ace_high_bonus", "fortune_bonus")
PRECEDENCES = (
    Precedence("WAGER-LATE", PLAYED, first_card_dealt, BANK_WAGERED, "the cards dealt"),
    Precedence("CA-PILE", PLAYED, pile_selected, PILES_DEALT, "the pile selected"),
    Precedence("CA-PILE", PLAYED, hands_distributed, PILE_SELECTED, "the hands distributed"),
    Precedence("CA-BUTTON", PLAYED, button_placed, DICE_OR_NUMBER, "the action button placed"),
    Precedence("CA-BUTTON", PLAYED, hands_distributed, BUTTON_PLACED, "the hands distributed"),
    early(BY_HANDS, ALL_HANDS_DEALT, PLAYED),
    early(BY_HANDS, PLAYER_DEALER_REVEALED, PLAYED),
    early(by_hand(BY_HANDS, PLAYER_DEALER_SET), PLAYER_DEALER_SET, PLAYED),
    early(by_hand(BY_HANDS, HAND_REVEALED), HAND_REVEALED, PLAYED),
    early(BONUSES, ALL_HANDS_DEALT, PLAYED),
    early(BONUSES, PLAYER_DEALER_REVEALED, PLAYED),
    early(settled("fortune_bonus"), HAND_REVEALED, PLAYED),
    early(envy_paid, ALL_HANDS_DEALT, PLAYED),
    early(envy_paid, PLAYER_DEALER_REVEALED, PLAYED),
    *stub_in_its_place(PLAYED),
    racked(cards_collected, ALL_HANDS_DEALT, PLAYED),
    *shown_after_dealer(PLAYED),
    Precedence("SET-EARLY", PLAYED, hands_set, ALL_HANDS_DEALT, "the hands set"),
    Precedence("SET-EARLY", PLAYED, players_set, PLAYER_DEALER_REVEALED, "hands set"),
    racked(hands_collected, HAND_SETTLED, WINNERS),
    racked(hands_collected, ENVY_PAID, WINNERS),
    racked(dealer_collected, dealer_compared("base", "backline", "ace_high_bonus"), WINNERS),
)
"""The order of the steps of a round (Round of play). An ace high of the player-dealer pushes before anybody sets."""
