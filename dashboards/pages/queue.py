"""Queue: which incidents need a look, and in which order?"""

from collections.abc import Callable
from datetime import date
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from analytics.warehouse import round_data
from analytics.warehouse.warehouse import WarehouseError, reading
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import STATES, Formats, day_name, short_day
from dashboards.incidents import bulk, incident_list, last_action, queue_view, views
from dashboards.incidents.queue_view import TO_DO
from dashboards.parts import clips, desk, exports, review_panel, source
from dashboards.parts.desk import Reviews
from dashboards.rulings import case_parts, round_account, video
from dashboards.run import warehouse_path
from replay.narrative.findings import finding_title
from replay.narrative.names import plural, table_name

ROWS = 50
SHOWN = {TO_DO: "To do", **{state: words.partition(" ")[2] for state, words in STATES.items()}, "all": "All states"}


def page() -> None:
    """Lay the page out: views, filters, the list, and next to it the incident with its actions."""
    source.begin()
    formats, choices, said = source.formats(), source.ask(queue.queue_choices), desk.reviews()
    head = st.container()
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="filters"):
        links()
        filters, together = filter_bar(choices, said, head)
    total = source.ask(lambda db: queue.queue_totals(db, filters)).row(0, named=True)
    with head:
        last_action.strip(formats)  # first: it is redrawn by itself, and stays in its place
        source.heading("Incidents", _summary(total, formats))
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
        rows = source.ask(lambda db: queue.incidents_queue(db, filters, together=together, limit=ROWS, offset=(at - 1) * ROWS))
        with slot:
            chosen = choose_rows(rows, filters, said, formats)
        exports.offer(filters, said)
        source.watch(quietly=True, offer=lambda: _new(total["findings"], filters))
    with right, st.container(key="incident"):
        if len(chosen) > 1:
            several(chosen, rows, filters, total["incidents"], said, formats)
        else:
            detail(chosen[0] if chosen else None, said, formats)


def several(
    chosen: list[str], rows: pl.DataFrame, filters: QueueFilters, matching: int, said: Reviews | None, formats: Formats
) -> None:
    """Show the actions on several incidents: those selected on this page of the list, or all that match."""
    of_them = [row for row in rows.to_dicts() if row["finding_id"] in chosen]
    if incident_list.are_all_chosen(filters):
        of_them = source.ask(lambda db: queue.incidents_queue(db, filters)).to_dicts()
    elif len(of_them) < matching:
        st.button(f"Choose all {matching:,} that match", on_click=incident_list.choose_all, args=(filters,))
    bulk.panel(of_them, said, formats)


def links() -> None:
    """Show the views as links, with a way to save this one."""
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
        source.notice("View not saved", refusal)


def filter_bar(choices: queue.QueueChoices, said: Reviews | None, above: DeltaGenerator) -> tuple[QueueFilters, bool]:
    """Show the filters, each in use with a button to clear it; return them, and whether similar incidents are grouped."""
    days = [day.isoformat() for day in choices.gaming_days]
    boxes = {
        "table": ("Table", choices.tables, table_name, "All tables"),
        "code": ("Finding", choices.codes, lambda code: f"{finding_title(code)} ({code})", "All findings"),
        "day": ("Gaming day", days, _day_words, "All days"),
        "severity": ("Severity", choices.severities, str.capitalize, "All severities"),
        "dealer": ("Dealer", choices.dealers, table_name, "All dealers"),
    }
    with above:  # the box of filters is closed
        for name, (label, values, _, _) in boxes.items():
            source.not_offered(label, name, values)
    words = st.text_input(
        "Search", key="words", bind="query-params", placeholder="Search", label_visibility="collapsed", width=180
    )
    with st.popover("Filters", width="content"):
        picked: dict[str, str | None] = {
            name: source.choose(label, name, values, say, everything) for name, (label, values, say, everything) in boxes.items()
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
        "words": lambda typed: f"“{typed}”",
    }
    picked["words"] = (words or "").strip() or None
    given = {key: value for key, value in picked.items() if value is not None}
    chips = [
        markup.clear_chip("queue", says[key](value), **{each: given[each] for each in given if each != key})
        for key, value in given.items()
    ]
    if len(chips) > 1:
        chips.append(markup.clear_chip("queue", "All filters"))
    source.show(f'<nav class="rk-chips" aria-label="Filters that are set">{"".join(chips)}</nav>' if chips else "")
    return queue_view.filters_of(picked, said), together


def _day_words(day: str) -> str:
    return day_name(date.fromisoformat(day))


def choose_rows(rows: pl.DataFrame, filters: QueueFilters, said: Reviews | None, formats: Formats) -> list[str]:
    """Show the list, return the causes of the selected incidents; if a shown one left the list, the next takes its place."""
    ids: list[str] = rows["finding_id"].to_list()
    incident_of = {member: cause for cause, members in zip(ids, rows["finding_ids"].to_list(), strict=True) for member in members}
    named = st.query_params.get("finding")
    named = incident_of.get(named, named) if named else None
    place = min(st.session_state.get("queue-place", 0), len(ids) - 1)
    chosen = [each for each in st.session_state.get(incident_list.CHOSEN, ()) if each in ids]
    if not chosen and named in ids:
        chosen = [named]
    elif not chosen and named in (None, st.session_state.get(review_panel.NAMED)):
        chosen = [ids[place]]
    if incident_list.are_all_chosen(filters):
        chosen = ids
    if chosen:
        st.session_state["queue-place"] = place = ids.index(chosen[0])
        st.session_state[review_panel.NAMED] = st.query_params["finding"] = chosen[0]
    incident_list.incident_list(rows.to_dicts(), chosen, place, said, formats)
    return chosen or [each for each in (named,) if each]


def detail(finding_id: str | None, said: Reviews | None, formats: Formats) -> None:
    """Show the selected incident and its possible actions."""
    members = [] if finding_id is None else source.ask(lambda db: queue.incident(db, finding_id)).to_dicts()
    if not members:
        words = (
            "Choose an incident in the list." if finding_id is None else "There is no such finding: a later verdict withdrew it."
        )
        source.empty("Nothing chosen", words)
        return
    found = members[0]
    table, round_no = found["table_id"], found["round_no"]
    place = table_name(table) + ("" if round_no is None else f" · round {round_no:,}")
    when = f"{formats.clock(found['opened_at_us'])}, {short_day(found['gaming_day'])}" if found["opened_at_us"] else ""
    source.section(place, when)
    view = None if round_no is None else source.ask(lambda db: round_data.round_view(db, found["stream"], round_no))
    disposed = {} if said is None else said.disposed(table)
    source.show(round_account.incident(members, view, formats, disposed=disposed))
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
        source.note(
            "To assign, note and resolve, start the pages with the log: <code>rack dashboard --log ADDR --warehouse FILE</code>."
        )
        return
    review_panel.incident_panel(members, said, formats)


def _round_of(found: dict[str, Any]) -> dict[str, object]:
    """Return the query of an incident's round, so that the queue goes on from this view."""
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
    """Return in words what the warehouse has gained beyond this many findings."""
    try:
        with reading(warehouse_path()) as db:
            now = int(queue.queue_totals(db, filters).row(0, named=True)["findings"])
    except WarehouseError:
        now = drawn
    return plural(now - drawn, "new finding") if now > drawn else "new results"


def _nothing(any_findings: bool, said: Reviews | None) -> None:
    if any_findings:
        done = " Or the queue is clear. Choose “All states” to see the rest." if said is not None else ""
        source.empty("No incident fits", f"Clear a filter to see more.{done}")
    else:
        source.empty(
            "No incidents",
            "Nothing was found in any round on record. New incidents appear here after the next `rack replay`. "
            "A round that no device recorded is typed on the page Entry.",
        )


page()
