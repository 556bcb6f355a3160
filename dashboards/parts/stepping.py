"""Stepping and playing through a round: the table after the chosen step beside the event of the step, redrawn alone."""

from __future__ import annotations

import json
import time

import streamlit as st

from analytics.hold.hold import RoundView
from dashboards.drawing import markup
from dashboards.drawing.drawing import table_drawing
from dashboards.drawing.names import Formats
from dashboards.drawing.state import Step, table_after
from dashboards.parts import source
from dashboards.parts.accounts import flags
from replay.narrative.events import sentence_of
from replay.narrative.names import table_name

PLAY_SECONDS = 1.0


def step_key(view: RoundView) -> str:
    """Return the name under which this round's step is kept in the session."""
    return f"step of {view.round['stream']} {view.round['round_no']}"


def step_now(view: RoundView, steps: list[Step]) -> int:
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


def evidence_step(view: RoundView, steps: list[Step], finding_id: str | None) -> int | None:
    """Return the step of the last event that proves a finding (the first finding, where none is named)."""
    for found in view.findings.iter_rows(named=True):
        if finding_id in (None, found["finding_id"]):
            places = [i for i, step in enumerate(steps, start=1) if step.seq in found["evidence"]]
            return max(places, default=None)
    return None


def proofs_of(view: RoundView) -> set[int]:
    """Return the numbers of the events that prove a finding of the round."""
    return {seq for evidence in view.findings["evidence"] for seq in evidence}


def replay(view: RoundView, steps: list[Step], formats: Formats) -> None:
    """Show the table after the chosen step, the event of the step, and the controls."""
    key = step_key(view)
    playing = st.session_state.get(f"{key} playing") is not None

    @st.fragment(run_every=PLAY_SECONDS if playing else None)
    def stepping() -> None:
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
        picture, beside = st.columns([7, 3], gap="medium")
        with picture:
            at = controls(view, steps, at, playing)
            said = (
                f"{table_name(view.round['table_id'])}, round {view.round['round_no']}, after step {at} of {len(steps)}"
            )
            table, marks = table_after(steps, at), flags(view, formats)
            source.draw(
                table_drawing(table, formats, marks, said), table_drawing(table, formats, marks, said, upright=True)
            )
        with beside:
            event(view, steps, at, formats)

    stepping()


def controls(view: RoundView, steps: list[Step], at: int, playing: bool) -> int:
    """Show back, play, next, the jump to the next evidence and the slider; return the step that is chosen."""
    key, last = step_key(view), len(steps)
    proofs = proofs_of(view)
    places = [i for i, step in enumerate(steps, start=1) if step.seq in proofs]
    ahead = next((i for i in places if i > at), places[0] if places else None)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
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
    at = int(st.slider("Step", 1, max(last, 2), key=key, disabled=last < 2, format=f"%d of {last}"))
    return min(at, last)


def move(key: str, by: int, last: int) -> None:
    """Go a step on or back."""
    st.session_state[key] = max(1, min(int(st.session_state[key]) + by, last))


def play_or_pause(key: str, last: int) -> None:
    """Begin to play, from the first step where the last is on view; or stop."""
    playing = st.session_state.get(f"{key} playing") is not None
    st.session_state[f"{key} playing"] = None if playing else time.monotonic()
    if not playing and int(st.session_state[key]) >= last:
        st.session_state[key] = 1


def go(key: str, to: int) -> None:
    """Go to a step."""
    st.session_state[key] = to


def event(view: RoundView, steps: list[Step], at: int, formats: Formats) -> None:
    """Show the event of the step, those around it, and the event as recorded."""
    proofs = proofs_of(view)
    now = steps[at - 1]
    here = markup.link(
        "round", "link to this step", table=view.round["table_id"], round=view.round["round_no"], step=at
    )
    trail = "".join(
        f'<li class="{"rk-here" if i == at else ""}{" rk-proof" if steps[i - 1].seq in proofs else ""}">'
        f"{markup.text(sentence_of(steps[i - 1].type, steps[i - 1].payload, formats.currency))}</li>"
        for i in around(at, len(steps))
    )
    source.show(
        f'<div class="rk-step"><div class="rk-soft">Step {at} of {len(steps)} · {formats.clock(now.occurred_at_us)}</div>'
        f'<div class="rk-now">{markup.text(sentence_of(now.type, now.payload, formats.currency))}</div>'
        f'<div class="rk-soft">reported by {markup.text(now.source)} · {here}</div><ol class="rk-trail">{trail}</ol></div>'
    )
    with st.expander(f"Event {now.seq:,} as recorded"):
        st.code(json.dumps(now.payload, indent=2, ensure_ascii=False), language="json")
        source.show(
            f'<p class="rk-hash">{markup.text(view.round["stream"])} · {markup.text(now.type)}<br>'
            f"chain hash {markup.text(now.hash)}</p>"
        )


def around(at: int, last: int, width: int = 4) -> range:
    """Return the steps around one, as many as fit.

    >>> list(around(1, 20)), list(around(20, 20, 1))
    ([1, 2, 3, 4, 5, 6, 7, 8, 9], [18, 19, 20])
    """
    start = max(1, min(at - width, last - 2 * width))
    return range(start, min(last, start + 2 * width) + 1)
