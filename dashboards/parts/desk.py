"""The desk of these pages' log: who is at it, the reviews, and one action at a time.

Invariant: reviews are read from the log, and remembered only while the log continues the last event read. An action is an event
in the log before the page says so, and a refusal is shown with its reason.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import streamlit as st

from dashboards.access import access
from dashboards.drawing import markup
from dashboards.run import log_address, log_options, persons_path
from desk.review import persons
from desk.review.cases import PatronCase, by_deadline, cases_of
from desk.review.desk import REFUSALS, Desk, Entry, FindingReview, RecordKind, Resolution, ReviewRefused, TableReview, desk_at
from desk.review.desk_memory import DeskMemory
from desk.review.persons import Person, Persons
from replay.narrative.names import plural

T = TypeVar("T")

FRESH_SECONDS = 3
LAST_DEED = "last-deed"
"""The session's key for the person's last action on incidents."""


class Reviews:
    """The reviews of all tables in the log."""

    def __init__(self, tables: dict[str, TableReview], broken: dict[str, str], today: str) -> None:
        self.tables, self.broken, self.today = tables, broken, today

    def of(self, table: str, finding_id: str) -> FindingReview:
        """Return the state of a finding."""
        review = self.tables.get(table)
        return FindingReview(finding_id=finding_id) if review is None else review.finding(finding_id)

    def disposed(self, table: str) -> dict[str, Resolution]:
        """Return a table's dispositions by finding id."""
        review = self.tables.get(table)
        return {} if review is None else review.disposed

    def cases(self) -> list[PatronCase]:
        """Return all cases, by deadline."""
        return by_deadline([each for table, review in self.tables.items() for each in cases_of(table, review)])

    def ids(self, fits: Callable[[FindingReview], bool]) -> tuple[str, ...]:
        """Return the ids of the findings that match."""
        return tuple(key for review in self.tables.values() for key, said in sorted(review.findings.items()) if fits(said))

    def people(self) -> list[str]:
        """Return everybody assigned to a finding."""
        given = {said.assigned_to for review in self.tables.values() for said in review.findings.values()}
        return sorted(person for person in given if person)


def reviews() -> Reviews | None:
    """Return the reviews; None if these pages know no log or cannot read it (then the page says why)."""
    address = log_address()
    if address is None:
        return None
    try:
        return _read(address)
    except REFUSALS as error:
        st.html(markup.notice("The log cannot be read, so nothing can be reviewed", str(error)))
        return None


def disposed(table: str) -> dict[str, Resolution]:
    """Return a table's dispositions by finding id; empty if these pages know no log."""
    said = reviews()
    return {} if said is None else said.disposed(table)


@st.cache_resource(max_entries=1, show_spinner=False)
def _memory(address: str) -> tuple[threading.Lock, DeskMemory]:
    """Return the shared memory of a log's reviews, for one session at a time: a reload reads only new events."""
    return threading.Lock(), DeskMemory()


@st.cache_resource(ttl=FRESH_SECONDS, show_spinner=False)
def _read(address: str) -> Reviews:
    tables: dict[str, TableReview] = {}
    broken: dict[str, str] = {}
    lock, memory = _memory(address)
    with lock, desk_at(address, read_only=True, **log_options()) as desk:
        desk.memory = memory
        for stream in desk.log.streams():
            kind, _, table = stream.partition("/")
            if kind == "review":
                try:
                    tables[table] = desk.review(table)
                except REFUSALS as error:
                    broken[table] = str(error)
        today = desk.today()
    return Reviews(tables, broken, today)


def named_log() -> str:
    """Return the address of the log. Raises `ReviewRefused` if the pages were started without one."""
    address = log_address()
    if address is None:
        raise ReviewRefused("these pages were started without a log; name it: rack dashboard --log ADDR")
    return address


def ask(question: Callable[[Desk], T]) -> T:
    """Query the desk, even of a log that lost its tail. Raises the desk's errors."""
    with desk_at(named_log(), read_only=True, check_heads=False, **log_options()) as at:
        return question(at)


def register() -> Persons:
    """Return the register of people. Raises `ReviewRefused` if it is missing or invalid."""
    file = persons_path()
    if file is None:
        raise ReviewRefused(
            "these pages were started without a register of persons, and only registered persons act; "
            "name its file with RACK_PERSONS (rack review register makes it)"
        )
    return persons.read(file)


def actor() -> Person | None:
    """Return the registered person who is signed in, or None; the page names an unknown person."""
    who = access.person()
    try:
        return None if who is None else register().known(who)
    except REFUSALS as error:
        st.html(markup.notice("You can look but not act", str(error)))
        return None


def writer() -> str | None:
    """Return the id of a viewer who may write here, otherwise None."""
    known = None if access.refusal(access.REVIEW) is not None else actor()
    return None if known is None else known.id


def recorded_as(who: str) -> str:
    """Return the recorded name of a signed-in person: the id of a registered person, else the sign-in name."""
    file = persons_path()
    person = persons.read(file).find(who) if file is not None and file.is_file() else None
    return who if person is None else person.id


def export(tables: Sequence[str], *, digest: str, form: str, by: str, reason: str, what: RecordKind = "findings") -> None:
    """Record that a record of tables leaves in a file with a SHA-256 (`digest`, hex). Raises the desk's errors."""
    with desk_at(named_log(), **log_options()) as at:
        for table in tables:
            at.exported(table, None, what=what, digest=digest, form=form, by=recorded_as(by), reason=reason)


class Deed(NamedTuple):
    """An action on incidents (the ids of their causes, each with its place in words), and its time."""

    places: Mapping[str, str]
    by: str
    what: str
    says: str
    at_us: int


def act(what: Callable[[Desk], Entry], *, about: Mapping[str, str] | None = None) -> Entry | None:
    """Do one action at the desk; None if it was refused, and the page says why. `about`: the incident, as in a `Deed`."""
    address = log_address()
    if address is None:
        return None
    denied = access.refusal(access.REVIEW)
    if denied is not None:
        refuse(denied)
        return None
    try:
        with desk_at(address, persons=register(), **log_options()) as desk:
            entry = what(desk)
    except REFUSALS as error:
        refuse(str(error))
        return None
    finally:
        _read.clear()  # also if it is refused: then the page is behind the log
    if about is None:
        st.session_state["desk-done"] = f"{entry.by} {entry.says}"
    else:
        st.session_state[LAST_DEED] = Deed(about, entry.by, entry.what, entry.says, entry.at_us)
    return entry


def act_on_each(places: Mapping[str, str], what: Callable[[Desk, str], Entry]) -> None:
    """Do one action on each incident (cause's id → place in words), each in its own commit; show refusals with their place."""
    address, denied = log_address(), access.refusal(access.REVIEW)
    if address is None or denied is not None:
        refuse(denied or "these pages were started without a log; name it: rack dashboard --log ADDR")
        return
    refused: list[str] = []
    done: dict[str, str] = {}
    try:
        with desk_at(address, persons=register(), **log_options()) as desk:
            for cause, place in places.items():
                try:
                    entry = what(desk, cause)
                    done[cause] = place
                except REFUSALS as error:
                    refused.append(f"{place}: {error}")
    except REFUSALS as error:
        refuse(str(error))
        return
    finally:
        _read.clear()
    if done:
        st.session_state[LAST_DEED] = Deed(done, entry.by, entry.what, entry.says, entry.at_us)
    if refused:
        refuse(". ".join(refused), f"Not saved for {len(refused)} of {plural(len(places), 'incident')}")


def forget() -> None:
    """Make the next query of the reviews read new events."""
    _read.clear()


def refuse(why: str, title: str = "Not saved") -> None:
    """Have the next drawing of the page show a refusal."""
    st.session_state["desk-refusal"] = title, why


def quote(typed: str) -> None:
    """Add to the refusal what the person had typed, so that it is not lost with its form."""
    if typed and (refusal := st.session_state.get("desk-refusal")):
        title, why = refusal
        refuse(f"{why}. You typed: “{typed}”", title)


def outcome(overtaken_by: str = "") -> None:
    """Show the last action's result once; `overtaken_by`: another person's earlier action, which explains a refusal."""
    refusal, done = st.session_state.pop("desk-refusal", None), st.session_state.pop("desk-done", None)
    with st.container():  # what is beneath stays in its place, whether there is a refusal or not
        if refusal:
            title, why = refusal
            st.html(markup.notice(title, overtaken_by or why))
    if done:
        st.toast(f"Saved. {markup.plain_markdown(done)}")


def name_of(who: str) -> str:
    """Return a registered person's name; the id if there is no register entry."""
    try:
        found = register().find(who)
    except REFUSALS:
        return who
    return who if found is None else found.name


def on_record(table: str, round_no: int) -> None:
    """Record, once a session, that the viewer looks at a round (with a login); if that fails, the page ends here."""
    who, address, key = access.person(), log_address(), f"seen {table} {round_no}"
    if who is None or address is None or key in st.session_state:
        return
    try:
        with desk_at(address, needs_results=False, **log_options()) as desk:
            desk.viewed(table, round_no, what="round", by=recorded_as(who), reason="opened on a page")
    except REFUSALS as error:
        st.html(markup.notice("The round is not shown: your view of it cannot be recorded", str(error)))
        st.stop()
    st.session_state[key] = True
