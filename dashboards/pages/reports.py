"""Reports: what must be filed for a day or a month?"""

from datetime import date

import streamlit as st

from analytics.reports.catalogue import REPORTS
from analytics.reports.sources import NoPeriod, period
from dashboards.access import access
from dashboards.access.anonymous import report_without_names
from dashboards.parts import report_files, source
from desk.packet.words import Style
from desk.report.content import NUMERIC, Report, ReportTable
from desk.report.wording import as_of_words, period_words, written
from replay.narrative.names import plural

SHOWN = 40
"""Rows of a table that the page shows; the files have all of them."""


def page() -> None:
    """Lay the page out: the choice of report and days, the report itself, and its export."""
    source.begin()
    source.heading("Reports", "Signed reports for filing, and the rule each one meets.")
    try:
        first, last = source.ask(period)
    except NoPeriod as error:
        source.empty("Nothing to report yet", str(error))
        source.watch()
        return
    name, days = _choose(first, last)
    if len(days) == 2:
        _show(name, *days, newest=last)
    source.watch(quietly=True)


def _choose(first: date, last: date) -> tuple[str, tuple[date, ...]]:
    """Offer the reports and the days; the choice is in the address."""
    left, middle, _ = st.columns([2, 2, 3], vertical_alignment="bottom")
    names = list(REPORTS)
    with left:
        name = source.choose_one("Report", "report", names, _title)
    with middle:
        days = st.date_input("Gaming days", _asked(first, last), key="report-days", format="MM/DD/YYYY")
    return name, days if isinstance(days, tuple) else (days, days)


def _asked(first: date, last: date) -> tuple[date, date]:
    """Return the days in the address, or these if it has none."""
    given = [st.query_params.get(name) or "" for name in ("from", "to")]
    try:
        days = date.fromisoformat(given[0]), date.fromisoformat(given[1])
    except ValueError:  # one of them is missing, or there is no such day
        return first, last
    return days if days[0] <= days[1] else (first, last)


def _title(name: str) -> str:
    return REPORTS[name].title


def _show(name: str, first: date, last: date, *, newest: date) -> None:
    asked = name, first, last
    with st.container(horizontal=True):
        making = st.button("Make report", type="primary")
        report_files.offer_month(*report_files.month_of(last, newest))
    if making:
        with st.spinner("Making the report …"):
            st.session_state[report_files.KEPT] = asked, report_files.made(name, first, last)
    kept = st.session_state.get(report_files.KEPT)
    if kept is None or kept[0] != asked:
        rules = [
            f"{'Answers' if rule.role == 'answers' else 'Helps with'} {rule.cite}: {rule.asks}." for rule in REPORTS[name].rules
        ]
        source.empty(_title(name), " ".join(rules))
        return
    report: Report | None = kept[1]
    if report is not None:
        report_files.offer(report)
        _draw(report if access.may(access.NAMES) else report_without_names(report))


def _draw(report: Report) -> None:
    style = Style.of(report.property_name, report.currency, report.time_zone)
    below = f"{period_words(report)}. Record as of {as_of_words(report, style)}."
    source.section(report.title, f"{below} On record: {report.on_record}." if report.on_record else below)
    if report.warning:
        source.notice("Not a whole period", report.warning)
    for table in report.tables:
        _draw_table(table, style)
    if report.limits:
        source.section("What this report does not show", " ".join(report.limits))
    meanings = {"Figure": "short", "Definition": "text", "Section": "text"}
    with st.expander("What the figures mean"):
        source.table(meanings, [[each.label, each.meaning, each.cite] for each in report.figures], "Definitions")


def _draw_table(table: ReportTable, style: Style) -> None:
    source.section(table.title, table.note)
    if not table.rows:
        source.empty("No rows", table.empty)
        return
    columns = {
        each.label: "number" if each.kind in NUMERIC else "short" if each.kind != "text" else "text" for each in table.columns
    }
    rows = [[written(column, value, style) for column, value in zip(table.columns, row, strict=True)] for row in table.rows]
    source.table(columns, rows[:SHOWN], table.title, marked=[i for i in table.marked if i < SHOWN])
    if len(rows) > SHOWN:
        st.caption(f"{plural(len(rows) - SHOWN, 'more row is', 'more rows are')} in the files.")


page()
