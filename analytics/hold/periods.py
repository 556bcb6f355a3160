"""Drop, win and hold % over periods: the counts of boxes, summed by property, game or table, and by period.

Invariant (D27): win = closer + credits + drop - opener - fills, hold % = win ÷ drop, both only of fully counted table days. There
is no breakdown by wager, dealer, shift or hour: a box belongs to a table and a day.
"""

from datetime import date
from typing import Final

import polars as pl

from analytics.warehouse.selection import EVERYTHING, WHERE_PER_BOX, Selection, columns_of, frame
from analytics.warehouse.warehouse import Warehouse

PER_BOX: Final = ("property", "game", "table")
PERIODS: Final = {
    "gaming_day": "gaming_day",
    "month": "date_trunc('month', gaming_day)::DATE",
    "year": "date_trunc('year', gaming_day)::DATE",
    "all": "min(gaming_day) OVER ()",
}
"""The count periods by name; a period is named by its first day."""

_FIGURES: Final = """
    count(*) AS table_days,
    count(win_cents) AS table_days_counted,
    sum(drop_cents) FILTER (win_cents IS NOT NULL)::BIGINT AS drop_cents,
    sum(win_cents)::BIGINT AS win_cents,
    100.0::DOUBLE * sum(win_cents) / nullif(sum(drop_cents) FILTER (win_cents IS NOT NULL), 0) AS hold_percent,
    sum(rounds)::BIGINT AS rounds,
    count(handle_cents) AS table_days_with_wagers,
    sum(handle_cents)::BIGINT AS handle_cents,
    sum(house_win_cents)::BIGINT AS house_win_cents,
    100.0::DOUBLE * sum(house_win_cents) / nullif(sum(handle_cents), 0) AS house_win_percent,
    sum(from_meter_cents)::BIGINT AS from_meter_cents,
    sum(repeated_drops)::BIGINT AS repeated_drops,
    sum(repeated_slips)::BIGINT AS repeated_slips
"""


def hold_by_period(db: Warehouse, by: str = "property", period: str = "month", selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return drop, win and hold %, a row for each period and property, game or table, newest period first.

    Columns: `period` (its first day), the group, `table_days`, `table_days_counted`, `drop_cents`, `win_cents`, `hold_percent`
    (None without a count), and, for all wagers on record, `rounds`, `table_days_with_wagers`, `handle_cents`, `house_win_cents`,
    `house_win_percent` and `from_meter_cents` (None without wagers), and possible duplicates: `repeated_drops`, `repeated_slips`.
    Raises `ValueError` for a dealer, shift, wager or hour (D27).
    """
    columns = columns_of(by, PER_BOX)
    if period not in PERIODS:
        raise ValueError(f"{period!r} is no count period; expected one of {', '.join(PERIODS)}")
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        SELECT period, {named}{_FIGURES}
        FROM (SELECT *, {PERIODS[period]} AS period FROM mart_hold_table_day WHERE {WHERE_PER_BOX})
        GROUP BY {named}period
        ORDER BY period DESC{"".join(f", {column}" for column in columns)}
        """,
        selection,
    )


def month_and_year_to_date(
    db: Warehouse, by: str = "table", as_of: date | None = None, selection: Selection = EVERYTHING
) -> pl.DataFrame:
    """Return the figures of a day, month to date and year to date: three rows each (`span`).

    `as_of` is the gaming day, None for the newest that was counted. `span` is `day`, `month_to_date` or
    `year_to_date`; the other columns are those of `hold_by_period` without `period`.
    """
    columns = columns_of(by, PER_BOX)
    named = "".join(f"{column}, " for column in columns)
    return frame(
        db,
        f"""
        WITH last_day AS (
            SELECT coalesce($as_of::DATE, max(gaming_day) FILTER (win_cents IS NOT NULL), max(gaming_day)) AS as_of
            FROM mart_hold_table_day WHERE {WHERE_PER_BOX}
        ),

        spans AS (
            SELECT 1 AS place, 'day' AS span, as_of AS from_day, as_of FROM last_day
            UNION ALL SELECT 2, 'month_to_date', date_trunc('month', as_of)::DATE, as_of FROM last_day
            UNION ALL SELECT 3, 'year_to_date', date_trunc('year', as_of)::DATE, as_of FROM last_day
        )

        SELECT span, as_of, {named}{_FIGURES}
        FROM mart_hold_table_day, spans
        WHERE gaming_day BETWEEN from_day AND as_of AND {WHERE_PER_BOX}
        GROUP BY {named}place, span, as_of
        ORDER BY {named}place
        """,
        selection,
        as_of=as_of,
    )


def tray_differences(db: Warehouse, selection: Selection = EVERYTHING) -> pl.DataFrame:
    """Return the table days whose chips do not add up: the tray's closing count against the amount due by the record.

    Due = opener + fills - credits - buy-ins (also by marker) + house win of the wagers + payments by slip - meters' payments: a
    slip takes no chips from the tray, but a meter's share in chips does. `difference_cents` is counted minus that: negative means
    that chips are missing. `unsettled` wagers of the day, unrecorded payments, duplicate slips (`repeated_slips`), and the chips
    of progressive wagers that were accepted and by the record not collected (`chips_not_collected` findings) explain part of a
    difference; it is a place to look and accuses no one. A table day without settled wagers on record is left out, since its
    counts cannot be compared. Largest first.
    """
    return frame(
        db,
        f"""
        SELECT
            table_id, gaming_day, game, opener_cents, closer_cents, fills_cents, credits_cents, buy_ins_cents,
            house_win_cents, by_slip_cents - from_meter_cents AS not_from_tray_cents, unsettled, findings, repeated_slips,
            (
                SELECT count(*) FROM fct_findings AS f
                WHERE f.stream = d.stream AND f.gaming_day = d.gaming_day AND f.code IN ('WAGER-PROGRESSIVE', 'WAGER-LOCKOUT')
            ) AS chips_not_collected,
            opener_cents + fills_cents - credits_cents - buy_ins_cents + house_win_cents + not_from_tray_cents
                AS expected_closer_cents,
            closer_cents - expected_closer_cents AS difference_cents
        FROM fct_table_days AS d
        WHERE openers = closers AND openers > 0 AND difference_cents <> 0 AND {WHERE_PER_BOX}
        ORDER BY abs(difference_cents) DESC, gaming_day, table_id
        """,
        selection,
    )
