"""What is decided about a round before it is played: who bets what, which cards come where, who raises and who folds.

A planter may change the plan (stack a hand, add a wager) so that its irregularity can happen; what is left alone is
played as the rules say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Literal

from floor.dj_wild.stacking import TARGETS, make_hand
from floor.dj_wild.tables import WildTable, counting
from floor.round.one_deck_plan import OneDeckPlan
from floor.table.people import Patron, Style
from games.cards import JOKER
from games.dj_wild import is_best_raised
from games.pai_gow import Position
from games.rulebook import Rulebook
from games.wild_ranking import WildClass, rank_wild

Decision = Literal["raise", "fold"]
VoidReason = Literal[
    "wrong_count", "stub_count", "face_up_cards", "exposed_card", "exposed_dealer", "device_failed"
]  # fmt: skip
WAGERS = ("ante", "blind", "progressive", "trips", "bad_beat")
OPTIONAL = WAGERS[2:]
COMBINED = (
    ("natural_three_of_a_kind", "straight_with_wild"), ("natural_straight", "flush_with_wild"),
    ("natural_flush", "natural_full_house"), ("full_house_with_wild", "natural_four_of_a_kind"),
    ("four_of_a_kind_with_wild", "natural_straight_flush"), ("natural_straight_flush", "five_of_a_kind"),
    ("five_of_a_kind", "natural_royal_flush"), ("natural_royal_flush", "five_wilds"),
)  # fmt: skip
"""A player's hand under a dealer's: what the Two-Way Bad Beat pays."""
SHARES = ("natural_royal_flush", "natural_straight_flush")
"""Two players who take a share of the meter."""


@dataclass(slots=True)
class BoxPlan:
    """A betting position in a round: whose, what is at stake (cents, by wager), and what is decided."""

    bettor: str
    stakes: dict[str, int]
    style: Style = "house"
    decision: Decision = "raise"
    late: dict[str, int] = field(default_factory=dict)
    """What of a wager is placed, or (negative) withdrawn, after "no more bets"."""

    @property
    def plays(self) -> bool:
        """Whether the box competes: with ante and blind."""
        return "ante" in self.stakes


class Plan(OneDeckPlan[BoxPlan]):
    """A round as it is going to be played."""

    table: WildTable

    def __init__(self, table: WildTable, random: Random) -> None:
        self.table, self.random = table, random
        self.book: Rulebook = table.book
        self.round_no = table.round_no + 1
        self.deck = table.deck
        self.boxes: dict[int, BoxPlan] = {}
        self.hands: dict[Position, list[int]] = {}
        self.side = 0
        self.stub: list[int] = []
        self.counts = counting(table) or random.random() < (0.02 if table.counts_by_machine else 0.12)
        """Whether the stub is counted."""
        self.upwards = random.random() < 0.5
        """In which direction the hands are settled: the text has both."""
        self.abandoned: set[int] = set()
        self.void: VoidReason | None = None
        self.void_after = 0
        """How many cards (stacks, from the automated shoe) are dealt before the round is voided; 0: all."""
        self.short_stub = 0
        self.misdealt: tuple[Position, int] | None = None
        """Who gets a card too many or (negative) too few."""
        self.face_up: list[int] = []
        """Cards found face up while dealing and set aside; taken from the stub."""
        self.side_forgotten = False
        self.meter_error = 0
        self.reset_error = 0
        self.documents_last = False
        self.chosen = 0
        """The seat that a preparation chose."""
        self.turn = 0
        """Goes up each time this kind of irregularity happens: planters vary with it."""
        self._bets()
        self.deal({})

    # ------------------------------------------------------------------------------------------------------ the wagers

    def bet_alike(self, box: BoxPlan, first: BoxPlan) -> None:
        """Let the second box of a patron have the same as the first beside ante and blind."""
        optional = {name: cents for name, cents in first.stakes.items() if name in OPTIONAL}
        box.stakes = {"ante": box.stakes["ante"], "blind": box.stakes["blind"], **optional}

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time."""
        random, offers = self.random, self.book.offers
        ante = offers["ante"]
        cents = min(ante.max_cents, ante.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))
        stakes = {"ante": cents, "blind": cents}
        if random.random() * 100 < patron.progressive_percent:
            stakes["progressive"] = offers["progressive"].min_cents
        if random.random() * 100 < patron.fortune_percent:
            stakes["trips"] = patron.fortune_cents
        if random.random() * 100 < patron.ace_high_percent:
            stakes["bad_beat"] = patron.ace_high_cents
        return BoxPlan(patron.token, stakes, patron.style)

    def bet(self, seat: int, wager: str, cents: int) -> None:
        """Let a box have a wager too; the second box of a patron gets it as well."""
        bettor = self.boxes[seat].bettor
        for box in self.boxes.values():
            if box.bettor == bettor:
                stakes = {**box.stakes, wager: cents}
                box.stakes = {name: stakes[name] for name in WAGERS if name in stakes}

    def without(self, *wagers: str) -> None:
        """Let nobody have these optional wagers."""
        for box in self.boxes.values():
            box.stakes = {name: cents for name, cents in box.stakes.items() if name not in wagers}

    def sit_out(self, keep: int) -> None:
        """Let patrons sit this round out until so many boxes play."""
        while len(self.boxes) > keep:
            del self.boxes[max(self.boxes)]

    @property
    def empty(self) -> list[int]:
        """The seats without any wager."""
        return [seat for seat in self.book.chapter.seats if seat not in self.boxes]

    @property
    def playing(self) -> list[int]:
        """The seats that compete, in the order of the deal and of the decisions."""
        return [seat for seat, box in sorted(self.boxes.items()) if box.plays]

    # ------------------------------------------------------------------------------------------------------- the cards

    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random, positions with a target getting a hand made to order; say whether all could be."""
        found = self._hands(targets, [*sorted(self.boxes), "dealer"], 5)
        if found is None:
            return False
        self.hands, (self.side, *self.stub) = found
        self.decide()
        return True

    def decide(self) -> None:
        """Let everybody decide: mostly by the hand, a pair or better raises; some by feeling."""
        for seat, box in self.boxes.items():
            if self.table.house_way:
                box.decision = "raise" if is_best_raised(self.hands[seat]) else "fold"
                continue
            strong = rank_wild(self.hands[seat])[0] >= WildClass.PAIR
            careless = box.style == "careless" and self.random.random() < 0.2
            box.decision = "raise" if strong is not careless else "fold"

    def hand_for(self, target: str, taken: set[int]) -> list[int] | None:
        """Return a hand made to order of the cards that are left, or null where there is none."""
        return make_hand(self.random, target, taken)

    @property
    def order(self) -> tuple[Position, ...]:
        """The positions in the order dealt."""
        return (*self.playing, "dealer")

    @property
    def settling(self) -> list[int]:
        """The seats in the order in which they are settled."""
        return sorted(self.boxes, reverse=not self.upwards)

    @property
    def wants_side(self) -> bool:
        """Whether a card is placed beside: with a Progressive, and by .8(e) and .9(e) in any case."""
        wagered = any("progressive" in box.stakes for box in self.boxes.values())
        return wagered or self.table.spec.deal_method != "automated_shoe"

    @property
    def joker_at_stake(self) -> bool:
        """Whether a player has the joker, so that the side card matters."""
        return any(JOKER in self.hands[seat] for seat in self.playing)

    def raises(self, seat: int) -> bool:
        """Whether a seat raises."""
        return self.boxes[seat].decision == "raise"

    def higher(self, seat: int) -> int:
        """Return 1, 0 or -1 where a seat's hand is higher than the dealer's, equal, or lower."""
        mine, dealer = rank_wild(self.hands[seat]), rank_wild(self.hands["dealer"])
        return (mine > dealer) - (mine < dealer)

    # ------------------------------------------------------------------------------------------------------- rare hands

    def stack(self, number: int) -> None:
        """Let a rare hand come up, with the wagers that it decides; `number` goes through all kinds of them."""
        kind = number % (len(TARGETS) + len(COMBINED) + 1)
        seats = sorted(self.boxes)
        self.random.shuffle(seats)
        targets: dict[Position, str] = {}
        if kind < len(TARGETS):
            targets[seats[0]] = TARGETS[kind]
        elif kind < len(TARGETS) + len(COMBINED):
            targets[seats[0]], targets["dealer"] = COMBINED[kind - len(TARGETS)]
            self.bet(seats[0], "bad_beat", 100)
        elif len(seats) > 1:
            targets = dict(zip(seats, SHARES, strict=False))
        for seat in [each for each in targets if isinstance(each, int)]:
            self.bet(seat, "trips", 500)
            self.bet(seat, "progressive", self.book.offers["progressive"].min_cents)
        self.deal(targets)
        for seat in [each for each in targets if isinstance(each, int)]:
            self.boxes[seat].decision = "raise" if number % 4 else self.boxes[seat].decision
