"""Enter a round: what was due? Typed as it was seen, answered as one types; and stored, at a table, in the observer's name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.felt.component import felt
from dashboards.parts import clips, desk, source
from dashboards.run import log_address, log_options
from desk.review.desk import REFUSALS, Desk, desk_at
from desk.transcript_entry import Basis, EnteredScript, Observer, enter_transcript, filed_rules
from replay.narrative.names import plural, table_name
from replay.transcript.words import TranscriptError
from rulebook.chapters.rulebook import RulesRefused, parse_submission

T = TypeVar("T")
BASES: dict[Basis, str] = {"video": "from video", "live": "live, at the table", "paper": "from paper"}
DONE, REFUSED, TURN, NEXT = "entry-done", "entry-refused", "entry-turn", "entry-next"
"""Where it is noted what the last entry came to, how many were stored, and with what the next one begins."""


class Place(NamedTuple):
    """Where a round was played: the table, the gaming day, and the rules that it had on file then."""

    table: str
    day: date
    chapter: str
    rules: str


def page() -> None:
    """Lay the page out: the felt, which answers as one types. A person who may review can store the round."""
    source.begin()
    source.show(
        markup.heading("Enter a round", "Type what was dealt, wagered and paid: the answer appears as you type.")
    )
    if refusal := st.session_state.pop(REFUSED, None):
        source.show(markup.notice("Not saved", refusal))
    if done := st.session_state.pop(DONE, None):
        st.toast(markup.plain_markdown(done))
    may_store = log_address() is not None and access.may(access.REVIEW) and access.person() is not None
    place = _place() if may_store else None
    _felt(place)


def _place() -> Place | None:
    """Ask at which table and on which gaming day the round was played; None if it is only to be answered."""
    try:
        tables, today = _ask(lambda at: (_tables(at), at.today()))
    except REFUSALS as error:
        source.show(markup.notice("The log cannot be read, so nothing can be stored", str(error)))
        return None
    left, right, _ = st.columns([2, 2, 4])
    table = left.selectbox(
        "Table", [None, *tables], key="entry-table", format_func=lambda t: "Not stored" if t is None else table_name(t)
    )
    if table is None:
        return None
    latest = date.fromisoformat(today)
    day = right.date_input(
        "Gaming day", latest, max_value=latest, min_value=latest - timedelta(days=365), key="entry-day"
    )
    filed = _ask(lambda at: filed_rules(at, table, day.isoformat()))
    if filed is None:
        source.show(
            markup.notice("Nothing to judge by", f"{table_name(table)} had filed no rules by {day.isoformat()}.")
        )
        return None
    try:
        chapter = parse_submission(filed.toml, f"rules of {table}").chapter.key
    except RulesRefused as error:
        source.show(markup.notice("Nothing to judge by", str(error)))
        return None
    return Place(table, day, chapter, filed.toml)


def _ask(question: Callable[[Desk], T]) -> T:
    """Put a question to the desk of a log of which perhaps nothing was replayed yet. Raises what a desk raises."""
    with desk_at(log_address() or "", read_only=True, needs_results=False, **log_options()) as at:
        return question(at)


def _tables(at: Desk) -> list[str]:
    return sorted(name.removeprefix("table/") for name in at.log.streams() if name.startswith("table/"))


@st.fragment
def _felt(place: Place | None) -> None:
    if place is None:
        felt(draft="rack-entry")
        return
    turn = st.session_state.get(TURN, 0)
    begin = st.session_state.get(NEXT, "") if turn else ""
    draft = f"rack-entry-{place.table}-{place.day.isoformat()}-{turn}"
    text = felt(begin, place.chapter, draft, filed=place.rules)
    _storing(place, text)


def _storing(place: Place, text: str) -> None:
    """Ask how it is known, and store the round in the name of who is signed in."""
    with st.form("store", border=True):
        row = st.columns([2, 2, 2, 2])
        basis = row[0].selectbox("How it is known", list(BASES), format_func=BASES.__getitem__)
        camera = _camera(row[1], place.table)
        dealer = row[2].text_input("Dealer", placeholder="d-07", help="Who dealt, if it was seen.")
        same_as = row[3].text_input(
            "Same as round", placeholder="17", help="The number of the recorded round, if there is one."
        )
        order = st.checkbox("The order of what was done was seen", help="Without it no fault of order is found.")
        pressed = st.form_submit_button(f"Store at {table_name(place.table)}", type="primary")
    if not pressed:
        return
    given = same_as.strip()
    if given and not given.isdecimal():
        st.session_state[REFUSED] = f"{given!r} is no round number"
        st.rerun()
    observer = Observer(
        table=place.table,
        day=place.day.isoformat(),
        by=str(access.person()),
        basis=basis,
        camera=camera,
        dealer=dealer.strip() or None,
        order_seen=order,
        same_as=int(given) if given else None,
    )
    _store(observer, text)
    st.rerun()


def _camera(column: DeltaGenerator, table: str) -> str | None:
    """Ask which camera it was: one that sees the table, or by its name if these pages know no cameras."""
    known = clips.cameras()
    if known is None:
        return column.text_input("Camera", placeholder="cam-4", help="Of what was seen on video.").strip() or None
    seeing = [camera.id for camera in known.seeing(table)]
    return column.selectbox("Camera", [None, *seeing], format_func=lambda camera: camera or "None")


def _store(observer: Observer, text: str) -> None:
    lines = [line for line in text.split("\n") if not line.startswith("rules ")]
    address = log_address() or ""
    stored: list[EnteredScript] = []
    try:
        with desk_at(address, persons=desk.register(), needs_results=False, **log_options()) as at:
            stored += enter_transcript(at, "\n".join(lines), "the entry", lambda name: "", observer)
    except (*REFUSALS, TranscriptError) as error:
        st.session_state[REFUSED] = str(error)
        return
    names = ", ".join(f"observed/{observer.table} round {each.round_no}" for each in stored)
    st.session_state[DONE] = f"Stored: {names} ({plural(sum(each.events for each in stored), 'event')})"
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    st.session_state[NEXT] = "\n".join(line for line in text.split("\n") if line.startswith(("rules ", "wager ")))


page()
