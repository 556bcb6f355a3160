"""The desk of the log that these pages show: who is at it, what was reviewed, and one action at a time.

The law of this file: nothing is kept here. What was reviewed is read from the log, what is done becomes an event in it before
the page says so, and what the desk refuses is shown with its reason.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import streamlit as st

from dashboards import markup
from dashboards.run import log_address, log_options
from replay.review import REFUSALS, Desk, Entry, FindingReview, TableReview, desk_at

PERSON = re.compile(r"[a-z0-9][a-z0-9._@+-]{0,63}")
COOKIE = "rack-person"
FRESH_SECONDS = 3


class Reviews:
    """What was reviewed at all tables, as the log has it."""

    def __init__(self, tables: dict[str, TableReview], broken: dict[str, str]) -> None:
        self.tables, self.broken = tables, broken

    def of(self, table: str, finding_id: str) -> FindingReview:
        """Return where a finding stands."""
        review = self.tables.get(table)
        return FindingReview(finding_id=finding_id) if review is None else review.finding(finding_id)

    def ids(self, fits: Callable[[FindingReview], bool]) -> tuple[str, ...]:
        """Return the findings somebody spoke of that fit."""
        return tuple(
            key for review in self.tables.values() for key, said in sorted(review.findings.items()) if fits(said)
        )

    def people(self) -> list[str]:
        """Return everybody a finding is assigned to."""
        given = {said.assigned_to for review in self.tables.values() for said in review.findings.values()}
        return sorted(person for person in given if person)


def reviews() -> Reviews | None:
    """Return what was reviewed, or null where these pages know no log or cannot read it (then the page says why)."""
    address = log_address()
    if address is None:
        return None
    try:
        return _read(address)
    except REFUSALS as error:
        st.html(markup.notice("The log cannot be read, so nothing can be reviewed", str(error)))
        return None


@st.cache_resource(ttl=FRESH_SECONDS, show_spinner=False)
def _read(address: str) -> Reviews:
    tables: dict[str, TableReview] = {}
    broken: dict[str, str] = {}
    with desk_at(address, read_only=True, **log_options()) as desk:
        for stream in desk.log.streams():
            kind, _, table = stream.partition("/")
            if kind == "review":
                try:
                    tables[table] = desk.review(table)
                except REFUSALS as error:
                    broken[table] = str(error)
    return Reviews(tables, broken)


def act(what: Callable[[Desk], Entry]) -> Entry | None:
    """Do one thing at the desk; null where it was refused, and the page says why."""
    address = log_address()
    if address is None:
        return None
    try:
        with desk_at(address, **log_options()) as desk:
            entry = what(desk)
    except REFUSALS as error:
        st.session_state["desk-refusal"] = str(error)
        return None
    _read.clear()
    st.session_state["desk-done"] = f"{entry.by}: {entry.says}"
    return entry


def outcome() -> None:
    """Say once what the last action came to."""
    refusal, done = st.session_state.pop("desk-refusal", None), st.session_state.pop("desk-done", None)
    if refusal:
        st.html(markup.notice("Nothing was written", refusal))
    if done:
        st.toast(f"Written to the log. {done}")


def person() -> str:
    """Return who is at the desk, as the login says, else as was typed; empty where nobody said. Shows the box for it."""
    if st.user.get("is_logged_in"):
        return str(st.user.get("email") or "").lower()
    if "person" not in st.session_state:
        st.session_state["person"] = _kept()
    typed = str(
        st.text_input(
            "You are", key="person", placeholder="m.ortiz", persist_state="session",
            help="As the property's directory has you, in small letters. It stands with everything you do.",
        )
    ).strip().lower()  # fmt: skip
    if not PERSON.fullmatch(typed):
        if typed:
            st.html(markup.notice("Not a name", "Small letters, digits and . _ @ + - only, as in m.ortiz."))
        return ""
    if _kept() != typed:
        # the name is of harmless letters only, see PERSON
        st.html(
            f"<script>document.cookie = '{COOKIE}={typed}; path=/; max-age=43200; SameSite=Strict'</script>",
            unsafe_allow_javascript=True,
        )
    return typed


def _kept() -> str:
    """The name that this browser gave before; empty where it gave none, or what is none."""
    kept = st.context.cookies.get(COOKIE)
    return kept if isinstance(kept, str) and PERSON.fullmatch(kept) else ""
