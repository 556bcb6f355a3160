"""The expected house win of a wager by the exact returns (`rack theory`): mean, variance, and all ends.

Invariant: no paytable is here. House win is that of `fct_wagers`: meters' payments are not part of it, so a Progressive is
expected to lose only its fixed lines. A *unit* is the starting wager (the ante, for example).
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import gcd, lcm
from typing import Literal

import msgspec

from analytics.theory.bonus_returns import fixed_part
from analytics.theory.catalogue import RETURNS
from analytics.theory.game_returns import GameReturns
from analytics.theory.result import End, Result
from rulebook.chapters.chapters import Chapter, chapter_edition

Shares = Literal["seat", "round", "some"]
"""Whether wagers of one round end together: each seat by itself, all alike, or partly (they share the dealer's hand)."""


class Expected(msgspec.Struct, frozen=True, kw_only=True):
    """The expected house win of one wager with one paytable, per unit.

    `edge` is the mean if patrons play as in `rack theory`. `ends` are (probability, house win per unit), smallest first, with
    their `variance`; all house wins differ by multiples of `step`. `decided`: patrons make decisions; worse play loses more, so a
    high win proves nothing.
    """

    chapter: str
    wager: str
    paytable: str
    edge: float
    variance: float
    skewness: float
    ends: tuple[tuple[float, float], ...]
    step: float
    decided: bool
    shares: Shares
    notices: tuple[str, ...]


@cache
def expectations(key: str, published: tuple[str, ...] = ()) -> dict[tuple[str, str], Expected]:
    """Return (wager, paytable) → the expectation, for every wager of an edition of a chapter (`pa-688a`, `pa-688a#2`).

    `published`: the texts of the property's amendments.

    >>> found = expectations("pa-688a")["fortune_bonus", "1"]
    >>> round(found.edge, 4), round(found.variance ** 0.5, 3), found.decided
    (0.08, 3.892, False)
    """
    listed = chapter_edition(key, published)
    record = None if listed is None else RETURNS.get(listed.game)
    if listed is None or record is None:
        return {}
    expected: dict[tuple[str, str], Expected] = {}
    for result in _required(record, listed):
        expected[result.wager, result.paytable] = _expected(listed, result, decided=True, shares="some")
    for wager in listed.wagers.values():
        bonus = record.bonuses.get(wager.name)
        if bonus is None or not bonus.staked:
            continue
        for name, counted in bonus.results(listed, wager.paytables):
            result = _without_meter(listed, counted) if bonus.from_meter else counted
            shares: Shares = "round" if bonus.one_result else "seat"
            expected[wager.name, name] = _expected(listed, result, decided=False, shares=shares)
    return expected


def expected_of(key: str, wager: str, paytable: str, published: tuple[str, ...] = ()) -> Expected | None:
    """Return the expectation of a wager in an edition.

    It is None if theory does not know the wager (an Envy Bonus, a void wager's paytable, a chapter or edition that this version
    lacks).

    >>> expected_of("pa-688a", "fortune_bonus", "") is None
    True
    """
    return expectations(key, published).get((wager, paytable))


def _required(record: GameReturns, listed: Chapter) -> Iterator[Result]:
    """Yield the returns of the required wagers, named as in the warehouse.

    A settlement does not show which version of the base wager was played (with or without vigorish): the version with the least
    value for the house represents both.
    """
    results = record.required_results(listed)
    versions = [result for result in results if result.wager == listed.base]
    if len(versions) > 1:
        least = max(versions, key=Result.per_base_unit)
        named = ", ".join(result.paytable for result in versions)
        notice = f"the least of {named}, which a settlement does not tell apart"
        yield msgspec.structs.replace(least, paytable="", notices=[*least.notices, notice])
        results = [result for result in results if result.wager != listed.base]
    yield from results


def _without_meter(listed: Chapter, result: Result) -> Result:
    """Return the Progressive without its meter: fixed lines, also by slip, and no shares (D18, D690)."""
    paytable = listed.paytable(result.wager, result.paytable)
    numbers = {line: int(result.lines[line.hand]) for line in paytable.lines}
    ends = [End(number, fixed_part(line, paytable) - 1) for line, number in numbers.items()]
    ends.append(End(result.total - sum(numbers.values()), Fraction(-1)))
    notices = [*result.notices, "what the meter pays is no part of the house win"]
    return msgspec.structs.replace(result, ends=ends, beside=Fraction(0), parts={}, notices=notices)


def _expected(listed: Chapter, result: Result, *, decided: bool, shares: Shares) -> Expected:
    ends = _merged(result)
    mean = sum(share * win for share, win in ends)
    variance = sum(share * (win - mean) ** 2 for share, win in ends)
    third = sum(share * (win - mean) ** 3 for share, win in ends)
    return Expected(
        chapter=listed.edition_key,
        wager=result.wager,
        paytable=result.paytable,
        edge=mean,
        variance=variance,
        skewness=third / variance**1.5,
        ends=ends,
        step=_step(result),
        decided=decided,
        shares=shares,
        notices=tuple(result.notices),
    )


def _step(result: Result) -> float:
    """Return the largest step that divides all ends."""
    wins = sorted({-end.net for end in result.ends if end.number})
    apart = [win - wins[0] for win in wins[1:]]
    down = lcm(*(each.denominator for each in apart))
    return float(Fraction(gcd(*(int(each * down) for each in apart)), down))


def _merged(result: Result) -> tuple[tuple[float, float], ...]:
    """Return the ends by house win, each amount once, smallest first."""
    number_of: dict[Fraction, int] = {}
    for end in result.ends:
        if end.number:
            number_of[-end.net] = number_of.get(-end.net, 0) + end.number
    return tuple((number / result.total, float(win)) for win, number in sorted(number_of.items()))
