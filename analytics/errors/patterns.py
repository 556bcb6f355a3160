"""Repetitions among dealing errors: the same dealer, the same patron's token, the same direction.

Invariant: a pattern is a place to look, not an accusation. Each is compared with the same number of errors falling on wagers by
chance, corrected for all pairs that could be outliers, including those without an error. A token is a pseudonym; a patron who
often plays at one table often meets its dealers.
"""

from typing import Any, Final

import polars as pl

from analytics.errors.dealer_errors import LOOK_LEVEL, MISTAKES
from analytics.statistics.exact import binomial_at_least
from analytics.statistics.multiplicity import holm
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import EVERYTHING, WHERE, Selection, frame
from analytics.warehouse.warehouse import Warehouse
from replay.narrative.names import table_name

LEAST: Final = 2
"""Once is no repetition."""


def repeat_patterns(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return recurring errors, least explained by chance first; a round counts once, by its most wrong wager.

    Columns: `kind` (`dealer_patron`, `dealer`, `patron`: whose mistakes repeat), `direction` (`overpaid`: to the patron's gain),
    `dealer`, `bettor` (None if not part of it), `times` (rounds), `of` (all wrong rounds compared), `expected` (by chance),
    `amount_cents`, `p`, `p_adjusted` (Holm over all possible outliers), `look`, `sentence`.
    """
    mispayments = _mispayments(db, selection)
    rows: list[dict[str, Any]] = []
    tests = 0
    for kind, candidates, count in (_dealers(mispayments), *_patrons(db, mispayments, selection)):
        tests += count
        rows += [{"kind": kind, **row} for row in candidates]
    adjusted = holm([row["p"] for row in rows], tests)
    shown = [
        row | {"p_adjusted": p, "look": p <= LOOK_LEVEL, "sentence": _sentence(row, p <= LOOK_LEVEL)}
        for row, p in zip(rows, adjusted, strict=True)
    ]
    return pl.DataFrame(shown, schema=_SCHEMA).sort("p", "kind", "dealer", "bettor", "direction", nulls_last=True)


_SCHEMA: Final = schema_of(
    "kind VARCHAR, direction VARCHAR, dealer VARCHAR, bettor VARCHAR, times BIGINT, of BIGINT, expected DOUBLE, "
    "amount_cents BIGINT, p DOUBLE, p_adjusted DOUBLE, look BOOLEAN, sentence VARCHAR"
)


def _mispayments(db: Warehouse, selection: Selection) -> pl.DataFrame:
    """Return rounds with a mispayment by dealer, direction and patron: a round counts once, with its most wrong wager.

    Errors in one round have one cause (a void that was not paid back), and would look like a repetition.
    """
    return frame(
        db,
        f"""
        WITH wrong AS (
            SELECT
                stream, round_no, dealer,
                arg_max(nullif(bettor, ''), abs(difference_cents)) AS bettor,
                arg_max(difference_cents, abs(difference_cents)) AS cents
            FROM fct_findings
            WHERE {MISTAKES} AND difference_cents <> 0 AND {WHERE}
            GROUP BY stream, round_no, dealer
        )

        SELECT
            dealer, bettor, CASE WHEN cents > 0 THEN 'overpaid' ELSE 'underpaid' END AS direction,
            count(*) AS times, sum(abs(cents))::BIGINT AS amount_cents
        FROM wrong
        GROUP BY ALL
        """,
        selection,
    )


Candidates = tuple[str, list[dict[str, Any]], int]
"""A kind, what was seen of it `LEAST` times, and how many could have been seen."""


def _dealers(mispayments: pl.DataFrame) -> Candidates:
    """Compare each dealer's share of a direction with its share among all other dealers' errors."""
    totals = mispayments.group_by("dealer", "direction").agg(pl.col("times").sum(), pl.col("amount_cents").sum())
    of_dealer, of_direction = _times(totals, "dealer"), _times(totals, "direction")
    everybody = sum(of_dealer.values())
    rows = []
    for row in totals.iter_rows(named=True):
        if not row["dealer"] or row["times"] < LEAST:  # no one was tapped in: what has that in common is no person's
            continue
        own = of_dealer[row["dealer"]]
        same = of_direction[row["direction"]] - row["times"]
        # One more of each, so that a short record proves nothing; and what goes both ways is one-sided to no one.
        share = max(0.5, (same + 1) / (everybody - own + 2))
        rows.append(_row(row, None, own, share))
    return "dealer", rows, 2 * len(of_dealer)


def _patrons(db: Warehouse, mispayments: pl.DataFrame, selection: Selection) -> list[Candidates]:
    """Compare each patron's share of the wrong rounds, per dealer and on the floor, with the patron's share of the wagers."""
    wagers = frame(
        db,
        f"""
        WITH pairs AS MATERIALIZED (
            SELECT dealer, bettor, sum(wagers)::BIGINT AS times FROM mart_bettors WHERE {WHERE} GROUP BY dealer, bettor
        )

        SELECT 'dealer' AS of, dealer AS who, '' AS bettor, sum(times)::BIGINT AS times, count(*) AS pairs
        FROM pairs GROUP BY dealer
        UNION ALL
        SELECT 'patron', bettor, '', sum(times)::BIGINT, count(*) FROM pairs GROUP BY bettor
        UNION ALL
        SELECT 'both', dealer, bettor, times, 1 FROM pairs SEMI JOIN (
            SELECT dealer, bettor FROM fct_findings WHERE {MISTAKES} AND {WHERE}
        ) USING (dealer, bettor)
        """,
        selection,
    )
    if wagers.is_empty():
        return []
    by_dealer, by_patron = (_times(wagers.filter(pl.col("of") == of), "who") for of in ("dealer", "patron"))
    together = _times(wagers.filter(pl.col("of") == "both"), "who", "bettor")
    pairs_in_all = int(wagers.filter(pl.col("of") == "dealer")["pairs"].sum())
    known = mispayments.filter(pl.col("bettor").is_not_null())
    of_both, of_direction = _times(known, "dealer", "direction"), _times(known, "direction")
    repeated = pl.col("times") >= LEAST
    pairs = [
        _row(
            row,
            row["bettor"],
            of_both[row["dealer"], row["direction"]],
            together.get((row["dealer"], row["bettor"]), 0) / max(1, by_dealer.get(row["dealer"], 0)),
        )
        for row in known.filter(repeated).iter_rows(named=True)
        if row["dealer"]
    ]
    floor = sum(by_dealer.values())
    of_patron = known.group_by("bettor", "direction").agg(pl.col("times", "amount_cents").sum())
    patrons = [
        _row({**row, "dealer": None}, row["bettor"], of_direction[row["direction"]], by_patron.get(row["bettor"], 0) / floor)
        for row in of_patron.filter(repeated).iter_rows(named=True)
    ]
    return [("dealer_patron", pairs, 2 * pairs_in_all), ("patron", patrons, 2 * len(by_patron))]


def _times(mispayments: pl.DataFrame, *columns: str) -> dict[Any, int]:
    """Return the sum of `times` by one or several columns."""
    sums = mispayments.group_by(columns).agg(pl.col("times").sum())
    return {key[0] if len(columns) == 1 else tuple(key): times for *key, times in sums.iter_rows()}


def _row(row: dict[str, Any], bettor: str | None, of: int, share: float) -> dict[str, Any]:
    return {
        "direction": row["direction"],
        "dealer": row["dealer"],
        "bettor": bettor,
        "times": row["times"],
        "of": of,
        "expected": of * share,
        "amount_cents": row["amount_cents"],
        "p": binomial_at_least(row["times"], of, share),
    }


def _sentence(row: dict[str, Any], look: bool) -> str:
    done, dealer = row["direction"], table_name(str(row["dealer"]))
    verdict = (
        "needs review"
        if look
        else "within chance"
        if row["p"] > LOOK_LEVEL
        else "not significant after correction for the number of comparisons"
    )
    match row["kind"]:
        case "dealer":
            pattern = f"{dealer} {done} patrons in {row['times']} of {row['of']} rounds with a mispayment"
        case "patron":
            pattern = f"{row['bettor']} was {done} in {row['times']} of the floor's {row['of']} {done} rounds"
        case _:
            pattern = f"{row['bettor']} was {done} in {row['times']} of {dealer}'s {row['of']} {done} rounds"
    return f"{pattern}; {row['expected']:.1f} expected by chance (p = {row['p']:.2g}): {verdict}; the cause is not known"
