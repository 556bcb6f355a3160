"""A report for filing from a page: shown, then signed and recorded before it can be saved."""

import io
import zipfile
from calendar import monthrange
from collections.abc import Sequence
from datetime import date
from hashlib import sha256
from pathlib import Path

import streamlit as st

from analytics.reports.catalogue import REPORTS, make_report
from analytics.reports.files import EarlierCopy, earlier_copy, named
from analytics.reports.filing import FilingError, read_filing
from analytics.reports.sources import NoPeriod, WrongLog
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing.names import day_name
from dashboards.parts import desk, save_link, source
from dashboards.run import key_path, reports_path
from desk.report.content import Report
from desk.report.csv_tables import sheets
from desk.review.desk import REFUSALS

KEPT, SIGNED, MONTH = "report-shown", "report-signed", "reports-of-month"
"""The session's keys for the report on view, the signed one, and the file of all reports of a month."""


def why_not() -> str:
    """Return why no report can be exported here; empty if it can."""
    return save_link.why_not(access.EXPORT, "a report")


def made(name: str, first: date, last: date) -> Report | None:
    """Make a report from the newest warehouse and the log; None if it cannot be made, and the page says why."""
    try:
        filing = read_filing(reports_path())
        return source.ask(lambda db: desk.ask(lambda at: make_report(name, db, at, first=first, last=last, filing=filing)))
    except (*REFUSALS, FilingError, NoPeriod, WrongLog) as error:
        source.notice("No report was made", str(error))
        return None


def offer(report: Report) -> None:
    """Offer a report as signed PDF and CSV: one click signs and records it, then its files can be saved."""
    why = why_not()
    if st.button("Sign report", disabled=bool(why), help=why or "Signed PDF and CSV files; recorded in the log"):
        with st.spinner("Typesetting and signing …"):
            st.session_state[SIGNED] = _signed([report])
    signed: list[tuple[Report, bytes]] | None = st.session_state.get(SIGNED)
    if signed is not None and signed[0][0] == report and not why:
        save_link.link("Save PDF", Download(f"{report.file_name}.pdf", "application/pdf", signed[0][1]))
        for name, data in sheets(report).items():
            words = Path(name).stem.removeprefix(f"{report.file_name}-").replace("-", " ")
            save_link.link(f"Save CSV: {words}", Download(name, "text/csv; charset=utf-8", data))


def month_of(last: date, newest: date) -> tuple[date, date]:
    """Return the first and last day of a day's month, as far as the record goes.

    >>> month_of(date(2026, 2, 3), date(2026, 4, 7)), month_of(date(2026, 4, 3), date(2026, 4, 7))
    ((datetime.date(2026, 2, 1), datetime.date(2026, 2, 28)), (datetime.date(2026, 4, 1), datetime.date(2026, 4, 7)))
    """
    first = last.replace(day=1)
    end = first.replace(day=monthrange(first.year, first.month)[1])
    return first, end if (first.year, first.month) != (newest.year, newest.month) else newest


def offer_month(first: date, last: date) -> None:
    """Offer every report of a month: one click makes, signs and records them all, then they are saved as one file."""
    why, asked = why_not(), (first, last)
    if st.button(
        "All reports of the month",
        disabled=bool(why),
        help=why or f"All {len(REPORTS)} reports of {day_name(first)} to {day_name(last)}; each is recorded in the log",
    ):
        st.session_state[MONTH] = None
        signed = _all_signed(first, last)
        if signed is not None:
            st.session_state[MONTH] = asked, _zipped(signed)
    kept: tuple[tuple[date, date], Download] | None = st.session_state.get(MONTH)
    if kept is not None and kept[0] == asked and not why:
        save_link.link(f"Save {len(REPORTS)} reports", kept[1])


def _all_signed(first: date, last: date) -> list[tuple[Report, bytes]] | None:
    """Make every report, then sign and record them; None if one cannot be made or recorded, and the page says which."""
    reports = []
    progress = st.progress(0.0)
    try:
        for done, (name, kind) in enumerate(REPORTS.items()):
            progress.progress(done / (len(REPORTS) + 1), f"{kind.title} …")
            report = made(name, first, last)
            if report is None:
                return None
            reports.append(report)
        progress.progress(len(REPORTS) / (len(REPORTS) + 1), "Typesetting and signing …")
        return _signed(reports)
    finally:
        progress.empty()


def _zipped(signed: Sequence[tuple[Report, bytes]]) -> Download:
    """Return the files of signed reports in one archive: the same reports give the same bytes."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for report, pdf in signed:
            for name, data in {f"{report.file_name}.pdf": pdf, **sheets(report)}.items():
                archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    report = signed[0][0]
    return Download(f"reports-{report.first}-to-{report.last}.zip", "application/zip", packed.getvalue())


def _earlier(report: Report, pdf: bytes) -> EarlierCopy | None:
    """Return the copy exported before from which this PDF of a report differs."""
    return source.ask(lambda db: desk.ask(lambda at: earlier_copy(report, pdf, db, at)))


def _signed(reports: Sequence[Report]) -> list[tuple[Report, bytes]] | None:
    """Sign all reports before recording the first; None if one is refused: then none can be saved."""
    # It typesets and signs: no page waits for that before it is asked for.
    from desk.packet import REFUSALS as NOT_SIGNED
    from desk.report.document import signed_pdf

    key, who = key_path(), access.person()
    if key is None or who is None or why_not():
        return None
    try:
        signed = desk.ask(lambda at: [(report, signed_pdf(report, at.log, key)) for report in reports])
        for report, pdf in signed:
            earlier = _earlier(report, pdf)
            if earlier is not None:
                source.notice("Not the report that was exported before", f"This one {earlier.words}.")
            desk.export(
                report.concerns,
                what="table",
                digest=sha256(pdf).hexdigest(),
                form="pdf",
                by=who,
                reason=f"{named(report, earlier)}, from a page",
            )
    except NOT_SIGNED as error:
        source.notice("No report was signed, and no file can be saved", str(error))
        return None
    return signed
