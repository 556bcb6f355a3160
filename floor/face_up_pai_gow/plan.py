"""What is decided about a round before it is played: who bets what, which cards come where, how everyone sets.

A planter may change the plan (stack a hand, add a wager) so that its irregularity can happen; what is left alone is
played as the rules say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import ClassVar, Literal

from floor.face_up_pai_gow.stacking import TARGETS, make_hand
from floor.round.one_deck_plan import OneDeckPlan
from floor.table.people import Patron, Style
from floor.table.table import Table
from games.filed_way import settings_of
from games.layout import Hand
from games.pai_gow import CLOCKWISE, Position, base_outcome, clockwise_from, is_foul, starting_position
from games.ranking import is_ace_high, rank_five, rank_two
from games.rulebook import Rulebook
from games.wagers import Outcome

Way = tuple[tuple[int, ...], ...]
"""Cards parted into the hands of the game, the highest first: high and low, or high, medium and low."""
VoidReason = Literal[
    "wrong_start", "wrong_count", "stub_count", "face_up_cards", "exposed_stack", "device_failed", "exposed_dealer"
]  # fmt: skip
DEALERS = ("ace_high", "ace_high_joker")
COSTLY = (
    "seven_card_straight_flush", "royal_match", "seven_card_straight_flush_joker", "five_aces", "royal_flush",
    "straight_flush",
)  # fmt: skip
DEAR = frozenset(COSTLY[:4])
COMBINED = (
    ("ace_high", "ace_high_joker"), ("ace_high_joker", "ace_high"), ("ace_high", "ace_high"),
    ("seven_card_straight_flush", "five_aces"), ("seven_card_straight_flush_joker", "royal_match"),
    ("four_of_a_kind", "straight_flush"), ("four_of_a_kind", "four_of_a_kind"), ("royal_flush", "three_pair"),
)  # fmt: skip
_PARTS = tuple((low, tuple(i for i in range(7) if i not in low)) for low in combinations(range(7), 2))


@dataclass(slots=True)
class BoxPlan:
    """A betting position in a round: whose, what is at stake (cents, by wager), how the hands are set."""

    bettor: str
    stakes: dict[str, int]
    style: Style = "house"
    way: Way = ()
    match: dict[int, int] = field(default_factory=dict)
    """What is bet on the numbers of a die, in a game with Match wagers."""
    late: dict[str, int] = field(default_factory=dict)
    """What of a wager is placed, or (negative) withdrawn, after "no more bets"."""

    @property
    def optional(self) -> bool:
        """Whether there is an optional wager."""
        return bool(self.match) or any(wager != "base" for wager in self.stakes)


class Plan(OneDeckPlan[BoxPlan]):
    """A round as it is going to be played.

    Another game that is dealt and set like this one says here what differs: its optional wagers, how hands are parted and
    compared, which rare hands there are.
    """

    optional_wagers: ClassVar[tuple[str, ...]] = ("ace_high_bonus", "fortune_bonus", "progressive")
    base: ClassVar[str] = "base"
    further: str = "ace_high_bonus"
    """The optional wager beside Fortune Bonus and Progressive."""
    ties: ClassVar[bool] = True
    """Whether a base wager can tie."""
    pushed: ClassVar[Outcome] = Outcome.ACE_HIGH_PUSH
    """How base wagers end where the dealer's hand pushes them all."""
    positions: ClassVar[tuple[Position, ...]] = CLOCKWISE
    """Who is dealt a hand."""

    def __init__(self, table: Table, random: Random) -> None:
        self.table, self.random = table, random
        self.book: Rulebook = table.book
        self.round_no = table.round_no + 1
        self.deck = table.deck
        self.boxes: dict[int, BoxPlan] = {}
        self.hands: dict[Position, list[int]] = {}
        self.stub: list[int] = []
        self.dice = [1, 1, 1]
        self.count = 3
        self.start: Position = "dealer"
        self.announced: list[int] = []
        self.dealer_way: Way = ()
        self.dealer_first: Way | None = None
        """How the dealer's hands were set before they were reset to the house way."""
        self.surrendered: set[int] = set()
        self.abandoned: set[int] = set()
        self.voided: set[int] = set()
        self.void: VoidReason | None = None
        self.void_after = 49
        """How many cards (stacks, from the automated shoe) are dealt before the round is voided."""
        self.short_stub = 0
        self.misdealt: tuple[int, int] | None = None
        """An empty seat that gets a card too many, and one that gets one too few."""
        self.face_up: list[int] = []
        """Cards found face up while dealing and set aside; taken from the stub."""
        self.meter_error = 0
        self.reset_error = 0
        self.documents_last = False
        self.no_roll: Literal["not_flat", "fell_out"] | None = None
        self.chosen = 0
        """The seat that a preparation chose."""
        self.turn = 0
        """Goes up each time this kind of irregularity happens: planters vary with it."""
        self._bets()
        self.deal({})
        self._throw()
        self._surrenders()

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box: all but the progressive."""
        return ("base", self.further, "fortune_bonus")

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser go for, by turns."""
        return ("base", "fortune_bonus", self.further)[self.turn % 3]

    # ------------------------------------------------------------------------------------------------------ the wagers

    def bet_alike(self, box: BoxPlan, first: BoxPlan) -> None:
        """Let the second box of a patron have the same as the first beside the base wager."""
        box.stakes = {**first.stakes, "base": box.stakes["base"]}
        box.match = dict(first.match)

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time."""
        random, offers = self.random, self.book.offers
        base = offers["base"]
        stakes = {"base": min(base.max_cents, base.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))}
        if random.random() * 100 < patron.ace_high_percent:
            stakes["ace_high_bonus"] = patron.ace_high_cents
        if random.random() * 100 < patron.fortune_percent:
            stakes["fortune_bonus"] = patron.fortune_cents
        if random.random() * 100 < patron.progressive_percent:
            stakes["progressive"] = offers["progressive"].min_cents
        return BoxPlan(patron.token, stakes, patron.style)

    def bet(self, seat: int, wager: str, cents: int) -> None:
        """Let a box have a wager too, with which nobody surrenders; the second box of a patron gets it as well."""
        bettor = self.boxes[seat].bettor
        for held, box in self.boxes.items():
            if box.bettor == bettor:
                self.surrendered.discard(held)  # with an optional wager nobody may surrender
                box.stakes[wager] = cents
                box.stakes = {name: box.stakes[name] for name in ("base", *self.optional_wagers) if name in box.stakes}

    def bet_only_base(self, seat: int) -> None:
        """Let a box have its base wager only; so too the patron's other box."""
        bettor = self.boxes[seat].bettor
        for box in self.boxes.values():
            if box.bettor == bettor:
                box.stakes, box.match = {"base": box.stakes["base"]}, {}

    @property
    def empty(self) -> list[int]:
        """The seats without any wager."""
        return [seat for seat in range(1, 7) if seat not in self.boxes]

    def make_empty(self, seats: int) -> bool:
        """Let patrons sit this round out until so many seats are empty; at least one keeps playing."""
        while len(self.empty) < seats:
            if len(self.boxes) < 2:
                return False
            del self.boxes[max(self.boxes)]
        self._forget_absent()
        return True

    def _forget_absent(self) -> None:
        self.surrendered &= set(self.boxes)

    # ------------------------------------------------------------------------------------------------------- the cards

    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random, positions with a target getting a hand made to order; say whether all could be."""
        found = self._hands(targets, self.positions, 7)
        if found is None:
            return False
        hands, self.stub = found
        self.hands = {position: hands[position] for position in self.positions}
        self.surrendered = set()
        self.set_hands()
        return True

    def hand_for(self, target: str, taken: set[int]) -> list[int] | None:
        """Return a hand made to order of the cards that are left, or null where there is none."""
        return make_hand(self.random, target, taken)

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which the further wager wins at a seat."""
        return {"dealer": self.random.choice(DEALERS)}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which an optional wager loses at a seat."""
        return {seat: "nothing", "dealer": "nothing"}

    @property
    def dealer(self) -> Position:
        """The position against which the others play."""
        return "dealer"

    @property
    def dealer_pushes(self) -> bool:
        """Whether the dealer's hand pushes every base wager: here, whether it is an Ace High Pai Gow."""
        return is_ace_high(self.hands["dealer"])

    def _throw(self) -> None:
        random = self.random
        if self.book.starting == "number":
            self.count = random.randrange(1, 8)
            self.start_at(self.count)
        else:
            self.dice_lie(self.table.throw(random))

    def dice_lie(self, dice: list[int]) -> None:
        """Let the dice lie so: their total is announced, and the deal starts where it points."""
        self.dice, self.count = dice, sum(dice)
        self.announced = [self.count]
        self.start_at(self.count)

    def start_at(self, count: int) -> None:
        """Let the deal start where the dealer counts to."""
        self.start = starting_position(count)

    @property
    def order(self) -> tuple[Position, ...]:
        """The positions in the order dealt."""
        return clockwise_from(self.start)

    def stack(self, number: int) -> None:
        """Let a rare hand come up, with the wagers that it decides; `number` goes through all kinds of them."""
        kind = number % (len(TARGETS) + len(COMBINED))
        seats = sorted(self.boxes)
        self.random.shuffle(seats)
        wanted = (TARGETS[kind],) if kind < len(TARGETS) else COMBINED[kind - len(TARGETS)]
        targets: dict[Position, str] = {}
        for target in wanted:
            if target in DEALERS and "dealer" not in targets:
                targets["dealer"] = target
                continue
            if not seats:
                return
            targets[seats.pop()] = target
        progressive = self.book.offers["progressive"].min_cents
        for seat in list(self.boxes):
            if seat in targets:
                self.bet(seat, "fortune_bonus", 100 if targets[seat] in COSTLY else 500)
                self.bet(seat, "progressive", progressive)
            elif self.random.random() < 0.4:
                self.bet(seat, "fortune_bonus", 500)
            if "dealer" in targets and self.random.random() < 0.6:
                self.bet(seat, "ace_high_bonus", 200)
        if not DEAR.isdisjoint(targets.values()) and self.random.random() < 0.85:
            self.without_envy(set(targets))
        # Nobody surrenders with the wagers just placed, whether these hands can be dealt or not.
        self.surrendered = set()
        self.deal(targets)

    def without_envy(self, holders: set[Position]) -> None:
        """Let no other box have a qualifying wager: the highest Envy Bonuses would empty the table."""
        for seat, box in self.boxes.items():
            if seat not in holders:
                box.stakes.pop("progressive", None)
                if box.stakes.get("fortune_bonus", 0) >= 500:
                    box.stakes["fortune_bonus"] = 300

    # ----------------------------------------------------------------------------------------------------- the settings

    def set_hands(self) -> None:
        """Set the dealer's hands by the house way, and every player's as that player does."""
        self.dealer_way = self.house_way(self.hands["dealer"])
        for seat, box in self.boxes.items():
            box.way = self._players_setting(self.hands[seat], box.style)

    def house_way(self, cards: list[int]) -> Way:
        """Return how the house way parts cards."""
        return way_of(settings_of(self.book.way, cards)[0])

    def _players_setting(self, cards: list[int], style: Style) -> Way:
        if self.table.house_way or style == "house" or self.random.random() < 0.5:
            return self.house_way(cards)
        ways = self.legal_ways(cards)
        if style == "careless":
            if self.random.random() < 0.03:
                fouls = [way for way in self.all_ways(cards) if self.is_foul(way)]
                if fouls:
                    return self.random.choice(fouls)
            return self.random.choice(ways)
        return max(ways, key=self.ranks if style == "strong_high" else lambda way: self.ranks(way)[::-1])

    def all_ways(self, cards: list[int]) -> list[Way]:
        """Return all ways to part seven cards: 21 into five and two."""
        return [(tuple([cards[i] for i in rest]), (cards[low[0]], cards[low[1]])) for low, rest in _PARTS]

    def legal_ways(self, cards: list[int]) -> list[Way]:
        """Return the ways to part seven cards that are no foul."""
        return [way for way in self.all_ways(cards) if not self.is_foul(way)]

    def is_foul(self, way: Way) -> bool:
        """Say whether hands are set foul."""
        return is_foul(*way)

    def ranks(self, way: Way) -> tuple[tuple[int, ...], ...]:
        """Return how the hands rank, the high one first."""
        return rank_five(way[0]), rank_two(way[1])

    def compare(self, way: Way) -> Outcome:
        """Return how a base wager ends with hands set so."""
        return self.pushed if self.dealer_pushes else base_outcome(*way, *self.dealer_way)

    def outcome(self, seat: int) -> Outcome:
        """Return how a base wager would end with the hands as they are set."""
        return self.compare(self.boxes[seat].way)

    def _surrenders(self) -> None:
        if self.dealer_pushes or self.table.house_way:
            return
        for seat, box in self.boxes.items():
            hopeless = not box.optional and self.outcome(seat) is Outcome.LOSE
            if hopeless and self.random.random() < 0.02:
                self.surrendered.add(seat)

    def clear(self) -> None:
        """Take back what happened to be irregular by itself: for a planter that needs the round plain."""
        self.surrendered = set()
        for seat, box in self.boxes.items():
            if not box.way or self.is_foul(box.way):
                box.way = self.house_way(self.hands[seat])


def way_of(hand: Hand) -> Way:
    """Return the hands of a setting, the highest first."""
    return tuple([part for part in (hand.high, hand.medium, hand.low) if part is not None])


def hand_of(cards: tuple[int, ...], way: Way) -> Hand:
    """Return seven cards as set."""
    return Hand(cards, way[0], way[-1], way[1] if len(way) == 3 else None)
