"""Round: what happened, what should have happened, and what proves it?"""

from datetime import date

import streamlit as st

from analytics.warehouse import floor_data, round_data
from analytics.warehouse.round_data import RoundView
from dashboards.access import access
from dashboards.access.anonymous import without_names
from dashboards.drawing import markup
from dashboards.drawing.names import Formats, day_name
from dashboards.drawing.table_after_event import ReplayStep, steps_of
from dashboards.incidents import last_action, queue_view
from dashboards.parts import (
    desk,
    dispute_panel,
    open_round_warnings,
    packets,
    record_check,
    review_panel,
    round_files,
    round_replay,
    source,
)
from dashboards.rulings import print_parts, round_account
from replay.narrative.names import plural, table_name


def page() -> None:
    """Lay the page out."""
    source.begin()
    formats = source.formats()
    table, round_no = st.query_params.get("table"), st.query_params.get("round")
    stream = st.query_params.get("stream") or (f"table/{table}" if table else None)
    if stream is None or round_no is None or not round_no.isdecimal():
        choose(stream)
        return
    view = source.ask(lambda db: round_data.round_view(db, stream, int(round_no)))
    if view is None:
        if stream.startswith("table/") and open_round_warnings.open_round(stream.partition("/")[2], int(round_no)):
            return
        source.empty(
            f"{table_name(stream.partition('/')[2])} has no round {int(round_no):,} here",
            "The warehouse does not hold it. Choose another below; if it was played since, run "
            "`rack replay --log ADDR --warehouse FILE`.",
        )
        choose(stream)
        return
    desk.on_record(view.round["table_id"], int(round_no))
    found = record_check.check_of(view)
    if not record_check.is_confirmed(found):
        source.show(round_account.unconfirmed_header(view))
        source.show(record_check.check_notice(found))
        source.watch()
        return
    head, desk_of_round, foot = st.container(), st.container(), st.container()
    with foot, st.container(horizontal=True, vertical_alignment="center"):
        source.print_button()
        if view.round["stream"].startswith("table/"):
            packets.offer(view.round["table_id"], int(round_no))
            source.show(dispute_panel.case_ways(view.round["table_id"], int(round_no), None))
        if access.may(access.NAMES):
            st.toggle("Hide names", key=access.HIDING, bind="query-params", help="Patrons and staff become numbers")
        hidden = access.names_hidden()
    if hidden:
        view = without_names(view)
    steps = steps_of(view.events.to_dicts())
    round_replay.step_now(view, steps)
    with head:
        source.title(f"{table_name(view.round['table_id'])} round {int(round_no):,}")
        source.show(round_account.header(view, formats, desk.disposed(view.round["table_id"])))
        source.show(record_check.adopted(found, hidden=hidden))
    with desk_of_round:
        round_replay.replay(view, steps, formats, lambda: incidents(view, formats, steps))
        if not steps:
            source.empty(
                "No events of this round in the warehouse",
                "The verdict does not need them. `rack round TABLE ROUND --log ADDR` shows the events from the log.",
            )
    with foot:
        if view.round["stream"].startswith("table/"):
            round_files.panel(view.round["table_id"], int(round_no))
        source.section("Recorded vs. recomputed", "Both are the patron's net: what was won, less what was lost.")
        source.show(round_account.settlements(view, formats))
        source.show(record_check.check_notice(found))
        if hidden:
            words = "Names are hidden here; chain hashes are those of the events as recorded."
            source.note(f"{words}")
        source.show(print_parts.evidence(view, steps, formats))
    source.watch(quietly=True)


def choose(stream: str | None) -> None:
    """Offer the rounds of a table."""
    tables, days = source.ask(floor_data.tables), source.ask(floor_data.gaming_days)
    source.heading("Open a round", "Choose a table and a round, or come here from the queue.")
    if not tables or not days:
        source.no_rounds()
        source.watch()
        return
    given = (stream or "").partition("/")[2]
    if given and given not in tables and "round" not in st.query_params:
        source.no_rounds(f"{table_name(given)} has no rounds yet", "Play or enter a round there, or choose another table.")
    left, center, middle, right = st.columns([2, 2, 3, 1], vertical_alignment="bottom")
    table = left.selectbox("Table", tables, index=tables.index(given) if given in tables else 0, format_func=table_name)
    day: date = center.selectbox("Gaming day", days, format_func=day_name)
    of_table = source.ask(lambda db: round_data.rounds_of(db, table, day))
    says = {
        row["round_no"]: f"Round {row['round_no']:,}" + (f" · {plural(row['findings'], 'finding')}" if row["findings"] else "")
        for row in of_table.iter_rows(named=True)
    }
    number = middle.selectbox("Round", list(says), format_func=lambda n: says[n], placeholder="No round on this day")
    with right:
        if number is not None:
            source.show(markup.button_link("round", "Open", table=table, round=number))
    if number is None:
        source.empty(
            f"{table_name(table)} has no round on {day_name(day)}",
            "Choose another day or table. A round that no device recorded is typed on the page Entry.",
        )
    source.watch()


def incidents(view: RoundView, formats: Formats, steps: list[ReplayStep]) -> None:
    """Show the incident of a finding in the address (else the gravest) whole, with its actions, and the others."""
    every = view.findings.to_dicts()
    if not every:
        source.empty("No finding", "Nothing was found against the rules in this round.")
        return
    named = st.query_params.get("finding")
    if named and named not in {f["finding_id"] for f in every}:
        source.notice("The finding of this link was withdrawn", "A later verdict withdrew it. This is the verdict in force.")
    first = next((f for f in every if f["finding_id"] == named), every[0])["incident_id"]
    members = [f for f in every if f["incident_id"] == first]
    said = desk.reviews()
    disposed = {} if said is None else said.disposed(members[0]["table_id"])
    source.show(round_account.incident(members, view, formats, steps, disposed))
    if said is not None:
        last_action.strip(formats)
        review_panel.incident_panel(members, said, formats)
    queue = st.query_params.get("queue")
    following = queue_view.next_in_queue(first, queue_view.unpacked(queue or ""), said)
    if following is not None:
        place = f"{table_name(following['table_id'])} round {following['round_no']:,}"
        query = {"table": following["table_id"], "round": following["round_no"], "finding": following["finding_id"]}
        way = markup.key_link("next", "round", f"Next in the queue: {place} →", **query, queue=queue)
        source.show(f'<div class="rk-ways">{way}</div>')
    others = [f for f in every if f["incident_id"] != first]
    if others:
        with st.expander(f"{plural(len({f['incident_id'] for f in others}), 'more incident')} in this round"):
            source.show(round_account.other_incidents(others, view, formats))


page()
