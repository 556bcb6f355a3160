"""The returns of optional wagers that games share: stored counts with the paytables of the chapter applied."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from analytics.theory.game_returns import BonusReturns, CountTable, UncountedReading
from analytics.theory.result import End, Result
from analytics.theory.returns import counts
from rulebook.cards.cards import parse_cards
from rulebook.chapters.chapters import Chapter
from rulebook.chapters.paytables import PayLine, Paytable
from rulebook.game import Lines

FULL_METER_BP: Final = 10_000


class LineCounts(msgspec.Struct, frozen=True):
    """The number of hands that make each set of lines, and of all hands."""

    ways: Sequence[tuple[frozenset[str], int]]
    total: int

    def paid_lines(self, paytable: Paytable) -> Counter[PayLine]:
        """Count the hands by the line that is paid."""
        return self._by(paytable.best)

    def envy_percent(self, paytable: Paytable, wager_cents: int) -> float:
        """Return the Envy Bonuses from one other patron's hands, per 100 of a wager."""
        cents = sum(line.envy_cents * number for line, number in self._by(paytable.envy).items())
        return float(Fraction(100 * cents, self.total * wager_cents))

    def _by(self, choose: Callable[[frozenset[str]], PayLine | None]) -> Counter[PayLine]:
        counted: Counter[PayLine] = Counter()
        for lines, number in self.ways:
            line = choose(lines)
            if line is not None:
                counted[line] += number
        return counted


CountLines = Callable[[Paytable], LineCounts]


def seven_cards(paytable: Paytable) -> LineCounts:
    """Return the lines of all seven cards, the joker as the paytable has it."""
    table = counts("seven_cards")
    return LineCounts([(frozenset(row[paytable.joker]), row["hands"]) for row in table["rows"]], table["total"])


def ace_high(paytable: Paytable) -> LineCounts:
    """Return the lines of the dealer's and the player's hands together."""
    table = counts("ace_high")
    return LineCounts([(frozenset((row["hand"],)), row["hands"]) for row in table["rows"]], table["total"])


def by_example(lines: Lines, name: str, number: str = "hands", pairs: str | None = None) -> CountLines:
    """Return the counts of a stored table by the lines of each row's example hand; `pairs` multiplies the total."""

    def count(paytable: Paytable) -> LineCounts:
        table = counts(name)
        ways = [(lines(paytable, parse_cards(row["example"]), None), row[number]) for row in table["rows"]]
        return LineCounts(ways, table["total"] * (table[pairs] if pairs else 1))

    return count


# -------------------------------------------------------------------------------------------------------- paid at odds


def at_odds(wager: str, count: CountLines) -> Callable[[Chapter, str], Result]:
    """Return the returns of a wager paid at odds; its Envy Bonus, for each other patron, is a part."""

    def result(chapter: Chapter, name: str) -> Result:
        paytable = chapter.paytable(wager, name)
        counted = count(paytable)
        paid_lines, total = counted.paid_lines(paytable), counted.total
        ends = [End(number, _net(line)) for line, number in paid_lines.items()]
        ends.append(End(total - paid_lines.total(), Fraction(-1)))
        parts: dict[str, float] = {}
        if paytable.has_envy:
            qualifying = chapter.numbers["qualifying_wager_cents"]
            parts["envy_percent_per_other_player"] = counted.envy_percent(paytable, qualifying)
        return Result(
            wager=wager,
            paytable=name,
            cite=paytable.cite,
            total=total,
            ends=ends,
            lines=_by_hand(paytable, paid_lines),
            parts=parts,
        )

    return result


def percent_at_odds(paid_lines: Counter[PayLine], total: int) -> float:
    """Return the return of lines paid at odds, in percent of the stake."""
    return float(100 * sum((number * (_net(line) + 1) for line, number in paid_lines.items()), Fraction(0)) / total)


def _net(line: PayLine) -> Fraction:
    return Fraction(line.odds.numerator, line.odds.denominator) if line.odds is not None else Fraction(0)


def _by_hand(paytable: Paytable, paid_lines: Counter[PayLine]) -> dict[str, int | float]:
    return {line.hand: paid_lines[line] for line in paytable.lines}


def _fortune_bonus(chapter: Chapter, name: str) -> Result:
    """Return the returns of the Fortune Bonus; the alternative filing by highest rank is a part (D15)."""
    result = at_odds("fortune_bonus", seven_cards)(chapter, name)
    if "fortune_pays" not in chapter.settings:
        return result
    ranked = msgspec.structs.replace(chapter.paytable("fortune_bonus", name), picks="highest_rank")
    counted = seven_cards(ranked)
    percent = percent_at_odds(counted.paid_lines(ranked), counted.total)
    return msgspec.structs.replace(result, parts={**result.parts, "highest_rank_return_percent": percent})


# --------------------------------------------------------------------------------------------------------- progressives


def progressive(count: CountLines = seven_cards) -> Callable[[Chapter, str], Result]:
    """Return the returns of a Progressive: fixed lines, the rate of progression, and the seed for each reset of the meter.

    Contributions to the meter come back from it, whoever wins: in the long run by the rate, and by a seed for every winner of the
    whole meter (D18). So a share of less than the whole has no part of its own. The ends and the standard deviation are those
    with the meter at its seed.
    """

    def result(chapter: Chapter, name: str) -> Result:
        paytable = chapter.paytable("progressive", name)
        counted = count(paytable)
        paid_lines, total, stake = counted.paid_lines(paytable), counted.total, stake_of(paytable)
        fixed = fixed_return(counted, paytable)
        full = Fraction(sum(number for line, number in paid_lines.items() if line.meter_bp == FULL_METER_BP), total)
        share = Fraction(sum(number * line.meter_bp for line, number in paid_lines.items()), total * FULL_METER_BP)
        rate, seed = Fraction(paytable.rate_bp, 10_000), full * paytable.seed_cents / stake
        ends = _ends_at_seed(paytable, paid_lines, total)
        mean_end = sum((end.number * end.net for end in ends), Fraction(0)) / total
        parts = {
            "fixed_percent": float(100 * fixed),
            "rate_percent": float(100 * rate),
            "seed_percent": float(100 * seed),
            "full_meter_probability": float(full),
            "break_even_meter": round(float((1 - fixed) * stake / share / 100), 2),
        }
        if paytable.has_envy:
            parts["envy_percent_per_other_player"] = counted.envy_percent(paytable, stake)
        return Result(
            wager="progressive",
            paytable=name,
            cite=paytable.cite,
            total=total,
            ends=ends,
            lines=_by_hand(paytable, paid_lines),
            parts=parts,
            beside=fixed + rate + seed - 1 - mean_end,
            notices=_progressive_notices(paytable),
        )

    return result


def _ends_at_seed(paytable: Paytable, paid_lines: Counter[PayLine], total: int) -> list[End]:
    stake = stake_of(paytable)
    meter = {line: Fraction(line.meter_bp * paytable.seed_cents, FULL_METER_BP * stake) for line in paid_lines}
    ends = [End(number, fixed_part(line, paytable) + meter[line] - 1) for line, number in paid_lines.items()]
    return [*ends, End(total - paid_lines.total(), Fraction(-1))]


def _progressive_notices(paytable: Paytable) -> list[str]:
    notices = []
    if paytable.rate_filed:
        notices.append("the text prints no rate of progression: the rate that is filed comes on top")
    if paytable.reserve_rate_bp:
        notices.append(f"{paytable.reserve_rate_bp / 100:g} % more goes to a reserve for which the rule states no use (D108)")
    return notices


def stake_of(paytable: Paytable) -> int:
    """Return the wager of a progressive paytable, in cents."""
    assert paytable.wager_cents is not None, "a progressive paytable names its wager"
    return paytable.wager_cents


def fixed_part(line: PayLine, paytable: Paytable) -> Fraction:
    """Return a line's fixed payout without the meter, with the stake if it is returned, per unit staked (D18)."""
    paid_lines = Fraction(line.amount_cents, stake_of(paytable)) if line.odds is None else _net(line)
    return paid_lines + (paytable.stake_returned or line.odds is not None)


def fixed_return(counted: LineCounts, paytable: Paytable) -> Fraction:
    """Return the return of a progressive paytable's fixed lines, per unit staked."""
    paid_lines = counted.paid_lines(paytable)
    return sum((number * fixed_part(line, paytable) for line, number in paid_lines.items()), Fraction(0)) / counted.total


# --------------------------------------------------------------------------------------------- what several games have

SEVEN_CARDS: Final = {"seven_cards": CountTable("analytics.theory.enumeration.seven_cards")}
ACE_HIGH: Final = {"ace_high": CountTable("analytics.theory.enumeration.ace_high")}

ACE_HIGH_BONUS: Final = BonusReturns(at_odds("ace_high_bonus", ace_high), one_result=True)
FORTUNE_BONUS: Final = BonusReturns(_fortune_bonus)
PROGRESSIVE: Final = BonusReturns(progressive(), from_meter=True)

HIGHEST_RANK: Final = UncountedReading("fortune_bonus", "fortune_pays", "highest_rank")
JOKER_READINGS: Final = tuple(UncountedReading("progressive", "progressive_joker", value) for value in ("completes", "wild"))
"""Theory takes the joker as the paytable has it; these settings put another reading in its place (D18)."""

SHARED_BONUSES: Final[Mapping[str, BonusReturns]] = {"fortune_bonus": FORTUNE_BONUS, "progressive": PROGRESSIVE}
"""The bonus wagers on seven cards."""
