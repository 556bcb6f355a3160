"""The felt as a component of Streamlit: what is typed comes as a transcript, and the answer to it goes back."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from replay.transcript import entry

HERE = Path(__file__).parent


def felt(
    text: str = "", chapter: str = "pa-688a", draft: str = "", *, filed: str | None = None, currency: str = "USD"
) -> str:
    """Show the felt with a transcript to begin with, and return the transcript of what is typed now.

    `draft`: under which name the browser keeps what was typed over a reload; it keeps nothing if empty. `filed`: the rules by
    which the round is judged, if they are not chosen on the felt.
    """
    key = f"felt-{draft or 'plain'}"
    typed = str(st.session_state.get(key, {}).get("text", text) or "")
    said = entry.answer(typed, currency, filed) | {"of": typed} if typed else None
    options = {"forms": _forms(), "text": text, "chapter": chapter, "draft": draft}
    options |= {} if filed is None else {"rules": f"rules {entry.FILED}"}
    result = _component()(
        key=key, data={"options": options, "answer": said}, default={"text": text}, on_text_change=_noted
    )
    return str(result.text or "")


def _noted() -> None:
    """The text is in the session's state; the drawing that follows answers it."""


@cache
def _forms() -> list[dict[str, Any]]:
    return entry.forms()


@cache
def _component() -> Any:
    return st.components.v2.component(
        "discard_rack_felt",
        html='<div class="felt-root"></div>',
        css=(HERE / "felt.css").read_text("utf-8"),
        js=(HERE / "felt.js").read_text("utf-8"),
    )
