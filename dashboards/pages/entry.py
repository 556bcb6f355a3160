"""Enter a round: what was due? A round typed as it was seen, and the answer next to it; nothing is stored."""

from __future__ import annotations

import streamlit as st

from dashboards.drawing import markup
from dashboards.felt.component import felt
from dashboards.parts import source


def page() -> None:
    """Lay the page out: the felt, which answers as one types."""
    source.begin()
    source.show(
        markup.heading(
            "Enter a round",
            "Type what was dealt, wagered and paid: the answer appears as you type. Nothing is stored.",
        )
    )
    _felt()


@st.fragment
def _felt() -> None:
    felt(draft="rack-entry")


page()
