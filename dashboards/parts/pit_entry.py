"""The pit's view of the tables, and one entry at a time in the signed-in person's name.

Invariant: an entry is in the log before the page says so; a refusal is shown with its reason, and nothing is written.
"""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple, TypeVar

import streamlit as st

from analytics.warehouse.warehouse import PropertyFacts
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk
from dashboards.run import cases_path, log_address, log_options
from desk.house.counting import CountRoom, DraftCount
from desk.house.filing import Office
from desk.house.pit import Pit
from desk.house.property_file import FILE, closed_tables, house_folder
from desk.house.table_lines import HouseLog, TableRecord, configured, house_at, table_record
from desk.review.desk import REFUSALS, gaming_day
from desk.review.persons import Persons
from desk.review.stored_events import names_of


class Counts(NamedTuple):
    """The count of a gaming day: the uncounted boxes, the counted ones with their cents, and the entries so far."""

    boxes: list[str]
    counted: list[tuple[str, int]]
    entered: DraftCount | None


FRESH_SECONDS = 3
DONE, REFUSED, NOTICE = "house-done", "house-refused", "house-notice"


T = TypeVar("T")


class Tables(NamedTuple):
    """Every table with its lines, by name, the property's format of money and time, and its present gaming day."""

    records: list[TableRecord]
    formats: Formats
    today: date


@st.cache_resource(ttl=FRESH_SECONDS, show_spinner=False)
def _tables(address: str) -> Tables:
    with house_at(address, read_only=True, **log_options()) as log:
        said = configured(log)
        facts = PropertyFacts() if said is None else PropertyFacts(currency=said.currency, time_zone=said.time_zone)
        today = datetime.now(UTC).date() if said is None else date.fromisoformat(gaming_day(_now_us(), said))
        return Tables([table_record(log, name) for name in names_of(log, "table")], Formats.of(facts), today)


def tables() -> Tables | None:
    """Return the tables; None if the log is unknown or unreadable, and the page says so."""
    address = log_address()
    if address is None:
        st.html(
            markup.empty("No log", "These pages were started without a log. Start them with one: `rack dashboard --log ADDR`.")
        )
        return None
    try:
        return _tables(address)
    except REFUSALS as error:
        st.html(markup.notice("The log cannot be read", str(error)))
        return None


def read(what: Callable[[HouseLog], T]) -> T:
    """Query the log. Raises the errors in `REFUSALS`."""
    with house_at(desk.named_log(), read_only=True, **log_options()) as log:
        return what(log)


def in_pit(done: str, what: Callable[[Pit, str], object]) -> bool:
    """Enter something at a table, given the pit and the signed-in person; return whether it was written."""
    closed = closed_tables(folder())
    return written("pit", done, lambda log, persons, by: what(Pit(log, persons, _now_us, closed), by))


def in_office(done: str, what: Callable[[Office, str], object]) -> bool:
    """File or sign something, given the office and the signed-in person; return whether it was written."""
    return written("filing", done, lambda log, persons, by: what(Office(log, persons, _now_us()), by))


def in_count_room(done: str, what: Callable[[CountRoom, str], object]) -> bool:
    """Count something, given the count room and the signed-in person; return whether it was accepted."""
    return written("count", done, lambda log, persons, by: what(count_room(log, persons), by))


def counts_of(day: str) -> Counts | None:
    """Return the progress of a gaming day's count; None if the log or the register cannot be read, and the page says so."""
    address = log_address()
    if address is None:
        return None
    try:
        with house_at(address, read_only=True, **log_options()) as log:
            room = count_room(log, desk.register())
            return Counts(room.boxes(day), room.counted(day), room.waiting(day))
    except REFUSALS as error:
        st.html(markup.notice("The count cannot be read", str(error)))
        return None


def day_to_count(today: date) -> date:
    """Return the gaming day that the count begins with: the day before if it has boxes to count, or if this one has none."""
    before = today - timedelta(days=1)
    now, then = counts_of(today.isoformat()), counts_of(before.isoformat())
    if now is None or then is None:
        return today
    return before if then.boxes or not (now.boxes or now.counted) else today


def count_room(log: HouseLog, persons: Persons) -> CountRoom:
    """Return the count room; it keeps first entries in the same folder as `rack count`."""
    return CountRoom(log, persons, _now_us, (cases_path() or folder() or Path(".rack")) / "counts")


def folder() -> Path | None:
    """Return the folder of the property's file: next to its log or, on Kafka, the folder of cases; None if unknown."""
    address, beside = log_address(), cases_path()
    found = None if address is None else house_folder(address)
    return beside if found is None and beside is not None and (beside / FILE).is_file() else found


def outcome() -> None:
    """Show the last entry's result once."""
    if why := st.session_state.pop(REFUSED, None):
        st.html(markup.notice("Not saved", why))
    if more := st.session_state.pop(NOTICE, None):
        st.html(markup.notice("Check this", more))
    if done := st.session_state.pop(DONE, None):
        st.toast(markup.plain_markdown(done))


def written(right: str, done: str, what: Callable[[HouseLog, Persons, str], object]) -> bool:
    """Write something in the signed-in person's name; return whether it was written."""
    address, who, denied = log_address(), access.person(), access.refusal(right)
    if address is None or who is None or denied is not None:
        st.session_state[REFUSED] = denied or "Sign in to enter anything: an entry is made in a person's name."
        return False
    try:
        with house_at(address, **log_options()) as log:
            what(log, desk.register(), who)
    except REFUSALS as error:
        st.session_state[REFUSED] = str(error)
        return False
    finally:
        _tables.clear()  # also if it is refused: then the page is behind the log
    st.session_state[DONE] = done
    return True


def _now_us() -> int:
    return time.time_ns() // 1_000
