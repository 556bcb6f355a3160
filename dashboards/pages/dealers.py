"""Dealer errors: where do errors happen at the table, and who or what needs a look?"""

from typing import Any

import polars as pl
import streamlit as st

from analytics.questions import DIMENSIONS, VIEWS, questions
from analytics.warehouse import floor_data
from analytics.warehouse.selection import Selection
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, floor_part, group_by, view
from dashboards.analysis.verdicts import badge, flagged_first, flagged_table, odds
from dashboards.drawing import markup
from dashboards.drawing.charts import rates_chart
from dashboards.drawing.decisions import finding_link, linked
from dashboards.drawing.markup import Html
from dashboards.drawing.names import Formats, percent, points
from dashboards.parts import source
from replay.narrative.findings import finding_title
from replay.narrative.names import game_name, plural, position_name, table_name, wager_name

ERRORS = questions("errors")
ROWS = 400


def page() -> None:
    """Lay the page out: one of its views, for the chosen part of the floor."""
    source.begin()
    formats = source.formats()
    source.heading(
        "Dealer errors", "Where things go wrong, compared with chance. A row that stands out shows where to look, not why."
    )
    if not source.ask(floor_data.choices).tables:
        source.no_rounds()
        source.watch()
        return
    shown = view(VIEWS["errors"])
    part = FloorPart(Selection(), None, st.container()) if shown == "alarms" else floor_part()
    figures = Figures(part.selection)
    _VIEWS[shown](part, figures, formats)
    figures.offer()
    source.watch()


def show_rates(part: FloorPart, figures: Figures, formats: Formats) -> None:
    """Show mispayments and their rates by dealer or another dimension, with intervals."""
    of = part.selection
    rates = ERRORS["rates"]
    by = group_by(rates, part.bar)
    found = figures.answer(rates, by, of)
    found = found.sort(pl.col("look").fill_null(value=False), descending=True, maintain_order=True)
    if found.is_empty() or not found["counted"].sum():
        source.empty("No mispayment", "None was found in this part of the floor.")
        return
    names = [_name(by, row) for row in found.iter_rows(named=True)]
    drawn = found.head(25).with_columns(
        pl.col("per_1000_rounds").alias("rate"),
        pl.col("per_1000_rounds_low").alias("low"),
        pl.col("per_1000_rounds_high").alias("high"),
        pl.col("look").fill_null(value=False),
    )
    unit, alt = "Mispaid rounds per 1,000", f"Mispaid rounds per 1,000, by {DIMENSIONS[by].lower()}"
    source.show(rates_chart(drawn, names[:25], f"{unit} (95 % interval)", alt))
    rows, marked = [], []
    for i, (name, r) in enumerate(zip(names, found.iter_rows(named=True), strict=True)):
        if r["look"]:
            marked.append(i)
        rows.append(
            [
                _to_queue(by, name, r),
                _verdict(r["look"]),
                f"{r['rounds']:,}",
                f"{r['counted']:,}",
                formats.money(r["overpaid_cents"]),
                formats.money(r["underpaid_cents"]),
                _rate(r, "rounds"),
                _expected(r),
                _rate(r, "wagers"),
            ]
        )
    source.table(rates.columns_on_page(by), rows[:ROWS], rates.title_on_page(by), marked=marked, sortable=True)
    source.note(
        "Interval: 95 % (Clopper and Pearson 1934). Expected: the floor's own rates of the same games. "
        "“Needs review”: by chance alone, one report in a hundred has such a row (Holm 1979). Overpaid and underpaid add up "
        "findings, each by itself; Queue and the register add up each seat of an incident first, so their sums can be lower."
    )
    if part.before is not None and by in ERRORS["change"].breakdowns():
        show_changes(figures, by, of)


def show_changes(figures: Figures, by: str, of: Selection) -> None:
    """Show the rates next to the period before, and whether chance explains the change."""
    change = ERRORS["change"]
    found = flagged_first(figures.answer(change, by, of))
    source.section(
        "Change of the rate",
        "Mispaid rounds per 1,000. Exact test of two counts (Przyborowski, Wilenski 1940), corrected for the rows.",
    )
    if found.is_empty():
        source.empty("Nothing to compare", "No rounds in the period before.")
        return
    rows = [
        [
            badge(r["verdict"]),
            _name(by, r),
            markup.two_lines(f"{r['per_1000_rounds']:.2f}", f"{r['rounds_wrong']:,} of {r['rounds']:,}"),
            markup.two_lines(f"{r['prior_per_1000_rounds']:.2f}", f"{r['prior_rounds_wrong']:,} of {r['prior_rounds']:,}"),
            points(r["change"]),
            odds(r["p_adjusted"]),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.show(flagged_table(change.columns_on_page(by), rows, found["verdict"], change.heading))


def _name(by: str, row: dict[str, Any]) -> str:
    value = row[{"table": "table_id"}.get(by, by)]
    match by:
        case "game":
            return game_name(str(value)) if value else "–"
        case "code":
            return finding_title(str(value))
        case "seat":
            return position_name(value)
        case "hour":
            return f"{value:02d}:00" if value is not None else "–"
        case "shift":
            return str(value).replace("_", " ").capitalize()
        case _:
            return table_name(str(value or "–"))


def _to_queue(by: str, name: str, row: dict[str, Any]) -> object:
    if by in ("dealer", "table", "code"):
        column = {"table": "table_id"}.get(by, by)
        return markup.link("queue", name, state="all", **{by: row[column]})
    return name


def _verdict(look: bool | None) -> Html:
    return badge("alarm") if look else badge("within") if look is not None else Html('<span class="rk-soft">–</span>')


def _rate(row: dict[str, Any], of: str) -> object:
    name = f"per_1000_{of}"
    if row[name] is None:
        return "–"
    return markup.two_lines(f"{row[name]:.2f}", f"{row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f}")


def _expected(row: dict[str, Any]) -> object:
    if row["expected"] is None:
        return "–"
    return markup.two_lines(f"{row['rounds_wrong']:,}, expected {row['expected']:.1f}", f"chance {odds(row['p'])}")


def show_patterns(part: FloorPart, figures: Figures, formats: Formats) -> None:
    """Show recurring errors: the same dealer, the same patron, the same direction."""
    recurring = ERRORS["patterns"]
    found = figures.answer(recurring, part.selection)
    found = found.sort(pl.col("look").fill_null(value=False), descending=True, maintain_order=True)
    if found.is_empty():
        source.empty("No recurring errors", "No dealer or patron has two errors in the same direction.")
        return
    rows = [
        [
            _verdict(r["look"]),
            r["sentence"],
            f"{r['times']:,} of {r['of']:,}",
            f"{r['expected']:.2f}",
            formats.money(r["amount_cents"]),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    marked = [i for i, look in enumerate(found.head(ROWS)["look"]) if look]
    source.table(
        recurring.columns_on_page(), rows, f"{recurring.heading}, least explained by chance first", marked=marked, sortable=True
    )


def show_rules(part: FloorPart, figures: Figures, formats: Formats) -> None:
    """Show which rules of play are broken, and whether by many dealers or by one."""
    rules = ERRORS["rules"]
    found = figures.answer(rules, part.selection)
    if found.is_empty():
        source.empty("No rule was broken", "Nothing was found in this part of the floor.")
        return
    rows = [
        [
            markup.two_lines(
                markup.link(
                    "queue",
                    finding_title(r["code"]) + (f", {wager_name(r['wager'])}" if r["wager"] else ""),
                    code=r["code"],
                    state="all",
                ),
                linked(r["cite"]),
            ),
            game_name(r["game"]) if r["game"] else "–",
            f"{r['findings']:,}",
            markup.two_lines(f"{r['dealers']:,}", plural(r["tables"], "table")),
            percent(r["top_dealer_percent"]),
            _rate(r, "rounds"),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.note(
        "A rule that many dealers break calls for training or another layout; one that a single dealer breaks "
        "is about that dealer."
    )
    source.table(rules.columns_on_page(), rows, f"{rules.heading}, most often first", sortable=True)


def show_detection(part: FloorPart, figures: Figures, formats: Formats) -> None:
    """Show how long errors went unnoticed."""
    detection = ERRORS["detection"]
    found = figures.answer(detection, "code", part.selection)
    rows = [
        [
            markup.two_lines(finding_title(r["code"]), finding_link(r["code"])),
            f"{r['findings']:,}",
            _median(r, "to_close"),
            _median(r, "to_review"),
            _median(r, "to_disposition"),
            f"{r['waiting']:,}",
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.note("Median; below it, the 90th percentile.")
    source.table(detection.columns_on_page(), rows, f"{detection.heading} by finding", sortable=True)


def _median(row: dict[str, Any], name: str) -> object:
    median, most = row[f"{name}_seconds"], row[f"{name}_seconds_p90"]
    return "–" if median is None else markup.two_lines(_long(median), "" if most is None else _long(most))


def _long(seconds: float) -> str:
    for longest, unit, words in ((120, 1, "s"), (7_200, 60, "min"), (172_800, 3_600, "h")):
        if seconds < longest:
            return f"{seconds / unit:,.0f} {words}"
    return f"{seconds / 86_400:,.0f} days"


def show_false_alarms(part: FloorPart, figures: Figures, formats: Formats) -> None:
    """Show how often people, and corrections of the record, confirmed each code."""
    alarms = ERRORS["alarms"]
    found = figures.answer(alarms)
    rows = [
        [
            markup.two_lines(finding_title(r["code"]), finding_link(r["code"])),
            f"{r['findings']:,}",
            f"{r['withdrawn']:,}",
            f"{r['disposed']:,}",
            f"{r['confirmed']:,}",
            f"{r['false_alarms']:,}",
            f"{r['record_wrong']:,}",
            "–"
            if r["false_alarm_percent"] is None
            else markup.two_lines(
                percent(r["false_alarm_percent"]), f"{percent(r['low_percent'])} to {percent(r['high_percent'])}"
            ),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.note("Dispositions count here after the next build of the warehouse; duplicates do not count.")
    source.table(alarms.columns_on_page(), rows, f"{alarms.heading} by finding", sortable=True)


_VIEWS = {"rates": show_rates, "repeats": show_patterns, "rules": show_rules, "time": show_detection, "alarms": show_false_alarms}


page()
