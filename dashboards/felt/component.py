"""The felt as a component of Streamlit: what is typed comes as a transcript, and the answer to it goes back.

Streamlit sends the script of a component with every answer. So it gets three lines, with which the browser fetches the felt once.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st

from dashboards.felt import ADDRESS
from replay.transcript import entry

HERE = Path(__file__).parent


class Typed(NamedTuple):
    """What is typed on the felt: the transcript, whether the outcomes of all wagers are in it, and whether the answer was asked
    for before.
    """

    text: str
    has_outcomes: bool
    is_unveiled: bool


def felt(
    text: str = "",
    chapter: str = "pa-688a",
    draft: str = "",
    *,
    done: str = "",
    filed: str | None = None,
    currency: str = "USD",
    shows: Callable[[Typed], bool] = lambda typed: True,
) -> Typed:
    """Show the felt with a transcript to begin with, and return what is typed now.

    `draft`: under which name the browser keeps what was typed over a reload; it keeps nothing if empty. `done` names what was
    stored of the draft, which is forgotten. `filed`: the rules by which the round is judged, if they are not chosen on the felt.
    `shows` says if the answer may be shown; in a blind audit it is not before what was done is typed.
    """
    key, typed = _key(draft, done), typed_on(draft, done, text)
    said: dict[str, Any] | None = None
    if typed.text:
        said = entry.answer(typed.text, currency, filed) | {"of": typed.text}
        if not shows(typed):
            said = {"of": typed.text, "error": said["error"], "blind": True}
    options = {"text": text, "chapter": chapter, "draft": draft, "done": done}
    options |= {} if filed is None else {"rules": f"rules {entry.FILED}"}
    _component()(
        key=key,
        data={"options": options, "answer": said},
        default={"text": text, "typed": False, "unveiled": False},
        on_text_change=_noted,
        on_typed_change=_noted,
        on_unveiled_change=_noted,
    )
    return typed


def typed_on(draft: str, done: str = "", text: str = "") -> Typed:
    """Return what is typed now on the felt of a draft; `text` if nothing was typed yet."""
    state = st.session_state.get(_key(draft, done), {})
    return Typed(str(state.get("text", text) or ""), bool(state.get("typed")), bool(state.get("unveiled")))


def _key(draft: str, done: str) -> str:
    return f"felt-{draft or 'plain'}-{done}"


def _noted() -> None:
    """The text is in the session's state; the drawing that follows answers it."""


@cache
def script() -> str:
    """Return the felt as one module: its script, what it needs of every chapter, and its style."""
    more = {"FORMS": entry.forms(), "STYLE": (HERE / "felt.css").read_text("utf-8")}
    return (HERE / "felt.js").read_text("utf-8") + "".join(
        f"\nexport const {name} = {json.dumps(value)};\n" for name, value in more.items()
    )


@cache
def _component() -> Any:
    version = sha256(script().encode()).hexdigest()[:16]
    return st.components.v2.component(
        "discard_rack_felt",
        html='<div class="felt-root"></div>',
        js=f"""const {{ component, FORMS, STYLE }} = await import(new URL("{ADDRESS}?{version}", document.baseURI).href);
const style = new CSSStyleSheet();
style.replaceSync(STYLE);
export default (given) => component(given, FORMS, style);
""",
    )
