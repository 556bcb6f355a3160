"""Dispute: was the patron paid correctly? From the patron's memory to the round, the answer, the decision and a print."""

from collections.abc import Callable, Iterable
from datetime import UTC, date, timedelta
from typing import TypeVar

import streamlit as st

from analytics.search import disputes, search_words
from analytics.search.disputes import Remembered
from analytics.search.remembered import TimeTyped, cards_typed, part_of_day, time_typed
from analytics.search.sentence import significant
from analytics.shown_events import EventsCheck
from analytics.warehouse import floor_data, round_data
from analytics.warehouse.round_data import RoundView
from dashboards.drawing.drawing import table_drawing
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name
from dashboards.drawing.table_after_event import ReplayStep, focus_of, steps_of, table_after
from dashboards.parts import clips, desk, dispute_panel, packets, record_check, review_panel, source
from dashboards.parts.address import ANY_DAY
from dashboards.parts.round_replay import proofs_of
from dashboards.rulings import dispute_parts, print_parts, round_account, ruling, video
from dashboards.run import log_address
from desk.review import full_text
from desk.review.desk import REFUSALS
from desk.review.full_text import FoundText
from replay.narrative.names import capitalized, plural, position_name, table_name, wager_name

T = TypeVar("T")
SEATS = tuple(range(1, 8))
SHOWN = 12
"""Rounds that a search shows at most."""


def page() -> None:
    """Lay the page out: the search, or the chosen round."""
    source.begin()
    formats = source.formats()
    query = st.query_params
    table, round_no = query.get("of", ""), query.get("round", "")
    if table and round_no.isdecimal():
        view = source.ask(lambda db: round_data.round_view(db, f"table/{table}", int(round_no)))
        if view is not None:
            desk.on_record(table, int(round_no))
            found = record_check.check_of(view)
            if record_check.is_confirmed(found):
                settle(view, found, formats)
                return
            source.show(round_account.unconfirmed_header(view, dispute_parts.ways(view)))
            source.show(record_check.check_notice(found))
            source.watch()
            return
        source.empty(f"{table_name(table)} has no round {int(round_no):,} here", "Look for it again below.")
    search(formats)


def search(formats: Formats) -> None:
    """Ask what the patron remembers, and show the matching rounds; if there are none, say so and show near matches."""
    tables, days = source.ask(floor_data.tables), source.ask(floor_data.gaming_days)
    source.heading("Dispute", "Say what the patron remembers, or search for words that somebody wrote. Nothing has to be exact.")
    if not tables or not days:
        source.no_rounds()
        source.watch()
        return
    state = st.session_state
    typed = state.pop(dispute_panel.CLAIM_TYPED, None)
    if "sentence" not in state:  # back from a round, or a new search
        asked = len(st.query_params) > 0
        state["sentence"] = typed or "" if asked else ""
        for note in () if asked else ("sentence-notes", "sentence-unread"):
            state.pop(note, None)
    sentence(days, formats)
    said = memory_boxes(tables, days)
    text = str(state.get("sentence") or "").strip()
    written = _written(text, formats)
    unread = [] if written else _unread()  # the words were found where somebody wrote them
    source.show(dispute_parts.read_back(said, formats, unread, state.get("sentence-notes", ())))
    if written:
        source.section("Findings, notes, disputes and cases", "Each contains every word of the sentence.")
        source.show(dispute_parts.texts(written, formats))
    if text and said.says_little:
        source.section("No round was searched for", "No word says which round it was.")
        source.watch()
        return
    found = source.ask(lambda db: disputes.find(db, said, limit=disputes.LOOKED_AT))
    rounds = disputes.sort_out(found, said)
    played = source.ask(lambda db: search_words.played_between(db, said))
    words = search_words.outcome(rounds, said, played, formats.zone or UTC, unread)
    if said.says_little and not rounds.fits:
        source.empty("No round on record here", "Choose another day or table, or type the round on the page Entry.")
    elif said.says_little:
        source.section("Rounds in the order played", "Say more to narrow them down.")
    else:
        source.section(words, "Open one to see what was due." if rounds.fits or rounds.nearly else "")
    source.show(dispute_parts.hits(search_words.shown(rounds, SHOWN), said, formats, text))
    source.watch()


def sentence(days: list[date], formats: Formats) -> None:
    """Show the box for a sentence; its understood parts fill the boxes below, where they can be corrected."""

    def read() -> None:
        text = str(st.session_state["sentence"] or "")
        said = source.ask(lambda db: search_words.read(db, text, _today(days)))
        state = st.session_state
        state["sentence-notes"], state["sentence-unread"] = said.notes, said.unread
        if not text.strip():
            return
        state["table"] = said.table
        state["day"] = ANY_DAY if said.day is None else said.day.isoformat()
        state["time"] = "" if said.time is None else _clock(said.time)
        state["seat"], state["wager"], state["cards"] = said.seat, said.wager, said.cards
        for box, cents in (("amount", said.amount_cents), ("paid", said.paid_cents)):
            state[box] = "" if cents is None else f"{cents / 100:.2f}"
        state["hand"], state["complaint"] = said.hand, said.complaint
        state["number"] = "" if said.round_no is None else str(said.round_no)

    st.text_input(
        "What the patron remembers",
        key="sentence",
        on_change=read,
        placeholder=source.ask(lambda db: search_words.example(db, formats.zone or UTC, formats.currency))
        or "seat 3, Tuesday afternoon, $10 on the ace high bonus, paid only $100",
    )


def _clock(time: TimeTyped) -> str:
    if part := part_of_day(time):
        return part
    hour, minute = divmod(time.minutes, 60)
    if time.either_half:
        return f"{hour}:{minute:02d}"
    return f"{(hour - 1) % 12 + 1}:{minute:02d} {'am' if hour < 12 else 'pm'}"


def _today(days: list[date]) -> date:
    """Return the present gaming day; without a log, the day after the newest one on record."""
    said = desk.reviews()
    return date.fromisoformat(said.today) if said is not None else days[0] + timedelta(days=1)


def _unread() -> list[str]:
    """Return the words of the sentence and the boxes that were not understood."""
    state = st.session_state
    unread = [*state.get("sentence-unread", ()), *cards_typed(state["cards"] or "").unread]
    clock = str(state["time"] or "").strip()
    if clock and time_typed(clock) is None:
        unread.append(clock)
    amounts = [str(state[box] or "").strip() for box in ("amount", "paid")]
    unread += [amount for amount in amounts if amount and review_panel.cents_typed(amount) is None]
    return list(dict.fromkeys(unread))


def _written(text: str, formats: Formats) -> list[FoundText]:
    """Return the texts that contain every word of a sentence but fillers; empty if these pages know no log."""
    address, words = log_address(), significant(text)
    if address is None or not words:
        return []
    try:
        return full_text.search(_texts(address, formats.currency), words)
    except REFUSALS as error:
        source.notice("Findings, notes and cases cannot be searched", str(error))
        return []


@st.cache_resource(ttl=desk.FRESH_SECONDS, show_spinner=False)
def _texts(address: str, currency: str) -> list[FoundText]:
    return desk.ask(lambda at: full_text.texts(at, currency))


def _day_asked(days: list[date]) -> list[date]:
    """Return the day named in a sentence if nothing is recorded of it: it stays in its box, and no round matches."""
    named = str(st.session_state.get("day") or ANY_DAY)
    return [] if named == ANY_DAY or date.fromisoformat(named) in days else [date.fromisoformat(named)]


def memory_boxes(tables: list[str], days: list[date]) -> Remembered:
    """Show the boxes for the patron's memory; each is in the address."""
    boxes = st.container(key="memory-boxes")
    row = boxes.columns([2, 2, 2, 1.4], vertical_alignment="bottom")
    row += boxes.columns([2, 1.2, 1, 3.2], vertical_alignment="bottom")
    row += boxes.columns([2, 1.2, 4.2], vertical_alignment="bottom")
    day_names = {day.isoformat(): day for day in [*days, *_day_asked(days)]}

    def choice(at: int, label: str, values: Iterable[T], words: Callable[[T], str], nothing: str) -> T | None:
        return row[at].selectbox(
            label,
            [None, *values],
            key=label.lower(),
            bind="query-params",
            placeholder=nothing,
            format_func=lambda each: nothing if each is None else words(each),
        )

    table = choice(0, "Table", tables, table_name, "Any table")
    day = row[1].selectbox(
        "Gaming day",
        [*day_names, ANY_DAY],
        key="day",
        bind="query-params",
        format_func=lambda d: day_name(day_names[d]) if d in day_names else "Any day",
    )
    clock = row[2].text_input("About what time", key="time", bind="query-params", placeholder="9:15 pm")
    seat = choice(3, "Seat", SEATS, str, "Any seat")
    wager = choice(4, "Wager", source.ask(disputes.wagers), wager_name, "Any wager")
    amount = row[5].text_input("Amount", key="amount", bind="query-params", placeholder="25.00")
    number = row[6].text_input("Round", key="number", bind="query-params", placeholder="17")
    cards = row[7].text_input("Cards", key="cards", bind="query-params", placeholder="ace king of spades, or As Ks")
    hand = choice(8, "Hand", disputes.HANDS, capitalized, "Any hand")
    paid = row[9].text_input("Was paid", key="paid", bind="query-params", placeholder="100.00")
    complaints = search_words.COMPLAINT_WORDS
    complaint = choice(10, "Complaint", complaints, lambda each: capitalized(complaints[each]), "Any")
    return Remembered(
        table=table,
        gaming_day=day_names.get(day),
        time=time_typed(clock),
        seat=seat,
        wager=wager,
        amount_cents=review_panel.cents_typed(amount),
        paid_cents=review_panel.cents_typed(paid),
        hand=hand,
        complaint=complaint,
        round_no=int(number) if number.isascii() and number.isdecimal() else None,
        cards=cards_typed(cards).cards,
    )


def settle(view: RoundView, checked: EventsCheck | None, formats: Formats) -> None:
    """Show one round's answer next to the steps of its dispute, and below the answer its proof."""
    r = view.round
    table, round_no = r["table_id"], r["round_no"]
    if typed := str(st.session_state.get("sentence") or "").strip():
        st.session_state[dispute_panel.CLAIM_TYPED] = typed
    claims = dispute_panel.disputes_of(table, round_no)
    head = st.container()
    with st.container(key="dispute-page"):
        answer, ahead, record = (st.container(key=f"dispute-{part}") for part in ("answer", "steps", "record"))
    with answer:
        seat = _whose(view)
    steps = steps_of(view.events.to_dicts())
    name = f"{table_name(table)} · Round {round_no:,}" + ("" if seat is None else f" · Seat {seat}")
    with head:
        when = f"{day_name(r['gaming_day'])} · {formats.clock(r['opened_at_us'])} to {formats.clock(r['closed_at_us'])}"
        source.title(f"Dispute, {table_name(table)} round {round_no:,}")
        source.heading(name, f"{when} {formats.zone_name(r['opened_at_us'])}", dispute_parts.ways(view))
    with answer:
        source.show(ruling.answer(view, seat, formats, claims, desk.disposed(table)))
        source.show(record_check.adopted(checked))
        if steps and (drawn := ruling.hands(table_after(steps, len(steps)), view, seat)):
            source.draw(drawn)
    with record:
        evidence(view, steps, seat, name, formats)
        source.show(record_check.check_notice(checked))
    with ahead:  # last: while a letter or a packet is made, the rest of the page is there
        decided = dispute_panel.panel(view, seat, claims, formats)
        with st.container(horizontal=True, vertical_alignment="center"):
            if not decided:
                packets.offer(table, round_no, seat)
            source.print_button()
        clips.panel(table, round_no, r["closed_at_us"], seat, formats, clips.cameras())
    source.show(print_parts.evidence(view, steps, formats))
    source.watch(quietly=True)


def _whose(view: RoundView) -> int | None:
    """Ask whose wagers to show; the choice is in the address."""
    r = view.round
    key = f"seat of {r['table_id']} {r['round_no']}"
    seats = sorted({*view.settlements["seat"].to_list()})
    given = st.query_params.get("seat", "")
    first = key not in st.session_state  # then the boxes of the search may still hold the address
    if first:
        st.session_state[key] = int(given) if given.isdecimal() and int(given) in seats else None
    options: list[int | None] = [None, *seats]
    seat: int | None = st.pills("Whose wagers", options, format_func=lambda s: "All seats" if s is None else f"Seat {s}", key=key)
    if not first and given != str(seat or ""):
        if seat is None:
            del st.query_params["seat"]
        else:
            st.query_params["seat"] = str(seat)
    return seat


def evidence(view: RoundView, steps: list[ReplayStep], seat: int | None, name: str, formats: Formats) -> None:
    """Show every wager's money, the other findings, the table at the end of the round, and the recorded events."""
    source.show(round_account.settlements(view, formats, seat))
    others = [f for f in view.findings.to_dicts() if not f["difference_cents"] and f["seat"] in (None, seat)]
    if others:
        with st.expander(f"{plural(len(others), 'finding')} without money in this round"):
            rows = [round_account.short_row(f, formats, view) for f in others]
            source.table(round_account.OTHERS, rows, "Findings without money")
    if not steps:
        return
    table, marks = table_after(steps, len(steps)), round_account.flags(view, formats)
    said = f"{name}: the table at the end of the round"
    source.draw(table_drawing(table, formats, marks, said), table_drawing(table, formats, marks, said, upright=True))
    proofs = proofs_of(view)
    shown = [s for s in steps if seat is None or s.seq in proofs or focus_of(s.type, s.payload) == seat]
    about = "" if seat is None else f" at {position_name(seat).lower()}"
    with st.container(key="recorded-heading"):
        source.section(f"What was recorded{about}")
    with st.container(key="recorded"):
        known, of_table = clips.cameras(), view.round["table_id"]
        source.show(
            print_parts.trail(
                shown,
                proofs,
                formats,
                "What was recorded",
                lambda step: Html("") if known is None else video.short(known, of_table, step, formats),
            )
        )


page()
