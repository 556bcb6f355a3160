"""What the pit sees of the tables, and one entry at a time in the name of who is signed in.

Invariant: an entry is in the log before the page says so; what is refused is shown with its reason, and nothing was written.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

import streamlit as st

from analytics.warehouse.warehouse import PropertyFacts
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk
from dashboards.run import log_address, log_options
from desk.house.pit import Pit
from desk.house.record import HouseLog, TableRecord, configured, house_at
from desk.review.desk import REFUSALS
from desk.review.persons import Persons

FRESH_SECONDS = 3
DONE, REFUSED = "house-done", "house-refused"


class Tables(NamedTuple):
    """Every table with its lines, by name, and how the property writes money and time."""

    records: list[TableRecord]
    formats: Formats


@st.cache_resource(ttl=FRESH_SECONDS, show_spinner=False)
def _tables(address: str) -> Tables:
    with house_at(address, read_only=True, **log_options()) as log:
        names = sorted(name.removeprefix("table/") for name in log.streams() if name.startswith("table/"))
        said = configured(log)
        facts = PropertyFacts() if said is None else PropertyFacts(currency=said.currency, time_zone=said.time_zone)
        return Tables([TableRecord(log, name) for name in names], Formats.of(facts))


def tables() -> Tables | None:
    """Return what is at the tables; None if the log is not known or cannot be read, which the page then says."""
    address = log_address()
    if address is None:
        st.html(markup.empty("No log", "These pages were started without a log; name it: rack dashboard --log ADDR"))
        return None
    try:
        return _tables(address)
    except REFUSALS as error:
        st.html(markup.notice("The log cannot be read", str(error)))
        return None


def in_pit(done: str, what: Callable[[Pit, str], object]) -> bool:
    """Enter something at a table, given the pit and who is signed in; say whether it was written."""
    return _written("pit", done, lambda log, persons, by: what(Pit(log, persons, _now_us), by))


def outcome() -> None:
    """Say once what the last entry came to."""
    if why := st.session_state.pop(REFUSED, None):
        st.html(markup.notice("Not saved", why))
    if done := st.session_state.pop(DONE, None):
        st.toast(markup.plain_markdown(done))


def _written(right: str, done: str, what: Callable[[HouseLog, Persons, str], object]) -> bool:
    address, who, denied = log_address(), access.person(), access.refusal(right)
    if address is None or who is None or denied is not None:
        st.session_state[REFUSED] = denied or "Sign in to enter anything: an entry is made in a person's name."
        return False
    try:
        with house_at(address, **log_options()) as log:
            what(log, desk.register(), who)
    except REFUSALS as error:
        st.session_state[REFUSED] = str(error)
        return False
    _tables.clear()
    st.session_state[DONE] = done
    return True


def _now_us() -> int:
    return time.time_ns() // 1_000
