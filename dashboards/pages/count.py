"""Count: what did a gaming day's drop boxes hold? Entered by one person, and by another without seeing the first entry."""

from datetime import date, timedelta

import streamlit as st

from dashboards.drawing.names import Formats
from dashboards.parts import desk, drafts, pit_entry, source
from desk.house.counting import CountRoom, DraftCount, differences
from desk.house.pit import typed_cents
from desk.review.persons import ReviewRefused
from replay.narrative.names import plural, table_name

DAY = "count-day"
"""The session's key for the chosen gaming day."""
ACROSS = 5
"""Boxes next to each other; on a phone they are below each other."""
LEFT_OUT = "left out"
COUNTED = {"Box": "short", "Counted": "number"}
DIFFERENT = {"Box": "short", "First entry": "number", "Second entry": "number"}


def page() -> None:
    """Lay the page out: the gaming day, the counted boxes, and the next entry."""
    source.begin()
    source.heading("Count", "Two people enter what each box held; nothing is on record until both agree.")
    pit_entry.outcome()
    found = pit_entry.tables()
    if found is None:
        return
    days = sorted({each.gaming_day for each in found.records if each.gaming_day})
    today = date.fromisoformat(days[-1]) if days else found.today
    if DAY not in st.session_state:
        st.session_state[DAY] = pit_entry.day_to_count(today)
    day = st.date_input("Gaming day", max_value=today + timedelta(days=1), format="MM/DD/YYYY", key=DAY, width=220)
    counts = pit_entry.counts_of(day.isoformat())
    if counts is None:
        return
    if counts.boxes:
        _next(day.isoformat(), counts.boxes, counts.entered, found.formats)
    elif not counts.counted:
        source.empty("No boxes", "No table was open on this gaming day, so there is nothing to count. Choose another day.")
    if counts.counted:
        source.section("Counted", "To correct a wrong amount: rack count correct.")
        rows = [[table_name(table), found.formats.money(cents)] for table, cents in counts.counted]
        source.table(COUNTED, rows, "Counted boxes")


def _next(day: str, boxes: list[str], entered: DraftCount | None, formats: Formats) -> None:
    """Show the next entry: the first, the second, or the decision if both differ."""
    person = desk.actor()
    if entered is None:
        grid(day, boxes, "enter", "First entry")
    elif entered.again is not None:
        _differing(day, entered, formats)
        with st.expander("Enter all boxes again"):
            grid(day, boxes, "enter", "First entry, again")
    elif person is not None and person.id == entered.first.by:
        source.empty(
            "Waits for the second entry",
            f"You entered {plural(len(entered.first.boxes), 'box', 'boxes')}; now somebody else counts.",
        )
        with st.expander("Enter all boxes again"):
            grid(day, boxes, "enter", "First entry, again")
    else:
        grid(day, boxes, "again", "Second entry")


def grid(day: str, boxes: list[str], way: str, title: str) -> None:
    """Show a field for each box; earlier entries stay hidden."""
    source.section(title, "An amount, or notes and chips as 100x12, 20x33. Leave a box empty if it is not there.")
    with drafts.lines(f"count {way} {day}"), st.form(f"count-{way}-{day}", border=False):
        for first in range(0, len(boxes), ACROSS):
            for column, table in zip(st.columns(ACROSS), boxes[first : first + ACROSS], strict=False):
                column.text_input(table_name(table), key=f"{way}-{day}-{table}")
        label = "Enter" if way == "enter" else "Compare and enter"
        st.form_submit_button(label, type="primary", on_click=_enter, args=(day, boxes, way))


def _enter(day: str, boxes: list[str], way: str) -> None:
    keys = {table: f"{way}-{day}-{table}" for table in boxes}
    typed = {table: st.session_state[key].strip() for table, key in keys.items()}

    def what(room: CountRoom, by: str) -> None:
        amounts = {table: cents(table, words) for table, words in typed.items() if words}
        if way == "enter":
            room.enter(day, amounts, by=by)
        elif different := room.enter_second(day, amounts, by=by):
            words = plural(len(different), "box differs", "boxes differ")
            st.session_state[pit_entry.NOTICE] = f"{words}; nothing is on record yet."

    if pit_entry.in_count_room("First entry taken" if way == "enter" else "Second entry taken", what):
        drafts.stored(f"count {way} {day}")
        for key in keys.values():
            st.session_state[key] = ""


def cents(table: str, words: str) -> int:
    """Read the amount of a box. Raises `ReviewRefused`, which names the box."""
    try:
        return typed_cents(words)
    except ReviewRefused as error:
        raise ReviewRefused(f"{table_name(table)}: {error}") from error


def _differing(day: str, entered: DraftCount, formats: Formats) -> None:
    """Show the boxes whose entries differ, and ask for the right amount and the reason."""
    different = differences(entered)
    rows = [
        [table_name(each.table), *(LEFT_OUT if c is None else formats.money(c) for c in (each.first, each.again))]
        for each in different
    ]
    source.section("What differs", "Nothing of this day is on record until it is settled.")
    source.table(DIFFERENT, rows, "Boxes whose entries differ")
    tables = [each.table for each in different]
    with drafts.lines(f"settle {day}"), st.form(f"settle-{day}", border=False):
        for table in tables:
            st.text_input(f"{table_name(table)} held", key=f"settle-{day}-{table}")
        st.text_input("Why", key=f"settle-{day}-reason", placeholder="counted a third time, both present")
        st.form_submit_button("Settle", type="primary", on_click=_settle, args=(day, tables))


def _settle(day: str, tables: list[str]) -> None:
    typed = {table: st.session_state[f"settle-{day}-{table}"].strip() for table in tables}
    reason = st.session_state[f"settle-{day}-reason"].strip()

    def what(room: CountRoom, by: str) -> None:
        if not reason:
            raise ReviewRefused("say why these amounts count")
        room.settle(day, {table: cents(table, words) for table, words in typed.items()}, by=by, reason=reason)

    if pit_entry.in_count_room("The count is on record", what):
        drafts.stored(f"settle {day}")


page()
