"""Observations: which rounds should be watched, what remains to do, and what do results show about a dealer or a game?"""

from collections.abc import Callable
from datetime import date
from hashlib import sha256
from typing import Any

import streamlit as st

from analytics.warehouse.observation_results import ObservationResult, results_of
from dashboards.drawing import markup
from dashboards.drawing.names import Formats
from dashboards.parts import desk, drafts, observed_round, round_files, source
from dashboards.rulings import observation_parts as parts
from dashboards.run import log_address
from desk.review import observations
from desk.review.desk import REFUSALS, Desk, ReviewRefused
from desk.review.observed_table import EnteredRound, Observation, ObservedTable, drawn, recorded, verdict_of, work_of
from desk.review.stored_events import names_of
from desk.review.surveillance import time_of
from desk.transcript_entry import add_to_entry, correct_line, gaming_day_of, line_of
from replay.narrative.names import plain, table_name

PURPOSES = ("dealer_audit", "game_audit", "for_cause", "dispute")
SELECTIONS = {"random": "at random, drawn now", "systematic": "by a system", "for_cause": "for cause"}
Results = list[tuple[ObservationResult, Observation | None]]


def page() -> None:
    """Lay the page out: all observations, one of them with its tasks, or an entered round with its lines."""
    source.begin()
    if log_address() is None:
        source.heading("Observations")
        source.empty("No log is named", "Start the pages with the log: `rack dashboard --log ADDR`")
        return
    desk.outcome()
    query = st.query_params
    table, name, number = query.get("table", ""), query.get("observation", ""), query.get("round", "")
    try:
        if table and number.isdecimal():
            one_round(table, int(number))
        elif table and "observation" in query:
            one(table, name)
        else:
            every()
    except REFUSALS as error:
        source.notice("This cannot be shown", str(error))


def every() -> None:
    """Show all observations: samples with their rates, then the others; and the form for a new one."""
    found, formats, tables, today = observed_round.ask(_every)
    source.heading("Observations", "Rounds that people watch and enter: audits of dealers and games, and what they show.")
    samples = [each for each in found if each[0].interval is not None]
    others = [each for each in found if each[0].interval is None]
    if not found:
        source.empty("Nothing was observed yet", "Open an observation, or type a round on the Entry page.")
    if samples:
        source.section("Samples", "Each with the exact 95 % interval of the rate of wrong rounds.")
        source.show(parts.listed(samples, formats))
    if others:
        source.section("For cause and disputes", "These rounds count in no rate, because somebody chose them.")
        source.show(parts.listed(others, formats))
    if observed_round.may_act() and tables:
        with st.expander("Open an observation", expanded=not found):
            _opening(tables, today)


def _every(at: Desk) -> tuple[Results, Formats, list[str], str]:
    found: Results = []
    for table in names_of(at.log, "observed"):
        state = ObservedTable(at.log, table)
        found += [(each, state.observations.get(each.observation)) for each in results_of(at, table)]
    return found, observed_round.formats_of(at), names_of(at.log, "table"), at.today()


def _opening(tables: list[str], today: str) -> None:
    """Ask for the subject of an observation; a random selection is drawn at its opening, before anyone watches."""
    with drafts.lines("open-observation"), st.form("open-observation", border=False):
        first = st.columns([2, 2, 2, 1])
        table = first[0].selectbox("Table", tables, format_func=table_name)
        purpose = first[1].selectbox("Purpose", PURPOSES, format_func=lambda each: plain(each).capitalize())
        dealer = first[2].text_input("Dealer", placeholder="d-07", help="A dealer audit names its dealer.").strip()
        planned = first[3].number_input("Rounds planned", min_value=1, value=10, max_value=100_000)
        second = st.columns([2, 2, 1, 1, 1])
        selection = second[0].selectbox("Selection", list(SELECTIONS), format_func=SELECTIONS.__getitem__)
        day = second[1].date_input("Gaming day of the video", date.fromisoformat(today), format="MM/DD/YYYY")
        begins = second[2].text_input("From", placeholder="18:00").strip()
        ends = second[3].text_input("To", placeholder="22:00").strip()
        counted = second[4].text_input("Rounds in it", placeholder="not counted").strip()
        source.show(markup.Html(f'<p class="rk-note">{markup.text(parts.planning(int(planned)))}</p>'))
        pressed = st.form_submit_button("Open observation", type="primary")
    if not pressed:
        return
    made: list[str] = []

    def write(at: Desk, who: str) -> None:
        if counted and not counted.isdecimal():
            raise ReviewRefused(f"{counted!r} is no number of rounds; leave it empty if they were not counted")
        frame = [time_of(at, text, day.isoformat()) if text else None for text in (begins, ends)]
        fields: dict[str, Any] = {
            "by": who,
            "dealer": dealer or None,
            "frame_from_us": frame[0],
            "frame_to_us": frame[1],
            "frame_rounds": int(counted) if counted else None,
            "planned": int(planned),
            "purpose": purpose,
            "selection": selection,
        }
        made.append(observations.open_observation(at, table, **fields).observation)

    if observed_round.act("Observation opened", write):
        drafts.stored("open-observation")
        st.query_params.from_dict({"table": table, "observation": made[0]})
    st.rerun()


def one(table: str, name: str) -> None:
    """Show one observation: its results, its opening, its tasks, its rounds."""

    def read(at: Desk) -> tuple[ObservedTable, ObservationResult, dict[int, Any], Formats, dict[int, str]]:
        state = ObservedTable(at.log, table)
        found = [each for each in results_of(at, table) if each.observation == name]
        if not found:
            state.observation(name)
        opened = state.observations[name].opened if name in state.observations else None
        times = drawn(opened) if opened is not None and opened.frame_rounds is None else []
        days = {at_us: gaming_day_of(at, at_us) for at_us in times}
        verdicts = {number: verdict_of(at.results, f"{state.stream}#{number}") for number in state.rounds}
        return state, found[0], verdicts, observed_round.formats_of(at), days

    state, result, verdicts, formats, days = observed_round.ask(read)
    observation = state.observations.get(name)
    source.title(f"Observation {name or 'none'}, {table_name(table)}")
    ways = markup.button_link("observations", "All observations")
    source.heading(f"{table_name(table)} · {name or 'no observation'}", parts.purpose(observation), ways)
    source.show(parts.results(result, formats))
    numbers = observation.rounds if observation is not None else [
        each for each, entered in state.rounds.items() if entered.header.observation not in state.observations
    ]  # fmt: skip
    if observation is not None:
        source.show(parts.facts(observation, formats))
        source.section("Work", "For each drawn time, enter the first round that begins then or later.")
        work = work_of(state, observation)
        source.show(parts.work(work, observation, table, formats, days if observed_round.may_act() else None))
        if observed_round.may_act() and observation.closed is None:
            _doing(
                table,
                observation,
                [each.at for each in work if each.at is not None and each.round_no is None and each.unreadable is None],
                formats,
            )
    if numbers:
        source.section("Rounds")
        source.show(parts.rounds([state.rounds[each] for each in numbers], verdicts, table, formats))


def _doing(table: str, observation: Observation, to_do: list[int], formats: Formats) -> None:
    name, counted = observation.opened.observation, observation.opened.frame_rounds is not None
    left, right = st.columns(2)
    if to_do:
        with left, drafts.lines(f"unreadable {table} {name}"), st.form("unreadable"):
            at = st.selectbox(
                "Cannot be read", to_do, format_func=lambda each: f"round {each}" if counted else formats.day_and_clock(each)
            )
            why = st.text_input("Why", placeholder="glare on the layout").strip()
            pressed = st.form_submit_button("Record as not readable")
        if pressed:
            _then("Recorded", f"unreadable {table} {name}", lambda by, who: observations.mark_unreadable(
                by, table, observation=name, selected=at, by=who, reason=why
            ))  # fmt: skip
    with right, drafts.lines(f"close {table} {name}"), st.form("close-observation"):
        reason = st.text_input("Why it ends", placeholder="all planned rounds were seen").strip()
        pressed = st.form_submit_button("Close observation")
    if pressed:
        _then("Observation closed", f"close {table} {name}", lambda by, who: observations.close_observation(
            by, table, observation=name, by=who, reason=reason
        ))  # fmt: skip


def _then(done: str, draft: str, what: Callable[[Desk, str], object]) -> None:
    if observed_round.act(done, what):
        drafts.stored(draft)
    st.rerun()


def one_round(table: str, number: int) -> None:
    """Show an entered round: its recorder, present verdict, money and lines; correct, confirm, case, packet."""
    place = f"observed/{table}"

    def read(at: Desk) -> tuple[EnteredRound, Any, Formats, dict[int, str]]:
        entered = ObservedTable(at.log, table).round(number)
        shown = {seq: line_of(each) for seq, each in entered.counts.items() if each is not None}
        judged = None if entered.is_withdrawn else observed_round.judged_now(at, place, number)
        return entered, judged, observed_round.formats_of(at), {seq: line for seq, line in shown.items() if line}

    entered, judged, formats, lines = observed_round.ask(read)
    desk.on_record(place, number)
    source.title(f"{table_name(place)} round {number}")
    name = entered.header.observation
    ways = markup.button_link("observations", "Observation", table=table, observation=name) if name else markup.Html("")
    source.heading(f"{table_name(place)} · Round {number:,}", recorded(entered, formats.day_and_clock), ways)
    if judged is None:
        source.notice("Withdrawn", "A correction says that this round was not observed. Enter it again.")
    else:
        verdict = judged.adjudication
        observed_round.verdict(verdict, None, formats)
        source.show(parts.settlements(verdict, formats))
        observed_round.case_and_packet(place, number)
    round_files.panel(place, number)
    source.section("Lines of the entry", "What was entered, and what counts. Lines cannot be edited or deleted.")
    source.show(parts.lines(entered, formats))
    if observed_round.may_act() and not entered.is_withdrawn:
        _forms(table, number, entered, lines)


def _forms(table: str, number: int, entered: EnteredRound, lines: dict[int, str]) -> None:
    """Offer to correct or add a line, and to confirm the version of the entry that the viewer saw with these forms."""
    left, right = st.columns(2)
    drawn_from, present = f"entry-drawn {table} {number}", sha256(repr(entered.counts).encode()).hexdigest()
    version = st.session_state.setdefault(drawn_from, present)

    def write(done: str, what: Callable[[Desk, str], object], typed: str, draft: str = "") -> None:
        if version == present:
            if observed_round.act(done, what) and draft:
                drafts.stored(draft)
        else:
            desk.refuse(f"{entered.corrected_by} corrected this entry meanwhile; look at it again")
            desk.quote(typed)
        st.session_state.pop(drawn_from)
        st.rerun()

    with left, st.container(border=True, key="correct-line"):
        seq = st.selectbox(
            "Line to correct", list(lines), format_func=lambda each: f"{each}: {lines[each]}", key=f"line-{version}"
        )
        draft = f"correct {table} {number} {seq}"
        with drafts.lines(draft), st.form(f"correct-{seq}-{version}", border=False):
            says = f"says-{seq}-{version}"
            text = st.text_input("It should say", value=lines.get(seq, ""), key=says).strip()
            strike = st.checkbox("It never happened")
            reason = st.text_input("Why", key=f"why-{seq}-{version}").strip()
            pressed = st.form_submit_button("Correct", type="primary")
        if pressed:
            write("Corrected", lambda at, who: (
                observations.correct(at, table, seq, None, by=who, reason=reason)
                if strike else correct_line(at, table, seq, text, by=who, reason=reason)
            ), text, draft)  # fmt: skip
    with right, drafts.lines(f"add {table} {number}"), st.form(f"add-line-{version}"):
        text = st.text_input("Forgotten line", placeholder="pay seat=3 base 25.00").strip()
        after = None
        if entered.header.order_seen:
            after = st.selectbox("After", list(lines), format_func=lambda each: f"{each}: {lines[each]}")
        reason = st.text_input("Why", placeholder="overlooked").strip()
        pressed = st.form_submit_button("Add line")
    if pressed:
        write(
            "Line added",
            lambda at, who: add_to_entry(at, table, number, text, by=who, reason=reason, after=after),
            text,
            f"add {table} {number}",
        )
    if st.button("Confirm: the entry is what its source shows", help="For a person other than the one who entered it."):
        write("Confirmed", lambda at, who: observations.confirm(at, table, number, by=who), "")


page()
