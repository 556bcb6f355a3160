"""The events of a round held against the log when its page opens: what does not fit stands in the place of the verdict."""

from __future__ import annotations

import streamlit as st

from analytics import shown_events
from analytics.hold import RoundView
from analytics.shown_events import Checked
from analytics.warehouse import stamp
from dashboards import desk, markup, source
from dashboards.markup import Html
from dashboards.run import log_address, warehouse_path
from replay.review import REFUSALS

FRESH_SECONDS = 10
UNNAMED = "Not checked against the log: these pages were started without one (`rack dashboard --log ADDR`)."


def checked(view: RoundView) -> Checked | None:
    """Return whether the events of a round, as the warehouse has them, are those of the log; null without a log."""
    address = log_address()
    if address is None:
        return None
    return _checked(
        (address, str(warehouse_path()), stamp(warehouse_path()), view.round["stream"], view.round["round_no"]), view
    )


@st.cache_resource(ttl=FRESH_SECONDS, max_entries=64, show_spinner="Checking the hashes of the events …")
def _checked(key: tuple[object, ...], _view: RoundView) -> Checked:
    of = _view.round
    try:
        return desk.ask(
            lambda at: shown_events.check(at, of["stream"], of["round_no"], _view.events.to_dicts(), of["first_seq"])
        )
    except REFUSALS as error:
        return Checked(False, f"The log cannot be read: {error}")


def fits(view: RoundView) -> bool:
    """Show the check of a round's events; false where they do not fit, and then no verdict may be shown."""
    found = checked(view)
    if found is not None and not found.ok:
        source.show(
            markup.notice(
                "The events of this round are not confirmed by the log, so that no verdict is shown",
                markup.coded(
                    f"{found.sentence}. Keep log and warehouse as they are, and run `rack verify --log ADDR`."
                ),
            )
        )
        return False
    source.show(note(found))
    return True


def note(found: Checked | None) -> Html:
    """Return in a line what was checked."""
    return Html(f'<p class="rk-checked rk-note">{markup.coded(found.sentence if found is not None else UNNAMED)}</p>')
