"""The pages under one roof."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

PAGES = {
    "floor": "How is each table doing?",
    "queue": "What has to be looked at, and in which order?",
    "round": "What happened in a round, what should have happened, and what proves it?",
    "dispute": "Was the patron paid right? Find the round from what is remembered.",
    "hold": "What did the tables win, and on what?",
}
"""Page → its question, in the order of the navigation."""


def main() -> None:
    """Lay out the navigation and run the page that was asked for."""
    st.set_page_config(page_title="Discard Rack", page_icon=HERE / "icon.svg", layout="wide")
    st.logo(HERE / "mark.svg", size="large")
    pages = [
        st.Page(HERE / "pages" / f"{name}.py", title=name.capitalize(), url_path=name, help=question)
        for name, question in PAGES.items()
    ]

    def home() -> None:
        """Stand at the root, and lead to the floor: so that the floor has an address of its own that can be sent."""
        st.switch_page(pages[0])

    st.navigation([st.Page(home, title="Home", default=True, visibility="hidden"), *pages], position="top").run()
