"""Facts of a round's settlement: wagers taken, paid and returned, and how the dealer did it."""

from typing import Literal

from events.vocabulary.base import (
    ROUND,
    Amount,
    BasisPoints,
    Centicents,
    Count,
    EnvyWager,
    Event,
    Number,
    Pip,
    Position,
    Seat,
    Token,
    WagerName,
    event,
)

# --------------------------------------------------------------------------------------------------- round: the settlement


@event("wager_taken", ROUND)
class WagerTaken(Event, frozen=True, kw_only=True):
    """The dealer collected a wager."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Literal["lost", "foul", "surrendered", "abandoned", "other"]
    seat: Seat
    wager: WagerName


@event("wager_paid", ROUND)
class WagerPaid(Event, frozen=True, kw_only=True):
    """A wager was paid: its winnings, and separately the part of the stake that went back with them.

    A payout from two sources is two events; `winnings_cents` never includes the stake.
    """

    bettor: Token
    number: Pip | None
    seat: Seat
    source: Literal["inventory", "slip", "player_dealer"]
    stake_cents: Amount
    wager: WagerName
    winnings_cents: Amount


@event("wager_returned", ROUND)
class WagerReturned(Event, frozen=True, kw_only=True):
    """A stake or the rest of it went back to the bettor without winnings."""

    amount_cents: Amount
    bettor: Token
    number: Pip | None
    reason: Literal["push", "void", "uncovered", "late", "other"]
    seat: Seat
    wager: WagerName


@event("wager_abandoned", ROUND)
class WagerAbandoned(Event, frozen=True, kw_only=True):
    """The bettor left during the round, and the seat's wagers were considered abandoned."""

    bettor: Token
    seat: Seat


@event("vigorish_taken", ROUND)
class VigorishTaken(Event, frozen=True, kw_only=True):
    """A commission was taken on a wager."""

    amount_cents: Amount
    bettor: Token
    seat: Seat


@event("envy_paid", ROUND)
class EnvyPaid(Event, frozen=True, kw_only=True):
    """An Envy Bonus was paid to `seat` for the hand of `for_position`."""

    amount_cents: Amount
    for_position: Position
    seat: Seat
    wager: EnvyWager


@event("progressive_won", ROUND)
class ProgressiveWon(Event, frozen=True, kw_only=True):
    """The controller recorded a meter winner: the meter before, the share taken, the meter afterward."""

    after_centicents: Centicents
    meter: Token
    meter_seq: Number
    reading_centicents: Centicents
    seat: Seat
    share_bp: BasisPoints


@event("payout_validated", ROUND)
class PayoutValidated(Event, frozen=True, kw_only=True):
    """A payout was validated by a person with a role."""

    by: Token
    role: Literal["dealer", "floorperson", "pit_manager", "shift_manager"]
    seat: Seat
    wager: WagerName


@event("payout_documented", ROUND)
class PayoutDocumented(Event, frozen=True, kw_only=True):
    """The documents of a payout that the table inventory does not pay were completed."""

    amount_cents: Amount
    document: Token
    seat: Seat
    wager: WagerName


@event("cards_collected", ROUND)
class CardsCollected(Event, frozen=True, kw_only=True):
    """Cards went to the discard rack: those of a position, the stub, burnt or face-up cards, or all that remained.

    `counted` is how many the dealer counted face down, null if no count was made.
    """

    count: Count
    counted: Count | None
    deck: Token
    of: Position | Literal["stub", "aside", "all"]


@event("round_voided", ROUND)
class RoundVoided(Event, frozen=True, kw_only=True):
    """The round (`scope` "round") or one seat's hand was declared void."""

    reason: Literal[
        "wrong_start",
        "wrong_count",
        "stub_count",
        "face_up_cards",
        "exposed_stack",
        "device_failed",
        "exposed_card",
        "floor_decision",
        "exposed_dealer",
    ]
    scope: Literal["round"] | Seat


@event("round_closed", ROUND)
class RoundClosed(Event, frozen=True, kw_only=True):
    """The round of play is complete; documents for slips may follow."""

    by: Token
