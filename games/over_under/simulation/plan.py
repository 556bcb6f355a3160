"""The plan of a round of Over/Under: the cards from the shoe, and the decisions."""

from random import Random
from typing import Any, ClassVar, Final, Literal

from floor.round.plan import Plan
from floor.table.people import Habit, Patron
from games.over_under.settle import GAME, best_decision, points
from games.over_under.simulation.table import BATCH, ShoeTable, shuffled_batch
from rulebook.layout import BettingBox, Hand, TableLayout
from rulebook.settlement.wagers import Due

Decision = Literal["over", "under", "surrender"]
SIDES: Final = ("over", "under")
TOTALS = (6, 33, 7, 32, 8, 31, 9, 30, 10, 29, 11, 28, 12, 27, 17, 18, 23, 24, 13, 26)
"""The totals that are made to order: those that win the Bonus Wager, and the boundaries of over, under and the house."""
LEAST, MOST = 6, 33


class OverUnderPlan(Plan):
    """The plan of a round. `hands` has a list for each seat; `stub` is the rest of the shoe, the next card last."""

    required = ("ante",)
    habits: ClassVar[dict[str, Habit]] = {"bonus": "own"}
    ties = False
    table: ShoeTable
    hands: dict[Any, list[int]]

    def __init__(self, table: Any, random: Random) -> None:
        super().__init__(table, random)
        self.begins = table.begins
        self.burns = table.must_burn or table.begins
        self.face_up = None
        """A card found face up in the shoe, and the place of the card before which it lies."""
        self.face_up_before = 0
        self.ends_after: int | None = None
        """The shoe holds only this many cards of this round's (§ 686a.9(b))."""
        self.missed: int | None = None
        """The seat that does not get its additional cards, and what its player elects."""
        self.election: Literal["play", "void"] = "play"
        self.refusals = 0
        """This many players refuse the cut."""
        fresh = self.begins or table.endless
        self.source = shuffled_batch(random) if fresh else list(table.shoe.cards)
        self.cover_from_bottom = random.randrange(78, 220)
        self.until_cover = table.shoe.until_cover
        if self.begins and not table.endless:
            self.until_cover = len(BATCH) - self.cover_from_bottom
        self.bet_all()
        self.deal()

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box."""
        return ("ante", *SIDES, "bonus")

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser aim at, by turns."""
        return ("ante", "bonus", self.random.choice(SIDES))[self.turn % 3]

    def bettors(self) -> list[tuple[int, Patron]]:
        """Return who may bet, by seat: no one who is barred until the next shoe."""
        barred = set() if self.begins else self.table.barred
        return [(seat, patron) for seat, patron in super().bettors() if patron.token not in barred]

    def stakes(self, seat: int) -> dict[str, int]:
        """Return the final stakes of a box, over and under included."""
        box = self.boxes[seat]
        stakes = dict(box.stakes)
        if box.decision in SIDES:
            cents = stakes.get("ante", 0) if box.side_cents is None else box.side_cents
            stakes[box.decision] = cents
            if box.both:
                stakes["under" if box.decision == "over" else "over"] = cents
        return stakes

    @property
    def has_bonus(self) -> bool:
        """Whether the Bonus Wager is offered."""
        return "bonus" in self.book.offers

    def deal(self, targets: dict[int, list[int]] | None = None) -> bool:
        """Deal from the shoe: a card each from the dealer's left, then two each, hand by hand.

        `targets` are prepared hands from the shoe's cards; the others get the next cards.
        """
        source, dealt = list(self.source), targets or {}
        for cards in dealt.values():
            for card in cards:
                source.remove(card)
        if self.burns:
            source.pop()
        self.hands = {seat: list(dealt.get(seat, [])) for seat in sorted(self.boxes)}
        places = [*self.hands, *(seat for seat in self.hands for _ in range(2))]
        places = [seat for seat in places if seat not in dealt]
        for at, seat in enumerate(places):
            if at == self.ends_after:
                source = self.rack()
                source.pop()  # burnt
            self.hands[seat].append(source.pop())
        if self.face_up is not None:
            self.face_up = source.pop()
        self.stub = source
        for seat, box in self.boxes.items():
            box.decision = self.decide(self.hands[seat][0]) if "ante" in box.stakes else None
        self.surrendered = {seat for seat, box in self.boxes.items() if box.decision == "surrender"}
        return True

    def rack(self) -> list[int]:
        """Return all cards but those that lie on the table, shuffled."""
        cards = list(BATCH)
        for hand in self.hands.values():
            for card in hand:
                cards.remove(card)
        self.random.shuffle(cards)
        return cards

    def decide(self, first: int) -> Decision:
        """Return a player's decision on the first card."""
        if self.table.house_way:
            return best_decision(first)
        value, roll = points(first), self.random.random()
        if 7 <= value <= 8 and roll < 0.25:
            return "surrender"
        if roll > 0.93:
            return self.random.choice(SIDES)
        return "over" if value >= 8 else "under"

    def clear(self) -> None:
        """Remove irregularities that happened by chance: no one surrenders."""
        for box in self.boxes.values():
            if box.decision == "surrender":
                box.decision = self.random.choice(SIDES)
        self.surrendered = set()

    def hand_of_total(self, wanted: int) -> list[int] | None:
        """Return three cards of the shoe with this total, or None if there are none."""
        by_points: dict[int, list[int]] = {}
        for card in self.source:
            by_points.setdefault(points(card), []).append(card)
        ways = [(one, two, wanted - one - two) for one in by_points for two in by_points if wanted - one - two in by_points]
        self.random.shuffle(ways)
        for values in ways:
            if all(values.count(value) <= len(by_points[value]) for value in values):
                cards: list[int] = []
                for value in sorted(set(values)):
                    cards += self.random.sample(by_points[value], values.count(value))
                self.random.shuffle(cards)
                return cards
        return None

    def make(self, seat: int, wanted: int) -> bool:
        """Give a seat a hand of this total; return whether the shoe has one."""
        hand = self.hand_of_total(wanted)
        if hand is not None:
            self.deal({seat: hand})
        return hand is not None

    def stack(self, number: int) -> None:
        """Make a rare hand come at a box with a Bonus Wager, if one is offered; `number` goes through all of them."""
        seat = self.random.choice(sorted(self.boxes))
        if self.has_bonus:
            self.boxes[seat].stakes["bonus"] = 500
        self.make(seat, TOTALS[number % len(TOTALS)])

    def deal_again(self, targets: Any) -> bool:
        """Deal from a shoe of the same cards in another order."""
        self.random.shuffle(self.source)
        return self.deal()

    def layout(self) -> TableLayout:
        """Return the planned layout of the table."""
        boxes = [
            BettingBox(
                seat=seat,
                bettor=box.bettor,
                hand=Hand(tuple(self.hands[seat])),
                stakes=self.stakes(seat),
                decision=box.decision if box.decision in SIDES else None,
                surrendered=box.decision == "surrender",
                voided=self.missed == seat and self.election == "void",
            )
            for seat, box in self.boxes.items()
        ]
        return TableLayout(boxes=boxes)

    def dues(self) -> list[Due]:
        """Return the planned due of every wager."""
        return GAME.settle(self.book, self.layout())

    def recorded_out(self, times: int) -> list[int]:
        """Return the cards recorded as out so often that some copies are gone and some are left."""
        if self.begins or self.table.endless or not self.table.known:
            return []
        return [card for card in range(52) if self.table.shoe.out[card] == times]
