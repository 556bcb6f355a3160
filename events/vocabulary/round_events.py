"""Facts of a round of play up to its result: shuffle and start, wagers, the deal, hands as set."""

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import (
    ROUND,
    TABLE,
    Amount,
    Aspect,
    Cards,
    Centicents,
    Count,
    EnvyWager,
    Event,
    Number,
    Pip,
    Position,
    Seat,
    SeenCard,
    Text,
    Token,
    WagerForm,
    WagerName,
    event,
)

# --------------------------------------------------------------------------------------------- round: shuffle, cut, start


@event("round_opened", TABLE)
class RoundOpened(Event, frozen=True, kw_only=True):
    """A round of play began with this deck; `observed` says what the record of the round claims to cover."""

    deck: Token
    observed: Annotated[list[Aspect], Meta(max_length=16)]


@event("cards_shuffled", ROUND)
class CardsShuffled(Event, frozen=True, kw_only=True):
    """A deck was shuffled; `count` is the device's count of cards, null if it does not count."""

    count: Count | None
    deck: Token
    method: Literal["manual", "automated", "continuous"]


@event("cut_offered", ROUND)
class CutOffered(Event, frozen=True, kw_only=True):
    """The cut was offered to a seat, which accepted or refused."""

    accepted: bool
    seat: Seat


@event("cards_cut", ROUND)
class CardsCut(Event, frozen=True, kw_only=True):
    """The cover card was placed `depth` cards from the top or the bottom."""

    by: Position
    counted_from: Literal["top", "bottom"]
    depth: Count


@event("recut_ordered", ROUND)
class RecutOrdered(Event, frozen=True, kw_only=True):
    """A floorperson or above required a recut."""

    by: Token


@event("shaker_shaken", ROUND)
class ShakerShaken(Event, frozen=True, kw_only=True):
    """The shaker was shaken: by hand `count` times, or by a machine for a number of milliseconds."""

    covered: bool
    duration_ms: Count | None
    times: Count | None


@event("dice_rolled", ROUND)
class DiceRolled(Event, frozen=True, kw_only=True):
    """The shaker was uncovered and three dice were read; an unread die is null."""

    colours: Annotated[list[Literal["red", "blue", "white"]], Meta(min_length=3, max_length=3)] | None
    dice: Annotated[list[Pip | None], Meta(min_length=3, max_length=3)]
    lie: Literal["flat", "not_flat", "fell_out"]


@event("total_announced", ROUND)
class TotalAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the total of the dice."""

    total: Annotated[int, Meta(ge=0, le=99)]


@event("number_drawn", ROUND)
class NumberDrawn(Event, frozen=True, kw_only=True):
    """The random number generator displayed a number."""

    number: Annotated[int, Meta(ge=1, le=7)]


@event("start_announced", ROUND)
class StartAnnounced(Event, frozen=True, kw_only=True):
    """The dealer marked or announced the starting position."""

    position: Position


@event("shaker_covered", ROUND)
class ShakerCovered(Event, frozen=True, kw_only=True):
    """The cover went back on the shaker."""

    placed_right_of_dealer: bool


# ------------------------------------------------------------------------------------------------------- round: wagering


@event("wager_placed", ROUND)
class WagerPlaced(Event, frozen=True, kw_only=True):
    """A wager was placed or increased by `amount_cents`; `number` is the value of a Match wager."""

    amount_cents: Amount
    bettor: Token
    form: WagerForm
    number: Pip | None
    seat: Seat
    wager: WagerName


@event("wager_removed", ROUND)
class WagerRemoved(Event, frozen=True, kw_only=True):
    """A wager was withdrawn or decreased by `amount_cents`."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    seat: Seat
    wager: WagerName


@event("wager_refused", ROUND)
class WagerRefused(Event, frozen=True, kw_only=True):
    """The dealer refused a wager; it is not at stake."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Text
    seat: Seat
    wager: WagerName


@event("no_more_bets", ROUND)
class NoMoreBets(Event, frozen=True, kw_only=True):
    """The dealer announced "no more bets"."""

    announced_by: Literal["dealer", "device"]


@event("progressive_locked", ROUND)
class ProgressiveLocked(Event, frozen=True, kw_only=True):
    """Progressive wagers were locked out and collected: the system's number of wagers, the dealer's number of chips."""

    accepted: Count
    collected: Count


@event("lammer_placed", ROUND)
class LammerPlaced(Event, frozen=True, kw_only=True):
    """An Envy lammer was placed next to a qualifying wager."""

    seat: Seat
    wager: EnvyWager


@event("progressive_accepted", ROUND)
class ProgressiveAccepted(Event, frozen=True, kw_only=True):
    """The progressive system accepted a wager; the reading is the meter after the advance."""

    amount_cents: Amount
    meter: Token
    meter_seq: Number
    reading_centicents: Centicents
    seat: Seat


# --------------------------------------------------------------------------------------------------------- round: the deal


@event("cards_dealt", ROUND)
class CardsDealt(Event, frozen=True, kw_only=True):
    """One card or a stack went to a position, in the order dealt."""

    cards: Annotated[list[SeenCard], Meta(min_length=1, max_length=60)]
    face_up: bool
    to: Position | Literal["burn", "side"]


@event("card_drawn_in_error", ROUND)
class CardDrawnInError(Event, frozen=True, kw_only=True):
    """A card left the shoe in error, face down; the shoe's reader read it."""

    card: SeenCard


@event("card_exposed", ROUND)
class CardExposed(Event, frozen=True, kw_only=True):
    """A card's face was exposed: the holder (a position, or a stack not yet delivered), and who exposed it."""

    by: Literal["dealer", "player", "device"]
    card: SeenCard
    whose: Position | Literal["stack"]


@event("card_found_face_up", ROUND)
class CardFoundFaceUp(Event, frozen=True, kw_only=True):
    """A card was found face up in the shoe or the deck while dealing."""

    card: SeenCard


@event("foreign_card_found", TABLE)
class ForeignCardFound(Event, frozen=True, kw_only=True):
    """A card that does not belong to the deck was found: with another back (`back_colour`; null: the same), or one too many."""

    back_colour: Token | None
    card: SeenCard
    deck: Token
    found: Position | Literal["deck", "stub"]


@event("boxed_card_found", ROUND)
class BoxedCardFound(Event, frozen=True, kw_only=True):
    """A boxed card (turned the wrong way in the deck, but not found face up) was found: used as the next card, or set aside."""

    card: SeenCard
    used: bool


@event("stack_moved", ROUND)
class StackMoved(Event, frozen=True, kw_only=True):
    """A card or stack set down at a wrong position (`at`) was moved to another."""

    at: Position
    to: Position


@event("hand_elected", ROUND)
class HandElected(Event, frozen=True, kw_only=True):
    """A player with an exposed card chose to play out or to void the hand."""

    election: Literal["play", "void"]
    seat: Seat


@event("stub_counted", ROUND)
class StubCounted(Event, frozen=True, kw_only=True):
    """The stub was spread face down and counted; `exposed` cards of it were seen."""

    count: Count
    exposed: Count


# ------------------------------------------------------------------------------------------------- round: setting, result


@event("hand_examined", ROUND)
class HandExamined(Event, frozen=True, kw_only=True):
    """A player looked at the seven cards."""

    seat: Seat


@event("hand_set", ROUND)
class HandSet(Event, frozen=True, kw_only=True):
    """Hands were set and placed. `medium` is empty if the game has none."""

    by: Literal["player", "dealer"]
    high: Cards
    low: Cards
    medium: Cards
    position: Position


@event("hand_reset", ROUND)
class HandReset(Event, frozen=True, kw_only=True):
    """Hands already set were set again, with the reason given at the table."""

    by: Literal["player", "dealer", "floorperson"]
    high: Cards
    low: Cards
    medium: Cards
    position: Position
    reason: Literal["house_way", "changed", "other"]


@event("surrendered", ROUND)
class Surrendered(Event, frozen=True, kw_only=True):
    """A player announced the intention to surrender."""

    seat: Seat


@event("hand_revealed", ROUND)
class HandRevealed(Event, frozen=True, kw_only=True):
    """The dealer revealed the hands of a position."""

    position: Position


@event("result_announced", ROUND)
class ResultAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the result of a wager."""

    result: Literal["win", "lose", "tie"]
    seat: Seat
    wager: WagerName


@event("envy_acknowledged", ROUND)
class EnvyAcknowledged(Event, frozen=True, kw_only=True):
    """The dealer acknowledged aloud that a seat holds an Envy Bonus qualifying hand."""

    seat: Seat


@event("light_seen", ROUND)
class LightSeen(Event, frozen=True, kw_only=True):
    """The progressive system's light for a winning seat was seen lit."""

    seat: Seat
