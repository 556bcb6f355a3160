"""A draft: the browser keeps typed text under the person's name until it is stored or cleared.

Text is never cut: a text that is too long stays in its box, which says by how much. keys.js does the keeping: a text box whose
container's key begins with `draft-`, and a mark that names stored drafts. No other box is kept, and no number of a card.
"""

import re

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.drawing import markup
from desk.review.desk import LONGEST
from replay.narrative.names import plural

STORED = "drafts-stored"
"""The session's key for stored drafts, which the browser forgets at the next drawing."""


def box(label: str, name: str, *, longest: int = LONGEST, value: str = "", placeholder: str | None = None) -> str:
    """Show the box of a draft with the initial `value`, and return its text."""
    with st.container(key=_container(name)):
        typed = str(st.text_area(label, value, key=_key(name), placeholder=placeholder, height=96) or "").strip()
        if len(typed) > longest:
            words = f"{longest:,} fit; nothing was cut. Shorten it."
            st.html(markup.notice(f"{plural(len(typed) - longest, 'character')} too many", words))
    return typed


def lines(name: str) -> DeltaGenerator:
    """Return a container for one-line boxes, each a draft under its label."""
    forget()  # a fragment draws it without the top of its page
    return st.container(key=_container(name))


def text(name: str) -> str:
    """Return the text of a draft, for a button's action."""
    return str(st.session_state.get(_key(name)) or "").strip()


def stored(*names: str) -> None:
    """Clear the boxes of stored drafts, and have the browser forget them."""
    for name in names:
        st.session_state[_turn(name)] = turn(name) + 1
    st.session_state[STORED] = [*st.session_state.get(STORED, ()), *names]


def forget() -> None:
    """Have the browser forget stored drafts."""
    marks = [f'<span data-draft-stored="{_container(name)}"></span>' for name in st.session_state.pop(STORED, ())]
    st.html(f'<div class="rk-noprint" hidden>{"".join(marks)}</div>')  # always: what is drawn below keeps its place


def turn(name: str) -> int:
    """Return how often a draft was stored in this session."""
    return int(st.session_state.get(_turn(name), 0))


def _turn(name: str) -> str:
    return f"draft-turn {name}"


def _key(name: str) -> str:
    return f"written {name} {turn(name)}"


def _container(name: str) -> str:
    return f"draft-{re.sub(r'[^a-zA-Z0-9_-]', '-', name)}"
