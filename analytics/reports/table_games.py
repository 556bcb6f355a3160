"""The table games report: drop, win and hold from the counts, handle and house win from the wagers, next to theory.

Invariant: the three are shown side by side and never mixed (D27). Counts are broken down to the table and gaming day only; wagers
without theory are left out of both sides of a difference, and their handle is stated.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import polars as pl

from analytics.hold.theoretical import theoretical_win
from analytics.reports.sources import Sources, table_of, table_with_remarks
from analytics.warehouse.selection import COLUMNS, Selection
from desk.report.content import Report, ReportingRule, ReportTable
from replay.narrative.names import day_words

NAME, TITLE = "table-games", "Table games report"
RULES: Final = (
    ReportingRule(
        cite="58 Pa. Code § 465a.1(c)(3)",
        role="answers",
        asks="actual against theoretical win, handle and differences by table game, to date",
    ),
    ReportingRule(cite="K.A.R. 112-108-50", role="helps", asks="daily audit and weekly review of the master game report"),
    ReportingRule(cite="N.J.A.C. 13:69D-1.34", role="helps", asks="master game report"),
    ReportingRule(cite="Iowa Admin. Code 491-12.2", role="helps", asks="statistical records by gaming day and table"),
)
COUNTED: Final = ("drop_cents", "win_cents", "hold_percent")
WAGERED: Final = (
    "handle_cents",
    "house_win_cents",
    "house_win_percent",
    "compared_win_cents",
    "theoretical_win_cents",
    "difference_cents",
    "not_compared_handle_cents",
)
"""`compared_win_cents` less `theoretical_win_cents` is `difference_cents`: house win has wagers, too, that no theory covers."""
REMARKED: Final = ("days", "days_with_wagers", "repeated_drops", "repeated_slips")
"""The columns that `table_with_remarks` turns into remarks."""


def table_games(sources: Sources) -> Report:
    """Return the report: to date by game, then the period by game, table, pit, shift, day and wager."""
    tables = [
        _to_date(sources),
        _broken_down(sources, "game", "By table game", COUNTED),
        _broken_down(sources, "table", "By table", COUNTED),
        _by_pit(sources),
        _broken_down(
            sources,
            "shift",
            "By shift",
            (),
            note="A drop box is counted for a table and a gaming day: drop, win and hold % have no breakdown by shift. "
            + sources.without_wagers(),
        ),
        _broken_down(sources, "gaming_day", "By gaming day", COUNTED),
        _by_wager(sources),
        _not_counted(sources),
    ]
    limits = [
        "Drop, win and hold % are of the table days on which opener, closer and drop were all counted; the others are listed.",
        "A box is not split: drop and win of a table day on which more than one game was dealt are under Several games (D1441).",
        "What a meter pays is no part of house win; fixed odds and fixed amounts paid by slip are (D690).",
        "Wagers against a patron's bank (player-dealer games) are no part of the house's figures.",
    ]
    return sources.report(NAME, TITLE, rules=RULES, tables=tables, limits=limits)


def figures_by(sources: Sources, by: str, selection: Selection) -> pl.DataFrame:
    """Return counts and wagers of a part of the floor, a row for each value of a dimension (property, game, table, shift or day).

    Columns: the value, those of `COUNTED` (None for a shift), those of `WAGERED`, and those for remarks.
    """
    keys = list(COLUMNS[by])
    chosen = sources.rows(_wagered(keys), a=selection.first, b=selection.last)
    theory = theoretical_win(sources.db, by, selection).select(
        *keys,
        pl.col("handle_cents").alias("compared_cents"),
        *(
            pl.when(pl.col("handle_cents") != 0).then(pl.col(name)).alias(called)  # of no wager that theory covers none exists
            for name, called in (
                ("house_win_cents", "compared_win_cents"),
                ("theoretical_win_cents", "theoretical_win_cents"),
                ("difference_cents", "difference_cents"),
            )
        ),
    )
    rows = _joined(chosen, theory, keys)
    if by == "shift":
        rows = rows.with_columns(*(pl.lit(None, pl.Int64).alias(name) for name in (*COUNTED[:2], *REMARKED)))
    else:
        rows = _joined(sources.rows(_counted(keys), a=selection.first, b=selection.last), rows, keys)
    return _with_shares(rows).select(*keys, *COUNTED, *WAGERED, *REMARKED).sort(keys)


def _joined(left: pl.DataFrame, right: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    """Join frames by their keys, keeping rows of both; frames without keys have one row each, or none."""
    on = keys or ["one"]
    if not keys:
        left, right = (each.with_columns(pl.lit(1).alias("one")) for each in (left, right))
    return left.join(right, on=on, how="full", coalesce=True, nulls_equal=True)


def _counted(keys: Sequence[str]) -> str:
    """Return the statement for drop and win of fully counted table days; the names are of `COLUMNS`."""
    named = "".join(f"{key}, " for key in keys)
    grouped = f"GROUP BY {', '.join(keys)}" if keys else ""
    return f"""
        SELECT
            {named}sum(drop_cents) FILTER (win_cents IS NOT NULL)::BIGINT AS drop_cents, sum(win_cents)::BIGINT AS win_cents,
            count(*) AS days, count(handle_cents) AS days_with_wagers,
            sum(repeated_drops)::BIGINT AS repeated_drops, sum(repeated_slips)::BIGINT AS repeated_slips
        FROM mart_hold_table_day WHERE gaming_day BETWEEN $a AND $b {grouped}
    """


def _wagered(keys: Sequence[str]) -> str:
    named = "".join(f"{key}, " for key in keys)
    grouped = f"GROUP BY {', '.join(keys)}" if keys else ""
    return f"""
        SELECT {named}sum(handle_cents)::BIGINT AS handle_cents, sum(house_win_cents)::BIGINT AS house_win_cents
        FROM mart_hold_wager WHERE gaming_day BETWEEN $a AND $b {grouped}
    """


def _with_shares(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the percentages, and the handle without theory."""
    return rows.with_columns(
        _percent("win_cents", "drop_cents").alias("hold_percent"),
        _percent("house_win_cents", "handle_cents").alias("house_win_percent"),
        (pl.col("handle_cents") - pl.col("compared_cents").fill_null(0)).alias("not_compared_handle_cents"),
    )


def _sum_of_known(name: str) -> pl.Expr:
    """Return the sum of a column; None if no value is known (polars would return 0) (D27)."""
    return pl.when(pl.col(name).is_not_null().any()).then(pl.col(name).sum())


def _percent(part: str, whole: str) -> pl.Expr:
    divisor = pl.when(pl.col(whole) != 0).then(pl.col(whole))
    return (100 * pl.col(part) / divisor).cast(pl.Float64)


def _to_date(sources: Sources) -> ReportTable:
    """Return the last day of the period, its week, month and year up to it: the property, then each game."""
    last = sources.last
    spans = {
        "Day": last,
        "Week to date": sources.filing.week_of(last),
        "Month to date": last.replace(day=1),
        "Year to date": last.replace(month=1, day=1),
    }
    parts = []
    games = figures_by(sources, "game", Selection(first=min(spans.values()), last=last))
    only = games["game"].item() if len(games) == 1 else None  # its rows are those of all table games
    for span, first in spans.items():
        of = Selection(first=first, last=last)
        floor = figures_by(sources, "property", of).with_columns(pl.lit(only or "All table games").alias("game"))
        parts += [
            rows.select(pl.lit(span).alias("span"), pl.lit(first).alias("from_day"), "game", *COUNTED, *WAGERED, *REMARKED)
            for rows in (floor, *([] if only else [figures_by(sources, "game", of)]))
        ]
    return table_with_remarks(
        "to-date",
        f"To date, as of {day_words(last)}",
        pl.concat(parts),
        note=f"The week begins on {sources.filing.week_begins.capitalize()}. "
        "Counts of a table go with the game dealt most that day.",
    )


def _broken_down(sources: Sources, by: str, title: str, counted: Sequence[str], note: str = "") -> ReportTable:
    rows = figures_by(sources, by, sources.period).select(*COLUMNS[by], *counted, *WAGERED, *REMARKED)
    return table_with_remarks(f"by-{by.replace('_', '-')}", title, rows, note=note)


def _by_pit(sources: Sources) -> ReportTable:
    """Return the period by pit, if the property filed the tables of each; the record itself has no pits."""
    title, parts = "By pit", []
    if not sources.filing.pits:
        return ReportTable(
            name="by-pit",
            title=title,
            columns=(),
            rows=(),
            empty="The record has no pits, and the property filed none: name the tables of each pit in reports.toml.",
        )
    for first, last, pits in sources.filing.pit_spans(sources.first, sources.last):
        rows = figures_by(sources, "table", Selection(first=first, last=last))
        names = [(pits.pit_of(table) if pits else None) or "In no pit on file" for table in rows["table_id"]]
        parts.append(rows.with_columns(pl.Series("pit", names, dtype=pl.String)))
    sums = (*COUNTED[:2], *(name for name in WAGERED if name.endswith("_cents")), *REMARKED)
    rows = pl.concat(parts).group_by("pit").agg(*map(_sum_of_known, sums)).sort("pit")
    shares = rows.with_columns(
        _percent("win_cents", "drop_cents").alias("hold_percent"),
        _percent("house_win_cents", "handle_cents").alias("house_win_percent"),
    )
    return table_with_remarks("by-pit", title, shares.select("pit", *COUNTED, *WAGERED, *REMARKED))


def _by_wager(sources: Sources) -> ReportTable:
    """Return actual against theoretical win of each wager known to theory."""
    rows = theoretical_win(sources.db, "paytable", sources.period)
    named = rows.select(
        "game",
        "wager",
        "paytable",
        pl.col("handle_cents").alias("compared_handle_cents"),
        pl.col("house_win_cents").alias("compared_win_cents"),
        "theoretical_win_cents",
        "difference_cents",
        pl.col("unknown_handle_cents").alias("no_theory_handle_cents"),
    )
    return table_of("by-wager", "Actual against theoretical win by wager", named, note=sources.without_wagers())


def _not_counted(sources: Sources) -> ReportTable:
    rows = sources.rows(
        """
        SELECT
            table_id,
            gaming_day,
            concat_ws(
                ', ',
                CASE WHEN openers = 0 THEN 'no opener' END,
                CASE WHEN closers = 0 THEN 'no closer' END,
                CASE WHEN drops = 0 THEN 'no drop count' END,
                CASE WHEN openers <> closers AND openers > 0 AND closers > 0 THEN 'openers and closers differ in number' END
            ) AS missing,
            unsettled,
            repeated_drops,
            repeated_slips
        FROM fct_table_days
        WHERE gaming_day BETWEEN $first AND $last AND (missing <> '' OR unsettled + repeated_drops + repeated_slips > 0)
        ORDER BY gaming_day, table_id
        """
    )
    of = table_with_remarks("not-counted", "Table days not fully counted, and wagers not settled", rows)
    every = "" if sources.without_wagers() else ", and every wager is settled"
    empty = f"Every table day of the period is fully counted{every}."
    return msgspec.structs.replace(of, note="", empty=empty, marked=tuple(range(len(rows))))
