"""Alarms on every page: errors that can still be corrected in an open round, and those not corrected in time.

Invariant: an alarm disappears only if the round continues without it, its verdict does not have it, it is disposed of, or
somebody has taken it and its round is over. The log is read even if no page is open.
"""

import threading
import time
from contextlib import ExitStack
from typing import Any

import msgspec
import streamlit as st

from analytics.shown_events import newest_of_round
from analytics.warehouse.floor_data import property_facts
from analytics.warehouse.warehouse import PropertyFacts, WarehouseError, reading, stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.drawing import table_drawing
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats
from dashboards.drawing.table_after_event import steps_of, table_after
from dashboards.parts import desk, source
from dashboards.rulings import print_parts
from dashboards.run import log_address, log_options, warehouse_path
from desk.review.desk import REFUSALS, desk_at
from desk.review.incident_desk import IncidentDesk
from replay.advice import Advice, advice_in
from replay.findings import Adjudication, read_result
from replay.incidents import incidents
from replay.narrative.advice import due_sentences, phase_name, remedies, warning_sentences
from replay.narrative.incidents import incident_sentence
from replay.narrative.names import table_name

BEAT_SECONDS = 1
LOOK_SECONDS = 0.5
SHOWN = 3
"""This many alarms are named on other pages at once; the Floor page has all of them."""
KEPT_S = 12 * 3600
"""How long an alarm that no one takes stays after its round closed; the queue keeps it for good."""


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """An incident of an open round: its findings by id, its sentence, what to do, and since when (s) it is known."""

    stream: str
    round_no: int
    ids: tuple[str, ...]
    says: str
    to_do: str
    since_s: float
    closed: bool = False

    @property
    def table(self) -> str:
        """The id of the table."""
        return self.stream.partition("/")[2]


class AlarmBoard:
    """The alarms of a log, which its own thread updates until it is closed."""

    def __init__(self, address: str, currency: str) -> None:
        self._resources, self._lock, self._currency = ExitStack(), threading.Lock(), currency
        opened = desk_at(address, read_only=True, check_heads=False, **log_options())
        self._desk = self._resources.enter_context(opened)
        self._alarms: dict[tuple[str, int, str], Alarm] = {}
        self._ended = threading.Event()
        threading.Thread(target=self._watch, daemon=True).start()

    def close(self) -> None:
        """Stop updating, and release the log and its results."""
        self._ended.set()
        with self._lock:
            self._resources.close()

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_SECONDS):
            try:
                self.look(time.time())
            except REFUSALS:  # the page itself says what is wrong with the log
                continue

    def alarms(self) -> list[Alarm]:
        """Return the alarms: those that can still be corrected first, oldest first."""
        with self._lock:
            return sorted(self._alarms.values(), key=lambda each: (each.closed, each.since_s))

    def look(self, now_s: float) -> None:
        """Update the alarms from the advice and the verdicts. Raises the desk's errors."""
        with self._lock:
            if self._ended.is_set():
                return
            given = advice_in(self._desk.results)
            known = {id_: each.since_s for each in self._alarms.values() for id_ in each.ids}
            found = {}
            for advice in given.values():
                for incident in incidents(advice.warnings):
                    ids = tuple(each.id for each in incident.findings)
                    alone = msgspec.structs.replace(advice, warnings=incident.findings)
                    alarm = Alarm(
                        stream=advice.stream, round_no=advice.round_no, ids=ids,
                        says=incident_sentence(incident, self._currency),
                        to_do=" ".join(dict.fromkeys(remedies(alone, self._currency))),
                        since_s=min([known[id_] for id_ in ids if id_ in known], default=now_s),
                    )  # fmt: skip
                    found[advice.stream, advice.round_no, ids[0]] = alarm
            again = {id_ for each in found.values() for id_ in each.ids}
            for key, before in self._alarms.items():
                if not again.intersection(before.ids) and (kept := self._outlived(before, given, now_s)) is not None:
                    found[key] = kept
            self._alarms = found

    def _outlived(self, before: Alarm, given: dict[str, Advice], now_s: float) -> Alarm | None:
        """Return the present form of an alarm that advice no longer has: None if it was corrected or is too old."""
        if before.closed:
            return before if now_s - before.since_s < KEPT_S else None
        advice = given.get(before.stream)
        if advice is not None and advice.round_no == before.round_no:
            return None  # the round goes on without it
        key = f"{before.stream}#{before.round_no}"
        data = self._desk.results.latest("adjudications", key)
        if data is None:
            return before  # its verdict is not here yet
        verdict = read_result("adjudications", key, data, Adjudication)
        is_there = {each.id for each in verdict.findings}.intersection(before.ids)
        unknown = verdict.verdict == "UNDETERMINED"  # then nothing says that it was corrected
        return msgspec.structs.replace(before, closed=True) if is_there or unknown else None

    def open_round(self, stream: str, round_no: int) -> tuple[Advice | None, list[dict[str, Any]]]:
        """Return the advice on a round and its recorded events; empty if it is not the open round."""
        with self._lock:
            advice = advice_in(self._desk.results).get(stream)
            if advice is None or advice.round_no != round_no:
                return None, []
            return advice, newest_of_round(self._desk, stream, round_no)


@st.cache_resource(max_entries=1, show_spinner=False, on_release=AlarmBoard.close)
def _board(address: str) -> AlarmBoard:
    return AlarmBoard(address, _currency(stamp(warehouse_path())))


def waiting() -> list[tuple[Alarm, str]]:
    """Return the waiting alarms, each with the person who took it (or empty); none without a log."""
    address = log_address()
    if address is None:
        return []
    try:
        alarms = _board(address).alarms()
    except REFUSALS:  # the page itself says what is wrong with the log
        return []
    said = desk.reviews() if alarms else None
    found = []
    for alarm in alarms:
        reviews = [] if said is None else [said.of(alarm.table, each) for each in alarm.ids]
        taken = next((e.by for each in reviews for e in each.history if e.what == "alarm_acknowledged"), "")
        disposed = bool(reviews) and all(each.settled for each in reviews)
        if not disposed and not (alarm.closed and taken):
            found.append((alarm, taken))
    return found


def watch(most: int | None = SHOWN) -> None:
    """Show the alarms on this page, updated every second; nothing if no log is known or readable."""
    if log_address() is None or not access.may("floor"):
        return

    @st.fragment(run_every=BEAT_SECONDS)
    def look() -> None:
        found = waiting()
        if not found:
            st.html("<span></span>")
            return
        with st.container(key="alarms", gap="small"):
            st.html(_head(found, most))
            for alarm, taken in found[:most]:
                _row(alarm, taken)

    look()


def _head(found: list[tuple[Alarm, str]], most: int | None) -> Html:
    ids = " ".join(alarm.ids[0] for alarm, taken in found if not taken)
    more = len(found) - most if most is not None else 0
    rest = f" {markup.link('floor', f'{more} more on Floor')}" if more > 0 else ""
    return Html(
        f'<div class="rk-alarms" role="alert" data-alarms="{len(ids.split())}" data-ids="{ids}">'
        f"<strong>Correct now</strong>{rest}"
        '<button type="button" class="rk-button rk-noprint" data-alarm-sound>Sound off</button></div>'
    )


def _row(alarm: Alarm, taken: str) -> None:
    state = "✖ Closed uncorrected" if alarm.closed else f"◈ {taken} has it" if taken else "▲ Open"
    age = max(0, int(time.time() - alarm.since_s))
    known = f"{age // 60}:{age % 60:02d}"
    place = markup.link(
        "round", f"{table_name(alarm.table)} · round {alarm.round_no:,}",
        table=alarm.table, round=alarm.round_no, finding=alarm.ids[0],
    )  # fmt: skip
    words = f"{markup.text(alarm.says)}. <strong>{markup.text(alarm.to_do)}</strong>"
    with st.container(horizontal=True, vertical_alignment="center", key=f"alarm-{alarm.ids[0][:12]}"):
        st.html(f'<div class="rk-alarm">{place} <span class="rk-soft">{state} · {known}</span><br>{words}</div>')
        if access.person() is not None and not taken and access.may(access.REVIEW):
            st.button("Take", key=f"take {alarm.ids[0]}", on_click=_take, args=(alarm,), type="primary")


def _take(alarm: Alarm) -> None:
    me = desk.actor()
    if me is not None:
        desk.act(lambda at: IncidentDesk(at).take_alarm(alarm.table, alarm.round_no, alarm.ids, by=me.id)[-1])


def open_round(table: str, round_no: int) -> bool:
    """Show the log's open round with what to correct; return whether it is open."""
    address = log_address()
    if address is None:
        return False
    try:
        advice, rows = _board(address).open_round(f"table/{table}", round_no)
    except REFUSALS:
        return False
    if advice is None:
        return False
    formats = source.frame_formats()
    source.title(f"{table_name(table)} round {round_no:,}, open")

    @st.fragment(run_every=BEAT_SECONDS)
    def follow() -> None:
        now, events = _board(address).open_round(f"table/{table}", round_no)
        if now is None:
            st.rerun()
        _draw(now or advice, events or rows, table, formats)

    follow()
    return True


def _draw(advice: Advice, rows: list[dict[str, Any]], table: str, formats: Formats) -> None:
    steps = steps_of(rows)
    source.heading(f"{table_name(table)} · Round {advice.round_no:,}", f"Still open: {phase_name(advice.phase).lower()}")
    left, right = st.columns([4, 6], gap="medium")
    with left:
        to_do = remedies(advice, formats.currency)
        for words in warning_sentences(advice, formats.currency):
            source.notice(words, " ".join(to_do))
        dues = "".join(f"<li>{markup.text(each)}</li>" for each in due_sentences(advice, formats.currency))
        source.show(f'{markup.section("Due now")}<ul class="rk-dues">{dues}</ul>' if dues else "")
    with right:
        said = f"{table_name(table)} round {advice.round_no:,} now"
        drawn = table_after(steps, len(steps))
        source.draw(table_drawing(drawn, formats, (), said), table_drawing(drawn, formats, (), said, upright=True))
    proofs = {seq for each in advice.warnings for seq in each.evidence}
    source.section("What was recorded", "The newest first.")
    source.show(print_parts.trail(steps[::-1], proofs, formats, "What was recorded", lambda step: Html("")))


@st.cache_data(max_entries=1, show_spinner=False)
def _currency(drawn_from: tuple[int, int] | None) -> str:
    """Return the property's currency from the warehouse, or the regulations' currency without one."""
    try:
        with reading(warehouse_path()) as db:
            return Formats.of(property_facts(db)).currency
    except WarehouseError:
        return Formats.of(PropertyFacts()).currency
