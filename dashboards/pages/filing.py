"""Filing: which rules does a table play by? A form from the chapter, filed by one person and signed by another."""

import tomllib
from collections.abc import Sequence
from datetime import date, timedelta

import streamlit as st

from analytics.theory.theory import percent_of
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import day_name
from dashboards.parts import desk, pit_entry, source
from desk.house.filing import Filing, Office, planned
from desk.house.filing_form import Field, Group, edited, fault_of, form_of, rules_files
from desk.house.table_lines import TableRecord
from desk.review.persons import ReviewRefused
from replay.narrative.names import game_name, heading, listed, plural, table_name, wager_name
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import Rulebook, parse_submission

ACROSS = 4
"""Fields next to each other; on a phone they are below each other."""
RETURNS = {"Wager": "short", "In force": "text", "New": "text", "Returns now": "number", "Returns then": "number"}


def page() -> None:
    """Lay the page out: filings that need a second signature, the tables, the form, its changes, and the button that files."""
    source.begin()
    source.heading("Filing", "The rules that tables play by, from a gaming day on: one person files, another signs.")
    pit_entry.outcome()
    found = pit_entry.tables()
    if found is None:
        return
    signatures(found.records)
    offered = [each for each in found.records if _text_of(each)]
    if not offered:
        source.empty("No filings yet", "A table's first rules come with `rack apply`, from property.toml.")
        return
    names = [each.table for each in offered]
    chosen = st.pills("Tables", names, selection_mode="multi", format_func=table_name, key="filing-tables") or []
    records = [each for each in offered if each.table in chosen]
    if not records:
        source.empty("No table is chosen", "Choose one table, or several of one game.")
        return
    games = {parse_submission(_text_of(each)).game for each in records}
    if len(games) > 1:
        source.notice("One game at a time", f"These tables play {listed(sorted(map(game_name, games)))}.")
        return
    if len({_text_of(each) for each in records}) > 1:
        source.note(f"They play by different rules; the form begins with those of {table_name(names[0])}.")
    text = form(records, found.today + timedelta(days=1))
    review(records, text)


def _text_of(record: TableRecord) -> str:
    """Return the rules last filed for a table."""
    filed = record.filings.in_force("9999-12-31")
    return "" if filed is None else filed.toml


def signatures(records: Sequence[TableRecord]) -> None:
    """Show the filings that need a second signature, with a button for those who may give it."""
    person = desk.actor()
    waiting: dict[tuple[str, str, str], list[str]] = {}
    for record in records:
        seq = record.filings.last_of_office
        if seq is not None and not record.signers(seq):
            filed = next(each for each in record.filed if each.seq == seq)
            by = filed.source.removeprefix("filing-")
            waiting.setdefault((by, filed.submission, filed.effective_gaming_day), []).append(record.table)
    for (by, submission, day), tables in waiting.items():
        with st.container(horizontal=True, vertical_alignment="center", key=f"signature-{tables[0]}"):
            words = f"{listed(map(table_name, tables))}: {submission} from {day_name(date.fromisoformat(day))}, filed by {by}"
            if person is not None and person.token == by:
                words += "; waits for another person's signature"
            st.html(markup.Html(f"<div>{markup.text(words)}</div>"))
            if person is not None and person.token != by:
                label = f"Sign {table_name(tables[0]) if len(tables) == 1 else plural(len(tables), 'filing')}"
                st.button(label, key=f"sign-{tables[0]}", on_click=_sign, args=(tables,))


def _sign(tables: list[str]) -> None:
    pit_entry.in_office(f"{listed(map(table_name, tables))}: signed", lambda office, by: office.sign(tables, by=by))


def form(records: Sequence[TableRecord], first: date) -> str:
    """Show the form of the tables' rules, from a gaming day on or a later one filed; return the resulting submission."""
    base = _text_of(records[0])
    at = "filing-" + "-".join(each.table for each in records)
    begun = str(tomllib.loads(base).get("effective_gaming_day", ""))
    base = edited(base, {"effective_gaming_day": max(begun, first.isoformat())})
    text = base
    for _ in range(3):  # a wager that is offered brings fields of its own
        keys = [field.key for group in form_of(text) for field in group.fields]
        answers = {key: str(st.session_state[f"{at}-{key}"]) for key in keys if f"{at}-{key}" in st.session_state}
        text = edited(base, answers)
    for group in form_of(text):
        _group(group, at)
    return text


def _group(group: Group, at: str) -> None:
    source.section(group.title)
    for first in range(0, len(group.fields), ACROSS):
        for column, field in zip(st.columns(ACROSS), group.fields[first : first + ACROSS], strict=False):
            with column:
                _field(field, f"{at}-{field.key}")


def _field(field: Field, key: str) -> None:
    if key not in st.session_state:
        st.session_state[key] = field.value
    section = field.cite[field.cite.find("§") :] if "§" in field.cite else field.cite
    label = f"{field.label} · {section}" if section else field.label
    if field.choices:
        if st.session_state[key] not in field.choices:
            st.session_state[key] = field.choices[0]
        st.selectbox(label, field.choices, key=key, format_func=_choice)
    else:
        st.text_input(label, key=key)


def _choice(value: str) -> str:
    return heading(value) if "_" in value or value.islower() else value


def review(records: Sequence[TableRecord], text: str) -> None:
    """Show whether the form is accepted, its changes, the return of every wager, and the button that files it."""
    why = fault_of(text)
    if why:
        source.notice("Not accepted yet", why)
        return
    book = parse_submission(text)
    made = [planned(each, book, percent_of) for each in records]
    source.section("What changes", "Old and new side by side; the returns are those of the paytables.")
    source.show(returns(made[0].before, book))
    same: dict[str, list[str]] = {}
    for each in made:
        same.setdefault(each.says.removeprefix(each.table), []).append(table_name(each.table))
    source.show("".join(f"<p>{markup.text(listed(tables) + says)}</p>" for says, tables in same.items()))
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            f"File at {plural(len(records), 'table')}",
            type="primary",
            key="file",
            disabled=all(each.is_made or not (each.changes or each.by_device) for each in made),
            on_click=_file,
            args=([each.table for each in records], text),
        )
        source.show(markup.button_link("rules", "What-if on recorded rounds", table=records[0].table))
    with st.expander("The submission"):
        st.code(text, language="toml")


def returns(before: Rulebook | None, after: Rulebook) -> Html:
    """Return the table of wagers: present and new paytable, limits and return."""
    percent, percent_before = percent_of(after), {} if before is None else percent_of(before)
    rows = []
    for wager in dict.fromkeys((*(before.offers if before is not None else ()), *after.offers)):
        old, new = _offer(before, wager), _offer(after, wager)
        was, now = (f"{each[wager]:.2f} %" if wager in each else "–" for each in (percent_before, percent))
        rows.append([wager_name(wager), old, new if new != old else "same", was, now])
    return markup.table(RETURNS, rows, "Wagers, in force and new")


def _offer(book: Rulebook | None, wager: str) -> str:
    offer = None if book is None else book.offers.get(wager)
    if offer is None:
        return "not offered"
    name = f"paytable {offer.paytable.name}, " if offer.paytable is not None else ""
    return f"{name}{show_money(offer.min_cents, True)} to {show_money(offer.max_cents, True)}"


def _file(tables: list[str], text: str) -> None:
    def what(office: Office, by: str) -> list[Filing]:
        made = office.file(tables, text, percent_of, by=by)
        folder = pit_entry.folder()
        try:
            for each in [] if folder is None else rules_files(folder, tables, parse_submission(text)):
                each.write()
        except (OSError, ReviewRefused) as error:
            st.session_state[pit_entry.NOTICE] = f"The rules are filed. The property's own files were not changed: {error}"
        return made

    if pit_entry.in_office(f"Filed at {listed(map(table_name, tables))}; another person signs", what):
        for name in [name for name in st.session_state if str(name).startswith("filing-")]:
            del st.session_state[name]


page()
