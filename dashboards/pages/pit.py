"""Pit: what happens at the tables? Entered by the people there, on a phone or tablet: a tile for each table."""

from collections.abc import Callable
from datetime import date
from typing import Any, NamedTuple

import streamlit as st

from dashboards.drawing import markup
from dashboards.drawing.names import Formats, day_name
from dashboards.parts import desk, drafts, pit_entry, source
from desk.house.pit import MAY_CHANGE, Pit, typed_cents
from desk.house.table_lines import Line, TableRecord
from desk.review.desk import REFUSALS
from desk.review.persons import ReviewRefused
from replay.narrative.events import sentence
from replay.narrative.names import heading, table_name

DOING = "pit-doing"
"""The session's key for the open form: (table, action, line)."""
ACROSS = 3
"""Tiles next to each other; on a phone they are below each other."""
LINES = 8
"""Lines of a table that are shown, the newest first."""
DEVICES = ("shuffler", "shoe", "shaker", "progressive_system")
FAULTS = ("jam", "stopped", "incomplete", "inoperative")


class Action(NamedTuple):
    """A button of a tile: its label, and the fields of its form."""

    label: str
    fields: tuple[str, ...]


OF_OPEN = {
    "tap_in": Action("Tap in", ("dealer",)),
    "fill": Action("Fill", ("amount", "slip")),
    "credit": Action("Credit", ("amount", "slip")),
    "close": Action("Close", ("amount",)),
    "device": Action("Device", ("device", "fault")),
}
OF_CLOSED = {"open": Action("Open", ("opener", "dealer"))}


def page() -> None:
    """Lay the page out: a tile for each table, with the requested form in it."""
    source.begin()
    source.heading("Pit", "Open and close tables, dealers, fills and credits. Each entry is in your name.")
    if st.session_state.get(DOING) is None:
        pit_entry.outcome()
    found = pit_entry.tables()
    if found is None:
        return
    if not found.records:
        source.empty("No tables", "The log has no table yet: `rack apply` makes the tables of property.toml.")
        return
    awaiting(found.records, found.formats)
    for first in range(0, len(found.records), ACROSS):
        for column, record in zip(st.columns(ACROSS), found.records[first : first + ACROSS], strict=False):
            with column, st.container(border=True, key=f"tile-{record.table}"):
                tile(record, found.formats)


def awaiting(records: list[TableRecord], formats: Formats) -> None:
    """Show the entries that need the viewer's initials; their own need another person's."""
    person = desk.actor()
    if person is None:
        return
    lines = [(record, line) for record in records for line in record.awaiting]
    mine = [each for each in lines if person.token not in each[1].authors]
    others = len(lines) - len(mine)
    if not lines:
        return
    note = f"{others} of your entries {'awaits' if others == 1 else 'await'} another person's initials." if others else ""
    with st.container(border=True, key="initials"):
        source.section("Awaiting your initials" if mine else "Awaiting initials", note)
        for record, line in mine:
            with st.container(horizontal=True, vertical_alignment="center"):
                words = f"{table_name(record.table)} {formats.time_of_day(line.at_us)} {_sentence(line, formats)}"
                st.html(markup.Html(f"<div>{markup.text(words)}</div>"))
                st.button(
                    f"Initial {table_name(record.table)} {line.seq}", key=f"initial-{record.table}-{line.seq}",
                    on_click=_initial, args=(record.table, line),
                )  # fmt: skip


def _initial(table: str, line: Line) -> None:
    pit_entry.in_pit(f"{table_name(table)}: initialed", lambda pit, by: pit.initial(table, line.seq, by=by, counts=line.counts))


def tile(record: TableRecord, formats: Formats) -> None:
    """Show a table: its state, its buttons, the open form, its last lines."""
    table, is_open = record.table, record.opened is not None
    state = f"open, {record.dealer or 'no dealer'}" if is_open else "closed"
    day = day_name(date.fromisoformat(record.gaming_day) if record.gaming_day else None)
    source.section(table_name(table), f"{state} · gaming day {day}")
    with st.container(horizontal=True, gap="xsmall"):
        for name, action in (OF_OPEN if is_open else OF_CLOSED).items():
            st.button(action.label, key=f"{table}-{name}", on_click=_choose, args=(table, name))
    doing = st.session_state.get(DOING)
    if doing is not None and doing[0] == table:
        form(record, doing[1], doing[2], formats)
    lines = list(reversed(record.lines))[:LINES]
    if lines:
        with st.expander("Last entries"):
            for line in lines:
                _line(record, line, formats)


def _line(record: TableRecord, line: Line, formats: Formats) -> None:
    said = _sentence(line, formats)
    struck = " (struck)" if line.counts is None else " (awaits initials)" if line.awaits_initials else ""
    changed = "".join(f". Corrected by {_named(each.by.upper())}: {each.reason}" for each in line.amendments)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(markup.Html(f"<div>{markup.text(f'{formats.time_of_day(line.at_us)} {said}{struck}{changed}')}</div>"))
        if line.source.startswith("pit-") and line.counts is not None:
            st.button(
                "Correct", key=f"{record.table}-line-{line.seq}", type="tertiary", on_click=_choose,
                args=(record.table, "correct", line.seq),
            )  # fmt: skip


def _sentence(line: Line, formats: Formats) -> str:
    return _named(sentence(line.shown, formats.currency))


def _named(words: str) -> str:
    """Return words with people's names instead of their ids."""
    try:
        people = desk.register().all
    except REFUSALS:
        return words
    for person in people:
        words = words.replace(person.token.upper(), person.name)
    return words


def _choose(table: str, action: str, line: int | None = None) -> None:
    st.session_state[DOING] = None if st.session_state.get(DOING) == (table, action, line) else (table, action, line)


def form(record: TableRecord, action: str, seq: int | None, formats: Formats) -> None:
    """Show the form of an action; pressing its button decides what to write."""
    table = record.table
    with st.container(key=f"form-{table}"):
        pit_entry.outcome()
        if action == "tap_in":
            _dealers(record)
        if action == "correct":
            _correction(record, record.line(seq or 0))
            return
        fields = (OF_OPEN | OF_CLOSED)[action].fields
        with drafts.lines(f"{table} {action}"), st.form(f"{table}-{action}", clear_on_submit=False, border=False):
            given = {name: FIELDS[name](record, formats) for name in fields}
            at = st.text_input("When (default: now)", key=f"{table}-{action}-at", placeholder="21:14")
            pressed = st.form_submit_button(f"{(OF_OPEN | OF_CLOSED)[action].label} {table_name(table)}", type="primary")
        if pressed:
            _store(record, action, given, at.strip() or None)


def _dealers(record: TableRecord) -> None:
    """Offer the last dealers here: one tap."""
    others = [dealer for dealer in record.dealers() if dealer != record.dealer]
    if others:
        with st.container(horizontal=True):
            for dealer in others:
                st.button(dealer, key=f"{record.table}-dealer-{dealer}", on_click=_tap_in, args=(record.table, dealer))


def _tap_in(table: str, dealer: str) -> None:
    if pit_entry.in_pit(f"{table_name(table)}: {dealer} deals", lambda pit, by: pit.tap_in(table, by=by, dealer=dealer)):
        st.session_state[DOING] = None


def _amount(record: TableRecord, formats: Formats, label: str = "Amount, or chips as 25x20, 100x5", value: str = "") -> str:
    return st.text_input(label, value=value, key=f"{record.table}-amount", placeholder="2,000.00").strip()


def _opener(record: TableRecord, formats: Formats) -> str:
    last = record.closer_cents
    label = "Opener" if last is None else f"Opener, if it is not the last closer of {formats.money(last)}"
    return _amount(record, formats, label)


FIELDS: dict[str, Callable[[TableRecord, Formats], str]] = {
    "amount": _amount,
    "opener": _opener,
    "slip": lambda record, _: st.text_input("Slip", key=f"{record.table}-slip").strip(),
    "dealer": lambda record, _: st.text_input("Dealer", key=f"{record.table}-dealer", placeholder="d-07").strip(),
    "device": lambda record, _: st.selectbox("Device", DEVICES, key=f"{record.table}-device", format_func=heading),
    "fault": lambda record, _: st.selectbox("Fault", FAULTS, key=f"{record.table}-fault", format_func=heading),
}
"""Field → what asks for it."""


def cents_of(text: str) -> int | None:
    """Return a typed amount, in total or as chips; None if nothing was typed. Raises `ReviewRefused`."""
    return None if not text else typed_cents(text)


def _store(record: TableRecord, action: str, given: dict[str, str], at: str | None) -> None:
    table = record.table

    def cents(name: str) -> int:
        amount = cents_of(given[name])
        if amount is None:
            raise ReviewRefused("state the amount, in total or as chips (25x20, 100x5)")
        return amount

    def needed(name: str) -> str:
        if not given[name]:
            raise ReviewRefused(f"state the {name}")
        return given[name]

    writes: dict[str, Callable[[Pit, str], object]] = {
        "open": lambda pit, by: pit.open(
            table, by=by, cents=cents_of(given["opener"]), dealer=given["dealer"] or None, at=at,
        ),
        "close": lambda pit, by: pit.close(table, by=by, cents=cents("amount"), at=at),
        "tap_in": lambda pit, by: pit.tap_in(table, by=by, dealer=needed("dealer"), at=at),
        "fill": lambda pit, by: pit.fill(table, by=by, cents=cents("amount"), slip=needed("slip"), at=at),
        "credit": lambda pit, by: pit.credit(table, by=by, cents=cents("amount"), slip=needed("slip"), at=at),
        "device": lambda pit, by: pit.device_out(table, by=by, device=given["device"], fault=given["fault"], at=at),
    }  # fmt: skip
    label = (OF_OPEN | OF_CLOSED)[action].label
    if pit_entry.in_pit(f"{table_name(table)}: {label.lower()} entered", writes[action]):
        drafts.stored(f"{table} {action}")
        for name in ("amount", "slip", "dealer"):
            st.session_state.pop(f"{table}-{name}", None)
        st.session_state[DOING] = None
    st.rerun()


def _correction(record: TableRecord, line: Line) -> None:
    """Ask for the right content of a line, or whether it never happened, and why."""
    table, now = record.table, line.counts
    may = [name for name in (() if now is None else MAY_CHANGE.get(now.KIND, ())) if name != "verified_by"]
    draft = f"{table} correct {line.seq}"
    with drafts.lines(draft), st.form(f"{table}-correct-{line.seq}", border=False):
        given = {}
        for name in may:
            value = getattr(now, name)
            shown = f"{value / 100:,.2f}" if name.endswith("_cents") else value or ""
            words = name.removesuffix("_cents").replace("_", " ").capitalize()
            given[name] = shown, st.text_input(words, value=shown, key=f"{table}-{line.seq}-{name}").strip()
        struck = st.checkbox("It never happened", key=f"{table}-{line.seq}-struck")
        reason = st.text_input("Why", key=f"{table}-{line.seq}-reason").strip()
        pressed = st.form_submit_button("Correct", type="primary")
    if not pressed:
        return

    def write(pit: Pit, by: str) -> object:
        changed: dict[str, Any] = {name: typed for name, (was, typed) in given.items() if typed != was and not struck}
        if not reason:
            raise ReviewRefused("say why the line is corrected")
        if not changed and not struck:
            raise ReviewRefused("change what is wrong, or say that it never happened")
        if "amount_cents" in changed:
            changed["amount_cents"] = cents_of(changed["amount_cents"])
        return pit.correct(table, line.seq, by=by, reason=reason, **changed)

    if pit_entry.in_pit(f"{table_name(table)}: line {line.seq} corrected", write):
        drafts.stored(draft)
        st.session_state[DOING] = None
    st.rerun()


page()
