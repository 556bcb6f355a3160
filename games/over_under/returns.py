"""Over/Under in theory: the ante with the best decision after the first card, and the Bonus on the total of three cards."""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import msgspec

from analytics.theory.bonus_returns import at_odds, by_example
from analytics.theory.game_returns import BonusReturns, CountTable, GameReturns, UncountedReading
from analytics.theory.result import End, Result, pays
from analytics.theory.returns import counts
from games.over_under.settle import bonus_lines
from rulebook.chapters.chapters import Chapter

COMBINED: Final = ("ante", "over", "under")
BOTH: Final = Fraction(2)
"""Ante and Over or Under, in antes."""


def required(chapter: Chapter) -> Iterator[Result]:
    """Yield ante and Over or Under together, with the best decision after the first card (Annex A, § 686a.7(g))."""
    result = _with_best_decision(chapter, -BOTH)
    pushing = _with_best_decision(chapter, Fraction(0))
    parts = {"wrong_side_pushes_return_percent": float(100 * pushing.per_amount_wagered())}
    yield msgspec.structs.replace(result, parts=parts)


def _with_best_decision(chapter: Chapter, wrong_side: Fraction) -> Result:
    """Return the ante's returns if a total on the wrong side nets `wrong_side`, as filed (D12); 18 to 23 always lose."""
    table = counts("over_under")
    first_cards: dict[int, list[Mapping[str, Any]]] = {}
    for row in table["rows"]:
        first_cards.setdefault(row["first"], []).append(row)
    ends: list[End] = []
    lines = Counter[str]()
    for rows in first_cards.values():
        choices = _choices(chapter, rows, wrong_side)
        best = max(choices, key=lambda choice: sum(end.number * end.net for end in choices[choice]))
        ends += choices[best]
        hands = sum(row["hands"] for row in rows)
        if best == "surrender":
            lines["surrender"] += hands
        else:
            lines[f"{best}_wins"] += choices[best][0].number
            lines[f"{best}_loses"] += hands - choices[best][0].number
    return Result(
        wager="base",
        paytable="",
        cite=chapter.wagers["ante"].odds_cite,
        total=table["total"],
        ends=ends,
        lines=lines,
        method="enumeration, best decision by the first card",
    )


def _choices(chapter: Chapter, rows: list[Mapping[str, Any]], wrong_side: Fraction) -> dict[str, list[End]]:
    """Return how hands with a first card end by each decision; a win is the first end of over and of under."""
    ante, over, under = (pays(chapter.wagers[wager].odds) for wager in COMBINED)
    hands = sum(row["hands"] for row in rows)
    overs = sum(row["hands"] for row in rows if row["total"] >= chapter.numbers["over_least_points"])
    unders = sum(row["hands"] for row in rows if row["total"] <= chapter.numbers["under_most_points"])
    house = End(hands - overs - unders, -BOTH, BOTH)
    return {
        "over": [End(overs, ante + over, BOTH), End(unders, wrong_side, BOTH), house],
        "under": [End(unders, ante + under, BOTH), End(overs, wrong_side, BOTH), house],
        "surrender": [End(hands, Fraction(-1))],
    }


RETURNS: Final = GameReturns(
    game="over_under",
    required=required,
    combined=COMBINED,
    bonuses={"bonus": BonusReturns(at_odds("bonus", by_example(bonus_lines, "over_under")))},
    counts={"over_under": CountTable("games.over_under.counts")},
    other_readings=tuple(UncountedReading(wager, "wrong_side", "pushes") for wager in COMBINED),
)
