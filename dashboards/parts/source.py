"""Shared work of every page: its style, the open warehouse, and the text if none exists."""

import re
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack
from html import unescape
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import streamlit as st

from analytics.warehouse import floor_data, round_data
from analytics.warehouse.statements import Statement, recorded_statements
from analytics.warehouse.warehouse import PropertyFacts, Warehouse, WarehouseError, reading, stamp
from dashboards.access import access
from dashboards.access.page_list import PAGES
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.parts import address, drafts, verification_run
from dashboards.rulings import print_parts
from dashboards.run import HERE, addressed, log_address, warehouse_path
from desk.printable import escape

P = ParamSpec("P")
T = TypeVar("T")
POLL_SECONDS = 3
BAR_WIDTH = 168
"""The width of a choice in the filter bar, in pixels."""
DRAWN_FROM = "drawn-from"
"""The session's key for the generation with which a page began: one that comes between two questions is new to it."""

NOTICES = "page-notices"
"""The key of the place, above everything, where a page says what its address asks for and the record does not have.

It is one place, however many notices are in it: a fragment beneath that moved while it is redrawn would be there twice.
"""
NEWS = "page-news"
"""The key of the place where a page offers new results: always at the corner, whatever else the page shows."""


def begin() -> None:
    """Load the style, note the generation, check the address, show a failed verification: each page's first call."""
    st.session_state[DRAWN_FROM] = stamp(warehouse_path())
    facts = _facts()
    formats_here = Formats.of(facts)
    keys = f"<script>{(HERE / 'keys.js').read_text('utf-8')}</script>"  # our own words only
    st.html(print_parts.heading(facts.name, access.person(), formats_here) + keys, unsafe_allow_javascript=True)
    st.session_state[NEWS] = st.container(key="news")
    st.session_state[NOTICES] = st.container(gap="xsmall")
    with st.session_state[NOTICES]:
        show(verification_run.banner(formats_here))
        show(address.left_out_notices())
    drafts.forget()


def ask(question: Callable[[Warehouse], T]) -> T:
    """Query the newest generation. Without a warehouse, the page says what to do and ends here."""
    try:
        return question(_warehouse())
    except WarehouseError as error:
        _nothing(error)
        watch()
        st.stop()


def reckon(question: Callable[..., T], *about: Any, **more: Any) -> T:
    """Make a slow query of the newest generation; the same query of the same generation is computed once."""
    return reckon_with_statements(question, *about, **more)[0]


def reckon_with_statements(question: Callable[..., T], *about: Any, **more: Any) -> tuple[T, list[Statement]]:
    """Query as `reckon` does; return the answer with the statements that ran for it."""
    name = f"{question.__module__}.{question.__qualname__}"
    try:
        kept: tuple[T, list[Statement]] = _reckoned(
            (str(warehouse_path()), stamp(warehouse_path()), name, repr(about), repr(more)), question, about, more
        )
    except WarehouseError as error:
        _nothing(error)
        watch()
        st.stop()
    return kept


@st.cache_data(max_entries=64, show_spinner="Computing …")
def _reckoned(
    key: tuple[Any, ...], _question: Callable[..., T], _about: tuple[Any, ...], _more: dict[str, Any]
) -> tuple[T, list[Statement]]:
    with recorded_statements() as statements:
        return _question(_warehouse(), *_about, **_more), statements


class _Open(threading.local):
    """A thread's open generation until the page is drawn: opening it for each query would take longer than most answers."""

    def __init__(self) -> None:
        self.of: tuple[Path, tuple[int, int] | None] | None = None
        self.held = ExitStack()
        self.db: Warehouse | None = None


_open = _Open()


def _warehouse() -> Warehouse:
    """Return the newest generation, open. Raises `WarehouseError`."""
    path = warehouse_path()
    newest = path, stamp(path)
    if _open.db is None or _open.of != newest:
        _open.held.close()
        _open.db = None
        _open.db, _open.of = _open.held.enter_context(reading(path)), newest
    return _open.db


def records_rounds() -> bool:
    """Return whether devices record rounds here: false if a log is named and the warehouse has no round of it."""
    if log_address() is None:
        return True
    try:
        return round_data.has_rounds(_warehouse())
    except WarehouseError:
        return False


def _facts() -> PropertyFacts:
    """Return the property's facts for parts of every page, even without a warehouse."""
    try:
        return floor_data.property_facts(_warehouse())
    except WarehouseError:
        return PropertyFacts()


def frame_formats() -> Formats:
    """Return the formats for parts of every page, even without a warehouse."""
    return Formats.of(_facts())


def formats() -> Formats:
    """Return this property's format of money and time."""
    return Formats.of(ask(floor_data.property_facts))


_LINK = re.compile(r' href="([a-z]+)(?:\?[^"]*)?"')
_COMMAND = re.compile("(?<=<code>)rack [^<]*")


def show(html: str) -> None:
    """Put markup on the page unless it is empty; a link to a page that the viewer may not see becomes plain text."""
    if html:
        closed = PAGES.keys() - access.session().rights
        html = _LINK.sub(lambda link: "" if link[1] in closed else link[0], html)
        st.html(_COMMAND.sub(lambda command: escape(addressed(unescape(command[0]))), html))


def _shown(make: Callable[P, Html]) -> Callable[P, None]:
    """Return a function that puts on the page what this one makes."""

    def put(*about: P.args, **options: P.kwargs) -> None:
        show(make(*about, **options))

    return put


heading, section, figures = _shown(markup.heading), _shown(markup.section), _shown(markup.figures)
table, notice, empty = _shown(markup.table), _shown(markup.notice), _shown(markup.empty)


def note(words: str) -> None:
    """Put a remark, which may have markup in it, on the page."""
    show(f'<p class="rk-note">{words}</p>')


def on_opening(label: str, content: Callable[[], None], *, expanded: bool = False) -> None:
    """Fold something away, and draw it only when opened, to keep the page light."""

    @st.fragment
    def folded() -> None:
        place = st.expander(label, key=f"opened {label}", on_change="rerun", expanded=expanded)
        if place.open:
            with place:
                content()

    folded()


def draw(wide: str, upright: str = "") -> None:
    """Put a drawing on the page inline, so that its titles can be read; `st.html` would drop it. A phone shows `upright`."""
    drawings = f'<div class="rk-drawing{" rk-wide" if upright else ""}">{wide}</div>'
    if upright:
        drawings += f'<div class="rk-drawing rk-upright">{upright}</div>'
    st.markdown(drawings, unsafe_allow_html=True)


def title(words: str) -> None:
    """Set the browser tab's title to the content shown."""
    st.set_page_config(page_title=f"{words} · Discard Rack")


def print_button() -> None:
    """Offer to print the page; the print style leaves out screen-only parts."""
    st.html(
        '<button type="button" class="rk-button rk-noprint" id="rk-print">Print this page</button>'
        "<script>document.getElementById('rk-print').addEventListener('click', () => window.print())</script>",
        unsafe_allow_javascript=True,  # our own words only
    )


def _nothing(error: WarehouseError) -> None:
    """Show why the page is empty and, if nothing was replayed yet, what to do."""
    if stamp(warehouse_path()) is None:
        no_rounds("Nothing to show yet", f"There is no warehouse at {warehouse_path()} yet.")
    else:
        empty("Nothing to show yet", str(error))


def keep_in_sight(container: str, place: int) -> None:
    """Scroll a container (by its key) to its selected option; `place` is that option's position."""
    words = f"<script>/* {place} */ window.rackSight?.('{container}')</script>"
    st.html(words, unsafe_allow_javascript=True)  # our own words only


def no_rounds(title: str = "No rounds here yet", why: str = "") -> None:
    """Show that nothing was replayed, and what to do."""
    why = f"{why} Run `rack replay --log ADDR --warehouse FILE`: this page updates by itself."
    empty(title, why.strip())


def not_offered(label: str, name: str, values: Collection[str]) -> None:
    """Show that the address names something that is not here, and remove it from the address."""
    given = st.query_params.get(name)
    if given and given not in values:
        del st.query_params[name]
        with st.session_state[NOTICES]:
            words = "The link asks for it; the page is shown without it."
            notice(f"{label} {given} is not here", words)


def choose(
    label: str, name: str, values: Sequence[str], say: Callable[[str], str], everything: str, *, in_bar: bool = False
) -> str | None:
    """Offer the values and keep the choice in the address; `everything` is the text of no choice, which is None."""
    key, given = f"choose-{name}", value_in_address(label, name, values)
    if st.session_state.get(key) not in values and (key not in st.session_state or st.session_state[key] is not None):
        st.session_state[key] = given
    picked: str | None = st.selectbox(
        label,
        values,
        index=None,  # so that a choice can be cleared
        placeholder=everything,
        format_func=say,
        key=key,
        **_width(in_bar=in_bar),
    )
    if picked is None:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = picked
    return picked


def choose_one(label: str, name: str, values: Sequence[str], say: Callable[[str], str], *, in_bar: bool = False) -> str:
    """Offer the values, one of which is always chosen, and keep the choice in the address unless it is the first."""
    given = value_in_address(label, name, values) or values[0]
    picked: str = st.selectbox(
        label, values, index=list(values).index(given), format_func=say, key=f"choose-{name}", **_width(in_bar=in_bar)
    )
    if picked == values[0]:
        st.query_params.pop(name, None)
    else:
        st.query_params[name] = picked
    return picked


def pick(label: str, offered: Sequence[str], words: Mapping[str, str], *, key: str, default: str | None = None) -> str:
    """Offer values side by side, one of which is always chosen: at first the default, or the first."""
    picked: str | None = st.segmented_control(
        label,
        offered,
        default=default or offered[0],
        required=True,
        format_func=words.__getitem__,
        key=key,
        label_visibility="collapsed",
    )
    return picked or offered[0]


def _width(*, in_bar: bool) -> dict[str, Any]:
    return {"label_visibility": "collapsed", "width": BAR_WIDTH} if in_bar else {}


def value_in_address(label: str, name: str, allowed: Collection[str]) -> str | None:
    """Return a value of the address's query if it is offered; else None, and the page says so."""
    not_offered(label, name, allowed)
    return st.query_params.get(name)


def watch(*, quietly: bool = False, offer: Callable[[], str] | None = None) -> None:
    """Redraw the page when a new generation of the warehouse comes.

    `quietly`: only offer to redraw, with the news from `offer`.

    While somebody chooses or types, the page must not change.
    """
    drawn_from = st.session_state[DRAWN_FROM]

    @st.fragment(run_every=POLL_SECONDS)
    def look() -> None:
        if stamp(warehouse_path()) == drawn_from:
            return
        words = offer() if quietly and offer is not None else "new results"
        if not quietly or st.button(f"Show {words}", type="primary", key="show-new"):
            st.rerun()

    with st.session_state[NEWS]:
        look()
