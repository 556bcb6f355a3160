"""Queue: which incidents have to be looked at, and in which order?"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from hashlib import sha256
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.elements.arrow import DataframeStateInput

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from analytics.hold import hold
from analytics.warehouse.warehouse import WarehouseError, reading
from dashboards.drawing import markup
from dashboards.drawing.markup import DOWN, SEVERITIES, UP, Html
from dashboards.drawing.names import STATES, Formats, day_name, short_day
from dashboards.parts import bulk, clips, desk, exports, queue_view, review_panel, source, views
from dashboards.parts.desk import Reviews
from dashboards.parts.queue_view import TO_DO
from dashboards.rulings import accounts, case_parts, video
from dashboards.run import warehouse_path
from desk.review.incident_desk import incident_holder, incident_state
from replay.narrative.findings import finding_title
from replay.narrative.names import plural, position_name, table_name, wager_name

ROWS = 50
SHOWN = {TO_DO: "To do", **{state: words.partition(" ")[2] for state, words in STATES.items()}, "all": "All states"}


def page() -> None:
    """Lay the page out: views, filters, the list to choose from, and next to it the incident with what is done about it."""
    source.begin()
    formats, choices, said = source.formats(), source.ask(queue.queue_choices), desk.reviews()
    head = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="filters"):
        links()
        filters, together = filter_bar(choices, said, head)
    total = source.ask(lambda db: queue.queue_totals(db, filters)).row(0, named=True)
    with head:
        source.show(markup.heading("Incidents", _summary(total, formats)))
        if said is not None:
            source.show(case_parts.due_cases(said.cases(), said.today))
    if not total["incidents"]:
        _nothing(bool(choices.codes), said)
        source.watch()
        return
    left, right = st.columns([2, 1], gap="medium")
    with left:
        lines = total["fingerprints"] if together else total["incidents"]
        slot, pages = st.container(), -(-lines // ROWS)
        at = int(st.number_input(f"Page (of {pages:,})", 1, pages, 1, key="page", width=160)) if pages > 1 else 1
        rows = source.ask(
            lambda db: queue.incidents_queue(db, filters, together=together, limit=ROWS, offset=(at - 1) * ROWS)
        )
        with slot:
            chosen = choose_rows(rows, said, formats)
        exports.offer(filters, said)
        source.watch(quietly=True, offer=lambda: _new(total["findings"], filters))
    with right:
        if len(chosen) > 1:
            bulk.panel([row for row in rows.to_dicts() if row["finding_id"] in chosen], said, formats)
        else:
            detail(chosen[0] if chosen else None, said, formats)


def links() -> None:
    """Show the views as links, and a way to save this one."""
    path = views.path_of(warehouse_path())
    mine = views.saved(path)
    now = {key: st.query_params[key] for key in views.KEPT if key in st.query_params}
    everything = {**views.ALWAYS, **mine}
    shown = "".join(markup.chip("queue", name, now == query, **query) for name, query in everything.items())
    source.show(f'<nav class="rk-chips" aria-label="Views">{shown}</nav>')
    with st.popover("Saved views", width="content"):
        st.text_input("View name", key="view-name", max_chars=views.LONGEST)

        def keep() -> None:
            st.session_state["view-refusal"] = views.save(path, st.session_state["view-name"], now)

        st.button("Save view", on_click=keep)
        if mine:
            st.selectbox("Saved view", list(mine), key="view-forget")

            def drop() -> None:
                st.session_state["view-refusal"] = views.forget(path, st.session_state["view-forget"])

            st.button("Delete view", on_click=drop)
    refusal = st.session_state.pop("view-refusal", "")
    if refusal:
        source.show(markup.notice("View not saved", refusal))


def filter_bar(choices: queue.QueueChoices, said: Reviews | None, above: DeltaGenerator) -> tuple[QueueFilters, bool]:
    """Show the filters, which are kept in the address. Return them, and whether similar incidents are grouped.

    Each filter in use is shown beside the filter box with a button to clear it. A value that matches nothing is reported `above`.
    """
    days = [day.isoformat() for day in choices.gaming_days]
    boxes = {
        "table": ("Table", choices.tables, table_name, "All tables"),
        "code": ("Finding", choices.codes, _finding_words, "All findings"),
        "day": ("Gaming day", days, _day_words, "All days"),
        "severity": ("Severity", choices.severities, str.capitalize, "All severities"),
        "dealer": ("Dealer", choices.dealers, table_name, "All dealers"),
    }
    with above:  # the box of filters is closed
        for name, (label, values, _, _) in boxes.items():
            source.not_offered(label, name, values)
    with st.popover("Filters", width="content"):
        picked = {
            name: source.choose(label, name, values, say, everything)
            for name, (label, values, say, everything) in boxes.items()
        }
        if said is not None:
            states = [*list(SHOWN)[1:], *(f"with {person}" for person in said.people())]
            picked["state"] = source.choose("State", "state", states, lambda s: SHOWN.get(s, s), SHOWN[TO_DO])
        together = st.toggle(
            "Group similar incidents",
            key="alike",
            bind="query-params",
            help="Same table, cause, gaming day, dealer, wager and direction of the money",
        )
    says: dict[str, Callable[[str], str]] = {
        "table": table_name,
        "code": finding_title,
        "day": _day_words,
        "severity": str.capitalize,
        "dealer": lambda dealer: f"dealer {table_name(dealer)}",
        "state": lambda state: SHOWN.get(state, state),
    }
    given = {key: value for key, value in picked.items() if value is not None}
    chips = [
        markup.clear_chip("queue", says[key](value), **{each: given[each] for each in given if each != key})
        for key, value in given.items()
    ]
    if len(chips) > 1:
        chips.append(markup.clear_chip("queue", "All filters"))
    source.show(f'<nav class="rk-chips" aria-label="Filters that are set">{"".join(chips)}</nav>' if chips else "")
    return queue_view.filters_of(picked, said), together


def _finding_words(code: str) -> str:
    return f"{finding_title(code)} ({code})"


def _day_words(day: str) -> str:
    return day_name(date.fromisoformat(day))


def choose_rows(rows: pl.DataFrame, said: Reviews | None, formats: Formats) -> list[str]:
    """Show the list to choose from, by mouse, touch or keyboard; return the causes of the incidents chosen.

    The address names the first by any of its findings.
    """
    ids = rows["finding_id"].to_list()
    incident_of = {
        member: cause for cause, members in zip(ids, rows["finding_ids"].to_list(), strict=True) for member in members
    }
    key = f"queue-list {sha256(','.join(ids).encode()).hexdigest()[:16]}"  # another list, another choice
    named = st.query_params.get("finding")
    named = incident_of.get(named, named) if named else None
    place = (
        ids.index(named)
        if named in ids
        else None
        if named
        else min(st.session_state.get("queue-place", 0), len(ids) - 1)
    )
    if (
        named and named not in ids and st.session_state.get("queue-named") == named
    ):  # it left the list: the next takes its place
        place = min(st.session_state.get("queue-place", 0), len(ids) - 1)
    lines = pl.DataFrame([_line(row, said, formats) for row in rows.iter_rows(named=True)], orient="row")
    chosen = st.dataframe(
        lines.drop("State") if "State" in lines.columns and lines["State"].n_unique() == 1 else lines,
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        selection_default=selected(place),
        hide_index=True,
        height=500,
        column_config={
            "Severity": st.column_config.TextColumn(width=78),
            "Incident": st.column_config.TextColumn(width=190),
            "Money": st.column_config.TextColumn(width=138),
            "State": st.column_config.TextColumn(width=64),
            "Where": st.column_config.TextColumn(width=150),
            "When": st.column_config.TextColumn(width=112),
        },
        alt="Incidents, most severe first",
    )
    picked = [row for row in chosen["selection"]["rows"] if row < len(ids)]
    at = picked[0] if picked else None

    def go(to: int) -> None:
        st.session_state[key] = selected(to)

    with st.container(horizontal=True, gap="small"):
        last = len(ids) - 1
        st.button("Previous", shortcut="K", disabled=at is None or at <= 0, on_click=go, args=(max(0, (at or 0) - 1),))
        st.button(
            "Next", shortcut="J", disabled=at is None or at >= last, on_click=go, args=(min(last, (at or 0) + 1),)
        )
    if at is None:
        return [named] if named else []
    st.session_state["queue-place"], st.session_state["queue-named"] = at, ids[at]
    st.query_params["finding"] = ids[at]
    return [str(ids[row]) for row in picked]


def selected(row: int | None) -> DataframeStateInput:
    """Return the state of a list in which a row is chosen, or none."""
    return {"selection": {"rows": [] if row is None else [row]}}


def _line(found: dict[str, Any], said: Reviews | None, formats: Formats) -> dict[str, str]:
    """An incident as a line of the list: sign and word next to each other, for the list knows no color."""
    shape, word = SEVERITIES[found["severity"]]
    short, over = found["underpaid_cents"], found["overpaid_cents"]
    amounts = [f"{DOWN} {formats.signed(-short)}" + ("" if over else " short")] if short else []
    amounts += [f"{UP} {formats.signed(over)}" + ("" if short else " over")] if over else []
    where = [] if found["seat"] is None else [position_name(found["seat"])]
    where += [wager_name(found["wager"])] if found["wager"] else []
    line = {
        "Severity": f"{shape} {word}",
        "Incident": finding_title(found["code"]) + (f" ×{found['alike']}" if found["alike"] > 1 else ""),
        "Money": " ".join(amounts),
        "Table": table_name(found["table_id"]) + ("" if found["round_no"] is None else f" · {found['round_no']:,}"),
    }
    if said is not None:
        reviews = [said.of(found["table_id"], finding_id) for finding_id in found["finding_ids"]]
        state, holder = incident_state(reviews), incident_holder(reviews)
        line["State"] = f"{STATES[state][0]} With {holder}" if state == "assigned" else STATES[state]
    line["Where"] = " · ".join(where)
    line["When"] = f"{formats.time_of_day(found['opened_at_us'])} {short_day(found['gaming_day'])}"
    return line


def detail(finding_id: str | None, said: Reviews | None, formats: Formats) -> None:
    """Show the incident that was chosen, and what can be done about it."""
    members = [] if finding_id is None else source.ask(lambda db: queue.incident(db, finding_id)).to_dicts()
    if not members:
        words = (
            "Choose an incident in the list."
            if finding_id is None
            else "No such finding stands: a later verdict withdrew it."
        )
        source.show(markup.empty("Nothing chosen", words))
        return
    found = members[0]
    table, round_no = found["table_id"], found["round_no"]
    place = table_name(table) + ("" if round_no is None else f" · round {round_no:,}")
    when = f"{formats.clock(found['opened_at_us'])}, {short_day(found['gaming_day'])}" if found["opened_at_us"] else ""
    source.show(markup.section(place, when))
    view = None if round_no is None else source.ask(lambda db: hold.round_view(db, found["stream"], round_no))
    disposed = {} if said is None else said.disposed(table)
    source.show(accounts.incident(members, view, formats, disposed=disposed))
    known = clips.cameras()
    if view is not None and known is not None:
        source.show(video.of_evidence(known, view, found["evidence"], found["seat"], formats))
    if round_no is not None:
        ways = [
            markup.key_link("enter", "round", "Open round", **_round_of(found)),
            markup.button_link("dispute", "Check payment", of=table, round=round_no, seat=found["seat"]),
        ]
        source.show(f'<div class="rk-ways">{"".join(ways)}</div>')
    if said is None:
        source.show(
            '<p class="rk-note">To assign, note and resolve, start the pages with the log: '
            "<code>rack dashboard --log ADDR --warehouse FILE</code>.</p>"
        )
        return
    review_panel.incident_panel(members, said, formats)


def _round_of(found: dict[str, Any]) -> dict[str, object]:
    """The query of the round of an incident, from where the queue goes on as it is shown here."""
    view = {key: st.query_params[key] for key in st.query_params}
    place = {"table": found["table_id"], "round": found["round_no"], "finding": found["finding_id"]}
    return place | {"queue": queue_view.packed(view)}


def _summary(total: dict[str, Any], formats: Formats) -> Html:
    parts = [
        plural(total["incidents"], "incident") + " in " + plural(total["rounds"], "round"),
        f"{total['high_incidents']:,} of high severity",
        f"{formats.money(total['overpaid_cents'])} overpaid",
        f"{formats.money(total['underpaid_cents'])} underpaid",
    ]
    return Html(" · ".join(markup.text(part) for part in parts))


def _new(drawn: int, filters: QueueFilters) -> str:
    """Return in words what the warehouse has now beyond this many findings."""
    try:
        with reading(warehouse_path()) as db:
            now = int(queue.queue_totals(db, filters).row(0, named=True)["findings"])
    except WarehouseError:
        now = drawn
    return plural(now - drawn, "new finding") if now > drawn else "new results"


def _nothing(any_findings: bool, said: Reviews | None) -> None:
    if any_findings:
        done = " Or nothing waits any more: choose the state “All states”." if said is not None else ""
        source.show(markup.empty("No incident fits", f"Clear a filter to see more.{done}"))
    else:
        source.show(
            markup.empty(
                "No incidents",
                "Every round that was replayed is upheld. New ones appear here after the next `rack replay`.",
            )
        )


page()
