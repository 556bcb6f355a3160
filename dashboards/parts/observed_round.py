"""An observed round on a page: its verdict, computed from the log now, and people's actions on it.

Invariant: nothing comes from the warehouse, which counts no observed round; an action is in the log before the page says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import streamlit as st

from analytics.warehouse.warehouse import PropertyFacts
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk, drafts, packets, source
from dashboards.run import cases_path, log_address, log_options
from desk.review import cases
from desk.review.cases import CaseFolder
from desk.review.desk import REFUSALS, Desk, desk_at
from replay.findings import Adjudication
from replay.narrative.verdicts import RoundVerdict, narrate
from replay.transcript.words import TranscriptError

if TYPE_CHECKING:
    from desk.packet.evidence import Judged

T = TypeVar("T")


def formats_of(at: Desk) -> Formats:
    """Return the format of money and time of a log's property."""
    said = at.memory.configured(at.log)
    return Formats.of(PropertyFacts() if said is None else PropertyFacts(currency=said.currency, time_zone=said.time_zone))


def judged_now(at: Desk, place: str, number: int) -> Judged | None:
    """Return the present verdict on an observed round; None if it has none."""
    from desk.packet.evidence import judge  # with the judge: not before a round is judged

    return judge(place, functools.partial(at.log.read, place), number, elsewhere=at.log.read)


def ask(question: Callable[[Desk], T]) -> T:
    """Query the desk of a log that may not be replayed yet. Raises the desk's errors."""
    with desk_at(log_address() or "", read_only=True, check_heads=False, needs_results=False, **log_options()) as at:
        return question(at)


def act(done: str, what: Callable[[Desk, str], object]) -> bool:
    """Act at the desk in the signed-in person's name; return whether it was written. The page shows the result."""
    address, who, denied = log_address(), access.person(), access.refusal(access.REVIEW)
    if address is None or who is None or denied is not None:
        desk.refuse(denied or "Sign in first: every entry is in a person's name.")
        return False
    try:
        with desk_at(address, persons=desk.register(), needs_results=False, **log_options()) as at:
            what(at, who)
    except (*REFUSALS, TranscriptError) as error:
        desk.refuse(str(error))
        return False
    st.session_state["desk-done"] = done
    return True


def record(judged: Judged | None, seat: int | None, formats: Formats) -> None:
    """Show the log's present record of an observed round (and a seat)."""
    if judged is None:
        source.empty("No verdict", "The entry of this round was withdrawn.")
    else:
        verdict(judged.adjudication, seat, formats)


def verdict(judged: Adjudication, seat: int | None, formats: Formats) -> None:
    """Show a verdict in one sentence."""
    said = narrate(RoundVerdict.of(judged), seat, formats.currency)
    source.show(markup.Html(f"<p>{markup.verdict_badge(judged.verdict)} {markup.text(said.sentence)}</p>"))


def may_act() -> bool:
    """Return whether the viewer may enter, correct and confirm."""
    return log_address() is not None and access.person() is not None and access.may(access.REVIEW)


def case_and_packet(place: str, number: int) -> None:
    """Offer to open a case of an observed round on the patron's claim, and to make its packet."""
    here = [each for each in ask(lambda at: cases.cases(at, place)) if each.case.round_no == number]
    seat = here[-1].case.seat if here else None
    with st.container(horizontal=True, vertical_alignment="center"):
        for each in here:
            source.show(markup.button_link("cases", f"Case {each.name}", case=each.name))
        packets.offer(place, number, seat)
    if not here and may_act():
        _open_case(place, number)


def _open_case(place: str, number: int) -> None:
    draft = f"case {place} {number}"
    with drafts.lines(draft), st.form(draft, border=False):
        left, right, button = st.columns([5, 1, 2], vertical_alignment="bottom")
        claim = left.text_input("What the patron says", max_chars=400, placeholder="the ace high bonus was not paid").strip()
        seat = right.selectbox("Seat", [None, *range(1, 8)], format_func=lambda each: "–" if each is None else str(each))
        pressed = button.form_submit_button("Open case")
    if not pressed:
        return
    if not claim:
        desk.refuse("Write down what the patron says")
    else:
        settings = CaseFolder(cases_path()).settings()
        if act(
            "Case opened", lambda at, who: cases.open_case(at, place, number, by=who, settings=settings, claim=claim, seat=seat)
        ):
            drafts.stored(draft)
        desk.forget()
    st.rerun()
