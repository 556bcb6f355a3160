"""The plan of a round of Pai Gow Poker: wagers on the dice, Tiger 9, the Must-Hit-By meter."""

from collections.abc import Callable
from random import Random
from typing import Any, ClassVar, Final, Literal

import msgspec

from floor.round.pai_gow_plan import COMMON_HANDS, RARE_PAIRS, PaiGowPlan
from floor.round.plan import BoxPlan
from floor.round.seven_cards import card, first_fitting
from floor.table.people import Habit, Patron
from games.pai_gow_poker.settle import is_tiger_9
from games.pai_gow_poker.simulation.table import PaiGowTable
from rulebook.cards.ranking import LINES_BY_RANK
from rulebook.chapters.paytables import PayLine
from rulebook.layout import Dice, TableLayout
from rulebook.settlement.dice_wagers import ONE_RED_TWO_BLUE, lines_made
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import Outcome

Controller = Literal[
    "", "late", "early", "wrong_seat", "wrong_reading", "wrong_reset", "other_target", "low_target", "advances_wrong",
    "skips", "not_qualified", "other_configuration",
]  # fmt: skip
"""What the controller of the Must-Hit-By meter does otherwise than it should, in this round."""

ON_DICE: Final = ("sum", "beat_it")
"""The wagers on the dice of which a box has one; a Match wager is on a number besides."""
NINE: Final = 9
_THROWS: Final = 4000


class PaiGowPokerPlan(PaiGowPlan):
    """The plan of a round."""

    habits: ClassVar[dict[str, Habit]] = {
        "tiger_9": "dealers",
        "fortune_bonus": "own",
        "progressive": "progressive",
        "sum": "dealers",
        "beat_it": "dealers",
    }
    on_dealer = "tiger_9"
    pushed = Outcome.TIGER_9_PUSH
    dealers_hands = ("tiger_9",)
    rare = (*(line for line in LINES_BY_RANK if line != "five_of_a_kind"), "tiger_9", "dice", *RARE_PAIRS)
    table: PaiGowTable

    def __init__(self, table: Any, random: Random) -> None:
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

    @property
    def by_hand(self) -> tuple[str, ...]:
        """The wagers that are taken and paid at the box; the one on the dice alone if a preparation chose it."""
        return (self.on_dice,) if self.on_dice else super().by_hand

    @property
    def prepared(self) -> str:
        """The wager that the preparations of a winner or loser go for."""
        return self.on_dice or super().prepared

    def wager(self, patron: Patron) -> BoxPlan:
        """Return a patron's bets this time; one who likes the dice bets on them in several ways."""
        box, random = super().wager(patron), self.random
        if "match" in self.book.offers and random.random() * 100 < patron.habits["dealers"][0]:
            for number in random.sample(range(1, 7), random.choice((1, 1, 2, 3))):
                box.match[number] = random.choice((100, 200, 500))
        return box

    def layout(self) -> TableLayout:
        """Return the planned layout of the table, with the dice."""
        dice, colours = self.dice, self.colours
        lay = Dice((dice[0], dice[1], dice[2]), (colours[0], colours[1], colours[2]) if colours else None)
        return msgspec.structs.replace(super().layout(), dice=lay if self.table.spec.has_dice else None)

    @property
    def dealer_pushes(self) -> bool:
        """Whether the dealer's low hand is a Tiger 9 if no vigorish is collected (§ 645c.1(e)(1))."""
        return bool(self.book.settings["commission_free"] and self.dealer_way) and is_tiger_9(self.dealer_way[-1])

    def dice_line(self, wager: str, dice: list[int]) -> PayLine | None:
        """Return the line that a wager on the dice wins by, or None if it loses; a Match wager is on `number`."""
        paytable, values = self.book.offers[wager].paytable, (dice[0], dice[1], dice[2])
        assert paytable is not None
        colours = (self.colours[0], self.colours[1], self.colours[2]) if self.colours else None
        (line,) = {paytable.best(names) for names in lines_made(wager, self.number, Dice(values, colours))}
        return line

    def throw_until(self, fits: Callable[[list[int]], bool]) -> bool:
        """Throw the dice as wanted; return whether that worked."""
        for _ in range(_THROWS):
            dice = [self.random.randrange(1, 7) for _ in range(3)]
            if fits(dice):
                self.dice_lie(dice)
                return True
        return False

    def hand_for(self, target: str, excluded: set[int]) -> list[int] | None:
        """Return a prepared hand from the remaining cards, or None if none exists."""
        if target != "tiger_9":
            return super().hand_for(target, excluded)

        def draw() -> list[int]:
            pair = self.random.choice((*range(2, NINE), *range(NINE + 1, 15)))
            others = self.random.sample([rank for rank in range(2, NINE) if rank != pair], 4)
            cards = [card(pair, suit) for suit in self.random.sample(range(4), 2)]
            return cards + [card(rank, self.random.randrange(4)) for rank in (NINE, *others)]

        def fits(cards: list[int]) -> bool:
            return excluded.isdisjoint(cards) and is_tiger_9(self.house_way(cards)[-1])

        return first_fitting(self.random, draw, fits)

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which a seat wins this wager, and throw the dice so if they decide it."""
        if self.further in ON_DICE:
            self.throw_until(lambda dice: self.dice_line(self.further, dice) is not None)
            return {}
        if self.further == "tiger_9":
            return {"dealer": "tiger_9"}
        return {seat: self.random.choice(COMMON_HANDS)}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which a seat loses an optional wager, and throw the dice so if they decide it."""
        if wager in ON_DICE:
            self.throw_until(lambda dice: self.dice_line(wager, dice) is None)
            return {}
        return {seat: "nothing", "dealer": "full_house"}

    def rare_dice(self) -> None:
        """Make a paid line of a dice wager come up, each about as often."""
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
            else:
                self.bet(seat, wager, 200)
