"""Floor: how is each table doing?"""

import time
from datetime import date
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analytics.errors import queue
from analytics.errors.queue import QueueFilters
from analytics.warehouse import floor_data
from analytics.warehouse.warehouse import PropertyFacts, stamp
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, day_name, short_day
from dashboards.incidents import queue_view
from dashboards.parts import desk, floor_now, open_round_warnings, source
from dashboards.run import log_address, warehouse_path
from desk.review.desk import REFUSALS
from replay.narrative.names import game_name, plural, table_name


def tile(row: dict[str, Any], formats: Formats, day: date | None) -> Html:
    """Return a table's tile, a link to its incidents."""
    worst = next((s for s in ("high", "medium", "low") if row[f"{s}_incidents"]), None)
    clean = "UNDETERMINED" if row["undetermined"] == row["rounds"] else "UPHELD"
    badge = markup.severity_badge(worst) if worst else markup.verdict_badge(clean)
    if not row["rounds"] and worst is None:
        badge = markup.no_rounds_badge("No round on record")
    pace = row["pace_rounds_per_hour"]
    cells = [
        ("Rounds", f"{row['rounds']:,}", "" if pace is None else f"{pace:,.0f} an hour"),
        ("Incidents", f"{row['incidents']:,}", f"{row['high_incidents']:,} of high severity"),
        ("Overpaid", formats.money(row["overpaid_cents"]), ""),
        ("Underpaid", formats.money(row["underpaid_cents"]), ""),
    ]
    game = game_name(row["game"]) if row["game"] else "game not on record"
    last = "" if row["last_round_no"] is None else f"round {row['last_round_no']:,}"
    who = f" · dealer {table_name(row['last_dealer'])}" if row["last_dealer"] and access.may(access.NAMES) else ""
    grid = "".join(
        f'<div><div class="rk-label">{label}</div><div class="rk-value">{markup.text(value)}</div>'
        f'<div class="rk-note">{markup.text(note)}</div></div>'
        for label, value, note in cells
    )
    return Html(
        f'<a class="rk-tile" target="_self" href="{markup.text(floor_now.table_page(row["table_id"], day))}">'
        f'<div class="rk-tile-head"><span class="rk-tile-name">{markup.text(table_name(row["table_id"]))}</span>{badge}</div>'
        f'<div class="rk-soft">{markup.text(game)}{markup.text(who)}</div>'
        f'<div class="rk-tile-grid">{grid}</div>'
        f'<div class="rk-tile-foot"><span>Last event {formats.day_and_clock(row["last_event_at_us"])}</span>'
        f"<span>{last}</span></div></a>"
    )


NOW, ALL = "now", "all"
BEAT_SECONDS = 1


def page() -> None:
    """Lay the page out: the floor now if the log is known, otherwise a gaming day of the warehouse."""
    source.begin()
    open_round_warnings.watch(most=None)
    days = [day.isoformat() for day in _days()]
    live = log_address() is not None
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        chosen = source.choose_one("Show", "show", [*([NOW] if live else []), ALL, *days], _words)
    with left:
        head = st.container()
    if chosen == NOW:
        with head:
            source.heading(_name(), "Each table in its last gaming day. Updates automatically.")
        now()
    else:
        of_day(None if chosen == ALL else date.fromisoformat(chosen), head)
        source.watch()


def now() -> None:
    """Show the floor now, refreshed every second."""
    formats = Formats.of(_facts())

    @st.fragment(run_every=BEAT_SECONDS)
    def beat() -> None:
        said = desk.reviews()
        try:
            rows = floor_now.tiles(said) or []
        except REFUSALS as error:
            source.notice("The log cannot be followed", f"{error} Choose a gaming day above to see the warehouse.")
            return
        if not rows:
            first = (
                "First have a table report: append its events with `rack ingest FILE --log ADDR`, connect a device with "
                "`rack gateway`, or set up a house without sensors with `rack init DIR`. Tables come up here by themselves."
            )
            source.empty("No table has reported yet", first)
            return
        source.show(summary(rows, formats, _in_queue(said)))
        at_us = time.time_ns() // 1000
        order = sorted(rows, key=floor_now.urgency)
        source.show(f'<div class="rk-tiles rk-many">{"".join(floor_now.tile(row, formats, at_us) for row in order)}</div>')

    beat()


def _in_queue(said: desk.Reviews | None) -> int | None:
    """Return the number of open incidents of all gaming days; None without a warehouse."""
    if stamp(warehouse_path()) is None:
        return None
    total = source.ask(lambda db: queue.queue_totals(db, queue_view.filters_of({}, said)))
    return int(total.row(0, named=True)["incidents"])


def summary(rows: list[dict[str, Any]], formats: Formats, in_queue: int | None = None) -> Html:
    """Return the floor's figures; `in_queue`: the open incidents of all gaming days, if known."""
    incidents, high = (sum(row[name] for row in rows) for name in ("incidents", "high"))
    days = Html("") if in_queue in (None, incidents) else Html(f" · {markup.link('queue', f'{in_queue:,} in the queue')}")
    waiting = sum(row["waiting"] for row in rows)
    newest = max((row["recorded_at_us"] for row in rows if row["recorded_at_us"] is not None), default=None)
    return markup.figures(
        [
            _gaming_day(rows),
            markup.figure("Tables open", f"{sum(bool(row['open']) for row in rows)} of {len(rows)}"),
            markup.figure(
                "Rounds judged",
                f"{sum(row['rounds'] for row in rows):,}",
                f"{waiting:,} not judged yet" if waiting else "all completed rounds",
            ),
            markup.figure("Open incidents", f"{incidents:,}", Html(f"{high:,} high{days}")),
            _house_win(rows, formats),
            markup.figure("Newest event", formats.clock(newest), "recorded, " + formats.day_and_clock(newest).split(",")[0]),
        ]
    )


def _gaming_day(rows: list[dict[str, Any]]) -> Html:
    """Return the tables' newest gaming day, and how many tables are on an earlier one."""
    days = [row["gaming_day"] for row in rows if row["gaming_day"]]
    if not days:
        return markup.figure("Gaming day", "–", "no table has opened one")
    earlier = sum(day < max(days) for day in days)
    return markup.figure(
        "Gaming day", short_day(date.fromisoformat(max(days))), f"{plural(earlier, 'table')} in an earlier one" if earlier else ""
    )


def _house_win(rows: list[dict[str, Any]], formats: Formats) -> Html:
    """Return the house win of the tables with recorded wagers, and their number."""
    wins = [row["house_win_cents"] for row in rows if row["house_win_cents"] is not None]
    of = "on settled wagers" if len(wins) == len(rows) else f"{len(wins):,} of {plural(len(rows), 'table')} with wagers"
    return markup.figure("House win", formats.money(sum(wins) if wins else None), of)


def of_day(day: date | None, head: DeltaGenerator) -> None:
    """Show one gaming day, or all, from the warehouse."""
    formats = source.formats()
    tables = source.ask(lambda db: floor_data.floor_overview(db, day))
    with head:
        said = f"{plural(tables.height, 'table')} · {'all gaming days' if day is None else day_name(day)}"
        source.heading(_name(), said)
    if tables.is_empty():
        source.no_rounds(why="Nothing was replayed for this day.")
        return
    total = source.ask(lambda db: queue.queue_totals(db, QueueFilters(gaming_day=day))).row(0, named=True)
    variances, rounds = int(tables["variances"].sum()), int(tables["rounds"].sum())
    source.figures(
        [
            markup.figure("Rounds replayed", f"{rounds:,}", f"{variances:,} with a variance"),
            markup.figure(
                "Incidents", f"{total['incidents']:,}", f"{total['high_incidents']:,} of high severity, resolved ones too"
            ),
            markup.figure("Patrons overpaid", formats.money(total["overpaid_cents"])),
            markup.figure("Patrons underpaid", formats.money(total["underpaid_cents"])),
            markup.figure("Undetermined rounds", f"{int(tables['undetermined'].sum()):,}", "rounds that lack evidence"),
        ]
    )
    source.section("Tables", "A tile opens the incidents of its table.")
    tiles = "".join(tile(row, formats, day) for row in tables.iter_rows(named=True))
    source.show(f'<div class="rk-tiles">{tiles}</div>')


def _words(choice: str) -> str:
    return {NOW: "Now", ALL: "All gaming days"}.get(choice) or day_name(date.fromisoformat(choice))


def _days() -> list[date]:
    """Return the warehouse's gaming days; empty if there is only a log."""
    if log_address() is not None and stamp(warehouse_path()) is None:
        return []
    return source.ask(floor_data.gaming_days)


def _facts() -> PropertyFacts:
    return PropertyFacts() if stamp(warehouse_path()) is None else source.ask(floor_data.property_facts)


def _name() -> str:
    return _facts().name or "The floor"


page()
