"""Enter a round: what was due? A person types a round and gets an answer at once; an observer at a table can store it."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from typing import NamedTuple, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import day_name
from dashboards.felt.component import FeltInput, felt, typed_on
from dashboards.parts import clips, desk, drafts, observed_round, source
from dashboards.parts.address import ANY_DAY
from dashboards.run import log_address, log_options
from desk.review.desk import REFUSALS, Desk, ReviewRefused, desk_at
from desk.review.observations import unveil
from desk.review.observed_table import ObservedTable
from desk.review.stored_events import names_of
from desk.transcript_entry import Basis, EnteredScript, Observer, enter_transcript, filed_rules
from replay.narrative.names import table_name
from replay.transcript.entry import FILED
from replay.transcript.words import TranscriptError
from rulebook.chapters.rulebook import RulesRefused, parse_submission

T = TypeVar("T")
BASES: dict[Basis, str] = {"video": "from video", "live": "live, at the table", "paper": "from paper"}
DONE, REFUSED, TURN, NEXT = "entry-done", "entry-refused", "entry-turn", "entry-next"
"""The session's keys for the result of the last entry, the round stored last, and the start of the next one."""
SEEN = "entry-seen"
"""The session's key for the actions that each draft of an audit had when the answer was first shown."""
KNOWN = "entry-known"
"""The session's key for the table's last stored round when each draft began."""
SETTLED = ("take ", "pay ", "return ", "close")
"""The beginnings of a transcript's lines about what was done."""


class Place(NamedTuple):
    """The place of a round: table, gaming day, rules then on file, any observation, and the number of the last stored round."""

    table: str
    day: date
    chapter: str
    rules: str
    observation: str | None
    is_blind: bool
    last: int


class FeltDraft(NamedTuple):
    """A draft on the felt: its name, the round stored before it ("": none), and its initial text."""

    name: str
    turn: str
    begin: str


def page() -> None:
    """Lay the page out: the felt, with an answer while typing. A person who may review can store the round."""
    above, felt_here = st.container(), st.container()  # whatever is said above, the felt stays in its place
    with above:
        place = _above()
    draft = _draft(place)
    with felt_here:
        _felt(place, draft)
    if place is not None:
        _storing(place, draft)


def _above() -> Place | None:
    """Show the stored or refused entry, and ask for the place of the round."""
    source.begin()
    source.heading("Enter a round", "Type what was dealt, wagered and paid: the answer appears as you type.")
    desk.outcome()
    may_store = log_address() is not None and access.may(access.REVIEW) and access.person() is not None
    if may_store and (stored := st.session_state.get(DONE)):
        _stored(*stored)
    return _place() if may_store else None


def _stored(table: str, number: int, words: str) -> None:
    """Say what was stored, and offer the next actions: view it, open a case, make the packet."""
    with st.container(border=True, key="entry-stored"):
        here = {"table": table, "round": number}
        source.show(
            markup.Html(f"<p>Stored: {markup.text(words)}. {markup.button_link('observations', 'Open round', **here)}</p>")
        )
        observed_round.case_and_packet(f"observed/{table}", number)


def _forget_refusal() -> None:
    """Forget why the last round was not stored: it is shown until the next is stored, or another table is chosen."""
    st.session_state.pop(REFUSED, None)


def _place() -> Place | None:
    """Ask for the table and gaming day of the round; None if it is only to be answered."""
    try:
        tables, today = _ask(lambda at: (names_of(at.log, "table"), at.today()))
    except REFUSALS as error:
        source.notice("The log cannot be read, so nothing can be stored", str(error))
        return None
    query, state = st.query_params, st.session_state
    if query.get("table") in tables and "entry-table" not in state:
        state["entry-table"] = query["table"]
    latest = date.fromisoformat(today)
    earliest = latest - timedelta(days=365)
    if "entry-day" not in state:
        given = query.get("day") or ANY_DAY
        state["entry-day"] = max(earliest, min(latest, date.fromisoformat(today if given == ANY_DAY else given)))
    left, right, third, _ = st.columns([2, 2, 3, 1])
    table = left.selectbox(
        "Table",
        [None, *tables],
        key="entry-table",
        on_change=_forget_refusal,
        format_func=lambda t: "Not stored" if t is None else table_name(t),
    )
    if table is None:
        return None
    day = right.date_input("Gaming day", max_value=latest, min_value=earliest, key="entry-day", format="MM/DD/YYYY")
    filed, state_here = _ask(lambda at: (filed_rules(at, table, day.isoformat()), ObservedTable(at.log, table)))
    observations = {name: each.opened.purpose for name, each in state_here.observations.items() if each.closed is None}
    if query.get("observation") in observations and "entry-observation" not in state:
        state["entry-observation"] = query["observation"]
    observation = third.selectbox(
        "Observation", [None, *observations], key="entry-observation",
        format_func=lambda each: "None: a single round" if each is None else f"{each}: {observations[each].replace('_', ' ')}",
    )  # fmt: skip
    if filed is None:
        source.notice("Nothing to judge by", f"{table_name(table)} had filed no rules by {day_name(day)}.")
        return None
    try:
        chapter = parse_submission(filed.toml, f"rules of {table}").chapter.key
    except RulesRefused as error:
        source.notice("Nothing to judge by", str(error))
        return None
    is_blind = observation is not None and observations[observation].endswith("audit")
    return Place(table, day, chapter, filed.toml, observation, is_blind, max(state_here.rounds, default=0))


def _ask(question: Callable[[Desk], T]) -> T:
    """Query the desk of a log that may not be replayed yet. Raises the desk's errors."""
    with desk_at(log_address() or "", read_only=True, needs_results=False, **log_options()) as at:
        return question(at)


def _draft(place: Place | None) -> FeltDraft:
    """Return the viewer's draft of a place; after a round was stored, the next one."""
    who = access.person()
    name = "rack-entry" if who is None else f"rack-entry-{who}"
    if place is None:
        return FeltDraft(name, "", "")
    turn = st.session_state.get(TURN, "")
    at = st.query_params.get("at", "") if not turn else ""
    begin = st.session_state.get(NEXT, "") if turn else f"rules {FILED}\nat {at}" if at else ""
    return FeltDraft(f"{name}-{place.table}-{place.day.isoformat()}" + (f"-{at}" if at else ""), turn, begin)


@st.fragment
def _felt(place: Place | None, draft: FeltDraft) -> None:
    """Show the felt. Typing redraws only this part of the page."""
    currency = source.frame_formats().currency
    if place is None:
        felt(draft=draft.name, currency=currency)
        return
    felt(
        draft.begin,
        place.chapter,
        draft.name,
        currency=currency,
        done=draft.turn,
        filed=place.rules,
        shows=lambda now: _shows(place, f"{draft.name}-{draft.turn}", now),
    )


def _shows(place: Place, draft: str, typed: FeltInput) -> bool:
    """Return whether the answer may be shown: in an audit, after the payments are typed, or after recording that it is shown."""
    if not place.is_blind:
        return True
    seen: dict[str, list[str] | None] = st.session_state.setdefault(SEEN, {})
    if draft in seen:
        return True
    if not typed.has_outcomes and typed.is_unveiled and _put_on_record(place):
        seen[draft] = None
    elif typed.has_outcomes:
        seen[draft] = _done(typed.text)
    return draft in seen


def _done(text: str) -> list[str]:
    return sorted(line for line in text.split("\n") if line.startswith(SETTLED))


def _put_on_record(place: Place) -> bool:
    """Record that the amounts due were seen before the payments were typed; return whether it is recorded."""
    try:
        with desk_at(log_address() or "", persons=desk.register(), needs_results=False, **log_options()) as at:
            unveil(at, place.table, observation=str(place.observation), by=str(access.person()))
    except REFUSALS as error:
        source.notice("What was due is not shown", str(error))
        return False
    return True


@st.fragment
def _storing(place: Place, draft: FeltDraft) -> None:
    """Ask for the source, and store the round in the name of the signed-in person."""
    st.session_state.setdefault(KNOWN, {}).setdefault(draft, place.last)
    with drafts.lines(draft.name), st.form("store", border=True):
        row = st.columns([2, 2, 2, 2])
        basis = row[0].selectbox("How it is known", list(BASES), format_func=BASES.__getitem__)
        camera = _camera(row[1], place.table)
        dealer = row[2].text_input("Dealer", placeholder="d-07", help="The dealer, if seen.")
        same_as = row[3].text_input(
            "Same as round", placeholder="17", help="The number of the recorded round; “entry 4” for another person's entry."
        )
        order = st.checkbox("The order of what was done was seen", help="If it was not seen, no fault of order is found.")
        pressed = st.form_submit_button(
            f"Store at {table_name(place.table)}", type="primary", key="store-round", shortcut="Ctrl+Enter"
        )
    if not pressed:
        if refusal := st.session_state.get(REFUSED):
            source.notice("Not saved", refusal)
        elif stored := st.session_state.get(DONE):
            words = f"{stored[2][:1].upper()}{stored[2][1:]} is stored. Type the next round above."
            source.show(f'<p class="rk-note" role="status">{markup.text(words)}</p>')
        return
    _forget_refusal()
    if basis == "video" and camera is None:
        st.session_state[REFUSED] = "name the camera that saw the round, or change “How it is known”"
        st.rerun()
    given = same_as.strip()
    same = re.fullmatch(r"(entry +)?(\d+)", given)
    if given and same is None:
        st.session_state[REFUSED] = f"{given!r} is no round number: write one such as 17, or “entry 4”"
        st.rerun()
    same_no = int(same[2]) if same else None
    is_entry = same is not None and same[1] is not None
    observer = Observer(
        table=place.table,
        day=place.day.isoformat(),
        by=str(access.person()),
        basis=basis,
        camera=camera,
        dealer=dealer.strip() or None,
        observation=place.observation,
        order_seen=order,
        same_as=None if is_entry else same_no,
        same_entry=same_no if is_entry else None,
    )
    typed = typed_on(draft.name, draft.turn, draft.begin)
    seen = st.session_state.get(SEEN, {}).get(f"{draft.name}-{draft.turn}") if place.is_blind else None
    if seen is None or seen == _done(typed.text) or _put_on_record(place):
        _store(observer, typed.text, draft)
    st.rerun()


def _camera(column: DeltaGenerator, table: str) -> str | None:
    """Ask for the camera: one that sees the table, or any name if these pages know no cameras."""
    known = clips.cameras()
    if known is None:
        return column.text_input("Camera", placeholder="cam-4", help="From the video.").strip() or None
    seeing = [camera.id for camera in known.seeing(table)]
    return column.selectbox("Camera", [None, *seeing], format_func=lambda camera: camera or "None")


def _tell_of_others(at: Desk, observer: Observer, draft: FeltDraft) -> None:
    """Raise `ReviewRefused`, once, if a round of this day was stored at the table while this one was typed."""
    known: dict[FeltDraft, int] = st.session_state[KNOWN]
    rounds, me = ObservedTable(at.log, observer.table).rounds, at.person(observer.by).id
    others = [
        each
        for each in rounds.values()
        if each.round_no > known[draft] and each.header.played_gaming_day == observer.day and not each.is_withdrawn
    ]
    known[draft] = max(rounds, default=0)
    if others and observer.same_entry is None:
        last = others[-1]
        if last.header.by == me:
            raise ReviewRefused(
                f"you stored round {last.round_no} of {table_name(observer.table)} at "
                f"{observed_round.formats_of(at).clock(last.entered_us)} in another tab. If this is another round, store it again"
            )
        raise ReviewRefused(
            f"{last.header.by} stored round {last.round_no} of {table_name(observer.table)} at "
            f"{observed_round.formats_of(at).clock(last.entered_us)}, while you typed. If yours is the same round, write "
            f"“entry {last.round_no}” under “Same as round”; if it is another one, store it again"
        )


def _store(observer: Observer, text: str, draft: FeltDraft) -> None:
    lines = ["" if line.startswith("rules ") else line for line in text.split("\n")]
    address = log_address() or ""
    stored: list[EnteredScript] = []
    try:
        with desk_at(address, persons=desk.register(), needs_results=False, **log_options()) as at, at.log.turn():
            _tell_of_others(at, observer, draft)
            stored += enter_transcript(at, "\n".join(lines), "the entry", lambda name: "", observer)
    except (*REFUSALS, TranscriptError) as error:
        st.session_state[REFUSED] = re.sub(r"^the entry:(\d+): ", r"line \1 of the text: ", str(error))
        return
    names = " and ".join(f"entry {each.round_no}" for each in stored)
    drafts.stored(draft.name)
    st.session_state[DONE] = observer.table, stored[-1].round_no, f"{names} at {table_name(observer.table)}"
    st.session_state[TURN] = f"{observer.table}-{stored[-1].round_no}"
    st.session_state[NEXT] = "\n".join(line for line in text.split("\n") if line.startswith(("rules ", "wager ")))


page()
