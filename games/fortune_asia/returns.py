"""The theoretical returns of Fortune Asia Poker: the base wager on three hands, the Insurance, and the bonus wagers on seven
cards.
"""

from collections.abc import Iterator
from typing import Final

from analytics.theory.bonus_returns import SEVEN_CARDS, SHARED_BONUSES, LineCounts, at_odds
from analytics.theory.game_returns import BonusReturns, GameReturns
from analytics.theory.pai_gow_returns import base_wager, simulated
from analytics.theory.result import Result
from analytics.theory.returns import counts
from games.fortune_asia.settle import lines
from rulebook.cards.cards import parse_cards
from rulebook.chapters.chapters import Chapter
from rulebook.chapters.paytables import Paytable


def required(chapter: Chapter) -> Iterator[Result]:
    """Yield the base wager of three hands: two of three win (§ 659a.11(f))."""
    yield base_wager(chapter, "base_three_hands")


def insurance(paytable: Paytable) -> LineCounts:
    """Return what seven cards without a pair or better make by their highest card (§ 659a.12(c))."""
    table = counts("seven_cards")
    rows = [row for row in table["rows"] if row["highest"]]
    ways = [(lines(paytable, parse_cards(row["example"]), None), row["hands"]) for row in rows]
    return LineCounts(ways, table["total"])


RETURNS: Final = GameReturns(
    game="fortune_asia",
    required=required,
    bonuses={"insurance": BonusReturns(at_odds("insurance", insurance)), **SHARED_BONUSES},
    counts={**SEVEN_CARDS, "base_three_hands": simulated(None)},
)
