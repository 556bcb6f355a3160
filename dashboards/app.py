"""The application: navigation and pages."""

from pathlib import Path

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboards.access import access
from dashboards.access.page_list import PAGES, Place, start_page
from dashboards.drawing import markup
from dashboards.parts import open_round_warnings, source
from desk.printable import escape
from replay.installed_games import add_installed_games

HERE = Path(__file__).parent

ABOUT = "**Discard Rack** records every event at a table, replays every round by the regulation, and shows what differs."
"""The menu's text about the program, next to the choice of a light or a dark page."""

SHOWN = "page-shown"
"""The session's key for the page on view."""
LASTING = ("seen ", "last-")
"""The beginnings of session keys that last from page to page: recorded views, and the person's last actions."""


def main() -> None:
    """Lay out the navigation and run the requested page."""
    add_installed_games()
    st.set_page_config(page_icon=HERE / "icon.svg", layout="wide", menu_items={"About": ABOUT})
    st.logo(HERE / "mark.svg", size="large")
    pages = [st.Page(HERE / "pages" / f"{name}.py", title=entry.title, url_path=name) for name, entry in PAGES.items()]
    who = access.session()

    def home() -> None:
        """Redirect from the root to the first page, so that it has an address of its own to send."""
        start = start_page(who.rights, is_known=who.person is not None, records_rounds=source.records_rounds())
        st.switch_page(next(page for page in pages if page.url_path == start))

    page = st.navigation([st.Page(home, title="Home", default=True), *pages], position="hidden")
    st.set_page_config(page_title=f"{page.title} · Discard Rack")
    st.html(HERE / "style.css")
    _begin_anew(page.url_path)
    _frame(page.url_path, who.rights)
    _who()
    if page.url_path:
        access.gate(page.url_path)
    if page.url_path not in ("", "floor"):  # the Floor page has them at its tables
        open_round_warnings.watch()
    page.run()


def _begin_anew(page: str) -> None:
    """Forget earlier choices if an address was followed (a link, Back, Forward): the address alone decides what is shown.

    Within a page, Streamlit's controls would keep their values, except on Round, where they belong to their round.
    """
    run, elsewhere = get_script_run_ctx(), page == "round" or st.session_state.get(SHOWN) != page
    if run is not None and run.is_history_navigation and elsewhere:
        for name in list(st.session_state):
            if not str(name).startswith(LASTING):
                del st.session_state[name]
    st.session_state[SHOWN] = page


def _frame(here: str, rights: frozenset[str]) -> None:
    """Show the places and, in a second row, the pages of the shown place, without pages that the viewer may not see."""
    pages = {place: [name for name in PAGES if name in rights and PAGES[name].place == place] for place in Place}
    now = PAGES[here].place if here in PAGES else None
    places = "".join(
        f'<a href="{markup.href(names[0])}" target="_self"{" aria-current=true" * (place == now)}>{place}</a>'
        for place, names in pages.items()
        if names
    )
    rows = "".join(
        f'<nav class="rk-pages" aria-label="{place}"{"" if place == now and len(names) > 1 else " hidden"}>'
        + "".join(_page_link(name, here) for name in names)
        + "</nav>"
        for place, names in pages.items()
    )
    st.html(f'<nav class="rk-places" aria-label="Places">{places}</nav>{rows}')


def _page_link(name: str, here: str) -> str:
    entry = PAGES[name]
    now = ' aria-current="page"' if name == here else ""
    return (
        f'<a href="{markup.href(name)}" target="_self" data-key="{entry.key}" title="{escape(entry.question)}"{now}>'
        f"{escape(entry.title)}</a>"
    )


def _who() -> None:
    """Show in the header who is logged in, with the logout."""
    person = access.person()
    if person is not None:
        with st.container(key="who", horizontal=True, vertical_alignment="center"):
            short = escape(person.partition("@")[0])
            st.html(f'<span class="rk-who">{escape(person)}</span><span class="rk-who-short">{short}</span>')
            st.button("Log out", key="log-out", on_click=st.logout, type="tertiary")
