"""What is decided about a round of Over/Under before it is played: who bets what, which cards come where, who decides what.

A planter may change the plan so that its irregularity can happen; what is left alone is played as the rules say.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import ClassVar, Literal

from floor.over_under.table import BATCH, ShoeTable, shuffled_batch
from floor.table.people import Patron
from games.layout import Box, Hand, Layout
from games.over_under import GAME, best_decision, points
from games.rulebook import Rulebook
from games.wagers import Due, Outcome

Decision = Literal["over", "under", "surrender"]
TOTALS = (6, 33, 7, 32, 8, 31, 9, 30, 10, 29, 11, 28, 12, 27, 17, 18, 23, 24, 13, 26)
"""The totals that are made to order: those that win the Bonus Wager, and the boundaries of over, under and the house."""
LEAST, MOST = 6, 33


@dataclass(slots=True)
class BoxPlan:
    """A betting position in a round: whose, what is at stake before the deal (cents, by wager), what is decided.

    `side_cents` is what is placed on over or under, and `both` another side that is placed too, where these are not as
    they should be.
    """

    bettor: str
    stakes: dict[str, int]
    decision: Decision | None = None
    side_cents: int | None = None
    both: bool = False

    def all_stakes(self) -> dict[str, int]:
        """Return all that is at stake in the end, over and under included."""
        stakes = dict(self.stakes)
        if self.decision in ("over", "under"):
            cents = stakes.get("ante", 0) if self.side_cents is None else self.side_cents
            stakes[self.decision] = cents
            if self.both:
                stakes["under" if self.decision == "over" else "over"] = cents
        return stakes


class Plan:
    """A round as it is going to be played."""

    base: ClassVar[str] = "ante"
    ties: ClassVar[bool] = False

    def __init__(self, table: ShoeTable, random: Random) -> None:
        self.table, self.random = table, random
        self.book: Rulebook = table.book
        self.round_no = table.round_no + 1
        self.deck = table.deck
        self.begins = table.begins
        self.burns = table.must_burn or table.begins
        self.boxes: dict[int, BoxPlan] = {}
        self.hands: dict[int, list[int]] = {}
        self.left: list[int] = []
        """What stays in the shoe, the next card last."""
        self.face_up: int | None = None
        """A card found face up in the shoe, and the place of the card before which it lies."""
        self.face_up_before = 0
        self.ends_after: int | None = None
        """The shoe holds only so many cards of this round's (§ 686a.9(b))."""
        self.missed: int | None = None
        """The seat that does not get its additional cards, and what its player elects."""
        self.election: Literal["play", "void"] = "play"
        self.refusals = 0
        """So many players refuse the cut."""
        self.chosen = 0
        self.turn = 0
        if self.begins or table.endless:
            self.source = shuffled_batch(random)
        else:
            self.source = list(table.shoe.cards)
        self.cover_from_bottom = random.randrange(78, 220)
        self.until_cover = table.shoe.until_cover
        if self.begins and not table.endless:
            self.until_cover = len(BATCH) - self.cover_from_bottom
        self._bets()
        self.deal()

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box."""
        return ("ante", "over", "under", "bonus")

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser go for, by turns."""
        return ("ante", "bonus", self.random.choice(("over", "under")))[self.turn % 3]

    @property
    def surrendered(self) -> set[int]:
        """The seats that surrender."""
        return {seat for seat, box in self.boxes.items() if box.decision == "surrender"}

    # ------------------------------------------------------------------------------------------------------ the wagers

    def _bets(self) -> None:
        random, table = self.random, self.table
        barred = set() if self.begins else table.barred
        for seat, patron in sorted(table.seats.items()):
            if patron.token in barred or (random.random() < 0.05 and len(table.seats) > 1):
                continue
            self.boxes[seat] = self.wager(patron)
        if not self.boxes:
            seat, patron = next((s, p) for s, p in sorted(table.seats.items()) if p.token not in barred)
            self.boxes[seat] = self.wager(patron)

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time."""
        random, offers = self.random, self.book.offers
        ante = offers["ante"]
        stakes = {"ante": min(ante.max_cents, ante.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))}
        if "bonus" in offers and random.random() * 100 < patron.fortune_percent:
            stakes["bonus"] = patron.fortune_cents
        return BoxPlan(patron.token, stakes)

    @property
    def has_bonus(self) -> bool:
        """Whether the Bonus Wager is offered."""
        return "bonus" in self.book.offers

    @property
    def empty(self) -> list[int]:
        """The seats without any wager."""
        return [seat for seat in self.book.chapter.seats if seat not in self.boxes]

    def single_boxes(self) -> list[int]:
        """The boxes of patrons who have one only, in random order."""
        bettors = [box.bettor for box in self.boxes.values()]
        seats = [seat for seat, box in self.boxes.items() if bettors.count(box.bettor) == 1]
        self.random.shuffle(seats)
        return seats

    # ------------------------------------------------------------------------------------------------------- the cards

    def deal(self, made: dict[int, list[int]] | None = None) -> None:
        """Deal what comes from the shoe: a card each from the dealer's left, then two each, hand by hand.

        `made` are hands made to order of the cards of the shoe; the others get what comes.
        """
        source, made = list(self.source), made or {}
        for cards in made.values():
            for card in cards:
                source.remove(card)
        if self.burns:
            source.pop()
        self.hands = {seat: list(made.get(seat, [])) for seat in sorted(self.boxes)}
        places = [*self.hands, *(seat for seat in self.hands for _ in range(2))]
        places = [seat for seat in places if seat not in made]
        for at, seat in enumerate(places):
            if at == self.ends_after:
                source = self.rack()
                source.pop()  # burnt
            self.hands[seat].append(source.pop())
        if self.face_up is not None:
            self.face_up = source.pop()
        self.left = source
        for seat, box in self.boxes.items():
            box.decision = self.decide(self.hands[seat][0]) if "ante" in box.stakes else None

    def rack(self) -> list[int]:
        """Return all cards but those that lie on the table, shuffled."""
        cards = list(BATCH)
        for hand in self.hands.values():
            for card in hand:
                cards.remove(card)
        self.random.shuffle(cards)
        return cards

    def decide(self, first: int) -> Decision:
        """Return what a player decides upon the first card."""
        if self.table.house_way:
            return best_decision(first)
        value, roll = points(first), self.random.random()
        if 7 <= value <= 8 and roll < 0.25:
            return "surrender"
        if roll > 0.93:
            return self.random.choice(("over", "under"))
        return "over" if value >= 8 else "under"

    def clear(self) -> None:
        """Take back what happened to be irregular by itself: nobody surrenders."""
        for box in self.boxes.values():
            if box.decision == "surrender":
                box.decision = self.random.choice(("over", "under"))

    def hand_of_total(self, wanted: int) -> list[int] | None:
        """Return three cards of the shoe with this total, or null where it holds none."""
        by_points: dict[int, list[int]] = {}
        for card in self.source:
            by_points.setdefault(points(card), []).append(card)
        ways = [
            (one, two, wanted - one - two) for one in by_points for two in by_points if wanted - one - two in by_points
        ]
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
        """Let a seat have a hand of this total; say whether the shoe holds one."""
        hand = self.hand_of_total(wanted)
        if hand is not None:
            self.deal({seat: hand})
        return hand is not None

    def stack(self, number: int) -> None:
        """Let a rare hand come up at a box with a Bonus Wager, if one is offered; `number` goes through all of them."""
        seat = self.random.choice(sorted(self.boxes))
        if self.has_bonus:
            self.boxes[seat].stakes["bonus"] = 500
        self.make(seat, TOTALS[number % len(TOTALS)])

    def deal_until(self, fits: Callable[[Plan], bool]) -> bool:
        """Deal from shoes of the same cards in other orders until the round is as wanted; say whether it came to that."""
        for _ in range(300):
            self.clear()
            if fits(self):
                return True
            self.random.shuffle(self.source)
            self.deal()
        return False

    # -------------------------------------------------------------------------------------------------- the settlement

    def layout(self) -> Layout:
        """Return the table as it is going to lie."""
        boxes = [
            Box(
                seat=seat, bettor=box.bettor, hand=Hand(tuple(self.hands[seat])), stakes=box.all_stakes(),
                decision=box.decision if box.decision in ("over", "under") else None,
                surrendered=box.decision == "surrender", voided=self.missed == seat and self.election == "void",
            )
            for seat, box in self.boxes.items()
        ]  # fmt: skip
        return Layout(boxes=boxes)

    def dues(self) -> list[Due]:
        """Return what every wager is going to be due."""
        return GAME.settle(self.book, self.layout())

    def ends(self, seat: int, wager: str) -> Outcome | None:
        """Return how a wager is going to end."""
        return next((due.outcome for due in self.dues() if (due.seat, due.wager) == (seat, wager)), None)

    def bonus_total(self, wins: bool) -> int:
        """Return a total with which the Bonus Wager wins, or loses."""
        wanted = [each for each in range(LEAST, MOST + 1) if (13 <= each <= 26) != wins]
        return self.random.choice(wanted)

    def recorded_out(self, times: int) -> list[int]:
        """Return the cards that left the shoe so often on record, and are not all gone or all there."""
        if self.begins or self.table.endless or not self.table.known:
            return []
        return [card for card in range(52) if self.table.shoe.out[card] == times]
