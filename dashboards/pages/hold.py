"""Hold: what did the tables win, on what, and is it luck?"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from analytics.hold import hold, investigations, periods
from analytics.hold.hold import Dimension
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.charts import dimension_label, hold_chart, house_win_chart
from dashboards.drawing.names import DIMENSIONS, Formats, day_name, percent
from dashboards.parts import analysis, hold_luck, hold_pace, source
from replay.narrative.names import plural, table_name

VIEWS = {
    "counted": "Counted",
    "wagers": "By wager",
    "luck": "Actual vs. theoretical",
    "time": "Over time",
    "pace": "Game pace",
    "behind": "Wager detail",
}
PERIODS = {"gaming_day": "Gaming day", "month": "Month", "year": "Year", "all": "All days"}
TABLE_DAYS = {
    "Table": "text",
    "Gaming day": "text",
    "Rounds": "number",
    "Opener": "number",
    "Fills": "number",
    "Credits": "number",
    "Closer": "number",
    "Drop": "number",
    "Win": "number",
    "Hold %": "number",
}
BY_PERIOD = {
    "Table": "short",
    "From": "short",
    "Table days": "number",
    "Drop": "number",
    "Win": "number",
    "Hold %": "number",
    "Handle": "number",
    "House win": "number",
    "House win %": "number",
}
BY = {
    "Wagers": "number",
    "Handle": "number",
    "Payouts": "number",
    "House win": "number",
    "House win %": "number",
    "Jackpots by slip": "number",
    "Not settled": "number",
}
ROWS = 100


def page() -> None:
    """Lay the page out: one of its views, for the part of the floor that was chosen."""
    source.begin()
    formats = source.formats()
    source.show(
        markup.heading(
            "Hold and house win", "Drop, win and hold % come from the counts, handle and house win from the wagers."
        )
    )
    if source.ask(hold.hold_by_table_day).is_empty():
        source.show(
            markup.empty(
                "No counts yet",
                "Run `rack demo`, or `rack replay --log ADDR --warehouse FILE` on a log of your own.",
            )
        )
        source.watch()
        return
    view = analysis.view(VIEWS)
    of = analysis.selection(dealers=view != "counted")
    _VIEWS[view](of, formats)
    source.watch()


# ------------------------------------------------------------------------------------------------------------- counted


def counted(of: Selection, formats: Formats) -> None:
    """Show drop, win and hold % by table and period, what they are made of, and what asks for an investigation."""
    total = source.ask(hold.hold_totals).row(0, named=True)
    if of == Selection():
        days = f"{total['table_days_counted']} of {plural(total['table_days'], 'table day')} fully counted"
        source.show(
            markup.figures(
                [
                    markup.figure("Drop", formats.money(total["drop_cents"]), days),
                    markup.figure("Win", formats.money(total["win_cents"]), "closer + credits + drop − opener − fills"),
                    markup.figure("Hold %", percent(total["hold_percent"]), "win ÷ drop"),
                ]
            )
        )
    others = [each for each in PERIODS if each != "month"]
    with st.container(width=280):
        period = source.choose("Count period", "period", others, lambda p: PERIODS[p], PERIODS["month"]) or "month"
    found = source.ask(lambda db: periods.hold_by_period(db, "table", period, of))
    rows = [
        [
            table_name(r["table_id"]),
            day_name(r["period"]),
            f"{r['table_days_counted']} of {r['table_days']}",
            formats.money(r["drop_cents"]),
            formats.money(r["win_cents"]),
            percent(r["hold_percent"]),
            formats.money(r["handle_cents"]),
            formats.money(r["house_win_cents"]),
            percent(r["house_win_percent"]),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.show(
        markup.section(
            f"By table and {PERIODS[period].lower()}", "Drop, win and hold % are counted per box, and split no further."
        )
    )
    source.show(markup.table(BY_PERIOD, rows, "Hold by table and period"))
    asked(of)
    days_of = source.ask(hold.hold_by_table_day)
    if of.table:
        days_of = days_of.filter(pl.col("table_id") == of.table)
    if days_of.drop_nulls("hold_percent")["gaming_day"].n_unique() > 1 and days_of["table_id"].n_unique() <= 6:
        st.altair_chart(hold_chart(days_of), theme=None, alt="Hold % of each table by gaming day")
    with st.expander("Counts by table day"):
        lines = [day_row(r, formats) for r in days_of.head(ROWS).iter_rows(named=True)]
        source.show(markup.table(TABLE_DAYS, lines, "Table days"))


def asked(of: Selection) -> None:
    """Show the periods that ask for an investigation in writing."""
    found = source.reckon(investigations.written_investigations, "table", "month", of)
    found = found.filter(pl.col("triggers").list.len() > 0)
    if found.is_empty():
        return
    source.show(
        markup.section(
            "Written investigations required",
            "Hold % outside its band against the month before, or changed by more than three points.",
        )
    )
    rows = [
        [
            analysis.badge("alarm"),
            table_name(r["table_id"]),
            f"{r['period']:%b %Y}",
            percent(r["hold_percent"]),
            percent(r["prior_hold_percent"]),
            r["sentence"],
        ]
        for r in found.iter_rows(named=True)
    ]
    columns = {
        "Verdict": "short",
        "Table": "short",
        "Month": "short",
        "Hold %": "number",
        "Month before": "number",
        "Explanation": "text",
    }
    source.show(markup.table(columns, rows, "Written investigations required"))
    source.show(
        '<p class="rk-note"><code>rack hold investigate --open --by-person ID --log ADDR</code> puts them on record.</p>'
    )


def day_row(row: dict[str, Any], formats: Formats) -> list[object]:
    """Return a table day's row."""
    counts = ("opener_cents", "fills_cents", "credits_cents", "closer_cents", "drop_cents", "win_cents")
    return [
        table_name(row["table_id"]),
        day_name(row["gaming_day"]),
        f"{row['rounds']:,}",
        *(formats.money(row[count]) for count in counts),
        percent(row["hold_percent"]),
    ]


# -------------------------------------------------------------------------------------------------------------- wagers


def wagers(of: Selection, formats: Formats) -> None:
    """Show handle, payouts and house win by a dimension, as a chart and as a table."""
    total = source.ask(hold.hold_totals).row(0, named=True)
    unsettled = total["unsettled"]
    if of == Selection():
        note = f"{plural(unsettled, 'wager')} not settled, kept out" if unsettled else "staked on settled wagers"
        source.show(
            markup.figures(
                [
                    markup.figure("Handle", formats.money(total["handle_cents"]), note),
                    markup.figure("Payouts", formats.money(total["payouts_cents"]), "stakes returned included"),
                    markup.figure("House win", formats.money(total["house_win_cents"]), "handle − payouts"),
                    markup.figure("House win %", percent(total["house_win_percent"]), "house win ÷ handle"),
                    markup.figure(
                        "Jackpots by slip", formats.money(total["jackpots_by_slip_cents"]), "from the meters, apart"
                    ),
                ]
            )
        )
    allowed = [name for name in DIMENSIONS if name != "dealer" or access.may(access.NAMES)]
    dimension: Any = st.segmented_control(
        "By",
        allowed,
        default=source.chosen("by", allowed) or "wager",
        required=True,
        format_func=lambda d: DIMENSIONS[d],
        key="hold-by",
        label_visibility="collapsed",
    )
    st.query_params["by"] = dimension
    by_dimension(dimension, of, formats)


def by_dimension(dimension: Dimension, of: Selection, formats: Formats) -> None:
    """Show house win % by a dimension; each row leads to the wagers behind it."""
    frame = source.ask(lambda db: hold.hold_by(db, dimension, of))
    if frame.is_empty():
        source.show(markup.empty("No wagers", "Nothing was staked in this part of the floor. Choose another above."))
        return
    labels = [
        day_name(row["gaming_day"]) if dimension == "gaming_day" else dimension_label(dimension, row)
        for row in frame.iter_rows(named=True)
    ]
    name = DIMENSIONS[dimension]
    if not frame.filter(pl.col("house_win_percent").is_not_null()).is_empty():
        st.altair_chart(house_win_chart(frame, dimension, labels), theme=None, alt=f"House win % by {name.lower()}")
    rows = [
        [
            _to_wagers(label, dimension, row, of),
            f"{row['wagers']:,}",
            *(formats.money(row[c]) for c in ("handle_cents", "payouts_cents", "house_win_cents")),
            percent(row["house_win_percent"]),
            formats.money(row["jackpots_by_slip_cents"]),
            f"{row['unsettled']:,}",
        ]
        for label, row in zip(labels, frame.iter_rows(named=True), strict=True)
    ]
    source.show(markup.table({name: "text", **BY}, rows, f"House win by {name.lower()}"))


def _to_wagers(label: str, dimension: Dimension, row: dict[str, Any], of: Selection) -> object:
    about = {"game": of.game, "table": of.table, "dealer": of.dealer}
    about |= {
        "wager": {"wager": row.get("wager")},
        "paytable": {"wager": row.get("wager"), "paytable": row.get("paytable") or None},
        "game": {"game": row.get("game")},
        "table": {"table": row.get("table_id")},
        "dealer": {"dealer": row.get("dealer")},
    }.get(dimension, {})
    return (
        markup.link("hold", label, view="behind", **about)
        if dimension not in ("shift", "hour", "gaming_day")
        else label
    )


_VIEWS = {
    "counted": counted,
    "wagers": wagers,
    "luck": hold_luck.luck,
    "time": hold_luck.time,
    "pace": hold_pace.paced,
    "behind": hold_pace.wagers_behind,
}


page()
