"""The plan of a round of DJ Wild Stud: five cards each, a raise or a fold."""

from random import Random
from typing import Any, ClassVar

from floor.round.plan import Plan
from floor.table.people import Habit
from games.dj_wild.settle import is_best_raised
from games.dj_wild.simulation.stacking import TARGETS, make_hand
from games.dj_wild.simulation.table import DjWildTable, counting
from rulebook.cards.cards import JOKER
from rulebook.cards.wild_ranking import WildClass, rank_wild
from rulebook.layout import BettingBox, Hand, MeterAtSettlement, TableLayout
from rulebook.settlement.pai_gow import Position

BASE = ("ante", "blind", "raise")
COMBINED = (
    ("natural_three_of_a_kind", "straight_with_wild"),
    ("natural_straight", "flush_with_wild"),
    ("natural_flush", "natural_full_house"),
    ("full_house_with_wild", "natural_four_of_a_kind"),
    ("four_of_a_kind_with_wild", "natural_straight_flush"),
    ("natural_straight_flush", "five_of_a_kind"),
    ("five_of_a_kind", "natural_royal_flush"),
    ("natural_royal_flush", "five_wilds"),
)
"""A player's hand under a dealer's: what the Two-Way Bad Beat pays."""
SHARES = ("natural_royal_flush", "natural_straight_flush")
"""Two players who take a share of the meter."""


class DjWildPlan(Plan):
    """The plan of a round."""

    table: DjWildTable
    required = ("ante", "blind")
    habits: ClassVar[dict[str, Habit]] = {"progressive": "progressive", "trips": "own", "bad_beat": "dealers"}

    def __init__(self, table: Any, random: Random) -> None:
        super().__init__(table, random)
        self.side = 0
        self.counts = counting(table) or random.random() < (0.02 if table.counts_by_machine else 0.12)
        """Whether the stub is counted."""
        self.upwards = random.random() < 0.5
        """In which direction the hands are settled: the text has both."""
        self.side_forgotten = False
        self.bet_all()
        self.deal({})

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box: all but the progressive."""
        return (*BASE, "trips", "bad_beat")

    @property
    def playing(self) -> list[int]:
        """The seats that compete, in the order of the deal and of the decisions."""
        return [seat for seat in sorted(self.boxes) if self.plays(seat)]

    def plays(self, seat: int) -> bool:
        """Whether a box competes: with ante and blind."""
        return "ante" in self.boxes[seat].stakes

    def deal(self, targets: dict[Position, str]) -> bool:
        """Deal one deck at random, with the wanted hand for each target; return whether all targets could be met."""
        cards = self.one_deck(targets, [*sorted(self.boxes), "dealer"], 5)
        if cards is None:
            return False
        self.hands, (self.side, *self.stub) = cards
        self.decide()
        return True

    def decide(self) -> None:
        """Make all decisions: most players go by the hand and raise a pair or better, some do not."""
        for seat, box in self.boxes.items():
            if self.table.house_way:
                box.decision = "raise" if is_best_raised(self.hands[seat]) else "fold"
                continue
            strong = rank_wild(self.hands[seat])[0] >= WildClass.PAIR
            careless = box.style == "careless" and self.random.random() < 0.2
            box.decision = "raise" if strong is not careless else "fold"

    def hand_for(self, target: str, excluded: set[int]) -> list[int] | None:
        """Return a prepared hand from the remaining cards, or None if none exists."""
        return make_hand(self.random, target, excluded)

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
        """Whether a side card is placed: with a Progressive, and by §§ 687a.8(e) and 687a.9(e) always."""
        wagered = any("progressive" in box.stakes for box in self.boxes.values())
        return wagered or self.table.spec.deal_method != "automated_shoe"

    @property
    def joker_at_stake(self) -> bool:
        """Whether a player has the joker, so that the side card matters."""
        return any(JOKER in self.hands[seat] for seat in self.playing)

    def raises(self, seat: int) -> bool:
        """Whether a seat raises."""
        return bool(self.boxes[seat].decision == "raise")

    def higher(self, seat: int) -> int:
        """Return 1, 0 or -1 if a seat's hand is higher than the dealer's, equal, or lower."""
        mine, dealer = rank_wild(self.hands[seat]), rank_wild(self.hands["dealer"])
        return (mine > dealer) - (mine < dealer)

    def stack(self, number: int) -> None:
        """Make a rare hand come, with the wagers that it decides; `number` goes through all kinds of them."""
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
            self.bet_progressive(seat)
        self.deal(targets)
        for seat in [each for each in targets if isinstance(each, int)]:
            self.boxes[seat].decision = "raise" if number % 4 else self.boxes[seat].decision

    def layout(self, decided: bool, raised: dict[int, int]) -> TableLayout:
        """Return the table's layout before or after the decisions; `raised` are the raises by seat."""
        boxes = []
        for seat, box in sorted(self.boxes.items()):
            stakes, plays, abandoned = dict(box.stakes), self.plays(seat), seat in self.abandoned
            if decided and seat in raised and not abandoned:
                stakes["raise"] = raised[seat]
            hand = Hand(tuple(self.hands[seat])) if plays else Hand()
            decision = box.decision if decided else None
            boxes.append(BettingBox(seat, box.bettor, hand, stakes, decision=decision, abandoned=abandoned))
        return TableLayout(
            boxes=boxes,
            dealer=Hand(tuple(self.hands["dealer"])),
            side=self.side,
            meter=MeterAtSettlement(reading=self.table.meter.value),
            turns=tuple(self.settling),
            past_decisions=decided,
        )
