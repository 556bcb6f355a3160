"""The pages under one roof."""

from __future__ import annotations

import gc
import threading
from html import escape
from importlib import import_module
from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboards.access import access
from dashboards.parts import open_round_warnings
from replay.installed_games import add_installed_games

HERE = Path(__file__).parent

PAGES = {
    "floor": "How is each table doing?",
    "queue": "What has to be looked at, and in which order?",
    "round": "What happened in a round, what should have happened, and what proves it?",
    "dispute": "Was the patron paid right? Find the round from what is remembered.",
    "entry": "What was due? Type a round as it was seen.",
    "pit": "What happens at the tables: openings, dealers, fills, credits, closings.",
    "cases": "Which disputes have to be answered, by when, and what is in each one's file?",
    "hold": "What did the tables win, and on what?",
    "dealers": "Where do things go wrong at the table, and who or what needs a look?",
    "fairness": "Do dice, cards and shufflers give everybody the same chance?",
    "surveillance": "What happened on this shift, and what does the next one take over?",
    "integrity": "Is the record as it was written, and who can vouch for it?",
    "reports": "What has to be filed for a day or a month?",
    "rules": "Which rules hold at a table, and what do its wagers return?",
    "health": "Does everything run?",
}
"""Page → its question, in the order of the navigation."""

ABOUT = (
    "**Discard Rack** records every event at a table, replays every round by the regulation, and shows what differs."
)
"""What the menu says of the program; with it is the choice of a light page or a dark one."""

SHOWN = "page-shown"
"""Where the page is noted that a session shows."""

TITLES = {"entry": "Entry", "dealers": "Dealer errors", "surveillance": "Surveillance log"}
"""Page → its title, if that is not its name."""


def main() -> None:
    """Lay out the navigation and run the page that was asked for."""
    add_installed_games()
    st.set_page_config(page_icon=HERE / "icon.svg", layout="wide", menu_items={"About": ABOUT})
    st.logo(HERE / "mark.svg", size="large")
    may = {name: access.may(name) for name in PAGES}
    pages = [
        st.Page(
            HERE / "pages" / f"{name}.py",
            title=TITLES.get(name, name.capitalize()),
            url_path=name,
            help=question,
            visibility="visible" if may[name] else "hidden",  # its address still answers: with the reason
        )
        for name, question in PAGES.items()
    ]
    first = next((page for page in pages if may[page.url_path]), pages[0])

    def home() -> None:
        """Stand at the root, and lead to the first page: so that it has an address of its own that can be sent."""
        st.switch_page(first)

    page = st.navigation([st.Page(home, title="Home", default=True, visibility="hidden"), *pages], position="top")
    st.set_page_config(page_title=f"{page.title} · Discard Rack")
    if page.url_path:
        access.gate(page.url_path)
    _begin_anew(page.url_path)
    _who()
    _warm_up()
    if page.url_path not in ("", "floor"):  # the Floor page has them at its tables
        open_round_warnings.watch()
    page.run()


def _begin_anew(page: str) -> None:
    """Forget what was chosen before, where an address was followed (a link, Back, Forward): it alone says what is shown.

    Within a page Streamlit's controls would go on showing what they showed, except on Round, where they belong to their round.
    """
    run, elsewhere = get_script_run_ctx(), page == "round" or st.session_state.get(SHOWN) != page
    if run is not None and run.is_history_navigation and elsewhere:
        for name in list(st.session_state):
            del st.session_state[name]
    st.session_state[SHOWN] = page


@st.cache_resource(show_spinner=False)
def _warm_up() -> None:
    """Begin, next to the first page, with what later ones would wait for.

    In a thread of its own, for deep in the calls of a page Python 3.11 can take ten times as long: if a loop calls across
    the end of a chunk of its stack, each call asks the system for memory and gives it back.
    """
    threading.Thread(target=_load_analyses, daemon=True).start()


def _load_analyses() -> None:
    """Load what analyses need, then have garbage collection pass over what is loaded: Streamlit collects after each drawing."""
    for module in ("hold_counts", "hold_wagers", "hold_luck", "hold_pace", "fairness_words"):
        import_module(f"dashboards.analysis.{module}")
    gc.collect()
    gc.freeze()


def _who() -> None:
    """Say in the header who is logged in, with the way out."""
    person = access.person()
    if person is not None:
        with st.container(key="who", horizontal=True, vertical_alignment="center"):
            short = escape(person.partition("@")[0])
            st.html(f'<span class="rk-who">{escape(person)}</span><span class="rk-who-short">{short}</span>')
            st.button("Log out", key="log-out", on_click=st.logout, type="tertiary")
