"""The floor as it is now, held once for all who look: the tables of `analytics.live`, and each as a tile."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import Any

import streamlit as st

from analytics import live
from analytics.live import LiveFloor, LiveTable
from analytics.warehouse.warehouse import WarehouseError, reading, stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import UNKNOWN, Formats, ago
from dashboards.parts.desk import Reviews
from dashboards.run import log_address, log_options, warehouse_path
from replay.narrative.names import game_name, plural, table_name
from replay.review.desk import desk_at

GRAVEST_FIRST = tuple(markup.SEVERITIES)


class Held:
    """A log open for reading, with the tables read so far; one refresh at a time."""

    def __init__(self, address: str) -> None:
        self._resources = ExitStack()
        self._lock = threading.Lock()
        try:
            with reading(warehouse_path()) as db:
                base = live.base(db)
        except WarehouseError:
            base = {}  # then the log is read from its beginning
        self._floor = LiveFloor(self._resources.enter_context(desk_at(address, read_only=True, **log_options())), base)

    def tiles(self, said: Reviews | None) -> list[dict[str, Any]]:
        """Return what each tile shows, read now. Raises what a desk raises."""
        with self._lock:
            return [_row(table, said) for table in self._floor.refresh()]


@st.cache_resource(max_entries=1, show_spinner="Reading the floor")
def _held(address: str, drawn_from: tuple[int, int] | None) -> Held:
    return Held(address)


def tiles(said: Reviews | None) -> list[dict[str, Any]] | None:
    """Return what each tile shows, or null where these pages know no log. Raises what a desk raises."""
    address = log_address()
    return None if address is None else _held(address, stamp(warehouse_path())).tiles(said)


def _row(table: LiveTable, said: Reviews | None) -> dict[str, Any]:
    open_incidents: dict[str, int] = {}
    for finding_id, finding in table.findings.items():
        if said is None or said.of(table.table_id, finding_id).state != "resolved":
            rank = GRAVEST_FIRST.index(finding.severity)
            open_incidents[finding.incident_id] = min(rank, open_incidents.get(finding.incident_id, rank))
    waiting = [GRAVEST_FIRST[rank] for rank in open_incidents.values()]
    return {
        "table_id": table.table_id,
        "open": table.open,
        "game": table.game,
        "dealer": table.dealer,
        "gaming_day": table.gaming_day,
        "rounds": table.rounds,
        "pace": table.pace_rounds_per_hour,
        "house_win_cents": table.house_win_cents,
        "bought_in_cents": table.bought_in_cents,
        "drop_cents": table.drop_cents,
        "incidents": len(waiting),
        "high": waiting.count("high"),
        "worst": min(waiting, key=GRAVEST_FIRST.index, default=None),
        "waiting": len(table.waiting),
        "last_round_no": table.last_round_no,
        "broken": table.broken,
        "last_event_at_us": table.last_event_at_us,
        "recorded_at_us": table.recorded_at_us or table.last_event_at_us,
    }


def tile(row: dict[str, Any], formats: Formats, now_us: int) -> Html:
    """Return a table's tile, a link to its incidents of the day."""
    if row["broken"]:
        badge = Html('<span class="rk-badge rk-high"><span aria-hidden="true">✖</span> Broken</span>')
    elif row["worst"]:
        badge = markup.severity_badge(row["worst"])
    else:
        badge = Html('<span class="rk-badge rk-v-upheld"><span aria-hidden="true">✔\ufe0e</span> Nothing open</span>')
    state = {True: "● Open", False: "○ Closed", None: "? Not known"}[row["open"]]
    pace = "" if row["pace"] is None else f"{row['pace']:,.0f} an hour"
    drop = row["drop_cents"]
    box = ("Bought in", row["bought_in_cents"], "not counted yet") if drop is None else ("Drop", drop, "counted")
    cells = [
        ("Rounds", f"{row['rounds']:,}", pace),
        ("Open incidents", f"{row['incidents']:,}", f"{row['high']:,} of high severity"),
        ("House win", UNKNOWN, "a patron holds the bank")
        if row["game"] == "player_dealer"
        else ("House win", formats.money(row["house_win_cents"]), "on settled wagers"),
        (box[0], formats.money(box[1]), box[2]),
    ]
    grid = "".join(
        f'<div><div class="rk-label">{label}</div><div class="rk-value">{markup.text(value)}</div>'
        f'<div class="rk-note">{markup.text(note)}</div></div>'
        for label, value, note in cells
    )
    at = row["recorded_at_us"]
    age = "no event yet" if at is None else f"last event {ago((now_us - at) / 1e6)} ago"
    waits = f" · {plural(row['waiting'], 'round')} not judged yet" if row["waiting"] else ""
    last = "" if row["last_round_no"] is None else f"round {row['last_round_no']:,}"
    broken = f'<div class="rk-tile-broken">{markup.text(row["broken"])}</div>' if row["broken"] else ""
    who = Html(
        f' · <span class="rk-whole">dealer {markup.text(table_name(row["dealer"]))}</span>'
        if row["dealer"] and access.may(access.NAMES)
        else ""
    )
    seen = markup.text(formats.day_and_clock(row["last_event_at_us"]))
    return Html(
        f'<a class="rk-tile{"" if row["open"] else " rk-shut"}" target="_self" '
        f'href="{markup.text(markup.href("queue", table=row["table_id"], day=row["gaming_day"] or None))}">'
        f'<div class="rk-tile-head"><span class="rk-tile-name">{markup.text(table_name(row["table_id"]))}</span>{badge}</div>'
        f'<div class="rk-soft">{state} · {markup.text(game_name(row["game"]) if row["game"] else "no game yet")}'
        f"{who}</div>"
        f'<div class="rk-tile-grid">{grid}</div>{broken}'
        f'<div class="rk-tile-foot"><span title="{seen}">{age}{waits}</span>'
        f"<span>{last}</span></div></a>"
    )
