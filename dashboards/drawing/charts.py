"""Charts of hold and house win: plain functions from a frame to an Altair chart.

The law of this file: one figure a chart, under its own name; bars start at zero; what is below zero is told by its
direction and sign as well as by its colour; nothing that is null is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import altair as alt
import polars as pl

from dashboards.drawing.names import DIMENSIONS, percent, points, short_day
from replay.narrative.names import table_name, wager_name, wager_with_paytable

ABOVE, BELOW, OVER, AMBER = "var(--rk-accent)", "var(--rk-alert)", "var(--rk-over)", "var(--rk-amber)"
PAPER, INK, SOFT, GRID = "var(--rk-paper)", "var(--rk-ink)", "var(--rk-soft)", "var(--rk-grid)"
BAND, NEAR, INTERVAL = "var(--rk-band)", "var(--rk-band-near)", "var(--rk-interval)"
"""Colors by their names in style.css: a chart is drawn as SVG, so that it follows the page into the dark and onto paper."""
NARROW = "containerSize()[0] < 500"
"""Whether a chart stands on a phone, as Vega finds when it draws: names are cut there, and words that do not fit."""
AS_SVG = {"embedOptions": {"renderer": "svg"}}
PADDING = {"left": 16, "right": 16, "top": 16, "bottom": 16}
LINES = [ABOVE, BELOW, OVER, "var(--rk-caution)", "var(--rk-unknown)", "var(--rk-muted-ink)"]


def _limit(wide: int, narrow: int) -> alt.ExprRef:
    """How many pixels a text may take, on a screen and on a phone."""
    return alt.ExprRef(f"{NARROW} ? {narrow} : {wide}")


def dimension_label(dimension: str, row: dict[str, object]) -> str:
    """Return what a row of `hold_by` is about, in words."""
    if dimension == "paytable":
        return wager_with_paytable(str(row["wager"]), str(row["paytable"] or ""))
    if dimension == "wager":
        return wager_name(str(row["wager"]))
    if dimension in ("table", "dealer"):
        return table_name(str(row["table_id" if dimension == "table" else "dealer"]))
    return str(row[dimension]).replace("_", " ").capitalize()


def axis_range(values: Iterable[float | None]) -> tuple[float, float]:
    """Return where an axis from zero begins and ends so that one value far off does not flatten the others.

    Values beyond three times the third quartile of their sizes are cut off, and said in numbers beside their bar.

    >>> axis_range([2.0, 3.0, 4.0, -5.0]), axis_range([2.0, 3.0, 4.0, 3.0, -700.0])
    ((-5.0, 4.0), (-12.0, 4.0))
    """
    known = [value for value in values if value is not None]
    sizes = sorted(abs(value) for value in known if value)
    if not sizes:
        return 0.0, 1.0
    most = 3 * sizes[(3 * len(sizes) - 1) // 4]
    return max(min(0.0, *known), -most), min(max(0.0, *known), most)


def house_win_chart(frame: pl.DataFrame, dimension: str, labels: list[str]) -> alt.LayerChart:
    """Return house win % by the values of a dimension: a line over gaming days, else bars. `labels` name the rows.

    With the columns `theoretical_percent`, `low_95_percent` and `high_95_percent` theory is a line across each bar and luck's
    reach a band behind it; a win outside the band says so.
    """
    marks = ("theoretical_percent", "low_95_percent", "high_95_percent")
    frame = frame.with_columns(pl.lit(None, pl.Float64).alias(name) for name in marks if name not in frame.columns)
    win = pl.col("house_win_percent")
    shown = frame.with_columns(
        pl.Series("label", labels, dtype=pl.String),
        pl.Series("words", [_win_words(row) for row in frame.iter_rows(named=True)], dtype=pl.String),
        pl.Series("theory_words", [percent(value) for value in frame["theoretical_percent"]], dtype=pl.String),
        (pl.col("handle_cents") / 100).alias("handle"),
        (pl.col("house_win_cents") / 100).alias("house_win"),
    ).drop_nulls("house_win_percent")
    # Bands reach far where few wagers were made: the axis follows the wins, and cuts the bands.
    low, high = axis_range([*shown["house_win_percent"], *shown["theoretical_percent"]])
    reach = max(high - low, 1.0) * 0.15
    shown = shown.with_columns(
        win.clip(low, high).alias("drawn"),
        pl.col("theoretical_percent").clip(low, high),
        *(pl.col(name).clip(low - reach, high + reach) for name in marks[1:]),
    )
    if dimension == "gaming_day":
        shown = shown.with_columns(pl.col("gaming_day").cast(pl.String)).sort("gaming_day")
        return _by_day(
            shown.select("label", "words", "theory_words", "handle", "house_win", "drawn", *marks, "gaming_day")
        )
    return _as_bars(
        shown.select("label", "words", "theory_words", "handle", "house_win", "drawn", *marks),
        DIMENSIONS[dimension],
        (low - reach, high + reach),
    )


def _win_words(row: dict[str, Any]) -> str:
    """A house win % in words: what lies outside the band says so, without a color."""
    win, low, high = (row[name] for name in ("house_win_percent", "low_95_percent", "high_95_percent"))
    outside = "" if win is None or low is None or low <= win <= high else " ◐ outside 95 %"
    return f"{percent(win)}{outside}"


def _tips(name: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("label:N", title=name),
        alt.Tooltip("words:N", title="House win %"),
        alt.Tooltip("theory_words:N", title="Theory"),
        alt.Tooltip("handle:Q", title="Handle", format=",.2f"),
        alt.Tooltip("house_win:Q", title="House win", format=",.2f"),
    ]


def _by_day(shown: pl.DataFrame) -> alt.LayerChart:
    base = alt.Chart(shown).encode(
        x=alt.X("gaming_day:O", title="Gaming day", axis=alt.Axis(labelAngle=0, labelOverlap=True)),
        tooltip=_tips("Gaming day"),
    )
    y = alt.Y("drawn:Q", title="House win %", axis=alt.Axis(format=".1f"))
    band = base.mark_rule(color=BAND, strokeWidth=9).encode(y="low_95_percent:Q", y2="high_95_percent:Q")
    band = band.transform_filter("isValid(datum.low_95_percent)")
    theory = base.mark_tick(color=INK, thickness=2, width=18).encode(y="theoretical_percent:Q")
    theory = theory.transform_filter("isValid(datum.theoretical_percent)")
    line, points = (
        base.mark_line(color=ABOVE, strokeWidth=2).encode(y=y),
        base.mark_circle(color=ABOVE, size=70, opacity=1),
    )
    return _styled(_layers(band, theory, line, points.encode(y=y)), 260)


def _as_bars(shown: pl.DataFrame, name: str, ends: tuple[float, float]) -> alt.LayerChart:
    base = alt.Chart(shown).encode(
        y=alt.Y("label:N", title=None, sort=shown["label"].to_list(), axis=alt.Axis(labelLimit=_limit(260, 90))),
        tooltip=_tips(name),
    )
    axis, room = alt.Axis(format=".0f", tickCount=8), alt.Scale(zero=True, domain=list(ends), nice=False)
    bars = base.mark_bar(cornerRadius=2, height=16).encode(
        x=alt.X("drawn:Q", title="House win %", axis=axis, scale=room),
        color=alt.condition(alt.datum.drawn < 0, alt.value(BELOW), alt.value(ABOVE)),
    )
    band = base.mark_bar(color=BAND, height=26).encode(x=alt.X("low_95_percent:Q", scale=room), x2="high_95_percent:Q")
    band = band.transform_filter("isValid(datum.low_95_percent)")
    theory = base.mark_tick(color=INK, thickness=4, height=26, stroke=PAPER, strokeWidth=1.5).encode(
        x="theoretical_percent:Q"
    )
    theory = theory.transform_filter("isValid(datum.theoretical_percent)")
    words = base.mark_text(align="left", baseline="middle", dx=6, color=INK, fontSize=12, stroke=PAPER, strokeWidth=3)
    right = alt.X("right:Q", scale=room)
    ends_at = "max(datum.drawn, 0)"
    halo = words.transform_calculate(right=ends_at).encode(text="words:N", x=right)
    text = base.mark_text(align="left", baseline="middle", dx=6, color=INK, fontSize=12).transform_calculate(
        right=ends_at
    )
    # A layer without a mark is an image without a name to whoever hears the page.
    known = {"low_95_percent": band, "theoretical_percent": theory}
    of = {name: [layer] if shown[name].count() else [] for name, layer in known.items()}
    words_on_top = halo, text.encode(text="words:N", x=right)
    layers = (*of["low_95_percent"], bars, *of["theoretical_percent"], *words_on_top)
    return _styled(_layers(*layers), max(90, 34 * shown.height + 40))


def hold_bars_chart(frame: pl.DataFrame) -> alt.LayerChart:
    """Return hold % of each table as bars, of a frame with `table_id` and `hold_percent`; a value far off is cut and said."""
    counted = frame.drop_nulls("hold_percent")
    low, high = axis_range(counted["hold_percent"])
    tables = [table_name(table) for table in counted["table_id"]]
    shown = counted.select(
        pl.Series("table", tables, dtype=pl.String),
        pl.col("hold_percent").clip(low, high).alias("drawn"),
        pl.Series("words", [percent(value) for value in counted["hold_percent"]], dtype=pl.String),
    )
    base = alt.Chart(shown).encode(
        y=alt.Y("table:N", title=None, sort=tables),
        tooltip=[alt.Tooltip("table:N", title="Table"), alt.Tooltip("words:N", title="Hold %")],
    )
    room = alt.Scale(domain=[low, high + (high - low) * 0.1], zero=True)
    bars = base.mark_bar(cornerRadius=2, height=12).encode(
        x=alt.X("drawn:Q", title="Hold %", axis=alt.Axis(format=".0f"), scale=room),
        color=alt.condition(alt.datum.drawn < 0, alt.value(BELOW), alt.value(ABOVE)),
    )
    text = base.mark_text(align="left", dx=6, color=INK, fontSize=11).transform_calculate(right="max(datum.drawn, 0)")
    return _styled(
        _layers(bars, text.encode(x=alt.X("right:Q", scale=room), text="words:N")), max(110, 20 * shown.height + 50)
    )


FLAGS = {
    "alarm": "◆ Needs review",
    "outside_997": "● Outside 99.7 %",
    "outside_95": "◐ Outside 95 %",
    "above": "▲ Above best play",
    "within": "✔ Within chance",
}
"""Verdict against theory → its words beside a bar; each has a shape of its own."""


def against_theory_chart(frame: pl.DataFrame, names: list[str]) -> alt.LayerChart:
    """Return how far each win is from theory in standard deviations (z), beside where 95 % and 99.7 % lie; `names` are the rows'.

    The bands are those of `win_against_theory`, uneven where payouts are. What lies far out is cut off and said in numbers.
    """
    wide = (pl.col("house_win_cents") - pl.col("theoretical_win_cents")) / pl.col("z")
    shown = frame.with_columns(
        pl.Series("name", names, dtype=pl.String),
        *(
            ((pl.col(f"{end}_cents") - pl.col("theoretical_win_cents")) / wide).fill_nan(None).alias(end)
            for end in ("low_95", "high_95", "low_997", "high_997")
        ),
    )
    low, high = axis_range([*shown["z"], -4.0, 4.0, -4.0, 4.0])
    shown = shown.with_columns(
        pl.col("z").clip(low, high).alias("drawn"),
        pl.Series("words", [f"{FLAGS.get(r['verdict'], '')} {points(r['z'])} sd" for r in frame.iter_rows(named=True)]),
        *(pl.col(end).clip(low, high) for end in ("low_95", "high_95", "low_997", "high_997")),
    ).select("name", "z", "drawn", "words", "low_95", "high_95", "low_997", "high_997")
    room = alt.Scale(domain=[low - 0.5, high + (high - low) * 0.28], nice=False)
    base = alt.Chart(shown).encode(
        y=alt.Y("name:N", title=None, sort=names, axis=alt.Axis(labelLimit=_limit(300, 110))),
        tooltip=[
            alt.Tooltip("name:N", title="Wager"),
            alt.Tooltip("words:N", title="Verdict"),
            alt.Tooltip("low_95:Q", title="95 % from", format="+.1f"),
            alt.Tooltip("high_95:Q", title="to", format="+.1f"),
        ],
    )
    far = base.mark_rule(color=GRID, strokeWidth=16).encode(
        x=alt.X("low_997:Q", title="Standard deviations from theory", scale=room), x2="high_997:Q"
    )
    near = base.mark_rule(color=NEAR, strokeWidth=10).encode(x=alt.X("low_95:Q", scale=room), x2="high_95:Q")
    middle = alt.Chart(pl.DataFrame({"x": [0.0]})).mark_rule(color=INK, strokeDash=[4, 3]).encode(x="x:Q")
    dots = base.mark_point(filled=True, size=90, opacity=1, color=ABOVE).encode(x=alt.X("drawn:Q", scale=room))
    right = base.mark_text(align="left", dx=10, color=INK, fontSize=12, limit=_limit(400, 40)).transform_calculate(
        at="max(datum.drawn, datum.high_95)"
    )
    return _styled(
        _layers(far, near, middle, dots, right.encode(x=alt.X("at:Q", scale=room), text="words:N")),
        max(110, 26 * shown.height + 60),
    )


def hold_chart(frame: pl.DataFrame) -> alt.LayerChart:
    """Return hold % of each table over gaming days; a day without every count has no point."""
    counted = frame.drop_nulls("hold_percent").sort("gaming_day", "table_id")
    shown = counted.select(
        pl.Series("day", [short_day(day) for day in counted["gaming_day"]], dtype=pl.String),
        pl.Series("table", [table_name(table) for table in counted["table_id"]], dtype=pl.String),
        pl.col("hold_percent").clip(*axis_range(counted["hold_percent"])),
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
    shown = shown.with_columns(pl.col("off").clip(*axis_range(shown["off"])).alias("drawn"))
    base = alt.Chart(shown).encode(
        x=alt.X("volume:Q", title="Wagered", axis=alt.Axis(format="~s"), scale=alt.Scale(zero=False, nice=True)),
        tooltip=[
            alt.Tooltip("name:N", title="Who"),
            alt.Tooltip("off:Q", title="Points from the floor's own", format="+.2f"),
            alt.Tooltip("volume:Q", title="Wagered", format=",.0f"),
            alt.Tooltip("place:N", title="Place"),
        ],
    )
    wide = base.mark_rule(color=NEAR, strokeWidth=3).encode(
        y=alt.Y("low_997:Q", title="Points of house win from the floor's own"), y2="high_997:Q"
    )
    narrow = base.mark_rule(color=INTERVAL, strokeWidth=7).encode(y="low_95:Q", y2="high_95:Q")
    points = base.mark_point(filled=True, size=130, opacity=1, stroke=PAPER, strokeWidth=1).encode(
        y="drawn:Q",
        color=alt.Color(
            "place:N",
            title="Place",
            scale=alt.Scale(domain=list(PLACES.values()), range=[ABOVE, AMBER, BELOW, OVER, "var(--rk-over-far)"]),
        ),
        shape=alt.Shape(
            "place:N",
            title="Place",
            scale=alt.Scale(
                domain=list(PLACES.values()), range=["circle", "triangle-down", "diamond", "triangle-up", "square"]
            ),
        ),
    )
    words = base.mark_text(align="left", dx=9, fontSize=11, color=INK).encode(y="drawn:Q", text="name:N")
    words = words.transform_filter("datum.place != 'Within chance'")
    zero = alt.Chart(pl.DataFrame({"y": [0.0]})).mark_rule(color=SOFT, strokeDash=[4, 3]).encode(y="y:Q")
    return _styled(_layers(zero, wide, narrow, points, words), 320)


def drift_chart(frame: pl.DataFrame, days: list[str]) -> alt.LayerChart:
    """Return day by day how far the house win is from theory (z), with the weighted mean and its limits."""
    shown = frame.select(pl.Series("day", days, dtype=pl.String), "z", "ewma", "ewma_low", "ewma_high")
    shown = shown.with_columns(pl.col("z").clip(*axis_range(shown["z"])).alias("drawn"))
    base = alt.Chart(shown).encode(
        x=alt.X("day:O", title="Gaming day", sort=None, axis=alt.Axis(labelAngle=0, labelOverlap=True))
    )
    band = base.mark_area(color="var(--rk-drift)").encode(
        y=alt.Y("ewma_low:Q", title="Standard deviations from theory"), y2="ewma_high:Q"
    )
    points = base.mark_point(color=SOFT, size=40).encode(
        y="drawn:Q",
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
    most = axis_range([0.0, *shown["high"]])[1]
    shown = shown.with_columns(pl.col(end).clip(0.0, most).alias(f"drawn_{end}") for end in ("rate", "low", "high"))
    base = alt.Chart(shown).encode(
        y=alt.Y("name:N", title=None, sort=None, axis=alt.Axis(labelLimit=_limit(260, 90))),
        tooltip=[
            alt.Tooltip("name:N", title="Who"),
            alt.Tooltip("rate:Q", title=unit, format=".2f"),
            alt.Tooltip("low:Q", title="95 % from", format=".2f"),
            alt.Tooltip("high:Q", title="to", format=".2f"),
        ],
    )
    interval = base.mark_rule(color=INTERVAL, strokeWidth=5).encode(
        x=alt.X("drawn_low:Q", title=unit, scale=alt.Scale(zero=True)), x2="drawn_high:Q"
    )
    points = base.mark_point(filled=True, size=120, opacity=1).encode(
        x="drawn_rate:Q",
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
    bars = base.mark_bar(color="var(--rk-count)", cornerRadius=2).encode(
        y=alt.Y("observed:Q", title="Times", scale=alt.Scale(zero=True))
    )
    ticks = base.mark_tick(color=INK, thickness=4, bandSize=26, stroke=PAPER, strokeWidth=1.5).encode(y="expected:Q")
    return _styled(_layers(bars, ticks), 260)


def _layers(*charts: alt.Chart) -> alt.LayerChart:
    return alt.LayerChart(layer=list(charts))


def _styled(chart: alt.LayerChart, height: int) -> alt.LayerChart:
    styled: alt.LayerChart = (
        chart.properties(height=height, width="container", background=PAPER, padding=PADDING, usermeta=AS_SVG)
        .configure_view(stroke=None)
        .configure_axis(
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            labelColor=INK,
            titleColor=SOFT,
            titleFontWeight=500,
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelFontSize=12, titleFontSize=12, titleColor=SOFT, labelColor=INK)
    )
    return styled
