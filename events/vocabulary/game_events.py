"""Facts that only some games know: dice wagers and Must-Hit-By, the shoe and decisions, the player-dealer."""

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import (
    ROUND,
    Amount,
    BasisPoints,
    Centicents,
    Count,
    Digest,
    Event,
    Number,
    Pile,
    Pip,
    Position,
    Seat,
    Seat7,
    SeenCard,
    Token,
    WagerName,
    at,
    event,
)

# ------------------------------------------------------------------------------------- dice wagers, Must-Hit-By (§ 645c)


@event("shaker_activated", ROUND)
class ShakerActivated(Event, frozen=True, kw_only=True):
    """A selected player pressed the activation button of the electronic shaker (§ 645c.2(f)(1))."""

    seat: Seat


@event("dice_announced", ROUND)
class DiceAnnounced(Event, frozen=True, kw_only=True):
    """The dealer announced the numeric value of each die (§ 645c.2(g))."""

    dice: Annotated[list[Pip], Meta(min_length=3, max_length=3)]


@event("mystery_armed", at(table="device", meter="device"))
class MysteryArmed(Event, frozen=True, kw_only=True):
    """A Must-Hit-By target was drawn for the meter; `commitment` is the SHA-256 of target and nonce, or null (D21)."""

    commitment: Digest | None
    maximum_cents: Amount
    meter: Token
    minimum_cents: Amount
    rate_bp: BasisPoints
    reading_centicents: Centicents


@event("mystery_hit", at(table="device", meter="device", observed="desk"))
class MysteryHit(Event, frozen=True, kw_only=True):
    """The controller recorded a Must-Hit-By winner: the meter as won, the target (null: not stated), the meter afterward.

    The commitment is the SHA-256 of `TARGET:NONCE`, the target in hundredths of a cent, in decimal digits (D21).
    """

    after_centicents: Centicents
    meter: Token
    nonce: Annotated[str, Meta(max_length=128)] | None
    reading_centicents: Centicents
    round_no: Number
    seat: Seat
    table: Token
    target_centicents: Centicents | None


# -------------------------------------------------------------------------------------- the shoe, decisions (§§ 686a, 687a)


@event("card_burned", ROUND)
class CardBurned(Event, frozen=True, kw_only=True):
    """The first card of a shoe, or of a new dealer, went to the discard rack (§ 686a.7(c), .9(b))."""

    card: SeenCard
    reason: Literal["new_shoe", "new_dealer", "reshuffle"]


@event("cover_card_placed", ROUND)
class CoverCardPlaced(Event, frozen=True, kw_only=True):
    """The cover card was inserted in the stack, `depth` cards from the top or the bottom (§ 686a.5(d))."""

    counted_from: Literal["top", "bottom"]
    depth: Count


@event("cover_card_reached", ROUND)
class CoverCardReached(Event, frozen=True, kw_only=True):
    """The cover card appeared: on a position's betting area, or as the first card of a round (§ 686a.5(c), .7(d))."""

    at: Position | Literal["start"]


@event("decision_made", ROUND)
class DecisionMade(Event, frozen=True, kw_only=True):
    """A player decided: to raise or fold (§ 687a.11(b)), over or under (§ 686a.7(g))."""

    decision: Literal["raise", "fold", "over", "under"]
    seat: Seat


@event("wager_handled", ROUND)
class WagerHandled(Event, frozen=True, kw_only=True):
    """A player handled, moved or altered an undecided wager (§ 686a.6(c))."""

    seat: Seat
    wager: WagerName


# ------------------------------------------------------------------------------------------------ California: player-dealer


@event("player_dealer_offered", ROUND)
class PlayerDealerOffered(Event, frozen=True, kw_only=True):
    """The player-dealer position was offered to a seat, which accepted or declined."""

    accepted: bool
    seat: Seat7


@event("player_dealer_wagered", ROUND)
class PlayerDealerWagered(Event, frozen=True, kw_only=True):
    """A seat holds the player-dealer position of this round with this wager, the most that it can win or lose."""

    amount_cents: Amount
    bettor: Token
    seat: Seat7


@event("action_button_placed", ROUND)
class ActionButtonPlaced(Event, frozen=True, kw_only=True):
    """The action button was placed at a seat: the first to receive action from the player-dealer."""

    seat: Seat7


@event("pile_selected", ROUND)
class PileSelected(Event, frozen=True, kw_only=True):
    """The player-dealer selected the pile that is distributed first, counted from the house dealer's left."""

    pile: Pile


@event("collection_taken", ROUND)
class CollectionTaken(Event, frozen=True, kw_only=True):
    """A collection fee was taken from a seat; it is not part of any win (D27)."""

    amount_cents: Amount
    bettor: Token
    seat: Seat7
