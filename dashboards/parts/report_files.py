"""A report for filing from a page: shown, then signed and taken away by whoever is logged in, on record before it is there."""

from __future__ import annotations

from datetime import date
from hashlib import sha256
from pathlib import Path

import streamlit as st

from analytics.reports.catalogue import make_report
from analytics.reports.filing import FilingError, read_filing
from analytics.reports.sources import NoPeriod, WrongLog
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.parts import desk, save_link, source
from dashboards.run import key_path, log_address, reports_path
from replay.packet import REFUSALS
from replay.report.content import Report
from replay.report.sheet import sheets

KEPT, SIGNED = "report-shown", "report-signed"
"""Where a session keeps the report that it shows, and the signed one with its digest."""


def why_not() -> str:
    """Return why no report can be taken away here; empty where one can."""
    if log_address() is None:
        return "Start the pages with the log: rack dashboard --log ADDR"
    denied = access.refusal(access.EXPORT)
    if denied is not None:
        return denied
    if access.person() is None:
        return "Log in first: who takes a report away stands in the log"
    return "" if key_path() is not None else "A report is signed with the log's key: start the pages with RACK_KEY set"


def made(name: str, first: date, last: date) -> Report | None:
    """Make a report of the newest warehouse and the log, to be shown; null where it cannot be, and the page says why."""
    try:
        filing = read_filing(reports_path())
        return source.ask(
            lambda db: desk.ask(lambda at: make_report(name, db, at, first=first, last=last, filing=filing))
        )
    except (*REFUSALS, FilingError, NoPeriod, WrongLog) as error:
        source.show(markup.notice("No report was made", str(error)))
        return None


def offer(report: Report) -> None:
    """Offer a report as signed PDF and CSV: one click signs and records it, then its files can be saved."""
    why = why_not()
    if st.button("Sign report", disabled=bool(why), help=why or "Signed PDF and CSV files; recorded in the log"):
        with st.spinner("Typesetting and signing …"):
            st.session_state[SIGNED] = _signed(report)
    signed: tuple[Report, bytes] | None = st.session_state.get(SIGNED)
    if signed is not None and signed[0] == report and not why:
        save_link.link("Save PDF", Download(f"{report.file_name}.pdf", "application/pdf", signed[1]))
        for name, data in sheets(report).items():
            words = Path(name).stem.removeprefix(f"{report.file_name}-").replace("-", " ")
            save_link.link(f"Save CSV: {words}", Download(name, "text/csv; charset=utf-8", data))


def _signed(report: Report) -> tuple[Report, bytes] | None:
    # It typesets and signs: no page waits for that before it is asked for.
    from replay.report.document import signed_pdf

    key, who = key_path(), access.person()
    if key is None or who is None or why_not():
        return None
    try:
        pdf = desk.ask(lambda at: signed_pdf(report, at.log, key))
        desk.export(
            report.concerns,
            what="table",
            digest=sha256(pdf).hexdigest(),
            form="pdf",
            by=who,
            reason=f"report {report.name} of {report.first} to {report.last} from a page",
        )
    except REFUSALS as error:
        source.show(markup.notice("No report was signed, and nothing left the log", str(error)))
        return None
    return report, pdf
