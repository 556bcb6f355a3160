"""Drop, win, hold % and house win: of a table day, as totals, and by dimension.

Invariant: a figure keeps its name from the model to the page. *Drop*, *win* and *hold %* are counted per table and gaming day,
without a further breakdown; *handle*, *payouts* and *house win %* come from single wagers; payouts of meters are shown separately
and are part of neither; overpayments and underpayments are never netted (D27). If a count is missing, the answer is None.
"""

from typing import Literal, get_args

import polars as pl

from analytics.warehouse.selection import COLUMNS, EVERYTHING, WHERE, WHERE_PER_BOX, Selection
from analytics.warehouse.statements import run_statement
from analytics.warehouse.warehouse import Warehouse

Dimension = Literal["game", "table", "wager", "paytable", "dealer", "shift", "hour", "gaming_day"]
DIMENSIONS: tuple[Dimension, ...] = get_args(Dimension)


def hold_by_table_day(db: Warehouse) -> pl.DataFrame:
    """Return drop, win and hold % with their parts, a row for each table and gaming day, newest day first."""
    return run_statement(db, "SELECT * FROM mart_hold_table_day ORDER BY gaming_day DESC, table_id")


def hold_totals(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return one row of totals for a part of the floor, in whole boxes (D27).

    It has drop, win and hold % of the fully counted table days, and the figures of the wagers.

    `table_days_counted` of `table_days` have every count; only these are in drop, win and hold %. `table_days_with_wagers` have
    settled wagers on record; the wagers' figures are of these days, and None without any. `repeated_drops` and `repeated_slips`
    are possible duplicates.
    """
    return run_statement(
        db,
        f"""
        SELECT
            count(*) AS table_days,
            count(win_cents) AS table_days_counted,
            sum(drop_cents) FILTER (win_cents IS NOT NULL)::BIGINT AS drop_cents,
            sum(win_cents)::BIGINT AS win_cents,
            100.0::DOUBLE * sum(win_cents) / nullif(sum(drop_cents) FILTER (win_cents IS NOT NULL), 0) AS hold_percent,
            coalesce(sum(rounds), 0)::BIGINT AS rounds,
            coalesce(sum(unsettled), 0)::BIGINT AS unsettled,
            count(handle_cents) AS table_days_with_wagers,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(payouts_cents)::BIGINT AS payouts_cents,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
            sum(from_meter_cents)::BIGINT AS from_meter_cents,
            coalesce(sum(repeated_drops), 0)::BIGINT AS repeated_drops,
            coalesce(sum(repeated_slips), 0)::BIGINT AS repeated_slips
        FROM mart_hold_table_day
        WHERE {WHERE_PER_BOX}
        """,
        selection.parameters(),
    )


def hold_by(db: Warehouse, dimension: Dimension, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return handle, payouts, house win, house win % and meters' payouts of settled wagers, a row for each value.

    Theoretical win is in `analytics.hold.against_theory`.

    Raises `ValueError` for a dimension that wagers do not have.
    """
    if dimension not in DIMENSIONS:
        raise ValueError(f"cannot group wagers by {dimension!r}; expected one of {', '.join(DIMENSIONS)}")
    columns = ", ".join(COLUMNS[dimension])  # names from the table above, never from data
    return run_statement(
        db,
        f"""
        SELECT
            {columns},
            sum(wagers)::BIGINT AS wagers,
            sum(unsettled)::BIGINT AS unsettled,
            sum(handle_cents)::BIGINT AS handle_cents,
            sum(payouts_cents)::BIGINT AS payouts_cents,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
            sum(from_meter_cents)::BIGINT AS from_meter_cents
        FROM mart_hold_wager
        WHERE {WHERE}
        GROUP BY {columns}
        ORDER BY {columns}
        """,
        selection.parameters(),
    )
