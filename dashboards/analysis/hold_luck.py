"""Whether luck explains the win: against theory, side by side, and day by day."""

from typing import Any, Final

import polars as pl
import streamlit as st

from analytics.hold import against_theory, control_charts, theoretical
from analytics.questions import DIMENSIONS, questions
from analytics.warehouse.selection import Selection
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, group_by, offered
from dashboards.analysis.verdicts import FOLDED, badge, flagged_first, flagged_table, odds
from dashboards.drawing import markup
from dashboards.drawing.charts import against_theory_chart, drift_chart, funnel_chart
from dashboards.drawing.names import Formats, day_name, percent, points, short_day
from dashboards.parts import source
from replay.narrative.names import capitalized, game_name, plural, table_name, wager_name, wager_with_paytable

HOLD: Final = questions("hold")
DRAWN = 30
ROWS = 400


def show_luck(part: FloorPart, formats: Formats) -> None:
    """Show each wager's house win against its theory, and the rows far from the floor's own."""
    of, figures = part.selection, Figures(part.selection)
    theory = HOLD["theory"]
    by = group_by(theory, part.bar)
    found = figures.answer(theory, by, of)
    if found.is_empty():
        source.empty("No wagers", "No settled wager of this part of the floor is on record. Choose another above.")
        return
    show_sums(figures, of, formats)
    found = flagged_first(found)
    told = found.filter(~pl.col("verdict").is_in(FOLDED))
    several = found["game"].n_unique() > 1
    names = [_name(by, row, several=several) for row in told.iter_rows(named=True)]
    source.section(
        f"{theory.heading} by wager",
        "Exact return and variance of each paytable. A wager without a decision needs review on both sides of its band; "
        "where patrons decide, play below the best is the first explanation of a win above the band.",
    )
    if told.height:
        alt = "House win of each wager less theory, in standard deviations of luck"
        source.show(against_theory_chart(told.head(DRAWN), names[:DRAWN], alt))
        marked = [i for i, alarm in enumerate(told["alarm"]) if alarm]
        rows = [_row(by, r, of, formats) for r in told.head(ROWS).iter_rows(named=True)]
        source.table(theory.columns_on_page(), rows, f"{theory.heading} by wager", marked=marked, sortable=True)
    folded = found.filter(pl.col("verdict").is_in(FOLDED))
    if folded.height:

        def inconclusive() -> None:
            rows = [_row(by, r, of, formats) for r in folded.head(ROWS).iter_rows(named=True)]
            source.table(theory.columns_on_page(), rows, "Inconclusive rows", sortable=True)

        label = f"{plural(folded.height, 'inconclusive row')}: too few rounds to tell, or no theory"
        source.on_opening(label, inconclusive)
    source.note(
        f"Corrected for {plural(found['p'].count(), 'row')} (Holm 1979): on an honest floor one report in "
        f"{1 / against_theory.ALARM_LEVEL:.0f} has any alarm."
    )
    if part.before is not None and by in HOLD["win-change"].breakdowns():
        show_changes(figures, by, of)
    show_funnel(figures, of)
    figures.offer()


def show_changes(figures: Figures, by: str, of: Selection) -> None:
    """Show each wager's house win next to the period before, and whether luck explains the change."""
    change = HOLD["win-change"]
    found = flagged_first(figures.answer(change, by, of))
    told = found.filter(~pl.col("verdict").is_in(FOLDED))
    source.section(
        "Change since the period before",
        "By the exact variance of each paytable, corrected for the rows (Holm). Wagers with uneven payouts are "
        "compared with theory above.",
    )
    if told.is_empty():
        source.empty("Nothing to compare", "No wager was made often enough in both periods.")
        return
    rows = [
        [
            badge(r["verdict"]),
            _name(by, r),
            percent(r["house_win_percent"]),
            percent(r["prior_house_win_percent"]),
            points(r["change_points"]),
            f"{points(r['low_95_points'])} to {points(r['high_95_points'])}",
            odds(r["p_adjusted"]),
        ]
        for r in told.head(ROWS).iter_rows(named=True)
    ]
    source.show(flagged_table(change.columns_on_page(), rows, told["verdict"], change.heading))


def show_sums(figures: Figures, of: Selection, formats: Formats) -> None:
    """Show the total actual and theoretical win, with the band of chance."""
    found = figures.answer(HOLD["win"], "property", of)
    row = found.row(0, named=True)
    if row["low_95_cents"] is None:
        return
    low, high = row["low_95_cents"], row["high_95_cents"]
    outside = "" if low <= row["house_win_cents"] <= high else "outside the band of chance"
    source.figures(
        [
            markup.figure("House win", formats.money(row["house_win_cents"]), "of wagers with a theory"),
            markup.figure("Theoretical win", formats.money(row["theoretical_win_cents"]), "with best play"),
            markup.figure("Difference", formats.signed(row["difference_cents"]), outside or "within the band of chance"),
            markup.figure(
                "Band of chance",
                f"{formats.chips(round(low, -2))} to {formats.chips(round(high, -2))}",
                "at least 95 of 100 such periods",
            ),
        ]
    )


def _name(by: str, row: dict[str, Any], *, several: bool = True) -> str:
    wager = wager_with_paytable(row["wager"], row["paytable"])
    if by == "game":
        return f"{wager}, {game_name(row['game'])}" if several else wager
    value = row[{"table": "table_id"}.get(by, by)]
    where = day_name(value) if by == "gaming_day" else table_name(str(value)) if by in ("table", "dealer") else str(value)
    return f"{where.capitalize() if by == 'shift' else where}: {wager}"


def _row(by: str, r: dict[str, Any], of: Selection, formats: Formats) -> list[object]:
    low, high = r["low_95_cents"], r["high_95_cents"]
    about = {"table": of.table, "dealer": of.dealer, "from": of.first, "to": of.last}
    if by == "gaming_day":
        about |= dict.fromkeys(("from", "to"), r["gaming_day"])
    elif by != "game":
        about[by] = r[{"table": "table_id"}.get(by, by)]
    to = markup.link(
        "hold",
        wager_with_paytable(r["wager"], r["paytable"]),
        view="behind",
        game=r["game"],
        wager=r["wager"],
        paytable=r["paytable"] or None,
        **about,
    )
    where = game_name(r["game"]) if by == "game" else _name(by, r).partition(":")[0]
    return [
        badge(r["verdict"]),
        markup.two_lines(to, where),
        f"{r['bets']:,}",
        markup.two_lines(formats.money(r["house_win_cents"]), percent(r["house_win_percent"])),
        markup.two_lines(formats.money(r["theoretical_win_cents"]), percent(r["theoretical_percent"])),
        "–" if low is None else f"{formats.money(low)} to {formats.money(high)}",
        capitalized(r["sentence"]),
    ]


def show_funnel(figures: Figures, of: Selection) -> None:
    """Show dealers (or tables, …) side by side, each against the floor's win on the same wagers."""
    funnel = HOLD["funnel"]
    source.section(
        funnel.heading,
        "Difference from the floor's win on the same base wagers. Bars: the range of luck alone in 95 % and 99.7 % of cases.",
    )
    with st.container(width=280):
        by = source.choose_one("Compare", "of", offered(funnel), lambda name: f"{DIMENSIONS[name]}s")
    found = figures.answer(funnel, by, of)
    if found.is_empty():
        source.empty("Nothing to compare", "No base wager with a known theory was settled in this part of the floor.")
        return
    column = {"table": "table_id"}.get(by, by)
    of_game = {name: f", {game_name(name)}" for name in found["game"].unique()}
    if len(of_game) == 1:
        of_game = dict.fromkeys(of_game, "")
    names = [f"{table_name(str(r[column]))}{of_game[r['game']]}" for r in found.iter_rows(named=True)]
    widened = found["dispersion"].max()
    source.show(funnel_chart(found, names, f"{DIMENSIONS[by]}s against the floor's own house win, by volume"))
    if isinstance(widened, float) and widened > 1:
        source.note(
            f"The points vary {widened:.1f} times as much as by luck alone; the limits are widened for it (Spiegelhalter 2005)."
        )


# ---------------------------------------------------------------------------------------------------------------- time


def show_days(part: FloorPart, formats: Formats) -> None:
    """Show the daily distance of house win from theory, in two charts that reveal a small lasting change."""
    of, figures = part.selection, Figures(part.selection)
    chart = HOLD["chart"]
    compared = figures.ask("Wagers", theoretical.theoretical_win, "wager", of)
    offered = sorted(set(compared.filter(pl.col("theoretical_win_cents") != 0)["wager"]))
    with part.bar:
        wager = source.choose("Wager", "wager", offered, wager_name, "Main wagers", in_bar=True)
    found = figures.answer(chart, "gaming_day", of, wager)
    if found.height < 2:
        source.empty("Too few days", "A change over time needs two gaming days at least. Choose a wider part of the floor.")
        return
    named = "the main wager of each game" if wager is None else wager_name(wager)
    source.section(f"{chart.heading}: {named}", "Shaded: what chance alone explains of the weighted mean. Points: single days.")
    alt = "House win against theory by gaming day, in standard deviations"
    source.show(drift_chart(found, [short_day(day) for day in found["gaming_day"]], alt))
    _show_signals(found, formats)
    figures.offer(first=chart.heading)


def _show_signals(found: pl.DataFrame, formats: Formats) -> None:
    signals = found.filter((pl.col("cusum_signal") != "") | (pl.col("ewma_signal") != ""))
    if signals.is_empty():
        source.empty("No sustained change", "Neither chart (CUSUM, EWMA) left its limits.")
        return
    rows = [
        [
            badge("alarm" if r["alarm"] else "above"),
            day_name(r["gaming_day"]),
            _signal(r["cusum_signal"], max(r["cusum_low"], r["cusum_high"]), control_charts.DECISION),
            _signal(r["ewma_signal"], r["ewma"], r["ewma_high"]),
            formats.money(r["house_win_cents"]),
            formats.money(r["expected_cents"]),
        ]
        for r in signals.iter_rows(named=True)
    ]
    source.table(HOLD["chart"].columns_on_page(), rows, "Days outside control limits", sortable=True)
    if signals["alarm"].all():
        source.note(
            "No patron decides on this wager: a lasting win above theory needs review too, for winners may be paid too little."
        )
    else:
        source.note("“Above best play” is not an alarm: where patrons decide, play below the best explains it first.")


def _signal(word: str, value: float, limit: float) -> str:
    return f"{word}: {value:+.2f}, limit {limit:.2f}" if word else "within"
