"""Charts of hold and house win: plain functions from a frame to an Altair chart.

The law of this file: one figure a chart, under its own name; bars start at zero; what is below zero is told by its
direction and sign as well as by its colour; nothing that is null is drawn.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from dashboards.names import DIMENSIONS, percent, short_day, table_name, wager_name, wager_with_paytable

ABOVE, BELOW, GRID, SOFT = "#1d5b4b", "#b44a00", "#e6eae8", "#56656a"
PADDING = {"left": 16, "right": 16, "top": 16, "bottom": 16}
LINES = ["#1d5b4b", "#b44a00", "#0a5fa8", "#8a6d00", "#6b3fa0", "#4a595e"]


def dimension_label(dimension: str, row: dict[str, object]) -> str:
    """Return what a row of `hold_by` is about, in words."""
    if dimension == "paytable":
        return wager_with_paytable(str(row["wager"]), str(row["paytable"] or ""))
    if dimension == "wager":
        return wager_name(str(row["wager"]))
    if dimension in ("table", "dealer"):
        return table_name(str(row["table_id" if dimension == "table" else "dealer"]))
    return str(row[dimension]).replace("_", " ").capitalize()


def house_win_chart(frame: pl.DataFrame, dimension: str, labels: list[str]) -> alt.LayerChart:
    """Return house win % by the values of a dimension: a line over gaming days, else bars. `labels` name the rows."""
    shown = frame.with_columns(
        pl.Series("label", labels, dtype=pl.String),
        pl.Series("said", [percent(value) for value in frame["house_win_percent"]], dtype=pl.String),
        (pl.col("handle_cents") / 100).alias("handle"),
        (pl.col("house_win_cents") / 100).alias("house_win"),
    ).drop_nulls("house_win_percent")
    name = DIMENSIONS[dimension]
    tips = [
        alt.Tooltip("label:N", title=name),
        alt.Tooltip("said:N", title="House win %"),
        alt.Tooltip("handle:Q", title="Handle", format=",.2f"),
        alt.Tooltip("house_win:Q", title="House win", format=",.2f"),
    ]
    if dimension == "gaming_day":
        shown = shown.with_columns(pl.col("gaming_day").cast(pl.String))
        base = alt.Chart(
            shown.select("label", "said", "handle", "house_win", "house_win_percent", "gaming_day")
        ).encode(
            x=alt.X("gaming_day:O", title="Gaming day", axis=alt.Axis(labelAngle=0)),
            y=alt.Y("house_win_percent:Q", title="House win %", axis=alt.Axis(format=".1f")),
            tooltip=tips,
        )
        return _styled(_layers(base.mark_line(color=ABOVE, strokeWidth=2), base.mark_circle(color=ABOVE, size=70)), 260)
    shown = shown.select("label", "said", "handle", "house_win", "house_win_percent")
    base = alt.Chart(shown).encode(
        y=alt.Y("label:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        x=alt.X(
            "house_win_percent:Q",
            title="House win %",
            axis=alt.Axis(format=".0f", tickCount=8),
            scale=alt.Scale(zero=True),
        ),
        tooltip=tips,
    )
    bars = base.mark_bar(cornerRadius=2, height=18).encode(
        color=alt.condition(alt.datum.house_win_percent < 0, alt.value(BELOW), alt.value(ABOVE))
    )
    right = base.mark_text(align="left", dx=6, color=SOFT, fontSize=12).encode(text="said:N")
    right = right.transform_filter(alt.datum.house_win_percent >= 0)
    left = base.mark_text(align="right", dx=-6, color=SOFT, fontSize=12).encode(text="said:N")
    left = left.transform_filter(alt.datum.house_win_percent < 0)
    return _styled(_layers(bars, right, left), max(90, 34 * shown.height + 40))


def hold_chart(frame: pl.DataFrame) -> alt.LayerChart:
    """Return hold % of each table over gaming days; a day without every count has no point."""
    counted = frame.drop_nulls("hold_percent").sort("gaming_day", "table_id")
    shown = counted.select(
        pl.Series("day", [short_day(day) for day in counted["gaming_day"]], dtype=pl.String),
        pl.Series("table", [table_name(table) for table in counted["table_id"]], dtype=pl.String),
        "hold_percent",
        pl.Series("said", [percent(value) for value in counted["hold_percent"]], dtype=pl.String),
    )
    base = alt.Chart(shown).encode(
        x=alt.X("day:O", title="Gaming day", sort=None, axis=alt.Axis(labelAngle=0)),
        y=alt.Y("hold_percent:Q", title="Hold %", axis=alt.Axis(format=".0f"), scale=alt.Scale(zero=True)),
        color=alt.Color("table:N", title="Table", scale=alt.Scale(range=LINES)),
        tooltip=[
            alt.Tooltip("table:N", title="Table"),
            alt.Tooltip("day:N", title="Gaming day"),
            alt.Tooltip("said:N", title="Hold %"),
        ],
    )
    line = base.mark_line(strokeWidth=2)
    points = base.mark_point(filled=True, size=90, opacity=1).encode(shape=alt.Shape("table:N", title="Table"))
    return _styled(_layers(line, points), 260)


def _layers(*charts: alt.Chart) -> alt.LayerChart:
    return alt.LayerChart(layer=list(charts))


def _styled(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    styled: alt.LayerChart = (
        chart.properties(height=height, width="container", background="#ffffff", padding=PADDING)
        .configure_view(stroke=None)
        .configure_axis(gridColor=GRID, domainColor=GRID, tickColor=GRID, labelColor="#1c2a2e", titleColor=SOFT,
                        titleFontWeight=500, labelFontSize=12, titleFontSize=12)
        .configure_legend(labelFontSize=12, titleFontSize=12, titleColor=SOFT)
    )  # fmt: skip
    return styled
