"""Queue: what has to be looked at, and in which order?"""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from analytics import hold
from analytics.hold import QueueFilters
from dashboards import markup, source
from dashboards.markup import Html
from dashboards.names import (
    Formats,
    day_name,
    finding_title,
    plural,
    position_name,
    readable,
    short_day,
    table_name,
    wager_name,
)

ROWS = 50
COLUMNS = {
    "Severity": "text", "Finding": "text", "Money": "number", "Table": "short", "Where": "short",
    "Due and recorded": "text", "When": "short",
}  # fmt: skip


def row(found: dict[str, Any], formats: Formats) -> list[object]:
    """Return a finding's row; its first words are the link to the round."""
    table, round_no = found["table_id"], found["round_no"]
    title = finding_title(found["code"])
    opened = (
        title
        if round_no is None
        else markup.link("round", title, table=table, round=round_no, finding=found["finding_id"])
    )
    where = [position_name(found["seat"])] if found["seat"] is not None else ["Table"]
    return [
        markup.severity_badge(found["severity"]),
        markup.two_lines(opened, found["code"]),
        markup.difference(found["difference_cents"], formats, "no money"),
        markup.two_lines(table_name(table), "" if round_no is None else f"round {round_no:,}"),
        markup.two_lines(where[0], wager_name(found["wager"]) if found["wager"] else ""),
        markup.two_lines(readable(found["expected"]), f"recorded: {readable(found['observed'])}"),
        markup.two_lines(formats.clock(found["opened_at_us"]), short_day(found["gaming_day"])),
    ]


def page() -> None:
    """Lay the page out."""
    source.begin()
    formats, choices = source.formats(), source.ask(hold.queue_choices)
    head = st.container()
    boxes = st.columns(4)
    days = [day.isoformat() for day in choices.gaming_days]
    with boxes[0]:
        table = _choose("Table", "table", choices.tables, table_name, "All tables")
    with boxes[1]:
        code = _choose("Finding", "code", choices.codes, lambda c: f"{finding_title(c)} ({c})", "All findings")
    with boxes[2]:
        day = _choose("Gaming day", "day", days, lambda d: day_name(date.fromisoformat(d)), "All days")
    with boxes[3]:
        severity = _choose("Severity", "severity", choices.severities, str.capitalize, "All severities")
    filters = QueueFilters(
        table=table, code=code, gaming_day=None if day is None else date.fromisoformat(day), severity=severity
    )
    total = source.ask(lambda db: hold.queue_totals(db, filters)).row(0, named=True)
    with head:
        source.show(markup.heading("Findings", _summary(total, formats)))
    if not total["findings"]:
        _nothing(filters, bool(choices.codes))
        source.watch()
        return
    pages = -(-total["findings"] // ROWS)
    at = 1
    slot = st.container()
    if pages > 1:
        at = int(st.number_input(f"Page (of {pages:,})", 1, pages, 1, key="page", width=160))
    rows = source.ask(lambda db: hold.findings_queue(db, filters, limit=ROWS, offset=(at - 1) * ROWS))
    with slot:
        source.show(
            markup.table(COLUMNS, [row(r, formats) for r in rows.iter_rows(named=True)], "Findings, most severe first")
        )
    source.watch()


def _choose(label: str, name: str, values: list[str], say: Any, everything: str) -> str | None:
    """Offer the values and keep the choice in the address, so that a filtered queue can be sent as a link."""
    given = source.chosen(name, values)
    options: list[str | None] = [None, *values]
    picked: str | None = st.selectbox(
        label, options, index=options.index(given), format_func=lambda v: everything if v is None else say(v),
        key=f"queue-{name}",
    )  # fmt: skip
    if picked is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = picked
    return picked


def _summary(total: dict[str, Any], formats: Formats) -> Html:
    parts = [
        plural(total["findings"], "finding") + " in " + plural(total["rounds"], "round"),
        f"{total['high_findings']:,} of high severity",
        f"{formats.money(total['overpaid_cents'])} overpaid",
        f"{formats.money(total['underpaid_cents'])} underpaid",
    ]
    return Html(" · ".join(markup.text(part) for part in parts))


def _nothing(filters: QueueFilters, any_findings: bool) -> None:
    if any_findings:
        source.show(markup.empty("No finding fits", "Set a filter back to “All …” to see more."))
    else:
        source.show(
            markup.empty(
                "No findings",
                "Every round that was replayed is upheld. New ones appear here after the next `rack replay`.",
            )
        )


page()
