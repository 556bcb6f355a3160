"""High Card in theory: the ante counted over all pairs of hands, the bonus over all hands of two cards."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from analytics.theory.bonus_returns import LineCounts, at_odds
from analytics.theory.game_returns import BonusReturns, GameReturns
from analytics.theory.result import End, Result
from rulebook.cards.cards import rank
from rulebook.chapters.chapters import Chapter
from rulebook.chapters.paytables import Paytable
from tests.example_game.settle import lines

HANDS = list(combinations(range(52), 2))


def _ante(chapter: Chapter) -> Iterator[Result]:
    """Yield the ante: of two hands the one with the higher card wins, then the other card decides; equal hands push."""
    ways: Counter[tuple[int, ...]] = Counter(tuple(sorted(map(rank, hand), reverse=True)) for hand in HANDS)
    pairs = len(HANDS) * (50 * 49 // 2)
    push = sum(_against_equal(ranks) * number for ranks, number in ways.items())
    won = (pairs - push) // 2
    yield Result(
        wager="base",
        paytable="",
        cite=chapter.wagers["ante"].odds_cite,
        total=pairs,
        ends=[End(won, Fraction(1)), End(push, Fraction(0)), End(won, Fraction(-1))],
        lines={"win": won, "push": push, "lose": won},
    )


def _against_equal(ranks: tuple[int, ...]) -> int:
    """How many hands of the same ranks are left next to one."""
    return 1 if ranks[0] == ranks[1] else 3 * 3


def _bonus(paytable: Paytable) -> LineCounts:
    return LineCounts([(lines(paytable, hand), 1) for hand in HANDS], len(HANDS))


RETURNS = GameReturns(
    game="high_card", required=_ante, combined=("ante",), bonuses={"pair_plus": BonusReturns(at_odds("pair_plus", _bonus))}
)
