"""Hold: what did the tables win, and on what?"""

from __future__ import annotations

from typing import Any

import polars as pl
import streamlit as st

from analytics import hold
from analytics.hold import Dimension
from dashboards import markup, source
from dashboards.charts import dimension_label, hold_chart, house_win_chart
from dashboards.markup import Html
from dashboards.names import DIMENSIONS, Formats, day_name, percent, plural, table_name

TABLE_DAYS = {
    "Table": "text", "Gaming day": "text", "Rounds": "number", "Opener": "number", "Fills": "number", "Credits": "number",
    "Closer": "number", "Drop": "number", "Win": "number", "Hold %": "number",
}  # fmt: skip
BY = {
    "Wagers": "number", "Handle": "number", "Payouts": "number", "House win": "number", "House win %": "number",
    "Jackpots by slip": "number", "Not settled": "number",
}  # fmt: skip


def page() -> None:
    """Lay the page out."""
    source.begin()
    formats = source.formats()
    total = source.ask(hold.hold_totals).row(0, named=True)
    days = source.ask(hold.hold_by_table_day)
    source.show(markup.heading("Hold and house win", "Each figure stands under its own name; none is part of another."))
    if days.is_empty():
        source.show(
            markup.empty(
                "Nothing counted yet",
                "Run `rack demo`, or `rack replay --log ADDR --warehouse FILE` on a log of your own.",
            )
        )
        source.watch()
        return
    source.show(markup.section("Counted at the table", "Per table and gaming day. A dash: a count is still missing."))
    source.show(counted(total, formats))
    if days.drop_nulls("hold_percent")["gaming_day"].n_unique() > 1:
        st.altair_chart(hold_chart(days), theme=None, alt="Hold % of each table by gaming day")
    source.show(markup.table(TABLE_DAYS, [day_row(r, formats) for r in days.iter_rows(named=True)], "Table days"))
    unsettled = total["unsettled"]
    aside = f" {plural(unsettled, 'wager')} not settled yet, kept out." if unsettled else ""
    source.show(
        markup.section("From the wagers", f"What was staked and settled, however the chips are counted.{aside}")
    )
    source.show(wagered(total, formats))
    allowed = list(DIMENSIONS)
    dimension: Any = st.segmented_control(
        "By", allowed, default=source.chosen("by", allowed) or "wager", required=True, format_func=lambda d: DIMENSIONS[d],
        key="hold-by", label_visibility="collapsed",
    )  # fmt: skip
    st.query_params["by"] = dimension
    by_dimension(dimension, formats)
    source.watch()


def counted(total: dict[str, Any], formats: Formats) -> Html:
    """Return drop, win and hold % over the table days that have every count."""
    days = f"{total['table_days_counted']} of {plural(total['table_days'], 'table day')} fully counted"
    return markup.figures(
        [
            markup.figure("Drop", formats.money(total["drop_cents"]), days),
            markup.figure("Win", formats.money(total["win_cents"]), "closer + credits + drop − opener − fills"),
            markup.figure("Hold %", percent(total["hold_percent"]), "win ÷ drop"),
        ]
    )


def wagered(total: dict[str, Any], formats: Formats) -> Html:
    """Return handle, payouts and house win over settled wagers, and jackpots by slip beside them."""
    return markup.figures(
        [
            markup.figure("Handle", formats.money(total["handle_cents"]), "staked on settled wagers"),
            markup.figure("Payouts", formats.money(total["payouts_cents"]), "stakes returned included"),
            markup.figure("House win", formats.money(total["house_win_cents"]), "handle − payouts"),
            markup.figure("House win %", percent(total["house_win_percent"]), "house win ÷ handle"),
            markup.figure("Jackpots by slip", formats.money(total["jackpots_by_slip_cents"]), "from the meters, apart"),
        ]
    )


def day_row(row: dict[str, Any], formats: Formats) -> list[object]:
    """Return a table day's row."""
    counts = ("opener_cents", "fills_cents", "credits_cents", "closer_cents", "drop_cents", "win_cents")
    return [
        table_name(row["table_id"]), day_name(row["gaming_day"]), f"{row['rounds']:,}",
        *(formats.money(row[count]) for count in counts), percent(row["hold_percent"]),
    ]  # fmt: skip


def by_dimension(dimension: Dimension, formats: Formats) -> None:
    """Show house win % by a dimension, as a chart and as a table."""
    frame = source.ask(lambda db: hold.hold_by(db, dimension))
    if frame.is_empty():
        source.show(markup.empty("No wagers", "Nothing was staked in the rounds that were replayed."))
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
            label, f"{row['wagers']:,}", *(formats.money(row[c]) for c in ("handle_cents", "payouts_cents", "house_win_cents")),
            percent(row["house_win_percent"]), formats.money(row["jackpots_by_slip_cents"]), f"{row['unsettled']:,}",
        ]
        for label, row in zip(labels, frame.iter_rows(named=True), strict=True)
    ]  # fmt: skip
    source.show(markup.table({name: "text", **BY}, rows, f"House win by {name.lower()}"))


page()
