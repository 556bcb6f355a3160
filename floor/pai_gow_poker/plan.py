"""What is decided about a round of Pai Gow Poker before it is played: see `floor.face_up_pai_gow.plan`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import ClassVar, Final, Literal

from floor.face_up_pai_gow.plan import COSTLY, DEAR, BoxPlan, Plan
from floor.face_up_pai_gow.stacking import card
from floor.pai_gow_poker.table import PaiGowTable
from floor.table.people import Patron
from floor.table.table import Table
from games.chapters import Line
from games.dice_wagers import ONE_RED_TWO_BLUE, lines_made
from games.layout import Dice
from games.pai_gow import Position
from games.pai_gow_poker import is_tiger_9
from games.ranking import LINES_BY_RANK
from games.wagers import Outcome

Controller = Literal[
    "", "late", "early", "wrong_seat", "wrong_reading", "wrong_reset", "other_target", "low_target", "advances_wrong",
    "skips", "not_qualified", "other_configuration",
]  # fmt: skip
"""What the controller of the Must-Hit-By meter does otherwise than it should, in this round."""

ON_DICE: Final = ("sum", "beat_it")
"""The wagers on the dice of which a box has one; a Match wager is on a number besides."""
TARGETS: Final = (*(line for line in LINES_BY_RANK if line != "five_of_a_kind"), "tiger_9", "dice")
COMBINED: Final = (
    ("seven_card_straight_flush", "five_aces"), ("seven_card_straight_flush_joker", "royal_match"),
    ("four_of_a_kind", "straight_flush"), ("four_of_a_kind", "four_of_a_kind"), ("royal_flush", "three_pair"),
)  # fmt: skip
FORTUNE_HANDS: Final = ("three_of_a_kind", "straight", "flush", "full_house")
NINE: Final = 9
_TRIES: Final = 400
_THROWS: Final = 4000


class PaiGowPlan(Plan):
    """A round as it is going to be played: wagers on the dice, Tiger 9, what the Must-Hit-By controller does."""

    optional_wagers: ClassVar = ("tiger_9", "fortune_bonus", "progressive", *ON_DICE)
    pushed: ClassVar = Outcome.TIGER_9_PUSH
    table: PaiGowTable

    def __init__(self, table: Table, random: Random) -> None:
        offers = table.book.offers
        self.further = random.choice([w for w in ("tiger_9", *ON_DICE) if w in offers] or ["fortune_bonus"])
        self.colours: list[str] | None = random.choice((None, ["red", "blue", "white"]))
        paytable = offers["beat_it"].paytable if "beat_it" in offers else None
        if paytable is not None and any(line.hand.startswith("red") for line in paytable.lines):
            self.colours = random.sample(ONE_RED_TWO_BLUE, 3)
        self.controller: Controller = ""
        self.shaken_ms = random.randrange(5000, 9000)
        self.on_dice = ""
        """The wager on the dice that a preparation chose."""
        self.number = 0
        """The number of the Match wager that a preparation chose."""
        super().__init__(table, random)

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time; who likes the dice bets on them in several ways."""
        random, offers = self.random, self.book.offers
        base = offers["base"]
        stakes = {"base": min(base.max_cents, base.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))}
        if "tiger_9" in offers and random.random() * 100 < patron.ace_high_percent:
            stakes["tiger_9"] = patron.ace_high_cents
        if random.random() * 100 < patron.fortune_percent:
            stakes["fortune_bonus"] = patron.fortune_cents
        if random.random() * 100 < patron.progressive_percent:
            stakes["progressive"] = offers["progressive"].min_cents
        for wager in ON_DICE:
            if wager in offers and random.random() * 100 < patron.ace_high_percent:
                stakes[wager] = patron.ace_high_cents
        box = BoxPlan(patron.token, stakes, patron.style)
        if "match" in offers and random.random() * 100 < patron.ace_high_percent:
            for number in random.sample(range(1, 7), random.choice((1, 1, 2, 3))):
                box.match[number] = random.choice((100, 200, 500))
        return box

    @property
    def dealer_pushes(self) -> bool:
        """Whether the dealer's low hand is a Tiger 9 where no vigorish is collected (§ 645c.1(e)(1))."""
        return bool(self.book.settings["commission_free"] and self.dealer_way) and is_tiger_9(self.dealer_way[-1])

    # --------------------------------------------------------------------------------------------------------- the dice

    def dice_line(self, wager: str, dice: list[int]) -> Line | None:
        """Return the line that a wager on the dice wins by, or null where it loses; a Match wager is on `number`."""
        paytable, values = self.book.offers[wager].paytable, (dice[0], dice[1], dice[2])
        assert paytable is not None
        colours = (self.colours[0], self.colours[1], self.colours[2]) if self.colours else None
        (line,) = {paytable.best(made) for made in lines_made(wager, self.number, Dice(values, colours))}
        return line

    def throw_until(self, fits: Callable[[list[int]], bool]) -> bool:
        """Let the dice lie as wanted; say whether they do."""
        for _ in range(_THROWS):
            dice = [self.random.randrange(1, 7) for _ in range(3)]
            if fits(dice):
                self.dice_lie(dice)
                return True
        return False

    # ------------------------------------------------------------------------------------------------------ rare hands

    def hand_for(self, target: str, taken: set[int]) -> list[int] | None:
        """Return a hand made to order of the cards that are left, or null where there is none."""
        if target != "tiger_9":
            return super().hand_for(target, taken)
        for _ in range(_TRIES):
            pair = self.random.choice((*range(2, NINE), *range(NINE + 1, 15)))
            others = self.random.sample([rank for rank in range(2, NINE) if rank != pair], 4)
            suits = self.random.sample(range(4), 2)
            cards = [card(pair, suit) for suit in suits]
            cards += [card(rank, self.random.randrange(4)) for rank in (NINE, *others)]
            if taken.isdisjoint(cards) and is_tiger_9(self.house_way(cards)[-1]):
                return cards
        return None

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which the further wager wins at a seat, and let the dice lie so where they decide it."""
        if self.further in ON_DICE:
            self.throw_until(lambda dice: self.dice_line(self.further, dice) is not None)
            return {}
        if self.further == "tiger_9":
            return {"dealer": "tiger_9"}
        return {seat: self.random.choice(FORTUNE_HANDS)}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which an optional wager loses at a seat, and let the dice lie so where they decide it."""
        if wager in ON_DICE:
            self.throw_until(lambda dice: self.dice_line(wager, dice) is None)
            return {}
        return {seat: "nothing", "dealer": "full_house"}

    def stack(self, number: int) -> None:
        """Let a rare hand come up, with the wagers that it decides; `number` goes through all kinds of them."""
        kind = number % (len(TARGETS) + len(COMBINED))
        seats = sorted(self.boxes)
        self.random.shuffle(seats)
        wanted = (TARGETS[kind],) if kind < len(TARGETS) else COMBINED[kind - len(TARGETS)]
        targets: dict[Position, str] = {}
        for target in wanted:
            if target == "tiger_9":
                targets["dealer"] = target
            elif target == "dice":
                self._rare_dice()
            elif seats:
                targets[seats.pop()] = target
        for seat in list(self.boxes):
            if seat in targets:
                self.bet(seat, "fortune_bonus", 100 if targets[seat] in COSTLY else 500)
                self.bet(seat, "progressive", self.book.offers["progressive"].min_cents)
            elif self.random.random() < 0.4:
                self.bet(seat, "fortune_bonus", 500)
            if "dealer" in targets and "tiger_9" in self.book.offers and self.random.random() < 0.6:
                self.bet(seat, "tiger_9", 200)
        if not DEAR.isdisjoint(targets.values()) and self.random.random() < 0.85:
            self.without_envy(set(targets))
        self.deal(targets)

    def _rare_dice(self) -> None:
        """Let some line come up that a paytable of a wager on the dice pays: each of them about as often."""
        offered = [wager for wager in (*ON_DICE, "match") if wager in self.book.offers]
        if not offered:
            return
        wager = self.random.choice(offered)
        self.number = self.random.randrange(1, 7)
        paytable = self.book.offers[wager].paytable
        assert paytable is not None
        line = self.random.choice(paytable.lines)

        if not self.throw_until(lambda dice: self.dice_line(wager, dice) == line):
            return
        for seat, box in self.boxes.items():
            if wager == "match":
                box.match[self.number] = 200
                self.surrendered.discard(seat)
            else:
                self.bet(seat, wager, 200)
