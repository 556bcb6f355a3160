"""The plan of a round of Fortune Asia Poker: three hands, Insurance, no tie."""

from itertools import combinations
from random import Random
from typing import ClassVar, Final

from floor.round.pai_gow_plan import COMMON_HANDS, RARE_PAIRS, PaiGowPlan, hand_of
from floor.round.plan import Way
from floor.round.seven_cards import card, first_fitting
from floor.table.people import Habit
from games.fortune_asia.settle import HIGHEST, two_of_three
from rulebook.cards.cards import JOKER
from rulebook.cards.four_card import is_legal_setting, rank_four, rank_one
from rulebook.cards.ranking import LINES_BY_RANK, highest_unpaired, rank_two
from rulebook.settlement.pai_gow import Position
from rulebook.settlement.wagers import Outcome

INSURANCE: Final = {line: rank for rank, line in HIGHEST.items()}
# Every way to part seven cards: which four, which two, which one.
_PARTS: Final = tuple(
    (four, two, one)
    for four in combinations(range(7), 4)
    for two in combinations([i for i in range(7) if i not in four], 2)
    for one in [next(i for i in range(7) if i not in (*four, *two))]
)


class FortuneAsiaPlan(PaiGowPlan):
    """The plan of a round."""

    habits: ClassVar[dict[str, Habit]] = {"fortune_bonus": "own", "insurance": "dealers", "progressive": "progressive"}
    further = "insurance"
    ties = False
    dealers_hands = ()
    rare = (*(line for line in LINES_BY_RANK if line != "five_of_a_kind"), *INSURANCE, *RARE_PAIRS, ("nine_high", "ten_high"))

    @property
    def dealer_pushes(self) -> bool:
        """No hand of the dealer pushes the base wagers in this game."""
        return False

    def hand_for(self, target: str, excluded: set[int]) -> list[int] | None:
        """Return a prepared hand from the remaining cards, or None if none exists."""
        if target in INSURANCE:
            return unpaired_hand(self.random, INSURANCE[target], excluded)
        return super().hand_for(target, excluded)

    def winning(self, seat: int) -> dict[Position, str]:
        """Return the hands with which a seat wins the Insurance."""
        return {seat: self.random.choice(tuple(INSURANCE))}

    def losing(self, seat: int, wager: str) -> dict[Position, str]:
        """Return the hands with which a seat loses an optional wager."""
        return {seat: self.random.choice(COMMON_HANDS) if wager == "insurance" else "nothing"}

    def bet_with(self, seat: int, target: str | None) -> None:
        """Give a box the wagers that its rare hand decides."""
        if target in INSURANCE:
            self.bet(seat, "insurance", 200)
        else:
            super().bet_with(seat, target)

    def all_ways(self, cards: list[int]) -> list[Way]:
        """Return all splits of seven cards: 105 into four, two and one."""
        return [(tuple([cards[i] for i in four]), tuple([cards[i] for i in two]), (cards[one],)) for four, two, one in _PARTS]

    def is_foul(self, way: Way) -> bool:
        """Return whether hands are set foul (§ 659a.11(f)(1)(iii)-(v))."""
        return not is_legal_setting(*way)

    def ranks(self, way: Way) -> tuple[tuple[int, ...], ...]:
        """Return the ranks of the hands, the high one first."""
        return rank_four(way[0]), rank_two(way[1]), rank_one(way[2])

    def compare(self, way: Way) -> Outcome:
        """Return the outcome of a base wager if the hands are set like this."""
        return two_of_three(hand_of([], way), hand_of([], self.dealer_way))[0]


def unpaired_hand(random: Random, highest: int, excluded: set[int]) -> list[int] | None:
    """Return seven cards not among `excluded` without pair, straight or flush, of which one is the highest."""

    def draw() -> list[int]:
        cards = [card(rank, random.randrange(4)) for rank in (highest, *random.sample(range(2, highest), 6))]
        if highest == 14 and random.random() < 0.3:
            cards[0] = JOKER
        return cards

    return first_fitting(random, draw, lambda cards: excluded.isdisjoint(cards) and highest_unpaired(cards) == highest)
