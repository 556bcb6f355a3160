"""Checks the values in a page's address before the page reads them; invalid ones are dropped, and the page says so.

Addresses are typed, truncated by mail programs, and sent by strangers. A page reads its address only after `left_out_notices`.
"""

import re
from collections.abc import Iterable
from contextlib import suppress
from datetime import date
from typing import NamedTuple

import streamlit as st
from streamlit.errors import StreamlitAPIException

from dashboards.drawing import markup
from dashboards.drawing.markup import Html

LARGEST = 2**53 - 1
LONGEST = 200
ANY_DAY = "any"
SHOWN = 40
"""At most this many characters of a value that is left out are shown."""


class Form(NamedTuple):
    """The form of a value: in words, as a pattern, and what it must be beyond that: a number from `least`, or a calendar date."""

    words: str
    pattern: re.Pattern[str]
    least: int | None = None
    is_date: bool = False

    def fits(self, value: str) -> bool:
        """Return whether a value has this form."""
        if self.pattern.fullmatch(value) is None:
            return False
        if self.is_date:
            return value == ANY_DAY or _is_date(value)
        return self.least is None or self.least <= int(value) <= LARGEST


def _is_date(value: str) -> bool:
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


NUMBER = Form(f"a whole number from 1 to {LARGEST:,}", re.compile(r"[0-9]{1,16}"), least=1)
STEP = Form(f"a whole number from 0 to {LARGEST:,}", re.compile(r"[0-9]{1,16}"), least=0)
TABLE = Form("the id of a table, such as fu-01", re.compile(r"(?:observed/)?[a-z0-9-]{1,32}"))
DAY = Form("a gaming day, such as 2026-03-06", re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}"), is_date=True)
DAY_OR_ANY = DAY._replace(words=f"{DAY.words}, or any", pattern=re.compile(rf"{ANY_DAY}|{DAY.pattern.pattern}"))
STREAM = Form("a table or meter, such as table/fu-01", re.compile(r"(?:table|meter)/[a-z0-9-]{1,32}"))
FINDING = Form("the id of a finding, 32 digits from 0 to f", re.compile(r"[0-9a-f]{32}"))
TEXT = Form(f"at most {LONGEST} printable characters", re.compile(rf".{{1,{LONGEST}}}"))

IN_ANY_CASE = (TABLE, STREAM, FINDING)
"""Ids, which people write in capitals too."""

FORMS = {
    "filing": NUMBER,
    "number": NUMBER,
    "finding": FINDING,
    "day": DAY_OR_ANY,
    "from": DAY,
    "of": TABLE,
    "page": NUMBER,
    "round": NUMBER,
    "seat": NUMBER,
    "step": STEP,
    "stream": STREAM,
    "table": TABLE,
    "to": DAY,
}
"""Name → form; every other value is short text, which a page compares with what it offers."""


def fits(name: str, values: Iterable[str]) -> bool:
    """Return whether the value of a name in an address is valid. An empty value always is.

    >>> fits("day", ["2026-02-28"]), fits("day", ["2026-02-30"]), fits("day", ["any"]), fits("from", ["any"])
    (True, False, True, False)

    >>> fits("round", ["17"]), fits("round", ["9" * 5000]), fits("round", ["0"]), fits("view", ["\\x00"]), fits("round", [""])
    (True, False, False, False, True)
    """
    form = FORMS.get(name, TEXT)
    return all(not value or (value.isprintable() and form.fits(value)) for value in values)


def left_out_notices() -> Html:
    """Remove invalid values from the address; return the notice about them, empty if there are none."""
    notices = []
    for name in list(st.query_params):
        values = st.query_params.get_all(name)
        if fits(name, values):
            continue
        if FORMS.get(name, TEXT) in IN_ANY_CASE and fits(name, [value.lower() for value in values]):
            with suppress(StreamlitAPIException):  # bound to a box, which writes it so, and offers its own values
                st.query_params[name] = values[-1].lower()
            continue
        try:
            del st.query_params[name]
        except StreamlitAPIException:  # bound to a box, which says itself what it takes
            continue
        shown = ascii(values[-1][:SHOWN]) + (f" … ({len(values[-1]):,} characters)" if len(values[-1]) > SHOWN else "")
        notices.append(
            markup.notice(
                f"The address gives {ascii(name[:SHOWN])[1:-1]} as {shown}",
                f"Expected {FORMS.get(name, TEXT).words}. It was ignored. Choose a value below.",
            )
        )
    return Html("".join(notices))
