"""Surveillance log: what happened on this shift, and what does the next one take over?"""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any

import streamlit as st

from analytics.warehouse import floor_data
from dashboards.drawing import markup
from dashboards.drawing.names import Formats, day_name
from dashboards.parts import desk, drafts, source
from dashboards.run import log_address
from desk.review import surveillance
from desk.review.desk import REFUSALS, Desk, TableReview
from replay.narrative.names import plural, table_name

ENTRIES = {"Happened": "short", "Table": "short", "Camera": "short", "Persons": "text", "What": "text", "By": "short"}
SHIFTS = {"Gaming day": "short", "Shift": "short", "Open then": "short", "Handed over by": "text", "Accepted by": "text"}
KINDS = {
    "incidents": "Open incidents",
    "alarms": "Unacknowledged incidents",
    "signatures": "Awaited signatures",
    "cases": "Cases",
    "disputes": "Open disputes",
    "observations": "Unfinished observations",
    "devices": "Devices out of order",
    "changes": "Changes in the shift",
}
"""Kind of a handed-over line → in words."""
SHOWN = 60
"""Entries that the page shows, the newest first; the report has all of them."""
ENTRY = "surveillance-entry"
"""The draft of an entry."""


def page() -> None:
    """Lay the page out: a hand-over to accept, the form for an entry, the entries, and the hand-over."""
    source.begin()
    source.heading("Surveillance log", "Entries cannot be edited or deleted. To correct one, add another.", _sheet_way())
    if log_address() is None:
        source.empty("No log is named", "Start the pages with the log: `rack dashboard --log ADDR`")
        return
    desk.outcome()
    try:
        of_room, (incidents, disputes), lines = desk.ask(
            lambda at: (surveillance.log(at), surveillance.open_work(at), surveillance.hand_over_lines(at))
        )
    except REFUSALS as error:
        source.notice("The surveillance log cannot be read", str(error))
        return
    formats, who = source.formats(), desk.writer()
    open_now = f"{plural(incidents, 'incident')} and {plural(disputes, 'dispute')} are open."
    source.figures(
        [
            markup.figure("Open incidents", f"{incidents:,}", markup.link("queue", "Open Queue")),
            markup.figure("Open disputes", f"{disputes:,}", markup.link("cases", "Open Cases")),
        ]
    )
    with st.container():  # what is below stays in its place, whether a shift waits or not
        if of_room.waiting is not None:
            _accept(of_room.waiting, lines, who, formats)
    if who is not None:
        _enter(who, formats)
    _entries(of_room, formats)
    _shifts(of_room, formats)
    if who is not None and of_room.waiting is None:
        _sign_over(who, open_now, lines)
    source.watch(quietly=True)


def _sheet_way() -> markup.Html:
    """Return the link to the printed sheet, for the present gaming day if the log gives it."""
    said = desk.reviews()
    day = None if said is None else said.today
    return markup.button_link("reports", "Printed sheet", report="surveillance-log", **{"from": day, "to": day})


def _is_filled_in(boxes: Mapping[str, str]) -> bool:
    """Return whether all boxes of a form (label → content) are filled in; if not, the page says so."""
    empty = [label for label, value in boxes.items() if not value]
    if empty:
        desk.refuse(f"Fill in: {', '.join(empty)}.")
    return not empty


def _accept(
    waiting: surveillance.HandOver, lines: Sequence[surveillance.HandOverLine], who: str | None, formats: Formats
) -> None:
    """Show the shift handed over; anybody but the person who handed it over can accept it."""
    at = formats.day_and_clock(waiting.entry.at_us)
    source.notice(f"The {waiting.signed.shift} shift waits to be accepted", f"{waiting.entry.by} {waiting.entry.says} ({at})")
    if who is None or who == waiting.signed.by:
        return
    draft = f"accept {waiting.entry.seq}"
    with drafts.lines(draft), st.form("accept"):
        st.caption("Tick each line that you take over, or all lines of one kind at once.")
        left = [
            words
            for kind in dict.fromkeys(each.kind for each in lines)
            for words in _unticked(kind, [each.words for each in lines if each.kind == kind], waiting.entry.seq)
        ]
        note = st.text_input("Acceptance note", key=f"accept {waiting.entry.seq}").strip()
        if st.form_submit_button("Accept shift", type="primary"):
            if left:
                desk.refuse(f"Tick every line first: {', '.join(left)}.")
            elif _is_filled_in({"Acceptance note": note}) and desk.act(
                lambda at: surveillance.accept(at, note=note, by=who, ticked=lines)
            ):
                drafts.stored(draft)
            st.rerun()


def _unticked(kind: str, lines: Sequence[str], waiting: int) -> list[str]:
    """Show the boxes of the lines of one kind, with one box for several of them; return the lines that are not ticked."""
    with st.container(key=f"hand-over-{kind}", gap="small"):
        is_all = len(lines) > 1 and st.checkbox(
            f"{KINDS[kind]}: all {len(lines)} checked", key=f"take {waiting} {kind} {hash(tuple(lines))}"
        )
        ticked = [st.checkbox(words, key=f"take {waiting} {words}") for words in lines]
    return [] if is_all else [words for words, is_ticked in zip(lines, ticked, strict=True) if not is_ticked]


def _enter(who: str, formats: Formats) -> None:
    """Show the form for an entry; without a day and a time, it is for now."""
    tables: list[str | None] = [None, *source.ask(floor_data.tables)]
    with drafts.lines(f"{ENTRY}-lines"), st.form(f"entry {drafts.turn(ENTRY)}", enter_to_submit=False):
        note = drafts.box("What happened", ENTRY)
        first, second, third = st.columns(3)
        table = first.selectbox("Table", tables, format_func=lambda each: "No table" if each is None else table_name(each))
        camera = second.text_input("Camera")
        persons = third.text_input("Persons", help="Patrons by token")
        day = first.date_input("Day (default: today)", None, format="MM/DD/YYYY")
        clock = second.text_input("Time (default: now)", placeholder="21:14").strip()
        if st.form_submit_button("Make entry", type="primary"):
            if not _is_filled_in({"What happened": note.strip()} | ({"Time": clock} if day else {})):
                st.rerun()
            values: dict[str, Any] = {
                "note": note.strip(),
                "by": who,
                "table": table,
                "camera": camera.strip().lower() or None,
                "persons": persons.strip() or None,
            }
            if desk.act(lambda at: surveillance.make_entry(at, **values, happened_us=_moment(at, day, clock, formats))):
                drafts.stored(ENTRY, f"{ENTRY}-lines")
            st.rerun()


def _moment(at: Desk, day: date | None, clock: str, formats: Formats) -> int | None:
    """Return a typed time of a day (default: today) in UTC microseconds, or None for now. Raises `ReviewRefused`."""
    if not clock:
        return None
    on = (day or datetime.now(formats.zone or UTC).date()).isoformat()
    return surveillance.time_of(at, clock if clock[4:5] == "-" else f"{on} {clock}", on)


def _entries(of_room: TableReview, formats: Formats) -> None:
    entries = of_room.surveillance[::-1]
    source.section("Entries", "The newest first, in the property's time.")
    if not entries:
        source.empty("No entry yet", "Make one above, or with `rack surveillance enter`.")
        return
    rows = [
        [
            formats.day_and_clock(each.noted.happened_us),
            table_name(each.noted.table) if each.noted.table else "–",
            each.noted.camera or "–",
            each.noted.persons or "–",
            each.noted.note,
            each.noted.by,
        ]
        for each in entries[:SHOWN]
    ]
    source.table(ENTRIES, rows, "Entries of the surveillance log")
    if len(entries) > SHOWN:
        st.caption(f"{plural(len(entries) - SHOWN, 'older entry is', 'older entries are')} in the report.")


def _shifts(of_room: TableReview, formats: Formats) -> None:
    shifts = of_room.hand_overs[::-1]
    if not shifts:
        return
    source.section("Shifts handed over")
    rows = [
        [
            day_name(date.fromisoformat(each.gaming_day)),
            each.signed.shift,
            f"{plural(each.signed.incidents, 'incident')}, {plural(each.signed.disputes, 'dispute')}",
            markup.two_lines(f"{each.signed.by}, {formats.clock(each.entry.at_us)}", each.signed.note),
            "–" if each.accepted is None else f"{each.accepted.by}, {formats.clock(each.accepted.at_us)}",
        ]
        for each in shifts[:SHOWN]
    ]
    marked = [i for i, each in enumerate(shifts[:SHOWN]) if each.accepted is None]
    source.table(SHIFTS, rows, "Shifts handed over", marked=marked)


def _sign_over(who: str, open_now: str, lines: Sequence[surveillance.HandOverLine]) -> None:
    """Offer to hand over the log to the next shift, with the present open work."""
    with drafts.lines("sign-over"), st.form("sign-over"):
        st.caption(f"Hand over to the next shift. {open_now}")
        listed = "".join(
            f"<li>{markup.link(each.page, each.words, table=each.table if each.page == 'queue' else None)}</li>" for each in lines
        )
        source.show(f'<ul class="rk-others" aria-label="What is handed over">{listed}</ul>' if lines else "")
        left, right = st.columns([1, 3])
        known = " or ".join(source.ask(floor_data.shifts))
        shift = left.text_input("Shift that ends", placeholder=known).strip().lower()
        note = right.text_input("Note for the next shift", max_chars=400).strip()
        if st.form_submit_button("Hand over"):
            if _is_filled_in({"Shift that ends": shift, "Note for the next shift": note}) and desk.act(
                lambda at: surveillance.sign_over(at, shift=shift, note=note, by=who)
            ):
                drafts.stored("sign-over")
            st.rerun()


page()
