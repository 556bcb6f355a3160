"""The plan of a round before it is played: who bets what, and which cards come where.

A fault injector may change the plan (make a hand to order, add a wager) so that its fault can happen; everything else is played
by the rules. A game says how hands are made, dealt and compared.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Self

from floor.table.people import Habit, Patron, Style
from rulebook.chapters.rulebook import Rulebook
from rulebook.settlement.pai_gow import Position

Way = tuple[tuple[int, ...], ...]
"""Cards parted into the hands of the game, the highest first: high and low, or high, medium and low."""


@dataclass(slots=True)
class BoxPlan:
    """A betting position in a round: its patron, its wagers (cents, by wager), and how it is played."""

    bettor: str
    stakes: dict[str, int]
    style: Style = "house"
    way: Way = ()
    """How the hands are set, in a game that sets hands."""
    decision: Any = None
    """The decisions, in a game that has them."""
    match: dict[int, int] = field(default_factory=dict)
    """The bets on the numbers of a die, in a game with Match wagers."""
    behind: list[tuple[str, int]] = field(default_factory=list)
    """Who bets on the hand from behind, with what (cents)."""
    late: dict[str, int] = field(default_factory=dict)
    """The amount of a wager placed, or (negative) withdrawn, after "no more bets"."""
    side_cents: int | None = None
    """The amount (cents) of a faulty wager on over or under; `both`: there is one on each side."""
    both: bool = False


class Plan(ABC):
    """The plan of a round."""

    required: ClassVar[tuple[str, ...]] = ("base",)
    """The wagers of the same amount without which no one is dealt to; the first gives them their amount."""
    habits: ClassVar[Mapping[str, Habit]] = {}
    """Optional wager → the habit of a patron that it goes by, in the order in which they are placed."""
    ties: ClassVar[bool] = True
    """Whether a base wager can tie."""

    def __init__(self, table: Any, random: Random) -> None:
        self.table, self.random = table, random
        self.book: Rulebook = table.book
        self.round_no = table.round_no + 1
        self.deck = table.deck
        self.boxes: dict[int, BoxPlan] = {}
        self.hands: dict[Position, list[int]] = {}
        self.stub: list[int] = []
        self.surrendered: set[int] = set()
        self.abandoned: set[int] = set()
        self.voided: set[int] = set()
        self.void: Any = None
        """On what ground the round is voided."""
        self.void_after = 0
        """How many cards (stacks, from the automated shoe) are dealt before that; 0: all."""
        self.short_stub = 0
        self.misdealt: tuple[Any, Any] | None = None
        """The position whose hand has a card too many or too few, in the form of the game."""
        self.face_up: Any = []
        """Cards found face up while dealing and set aside; taken from the stub."""
        self.meter_error = self.reset_error = 0
        self.documents_last = False
        self.chosen = 0
        """The seat that a preparation chose."""
        self.turn = 0
        """Goes up each time this kind of anomaly happens: variants go by it."""

    @property
    def base(self) -> str:
        """The wager that starts a round."""
        return self.required[0]

    @property
    @abstractmethod
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box: all but the progressive."""

    @property
    def dealer(self) -> Position:
        """The position against which the others play."""
        return "dealer"

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser aim at."""
        return self.base

    # The wagers

    def bet_all(self) -> None:
        """Place the seated patrons' bets; sometimes one sits a round out, but someone always plays."""
        first: dict[str, BoxPlan] = {}
        for seat, patron in self.bettors():
            if self.random.random() < 0.05 and len(self.table.seats) > 1:
                continue
            self.boxes[seat] = box = self.wager(patron)
            if patron.token in first:
                self.bet_alike(box, first[patron.token])
            first[patron.token] = box
        if not self.boxes:
            seat, patron = self.bettors()[0]
            self.boxes[seat] = self.wager(patron)

    def bettors(self) -> list[tuple[int, Patron]]:
        """Return who may bet, by seat."""
        return sorted(self.table.seats.items())

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time."""
        random, offers = self.random, self.book.offers
        base = offers[self.base]
        cents = min(base.max_cents, base.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))
        stakes = dict.fromkeys(self.required, cents)
        for wager, habit in self.habits.items():
            percent, habitual = patron.habits[habit]
            if wager in offers and random.random() * 100 < percent:
                stakes[wager] = offers[wager].min_cents if wager == "progressive" else habitual
        return BoxPlan(patron.token, stakes, patron.style)

    def bet_alike(self, box: BoxPlan, first: BoxPlan) -> None:
        """Give a patron's second box the optional wagers of the first."""
        box.stakes = {**first.stakes, **{wager: box.stakes[wager] for wager in self.required}}
        box.match = dict(first.match)

    def bet(self, seat: int, wager: str, cents: int) -> None:
        """Give a box a wager too, with which no one surrenders; the patron's second box gets it as well."""
        bettor = self.boxes[seat].bettor
        for held, box in self.boxes.items():
            if box.bettor == bettor:
                self.surrendered.discard(held)  # with an optional wager no one may surrender
                stakes = {**box.stakes, wager: cents}
                box.stakes = {name: stakes[name] for name in (*self.required, *self.habits) if name in stakes}

    def leave_out_struck(self) -> bool:
        """Remove wagers that an amendment struck from the chapter; return whether there were any."""
        struck = [(box, wager) for box in self.boxes.values() for wager in box.stakes if wager not in self.book.chapter.wagers]
        for box, wager in struck:
            del box.stakes[wager]
        return bool(struck)

    def bet_progressive(self, seat: int) -> None:
        """Give a box a progressive wager."""
        self.bet(seat, "progressive", self.book.offers["progressive"].min_cents)

    def bet_only_base(self, seat: int) -> None:
        """Leave a box only its required wagers; so too the patron's other box."""
        bettor = self.boxes[seat].bettor
        for box in self.boxes.values():
            if box.bettor == bettor:
                box.stakes, box.match = {wager: box.stakes[wager] for wager in self.required}, {}

    @property
    def empty(self) -> list[int]:
        """The seats without any wager."""
        return [seat for seat in self.book.chapter.seats if seat not in self.boxes]

    @property
    def unseated(self) -> list[int]:
        """The seats without a wager at which no one sits."""
        return [seat for seat in self.empty if seat not in self.table.seats]

    def make_empty(self, seats: int) -> bool:
        """Have patrons sit this round out until this many seats are empty; at least one keeps playing."""
        while len(self.empty) < seats:
            if len(self.boxes) < 2:
                return False
            del self.boxes[max(self.boxes)]
        self.surrendered &= set(self.boxes)
        return True

    def single_boxes(self) -> list[int]:
        """The boxes of patrons who have one seat only, in random order."""
        held = [patron.token for patron in self.table.seats.values()]
        seats = [seat for seat, box in self.boxes.items() if held.count(box.bettor) == 1]
        self.random.shuffle(seats)
        return seats

    # The cards

    @abstractmethod
    def deal(self, targets: Any) -> bool:
        """Deal at random, with prepared hands for targets; return whether all could be made."""

    def hand_for(self, target: str, excluded: set[int]) -> list[int] | None:
        """Return a prepared hand from the remaining cards, or None if none exists."""
        return None

    def clear(self) -> None:
        """Remove irregularities that happened by chance, for an injector that needs a plain round: here there are none."""

    def deal_until(self, fits: Callable[[Self], bool], targets: dict[Position, str] | None = None) -> bool:
        """Deal again until the round is plain and as wanted; return whether that worked."""
        for _ in range(300):
            self.clear()
            if fits(self):
                return True
            if not self.deal_again(targets or {}):
                return False
        return False

    def deal_again(self, targets: dict[Position, str]) -> bool:
        """Deal other cards; return whether the prepared hands could be made."""
        return self.deal(targets)

    def deal_to(self, targets: dict[Position, str]) -> bool:
        """Deal prepared hands in an otherwise plain round; return whether all could be made."""
        return self.deal(targets) and self.deal_until(lambda _: True)

    def one_deck(
        self, targets: dict[Position, str], positions: Sequence[Position], cards: int
    ) -> tuple[dict[Position, list[int]], list[int]] | None:
        """Return this many cards for each position, prepared ones for targets, and the rest; None if one cannot be made."""
        excluded: set[int] = set()
        hands: dict[Position, list[int]] = {}
        for position, target in targets.items():
            hand = self.hand_for(target, excluded)
            if hand is None:
                return None
            hands[position] = hand
            excluded |= set(hand)
        rest = [card for card in range(53) if card not in excluded]
        self.random.shuffle(rest)
        for position in positions:
            if position not in hands:
                hands[position], rest = rest[:cards], rest[cards:]
        return hands, rest
