"""The table at the settlement of a round: hands, stakes, dice and meters. Every game is settled from it.

Invariant: it holds what happened and decides nothing. What is unknown is None, and the game then returns an unknown
due for whatever depends on it.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

Cards = tuple[int, ...]
Decision = Literal["raise", "fold", "over", "under"]


class Hand(msgspec.Struct, frozen=True):
    """The cards, and the hands for settlement; None if not known; `medium` is also None if the game has no medium hand.

    `disputed`: in the record, the hands that were set contain other cards.
    """

    cards: Cards | None = None
    high: Cards | None = None
    low: Cards | None = None
    medium: Cards | None = None
    disputed: bool = False


class FurtherWager(msgspec.Struct, frozen=True):
    """A wager, in cents, that a seat can have several of: on a number (Match), or by another patron (backline)."""

    wager: str
    bettor: str
    number: int | None
    stake_cents: int


class BettingBox(msgspec.Struct, frozen=True):
    """One betting position: the bettor, the hand, the stakes in cents by wager, and the decision.

    `voided` is None if the hand was called void and it is unknown whether that was allowed. `collected`: a surrendered base
    wager that the dealer took at once, by the rules of surrender. `settled`: the wagers that were settled before the box
    was abandoned.
    """

    seat: int
    bettor: str
    hand: Hand
    stakes: Mapping[str, int]
    further: tuple[FurtherWager, ...] = ()
    decision: Decision | None = None
    surrendered: bool = False
    voided: bool | None = False
    abandoned: bool = False
    collected: bool = False
    settled: tuple[str, ...] = ()

    def has_abandoned(self, wager: str) -> bool:
        """Return whether a wager counts as abandoned: not one that was settled before (§ 688a.7(b))."""
        return self.abandoned and wager not in self.settled


class Dice(msgspec.Struct, frozen=True):
    """Three dice as they lay, a die that was not read is None, and their colors if they have any."""

    values: tuple[int | None, int | None, int | None]
    colours: tuple[str, str, str] | None


class MeterAtSettlement(msgspec.Struct, frozen=True):
    """A progressive meter at the settlement, in centicents.

    `reading` is the meter after all wagers of the round were accepted. If it is linked to other tables the controller's
    reading at each winner's turn counts instead, by seat.
    """

    reading: int | None = None
    by_turn: Mapping[int, int] | None = None


class Contribution(msgspec.Struct, frozen=True):
    """A wager's contribution to a Must-Hit-By meter: the seat, and the meter before and after it, in centicents.

    `is_surplus`: its wager had contributed before.
    """

    seat: int
    reading_before: int
    reading: int
    is_surplus: bool = False


class MysteryWinner(msgspec.Struct, frozen=True):
    """A Must-Hit-By winner as recorded: the seat, the meter as it was won, and the target (`None`: not known), in centicents.

    `added` is what the winner's progressive wager adds to the meter (`None`: the wager is not known).
    """

    seat: int
    reading: int
    target: int | None
    added: int | None = None


class Cycle(msgspec.Struct, frozen=True):
    """A Must-Hit-By meter's cycle in one round: the accepted contributions, and the hit that ended it, if any."""

    contributions: tuple[Contribution, ...]
    hit: MysteryWinner | None = None


class Mystery(msgspec.Struct, frozen=True):
    """The Must-Hit-By meter in a round: its cycles, the seats that were paid the bonus, and whether the record has all hits.

    `qualifying` maps seats of the cycles to whether their wagers qualify (None: unknown); a seat that is not in it qualifies.
    """

    cycles: tuple[Cycle, ...] = ()
    paid_seats: tuple[int, ...] = ()
    complete: bool = False
    qualifying: Mapping[int, bool | None] = {}


class Bank(msgspec.Struct, frozen=True):
    """The player-dealer of a round: the seat, the wager that covers the others (None: not known), who has the action.

    `or_cents`: the smallest and largest other possible amount of that wager (D1226).
    """

    seat: int
    wager_cents: int | None
    action: int | None
    or_cents: tuple[int, ...] = ()


NO_METER = MeterAtSettlement()
NO_HAND = Hand()


class TableLayout(msgspec.Struct, frozen=True, kw_only=True):
    """A table at the settlement of one round.

    `sides`: if several cards were placed as the side card, those of which it is one; then `side` is None. `side_in_hand`: by the
    record, the side card is also in a hand, next to the joker (D281). `turns`: the seats in the order in which they were settled,
    if that matters and as far as it is on record. `past_decisions`: the record goes on after the players' decisions, so a missing
    one is unknown.
    """

    boxes: Sequence[BettingBox]
    dealer: Hand = NO_HAND
    side: int | None = None
    sides: tuple[int, ...] = ()
    side_in_hand: bool = False
    dice: Dice | None = None
    meter: MeterAtSettlement = NO_METER
    mystery: Mystery | None = None
    bank: Bank | None = None
    turns: tuple[int, ...] = ()
    past_decisions: bool = False
