"""Dispute: was the patron paid right? From what is remembered to the round, the answer, the decision and a print."""

from __future__ import annotations

from datetime import date

import streamlit as st

from analytics.errors import disputes
from analytics.errors.disputes import Remembered
from analytics.errors.remembered import cards_typed, time_typed
from analytics.hold import hold
from analytics.hold.hold import RoundView
from analytics.shown_events import Checked
from dashboards.drawing import markup
from dashboards.drawing.drawing import table_drawing
from dashboards.drawing.names import Formats, day_name
from dashboards.drawing.state import focus_of, steps_of, table_after
from dashboards.parts import accounts, checking, desk, dispute_parts, disputing, packets, source
from replay.narrative.events import sentence_of
from replay.narrative.names import plural, position_name, table_name

SEATS = tuple(range(1, 8))
TRAIL = {"Time": "short", "Event": "text", "Proof": "short"}


def page() -> None:
    """Lay the page out: the search, or the round that was chosen."""
    source.begin()
    formats = source.formats()
    query = st.query_params
    table, round_no = query.get("of", ""), query.get("round", "")
    if table and round_no.isdecimal():
        view = source.ask(lambda db: hold.round_view(db, f"table/{table}", int(round_no)))
        if view is not None:
            desk.on_record(table, int(round_no))
            found = checking.checked(view)
            if checking.confirmed(found):
                settle(view, found, formats)
                return
            source.show(accounts.unconfirmed_header(view, dispute_parts.ways(view)))
            source.show(checking.told(found))
            source.watch()
            return
        source.show(
            markup.empty(f"{table_name(table)} has no round {int(round_no):,} here", "Look for it again below.")
        )
    search(formats)


def search(formats: Formats) -> None:
    """Ask what the patron remembers, and show the rounds that agree best."""
    tables, days = source.ask(hold.tables), source.ask(hold.gaming_days)
    source.show(
        markup.heading(
            "Dispute", "Enter what the patron remembers. Leave out what is not known; nothing has to be exact."
        )
    )
    if not tables or not days:
        source.show(
            markup.empty("No rounds here yet", "Run `rack demo`, or `rack replay --log ADDR --warehouse FILE`.")
        )
        source.watch()
        return
    said = asked(tables, days)
    source.show(dispute_parts.read_back(said, st.session_state["cards"], st.session_state["time"]))
    found = source.ask(lambda db: disputes.find(db, said))
    if not found:
        source.show(markup.empty("No round fits", "Choose another gaming day, or all tables."))
    else:
        some = "The rounds that agree best" if said.cards or said.time or said.seat else "The first rounds of the day"
        source.show(markup.section(some, "Open one to see what was due. Add cards or the time to narrow them down."))
        source.show(dispute_parts.hits(found, said, formats))
    source.watch()


def asked(tables: list[str], days: list[date]) -> Remembered:
    """Show the boxes for what is remembered; each stands in the address."""
    row = st.columns([2, 2, 2, 1.4, 4], vertical_alignment="bottom")
    day_names = {day.isoformat(): day for day in days}
    table = row[0].selectbox(
        "Table",
        [None, *tables],
        key="table",
        bind="query-params",
        format_func=lambda t: "Any table" if t is None else table_name(t),
    )
    day = row[1].selectbox(
        "Gaming day", list(day_names), key="day", bind="query-params", format_func=lambda d: day_name(day_names[d])
    )
    clock = row[2].text_input("About what time", key="time", bind="query-params", placeholder="9:15 pm")
    seat = row[3].selectbox(
        "Seat",
        [None, *SEATS],
        key="seat",
        bind="query-params",
        format_func=lambda s: "Any seat" if s is None else str(s),
    )
    cards = row[4].text_input("Cards", key="cards", bind="query-params", placeholder="ace king of spades, or As Ks")
    return Remembered(
        table=table, gaming_day=day_names[day], time=time_typed(clock), seat=seat, cards=cards_typed(cards).cards
    )


def settle(view: RoundView, checked: Checked | None, formats: Formats) -> None:
    """Show one round's answer: the words, the table, the money, what happened at the seat."""
    r = view.round
    seats = sorted({*view.settlements["seat"].to_list()})
    given = st.query_params.get("seat", "")
    head, answer = st.container(), st.container()
    options: list[int | None] = [None, *seats]
    if "dispute-seat" not in st.session_state:
        st.session_state["dispute-seat"] = int(given) if given.isdecimal() and int(given) in seats else None
    seat = st.pills(
        "Whose wagers", options, format_func=lambda s: "All seats" if s is None else f"Seat {s}", key="dispute-seat"
    )
    if seat is None:
        st.query_params.pop("seat", None)
    else:
        st.query_params["seat"] = str(seat)
    with head:
        name = f"{table_name(r['table_id'])} · Round {r['round_no']:,}" + ("" if seat is None else f" · Seat {seat}")
        when = f"{day_name(r['gaming_day'])} · {formats.clock(r['opened_at_us'])} to {formats.clock(r['closed_at_us'])}"
        ways = dispute_parts.ways(view)
        source.show(markup.heading(name, f"{when} {formats.zone_name(r['opened_at_us'])}", ways))
    with answer:
        source.show(accounts.answer(view, seat, formats))
        source.show(checking.told(checked))
    source.show(accounts.settlements(view, formats, seat))
    others = [f for f in view.findings.to_dicts() if not f["difference_cents"] and f["seat"] in (None, seat)]
    if others:
        with st.expander(f"{plural(len(others), 'finding')} beside the money in this round"):
            rows = [accounts.short_row(f, formats, view) for f in others]
            source.show(markup.table(accounts.OTHERS, rows, "Findings beside the money"))
    steps = steps_of(view.events.to_dicts())
    if steps:
        left, right = st.columns([6, 4], gap="medium")
        with left:
            table, marks = table_after(steps, len(steps)), accounts.flags(view, formats)
            said = f"{name}: the table at the end of the round"
            source.draw(
                table_drawing(table, formats, marks, said), table_drawing(table, formats, marks, said, upright=True)
            )
        with right:
            proofs = {seq for evidence in view.findings["evidence"] for seq in evidence}
            about = [s for s in steps if seat is None or focus_of(s.type, s.payload) in (None, seat, "dealer")]
            told = [s for s in about if s.seq in proofs or seat is None or focus_of(s.type, s.payload) == seat]
            rows = [
                [
                    formats.clock(s.occurred_at_us),
                    sentence_of(s.type, s.payload, formats.currency),
                    "◆ evidence" if s.seq in proofs else "",
                ]
                for s in told
            ]
            source.show(
                markup.section("What was recorded" + ("" if seat is None else f" at {position_name(seat).lower()}"))
            )
            with st.container(height=520):
                source.show(markup.table(TRAIL, rows, "What was recorded"))
    disputing.panel(r["table_id"], r["round_no"], seat, formats)
    with st.container(horizontal=True, vertical_alignment="center"):
        source.print_button()
        packets.offer(r["table_id"], r["round_no"], seat)
    source.watch()


page()
