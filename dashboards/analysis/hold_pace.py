"""How fast the tables deal, how often side wagers are made, and the wagers behind a figure."""

from typing import Any

import msgspec
import polars as pl
import streamlit as st

from analytics.hold import figure_detail
from analytics.questions import questions
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, words
from dashboards.drawing import markup
from dashboards.drawing.names import Formats, day_name, percent
from dashboards.parts import source
from replay.narrative.names import game_name, line_name, plural, position_name, table_name, wager_with_paytable

HOLD = questions("hold")
ROWS = 100
LARGEST = 5


def show_pace(part: FloorPart, formats: Formats) -> None:
    """Show the pace against the usual one of games and hours, and how often side wagers are made."""
    of, figures = part.selection, Figures(part.selection)
    named = access.may(access.NAMES)
    by, column, title = ("dealer", "dealer", "Dealers") if named else ("table", "table_id", "Tables")
    audit, take_up = HOLD["pace-audit"], HOLD["take-up"]
    source.section(title, "Index 100: as fast as the floor deals the same games in the same hours.")
    found = figures.answer(audit, by, of)
    rows = [
        [
            markup.two_lines(table_name(r[column] or "–"), "" if r["enough"] else "less than an hour of play"),
            f"{r['rounds']:,}",
            "–" if r["rounds_per_hour"] is None else f"{r['rounds_per_hour']:.1f}",
            "–" if r["expected_rounds"] is None else f"{r['expected_rounds']:,.0f}",
            "–" if r["index"] is None else f"{r['index']:.0f}",
        ]
        for r in found.iter_rows(named=True)
    ]
    source.table(audit.columns_on_page(), rows, f"{audit.title_on_page(by)}, slowest first", sortable=True)
    source.section("Side wagers", "Side wagers for each hundred base wagers of their game, on table days that offer them.")
    found = figures.answer(take_up, "game", of)
    rows = [
        [
            game_name(r["game"]),
            wager_with_paytable(r["wager"], r["paytable"]),
            f"{r['wagers']:,}",
            percent(r["take_up_percent"]),
            formats.money(None if r["average_cents"] is None else round(r["average_cents"])),
        ]
        for r in found.iter_rows(named=True)
    ]
    source.table(take_up.columns_on_page(), rows, take_up.heading, sortable=True)
    figures.offer()


def show_wagers(part: FloorPart, formats: Formats) -> None:
    """Show the wagers of a figure, each with a link to its round."""
    of, figures = _narrowed(part.selection), Figures(part.selection)
    wager, paytable, hour = st.query_params.get("wager"), st.query_params.get("paytable"), _hour()
    of_wager: dict[str, Any] = {"wager": wager, "paytable": paytable, "hour": hour}
    sums = figures.ask("Sums of these wagers", figure_detail.sums_behind, of, **of_wager).row(0, named=True)
    named = wager_with_paytable(wager, paytable) if wager else "All wagers"
    where = [] if of.shift is None else [f"shift {of.shift}"]
    where += [] if hour is None else [f"rounds opened from {hour}:00 to {hour}:59"]
    below = ", ".join([words(of), *where])
    source.section(named, f"{below}. {plural(sums['wagers'], 'wager')}: they add up to the figure.")
    if not sums["wagers"]:
        source.empty("No wager", "No wager of this part of the floor is on record. Choose another.")
        return
    source.figures(
        [
            markup.figure("Handle", formats.money(sums["handle_cents"])),
            markup.figure("Payouts", formats.money(sums["payouts_cents"])),
            markup.figure("House win", formats.money(sums["house_win_cents"])),
            markup.figure("Paid by meters", formats.money(sums["from_meter_cents"])),
        ]
    )
    largest = figures.ask("Largest wagers", figure_detail.largest_wagers, of, limit=LARGEST, **of_wager)
    if sums["wagers"] > LARGEST and largest.height:
        source.section("Largest", "The wagers that moved the figure most.")
        source.show(_wagers_table(largest, "Largest wagers", formats))
        source.section("All, in the order played")
    detail, pages = HOLD["behind"], -(-sums["wagers"] // ROWS)
    at = int(st.number_input(f"Page (of {pages:,})", 1, pages, 1, key="behind-page", width=160)) if pages > 1 else 1
    found = figures.ask_part(detail.heading, detail.function, of, rows=ROWS, start=(at - 1) * ROWS, **of_wager)
    source.show(_wagers_table(found, detail.heading, formats))
    figures.offer(first=detail.heading)


def _wagers_table(found: pl.DataFrame, name: str, formats: Formats) -> markup.Html:
    rows = [
        [
            markup.two_lines(
                markup.link(
                    "round", f"{table_name(r['table_id'])} · {r['round_no']:,}", table=r["table_id"], round=r["round_no"]
                ),
                day_name(r["gaming_day"]),
            ),
            position_name(r["seat"]),
            wager_with_paytable(r["wager"], r["paytable"]),
            formats.money(r["staked_cents"]),
            formats.signed(r["house_win_cents"]),
            line_name(r["line"] or "–"),
        ]
        for r in found.iter_rows(named=True)
    ]
    return markup.table(HOLD["behind"].columns_on_page(), rows, name, sortable=True)


def _narrowed(of: Selection) -> Selection:
    """Return the selection with the shift from the address."""
    shift = st.query_params.get("shift")
    return msgspec.structs.replace(of, shift=shift) if shift else of


def _hour() -> int | None:
    given = st.query_params.get("hour", "")
    return int(given) if given.isdecimal() and int(given) < 24 else None
