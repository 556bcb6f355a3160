"""Why win differs from house win: the one is counted in the box and the tray, the other is added up from the wagers.

Invariant (D605): win = house win of the table days counted + what was paid by slip and not by a meter + drop less the buy-ins
recorded + chips in the tray beyond those due. Every line is exact to the cent, and the last one is what nothing on the record
explains.
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

    Columns: the value, `table_days`, `table_days_counted` (opener, closer and drop all there), `house_win_cents` (of all
    wagers), `uncounted_house_win_cents` (of table days not fully counted, which have no win), `not_from_tray_cents` (wins
    paid by slip that the house funds, less meters' shares paid in chips), `box_less_buy_ins_cents` (drop less the buy-ins
    recorded), `tray_difference_cents` (chips counted at the end less those due), `win_cents`, and `unsettled`, the wagers
    whose chips explain part of a difference. `house_win − uncounted + not from tray + box less buy-ins + tray difference =
    win`. Raises `ValueError` for a dealer, shift, wager or hour (D27).
    """
    columns = columns_of(by, BY_RECONCILIATION)
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        WITH days AS (
            SELECT *, win_cents IS NOT NULL AS counted
            FROM mart_hold_table_day
            INNER JOIN (SELECT stream, gaming_day, buy_ins_cents FROM fct_table_days) USING (stream, gaming_day)
            WHERE {WHERE_PER_BOX}
        )

        SELECT
            {named}
            count(*) AS table_days,
            count(*) FILTER (counted) AS table_days_counted,
            coalesce(sum(house_win_cents), 0)::BIGINT AS house_win_cents,
            coalesce(sum(house_win_cents) FILTER (NOT counted), 0)::BIGINT AS uncounted_house_win_cents,
            coalesce(sum(by_slip_cents - from_meter_cents) FILTER (counted), 0)::BIGINT AS not_from_tray_cents,
            coalesce(sum(drop_cents - buy_ins_cents) FILTER (counted), 0)::BIGINT AS box_less_buy_ins_cents,
            coalesce(sum(win_cents - house_win_cents - (by_slip_cents - from_meter_cents) - (drop_cents - buy_ins_cents))
                FILTER (counted), 0)::BIGINT AS tray_difference_cents,
            coalesce(sum(win_cents), 0)::BIGINT AS win_cents,
            coalesce(sum(unsettled), 0)::BIGINT AS unsettled
        FROM days
        GROUP BY {named}()
        ORDER BY {named}table_days
        """,
        selection,
    )
