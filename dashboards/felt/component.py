"""The felt as a component of Streamlit: typed text arrives as a transcript, and the answer to it goes back.

Streamlit sends a component's script with every answer. So the script is three lines, with which the browser fetches the felt
once.
"""

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


class FeltInput(NamedTuple):
    """The transcript on the felt, whether it has all outcomes, and whether the answer was requested earlier."""

    text: str
    has_outcomes: bool
    is_unveiled: bool


def felt(
    text: str = "",
    chapter: str = "pa-688a",
    draft: str = "",
    *,
    currency: str,
    done: str = "",
    filed: str | None = None,
    shows: Callable[[FeltInput], bool] = lambda typed: True,
) -> FeltInput:
    """Show the felt with an initial transcript, and return its present content.

    `draft`: the name under which the browser keeps the text over a reload; empty: not kept. `currency` by ISO 4217.
    `done` names the stored part of the draft, which is forgotten. `filed`: the rules of the round, if they are not chosen on the
    felt. `shows`: whether the answer may be shown; in a blind audit, only after the payments are typed.
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


def typed_on(draft: str, done: str = "", text: str = "") -> FeltInput:
    """Return the present content of a draft's felt; `text` if nothing was typed yet."""
    state = st.session_state.get(_key(draft, done), {})
    return FeltInput(str(state.get("text", text) or ""), bool(state.get("typed")), bool(state.get("unveiled")))


def _key(draft: str, done: str) -> str:
    return f"felt-{draft or 'plain'}-{done}"


def _noted() -> None:
    """Do nothing: the text is in the session's state, and the next drawing answers it."""


@cache
def script() -> str:
    """Return the felt as one module: its script, the data of every chapter, and its style."""
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
