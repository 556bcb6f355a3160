"""What is decided about a round of Fortune Asia Poker before it is played: see `floor.face_up_pai_gow.plan`."""

from __future__ import annotations

from itertools import combinations
from random import Random
from typing import ClassVar, Final

from floor.face_up_pai_gow.plan import COSTLY, DEAR, BoxPlan, Plan, Way, hand_of
from floor.face_up_pai_gow.stacking import card
from floor.table.people import Patron
from games.cards import JOKER
from games.fortune_asia import HIGHEST, two_of_three
from games.four_card import is_legal_setting, rank_four, rank_one
from games.pai_gow import Position
from games.ranking import LINES_BY_RANK, highest_unpaired, rank_two
from games.wagers import Outcome

INSURANCE: Final = {line: rank for rank, line in HIGHEST.items()}
TARGETS: Final = (*(line for line in LINES_BY_RANK if line != "five_of_a_kind"), *INSURANCE)
COMBINED: Final = (
    ("seven_card_straight_flush", "five_aces"), ("seven_card_straight_flush_joker", "royal_match"),
    ("four_of_a_kind", "straight_flush"), ("four_of_a_kind", "four_of_a_kind"), ("royal_flush", "three_pair"),
    ("nine_high", "ten_high"),
)  # fmt: skip
WITH_A_PAIR_OR_BETTER: Final = ("three_of_a_kind", "straight", "flush", "full_house")
_TRIES: Final = 400
# Every way to part seven cards: which four, which two, which one.
_PARTS: Final = tuple(
    (four, two, one)
    for four in combinations(range(7), 4)
    for two in combinations([i for i in range(7) if i not in four], 2)
    for one in [next(i for i in range(7) if i not in (*four, *two))]
)


class AsiaPlan(Plan):
    """A round as it is going to be played: three hands, Insurance, no tie."""

    optional_wagers: ClassVar = ("fortune_bonus", "insurance", "progressive")
    further = "insurance"
    ties: ClassVar = False

    def wager(self, patron: Patron) -> BoxPlan:
        """Return what a patron bets this time; who likes the one further wager likes the other."""
        random, offers = self.random, self.book.offers
        base = offers["base"]
        stakes = {"base": min(base.max_cents, base.min_cents * patron.units * random.choice((1, 1, 1, 2, 3)))}
        if random.random() * 100 < patron.fortune_percent:
            stakes["fortune_bonus"] = patron.fortune_cents
        if random.random() * 100 < patron.ace_high_percent:
            stakes["insurance"] = patron.ace_high_cents
        if random.random() * 100 < patron.progressive_percent:
            stakes["progressive"] = offers["progressive"].min_cents
        return BoxPlan(patron.token, stakes, patron.style)

    @property
    def dealer_pushes(self) -> bool:
        """No hand of the dealer pushes the base wagers in this game."""
        return False

    # ------------------------------------------------------------------------------------------------------ rare hands

    def hand_for(self, target: str, taken: set[int]) -> list[int] | None:
        """Return a hand made to order of the cards that are left, or null where there is none."""
        if target in INSURANCE:
            return unpaired_hand(self.random, INSURANCE[target], taken)
        return super().hand_for(target, taken)

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which the Insurance wins at a seat."""
        return {seat: self.random.choice(tuple(INSURANCE))}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which an optional wager loses at a seat."""
        return {seat: self.random.choice(WITH_A_PAIR_OR_BETTER) if wager == "insurance" else "nothing"}

    def stack(self, number: int) -> None:
        """Let a rare hand come up, with the wagers that it decides; `number` goes through all kinds of them."""
        kind = number % (len(TARGETS) + len(COMBINED))
        seats = sorted(self.boxes)
        self.random.shuffle(seats)
        wanted = (TARGETS[kind],) if kind < len(TARGETS) else COMBINED[kind - len(TARGETS)]
        if len(wanted) > len(seats):
            return
        targets: dict[Position, str] = dict(zip(seats, wanted, strict=False))
        for seat in list(self.boxes):
            target = targets.get(seat)
            if target in INSURANCE:
                self.bet(seat, "insurance", 200)
            elif target is not None:
                self.bet(seat, "fortune_bonus", 100 if target in COSTLY else 500)
                self.bet(seat, "progressive", self.book.offers["progressive"].min_cents)
            elif self.random.random() < 0.4:
                self.bet(seat, "fortune_bonus", 500)
        if not DEAR.isdisjoint(targets.values()) and self.random.random() < 0.85:
            self.without_envy(set(targets))
        # Nobody surrenders with the wagers just placed, whether these hands can be dealt or not.
        self.surrendered = set()
        self.deal(targets)

    # ----------------------------------------------------------------------------------------------------- the settings

    def all_ways(self, cards: list[int]) -> list[Way]:
        """Return all ways to part seven cards: 105 into four, two and one."""
        return [
            (tuple([cards[i] for i in four]), tuple([cards[i] for i in two]), (cards[one],))
            for four, two, one in _PARTS
        ]

    def is_foul(self, way: Way) -> bool:
        """Say whether hands are set foul (§ 659a.11(f)(1)(iii)-(v))."""
        return not is_legal_setting(*way)

    def ranks(self, way: Way) -> tuple[tuple[int, ...], ...]:
        """Return how the hands rank, the high one first."""
        return rank_four(way[0]), rank_two(way[1]), rank_one(way[2])

    def compare(self, way: Way) -> Outcome:
        """Return how a base wager ends with hands set so."""
        return two_of_three(hand_of((), way), hand_of((), self.dealer_way))[0]


def unpaired_hand(random: Random, highest: int, taken: set[int]) -> list[int] | None:
    """Return seven cards not among `taken` without pair, straight or flush, of which one is the highest."""
    for _ in range(_TRIES):
        cards = [card(rank, random.randrange(4)) for rank in (highest, *random.sample(range(2, highest), 6))]
        if highest == 14 and random.random() < 0.3:
            cards[0] = JOKER
        if taken.isdisjoint(cards) and highest_unpaired(cards) == highest:
            random.shuffle(cards)
            return cards
    return None
