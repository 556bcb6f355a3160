"""Are dice, shufflers and decks fair? Every device is compared with its exact chances, and each test states its power.

Invariant: p-values are corrected for all tests of a report (Holm), so that at most one report in a hundred on fair devices has an
alarm; a test with too small a sample is inconclusive and states its minimum detectable bias. Cards are dealt to a position
without replacement, and the statistic is scaled for it. A bias is not an accusation: dice wear, and a record can be wrong.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Any, Final

import msgspec
import numpy as np
import polars as pl

from analytics.fairness.device_samples import BY_FAIRNESS, Repeated, ValueCounts, observed
from analytics.statistics.exact import binomial_at_least, chi_square_above, detectable_noncentrality, normal_both_sides
from analytics.statistics.multiplicity import benjamini_hochberg, holm
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import EVERYTHING, Selection
from analytics.warehouse.warehouse import Warehouse

__all__ = ["BY_FAIRNESS", "FAMILIES", "fairness", "fairness_counts"]

FAMILIES: Final = {
    "die": "each die shows each face equally often",
    "total": "totals of three dice",
    "lag": "a roll does not depend on the roll before",
    "number": "numbers drawn, 1 to 7",
    "start": "the position that is dealt to first, by its true odds (D3)",
    "card": "each card goes to each position equally often",
    "joker": "each position gets the joker in proportion to its share of the deck",
    "hand": "how often the ranks of the dealer's hand repeat",
    "repeat": "a position is not dealt its cards of the round before again",
}
"""Family → the expectation that its test checks."""
COUNTED: Final = tuple(family for family in FAMILIES if family not in ("lag", "repeat"))
"""The families that count values; the others are sums over pairs."""

ALARM_LEVEL: Final = 0.01
"""The chance that a report on fair devices has any alarm in it."""
MATERIAL_PERCENT: Final = 25.0
"""A bias of the likeliest value, relative to its chance, that a sample must be able to show before it can acquit."""
LEAST_EXPECTED: Final = 5.0
"""Values expected less often than this are taken together; a test left with a single one is not made."""
NOT_SURE_BELOW: Final = 10.0
"""If a value is expected less often than this, a small p-value is simulated and not taken from the chi-square distribution."""
WORTH_SIMULATING: Final = 0.001
"""A p-value above this is no alarm in a report of ten tests or more, however exact it is."""
SIMULATED: Final = 20_000
NONE_AS_FAR: Final = 1 / (SIMULATED + 1)
"""The p-value if no simulated sample is as far off; many tests in a report take more than that for an alarm."""
SURE: Final = 1e-9
"""If the common values alone are less likely than this, no simulated sample would be as far off."""
LEAST_PAIRS: Final = 200
"""Fewer pairs of rounds (or rolls) than this do not test whether one depends on the one before: their sum is not normal enough
for a p-value as small as an alarm needs, and only a gross bias could show."""


class Test(msgspec.Struct, frozen=True, kw_only=True):
    """One test before correction; `share` is the likeliest value's chance, None for a sum, whose effect is a correlation."""

    family: str
    key: dict[str, Any]
    n: int
    statistic: float | None = None
    freedom: int | None = None
    p: float | None = None
    how: str = "too few"
    tries: float = 0.0
    share: float | None = None
    most_off: str = ""


def fairness(db: Warehouse, by: str = "table", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return every test of the devices, a row each, least likely first.

    `by` groups by `property`, `game`, `table` (a table's shaker or shuffler), `dice_set` (dice only), `deck` (cards only).
    Columns: `family` (of `FAMILIES`), `game`, `table_id`, `dice_set`, `die`, `position`, `method` (of the shuffle), `deck` (each
    None if not a group), `n` (rolls, rounds, hands or pairs), `statistic`, `freedom`, `p`, `p_adjusted` (Holm over the report),
    `q` (Benjamini and Hochberg), `how` (`chi-square`, `simulated`, `binomial`, `normal`, `too few`, `no odds`: numbers beyond 7
    whose count is unknown), `most_off` (the value farthest off), `detectable_percent` (the excess of the likeliest value that
    would be found four times in five; of a sum, the correlation), `alarm`, `verdict` (`alarm`, `outside_95`, `within`,
    `cannot_tell`) and `sentence`. Months are whole. Raises `ValueError` for another `by`.
    """
    tests = [_test(each) for each in observed(db, by, selection)]
    p = [test.p for test in tests if test.p is not None]
    corrected = iter(zip(holm(p), benjamini_hochberg(p), strict=True))
    rows = [_row(test, next(corrected) if test.p is not None else (None, None), len(p)) for test in tests]
    return pl.DataFrame(rows, schema=_SCHEMA).sort("p", "family", "n", nulls_last=True, descending=[False, False, True])


def fairness_counts(db: Warehouse, family: str, by: str = "table", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the counts of a family of tests: `observed` and `expected` for each `value`, with the columns that name the test.

    Raises `ValueError` for an unknown family or one not counted by value (`lag`, `repeat`).
    """
    if family not in COUNTED:
        raise ValueError(f"no counts of {family!r}; one of {', '.join(f for f in FAMILIES if f not in ('lag', 'repeat'))}")
    rows = [
        {
            **_key_columns(each.key),
            "value": list(each.chances),
            "observed": [each.times.get(value, 0) for value in each.chances],
            "expected": [each.n * each.cards * chance for chance in each.chances.values()],
        }
        for each in observed(db, by, selection, family)
        if isinstance(each, ValueCounts)
    ]
    counted = {"value": pl.List(pl.String), "observed": pl.List(pl.Int64), "expected": pl.List(pl.Float64)}
    return pl.DataFrame(rows, schema={**dict.fromkeys(_NAMES, pl.String), **counted}).explode(*counted)


_NAMES: Final = ("game", "table_id", "dice_set", "die", "position", "method", "deck")
_SCHEMA: Final = schema_of(
    "family VARCHAR, game VARCHAR, table_id VARCHAR, dice_set VARCHAR, die VARCHAR, position VARCHAR, method VARCHAR, "
    "deck VARCHAR, n BIGINT, statistic DOUBLE, freedom BIGINT, p DOUBLE, p_adjusted DOUBLE, q DOUBLE, how VARCHAR, "
    "most_off VARCHAR, detectable_percent DOUBLE, alarm BOOLEAN, verdict VARCHAR, sentence VARCHAR"
)


def _key_columns(key: Mapping[str, Any]) -> dict[str, str | None]:
    return {name: key.get(name) for name in _NAMES}


def _test(sample: ValueCounts | Repeated) -> Test:
    if isinstance(sample, Repeated):
        return _sum_test(sample)
    return _joker(sample) if sample.family == "joker" else _counts_test(sample)


def _counts_test(sample: ValueCounts) -> Test:
    """Return a chi-square test of counts against their chances, with rare values pooled."""
    test = Test(family=sample.family, key=sample.key, n=sample.n, how="too few" if sample.chances else "no odds")
    groups = list(_pooled(sample, LEAST_EXPECTED))
    if len(groups) < 2:
        return test
    statistic, freedom, p = _chi_square(groups, sample.scale)
    how = "chi-square"
    expected = [each for _, _, each in groups]
    if p < WORTH_SIMULATING and sample.scale == 1 and min(expected) < NOT_SURE_BELOW:
        sure = _chi_square(list(_pooled(sample, NOT_SURE_BELOW)), 1.0)
        p, how = NONE_AS_FAR if sure[2] < SURE else _simulated(statistic, expected), "simulated"
        if sure[2] < p == NONE_AS_FAR:  # as far as simulating can tell; the commoner values alone tell how far it is
            statistic, freedom, p = sure
            how = "chi-square"
    off = max(groups, key=lambda group: abs(group[1] - group[2]) / sqrt(group[2]))
    return msgspec.structs.replace(
        test,
        statistic=statistic,
        freedom=freedom,
        p=p,
        how=how,
        tries=sample.n * sample.cards * sample.scale,
        share=max(sample.chances.values()),
        most_off=f"{off[0]}: {off[1]:,}, expected {off[2]:,.1f}",
    )


def _chi_square(groups: Sequence[tuple[str, int, float]], scale: float) -> tuple[float, int, float]:
    """Return the chi-square statistic, its degrees of freedom, and its p-value (1 for a single group)."""
    statistic = sum((times - expected) ** 2 / expected for _, times, expected in groups) * scale
    freedom = len(groups) - 1
    return statistic, freedom, chi_square_above(statistic, freedom) if freedom > 0 else 1.0


def _pooled(sample: ValueCounts, least: float) -> Iterator[tuple[str, int, float]]:
    """Return values with counts and expectations; values expected less often than `least` are pooled as `rare`."""
    total = sample.n * sample.cards
    ordered = sorted(((total * chance, value) for value, chance in sample.chances.items() if chance > 0), reverse=True)
    rare = [(expected, value) for expected, value in ordered if expected < least]
    common = ordered[: len(ordered) - len(rare)]
    while rare and common and sum(expected for expected, _ in rare) < least:
        rare.append(common.pop())
    for expected, value in common:
        yield value, sample.times.get(value, 0), expected
    if rare and sum(expected for expected, _ in rare) >= least:
        yield "rare", sum(sample.times.get(value, 0) for _, value in rare), sum(expected for expected, _ in rare)


def _simulated(statistic: float, expected: Sequence[float]) -> float:
    """Return the share of simulated fair samples at least as far off, plus one on each side (so that it is never 0)."""
    total = round(sum(expected))
    chances = np.array(expected) / sum(expected)
    drawn = np.random.default_rng(688).multinomial(total, chances, size=SIMULATED)
    off = ((drawn - total * chances) ** 2 / (total * chances)).sum(axis=1)
    return float((off >= statistic - 1e-9).sum() + 1) / (SIMULATED + 1)


def _joker(sample: ValueCounts) -> Test:
    """Return an exact binomial test: hands with the joker among all hands."""
    chance, times = sample.chances["joker"], sample.times.get("joker", 0)
    test = Test(family=sample.family, key=sample.key, n=sample.n)
    if sample.n * chance < LEAST_EXPECTED:
        return test
    # Only the tail that the count is off to can be the smaller; within one of the mean, either.
    off, tails = times - sample.n * chance, []
    if off < 1:
        tails.append(1 - binomial_at_least(times + 1, sample.n, chance))
    if off > -1:
        tails.append(binomial_at_least(times, sample.n, chance))
    return msgspec.structs.replace(
        test,
        statistic=off / sqrt(sample.n * chance * (1 - chance)),
        freedom=1,
        tries=sample.n,
        share=chance,
        p=min(1.0, 2 * min(tails)),
        how="binomial",
        most_off=f"joker: {times:,}, expected {sample.n * chance:,.1f}",
    )


def _sum_test(sample: Repeated) -> Test:
    """Return a test of a sum over pairs against its exactly known mean and variance."""
    test = Test(family=sample.family, key=sample.key, n=sample.pairs)
    if sample.pairs < LEAST_PAIRS:
        return test
    z = (sample.total - sample.pairs * sample.mean) / sqrt(sample.pairs * sample.variance)
    comparison = f"{sample.total:,} for {sample.pairs * sample.mean:,.1f}"
    return msgspec.structs.replace(
        test, statistic=z, freedom=1, p=normal_both_sides(z), how="normal", tries=sample.pairs, most_off=comparison
    )


@lru_cache(maxsize=4096)
def _noncentrality(freedom: int, tests: int) -> float:
    """Return the noncentrality that raises an alarm four times in five among this many tests (rounded, to save time)."""
    return detectable_noncentrality(freedom, 10 ** round(np.log10(ALARM_LEVEL / max(1, tests)), 1))


def _detectable(test: Test, tests: int) -> float | None:
    """Return the relative bias in percent that raises an alarm four times in five among this many tests."""
    if test.freedom is None or not test.tries:
        return None
    effect = sqrt(_noncentrality(test.freedom, tests) / test.tries)
    if test.share is None:  # a correlation, in percent
        return 100 * effect
    return 100 * effect * sqrt((1 - test.share) / test.share)


def _row(test: Test, corrected: tuple[float | None, float | None], tests: int) -> dict[str, Any]:
    adjusted, q = corrected
    detectable = _detectable(test, tests)
    verdict = _verdict(test, adjusted, detectable)
    return {
        "family": test.family,
        **_key_columns(test.key),
        "n": test.n,
        "statistic": test.statistic,
        "freedom": test.freedom,
        "p": test.p,
        "p_adjusted": adjusted,
        "q": q,
        "how": test.how,
        "most_off": test.most_off,
        "detectable_percent": detectable,
        "alarm": verdict == "alarm",
        "verdict": verdict,
        "sentence": _sentence(test, verdict, detectable),
    }


def _verdict(test: Test, adjusted: float | None, detectable: float | None) -> str:
    if test.p is None or adjusted is None or detectable is None:
        return "cannot_tell"
    if adjusted <= ALARM_LEVEL:
        return "alarm"
    if test.p <= 0.05:
        return "outside_95"
    return "within" if detectable <= MATERIAL_PERCENT else "cannot_tell"


def _sentence(test: Test, verdict: str, detectable: float | None) -> str:
    if test.p is None or detectable is None:
        why = "the expected odds are not known" if test.how == "no odds" else "too few to test"
        return f"inconclusive: {test.n:,} observed, {why}"
    power = f"minimum detectable bias {detectable:.1f} % (80 % power)"
    match verdict:
        case "alarm":
            return f"chance does not explain it: p = {test.p:.2g} ({test.most_off}); inspect the device and its record"
        case "outside_95":
            return f"outside the 95 % band; not significant after correction for all tests: p = {test.p:.2g} ({test.most_off})"
        case "within":
            return f"within chance: p = {test.p:.2g}; {power}"
        case _:
            return f"inconclusive: no deviation found (p = {test.p:.2g}), {power}"
