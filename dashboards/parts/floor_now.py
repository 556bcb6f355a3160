"""The floor now, read once for all viewers: the tables of `analytics.live`, and a tile for each."""

import threading
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import streamlit as st

from analytics import live
from analytics.live import LiveTable, LiveTables
from analytics.warehouse.warehouse import WarehouseError, reading, stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, ago
from dashboards.parts.desk import Reviews
from dashboards.run import log_address, log_options, warehouse_path
from desk.review.desk import desk_at
from replay.advice import Advice
from replay.incidents import incidents
from replay.narrative.advice import due_sentences, phase_name, remedies, warning_sentences
from replay.narrative.names import game_name, plural, table_name

GRAVEST_FIRST = tuple(markup.SEVERITIES)


class OpenFloor:
    """A log open for reading, with the tables read so far; one refresh at a time."""

    def __init__(self, address: str) -> None:
        self._resources, self._is_open = ExitStack(), True
        self._lock = threading.Lock()
        try:
            with reading(warehouse_path()) as db:
                base = live.base(db)
        except WarehouseError:
            base = {}  # then the log is read from its beginning
        self._floor = LiveTables(self._resources.enter_context(desk_at(address, read_only=True, **log_options())), base)

    def close(self) -> None:
        """Release the log and its results."""
        with self._lock:
            self._is_open = False
            self._resources.close()

    def tiles(self, said: Reviews | None) -> list[dict[str, Any]] | None:
        """Return the content of each tile, read now; None if it was released meanwhile. Raises the desk's errors."""
        with self._lock:
            if not self._is_open:
                return None
            return [_row(table, said) for table in self._floor.refresh()]


@st.cache_resource(max_entries=1, show_spinner="Reading the floor", on_release=OpenFloor.close)
def _held(address: str, drawn_from: tuple[int, int] | None) -> OpenFloor:
    return OpenFloor(address)


def tiles(said: Reviews | None) -> list[dict[str, Any]] | None:
    """Return the content of each tile, or None if these pages know no log. Raises the desk's errors."""
    address = log_address()
    found = None
    while address is not None and found is None:
        found = _held(address, stamp(warehouse_path())).tiles(said)
    return found


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
        "repeated_drops": table.repeated_drops,
        "incidents": len(waiting),
        "high": waiting.count("high"),
        "worst": min(waiting, key=GRAVEST_FIRST.index, default=None),
        "waiting": len(table.waiting),
        "last_round_no": table.last_round_no,
        "broken": table.broken,
        "last_event_at_us": table.last_event_at_us,
        "recorded_at_us": table.recorded_at_us or table.last_event_at_us,
        "advice": table.advice,
    }


def urgency(row: dict[str, Any]) -> tuple[object, ...]:
    """Return a sort key for tables, most urgent first: broken, with something to correct now, with open incidents."""
    advice = row["advice"]
    gravest = min((incident.gravity for incident in incidents(advice.warnings)), default=None) if advice else None
    rank = GRAVEST_FIRST.index(row["worst"]) if row["worst"] else len(GRAVEST_FIRST)
    return (
        not row["broken"],
        gravest is None,
        gravest or (0, 0),
        not row["open"],
        rank,
        -row["high"],
        -row["incidents"],
        row["table_id"],
    )


def tile(row: dict[str, Any], formats: Formats, now_us: int) -> Html:
    """Return a table's tile, which links to its incidents of the day."""
    warnings = warning_sentences(row["advice"], formats.currency) if row["advice"] else []
    if row["broken"]:
        badge = Html('<span class="rk-badge rk-high"><span aria-hidden="true">✖</span> Broken</span>')
    elif warnings:
        badge = Html('<span class="rk-badge rk-high"><span aria-hidden="true">▲</span> Correct now</span>')
    elif row["worst"]:
        badge = markup.severity_badge(row["worst"])
    elif row["rounds"]:
        badge = Html('<span class="rk-badge rk-v-upheld"><span aria-hidden="true">✔\ufe0e</span> Nothing open</span>')
    else:  # nothing was looked at, so nothing is in order
        words = "Not judged yet" if row["waiting"] else "No round on record"
        badge = markup.no_rounds_badge(words)
    state = {True: "", False: "○ Closed · ", None: "? Not known whether open · "}[row["open"]]
    at = row["recorded_at_us"]
    age = "no event yet" if at is None else f"{ago((now_us - at) / 1e6)} ago"
    number = row["last_round_no"] if row["advice"] is None else row["advice"].round_no
    last = "" if number is None else f"round {number:,}"
    broken = f'<div class="rk-tile-broken">{markup.text(row["broken"])}</div>' if row["broken"] else ""
    who = Html(
        f' · <span class="rk-whole">dealer {markup.text(table_name(row["dealer"]))}</span>'
        if row["dealer"] and access.may(access.NAMES)
        else ""
    )
    pace = "" if row["pace"] is None else f", {row['pace']:,.0f} an hour"
    seen = markup.text(f"Last event {formats.day_and_clock(row['last_event_at_us'])} · {plural(row['rounds'], 'round')}{pace}")
    lines = "".join(f'<div title="{line}">{line}</div>' for line in map(markup.text, _lines(row, formats)))
    return Html(
        f'<a class="rk-tile rk-small{"" if row["open"] else " rk-shut"}{" rk-warned" if warnings else ""}" target="_self" '
        f'href="{markup.text(table_page(row["table_id"], row["gaming_day"] or None))}">'
        f'<div class="rk-tile-head"><span class="rk-tile-name">{markup.text(table_name(row["table_id"]))}</span>{badge}</div>'
        f'<div class="rk-soft">{state}{markup.text(game_name(row["game"]) if row["game"] else "no game yet")}'
        f"{who}</div>{broken}{_open_round(row['advice'], warnings, formats)}"
        f'<div class="rk-tile-lines">{lines}</div>'
        f'<div class="rk-tile-foot"><span title="{seen}">{age}</span>'
        f"<span>{last}</span></div></a>"
    )


def table_page(table: str, day: object = None) -> str:
    """Return where a table's tile leads: to its incidents, or to its figures for those who work no incidents."""
    if access.may("queue"):
        return markup.href("queue", table=table, day=day)
    return markup.href("hold", view="day", table=table, **({"from": day, "to": day} if day else {}))


def _open_round(advice: Advice | None, warnings: Sequence[str], formats: Formats) -> Html:
    """Return the tile's lines on the open round: the first error to correct, and the phase of the round."""
    if advice is None:
        return Html("")
    dues = due_sentences(advice, formats.currency)
    due = f" · {len(advice.dues):,} due" if dues else ""
    where = f"{phase_name(advice.phase)}{due}"
    title = markup.text("\n".join([*warnings, *remedies(advice, formats.currency), *dues]))
    more = f" (and {len(warnings) - 1} more)" if len(warnings) > 1 else ""
    warning = f'<div class="rk-warning" role="alert">{markup.text(warnings[0] + more)}</div>' if warnings else ""
    return Html(f'<div class="rk-tile-round" title="{title}">{warning}<div class="rk-soft">{markup.text(where)}</div></div>')


def _lines(row: dict[str, Any], formats: Formats) -> list[str]:
    """Return the lines of a table's day, gravest first, since a narrow tile cuts lines off."""
    waits = [f"{plural(row['waiting'], 'round')} not judged yet"] if row["waiting"] else []
    win = (
        "No house win: a patron deals"
        if row["game"] == "player_dealer"
        else "House win – (no wagers on record)"
        if row["house_win_cents"] is None
        else f"House win {formats.money(row['house_win_cents'])}"
    )
    drop = row["drop_cents"]
    counted = "a box entered twice" if row["repeated_drops"] else "counted"
    box = f"Bought in {formats.money(row['bought_in_cents'])}" if drop is None else f"Drop {formats.money(drop)}, {counted}"
    found = f"{plural(row['incidents'], 'open incident')}, {row['high']:,} high"
    return [*waits, found, win, box]
