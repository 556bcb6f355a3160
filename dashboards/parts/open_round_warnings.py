"""What has to be put right now, on whatever page one is: the warnings about open rounds, looked for every second."""

from __future__ import annotations

import threading
from contextlib import ExitStack

import streamlit as st

from analytics.hold.hold import property_facts
from analytics.warehouse.warehouse import PropertyFacts, WarehouseError, reading, stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.run import log_address, log_options, warehouse_path
from desk.review.desk import REFUSALS, desk_at
from replay.advice import Advice, advice_in
from replay.narrative.advice import warning_sentences
from replay.narrative.names import table_name

BEAT_SECONDS = 1
SHOWN = 3
"""This many rounds are named at once; the Floor page has all of them."""


class AdviceReader:
    """The results of a log, open for reading what is advised."""

    def __init__(self, address: str) -> None:
        self._resources, self._lock = ExitStack(), threading.Lock()
        desk = desk_at(address, read_only=True, check_heads=False, **log_options())
        self._results = self._resources.enter_context(desk).results

    def close(self) -> None:
        """Release the log and its results."""
        with self._lock:
            self._resources.close()

    def warned(self) -> list[Advice]:
        """Return the advice on the rounds in which something is to be put right now. Raises what a desk raises."""
        with self._lock:
            return [each for each in advice_in(self._results).values() if each.warnings]


@st.cache_resource(max_entries=1, show_spinner=False, on_release=AdviceReader.close)
def _reader(address: str) -> AdviceReader:
    return AdviceReader(address)


def watch() -> None:
    """Show on this page, within a second, what has to be put right at a table; nothing if no log is known or readable."""
    address = log_address()
    if address is None or not access.may("floor"):
        return

    @st.fragment(run_every=BEAT_SECONDS)
    def look() -> None:
        try:
            found = _reader(address).warned()
        except REFUSALS:  # the page itself says what is wrong with the log
            found = []
        st.html(strip(found, _currency(stamp(warehouse_path()))) if found else "<span></span>")

    look()


def strip(warned: list[Advice], currency: str) -> Html:
    """Return the warnings in a line each, with the way to the Floor page."""
    lines = "".join(
        f"<div><strong>{markup.text(table_name(each.stream.partition('/')[2]))}</strong> · round {each.round_no:,}, still open: "
        f"{markup.text(warning_sentences(each, currency)[0])}</div>"
        for each in warned[:SHOWN]
    )
    more = f"<div>and {len(warned) - SHOWN} more tables</div>" if len(warned) > SHOWN else ""
    return Html(
        f'<div class="rk-warned-strip" role="alert"><div>{lines}{more}</div>{markup.link("floor", "Open Floor")}</div>'
    )


@st.cache_data(max_entries=1, show_spinner=False)
def _currency(drawn_from: tuple[int, int] | None) -> str:
    """Return the property's currency by the warehouse, or that of the regulations if none exists yet."""
    try:
        with reading(warehouse_path()) as db:
            return Formats.of(property_facts(db)).currency
    except WarehouseError:
        return Formats.of(PropertyFacts()).currency
