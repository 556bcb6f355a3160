"""Floor: how is each table doing?"""

from __future__ import annotations

from datetime import date
from typing import Any

import streamlit as st

from analytics import hold, queue
from analytics.queue import QueueFilters
from dashboards import markup, source
from dashboards.markup import Html
from dashboards.names import Formats, day_name, game_name, plural, table_name


def tile(row: dict[str, Any], formats: Formats, day: date | None) -> Html:
    """Return a table's tile, a link to its findings."""
    worst = next((s for s in ("high", "medium", "low") if row[f"{s}_findings"]), None)
    badge = markup.severity_badge(worst) if worst else markup.verdict_badge("UPHELD")
    pace = row["pace_rounds_per_hour"]
    cells = [
        ("Rounds", f"{row['rounds']:,}", "" if pace is None else f"{pace:,.0f} an hour"),
        ("Open findings", f"{row['findings']:,}", f"{row['high_findings']:,} of high severity"),
        ("Overpaid", formats.money(row["overpaid_cents"]), ""),
        ("Underpaid", formats.money(row["underpaid_cents"]), ""),
    ]
    grid = "".join(
        f'<div><div class="rk-label">{label}</div><div class="rk-value">{markup.text(value)}</div>'
        f'<div class="rk-note">{markup.text(note)}</div></div>'
        for label, value, note in cells
    )
    return Html(
        f'<a class="rk-tile" target="_self" href="{markup.text(markup.href("queue", table=row["table_id"], day=day))}">'
        f'<div class="rk-tile-head"><span class="rk-tile-name">{markup.text(table_name(row["table_id"]))}</span>{badge}</div>'
        f'<div class="rk-soft">{markup.text(game_name(row["game"]))} · dealer {markup.text(table_name(row["last_dealer"]))}</div>'
        f'<div class="rk-tile-grid">{grid}</div>'
        f'<div class="rk-tile-foot"><span>Last event {formats.day_and_clock(row["last_event_at_us"])}</span>'
        f"<span>round {row['last_round_no']:,}</span></div></a>"
    )


def page() -> None:
    """Lay the page out."""
    source.begin()
    formats = source.formats()
    facts, days = source.ask(hold.property_facts), source.ask(hold.gaming_days)
    left, right = st.columns([3, 1], vertical_alignment="bottom")
    with right:
        day = st.selectbox("Gaming day", [None, *days], format_func=lambda d: "All days" if d is None else day_name(d))
    tables = source.ask(lambda db: hold.floor_overview(db, day))
    with left:
        said = f"{plural(tables.height, 'table')} · {'all gaming days' if day is None else day_name(day)}"
        source.show(markup.heading(facts.name or "The floor", said))
    if tables.is_empty():
        source.show(
            markup.empty(
                "No rounds here yet",
                "Nothing was replayed for this day. Run `rack demo` for a simulated gaming day, or "
                "`rack replay --log ADDR --warehouse FILE` on a log of your own; this page follows by itself.",
            )
        )
        source.watch()
        return
    found = source.ask(lambda db: queue.queue_totals(db, QueueFilters(gaming_day=day))).row(0, named=True)
    variances, rounds = int(tables["variances"].sum()), int(tables["rounds"].sum())
    source.show(
        markup.figures(
            [
                markup.figure("Rounds replayed", f"{rounds:,}", f"{variances:,} with a variance"),
                markup.figure(
                    "Open findings", f"{found['findings']:,}", f"{found['high_findings']:,} of high severity"
                ),
                markup.figure("Overpaid to patrons", formats.money(found["overpaid_cents"])),
                markup.figure("Underpaid to patrons", formats.money(found["underpaid_cents"])),
                markup.figure("Not determined", f"{int(tables['undetermined'].sum()):,}", "rounds that lack evidence"),
            ]
        )
    )
    source.show(markup.section("Tables", "A tile opens the findings of its table."))
    tiles = "".join(tile(row, formats, day) for row in tables.iter_rows(named=True))
    source.show(f'<div class="rk-tiles">{tiles}</div>')
    source.watch()


page()
