"""Pai Gow Poker in theory: the base wager with and without vigorish, Tiger 9, the dice wagers, and the Must-Hit-By bonus."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from analytics.theory.bonus_returns import HIGHEST_RANK, JOKER_READINGS, SEVEN_CARDS, SHARED_BONUSES, LineCounts, at_odds
from analytics.theory.game_returns import BonusReturns, CountTable, GameReturns
from analytics.theory.pai_gow_returns import base_wager, simulated
from analytics.theory.result import End, Result, pays
from analytics.theory.returns import counts
from rulebook.chapters.chapters import Chapter
from rulebook.chapters.paytables import Paytable
from rulebook.chapters.rulebook import Rulebook

COMMISSION_FREE, WITH_VIGORISH = "commission_free", "vigorish"


def required(chapter: Chapter) -> Iterator[Result]:
    """Yield the base wager without vigorish, where a Tiger 9 pushes, and with vigorish (§ 645c.1, D13)."""
    vigorish = Fraction(chapter.numbers["vigorish_bp"], 10_000)
    yield base_wager(chapter, "base_two_hands", pushes="tiger_9", version=COMMISSION_FREE)
    yield base_wager(chapter, "base_two_hands", commission=vigorish, version=WITH_VIGORISH)


def version(book: Rulebook) -> str:
    """Return the filed version of the base wager."""
    return COMMISSION_FREE if book.settings["commission_free"] else WITH_VIGORISH


def dice(paytable: Paytable) -> LineCounts:
    """Return the returns of a wager on the 216 rolls of three dice."""
    table = counts("dice")
    rows = [row for row in table["rows"] if row["wager"] == paytable.wager]
    return LineCounts([(frozenset(row["made"]), row["rolls"]) for row in rows], table["total"])


def tiger_9(chapter: Chapter, name: str) -> Result:
    """Return the returns of Tiger 9 with the dealer's hands set by the house way, by the shown setting if it leaves a choice."""
    rule, table = chapter.wagers["tiger_9"], counts("tiger_9")
    total, odds = table["total"], pays(rule.odds)

    def nines(which: str) -> int:
        return sum(row["hands"] for row in table["rows"] if row[which])

    def return_percent(number: int) -> float:
        return float(100 * number * (odds + 1) / total)

    hits = nines("shown")
    parts = {
        "least_return_percent": return_percent(nines("all_accepted")),
        "most_return_percent": return_percent(nines("some_accepted")),
    }
    return Result(
        wager="tiger_9",
        paytable=name,
        cite=rule.odds_cite,
        total=total,
        lines={"tiger_9": hits},
        parts=parts,
        ends=[End(hits, odds), End(total - hits, Fraction(-1))],
    )


def must_hit_by(chapter: Chapter, name: str) -> Result:
    """Return the Must-Hit-By bonus per amount of the qualifying Progressive; all targets within the limits are equally likely.

    From the minimum to the mean hit, the meter takes (mean hit - minimum) / rate of wagers, and then pays the mean hit. The wager
    is the Progressive, to whose own return the bonus is added: the bonus itself has no stake.
    """
    paytable = chapter.paytable("mystery", name)
    low, high, stake = paytable.seed_cents, paytable.maximum_cents, paytable.least_wager_cents
    mean, rate = Fraction(low + high, 2), Fraction(paytable.rate_bp, 10_000)
    rounds = (mean - low) / (rate * stake)
    hit = 1 / rounds
    total, number = hit.denominator, hit.numerator
    mean_square = Fraction(low * low + low * high + high * high, 3)
    # Two equally likely hits with the mean and the variance of all of them: the returns are the same.
    ends = [End(2 * total - 2 * number, Fraction(-1))]
    ends += _two_hits(mean, mean_square - mean**2, stake, number)
    return Result(
        wager="mystery",
        paytable=name,
        cite=paytable.cite,
        total=2 * total,
        ends=ends,
        method="formula",
        lines={"hit": float(hit)},
        parts={"mean_hit": float(mean / 100), "mean_wagers_to_hit": float(rounds)},
        notices=["added to the return of the progressive wager that qualifies for it"],
    )


def _two_hits(mean: Fraction, variance: Fraction, stake: int, number: int) -> list[End]:
    deviation = Fraction(round(float(variance) ** 0.5 * 10**6), 10**6)
    return [End(number, (mean + sign * deviation) / stake - 1) for sign in (-1, 1)]


RETURNS: Final = GameReturns(
    game="pai_gow_poker",
    required=required,
    bonuses={
        **SHARED_BONUSES,
        **{wager: BonusReturns(at_odds(wager, dice), one_result=True) for wager in ("sum", "match", "beat_it")},
        "tiger_9": BonusReturns(tiger_9, one_result=True),
        "mystery": BonusReturns(must_hit_by, staked=False),
    },
    counts={
        **SEVEN_CARDS,
        "tiger_9": CountTable("analytics.theory.enumeration.tiger_9"),
        "dice": CountTable("analytics.theory.enumeration.dice"),
        "base_two_hands": simulated("second"),
    },
    version=version,
    other_readings=(HIGHEST_RANK, *JOKER_READINGS),
)
