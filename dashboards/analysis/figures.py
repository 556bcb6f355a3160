"""The figures of a view: computed under their titles, then offered as files and with their SQL.

Invariant: a file has every row and column of the view, numbers as numbers, money in cents, and its export is recorded before it
can be saved. The SQL is the statement that ran, with its parameters.
"""

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from datetime import date
from hashlib import sha256
from typing import Any, Final, Literal, NamedTuple

import polars as pl
import streamlit as st

from analytics.questions import Question
from analytics.warehouse import floor_data
from analytics.warehouse.selection import Selection
from analytics.warehouse.statements import Statement
from dashboards.access import access
from dashboards.access.downloads import Download
from dashboards.drawing import markup
from dashboards.parts import desk, save_link, source
from desk.report.csv_tables import defused
from desk.review.desk import REFUSALS
from replay.narrative.names import plural

Form = Literal["csv", "parquet"]
MEDIA: Final[dict[Form, str]] = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
FORM_NAMES: Final[dict[Form, str]] = {"csv": "CSV", "parquet": "Parquet"}
NAMED: Final = ("dealer", "bettor")
"""Columns that only those who may see names take away."""
SAVED: Final = "figures-export"


class Figure(NamedTuple):
    """Rows under a title, their statements, and a function for all rows if the view shows only a part."""

    title: str
    rows: pl.DataFrame
    statements: list[Statement]
    complete: Callable[[], pl.DataFrame] | None


class Figures:
    """The figures of a view, in order."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self._shown: list[Figure] = []

    def ask(self, title: str, question: Callable[..., pl.DataFrame], *about: Any, **more: Any) -> pl.DataFrame:
        """Query the warehouse, keep the answer under a title for `offer`, and return it."""
        rows, statements = source.reckon_with_statements(question, *about, **more)
        self._shown.append(Figure(title, rows, statements, None))
        return rows

    def answer(self, question: Question, *about: Any, title: str = "", **more: Any) -> pl.DataFrame:
        """Put a question of the registry; `about` has a value for each name that it takes."""
        title = title or question.title_on_page(*about)
        return self.ask(title, question.function, *about, **question.fixed, **more)

    def ask_part(
        self, title: str, question: Callable[..., pl.DataFrame], *about: Any, rows: int, start: int, **more: Any
    ) -> pl.DataFrame:
        """Query some rows by `limit` and `offset`; a file of the figure has all of them."""
        part, statements = source.reckon_with_statements(question, *about, limit=rows, offset=start, **more)

        def complete() -> pl.DataFrame:
            return source.ask(lambda db: question(db, *about, limit=2**62, offset=0, **more))

        self._shown.append(Figure(title, part, statements, complete))
        return part

    def join(self, title: str, others: Sequence[str], rows: pl.DataFrame) -> None:
        """Keep `rows` as a figure that shows columns of `others` next to its own, with the SQL of all."""
        made_of = [each for name in (title, *others) for each in self._shown if each.title == name]
        statements = [statement for each in made_of for statement in each.statements]
        self._shown = [each._replace(rows=rows, statements=statements) if each.title == title else each for each in self._shown]

    def offer(self, first: str = "") -> None:
        """Offer every figure with rows as CSV and Parquet, and show its SQL; the figure titled `first` comes first."""
        shown = sorted((each for each in self._shown if not each.rows.is_empty()), key=lambda each: each.title != first)
        if not shown:
            return
        source.on_opening("Export and SQL", lambda: self._show_files_and_sql(shown))

    def _show_files_and_sql(self, shown: list[Figure]) -> None:
        titles = [each.title for each in shown]
        title = st.selectbox("Figures", titles, key="export-figures") if len(titles) > 1 else titles[0]
        figure = shown[titles.index(title)]
        _offer_files(figure, self.selection)
        for statement in figure.statements:
            st.code(statement.sql, language="sql")
            st.code(values(statement), language="json")


def values(statement: Statement) -> str:
    """Return the parameters of a statement as JSON, days as text.

    >>> values(Statement("SELECT $first", {"first": date(2026, 3, 6)}))
    '{"first": "2026-03-06"}'
    """
    return json.dumps(statement.parameters, default=str)


def refusal() -> str:
    """Return why the viewer cannot export figures; empty if they can."""
    return save_link.why_not(access.FIGURES, "figures", signed=False)


def _offer_files(figure: Figure, selection: Selection) -> None:
    why = refusal()
    key = figure.title, repr(selection), figure.rows.height, tuple(map(repr, figure.statements))
    with st.container(horizontal=True):
        forms: tuple[Form, ...] = ("csv", "parquet")
        for form in forms:
            words = f"Export {FORM_NAMES[form]}"
            if st.button(words, key=f"export-{form}", disabled=bool(why), help=why or "Every row; recorded in the log"):
                st.session_state[SAVED] = key, _export(figure, form, selection)
        saved = st.session_state.get(SAVED)
        if saved is not None and saved[0] == key and saved[1] is not None and not why:
            save_link.link(saved[1][0], saved[1][1])
    if why:
        source.note(f"{markup.text(why)}.")


def _export(figure: Figure, form: Form, selection: Selection) -> tuple[str, Download] | None:
    who = access.person()
    if who is None or refusal():
        return None
    rows = figure.rows if figure.complete is None else figure.complete()
    if not access.may(access.NAMES):
        rows = rows.drop([name for name in NAMED if name in rows.columns])
    data = as_file(rows, form)
    tables = [selection.table] if selection.table else source.ask(floor_data.tables)
    try:
        desk.export(
            tables,
            what="table",
            digest=sha256(data).hexdigest(),
            form=form,
            by=who,
            reason=f"figures from a page: {figure.title}",
        )
    except REFUSALS as error:
        source.notice("Nothing was exported: the export cannot be recorded", str(error))
        return None
    name = re.sub(r"[^a-z0-9]+", "-", figure.title.lower()).strip("-")
    return f"Save {plural(rows.height, 'row')} as {FORM_NAMES[form]}", Download(f"{name}.{form}", MEDIA[form], data)


def as_file(rows: pl.DataFrame, form: Form) -> bytes:
    """Return rows as a file: Parquet, or CSV (RFC 4180, UTF-8 with a byte-order mark): numbers as they are, days as ISO dates and
    lists as JSON.

    A text that a spreadsheet would compute gets an apostrophe in front.

    >>> as_file(pl.DataFrame({"win_cents": [-5], "why": ["=1"]}), "csv").decode("utf-8-sig").splitlines()
    ['win_cents,why', "-5,'=1"]
    """
    if form == "parquet":
        file = io.BytesIO()
        rows.write_parquet(file)
        return file.getvalue()
    sheet = io.StringIO(newline="")
    lines = csv.writer(sheet)
    lines.writerow(rows.columns)
    lines.writerows([[_cell(value) for value in row] for row in rows.iter_rows()])
    return sheet.getvalue().encode("utf-8-sig")


def _cell(value: object) -> object:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case str():
            return defused(value)
        case list():
            return defused(json.dumps(value, default=str))
        case date():
            return value.isoformat()
        case _:
            return value
