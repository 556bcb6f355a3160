"""Hold investigations: every month whose win ÷ drop moved too far, its investigation, and its table's findings.

Invariant: the triggers are those of `analytics.hold.investigations` (D230), and an investigation counts only if it is on record
and closed. The report flags each month without a required investigation.
"""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

import polars as pl

from analytics.hold.investigations import TRIGGERS, written_investigations
from analytics.reports.sources import Sources, table_of
from analytics.warehouse.loading import schema_of
from analytics.warehouse.selection import Selection
from desk.report.content import Report, ReportingRule, ReportTable
from desk.review.state import Investigation, TableReview
from replay.narrative.findings import finding_title
from replay.narrative.reviews import DISPOSITIONS, INVESTIGATION_OUTCOMES

NAME, TITLE = "hold-investigations", "Hold investigations"
RULES: Final = (
    ReportingRule(
        cite="COMAR 36.05.03.25",
        role="answers",
        asks="win to drop outside the 95 % interval around the previous year (month) is investigated in writing",
    ),
    ReportingRule(cite="K.A.R. 112-108-51", role="answers", asks="changes of more than three points, investigated and kept"),
)
SHARES: Final = ("hold_percent", "prior_hold_percent", "change_points", "low_95_percent", "high_95_percent")


def hold_investigations(sources: Sources) -> Report:
    """Return the report: each table's months, and years, next to those before; investigations; findings of marked tables."""
    reviews = sources.reviews()
    by_table = _periods(sources, "table", "month")
    marked = [row for row in by_table.iter_rows(named=True) if row["triggers"]]
    tables = [
        _compared(by_table, reviews, "by-table", "Tables by month, next to the month before"),
        _compared(_periods(sources, "table", "year"), reviews, "by-table-year", "Tables by year, next to the year before"),
        _compared(_periods(sources, "game", "month"), {}, "by-game", "Table games by month, next to the month before"),
        _on_record(reviews, sources),
        _findings(sources, reviews, marked),
    ]
    limits = [
        "Hold % is of table days on which opener, closer and drop were all counted, and never by dealer or wager.",
        "Of an honest floor one month in twenty lies outside its band. A month with fewer than two counted days has no band.",
        "At small volume a change of three points is mostly luck; the band says how much.",
    ]
    return sources.report(
        NAME,
        TITLE,
        rules=RULES,
        tables=tables,
        limits=limits,
        signatures=("Investigated by", "Reviewed by", "Submitted to the regulator by"),
    )


def _periods(sources: Sources, by: str, period: str) -> pl.DataFrame:
    """Return the months or years that touch the period of the report, next to the ones before, by table or game."""
    rows = written_investigations(sources.db, by, period, Selection(last=sources.last))
    begins = sources.first.replace(day=1) if period == "month" else sources.first.replace(month=1, day=1)
    key = "table_id" if by == "table" else "game"
    return rows.filter(pl.col("period") >= begins).sort("period", key)


def _compared(rows: pl.DataFrame, reviews: dict[str, TableReview], name: str, title: str) -> ReportTable:
    """Return rows of `written_investigations` with their investigations; only tables can have one."""
    columns = [rows.columns[0], "period", "prior_period", "table_days", "drop_cents", "win_cents", *SHARES]
    written = [_written(row, reviews) for row in rows.iter_rows(named=True)] if "table_id" in columns else None
    triggers = ["; ".join(TRIGGERS[each] for each in row) or None for row in rows["triggers"]]
    shown = rows.select(columns).with_columns(pl.Series("triggers", triggers, dtype=pl.String))
    if written is None:
        return table_of(name, title, shown, empty="No period has one before it to be compared with.")
    return table_of(
        name,
        title,
        shown.with_columns(pl.Series("written", written, dtype=pl.String)),
        empty="No period has one before it to be compared with.",
        marked=tuple(i for i, (why, text) in enumerate(zip(triggers, written, strict=True)) if why and text != "closed"),
    )


def _written(row: dict[str, Any], reviews: dict[str, TableReview]) -> str | None:
    """Return whether the investigation that a row needs is closed, open, or not on record; None if it needs none."""
    if not row["triggers"]:
        return None
    review = reviews.get(row["table_id"])
    found = [
        each
        for each in (review.investigations.values() if review is not None else ())
        if each.opened.first_day == str(row["period"]) and each.opened.prior_first_day == str(row["prior_period"])
    ]
    if not found:
        return "none on record"
    return "open" if any(each.outcome is None for each in found) else "closed"


def _on_record(reviews: dict[str, TableReview], sources: Sources) -> ReportTable:
    """Return the investigations whose days touch the period, with who opened and closed them and the result."""
    found = [
        (table, each)
        for table, review in reviews.items()
        for each in review.investigations.values()
        if each.opened.first_day <= str(sources.last) and each.opened.last_day >= str(sources.first)
    ]
    rows = pl.DataFrame([_investigation(*each) for each in found], schema=_INVESTIGATION)
    return table_of(
        "investigations",
        "Investigations on record",
        rows,
        marked=tuple(i for i, (_, each) in enumerate(found) if each.outcome is None),
    )


_INVESTIGATION: Final = schema_of(
    "table_id VARCHAR, investigation VARCHAR, first_day VARCHAR, last_day VARCHAR, opened_by VARCHAR, opened_at_us BIGINT, "
    "why VARCHAR, outcome VARCHAR, closed_by VARCHAR, closed_at_us BIGINT, what_was_found VARCHAR"
)


def _investigation(table: str, of: Investigation) -> dict[str, Any]:
    opened, closed = of.history[0], of.history[-1] if of.outcome is not None else None
    return {
        "table_id": table,
        "investigation": of.opened.investigation,
        "first_day": of.opened.first_day,
        "last_day": of.opened.last_day,
        "opened_by": opened.by,
        "opened_at_us": opened.at_us,
        "why": of.opened.reason,
        "outcome": INVESTIGATION_OUTCOMES[of.outcome] if of.outcome is not None else "open",
        "closed_by": closed.by if closed else None,
        "closed_at_us": closed.at_us if closed else None,
        "what_was_found": closed.says if closed else None,
    }


def _findings(sources: Sources, reviews: dict[str, TableReview], marked: Iterable[dict[str, Any]]) -> ReportTable:
    """Return the findings of tables and months that need an investigation, with disposition and signatures."""
    rows = [row for each in marked for row in _findings_of(sources, reviews, each["table_id"], each["period"])]
    return table_of(
        "findings",
        "Findings of the tables and months to be investigated",
        pl.DataFrame(rows, schema=_FINDING),
        empty="No table's month asks for an investigation, or none of those has a finding.",
    )


_FINDING: Final = schema_of(
    "table_id VARCHAR, gaming_day DATE, round_no BIGINT, finding VARCHAR, overpaid_cents BIGINT, underpaid_cents BIGINT, "
    "disposition VARCHAR, signed_by VARCHAR"
)


def _findings_of(sources: Sources, reviews: dict[str, TableReview], table: str, month: date) -> Iterator[dict[str, Any]]:
    rows = sources.rows(
        """
        SELECT finding_id, table_id, gaming_day, round_no, code, overpaid_cents, underpaid_cents
        FROM fct_findings
        WHERE table_id = $table AND gaming_day <= $last AND date_trunc('month', gaming_day) = $month
        ORDER BY gaming_day, round_no, finding_id
        """,
        table=table,
        month=month,
    )
    for row in rows.iter_rows(named=True):
        disposition, signed_by = disposition_of(reviews.get(table), row.pop("finding_id"))
        yield {
            **{name: row[name] for name in ("table_id", "gaming_day", "round_no")},
            "finding": finding_title(row["code"]),
            "overpaid_cents": row["overpaid_cents"],
            "underpaid_cents": row["underpaid_cents"],
            "disposition": disposition,
            "signed_by": signed_by,
        }


def disposition_of(review: TableReview | None, finding_id: str) -> tuple[str, str | None]:
    """Return a finding's disposition in words and its signers: `m.ortiz and s.lee`; None if none exists."""
    resolution = review.finding(finding_id).resolution if review is not None else None
    if review is None or resolution is None:
        return "open", None
    waits = review.finding(finding_id).state == "awaiting_signature"
    words = DISPOSITIONS[resolution.disposition] + ("; awaits the second signature" if waits else "")
    signed = [resolution.by, *([resolution.second_by] if resolution.second_by else [])]
    return words, " and ".join(signed)
