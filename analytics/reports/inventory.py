"""The table inventory: openers, closers, fills and credits, openers that differ from the closer before, and tray differences.

Invariant: a count is people's record, each with its event; a variance has its sign (counted less due) and accuses no one. An
opener that differs by the threshold or more is marked: it must be reported at once.
"""

from typing import Final

import polars as pl

from analytics.hold.figure_detail import counts_behind
from analytics.hold.periods import tray_differences
from analytics.reports.sources import Sources, table_of, table_with_remarks
from desk.report.content import Report, ReportingRule, ReportTable

NAME, TITLE = "table-inventory", "Table inventory"
RULES: Final = (
    ReportingRule(
        cite="58 Pa. Code §§ 465a.36, 465a.37, 465a.41", role="answers", asks="openers, closers, fills, credits and variances"
    ),
    ReportingRule(cite="K.A.R. 112-108-28", role="answers", asks="table inventories and their differences"),
)


def table_inventory(sources: Sources) -> Report:
    """Return the report: openers next to the closer before, each table day, fills and credits, and tray differences."""
    tables = [_openers(sources), _table_days(sources), _slips(sources), _trays(sources)]
    limits = [
        "An opener is compared with the table's closer before it and the fills and credits between; the first one has none.",
        "Who counted and who verified is in the events of the log, not in these sums.",
    ]
    return sources.report(NAME, TITLE, rules=RULES, tables=tables, limits=limits)


def _openers(sources: Sources) -> ReportTable:
    """Return every opener of the period next to the closer before; one that differs by the threshold or more is marked."""
    rows = sources.rows(
        """
        WITH moved AS (
            SELECT
                *,
                count(*) FILTER (kind IN ('opener', 'closer')) OVER (PARTITION BY stream ORDER BY seq) AS counting,
                sum(CASE kind WHEN 'fill' THEN amount_cents WHEN 'credit' THEN -amount_cents ELSE 0 END)
                    OVER (PARTITION BY stream ORDER BY seq) AS net_cents
            FROM stg_ledger
            WHERE kind IN ('opener', 'closer', 'fill', 'credit')
        ),

        counted AS (
            SELECT
                *,
                lag(kind) OVER w AS before_kind,
                lag(amount_cents) OVER w AS before_cents,
                net_cents - lag(net_cents) OVER w AS between_cents
            FROM moved
            WHERE kind IN ('opener', 'closer')
            WINDOW w AS (PARTITION BY stream ORDER BY seq)
        )

        SELECT
            table_id,
            gaming_day,
            seq AS event_no,
            CASE WHEN before_kind = 'closer' THEN (before_cents + between_cents)::BIGINT END AS due_opener_cents,
            amount_cents AS opener_cents,
            (amount_cents - due_opener_cents)::BIGINT AS variance_cents,
            CASE
                WHEN before_kind IS NULL THEN 'first opener on record'
                WHEN before_kind = 'opener' THEN 'no closer before it'
            END AS remark
        FROM counted
        WHERE kind = 'opener' AND gaming_day BETWEEN $first AND $last
        ORDER BY gaming_day, table_id, seq
        """
    )
    currency = sources.facts.currency
    marked = [
        i
        for i, row in enumerate(rows.iter_rows(named=True))
        if row["remark"] == "no closer before it"
        or abs(row["variance_cents"] or 0) >= sources.filing.threshold("opener_variance_cents", row["gaming_day"], currency).value
    ]
    return table_of(
        "openers",
        "Openers next to the closer before",
        rows,
        note="A shaded opener differs by the threshold or more, or follows an opener that was never closed: report it at once.",
        marked=tuple(marked),
    )


def _table_days(sources: Sources) -> ReportTable:
    rows = sources.rows(
        """
        SELECT
            table_id, gaming_day, openers, opener_cents, fills_cents, credits_cents, closers, closer_cents, drop_cents, win_cents,
            repeated_drops, repeated_slips
        FROM fct_table_days
        INNER JOIN (SELECT stream, gaming_day, win_cents FROM mart_hold_table_day) USING (stream, gaming_day)
        WHERE gaming_day BETWEEN $first AND $last
        ORDER BY gaming_day, table_id
        """
    )
    return table_with_remarks("table-days", "Inventory by table and gaming day", rows)


def _slips(sources: Sources) -> ReportTable:
    rows = sources.rows(
        """
        SELECT table_id, gaming_day, seq AS event_no, kind AS movement, reference AS slip, amount_cents
        FROM stg_ledger
        WHERE kind IN ('fill', 'credit') AND gaming_day BETWEEN $first AND $last
        ORDER BY gaming_day, table_id, seq
        """
    )
    known = counts_behind(sources.db, sources.period).drop_nulls("repeats").select("table_id", "seq").rows()
    places = enumerate(rows.select("table_id", "event_no").rows())
    return table_of(
        "fills-credits",
        "Fills and credits",
        rows,
        note="A shaded slip repeats one of the same day, number and amount; both count.",
        marked=tuple(i for i, key in places if key in known),
    )


def _trays(sources: Sources) -> ReportTable:
    """Return the table days whose closer differs from the record (see `tray_differences`), in order of days."""
    rows = tray_differences(sources.db, sources.period).select(
        "table_id",
        "gaming_day",
        "expected_closer_cents",
        "closer_cents",
        pl.col("difference_cents").alias("tray_difference_cents"),
        "unsettled",
    )
    return table_of(
        "trays",
        "Closers that the record does not lead to",
        rows.sort("gaming_day", "table_id"),
        note=sources.without_wagers(),
        empty="Every closer is what opener, fills, credits, buy-ins and wagers lead to."
        if sources.table_days()["table_days_with_wagers"]
        else "Not compared: no wagers are on record.",
    )
