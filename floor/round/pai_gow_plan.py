"""The plan of a round of a pai gow game: seven cards each, set in two hands or three.

Unchanged, it is Face Up Pai Gow Poker; the other games override their wagers, how hands are split and compared, and their rare
hands.
"""

from itertools import combinations
from random import Random
from typing import Any, ClassVar, Literal

from floor.round.plan import BoxPlan, Plan, Way
from floor.round.seven_cards import TARGETS, make_hand
from floor.table.people import Habit, Style
from rulebook.cards.ranking import is_ace_high, rank_five, rank_two
from rulebook.chapters.filed_way import settings_of
from rulebook.layout import BettingBox, FurtherWager, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.pai_gow import CLOCKWISE, Position, base_outcome, clockwise_from, is_foul, starting_position
from rulebook.settlement.wagers import Outcome

COSTLY = (
    "seven_card_straight_flush",
    "royal_match",
    "seven_card_straight_flush_joker",
    "five_aces",
    "royal_flush",
    "straight_flush",
)
DEAR = frozenset(COSTLY[:4])
RARE_PAIRS = (
    ("seven_card_straight_flush", "five_aces"),
    ("seven_card_straight_flush_joker", "royal_match"),
    ("four_of_a_kind", "straight_flush"),
    ("four_of_a_kind", "four_of_a_kind"),
    ("royal_flush", "three_pair"),
)
COMMON_HANDS = ("three_of_a_kind", "straight", "flush", "full_house")
_PARTS = tuple((low, tuple(i for i in range(7) if i not in low)) for low in combinations(range(7), 2))


class PaiGowPlan(Plan):
    """The plan of a round."""

    habits: ClassVar[dict[str, Habit]] = {"ace_high_bonus": "dealers", "fortune_bonus": "own", "progressive": "progressive"}
    further: str = "ace_high_bonus"
    """The optional wager next to Fortune Bonus and Progressive."""
    on_dealer: ClassVar[str] = "ace_high_bonus"
    """The optional wager that the dealer's hand decides."""
    pushed: ClassVar[Outcome] = Outcome.ACE_HIGH_PUSH
    """The outcome of base wagers if the dealer's hand pushes them all."""
    positions: ClassVar[tuple[Position, ...]] = CLOCKWISE
    """Who is dealt a hand."""
    dealers_hands: ClassVar[tuple[str, ...]] = ("ace_high", "ace_high_joker")
    rare: ClassVar[tuple[str | tuple[str, ...], ...]] = (
        *TARGETS,
        *(("ace_high", "ace_high_joker"), ("ace_high_joker", "ace_high"), ("ace_high", "ace_high")),
        *RARE_PAIRS,
    )
    """The hands, and hands of several, that come up by turns."""

    def __init__(self, table: Any, random: Random) -> None:
        super().__init__(table, random)
        self.void_after = 49
        self.dice = [1, 1, 1]
        self.count = 3
        self.start: Position = "dealer"
        self.announced: list[int] = []
        self.dealer_way: Way = ()
        self.dealer_first: Way | None = None
        """How the dealer's hands were set before they were reset to the house way."""
        self.no_roll: Literal["not_flat", "fell_out"] | None = None
        self.bet_all()
        self.deal({})
        self._throw()
        self._surrenders()

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box: all but the progressive."""
        return ("base", self.further, "fortune_bonus")

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser aim at, by turns."""
        return ("base", "fortune_bonus", self.further)[self.turn % 3]

    # The cards

    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random, with the wanted hand for each target; return whether all targets could be met."""
        cards = self.one_deck(targets, self.positions, 7)
        if cards is None:
            return False
        hands, self.stub = cards
        self.hands = {position: hands[position] for position in self.positions}
        self.surrendered = set()
        self.set_hands()
        return True

    def hand_for(self, target: str, excluded: set[int]) -> list[int] | None:
        """Return a prepared hand from the remaining cards, or None if none exists."""
        return make_hand(self.random, target, excluded)

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which a seat wins this wager."""
        return {"dealer": self.random.choice(self.dealers_hands)}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which a seat loses an optional wager."""
        return {seat: "nothing", "dealer": "nothing"}

    @property
    def dealer_pushes(self) -> bool:
        """Whether the dealer's hand pushes every base wager: here, whether it is an Ace High Pai Gow."""
        return is_ace_high(self.hands["dealer"])

    def _throw(self) -> None:
        if self.book.starting == "number":
            self.count = self.random.randrange(1, 8)
            self.start_at(self.count)
        else:
            self.dice_lie(self.table.throw(self.random))

    def dice_lie(self, dice: list[int]) -> None:
        """Throw these dice; their total is announced, and the deal starts at its position."""
        self.dice, self.count = dice, sum(dice)
        self.announced = [self.count]
        self.start_at(self.count)

    def announce_wrong(self) -> None:
        """Announce a wrong total of the dice, and start the deal at its position."""
        total = self.wrong_total()
        self.announced = [total]
        self.start_at(total)

    def wrong_total(self) -> int:
        """Return a total that is wrong by one or two and gives another position."""
        return self.count + self.random.choice([d for d in (-2, -1, 1, 2) if 3 <= self.count + d <= 18])

    def start_at(self, count: int) -> None:
        """Let the deal start where the dealer counts to."""
        self.start = starting_position(count)

    @property
    def order(self) -> tuple[Position, ...]:
        """The positions in the order dealt."""
        return clockwise_from(self.start)

    # Rare hands

    def stack(self, number: int) -> None:
        """Make a rare hand come, with the wagers that it decides; `number` goes through all kinds of them."""
        kind = self.rare[number % len(self.rare)]
        seats = sorted(self.boxes)
        self.random.shuffle(seats)
        targets: dict[Position, str] = {}
        for target in (kind,) if isinstance(kind, str) else kind:
            if target in self.dealers_hands and "dealer" not in targets:
                targets["dealer"] = target
            elif target == "dice":
                self.rare_dice()
            elif seats:
                targets[seats.pop()] = target
        for seat in list(self.boxes):
            self.bet_with(seat, targets.get(seat))
            if "dealer" in targets and self.on_dealer in self.book.offers and self.random.random() < 0.6:
                self.bet(seat, self.on_dealer, 200)
        if not DEAR.isdisjoint(targets.values()) and self.random.random() < 0.85:
            self.without_envy(set(targets))
        # No one surrenders with the wagers just placed, whether these hands can be dealt or not.
        self.surrendered = set()
        self.deal(targets)

    def bet_with(self, seat: int, target: str | None) -> None:
        """Give a box the wagers that its rare hand decides; a box without one sometimes gets wagers that qualify for envy."""
        if target is not None:
            self.bet(seat, "fortune_bonus", 100 if target in COSTLY else 500)
            if "progressive" in self.book.offers:
                self.bet_progressive(seat)
        elif self.random.random() < 0.4:
            self.bet(seat, "fortune_bonus", 500)

    def rare_dice(self) -> None:
        """Make the dice form a paid line: here there are no wagers on them."""

    def without_envy(self, holders: set[Position]) -> None:
        """Remove other boxes' qualifying wagers: the highest Envy Bonuses would empty the table."""
        for seat, box in self.boxes.items():
            if seat not in holders:
                box.stakes.pop("progressive", None)
                if box.stakes.get("fortune_bonus", 0) >= 500:
                    box.stakes["fortune_bonus"] = 300

    # The settings

    def set_hands(self) -> None:
        """Set the dealer's hands by the house way, and every player's as that player does."""
        self.dealer_way = self.house_way(self.hands["dealer"])
        for seat, box in self.boxes.items():
            box.way = self._players_setting(self.hands[seat], box.style)

    def house_way(self, cards: list[int]) -> Way:
        """Return the house way's split of cards."""
        hand = settings_of(self.book.way, cards)[0]
        return tuple([part for part in (hand.high, hand.medium, hand.low) if part is not None])

    def _players_setting(self, cards: list[int], style: Style) -> Way:
        if self.table.house_way or style == "house" or self.random.random() < 0.5:
            return self.house_way(cards)
        ways = self.legal_ways(cards)
        if style == "careless":
            fouls = [way for way in self.all_ways(cards) if self.is_foul(way)] if self.random.random() < 0.03 else []
            return self.random.choice(fouls or ways)
        return max(ways, key=self.ranks if style == "strong_high" else lambda way: self.ranks(way)[::-1])

    def all_ways(self, cards: list[int]) -> list[Way]:
        """Return all splits of seven cards: 21 into five and two."""
        return [(tuple([cards[i] for i in rest]), (cards[low[0]], cards[low[1]])) for low, rest in _PARTS]

    def legal_ways(self, cards: list[int]) -> list[Way]:
        """Return the splits of seven cards that are not foul."""
        return [way for way in self.all_ways(cards) if not self.is_foul(way)]

    def is_foul(self, way: Way) -> bool:
        """Return whether hands are set foul."""
        return is_foul(*way)

    def ranks(self, way: Way) -> tuple[tuple[int, ...], ...]:
        """Return the ranks of the hands, the high one first."""
        return rank_five(way[0]), rank_two(way[1])

    def compare(self, way: Way) -> Outcome:
        """Return the outcome of a base wager if the hands are set like this."""
        return self.pushed if self.dealer_pushes else base_outcome(*way, *self.dealer_way)

    def outcome(self, seat: int) -> Outcome:
        """Return the outcome of a base wager with the hands as set."""
        return self.compare(self.boxes[seat].way)

    def _surrenders(self) -> None:
        if self.dealer_pushes or self.table.house_way:
            return
        for seat, box in self.boxes.items():
            optional = bool(box.match) or len(box.stakes) > 1
            if not optional and self.outcome(seat) is Outcome.LOSE and self.random.random() < 0.02:
                self.surrendered.add(seat)

    def clear(self) -> None:
        """Remove irregularities that happened by chance, for an injector that needs a plain round."""
        self.surrendered = set()
        for seat, box in self.boxes.items():
            if not box.way or self.is_foul(box.way):
                box.way = self.house_way(self.hands[seat])

    def layout(self) -> TableLayout:
        """Return the planned layout of the table."""
        boxes = [self._box(seat, box) for seat, box in self.boxes.items()]
        dealer = hand_of(self.hands["dealer"], self.dealer_way)
        return TableLayout(boxes=boxes, dealer=dealer, meter=MeterAtSettlement(reading=self.table.meter.value))

    def _box(self, seat: int, box: BoxPlan) -> BettingBox:
        return BettingBox(
            seat=seat,
            bettor=box.bettor,
            hand=hand_of(self.hands[seat], box.way),
            stakes=box.stakes,
            further=tuple([FurtherWager("match", box.bettor, number, stake) for number, stake in box.match.items()]),
            surrendered=seat in self.surrendered,
            voided=seat in self.voided,
            abandoned=seat in self.abandoned,
        )


def hand_of(cards: list[int], way: Way) -> Hand:
    """Return seven cards as set."""
    return Hand(tuple(cards), way[0], way[-1], way[1] if len(way) == 3 else None)
