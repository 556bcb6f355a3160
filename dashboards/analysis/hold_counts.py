"""Counts: drop, win and hold % by table and period, the reconciliation of win and house win, and investigations."""

from collections.abc import Mapping
from typing import Any, Final

import polars as pl
import streamlit as st

from analytics.hold import hold
from analytics.questions import PERIODS, questions
from analytics.warehouse.selection import Selection
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, words
from dashboards.analysis.verdicts import FOLDED, badge, flagged_first, flagged_table, odds
from dashboards.drawing import markup
from dashboards.drawing.charts import hold_bars_chart, hold_chart
from dashboards.drawing.names import Formats, day_name, percent, points
from dashboards.parts import source
from replay.narrative.names import capitalized, plural, table_name

HOLD: Final = questions("hold")
TABLE_DAYS: Final = {
    "Table": "short",
    "Gaming day": "short",
    "Rounds": "number",
    "Opener": "number",
    "Fills": "number",
    "Credits": "number",
    "Closer": "number",
    "Drop": "number",
    "Win": "number",
    "Hold %": "number",
}
MOST_LINES = 8
"""Tables that a chart of hold % draws as lines of their own; more of them are no one's to tell apart."""
MOST_BARS = 40
"""Tables that a chart of hold % draws as bars; of more of them the highest and the lowest are shown."""
ROWS = 400
MARK: Final = "▲"
NO_WAGERS: Final = "Wagers are not recorded at these tables: their trays can only be compared with drop, fills and credits."
NO_WAGERS_ON: Final = "No wagers are on record for {}: compare the tray there with drop, fills and credits alone."


def show_counts(part: FloorPart, formats: Formats) -> None:
    """Show drop, win and hold % by table and period, their parts, and periods that need an investigation."""
    of, figures = part.selection, Figures(part.selection)
    total = figures.ask("Totals", hold.hold_totals, of).row(0, named=True)
    days = f"{total['table_days_counted']} of {plural(total['table_days'], 'table day')} fully counted"
    prior = source.reckon(hold.hold_totals, part.before).row(0, named=True) if part.before else None
    source.figures(
        [
            markup.figure("Drop", formats.money(total["drop_cents"]), _before(prior, "drop_cents", formats) or days),
            markup.figure(
                "Win",
                formats.money(total["win_cents"]),
                _before(prior, "win_cents", formats) or "closer + credits + drop − opener − fills",
            ),
            markup.figure(
                "Hold %", percent(total["hold_percent"]), f"before: {percent(prior['hold_percent'])}" if prior else "win ÷ drop"
            ),
        ]
    )
    show_repeats(total)
    _show_chart(of)
    if part.before is not None:
        show_changes(figures, of, formats)
    show_reconciliation(figures, of, formats)
    show_investigations(figures, of)
    by_period = show_periods(figures, of, formats)
    show_every_count(figures, of, formats)
    figures.offer(first=by_period)


def repeats_in_words(row: Mapping[str, Any]) -> str:
    """Return the counts possibly entered twice, in words; empty if there are none.

    >>> repeats_in_words({"repeated_drops": 1, "repeated_slips": 2})
    '1 drop and 2 slips entered twice'
    """
    drops, slips = row["repeated_drops"], row["repeated_slips"]
    said = " and ".join(plural(number, noun) for number, noun in ((drops, "drop"), (slips, "slip")) if number)
    return f"{said} entered twice" if said else ""


def show_repeats(total: Mapping[str, Any]) -> None:
    """Warn of counts possibly entered twice."""
    if repeats := repeats_in_words(total):
        source.notice(
            f"{repeats[:1].upper()}{repeats[1:]}",
            "The same box or slip, gaming day and amount are on record again, and each counts. See the table days below; "
            "if it was one count, correct the second entry.",
        )


def _marked(cents: object, row: Mapping[str, Any], *names: str) -> object:
    """Return an amount, marked if a part of it was entered twice."""
    twice = sum(row[name] for name in names)
    return markup.two_lines(cents, f"{MARK} {plural(twice, 'entry', 'entries')} repeated") if twice else cents


def _before(prior: dict[str, Any] | None, name: str, formats: Formats) -> str:
    return "" if prior is None else f"before: {formats.money(prior[name])}"


def _show_chart(of: Selection) -> None:
    days = source.ask(hold.hold_by_table_day)
    for column, value in (("table_id", of.table), ("game", of.game)):
        days = days.filter(pl.col(column) == value) if value else days
    if of.first and of.last:
        days = days.filter(pl.col("gaming_day").is_between(of.first, of.last))
    drawn = days.drop_nulls("hold_percent")
    if drawn["gaming_day"].n_unique() > 1 and drawn["table_id"].n_unique() <= MOST_LINES:
        source.show(hold_chart(drawn, "Hold % of each table by gaming day"))
        return
    by_table = source.reckon(HOLD["periods"].function, "table", "all", of).drop_nulls("hold_percent")
    if by_table.height > MOST_BARS:
        by_table, half = highest_and_lowest(by_table), MOST_BARS // 2
        words = f"The {half} tables with the highest hold % and the {half} with the lowest; the list below has every table."
        source.note(f"{words}")
    if by_table.height > 1:
        source.show(hold_bars_chart(by_table, "Hold % of each table", of.first, of.last))


def highest_and_lowest(by_table: pl.DataFrame) -> pl.DataFrame:
    """Return the `MOST_BARS` tables with the highest and lowest `hold_percent`, highest first."""
    ranked = by_table.sort("hold_percent", "table_id", descending=[True, False])
    return pl.concat([ranked.head(MOST_BARS // 2), ranked.tail(MOST_BARS // 2)])


def show_changes(figures: Figures, of: Selection, formats: Formats) -> None:
    """Show hold % next to that of the period before, and whether luck explains the change."""
    change = HOLD["change"]
    found = flagged_first(figures.answer(change, "table", of))
    source.section(
        "Change of hold %",
        "95 % band around the earlier hold %, from the spread of table days (Welch's t); corrected for the rows (Holm).",
    )
    if found.is_empty():
        source.empty("Nothing to compare", "No table day of this period is fully counted yet.")
        return
    rows = [
        [
            badge(r["verdict"]),
            markup.link("hold", table_name(r["table_id"]), view="luck", table=r["table_id"], **{"from": of.first, "to": of.last}),
            formats.money(r["drop_cents"]),
            formats.money(r["win_cents"]),
            percent(r["hold_percent"]),
            percent(r["prior_hold_percent"]),
            points(r["change_points"]),
            "–" if r["low_95_percent"] is None else f"{percent(r['low_95_percent'])} to {percent(r['high_95_percent'])}",
            odds(r["p_adjusted"]),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    told = found.filter(~pl.col("verdict").is_in(FOLDED)).height
    if told:
        source.show(flagged_table(change.columns_on_page(), rows[:told], found["verdict"], change.heading))
    if rows[told:]:
        source.on_opening(
            f"{plural(len(rows) - told, 'inconclusive table')}: fewer than two table days counted in a period",
            lambda: source.table(change.columns_on_page(), rows[told:], "Inconclusive changes of hold %", sortable=True),
        )


def _reconciliation(unexplained_cents: int | None, formats: Formats) -> str:
    """Return how closely win and house win agree."""
    if unexplained_cents is None:
        return "No table day with wagers is fully counted: win and house win cannot be compared."
    if not unexplained_cents:
        return "Reconciles to the cent."
    return (
        f"Reconciles to the cent, except {formats.money(abs(unexplained_cents))} in the trays: `rack hold tray` lists the days. "
        "Progressive chips that were accepted and not collected explain part of such a difference."
    )


def show_reconciliation(figures: Figures, of: Selection, formats: Formats) -> None:
    """Show in one line the way from the wagers' house win to the counted win."""
    found = figures.answer(HOLD["reconcile"], "property", of)
    if found.is_empty():
        return
    row = found.row(0, named=True)
    uncounted = row["table_days"] - row["table_days_counted"]
    without = row["table_days"] - row["table_days_with_wagers"]
    if not row["table_days_with_wagers"]:
        source.section("Win and house win", NO_WAGERS)
        return
    terms = [
        ("House win of the wagers", formats.money(row["house_win_cents"])),
        (f"of {plural(uncounted, 'table day')} not fully counted", formats.signed(-row["uncounted_house_win_cents"])),
        ("Wins by slip that no meter paid", formats.signed(row["not_from_tray_cents"])),
        ("Drop less buy-ins recorded", formats.signed(row["box_less_buy_ins_cents"])),
        ("Unexplained tray variance", formats.signed(row["tray_difference_cents"])),
        (f"Win of {plural(without, 'table day')} without wagers", formats.signed(row["win_without_wagers_cents"])),
        ("Win", formats.money(row["win_cents"])),
    ]
    left_out = [words for words, number in (("not fully", uncounted), ("without wagers", without)) if not number]
    shown = [term for term in terms if not any(words in term[0] for words in left_out)]
    items = "".join(f"<dt>{markup.text(name)}</dt><dd>{markup.text(value)}</dd>" for name, value in shown)
    source.section(
        "Win and house win",
        _reconciliation(row["tray_difference_cents"], formats)
        + (f" {NO_WAGERS_ON.format(plural(without, 'table day'))}" if without else ""),
    )
    source.show(f'<dl class="rk-pair rk-sum">{items}</dl>')
    if row["unsettled"]:
        source.note(f"{plural(row['unsettled'], 'wager')} not settled: their chips explain part of it.")


def show_investigations(figures: Figures, of: Selection) -> None:
    """Show the periods that need an investigation."""
    investigate = HOLD["investigate"]
    found = figures.answer(investigate, "table", "month", of)
    found = found.filter(pl.col("triggers").list.len() > 0)
    if found.is_empty():
        return
    source.section(
        "Written investigations required",
        "Hold % outside its band against the month before, or changed by more than three points.",
    )
    rows = [
        [
            badge("alarm"),
            table_name(r["table_id"]),
            f"{r['period']:%b %Y}",
            percent(r["hold_percent"]),
            percent(r["prior_hold_percent"]),
            capitalized(r["sentence"]),
        ]
        for r in found.iter_rows(named=True)
    ]
    source.table(investigate.columns_on_page(), rows, "Written investigations required", sortable=True)
    source.note("<code>rack hold investigate --open --by-person ID --log ADDR</code> puts them on record.")


def show_periods(figures: Figures, of: Selection, formats: Formats) -> str:
    """Show the counts of each table by period; return the title of these figures."""
    counted = HOLD["periods"]
    with st.container(width=280):
        period = source.choose_one("Count period", "period", list(PERIODS), lambda p: PERIODS[p])
    title = counted.title_on_page("table", period)
    found = figures.answer(counted, "table", period, of)
    rows = [
        [
            table_name(r["table_id"]),
            day_name(r["period"] if of.first is None else max(r["period"], of.first)),
            f"{r['table_days_counted']} of {r['table_days']}",
            _marked(formats.money(r["drop_cents"]), r, "repeated_drops"),
            _marked(formats.money(r["win_cents"]), r, "repeated_slips"),
            percent(r["hold_percent"]),
            _of_days(formats.money(r["handle_cents"]), r),
            formats.money(r["house_win_cents"]),
            percent(r["house_win_percent"]),
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    source.section(title, "Drop, win and hold % are counted by drop box and cannot be broken down further.")
    source.table(counted.columns_on_page(), rows, "Hold by table and period", sortable=True)
    return title


def _of_days(handle: str, row: Mapping[str, Any]) -> object:
    """Return a handle, with its number of table days if other days have no recorded wagers."""
    of = row["table_days_with_wagers"]
    return handle if of in (0, row["table_days"]) else markup.two_lines(handle, f"of {plural(of, 'table day')}")


def show_every_count(figures: Figures, of: Selection, formats: Formats) -> None:
    """Show the parts of the counts: table days, and for one table every amount counted or moved."""
    days = source.ask(hold.hold_by_table_day)
    days = days.filter(pl.col("table_id") == of.table) if of.table else days

    def by_table_day() -> None:
        lines = [_day_row(r, formats) for r in days.head(ROWS).iter_rows(named=True)]
        marked = [i for i, r in enumerate(days.head(ROWS).iter_rows(named=True)) if repeats_in_words(r)]
        source.table(TABLE_DAYS, lines, "Table days", marked=marked, sortable=True)

    source.on_opening("Counts by table day", by_table_day)
    if not of.table:
        return
    counts = HOLD["counts"]
    found = figures.answer(counts, of)

    def every_count() -> None:
        rows = [
            [
                table_name(r["table_id"]),
                day_name(r["gaming_day"]),
                f"{r['seq']:,}",
                str(r["kind"]).replace("_", " ").capitalize(),
                formats.money(r["amount_cents"]),
                r["reference"] or "–",
                "" if r["repeats"] is None else f"{MARK} same as event {r['repeats']:,}",
            ]
            for r in found.head(ROWS).iter_rows(named=True)
        ]
        marked = [i for i, repeats in enumerate(found["repeats"].head(ROWS)) if repeats is not None]
        source.table(counts.columns_on_page(), rows, counts.heading, marked=marked, sortable=True)

    days_in_words = words(of) if of.first else "all gaming days"
    source.on_opening(f"Every count of {table_name(of.table)}, {days_in_words}", every_count)


def _day_row(row: dict[str, Any], formats: Formats) -> list[object]:
    opener, fills, credits_, closer, drop, win = (
        formats.money(row[f"{name}_cents"]) for name in ("opener", "fills", "credits", "closer", "drop", "win")
    )
    days = {"from": row["gaming_day"], "to": row["gaming_day"]}
    return [
        table_name(row["table_id"]),
        markup.link("hold", day_name(row["gaming_day"]), view="day", table=row["table_id"], **days),
        f"{row['rounds']:,}",
        opener,
        _marked(fills, row, "repeated_slips"),
        credits_,
        closer,
        _marked(drop, row, "repeated_drops"),
        win,
        percent(row["hold_percent"]),
    ]
