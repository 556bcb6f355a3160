"""The return of the pai gow games' base wager: simulated rounds by the outcomes of the dealer's and player's hands."""

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Final, Literal

import msgspec

from analytics.theory.game_returns import CountTable
from analytics.theory.result import End, Result, pays
from analytics.theory.returns import counts
from rulebook.cards.ranking import Wheel
from rulebook.chapters.chapters import Chapter

Setting = Literal["house_way", "best"]
HOW_SET: Final = {"house_way": "both set by the house way", "best": "the player's best setting against the dealer's on show"}


def simulated(wheel: Wheel | None) -> CountTable:
    """Return how to make a table of simulated rounds again; `wheel` is None for three hands."""
    return CountTable("analytics.theory.enumeration.pai_gow", arguments=(wheel,), simulation=True)


def _rounds(name: str, setting: Setting, pushes: str | None) -> tuple[Counter[str], int]:
    """Return rounds by outcome, given the dealer's hand that pushes for all, if any, and their total."""
    table, rounds = counts(name), Counter[str]()
    for row in table["rows"]:
        if row["play"] == setting:
            pushed = pushes is not None and pushes in row["dealer"]
            rounds[f"{pushes}_push" if pushed else row["outcome"]] += row["rounds"]
    return rounds, table["total"]


def base_wager(
    chapter: Chapter,
    name: str,
    setting: Setting = "house_way",
    pushes: str | None = None,
    commission: Fraction = Fraction(0),
    version: str = "",
) -> Result:
    """Return the returns of the base wager from the stored rounds `name`.

    `pushes` is the dealer's hand that pushes every base wager, `commission` the house's part of a win, `version` the name of the
    chapter's version of the wager.
    """
    rule = chapter.wagers[chapter.base]
    rounds, total = _rounds(name, setting, pushes)
    net = {"win": pays(rule.odds) * (1 - commission), "lose": Fraction(-1)}
    return Result(
        wager="base",
        paytable=version,
        cite=rule.odds_cite,
        total=total,
        lines=dict(rounds),
        ends=[End(number, net.get(outcome, Fraction(0))) for outcome, number in rounds.items()],
        method=f"simulation of {total:,} rounds, {HOW_SET[setting]}",
    )


def pushed_by_ace_high(name: str) -> Callable[[Chapter], Iterator[Result]]:
    """Return the base wager's returns in California: the dealer's hand is exposed before players set, and ace high pushes."""

    def base(chapter: Chapter) -> Iterator[Result]:
        house = base_wager(chapter, name, pushes="ace_high")
        best = base_wager(chapter, name, "best", pushes="ace_high")
        parts = {"house_way_return_percent": float(100 * house.per_amount_wagered())}
        yield msgspec.structs.replace(best, parts=parts)

    return base
