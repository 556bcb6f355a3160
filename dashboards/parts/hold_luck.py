"""Whether luck explains what was won: against theory, side by side, and day by day."""

from __future__ import annotations

import polars as pl
import streamlit as st

from analytics.hold import against_theory, control
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.charts import drift_chart, funnel_chart
from dashboards.drawing.names import Formats, day_name, percent, short_day
from dashboards.parts import analysis, source
from replay.narrative.names import game_name, table_name, wager_with_paytable

LUCK = {
    "Verdict": "short",
    "Wager": "text",
    "Wagers": "number",
    "House win": "number",
    "Theory": "number",
    "95 % range": "short",
    "Explanation": "text",
}
FUNNELS = {"dealer": "Dealers", "table": "Tables", "shift": "Shifts", "hour": "Hours"}


def luck(of: Selection, formats: Formats) -> None:
    """Show the house win of each wager against what theory expects of it, and who lies how far from the floor's own."""
    found = source.reckon(against_theory.win_against_theory, "game", of)
    source.show(
        markup.section(
            "Actual vs. theoretical",
            "Exact return and variance of each paytable; shared dealer's hands and the number of rows are allowed for.",
        )
    )
    if found.is_empty():
        source.show(markup.empty("No wagers", "Nothing was staked in this part of the floor. Choose another above."))
        return
    rows, marked = [], []
    for i, r in enumerate(found.iter_rows(named=True)):
        if r["alarm"]:
            marked.append(i)
        band = (
            "–"
            if r["low_95_cents"] is None
            else f"{formats.money(r['low_95_cents'])} to {formats.money(r['high_95_cents'])}"
        )
        to = markup.link(
            "hold",
            wager_with_paytable(r["wager"], r["paytable"]),
            view="behind",
            game=r["game"],
            wager=r["wager"],
            paytable=r["paytable"] or None,
            table=of.table,
            dealer=of.dealer,
        )
        rows.append(
            [
                analysis.badge(r["verdict"]),
                markup.two_lines(to, game_name(r["game"])),
                f"{r['bets']:,}",
                markup.two_lines(formats.money(r["house_win_cents"]), percent(r["house_win_percent"])),
                markup.two_lines(formats.money(r["theoretical_win_cents"]), percent(r["theoretical_percent"])),
                band,
                r["sentence"],
            ]
        )
    source.show(markup.table(LUCK, rows, "Actual vs. theoretical by wager", marked=marked))
    funnel(of)


def funnel(of: Selection) -> None:
    """Show dealers (or tables, …) beside each other, each against what the floor won of the same wagers."""
    source.show(
        markup.section(
            "Comparison with the floor",
            "Distance from what the floor won of the same base wagers. Bars: where 95 % and 99.7 % would lie by luck.",
        )
    )
    with st.container(width=280):
        offered = [name for name in FUNNELS if name != "dealer" or access.may(access.NAMES)]
        by = source.choose("Compare", "of", offered[1:], lambda name: FUNNELS[name], FUNNELS[offered[0]]) or offered[0]
    found = source.reckon(control.funnel, by, of)
    if found.is_empty():
        source.show(
            markup.empty(
                "Nothing to compare", "No base wager with a known theory was settled in this part of the floor."
            )
        )
        return
    column = {"table": "table_id"}.get(by, by)
    names = [f"{table_name(str(r[column]))}, {game_name(r['game'])}" for r in found.iter_rows(named=True)]
    widened = found["dispersion"].max()
    st.altair_chart(
        funnel_chart(found, names), theme=None, alt=f"{FUNNELS[by]} against the floor's own house win, by volume"
    )
    if isinstance(widened, float) and widened > 1:
        source.show(
            f'<p class="rk-note">The points vary {widened:.1f} times as much as by luck alone; the limits are widened for it.</p>'
        )


# ---------------------------------------------------------------------------------------------------------------- time


def time(of: Selection, formats: Formats) -> None:
    """Show day by day how far the house win is from theory, in two charts that see a small lasting change."""
    found = source.reckon(control.over_time, "gaming_day", of)
    if found.height < 2:
        source.show(
            markup.empty(
                "Too few days", "A change over time needs two gaming days at least. Choose a wider part of the floor."
            )
        )
        return
    source.show(
        markup.section("Day by day", "Grey: the weighted mean stays in it by luck alone. Points: each day by itself.")
    )
    st.altair_chart(
        drift_chart(found, [short_day(day) for day in found["gaming_day"]]),
        theme=None,
        alt="House win against theory by gaming day, in standard deviations",
    )
    signals = found.filter((pl.col("cusum_signal") != "") | (pl.col("ewma_signal") != ""))
    if signals.is_empty():
        source.show(markup.empty("No sustained change", "Neither chart (CUSUM, EWMA) left its limits."))
        return
    columns = {
        "Verdict": "short",
        "Gaming day": "short",
        "CUSUM": "text",
        "Weighted mean": "text",
        "House win": "number",
        "Theory": "number",
    }
    rows = [
        [
            analysis.badge("alarm" if "low" in (r["cusum_signal"], r["ewma_signal"]) else "above"),
            day_name(r["gaming_day"]),
            _signal(r["cusum_signal"], max(r["cusum_low"], r["cusum_high"]), 5.0),
            _signal(r["ewma_signal"], r["ewma"], r["ewma_high"]),
            formats.money(r["house_win_cents"]),
            formats.money(r["expected_cents"]),
        ]
        for r in signals.iter_rows(named=True)
    ]
    source.show(markup.table(columns, rows, "Days outside control limits"))
    source.show(
        '<p class="rk-note">Above theory is no alarm: where patrons decide, they may have played worse than they could.</p>'
    )


def _signal(word: str, value: float, limit: float) -> str:
    return f"{word}: {value:+.2f}, limit {limit:.2f}" if word else "within"
