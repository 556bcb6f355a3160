"""The list of findings as a file: all that match the filters, not only those on view; its export is recorded first."""

import csv
import io
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

import polars as pl
import streamlit as st

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.parts import desk, save_link, source
from dashboards.parts.desk import Reviews
from desk.report.csv_tables import defused
from desk.review.desk import REFUSALS
from replay.narrative.findings import finding_title
from replay.narrative.names import plural, readable

COLUMNS: Final = (
    "incident_id", "finding_id", "table_id", "round_no", "gaming_day", "code", "severity", "seat", "wager",
    "difference_cents", "dealer", "expected", "observed", "cite",
)  # fmt: skip
"""Columns of the warehouse that are exported; the finding's title and what was done about it come after them."""
KEPT = "findings-export"


def why_not() -> str:
    """Return why nothing can be exported here; empty if exports are possible."""
    return save_link.why_not(access.EXPORT, "a list", signed=False)


def offer(filters: QueueFilters, said: Reviews | None) -> None:
    """Offer the findings that match `filters` as CSV: one click records the export and makes the file, the next saves it."""
    why, made = why_not(), st.session_state.get(KEPT)
    if st.button("Export list", disabled=bool(why), help=why or "All findings of this list, as CSV; recorded in the log"):
        made = st.session_state[KEPT] = _make(filters, said)
    if made is not None and made[0] == filters and not why:
        save_link.link(f"Save {plural(made[1], 'finding')} as CSV", made[2])


def _make(filters: QueueFilters, said: Reviews | None) -> tuple[QueueFilters, int, Download] | None:
    who = access.person()
    if who is None or why_not():
        return None
    rows = source.ask(lambda db: queue.findings_listed(db, filters))
    data = written(rows, said)
    try:
        desk.export(
            sorted(set(rows["table_id"])),
            digest=sha256(data).hexdigest(),
            form="csv",
            by=who,
            reason="list of findings from a page",
        )
    except REFUSALS as error:
        source.notice("Nothing was exported: the export cannot be recorded", str(error))
        return None
    return filters, len(rows), Download("findings.csv", "text/csv; charset=utf-8", data)


def written(rows: pl.DataFrame, said: Reviews | None) -> bytes:
    """Return findings as CSV (RFC 4180, UTF-8 with a byte-order mark). A text that a spreadsheet would compute gets an
    apostrophe in front."""
    sheet = io.StringIO(newline="")
    lines = csv.writer(sheet)
    lines.writerow([*COLUMNS, "finding", "state", "assigned_to"])
    for row in rows.iter_rows(named=True):
        lines.writerow([_harmless(cell) for cell in (*(_cell(row, name) for name in COLUMNS), *_review(row, said))])
    return sheet.getvalue().encode("utf-8-sig")


def _cell(row: Mapping[str, Any], name: str) -> object:
    return readable(row[name]) if name in ("expected", "observed") and row[name] is not None else row[name]


def _review(row: Mapping[str, Any], said: Reviews | None) -> tuple[str, str, str]:
    review = None if said is None else said.of(row["table_id"], row["finding_id"])
    state = ("", "") if review is None else (review.state, review.assigned_to or "")
    return finding_title(row["code"]), *state


def _harmless(cell: object) -> str:
    text = "" if cell is None else str(cell)
    return defused(text) if isinstance(cell, str) else text
