"""Step or play through a round: the table after the chosen step next to the step's event, redrawn separately."""

import json
import time
from collections.abc import Callable

import streamlit as st

from analytics.warehouse.round_data import RoundView
from dashboards.drawing import markup
from dashboards.drawing.drawing import table_drawing
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import ReplayStep, table_after
from dashboards.parts import clips, source
from dashboards.rulings import video
from dashboards.rulings.round_account import flags
from replay.narrative.events import sentence_of
from replay.narrative.names import table_name

PLAY_SECONDS = 1.0
MOVES_HEIGHT = 560


def step_key(view: RoundView) -> str:
    """Return the session key of this round's step."""
    return f"step of {view.round['stream']} {view.round['round_no']}"


def step_now(view: RoundView, steps: list[ReplayStep]) -> int:
    """Return the step to show: the session's, else the address's, else the finding's evidence, else the last."""
    key = step_key(view)
    if key not in st.session_state:
        given = st.query_params.get("step", "")
        proof = evidence_step(view, steps, st.query_params.get("finding"))
        st.session_state[key] = int(given) if given.isdecimal() else proof or len(steps)
    at = max(min(1, len(steps)), min(int(st.session_state[key]), len(steps)))
    st.session_state[key] = at
    if steps:
        st.query_params["step"] = str(at)
    return at


def evidence_step(view: RoundView, steps: list[ReplayStep], finding_id: str | None) -> int | None:
    """Return the step of the last event that proves a finding (the first finding, if none is named)."""
    for found in view.findings.iter_rows(named=True):
        if finding_id in (None, found["finding_id"]):
            places = [i for i, step in enumerate(steps, start=1) if step.seq in found["evidence"]]
            return max(places, default=None)
    return None


def proofs_of(view: RoundView) -> set[int]:
    """Return the numbers of the events that prove a finding of the round."""
    return {seq for evidence in view.findings["evidence"] for seq in evidence}


def replay(view: RoundView, steps: list[ReplayStep], formats: Formats, beside: Callable[[], None]) -> None:
    """Show the table after the chosen step, at its left the output of `beside`; each step redraws only this part."""
    if not steps:
        beside()
        return
    key = step_key(view)
    playing = st.session_state.get(f"{key} playing") is not None

    @st.fragment(run_every=PLAY_SECONDS if playing else None)
    def step_controls() -> None:
        since = st.session_state.get(f"{key} playing")
        if (since is not None) != playing:
            st.rerun()  # the whole page, for the beat of the fragment changes
        if since is not None and time.monotonic() - since >= 0.8 * PLAY_SECONDS:
            move(key, 1, len(steps))
            st.session_state[f"{key} playing"] = time.monotonic()
            if st.session_state[key] >= len(steps):
                st.session_state[f"{key} playing"] = None
                st.rerun()
        at = int(st.session_state[key])
        st.query_params["step"] = str(at)
        left, right = st.columns([34, 66], gap="medium")
        with right:
            at = controls(view, steps, at, playing)
            board(view, steps, at, formats)
        with left:
            incident, moves_made, recorded, seen = st.tabs(
                ["Incident", "Moves", "Event", "Video"], key=f"{key} tab", on_change="rerun"
            )
            # What somebody may be writing stays; the list of moves and the event are drawn when they are opened.
            with incident:
                beside()
            if moves_made.open:
                with moves_made:
                    moves(view, steps, at, formats)
            if recorded.open:
                with recorded:
                    event(view, steps, at)
            with seen:
                video_of(view, steps[at - 1], formats)

    step_controls()


def controls(view: RoundView, steps: list[ReplayStep], at: int, playing: bool) -> int:
    """Show back, play, next, the jump to the next evidence and the slider; return the chosen step."""
    key, last = step_key(view), len(steps)
    proofs = proofs_of(view)
    places = [i for i, step in enumerate(steps, start=1) if step.seq in proofs]
    ahead = next((i for i in places if i > at), places[0] if places else None)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.button("Back", key=f"{key} back", disabled=at <= 1, shortcut="Left", on_click=move, args=(key, -1, last))
        st.button("Next", key=f"{key} next", disabled=at >= last, shortcut="Right", on_click=move, args=(key, 1, last))
        st.button(
            "❚❚ Pause" if playing else "▶ Play",
            key=f"{key} play",
            shortcut="P",
            disabled=last < 2,
            on_click=play_or_pause,
            args=(key, last),
        )
        if ahead is not None:
            st.button(
                "◆ Evidence",
                key=f"{key} proof",
                shortcut="E",
                help="Go to the next event that proves a finding",
                on_click=go,
                args=(key, ahead),
            )
        at = int(
            st.slider("Step", 1, max(last, 2), key=key, disabled=last < 2, format=f"%d of {last}", label_visibility="collapsed")
        )
    return min(at, last)


def board(view: RoundView, steps: list[ReplayStep], at: int, formats: Formats) -> None:
    """Show the event of a step in one line, and the table after it."""
    now = steps[at - 1]
    here = markup.link("round", "link to this step", table=view.round["table_id"], round=view.round["round_no"], step=at)
    known = clips.cameras()
    seen = "" if known is None else video.short(known, view.round["table_id"], now, formats, "Video at ")
    source.show(
        f'<div class="rk-step"><div class="rk-now">{markup.text(sentence_of(now.type, now.payload, formats.currency))}</div>'
        f'<div class="rk-soft">Step {at} of {len(steps)} · {formats.clock(now.occurred_at_us)} · '
        f"reported by {markup.text(now.source)} · {here}{f' · {seen}' if seen else ''}</div></div>"
    )
    said = f"{table_name(view.round['table_id'])}, round {view.round['round_no']}, after step {at} of {len(steps)}"
    table, marks = table_after(steps, at), flags(view, formats)
    source.draw(table_drawing(table, formats, marks, said), table_drawing(table, formats, marks, said, upright=True))


def video_of(view: RoundView, now: ReplayStep, formats: Formats) -> None:
    """Show the video links of a step and the clips of the round, with a form to mark one."""
    known, table, seat = clips.cameras(), view.round["table_id"], video.seat_of(now)
    if known is None:
        source.note("No cameras are named: write <code>cameras.toml</code> next to the log (docs/video.md).")
    else:
        links = video.at_moment(known, table, seat, now.occurred_at_us, formats)
        source.show(links or '<p class="rk-note">No camera sees this place.</p>')
    clips.panel(table, view.round["round_no"], now.occurred_at_us, seat, formats, known)


def move(key: str, by: int, last: int) -> None:
    """Go one step forward or back."""
    st.session_state[key] = max(1, min(int(st.session_state[key]) + by, last))


def play_or_pause(key: str, last: int) -> None:
    """Start playing, from the first step if the last is shown; or stop."""
    playing = st.session_state.get(f"{key} playing") is not None
    st.session_state[f"{key} playing"] = None if playing else time.monotonic()
    if not playing and int(st.session_state[key]) >= last:
        st.session_state[key] = 1


def go(key: str, to: int) -> None:
    """Go to a step."""
    st.session_state[key] = to


def moves(view: RoundView, steps: list[ReplayStep], at: int, formats: Formats) -> None:
    """Show every move of the round; a click on one goes to its step. The present one is kept in view."""
    key, proofs = step_key(view), proofs_of(view)
    listed = f"{key} moves"
    st.session_state[listed] = at

    def says(step: int) -> str:
        shown = steps[step - 1]
        mark = "◆ " if shown.seq in proofs else ""
        return markup.plain_markdown(mark + sentence_of(shown.type, shown.payload, formats.currency))

    with st.container(height=MOVES_HEIGHT, key="moves"):
        st.radio(
            "Moves",
            range(1, len(steps) + 1),
            format_func=says,
            key=listed,
            label_visibility="collapsed",
            on_change=lambda: go(key, int(st.session_state[listed])),
        )
    source.keep_in_sight("moves", at)


def event(view: RoundView, steps: list[ReplayStep], at: int) -> None:
    """Show the event of the step as recorded, with its chain hash."""
    now = steps[at - 1]
    source.note(f"Event {now.seq:,} as recorded")
    st.code(json.dumps(now.payload, indent=2, ensure_ascii=False), language="json")
    source.show(
        f'<p class="rk-hash">{markup.text(view.round["stream"])} · {markup.text(now.type)}<br>'
        f"chain hash {markup.text(now.hash)}</p>"
    )
