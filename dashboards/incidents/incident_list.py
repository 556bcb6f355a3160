"""The list of the queue: rows on a screen, cards on a phone, no figure ever cut; chosen by mouse, touch or keys."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from analytics.errors.queue import QueueFilters
from dashboards.drawing import markup
from dashboards.drawing.markup import DOWN, SEVERITIES, UP, Html
from dashboards.drawing.names import STATES, Formats, short_day
from dashboards.parts.desk import Reviews
from desk.review.incident_desk import incident_holder, incident_state
from replay.narrative.findings import finding_title
from replay.narrative.names import position_name, table_name, wager_name

CHOSEN = "queue-chosen"
"""The session's key for the chosen incidents, by the ids of their causes."""
ALL = "queue-all"
"""The session's key for filters whose incidents are all chosen, on every page of the list."""
_LIST, _SENT = "queue-list", "queue-sent"


def incident_list(
    rows: Sequence[dict[str, Any]], chosen: Sequence[str], place: int, said: Reviews | None, formats: Formats
) -> None:
    """Show incidents with those of `chosen` selected (at `CHOSEN`); J goes on from row `place` without a selection."""
    html = _table([(row["finding_id"], line(row, said, formats)) for row in rows])
    data = {"html": html, "chosen": list(chosen), "from": place, "sent": st.session_state.get(_SENT, 0)}
    _component()(key=_LIST, data=data, on_chosen_change=_note)


def choose(causes: Sequence[str]) -> None:
    """Select incidents by the ids of their causes."""
    st.session_state[CHOSEN] = list(causes)
    st.session_state.pop(ALL, None)


def choose_all(filters: QueueFilters) -> None:
    """Select all incidents that match these filters, on every page of the list."""
    st.session_state[ALL] = filters


def are_all_chosen(filters: QueueFilters) -> bool:
    """Return whether all incidents that match these filters are selected."""
    return st.session_state.get(ALL) == filters


def _note() -> None:
    choice = st.session_state[_LIST]["chosen"]
    choose(choice["ids"])
    st.session_state[_SENT] = choice["sent"]


def line(found: dict[str, Any], said: Reviews | None, formats: Formats) -> dict[str, tuple[str, str]]:
    """Return an incident as a line of the list: two lines of words for each column, the second less important."""
    shape, word = SEVERITIES[found["severity"]]
    short, over = found["underpaid_cents"], found["overpaid_cents"]
    where = [] if found["seat"] is None else [position_name(found["seat"])]
    where += [wager_name(found["wager"])] if found["wager"] else []
    table = table_name(found["table_id"])
    shown = {
        "Severity": (f"{shape} {word}", ""),
        "Incident": (finding_title(found["code"]) + (f" ×{found['alike']}" if found["alike"] > 1 else ""), ""),
        "Money": (f"{DOWN} {formats.signed(-short)} short" if short else "", f"{UP} {formats.signed(over)} over" if over else ""),
        "Where": (table if found["round_no"] is None else f"{table} · {found['round_no']:,}", " · ".join(where)),
    }
    if said is not None:
        reviews = [said.of(found["table_id"], finding_id) for finding_id in found["finding_ids"]]
        shown["State"] = STATES[incident_state(reviews)], ""
        shown["Owner"] = incident_holder(reviews) or "", ""
    return shown | {"When": (formats.time_of_day(found["opened_at_us"]), short_day(found["gaming_day"]))}


def _table(lines: Sequence[tuple[str, dict[str, tuple[str, str]]]]) -> Html:
    heads = "".join(f'<th scope="col">{markup.text(name)}</th>' for name in lines[0][1])
    body = "".join(_row(cause, each) for cause, each in lines)
    return Html(
        '<table class="rk-table rk-queue" aria-label="Incidents, most severe first"><thead><tr><th scope="col">'
        f'<input type="checkbox" aria-label="Choose all on this page"></th>{heads}</tr></thead><tbody>{body}</tbody></table>'
    )


def _row(cause: str, each: dict[str, tuple[str, str]]) -> str:
    names = f"{each['Incident'][0]}, {each['Where'][0]}"
    cells = "".join(
        f'<td data-label="{markup.text(name)}"><span>{markup.text(first)}</span>'
        + (f"<small>{markup.text(second)}</small>" if second else "")
        + "</td>"
        if first or second
        else "<td></td>"
        for name, (first, second) in each.items()
    )
    box = f'<input type="checkbox" aria-label="Choose {markup.text(names)}">'
    return f'<tr data-id="{markup.text(cause)}"><td>{box}</td>{cells}</tr>'


@cache
def _component() -> Any:
    return st.components.v2.component(
        "discard_rack_incidents",
        html='<div class="rk-incidents" tabindex="0" role="region" aria-label="Incidents"></div>',
        js=Path(__file__).with_suffix(".js").read_text("utf-8"),
        isolate_styles=False,
    )
