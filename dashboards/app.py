"""The pages under one roof."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent


def main() -> None:
    """Lay out the navigation and run the page that was asked for."""
    st.set_page_config(page_title="Discard Rack", page_icon=HERE / "icon.svg", layout="wide")
    st.logo(HERE / "mark.svg", size="large")
    page = st.navigation(
        [
            st.Page(HERE / "pages" / "floor.py", title="Floor", url_path="floor", default=True),
            st.Page(HERE / "pages" / "queue.py", title="Queue", url_path="queue"),
            st.Page(HERE / "pages" / "round.py", title="Round", url_path="round"),
            st.Page(HERE / "pages" / "hold.py", title="Hold", url_path="hold"),
        ],
        position="top",
    )
    page.run()
