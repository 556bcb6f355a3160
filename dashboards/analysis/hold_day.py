"""Why a table's day was off: its win as a sum of parts, each with its explanation and a link."""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl

from analytics.hold import hold, win_parts
from analytics.hold.against_theory import probability
from analytics.questions import VIEWS, questions
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, words
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, percent
from dashboards.parts import source
from replay.narrative.findings import finding_title
from replay.narrative.names import plural, table_name

HOLD: Final = questions("hold")
INCIDENTS: Final = {"Round": "short", "Incident": "text", "Overpaid": "number", "Underpaid": "number"}
VIEW_OF_PART: Final = {
    "base": "luck",
    "volume": "wagers",
    "edge": "wagers",
    "luck": "luck",
    "other": "wagers",
    "uncounted": "counted",
    "slips": "behind",
    "box": "counted",
    "tray": "counted",
    "no_wagers": "counted",
}
"""Part → the view of Hold that has its detail."""


def show_day(part: FloorPart, formats: Formats) -> None:
    """Show the parts of the win of the chosen table days as a sum, and the incidents with money."""
    of, figures = part.selection, Figures(part.selection)
    title = f"{table_name(of.table) if of.table else 'All tables'}, {words(of)}"
    parts = HOLD["day"]
    found = figures.answer(parts, of)
    source.section(title, "The parts add up to the last line, to the cent.")
    if found.is_empty():
        source.empty("Nothing counted", "No table day of this part of the floor is on record.")
        return
    source.note(f"{markup.text(conclusion(found, formats))}")
    rows = [_row(each, of, formats) for each in found.iter_rows(named=True)]
    source.table(parts.columns_on_page(), rows, f"{parts.heading}: {title}", marked=[len(rows) - 1])
    incidents = figures.ask("Incidents with money", win_parts.incidents_of, of)
    if not incidents.is_empty():
        source.section("Mispayments by incident", "The largest first.")
        listed = [_incident(each, formats) for each in incidents.iter_rows(named=True)]
        source.table(INCIDENTS, listed, "Mispayments by incident", sortable=True)
    missing = source.ask(hold.hold_by_table_day)
    for column, value in (("table_id", of.table), ("game", of.game)):
        missing = missing.filter(pl.col(column) == value) if value else missing
    if of.first and of.last:
        missing = missing.filter(pl.col("gaming_day").is_between(of.first, of.last))
    for each in missing.filter(pl.col("win_cents").is_null()).head(5).iter_rows(named=True):
        lacks = [name for name in ("opener", "closer", "drop") if each[f"{name}_cents"] is None]
        what = ", ".join(lacks) or "a closer of an opening"
        source.notice(f"{table_name(each['table_id'])} is not fully counted", f"Missing: {what}.")
    figures.offer()


def conclusion(found: pl.DataFrame, formats: Formats) -> str:
    """Return a sentence that names the part that moved the win farthest from an average day's."""
    moves = found.filter(~pl.col("part").is_in(["base", "slips", "whole"]))  # slips are in the parts before them
    if moves.is_empty() or not (moves["cents"] != 0).any():
        return "Nothing moved it from an average day."
    largest = moves.row(int((moves["cents"].abs()).arg_max() or 0), named=True)
    whole, title = found.row(-1, named=True), largest["title"]
    moved = f"{title[:1].lower()}{title[1:]}, {formats.signed(largest['cents'])}"
    return f"{whole['title']} {formats.money(whole['cents'])}. What moved it most: {moved}."


def known_of(row: Mapping[str, Any], formats: Formats) -> str:
    """Return the known facts about a part, in words."""
    match row["part"]:
        case "volume":
            return f"{formats.money(row['handle_cents'])} wagered; average {formats.money(row['average_handle_cents'])}"
        case "edge":
            return f"{percent(row['percent'])} of the handle by theory; average {percent(row['average_percent'])}"
        case "luck" if row["probability"] is not None:
            return f"Probability of so much luck or more: {probability(row['probability'])} at most"
        case "overpaid" | "underpaid":
            return plural(row["count"], "wager")
        case "uncounted":
            return f"{plural(row['count'], 'table day')}: left out, because they have no win"
        case "slips":
            return "Counted above under luck or errors; not taken from the tray"
        case "whole" if row["count"]:
            return f"{plural(row['count'], 'table day')} not fully counted"
        case _:
            return ""


def _row(row: Mapping[str, Any], of: Selection, formats: Formats) -> list[object]:
    is_whole = row["part"] == "whole"
    amount = formats.money(row["cents"]) if is_whole or row["part"] == "base" else formats.signed(row["cents"])
    return [row["title"], amount, known_of(row, formats), _way(row["part"], of)]


def _way(part: str, of: Selection) -> Html:
    days = {"table": of.table, "game": of.game, "from": of.first, "to": of.last}
    if part in VIEW_OF_PART:
        view = VIEW_OF_PART[part]
        return markup.link("hold", VIEWS["hold"][view], view=view, **days)
    if part in ("overpaid", "underpaid") and access.may("dealers"):
        return markup.link("dealers", "Dealer errors", table=of.table, **{"from": of.first, "to": of.last})
    return Html("below" if part in ("overpaid", "underpaid") else "")


def _incident(row: Mapping[str, Any], formats: Formats) -> list[object]:
    where = f"{table_name(row['table_id'])} · round {row['round_no'] or 0:,}"
    link = markup.link("round", where, table=row["table_id"], round=row["round_no"], finding=row["finding_id"])
    return [
        link if row["round_no"] is not None else where,
        f"{finding_title(row['code'])}, {plural(row['seats'], 'seat')}",
        formats.money(row["overpaid_cents"]),
        formats.money(row["underpaid_cents"]),
    ]
