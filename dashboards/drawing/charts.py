"""Charts of hold, house win, errors and devices: plain functions from a frame to markup.

Invariant: a chart shows one figure with its own name; bars start at zero; negative values differ by direction and sign as well as
by color; None is not drawn.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any

import polars as pl

from dashboards.drawing import plots
from dashboards.drawing.markup import Html, href
from dashboards.drawing.names import percent, points, short_day
from dashboards.drawing.plots import Lane, Scale
from replay.narrative.names import table_name, wager_name, wager_with_paytable

ABOVE, BELOW, OVER, AMBER = "var(--rk-accent)", "var(--rk-alert)", "var(--rk-over)", "var(--rk-amber)"
INK, SOFT, GRID = "var(--rk-ink)", "var(--rk-soft)", "var(--rk-grid)"
BAND, NEAR, INTERVAL = "var(--rk-band)", "var(--rk-band-near)", "var(--rk-interval)"
"""Colors by their names in style.css: a chart follows the page into the dark and onto paper."""
LINES = [ABOVE, BELOW, OVER, "var(--rk-caution)", "var(--rk-unknown)", "var(--rk-muted-ink)"]


def dimension_label(dimension: str, row: dict[str, object]) -> str:
    """Return the subject of a row of `hold_by`, in words."""
    if dimension == "paytable":
        return wager_with_paytable(str(row["wager"]), str(row["paytable"] or ""))
    if dimension == "wager":
        return wager_name(str(row["wager"]))
    if dimension in ("table", "dealer"):
        return table_name(str(row["table_id" if dimension == "table" else "dealer"]))
    return str(row[dimension]).replace("_", " ").capitalize()


def axis_range(values: Iterable[float | None]) -> tuple[float, float]:
    """Return the ends of an axis through zero, so that one extreme value does not flatten the others.

    Values beyond three times the third quartile of their sizes are cut off and written as numbers next to their bar or point.

    >>> axis_range([2.0, 3.0, 4.0, -5.0]), axis_range([2.0, 3.0, 4.0, 3.0, -700.0])
    ((-5.0, 4.0), (-12.0, 4.0))
    """
    known = [value for value in values if value is not None]
    sizes = sorted(abs(value) for value in known if value)
    if not sizes:
        return 0.0, 1.0
    most = 3 * sizes[(3 * len(sizes) - 1) // 4]
    return max(min(0.0, *known), -most), min(max(0.0, *known), most)


def cut_words(value: float, low: float, high: float, words: str) -> str:
    """Return the text next to a value that an axis cuts off, with its direction and size; empty for other values.

    >>> cut_words(-1741.9, -96.6, 32.2, "−1,741.9 %"), cut_words(700.0, 0.0, 12.0, "700.0 %"), cut_words(5.0, 0.0, 12.0, "5.0 %")
    ('↓ −1,741.9 %', '↑ 700.0 %', '')
    """
    return "" if low <= value <= high else f"{'↓' if value < low else '↑'} {words}"


def _beside(x: float, y: float, words: str) -> str:
    return plots.point_words(x, y, words) if words else ""


def house_win_chart(frame: pl.DataFrame, dimension: str, labels: list[str], alt: str) -> Html:
    """Return a chart of house win % by the values of a dimension: a line over gaming days, else bars. `labels` name the rows.

    With the columns `theoretical_percent`, `low_95_percent` and `high_95_percent`, each bar has theory as a line across it and
    the range of luck as a band behind it; a win outside the band is labeled.
    """
    marks = ("theoretical_percent", "low_95_percent", "high_95_percent")
    frame = frame.with_columns(pl.lit(None, pl.Float64).alias(name) for name in marks if name not in frame.columns)
    shown = frame.with_columns(pl.Series("label", labels, dtype=pl.String)).drop_nulls("house_win_percent")
    # Bands reach far if few wagers were made: the axis follows the wins, and cuts the bands.
    low, high = axis_range([*shown["house_win_percent"], *shown["theoretical_percent"]])
    reach = max(high - low, 1.0) * 0.15
    shown = shown.with_columns(
        pl.col("house_win_percent").clip(low, high).alias("drawn"),
        pl.col("theoretical_percent").clip(low, high).alias("drawn_theory"),
        *(pl.col(name).clip(low - reach, high + reach).alias(f"drawn_{name[:-11]}") for name in marks[1:]),
    )
    if dimension == "gaming_day":
        return _by_day(list(shown.sort("gaming_day").iter_rows(named=True)), (low, high), alt)
    return _as_bars(list(shown.iter_rows(named=True)), Scale(low - reach, high + reach), alt)


def _win_words(row: dict[str, Any]) -> str:
    """Return a house win % in words, which say without color if it is outside the band."""
    win, low, high = (row[name] for name in ("house_win_percent", "low_95_percent", "high_95_percent"))
    outside = "" if win is None or low is None or low <= win <= high else " ◐ outside 95 %"
    return f"{percent(win)}{outside}"


def _win_tip(row: dict[str, Any]) -> str:
    lines = [
        row["label"],
        f"House win %: {_win_words(row)}",
        f"Theory: {percent(row['theoretical_percent'])}",
        f"Handle: {row['handle_cents'] / 100:,.2f}",
        f"House win: {row['house_win_cents'] / 100:,.2f}",
    ]
    return "\n".join(lines)


def _by_day(rows: list[dict[str, Any]], ends_at: tuple[float, float], alt: str) -> Html:
    ends = ("drawn", "drawn_theory", "drawn_low", "drawn_high")
    scale = plots.scale_of(row[name] for row in rows for name in ends).widened(plots.PLANE_TICKS)
    marks, win = [], []
    for x, row in zip(_places(len(rows)), rows, strict=True):
        if row["drawn_low"] is not None and row["drawn_high"] is not None:
            marks.append(plots.post(x, scale.share(row["drawn_low"]), scale.share(row["drawn_high"]), BAND, 9))
        if row["drawn_theory"] is not None:
            marks.append(plots.level(x, min(0.02, 0.5 / len(rows)), scale.share(row["drawn_theory"]), INK))
        win.append((x, scale.share(row["drawn"])))
    marks.append(plots.path(win, ABOVE))
    for at, row in zip(win, rows, strict=True):
        value = row["house_win_percent"]
        marks += [plots.point(*at, ABOVE, "circle", _win_tip(row)), _beside(*at, cut_words(value, *ends_at, percent(value)))]
    labels = [(x, short_day(row["gaming_day"])) for (x, _), row in zip(win, rows, strict=True)]
    titles = "Gaming day", "House win %"
    return plots.plane("".join(marks), labels, scale, alt=alt, titles=titles, height=220)


def _places(count: int) -> list[float]:
    """Return the positions of this many values side by side, as shares: each in the middle of its part."""
    return [(place + 0.5) / count for place in range(count)]


def _as_bars(rows: list[dict[str, Any]], scale: Scale, alt: str) -> Html:
    lanes = []
    for row in rows:
        drawn, low, high, theory = (row[name] for name in ("drawn", "drawn_low", "drawn_high", "drawn_theory"))
        marks = [] if low is None or high is None else [plots.bar(scale.share(low), scale.share(high), BAND, 26)]
        marks.append(_signed_bar(drawn, scale, 16))
        marks += [] if theory is None else [plots.line_across(scale.share(theory), INK, 26)]
        marks.append(plots.lane_words(scale.share(max(drawn, 0.0)), _win_words(row)))
        lanes.append(Lane(row["label"], _win_tip(row), "".join(marks)))
    return plots.lanes(lanes, scale, alt=alt, title="House win %", height=34)


def _signed_bar(value: float, scale: Scale, thickness: int) -> str:
    return plots.bar(scale.share(0.0), scale.share(value), BELOW if value < 0 else ABOVE, thickness)


def hold_bars_chart(frame: pl.DataFrame, alt: str, first: date | None = None, last: date | None = None) -> Html:
    """Return a table's hold % a bar; extremes are cut and labeled, and each name leads to the parts of the table's win."""
    counted = frame.drop_nulls("hold_percent")
    low, high = axis_range(counted["hold_percent"])
    scale = Scale(low, high + (high - low) * 0.1)
    lanes = []
    for table, value in zip(counted["table_id"], counted["hold_percent"], strict=True):
        drawn, words = min(max(value, low), high), percent(value)
        marks = _signed_bar(drawn, scale, 12) + plots.lane_words(scale.share(max(drawn, 0.0)), words)
        why = href("hold", view="day", table=table, **{"from": first, "to": last})
        lanes.append(Lane(table_name(table), f"{table_name(table)}\nHold %: {words}", marks, why))
    return plots.lanes(lanes, scale, alt=alt, title="Hold %", height=20)


FLAGS = {
    "alarm": "◆ Needs review",
    "outside_997": "● Outside 99.7 %",
    "outside_95": "◐ Outside 95 %",
    "above": "▲ Above best play",
    "within": "✔ Within chance",
}
"""Verdict against theory → its words next to a bar; each has a shape of its own."""


def against_theory_chart(frame: pl.DataFrame, names: list[str], alt: str) -> Html:
    """Return a chart of each win's distance from theory in standard deviations (z).

    It has the bounds of 95 % and 99.7 %; `names` are the rows'.

    The bands are those of `win_against_theory`, uneven for uneven payouts. Extreme values are cut off and labeled.
    """
    wide = (pl.col("house_win_cents") - pl.col("theoretical_win_cents")) / pl.col("z")
    ends = ("low_95", "high_95", "low_997", "high_997")
    shown = frame.with_columns(
        ((pl.col(f"{end}_cents") - pl.col("theoretical_win_cents")) / wide).fill_nan(None).alias(end) for end in ends
    )
    low, high = axis_range([*shown["z"], -4.0, 4.0, -4.0, 4.0])
    shown = shown.with_columns(pl.col(name).clip(low, high).alias(f"drawn_{name}") for name in ("z", *ends))
    scale = Scale(low - 0.5, high + (high - low) * 0.28)
    lanes = []
    for name, row in zip(names, shown.iter_rows(named=True), strict=True):
        words = f"{FLAGS.get(row['verdict'], '')} {points(row['z'])} sd"
        marks, right = [], [row["drawn_z"]]
        for limit, color, thickness in (("997", GRID, 16), ("95", NEAR, 10)):
            reach = row[f"drawn_low_{limit}"], row[f"drawn_high_{limit}"]
            if None not in reach:
                marks.append(plots.bar(scale.share(reach[0]), scale.share(reach[1]), color, thickness))
                right.append(reach[1])
        if row["drawn_z"] is not None:
            marks.append(plots.lane_point(scale.share(row["drawn_z"]), ABOVE))
            marks.append(plots.lane_words(scale.share(max(right)), words))
        band = "" if row["low_95"] is None else f"\n95 %: {row['low_95']:+.1f} to {row['high_95']:+.1f}"
        lanes.append(Lane(name, f"{name}\n{words}{band}", "".join(marks)))
    title = "Standard deviations from theory"
    zero = plots.upright_across(scale.share(0.0))
    return plots.lanes(lanes, scale, alt=alt, title=title, height=26, across=zero)


def hold_chart(frame: pl.DataFrame, alt: str) -> Html:
    """Return hold % of each table over gaming days, each point a link to its day; days without a count have no point."""
    counted = frame.drop_nulls("hold_percent").sort("gaming_day", "table_id")
    low, high = axis_range(counted["hold_percent"])
    days = list(dict.fromkeys(counted["gaming_day"]))
    place_of = dict(zip(days, _places(len(days)), strict=True))
    scale = Scale(low, high).widened(plots.PLANE_TICKS)
    lines, dots, key = [], [], []
    for i, table in enumerate(sorted(set(counted["table_id"]))):
        color, shape, name = LINES[i % len(LINES)], plots.SHAPES[i % len(plots.SHAPES)], table_name(table)
        rows = counted.filter(pl.col("table_id") == table)
        line = []
        for day, value in zip(rows["gaming_day"], rows["hold_percent"], strict=True):
            at = place_of[day], scale.share(min(max(value, low), high))
            line.append(at)
            tip = f"{name}\n{short_day(day)}\nHold %: {percent(value)}"
            why = href("hold", view="day", table=table, **{"from": day, "to": day})
            dots.append(plots.point(*at, color, shape, tip, why))
            dots.append(_beside(*at, cut_words(value, low, high, percent(value))))
        lines.append(plots.path(line, color))
        key.append(plots.entry(name, color, shape))
    return plots.plane(
        "".join([*lines, *dots]),
        [(place_of[day], short_day(day)) for day in days],
        scale,
        alt=alt,
        titles=("Gaming day", "Hold %"),
        height=220,
        key="".join(key),
    )


PLACES = {
    "within": "Within chance",
    "below_95": "Below, outside 95 %",
    "below_997": "Below, outside 99.7 %",
    "above_95": "Above, outside 95 %",
    "above_997": "Above, outside 99.7 %",
}
"""The place of a funnel's point in words, each with its own color and shape."""
PLACE_MARKS = {
    "within": (ABOVE, "circle"),
    "below_95": (AMBER, "down"),
    "below_997": (BELOW, "diamond"),
    "above_95": (OVER, "up"),
    "above_997": ("var(--rk-over-far)", "square"),
}


def funnel_chart(frame: pl.DataFrame, names: list[str], alt: str) -> Html:
    """Return a chart of each win's distance from the floor's own, by volume, with narrowing limits; `names` are the rows'."""
    ends = [(end, limit) for limit in ("997", "95") for end in ("low", "high")]
    shown = frame.select(
        pl.Series("name", names, dtype=pl.String),
        (pl.col("unit_cents") / 100).alias("volume"),
        (pl.col("win_percent") - pl.col("middle_percent")).alias("off"),
        *((pl.col(f"{end}_{limit}_percent") - pl.col("middle_percent")).alias(f"{end}_{limit}") for end, limit in ends),
        pl.when(pl.col("place").is_in(list(PLACES))).then("place").otherwise(pl.lit("within")).alias("place"),
    ).sort("volume")
    low, high = axis_range(shown["off"])
    rows = list(shown.with_columns(pl.col("off").clip(low, high).alias("drawn")).iter_rows(named=True))
    scale = plots.scale_of(row[name] for row in rows for name in ("drawn", "low_997", "high_997"))
    scale = scale.widened(plots.PLANE_TICKS)
    volumes = [row["volume"] for row in rows]
    margin = (max(volumes) - min(volumes)) * 0.05 or 1.0
    along = Scale(max(0.0, min(volumes) - margin), max(volumes) + margin)
    limits, dots = [plots.level_across(scale.share(0.0))], []
    for row in rows:
        x = along.share(row["volume"])
        for limit, color, thickness in (("997", NEAR, 3), ("95", INTERVAL, 7)):
            if row[f"low_{limit}"] is not None:
                reach = scale.share(row[f"low_{limit}"]), scale.share(row[f"high_{limit}"])
                limits.append(plots.post(x, *reach, color, thickness))
        if row["off"] is None:
            continue
        color, shape = PLACE_MARKS[row["place"]]
        tip = (
            f"{row['name']}\nPercentage points from the floor: {row['off']:+.2f}\nWagered: {row['volume']:,.0f}\n"
            f"{PLACES[row['place']]}"
        )
        dots.append(plots.point(x, scale.share(row["drawn"]), color, shape, tip))
        words = [row["name"]] if row["place"] != "within" else []
        words += [cut] if (cut := cut_words(row["off"], low, high, f"{points(row['off'])} points")) else []
        dots.append(_beside(x, scale.share(row["drawn"]), " ".join(words)))
    return plots.plane(
        "".join([*limits, *dots]),
        [(along.share(tick), plots.number(tick)) for tick in along.ticks(plots.LANE_TICKS)],
        scale,
        alt=alt,
        titles=("Wagered", "Percentage points above or below the floor's house win %"),
        height=280,
        key="".join(plots.entry(words, *PLACE_MARKS[place]) for place, words in PLACES.items()),
    )


def drift_chart(frame: pl.DataFrame, days: list[str], alt: str) -> Html:
    """Return a chart of the daily distance of house win from theory (z), with the weighted mean and its limits."""
    low, high = axis_range(frame["z"])
    rows = list(frame.with_columns(pl.col("z").clip(low, high).alias("drawn")).iter_rows(named=True))
    ends = ("drawn", "ewma", "ewma_low", "ewma_high")
    scale = plots.scale_of(row[name] for row in rows for name in ends).widened(plots.PLANE_TICKS)
    places = _places(len(rows))

    def line(name: str) -> list[tuple[float, float]]:
        return [(x, scale.share(row[name])) for x, row in zip(places, rows, strict=True) if row[name] is not None]

    dots = [
        plots.point(
            x,
            scale.share(row["drawn"]),
            SOFT,
            "ring",
            f"{day}\nThe day alone: {row['z']:+.2f}\nWeighted mean: {row['ewma']:+.2f}",
        )
        for x, day, row in zip(places, days, rows, strict=True)
        if row["drawn"] is not None
    ]
    dots += [
        _beside(x, scale.share(row["drawn"]), cut_words(row["z"], low, high, f"{points(row['z'])} sd"))
        for x, row in zip(places, rows, strict=True)
        if row["drawn"] is not None
    ]
    marks = [plots.area(line("ewma_low"), line("ewma_high"), "var(--rk-drift)"), *dots, plots.path(line("ewma"), ABOVE)]
    titles = "Gaming day", "Standard deviations from theory"
    labels = list(zip(places, days, strict=True))
    return plots.plane("".join(marks), labels, scale, alt=alt, titles=titles, height=200)


RATE_MARKS = {False: ("Within chance", ABOVE, "circle"), True: ("Needs review", BELOW, "diamond")}


def rates_chart(frame: pl.DataFrame, names: list[str], unit: str, alt: str) -> Html:
    """Return a chart of each row's rate with its 95 % interval; `names` are the rows', columns `rate`, `low`, `high`, `look`."""
    most = axis_range([0.0, *frame["high"]])[1]
    scale = Scale(0.0, most).widened(plots.LANE_TICKS)
    lanes = []
    for name, row in zip(names, frame.iter_rows(named=True), strict=True):
        place, color, shape = RATE_MARKS[row["look"]]
        marks, tip = [], f"{name}\n{place}"
        if row["low"] is not None and row["high"] is not None:
            low, high = (scale.share(min(row[end], most)) for end in ("low", "high"))
            marks.append(plots.bar(low, high, INTERVAL, 5))
            if row["high"] > most and (row["rate"] or 0.0) <= most:
                marks.append(plots.lane_words(high, f"→ {row['high']:,.1f}"))
        if row["rate"] is not None:
            marks.append(plots.lane_point(scale.share(min(row["rate"], most)), color, shape))
            tip += f"\n{unit}: {row['rate']:.2f}"
            if row["rate"] > most:
                marks.append(plots.lane_words(scale.share(most), f"→ {row['rate']:,.1f}"))
        if marks and row["low"] is not None:
            tip += f"\n95 %: {row['low']:.2f} to {row['high']:.2f}"
        lanes.append(Lane(name, tip, "".join(marks)))
    key = "".join(plots.entry(*mark) for mark in RATE_MARKS.values())
    return plots.lanes(lanes, scale, alt=alt, title=unit, height=28, key=key)


def counts_chart(frame: pl.DataFrame, alt: str) -> Html:
    """Return a chart of observed counts (bars) and expected counts (lines); columns `value`, `observed`, `expected`."""
    scale = plots.scale_of([*frame["observed"], *frame["expected"]]).widened(plots.PLANE_TICKS)
    places, width = _places(frame.height), 0.9 / frame.height
    bars, expected = [], []
    for x, row in zip(places, frame.iter_rows(named=True), strict=True):
        tip = f"{row['value']}\nCame: {row['observed']:,}\nShould come: {row['expected']:,.1f}"
        bars.append(plots.column(x, width, 0.0, scale.share(row["observed"]), "var(--rk-count)", tip))
        expected.append(plots.level(x, width, scale.share(row["expected"]), INK))
    labels = [(x, str(value)) for x, value in zip(places, frame["value"], strict=True)]
    return plots.plane("".join([*bars, *expected]), labels, scale, alt=alt, titles=("Result", "Times"), height=210)
