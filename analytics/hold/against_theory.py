"""Actual against theoretical house win, wager by wager: is it luck? A sample that is too small is called inconclusive.

Invariant: a wager is compared with its own paytable, in the edition of the chapter that was in force on the day; the variance is
that of rounds, since seats share the dealer's hand; p-values are corrected for the number of rows in the report (Holm), so that
at most one report in a hundred on an honest floor has an alarm. A wager without a decision is tested on both sides: a high win
may mean that winners were underpaid. If patrons make decisions, a win above theory is not an alarm: imperfect play is its first
explanation (D604).
"""

from collections.abc import Mapping
from math import inf
from typing import Any, Final

import msgspec
import polars as pl

from analytics.hold.luck import Band, Volume, band, skewness_of
from analytics.statistics.multiplicity import holm
from analytics.theory.expectation import Expected, expected_of
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import EVERYTHING, WHERE, Selection, columns_of, frame, published_editions
from analytics.warehouse.warehouse import Warehouse
from replay.narrative.names import plural

BY: Final = ("property", "game", "table", "dealer", "shift", "hour", "gaming_day", "dealer_table", "month")
ALARM_LEVEL: Final = 0.01
"""The chance that a report on an honest floor has any alarm in it at all."""

MATERIAL_PERCENT: Final = 5.0
"""A departure of the house win, in per cent of the units wagered, that a sample must be able to show before it can acquit."""

_TO_DETECT: Final = 2.9677 + 0.8416
"""Standard deviations between a mean and one that is outside the 99.7 % band with a power of 80 %."""

ROUNDS_FOR_SHARING: Final = 300
"""Rounds needed to measure how far the seats of a round end together; with fewer, all are taken to end together."""

_SUMS: Final = """
    sum(rounds)::BIGINT AS rounds,
    sum(bets)::BIGINT AS bets,
    sum(handle_cents)::BIGINT AS handle_cents,
    sum(house_win_cents)::BIGINT AS house_win_cents,
    sum(unit_cents)::BIGINT AS unit_cents,
    sum(sum_u2) AS sum_u2,
    sum(sum_u3) AS sum_u3,
    sum(sum_round_u2) AS sum_round_u2,
    sum(sum_round_u3) AS sum_round_u3,
    sum(sum_round_w2) AS sum_round_w2,
    sum(sum_round_wu) AS sum_round_wu,
    max(max_u)::BIGINT AS max_u,
    max(max_round_u)::BIGINT AS max_round_u
"""


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A row's sums next to their expectation by theory, in cents.

    `expected` is None if theory does not know the wager, `band` also if none was requested.
    """

    key: dict[str, Any]
    expected: Expected | None
    band: Band | None
    rounds: int
    bets: int
    handle_cents: int
    house_win_cents: int
    unit_cents: int
    volume: Volume | None
    """The stakes by what ends together; None without theory."""

    @property
    def variance_cents(self) -> float:
        """The variance of the house win, in cents squared, with seats that end together; 0 without theory."""
        return self.expected.variance * self.volume.sum_2 if self.expected and self.volume else 0.0

    @property
    def skewness(self) -> float:
        """The skewness of the house win; 0 without theory."""
        return skewness_of(self.expected, self.volume) if self.expected and self.volume else 0.0

    @property
    def theoretical_cents(self) -> float:
        """The theoretical win of the house; 0 without theory."""
        return 0.0 if self.expected is None else self.expected.edge * self.unit_cents


def compare(
    db: Warehouse, by: str = "game", selection: Selection = EVERYTHING, *, bands: bool = True, stakeless: bool = False
) -> list[Compared]:
    """Return each wager of each value next to its expectation; `stakeless` adds payments without one (an Envy Bonus)."""
    columns = list(columns_of(by, BY))
    grouped = ", ".join(dict.fromkeys([*columns, "game", "chapter", "theory_wager", "paytable"]))
    apart = ", unit_cents > 0" if stakeless else ""
    rows = frame(
        db,
        f"""
        SELECT {grouped}, {_SUMS}
        FROM (SELECT *, date_trunc('month', gaming_day)::DATE AS month FROM mart_against_theory
            WHERE {WHERE} AND ({stakeless} OR unit_cents > 0))
        GROUP BY {grouped}{apart}
        ORDER BY {grouped}
        """,
        selection,
    )
    sharing, published = _sharing(db, selection), _published(db, rows)
    return [_compared(row, columns, sharing, bands, published) for row in rows.iter_rows(named=True)]


def win_against_theory(db: Warehouse, by: str = "game", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return actual against theoretical house win, a row for each value, wager and paytable.

    Columns: the value, `game`, `chapter`, `wager` (wagers settled together are one: `ante_blind_raise`), `paytable`, `rounds`,
    `bets`, `handle_cents`, `house_win_cents`, `theoretical_win_cents`, `difference_cents`, `house_win_percent` and
    `theoretical_percent` (of the units), `z`, the bands `low_95_cents` … `high_997_cents`, `p_low`, `p_high`, `p` (the one the
    verdict goes by), `p_adjusted` (Holm over the rows of this report), `alarm`, `verdict`, `method` (normal or exact),
    `detectable_percent` (the minimum detectable bias, 80 % power), `rounds_needed` (to detect `MATERIAL_PERCENT`) and `sentence`.
    For wagers unknown to theory these are None and the verdict is `no_theory`. Verdicts: `alarm`, `outside_997`, `outside_95`,
    `within`, `cannot_tell`, `above` (more than best play allows, if patrons decide), `no_theory`. The wagers of a row:
    `analytics.hold.figure_detail`.
    """
    compared = compare(db, by, selection)
    tested = [each for each in compared if each.band is not None and each.expected is not None]
    adjusted = iter(holm([_p(each) for each in tested]))
    rows = [_row(each, next(adjusted) if each.band is not None else None) for each in compared]
    return pl.DataFrame(rows, infer_schema_length=None) if rows else pl.DataFrame(schema=_EMPTY)


def band_on(db: Warehouse, game: str, made: Expected, other: Expected) -> Band | None:
    """Return the band of the house win on another paytable for these wagers, over all gaming days; None without wagers."""
    part = Selection(game=game)
    rows = frame(
        db,
        f"""
        SELECT chapter, theory_wager, {_SUMS}
        FROM mart_against_theory
        WHERE {WHERE} AND unit_cents > 0 AND chapter = $chapter AND theory_wager = $wager AND paytable = $paytable
        GROUP BY chapter, theory_wager
        """,
        part,
        chapter=made.chapter,
        wager=made.wager,
        paytable=made.paytable,
    )
    if rows.is_empty():
        return None
    return band(other, _volume(rows.row(0, named=True), other, _sharing(db, part)), 0)


def _published(db: Warehouse, rows: pl.DataFrame) -> tuple[str, ...]:
    """Return the texts of the property's amendments, if a row is of an amended edition."""
    return published_editions(db) if any("#" in key for key in rows["chapter"]) else ()


def _sharing(db: Warehouse, selection: Selection) -> Mapping[tuple[str, str], float]:
    """Return the variance of rounds relative to single wagers over the whole floor, so that no stolen sum widens its own band."""
    rows = frame(
        db,
        """
        SELECT * FROM mart_theory_floor WHERE $game::VARCHAR IS NULL OR game = $game
        """,
        selection,
    )
    observed: dict[tuple[str, str], tuple[int, float, float]] = {}
    published = _published(db, rows)
    for row in rows.iter_rows(named=True):
        expected = expected_of(row["chapter"], row["theory_wager"], row["paytable"], published)
        if expected is None:
            continue
        key = row["chapter"], row["theory_wager"]
        e = row["house_win_cents"] / row["unit_cents"]
        squares = row["sum_round_w2"] - 2 * e * row["sum_round_wu"] + e * e * row["sum_round_u2"]
        rounds, together, alone = observed.get(key, (0, 0.0, 0.0))
        observed[key] = rounds + row["rounds"], together + squares, alone + expected.variance * row["sum_u2"]
    return {
        key: max(1.0, together / alone) for key, (rounds, together, alone) in observed.items() if rounds >= ROUNDS_FOR_SHARING
    }


def _compared(
    row: Mapping[str, Any], columns: list[str], sharing: Mapping[tuple[str, str], float], bands: bool, published: tuple[str, ...]
) -> Compared:
    of = row["chapter"], row["theory_wager"], row["paytable"]
    expected = expected_of(*of, published) if row["unit_cents"] else None
    key = {column: row[column] for column in columns}
    key |= {"game": row["game"], "chapter": row["chapter"], "wager": row["theory_wager"], "paytable": row["paytable"]}
    volume = None if expected is None else _volume(row, expected, sharing)
    limits = band(expected, volume, row["house_win_cents"]) if bands and expected and volume else None
    return Compared(
        key=key,
        expected=expected,
        band=limits,
        rounds=row["rounds"],
        bets=row["bets"],
        handle_cents=row["handle_cents"],
        house_win_cents=row["house_win_cents"],
        unit_cents=row["unit_cents"],
        volume=volume,
    )


def _volume(row: Mapping[str, Any], expected: Expected, sharing: Mapping[tuple[str, str], float]) -> Volume:
    """Return the stakes of a row by the unit that is settled together: whole rounds, single seats, or something between."""
    units, whole = row["unit_cents"], row["max_round_u"]
    if expected.shares == "round":
        return Volume(units=units, sum_2=row["sum_round_u2"], sum_3=row["sum_round_u3"], largest=whole)
    if expected.shares == "seat":
        return Volume(units=units, sum_2=row["sum_u2"], sum_3=row["sum_u3"], largest=row["max_u"])
    together = row["sum_round_u2"] / row["sum_u2"]
    shared = min(together, sharing.get((row["chapter"], row["theory_wager"]), inf))
    return Volume(units=units, sum_2=row["sum_u2"] * shared, sum_3=row["sum_u3"] * shared**2, largest=whole)


def _p(compared: Compared) -> float:
    """Return the p-value for the verdict: of too little win only if patrons decide, two-sided otherwise."""
    assert compared.band is not None
    assert compared.expected is not None
    return compared.band.p_low if compared.expected.decided else compared.band.p_both


def verdict_of(compared: Compared, adjusted: float) -> str:
    """Return the verdict on one row: a deviation counts in any sample, its absence only in one that could show it."""
    assert compared.band is not None
    p = _p(compared)
    if adjusted <= ALARM_LEVEL:
        return "alarm"
    if p <= 0.003:
        return "outside_997"
    if p <= 0.05:
        return "outside_95"
    if compared.expected is not None and compared.expected.decided and compared.band.p_high <= 0.025:
        return "above"
    return "within" if _detectable(compared) <= MATERIAL_PERCENT else "cannot_tell"


def _detectable(compared: Compared) -> float:
    assert compared.band is not None
    return 100 * _TO_DETECT * compared.band.std_dev / compared.unit_cents


def _row(compared: Compared, adjusted: float | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        **compared.key,
        "rounds": compared.rounds,
        "bets": compared.bets,
        "handle_cents": compared.handle_cents,
        "house_win_cents": compared.house_win_cents,
        "house_win_percent": 100 * compared.house_win_cents / compared.unit_cents,
    }
    if compared.band is None or compared.expected is None or adjusted is None:
        unknown = dict.fromkeys(name for name in _EMPTY if name not in row)
        return row | unknown | {"alarm": False, "verdict": "no_theory", "sentence": _sentence(compared, None)}
    limits, detectable = compared.band, _detectable(compared)
    verdict = verdict_of(compared, adjusted)
    return row | {
        "theoretical_win_cents": round(limits.expected),
        "difference_cents": compared.house_win_cents - round(limits.expected),
        "theoretical_percent": 100 * compared.expected.edge,
        "z": limits.z,
        "low_95_cents": round(limits.low_95),
        "high_95_cents": round(limits.high_95),
        "low_997_cents": round(limits.low_997),
        "high_997_cents": round(limits.high_997),
        "p_low": limits.p_low,
        "p_high": limits.p_high,
        "p": _p(compared),
        "p_adjusted": adjusted,
        "method": limits.method,
        "detectable_percent": detectable,
        "rounds_needed": max(1, round(compared.rounds * (detectable / MATERIAL_PERCENT) ** 2)),
        "alarm": verdict == "alarm",
        "verdict": verdict,
        "sentence": _sentence(compared, verdict),
    }


_EMPTY: Final = schema_of(
    "game VARCHAR, chapter VARCHAR, wager VARCHAR, paytable VARCHAR, rounds BIGINT, bets BIGINT, handle_cents BIGINT, "
    "house_win_cents BIGINT, house_win_percent DOUBLE, theoretical_win_cents BIGINT, difference_cents BIGINT, "
    "theoretical_percent DOUBLE, z DOUBLE, low_95_cents BIGINT, high_95_cents BIGINT, low_997_cents BIGINT, "
    "high_997_cents BIGINT, p_low DOUBLE, p_high DOUBLE, p DOUBLE, p_adjusted DOUBLE, method VARCHAR, "
    "detectable_percent DOUBLE, rounds_needed BIGINT, alarm BOOLEAN, verdict VARCHAR, sentence VARCHAR"
)


def probability(p: float) -> str:
    """Return a probability in readable form, to two digits.

    >>> probability(1.0), probability(0.31), probability(0.012), probability(0.000069), probability(2.4e-22)
    ('100 %', '31 %', '1.2 %', '1 in 14,000', 'less than 1 in 1,000,000')
    """
    if p < 1e-6:
        return "less than 1 in 1,000,000"
    if p >= 0.1:
        return f"{100 * p:.0f} %"
    return f"{100 * p:.2g} %" if p >= 0.01 else f"1 in {float(f'{1 / p:.2g}'):,.0f}"


def _sentence(compared: Compared, verdict: str | None) -> str:
    """Return the conclusion in one sentence."""
    if compared.band is None or compared.expected is None or verdict is None:
        return "no theoretical return is known for this wager; it is not compared"
    limits = compared.band
    less = limits.z < 0
    side = "less" if less else "more"
    p_value = limits.p_low if less else limits.p_high
    chance = f"the probability of this {'little' if less else 'much'} or {side} by luck alone is {probability(p_value)}"
    if verdict == "cannot_tell":
        needed = compared.rounds * (_detectable(compared) / MATERIAL_PERCENT) ** 2
        sample = f"inconclusive: {plural(compared.rounds, 'round')}"
        return f"{sample}; to detect a difference of {MATERIAL_PERCENT:g} % takes about {needed:,.0f}"
    if verdict == "within":
        return f"luck explains it: {chance}"
    if verdict == "above":
        explanation = "play below the best is the first explanation, then winners underpaid"
        return f"above best play: {chance}; {explanation}"
    words = {"alarm": "luck does not explain it", "outside_997": "outside the 99.7 % band", "outside_95": "outside the 95 % band"}
    if verdict != "alarm":
        return f"{words[verdict]}: {chance}; not significant after correction for the other rows"
    cause = "losing wagers not collected and winners overpaid or paid twice" if less else "winners underpaid or not paid"
    return f"{words[verdict]}: {chance}; check for {cause}"
