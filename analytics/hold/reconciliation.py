"""Why win differs from house win: the one is counted in the box and the tray, the other is added up from the wagers.

Invariant (D605): win = house win of the table days counted + what was paid by slip and not by a meter + drop less the buy-ins
recorded + chips in the tray beyond those due + the win of table days whose wagers are not on record. Every line is exact to the
cent, and the last but one is what nothing on the record explains. A table day without wagers on record (D870) explains nothing:
its tray can be compared with drop and fills alone, and it is in no other line.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from analytics.hold.periods import PER_BOX
from analytics.warehouse.selection import EVERYTHING, WHERE_PER_BOX, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse

BY_RECONCILIATION: Final = (*PER_BOX, "gaming_day")


def reconciliation(db: Warehouse, by: str = "property", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return how house win leads to win, a row per property, game, table or gaming day.

    Columns: the value, `table_days`, `table_days_counted` (opener, closer and drop all there), `table_days_with_wagers`,
    `house_win_cents` (of all wagers), `uncounted_house_win_cents` (of table days not fully counted, which have no win),
    `not_from_tray_cents` (wins paid by slip that the house funds, less meters' shares paid in chips), `box_less_buy_ins_cents`
    (drop less the buy-ins recorded), `tray_difference_cents` (chips counted at the end less those due),
    `win_without_wagers_cents` (of table days counted without wagers on record), `win_cents`, and `unsettled`, the wagers whose
    chips explain part of a difference, as `repeated_drops` and `repeated_slips` do. `house_win − uncounted + not from tray + box
    less buy-ins + tray difference + win without wagers = win`. Without wagers on record the lines that rest on them are None, and
    without a table day counted win is. Raises `ValueError` for a dealer, shift, wager or hour (D27).
    """
    columns = columns_of(by, BY_RECONCILIATION)
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        WITH days AS (
            SELECT
                *,
                win_cents IS NOT NULL AS counted,
                house_win_cents IS NOT NULL AS has_wagers,
                by_slip_cents - from_meter_cents AS not_from_tray_cents,
                drop_cents - buy_ins_cents AS box_less_buy_ins_cents
            FROM mart_hold_table_day
            INNER JOIN (SELECT stream, gaming_day, buy_ins_cents FROM fct_table_days) USING (stream, gaming_day)
            WHERE {WHERE_PER_BOX}
        )

        SELECT
            {named}
            count(*) AS table_days,
            count(*) FILTER (counted) AS table_days_counted,
            count(*) FILTER (has_wagers) AS table_days_with_wagers,
            sum(house_win_cents)::BIGINT AS house_win_cents,
            {_of_wagers("house_win_cents", "NOT counted")} AS uncounted_house_win_cents,
            {_of_wagers("not_from_tray_cents", "counted")} AS not_from_tray_cents,
            {_of_wagers("box_less_buy_ins_cents", "counted AND has_wagers")} AS box_less_buy_ins_cents,
            {_of_wagers("win_cents - house_win_cents - not_from_tray_cents - box_less_buy_ins_cents", "counted")}
                AS tray_difference_cents,
            coalesce(sum(win_cents) FILTER (NOT has_wagers), 0)::BIGINT AS win_without_wagers_cents,
            sum(win_cents)::BIGINT AS win_cents,
            sum(unsettled)::BIGINT AS unsettled,
            sum(repeated_drops)::BIGINT AS repeated_drops,
            sum(repeated_slips)::BIGINT AS repeated_slips
        FROM days
        GROUP BY {named}()
        ORDER BY {named}table_days
        """,
        selection,
    )


def _of_wagers(cents: str, which: str) -> str:
    """Return the sum of amounts that rest on wagers, over some table days; None if no table day has wagers on record."""
    return f"(CASE WHEN bool_or(has_wagers) THEN coalesce(sum({cents}) FILTER ({which}), 0) END)::BIGINT"
