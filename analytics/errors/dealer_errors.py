"""Dealing errors and their frequency: mispayments, error rates with intervals, repetitions, rules that need training.

Invariant: a count comes with its exposure (judged rounds and their wagers), and a rate with its interval. Overpayments and
underpayments are never netted. Many errors can come from many rounds or hard games, so each value is compared with the floor's
own rates for the same games. An outlier is a place to look, not an accusation. Findings about the log itself (LOG-…) are not
dealing errors and are left out, and so are findings resolved as no fault (D692).
"""

from math import nan
from typing import Any, Final

import numpy as np
import polars as pl

from analytics.statistics.exact import clopper_pearson
from analytics.statistics.outliers import Counts, standing_out
from analytics.warehouse.selection import EVERYTHING, WHERE, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse

BY_MISTAKES: Final = ("property", "dealer", "table", "game", "code", "shift", "hour", "seat", "gaming_day", "dealer_table")
LOOK_LEVEL: Final = 0.01
"""The chance that a report on a floor whose rates are alike says "needs review" at all."""

MISTAKES: Final = """
    code NOT LIKE 'LOG-%' AND game IS NOT NULL AND finding_id NOT IN (
        SELECT finding_id FROM stg_reviews
        WHERE state = 'resolved' AND disposition IN ('false_alarm', 'record_wrong', 'duplicate')
    )
"""
"""Findings of a round that was dealt: what names a round in a meter's stream has no table, game or dealer. What people resolved
as no fault is no error of a dealer (D692)."""


def error_rates(db: Warehouse, by: str = "dealer", selection: Selection = EVERYTHING, *, money_only: bool = True) -> pl.DataFrame:
    """Return errors and their rates, a row for each value, farthest above the floor's rates first.

    `money_only`: only mispayments; otherwise all errors. Columns: the value, `findings` (all), `mispayments`, `overpaid_cents`,
    `underpaid_cents`, `rounds`, `wagers`, `counted` (the findings in the rates), `rounds_wrong` (rounds with at least one),
    `per_1000_rounds` (rounds wrong) and `per_1000_wagers` (findings), each with `…_low` and `…_high` (95 %, Clopper-Pearson for
    wrong rounds; since the findings of a round are correlated, the interval of wagers is scaled by the findings in a wrong
    round), `expected` (wrong rounds at the rates for the same games of all values that are no outliers), `p` (of this many or
    more), `p_adjusted` (Holm) and `look`. By property, game and code there is no `expected`; by code, every code has all rounds
    and wagers of the selection; by seat, findings without a seat are left out.
    """
    columns = columns_of(by, BY_MISTAKES)
    summed = _summed(db, by, selection, money_only)
    summed = summed.with_columns(_rates(summed))
    if by in ("property", "code", "game"):  # these are the floor, or its games: there is no one to hold them against
        shown = summed.with_columns(expected=None, p=1.0, p_adjusted=1.0, look=False)
    else:
        held = standing_out(*_cells(summed), LOOK_LEVEL)
        shown = summed.with_columns(
            expected=held.expected, p=held.p, p_adjusted=held.p_adjusted, look=held.p_adjusted <= LOOK_LEVEL
        )
    frame_ = shown.select(*columns, *(pl.col(name).cast(kind) for name, kind in _RATES.items()))
    return frame_.sort(["p", "counted", *columns], descending=[False, True, *(False for _ in columns)])


def _summed(db: Warehouse, by: str, selection: Selection, money_only: bool) -> pl.DataFrame:
    """Return errors with their rounds and wagers, a row for each value, from one statement."""
    columns = columns_of(by, BY_MISTAKES)
    per_game = () if by == "code" else tuple(column for column in columns if column != "game")
    keys = "".join(f"{column}, " for column in per_game)
    exposures, of = ("mart_seats", "") if by == "seat" else ("mart_pace", "judged_")
    return frame(
        db,
        f"""
        WITH exposed AS (
            SELECT {keys}game, sum({of}rounds)::BIGINT AS rounds, sum({of}wagers)::BIGINT AS wagers
            FROM {exposures} WHERE {WHERE} GROUP BY {keys}game
        ),

        {_counted(by, keys, "difference_cents <> 0" if money_only else "true")},

        summed AS (
            SELECT
                {"code, " if by == "code" else "".join(f"{column}, " for column in columns)}
                sum(coalesce(findings, 0))::BIGINT AS findings,
                sum(coalesce(mispayments, 0))::BIGINT AS mispayments,
                sum(coalesce(overpaid_cents, 0))::BIGINT AS overpaid_cents,
                sum(coalesce(underpaid_cents, 0))::BIGINT AS underpaid_cents,
                {"any_value((SELECT sum(rounds) FROM exposed))::BIGINT" if by == "code" else "sum(rounds)::BIGINT"} AS rounds,
                {"any_value((SELECT sum(wagers) FROM exposed))::BIGINT" if by == "code" else "sum(wagers)::BIGINT"} AS wagers,
                sum(coalesce(counted, 0))::BIGINT AS counted,
                sum(coalesce(rounds_wrong, 0))::BIGINT AS rounds_wrong,
                {"NULL" if by == "code" else "list({'game': game, 'rounds': rounds, 'wrong': coalesce(rounds_wrong, 0)})"}
                    AS games
            FROM {"mistakes" if by == "code" else f"exposed LEFT JOIN mistakes USING ({keys}game)"}
            GROUP BY ALL
            HAVING count(*) > 0
        )

        SELECT *, nullif(rounds, 0) / 1000::DOUBLE AS thousand_rounds, nullif(wagers, 0) / 1000::DOUBLE AS thousand_wagers
        FROM summed
        """,
        selection,
    )


def _counted(by: str, keys: str, counted: str) -> str:
    """Return the part of a statement that counts errors: first by round (`of_round`), then by value and game (`mistakes`)."""
    keys = f"{keys}code, game" if by == "code" else f"{keys}game"
    return f"""
        of_round AS (
            SELECT
                {keys}, stream, round_no,
                count(*) AS findings,
                count(*) FILTER (difference_cents <> 0) AS mispayments,
                count(*) FILTER ({counted}) AS counted,
                sum(overpaid_cents) AS overpaid_cents,
                sum(underpaid_cents) AS underpaid_cents
            FROM fct_findings
            WHERE {MISTAKES} AND {"seat IS NOT NULL" if by == "seat" else "true"} AND {WHERE}
            GROUP BY ALL
        ),

        mistakes AS (
            SELECT
                {keys},
                sum(findings) AS findings,
                sum(mispayments) AS mispayments,
                sum(counted) AS counted,
                count(*) FILTER (counted > 0) AS rounds_wrong,
                sum(overpaid_cents) AS overpaid_cents,
                sum(underpaid_cents) AS underpaid_cents
            FROM of_round
            GROUP BY ALL
        )"""


_INTERVALS: Final = tuple(f"per_1000_{of}{end}" for of in ("rounds", "wagers") for end in ("", "_low", "_high"))
_COUNTS: Final = ("findings", "mispayments", "overpaid_cents", "underpaid_cents", "rounds", "wagers", "counted", "rounds_wrong")
_RATES: Final[dict[str, Any]] = {
    **dict.fromkeys(_COUNTS, pl.Int64),
    "expected": pl.Float64,
    **dict.fromkeys(_INTERVALS, pl.Float64),
    **dict.fromkeys(("p", "p_adjusted"), pl.Float64),
    "look": pl.Boolean,
}


def _rates(counts: pl.DataFrame) -> list[pl.Expr]:
    """Return rates with the interval of wrong rounds, scaled by the findings in a wrong round."""
    bounds = [_rounds_wrong(*row) for row in counts.select("rounds_wrong", "rounds").iter_rows()]
    low, high = (pl.Series([each[end] for each in bounds], dtype=pl.Float64) for end in (0, 1))
    per_round = pl.when(pl.col("rounds_wrong") > 0).then(pl.col("counted") / pl.col("rounds_wrong")).otherwise(1.0)
    rates = []
    for of, count, stretched in (("rounds", "rounds_wrong", pl.lit(1.0)), ("wagers", "counted", per_round)):
        exposure = pl.col(f"thousand_{of}")
        rates += [
            (pl.col(count) / exposure).alias(f"per_1000_{of}"),
            (pl.lit(low) / exposure * stretched).alias(f"per_1000_{of}_low"),
            (pl.lit(high) / exposure * stretched).alias(f"per_1000_{of}_high"),
        ]
    return rates


def _rounds_wrong(wrong: int, of: int | None) -> tuple[float, float]:
    """Return the 95 % bounds of the number of wrong rounds among this many; never more than there are."""
    rounds = max(wrong, of or 0)
    share = clopper_pearson(wrong, rounds)
    return rounds * share.low, rounds * share.high


def _cells(counts: pl.DataFrame) -> tuple[Counts, Counts]:
    """Return rounds and wrong rounds for `standing_out`: a row for each of `counts`, a column for each game."""
    cells = counts.select(pl.int_range(pl.len()).alias("row"), "games").explode("games").unnest("games").drop_nulls("game")
    at = cells["row"].to_numpy(), (cells["game"].rank("dense") - 1).to_numpy()
    rounds, wrong = np.zeros((2, counts.height, cells["game"].n_unique()), dtype=np.int64)
    rounds[at], wrong[at] = cells["rounds"], cells["wrong"]
    return rounds, wrong


def error_prone_rules(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the rules of play most often broken, a row for each game, code, section and wager.

    If many dealers break a rule, it needs training or another layout; if a single dealer does, that dealer does. Columns: `game`,
    `code`, `cite`, `wager`, `findings`, `dealers`, `tables`, `top_dealer_percent` (the share of the dealer with most),
    `overpaid_cents`, `underpaid_cents`, `rounds` (of the game), `per_1000_rounds` with `…_low`, `…_high`.
    """
    repeats = frame(
        db,
        f"""
        WITH per_dealer AS (
            SELECT game, code, cite, coalesce(wager, '') AS wager, dealer, count(*) AS findings,
                count(DISTINCT (stream, round_no)) AS rounds_wrong,
                list(DISTINCT table_id) AS tables, sum(overpaid_cents)::BIGINT AS over, sum(underpaid_cents)::BIGINT AS under
            FROM fct_findings
            WHERE {MISTAKES} AND {WHERE}
            GROUP BY ALL
        ),

        played AS (SELECT game, sum(judged_rounds)::BIGINT AS rounds FROM mart_pace WHERE {WHERE} GROUP BY game)

        SELECT
            game, code, cite, wager,
            sum(findings)::BIGINT AS findings,
            count(DISTINCT dealer) AS dealers,
            len(list_distinct(flatten(list(tables)))) AS tables,
            100.0::DOUBLE * max(findings) / sum(findings) AS top_dealer_percent,
            sum(over)::BIGINT AS overpaid_cents,
            sum(under)::BIGINT AS underpaid_cents,
            any_value(rounds) AS rounds,
            sum(rounds_wrong)::BIGINT AS rounds_wrong
        FROM per_dealer LEFT JOIN played USING (game)
        GROUP BY game, code, cite, wager
        ORDER BY findings DESC, game, code, cite, wager
        """,
        selection,
    )
    per_round = [(row["rounds"], row["findings"], row["rounds_wrong"]) for row in repeats.iter_rows(named=True)]
    bounds = [
        [end * 1000 * findings / wrong / rounds for end in _rounds_wrong(wrong, rounds)] if rounds else [nan, nan]
        for rounds, findings, wrong in per_round
    ]
    return repeats.drop("rounds_wrong").with_columns(
        (1000 * pl.col("findings") / pl.col("rounds")).alias("per_1000_rounds"),
        pl.Series("per_1000_rounds_low", [low for low, _ in bounds], dtype=pl.Float64),
        pl.Series("per_1000_rounds_high", [high for _, high in bounds], dtype=pl.Float64),
    )


def time_to_detection(db: Warehouse, by: str = "code", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return how long dealing errors went undetected, a row for each value: medians in seconds.

    `to_close_seconds`: from the event that shows the error to the end of its round, when a replay finds it; `to_review_seconds`:
    from the end of the round until somebody first reviewed it; `to_disposition_seconds`: until the disposition in force. Next to
    them `findings`, `reviewed`, `settled`, `waiting` (not yet reviewed); medians are None if there are none. `…_p90` is the ninth
    decile.
    """
    columns = columns_of(by, BY_MISTAKES)
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        WITH timed AS (
            SELECT
                {named}
                (closed_at_us - shown_at_us) / 1e6::DOUBLE AS to_close,
                (first_at_us - closed_at_us) / 1e6::DOUBLE AS to_review,
                (settled_at_us - closed_at_us) / 1e6::DOUBLE AS to_disposition
            FROM fct_findings LEFT JOIN stg_reviews USING (finding_id)
            WHERE {MISTAKES} AND {WHERE}
        )

        SELECT
            {named}
            count(*) AS findings,
            count(to_review) AS reviewed,
            count(to_disposition) AS settled,
            count(*) - count(to_review) AS waiting,
            median(to_close) AS to_close_seconds,
            quantile_cont(to_close, 0.9) AS to_close_seconds_p90,
            median(to_review) AS to_review_seconds,
            quantile_cont(to_review, 0.9) AS to_review_seconds_p90,
            median(to_disposition) AS to_disposition_seconds,
            quantile_cont(to_disposition, 0.9) AS to_disposition_seconds_p90
        FROM timed
        GROUP BY {named}() HAVING count(*) > 0
        ORDER BY {named}findings
        """,
        selection,
    )


def false_alarms(db: Warehouse) -> pl.DataFrame:
    """Return how often people or corrections of the record overturned each code, a row for each code, worst first.

    Columns: `code`, `findings` (in force), `withdrawn` (by a correction of the record), `disposed` (without duplicates),
    `confirmed`, `false_alarms`, `record_wrong`, `cannot_tell`, `duplicates`, `false_alarm_percent` (false alarms and wrong
    records of those disposed of) with `low_percent` and `high_percent` (95 %, Clopper and Pearson); None if there were none.
    """
    standing = frame(
        db,
        """
        WITH stand AS (
            SELECT
                code,
                count(*) AS findings,
                count(*) FILTER (disposition <> 'duplicate') AS disposed,
                count(*) FILTER (disposition LIKE 'confirmed%') AS confirmed,
                count(*) FILTER (disposition = 'false_alarm') AS false_alarms,
                count(*) FILTER (disposition = 'record_wrong') AS record_wrong,
                count(*) FILTER (disposition = 'cannot_tell') AS cannot_tell,
                count(*) FILTER (disposition = 'duplicate') AS duplicates
            FROM fct_findings LEFT JOIN stg_reviews USING (finding_id)
            GROUP BY code
        )

        SELECT code, coalesce(findings, 0) AS findings, coalesce(w.withdrawn, 0) AS withdrawn,
            coalesce(disposed, 0) AS disposed, coalesce(confirmed, 0) AS confirmed, coalesce(false_alarms, 0) AS false_alarms,
            coalesce(record_wrong, 0) AS record_wrong, coalesce(cannot_tell, 0) AS cannot_tell,
            coalesce(duplicates, 0) AS duplicates
        FROM stand FULL JOIN (SELECT code, count(*) AS withdrawn FROM stg_withdrawn GROUP BY code) AS w USING (code)
        """,
    )
    rows = []
    for row in standing.iter_rows(named=True):
        wrong, of = row["false_alarms"] + row["record_wrong"], row["disposed"]
        interval = clopper_pearson(wrong, of) if of else None
        rows.append(
            row
            | {
                "false_alarm_percent": 100 * wrong / of if of else None,
                "low_percent": 100 * interval.low if interval else None,
                "high_percent": 100 * interval.high if interval else None,
            }
        )
    percents = dict.fromkeys(("false_alarm_percent", "low_percent", "high_percent"), pl.Float64)
    shown = pl.DataFrame(rows, schema={**standing.schema, **percents})
    return shown.sort(["false_alarm_percent", "withdrawn", "code"], descending=[True, True, False], nulls_last=True)


def findings_behind(
    db: Warehouse,
    selection: Selection = EVERYTHING,
    *,
    code: str | None = None,
    seat: int | None = None,
    bettor: str | None = None,
) -> pl.DataFrame:
    """Return the errors behind a figure, in the order played: where, who, what, how much, and their review."""
    return frame(
        db,
        f"""
        SELECT finding_id, table_id, round_no, gaming_day, hour, dealer, seat, bettor, wager, code, severity,
            difference_cents, expected, observed, cite, coalesce(state, 'open') AS state, disposition
        FROM fct_findings LEFT JOIN stg_reviews USING (finding_id)
        WHERE {MISTAKES} AND {WHERE}
            AND ($code::VARCHAR IS NULL OR code = $code)
            AND ($seat::BIGINT IS NULL OR seat = $seat)
            AND ($bettor::VARCHAR IS NULL OR bettor = $bettor)
        ORDER BY gaming_day, table_id, round_no, code, seat, finding_id
        """,
        selection,
        code=code,
        seat=seat,
        bettor=bettor,
    )
