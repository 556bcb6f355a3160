"""Checks a round's events against the log when its page opens; a mismatch replaces the verdict."""

import streamlit as st

from analytics import shown_events
from analytics.shown_events import EventsCheck
from analytics.warehouse.round_data import RoundView
from analytics.warehouse.warehouse import stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.parts import desk
from dashboards.run import log_address, warehouse_path
from desk.review.desk import REFUSALS

FRESH_SECONDS = 10
UNNAMED = "Not checked against the log: these pages were started without one (`rack dashboard --log ADDR`)."


def check_of(view: RoundView) -> EventsCheck | None:
    """Return whether the warehouse's events of a round are those of the log; None without a log."""
    address = log_address()
    if address is None:
        return None
    return _check_of(
        (address, str(warehouse_path()), stamp(warehouse_path()), view.round["stream"], view.round["round_no"]), view
    )


@st.cache_resource(ttl=FRESH_SECONDS, max_entries=64, show_spinner="Checking the hashes of the events …")
def _check_of(key: tuple[object, ...], _view: RoundView) -> EventsCheck:
    of = _view.round
    try:
        return desk.ask(
            lambda at: shown_events.check(
                at, of["stream"], of["round_no"], _view.events.to_dicts(), of["first_seq"], of["revision"]
            )
        )
    except REFUSALS as error:
        return EventsCheck(False, f"The log cannot be read: {error}")


def is_confirmed(found: EventsCheck | None) -> bool:
    """Return whether a verdict may be shown: the log confirms the events, or no log is named, and the page says so."""
    return found is None or found.ok


def adopted(found: EventsCheck | None, *, hidden: bool = False) -> Html:
    """Return the note that people adopted this verdict (`hidden`: without their names); empty for any other verdict."""
    if found is None or not found.adopted:
        return Html("")
    who = "Two people adopted this verdict" if hidden or not access.may(access.NAMES) else found.adopted
    words = f"An earlier version of the program judged this round otherwise. {who}."
    return Html(f'<p class="rk-note">{markup.text(words)}</p>')


def check_notice(found: EventsCheck | None) -> Html:
    """Return the result of the check in a line, or a mismatch as a warning."""
    if found is None or found.ok:
        return Html(f'<p class="rk-checked rk-note">{markup.coded(UNNAMED if found is None else found.sentence)}</p>')
    return markup.notice(
        "The events of this round are not confirmed by the log, so no verdict is shown",
        markup.coded(f"{found.sentence}. Keep log and warehouse as they are, and run `rack verify --log ADDR`."),
    )
