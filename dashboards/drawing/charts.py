"""Charts of hold and house win: plain functions from a frame to an Altair chart.

The law of this file: one figure a chart, under its own name; bars start at zero; what is below zero is told by its
direction and sign as well as by its colour; nothing that is null is drawn.
"""

from __future__ import annotations

import altair as alt
import polars as pl

from dashboards.drawing.names import DIMENSIONS, percent, short_day
from replay.narrative.names import table_name, wager_name, wager_with_paytable

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


PLACES = {
    "within": "Within chance",
    "below_95": "Below, outside 95 %",
    "below_997": "Below, outside 99.7 %",
    "above_95": "Above, outside 95 %",
    "above_997": "Above, outside 99.7 %",
}
"""Where a point of a funnel lies, in words; each has a colour and a shape of its own."""


def funnel_chart(frame: pl.DataFrame, names: list[str]) -> alt.LayerChart:
    """Return how far each win is from the floor's own, by volume, with limits that narrow; `names` are the rows'."""
    shown = frame.select(
        pl.Series("name", names, dtype=pl.String),
        (pl.col("unit_cents") / 100).alias("volume"),
        (pl.col("win_percent") - pl.col("middle_percent")).alias("off"),
        *(
            (pl.col(f"{end}_{limit}_percent") - pl.col("middle_percent")).alias(f"{end}_{limit}")
            for end in ("low", "high")
            for limit in ("95", "997")
        ),
        pl.col("place").replace_strict(PLACES, default="Within chance").alias("place"),
    ).sort("volume")
    base = alt.Chart(shown).encode(
        x=alt.X("volume:Q", title="Wagered", axis=alt.Axis(format="~s"), scale=alt.Scale(zero=False, nice=True)),
        tooltip=[
            alt.Tooltip("name:N", title="Who"),
            alt.Tooltip("off:Q", title="Points from the floor's own", format="+.2f"),
            alt.Tooltip("volume:Q", title="Wagered", format=",.0f"),
            alt.Tooltip("place:N", title="Place"),
        ],
    )
    wide = base.mark_rule(color="#c3ccc8", strokeWidth=3).encode(
        y=alt.Y("low_997:Q", title="Points of house win from the floor's own"), y2="high_997:Q"
    )
    narrow = base.mark_rule(color="#8fa39b", strokeWidth=7).encode(y="low_95:Q", y2="high_95:Q")
    points = base.mark_point(filled=True, size=130, opacity=1, stroke="#ffffff", strokeWidth=1).encode(
        y="off:Q",
        color=alt.Color(
            "place:N",
            title="Place",
            scale=alt.Scale(
                domain=list(PLACES.values()), range=["#1d5b4b", "#b26a00", "#b44a00", "#0a5fa8", "#083f70"]
            ),
        ),
        shape=alt.Shape(
            "place:N",
            title="Place",
            scale=alt.Scale(
                domain=list(PLACES.values()), range=["circle", "triangle-down", "diamond", "triangle-up", "square"]
            ),
        ),
    )
    words = base.mark_text(align="left", dx=9, fontSize=11, color="#1c2a2e").encode(y="off:Q", text="name:N")
    words = words.transform_filter("datum.place != 'Within chance'")
    zero = alt.Chart(pl.DataFrame({"y": [0.0]})).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(y="y:Q")
    return _styled(_layers(zero, wide, narrow, points, words), 320)


def drift_chart(frame: pl.DataFrame, days: list[str]) -> alt.LayerChart:
    """Return day by day how far the house win is from theory (z), with the weighted mean and its limits."""
    shown = frame.select(pl.Series("day", days, dtype=pl.String), "z", "ewma", "ewma_low", "ewma_high")
    base = alt.Chart(shown).encode(
        x=alt.X("day:O", title="Gaming day", sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    )
    band = base.mark_area(color="#dfe9e5").encode(
        y=alt.Y("ewma_low:Q", title="Standard deviations from theory"), y2="ewma_high:Q"
    )
    points = base.mark_point(color=SOFT, size=40).encode(
        y="z:Q",
        tooltip=[
            alt.Tooltip("day:N", title="Day"),
            alt.Tooltip("z:Q", title="The day alone", format="+.2f"),
            alt.Tooltip("ewma:Q", title="Weighted mean", format="+.2f"),
        ],
    )
    line = base.mark_line(color=ABOVE, strokeWidth=2).encode(y="ewma:Q")
    return _styled(_layers(band, points, line), 240)


def rates_chart(frame: pl.DataFrame, names: list[str], unit: str) -> alt.LayerChart:
    """Return a rate with its 95 % interval for each row; `names` are the rows', columns `rate`, `low`, `high`, `look`."""
    shown = frame.with_columns(
        pl.Series("name", names, dtype=pl.String),
        pl.when("look").then(pl.lit("Needs review")).otherwise(pl.lit("Within chance")).alias("place"),
    ).select("name", "rate", "low", "high", "place")
    base = alt.Chart(shown).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=260)),
        tooltip=[
            alt.Tooltip("name:N", title="Who"),
            alt.Tooltip("rate:Q", title=unit, format=".2f"),
            alt.Tooltip("low:Q", title="95 % from", format=".2f"),
            alt.Tooltip("high:Q", title="to", format=".2f"),
        ],
    )
    interval = base.mark_rule(color="#8fa39b", strokeWidth=5).encode(
        x=alt.X("low:Q", title=unit, scale=alt.Scale(zero=True)), x2="high:Q"
    )
    points = base.mark_point(filled=True, size=120, opacity=1).encode(
        x="rate:Q",
        color=alt.Color(
            "place:N", title=None, scale=alt.Scale(domain=["Within chance", "Needs review"], range=[ABOVE, BELOW])
        ),
        shape=alt.Shape(
            "place:N",
            title=None,
            scale=alt.Scale(domain=["Within chance", "Needs review"], range=["circle", "diamond"]),
        ),
    )
    return _styled(_layers(interval, points), max(110, 30 * shown.height + 60))


def counts_chart(frame: pl.DataFrame) -> alt.LayerChart:
    """Return how often each value came (bars) beside how often it should (lines); columns `value`, `observed`, `expected`."""
    shown = frame.select("value", "observed", "expected")
    base = alt.Chart(shown).encode(
        x=alt.X("value:N", title=None, sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        tooltip=[
            alt.Tooltip("value:N", title="Value"),
            alt.Tooltip("observed:Q", title="Came"),
            alt.Tooltip("expected:Q", title="Should come", format=".1f"),
        ],
    )
    bars = base.mark_bar(color="#8fb3a6", cornerRadius=2).encode(
        y=alt.Y("observed:Q", title="Times", scale=alt.Scale(zero=True))
    )
    ticks = base.mark_tick(color="#1c2a2e", thickness=3, bandSize=26).encode(y="expected:Q")
    return _styled(_layers(bars, ticks), 260)


def _layers(*charts: alt.Chart) -> alt.LayerChart:
    return alt.LayerChart(layer=list(charts))


def _styled(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    styled: alt.LayerChart = (
        chart.properties(height=height, width="container", background="#ffffff", padding=PADDING)
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            labelColor="#1c2a2e",
            titleColor=SOFT,
            titleFontWeight=500,
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelFontSize=12, titleFontSize=12, titleColor=SOFT)
    )
    return styled
