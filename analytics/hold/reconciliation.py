"""Why win differs from house win: win is counted in box and tray, house win is the sum of the wagers.

Invariant (D605): win = house win of the counted table days + payments by slip that no meter paid + drop less recorded buy-ins +
unexplained tray variance + win of table days without recorded wagers. Every line is exact to the cent. A table day without
recorded wagers (D870) is only in the last line: its tray can be compared only with drop and fills.
"""

from typing import Final

import polars as pl

from analytics.hold.periods import PER_BOX
from analytics.warehouse.selection import EVERYTHING, WHERE_PER_BOX, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse

BY_RECONCILIATION: Final = (*PER_BOX, "gaming_day")


def reconciliation(db: Warehouse, by: str = "property", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the lines from house win to win, a row for each property, game, table or gaming day.

    Columns: the value, `table_days`, `table_days_counted` (with opener, closer and drop), `table_days_with_wagers`,
    `house_win_cents` (of all wagers), `uncounted_house_win_cents` (of table days not fully counted, without a win),
    `not_from_tray_cents` (wins paid by slip that the house funds, less meters' shares paid in chips), `box_less_buy_ins_cents`
    (drop less recorded buy-ins), `tray_difference_cents` (closing chips less those due), `win_without_wagers_cents` (of counted
    table days without recorded wagers), `win_cents`, and `unsettled`, the wagers whose chips explain part of a difference, as
    `repeated_drops` and `repeated_slips` do. `house_win − uncounted + not from tray + box less buy-ins + tray difference + win
    without wagers = win`. Lines that need wagers are None if none are recorded, those that need counts too without a counted
    table day with wagers; win is None without a counted table day.
    Raises `ValueError` for a dealer, shift, wager or hour (D27).
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
        GROUP BY {named}() HAVING count(*) > 0
        ORDER BY {named}table_days
        """,
        selection,
    )


def _of_wagers(cents: str, which: str) -> str:
    """Return the sum of amounts that depend on wagers, over some table days; None if none of the days that it needs has any."""
    of = "has_wagers" if which == "NOT counted" else "has_wagers AND counted"
    return f"(CASE WHEN bool_or({of}) THEN coalesce(sum({cents}) FILTER ({which}), 0) END)::BIGINT"
