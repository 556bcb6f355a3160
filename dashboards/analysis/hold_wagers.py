"""House win by a dimension: next to theory and the period before, each row down to its wagers."""

from typing import Any, Final

import polars as pl
import streamlit as st

from analytics.hold import against_theory, figure_detail, hold
from analytics.hold.hold import Dimension
from analytics.questions import DIMENSIONS, questions
from analytics.warehouse.selection import Selection
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import FloorPart, offered
from dashboards.analysis.verdicts import badge, flagged_first
from dashboards.drawing import markup
from dashboards.drawing.charts import dimension_label, house_win_chart
from dashboards.drawing.names import Formats, day_name, percent, points
from dashboards.parts import source
from replay.narrative.names import plural

HOLD: Final = questions("hold")
BEFORE: Final = {"Before": "number", "Change": "number"}
KNOWN_SHARE: Final = 0.99
"""If theory covers less than this share of a handle, its mark is left out: it would be next to a different win."""
NAMED: Final = ("alarm", "outside_997", "outside_95")
"""Verdicts that are named next to a row."""
ROWS = 400


def show_house_win(part: FloorPart, formats: Formats) -> None:
    """Show handle, payouts and house win by a dimension, as a chart and as a table."""
    of, figures = part.selection, Figures(part.selection)
    total = figures.ask("All wagers", figure_detail.sums_behind, of).row(0, named=True)
    unsettled = total["unsettled"]
    note = f"{plural(unsettled, 'wager')} not settled, not counted" if unsettled else "staked on settled wagers"
    win, handle = total["house_win_cents"], total["handle_cents"]
    before = _totals_before(part, formats)
    source.figures(
        [
            markup.figure("Handle", formats.money(handle), before.get("Handle", note)),
            markup.figure("Payouts", formats.money(total["payouts_cents"]), before.get("Payouts", "stakes returned included")),
            markup.figure("House win", formats.money(win), before.get("House win", "handle − payouts")),
            markup.figure("House win %", _share(win, handle), before.get("House win %", "house win ÷ handle")),
            markup.figure(
                "Paid by meters",
                formats.money(total["from_meter_cents"]),
                "shares of the meters, in neither payouts nor house win",
            ),
        ]
    )
    allowed = offered(HOLD["wagers"])
    given = source.value_in_address("Group by", "by", allowed) or "wager"
    dimension: Any = source.pick("Group by", allowed, DIMENSIONS, key="hold-by", default=given)
    st.query_params["by"] = dimension
    show_breakdown(figures, dimension, part, formats)
    figures.offer(first=HOLD["wagers"].title_on_page(dimension))


def _totals_before(part: FloorPart, formats: Formats) -> dict[str, str]:
    """Return the totals of the period before by label, in words; empty without a comparison."""
    if part.before is None:
        return {}
    total = source.reckon(figure_detail.sums_behind, part.before).row(0, named=True)
    win, handle = total["house_win_cents"], total["handle_cents"]
    return {
        "Handle": f"before: {formats.money(handle)}",
        "Payouts": f"before: {formats.money(total['payouts_cents'])}",
        "House win": f"before: {formats.money(win)}",
        "House win %": f"before: {_share(win, handle)}",
    }


def _share(win: int | None, handle: int | None) -> str:
    return percent(100 * win / handle if handle and win is not None else None)


def show_days_without_wagers(part: FloorPart) -> None:
    """Show the number of table days without recorded wagers; no figure of wagers includes them."""
    total = source.reckon(hold.hold_totals, part.selection).row(0, named=True)
    without = total["table_days"] - total["table_days_with_wagers"]
    if without:
        of = plural(total["table_days"], "table day")
        words = f"No wagers are on record for {without:,} of {of}: they are in no figure here."
        source.note(f"{words}")


def show_breakdown(figures: Figures, dimension: Dimension, part: FloorPart, formats: Formats) -> None:
    """Show house win % by a dimension; each row leads to its wagers."""
    of, name = part.selection, DIMENSIONS[dimension]
    wagers = HOLD["wagers"]
    title, theoretical_title = wagers.title_on_page(dimension), f"Theoretical win by {name.lower()}"
    found = figures.answer(wagers, dimension, of)
    if found.is_empty():
        source.empty("No wagers", "No settled wager of this part of the floor is on record. Choose another above.")
        return
    theory = figures.answer(HOLD["win"], dimension, of, title=theoretical_title)
    columns = [column for column in theory.columns if column in found.columns and not column.endswith(("_cents", "_percent"))]
    rows = beside_theory(found, theory, [column for column in columns if column != "game" or dimension == "game"])
    if part.before is not None:
        prior = figures.answer(wagers, dimension, part.before, title=f"{title}, period before")
        rows = _beside_before(rows, prior, list(_key(dimension)))
    figures.join(title, (theoretical_title, f"{title}, period before"), rows)
    labels = [
        day_name(row["gaming_day"]) if dimension == "gaming_day" else dimension_label(dimension, row)
        for row in rows.iter_rows(named=True)
    ]
    if not rows["house_win_percent"].drop_nulls().is_empty():
        source.note(
            "Bar: house win %. Line: theory, with best play. Gray: where luck alone keeps it in at least 95 of 100 such periods."
        )
        source.show(house_win_chart(rows, dimension, labels, f"House win % by {name.lower()}"))
    verdicts = _verdicts(dimension, of)
    listed = [
        _row(label, dimension, row, of, formats, verdicts) for label, row in zip(labels, rows.iter_rows(named=True), strict=True)
    ]
    headings = wagers.columns_on_page(dimension) | (BEFORE if part.before is not None else {})
    source.table(headings, listed[:ROWS], title, sortable=True)


def _key(dimension: Dimension) -> tuple[str, ...]:
    return {"table": ("table_id",), "paytable": ("wager", "paytable")}.get(dimension, (dimension,))


def beside_theory(found: pl.DataFrame, theory: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Return house wins with `theoretical_percent`, `low_95_percent` and `high_95_percent`, of the handle.

    They are None if theory knows too little of the handle. Voided wagers are in the handle and have no theoretical win. The same
    wager in several games is dealt in different rounds, so half-widths are added as squares.
    """
    cents = ("theoretical_win_cents", "low_95_cents", "high_95_cents")
    middle = pl.col("theoretical_win_cents")
    known = theory.group_by(key, maintain_order=True).agg(
        pl.col("unknown_handle_cents").sum(),
        middle.sum(),
        (middle.sum() - (middle - pl.col("low_95_cents")).pow(2).sum().sqrt()).alias("low_95_cents"),
        (middle.sum() + (pl.col("high_95_cents") - middle).pow(2).sum().sqrt()).alias("high_95_cents"),
    )
    enough = pl.col("unknown_handle_cents") <= (1 - KNOWN_SHARE) * pl.col("handle_cents")
    return found.join(known, on=key, how="left", nulls_equal=True, maintain_order="left").with_columns(
        pl.when(enough & (pl.col("handle_cents") > 0))
        .then(100 * pl.col(name) / pl.col("handle_cents"))
        .alias(name.replace("win_cents", "percent").replace("_cents", "_percent"))
        for name in cents
    )


def _beside_before(rows: pl.DataFrame, prior: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    before = prior.select(*key, pl.col("house_win_percent").alias("prior_percent"))
    joined = rows.join(before, on=key, how="left", nulls_equal=True, maintain_order="left")
    return joined.with_columns((pl.col("house_win_percent") - pl.col("prior_percent")).alias("change_points"))


def _verdicts(dimension: Dimension, of: Selection) -> dict[tuple[Any, ...], str]:
    """Return the gravest verdict on each row's wagers, in the words of Actual vs. theoretical."""
    by = "game" if dimension in ("wager", "paytable") else dimension
    if by not in against_theory.BY:
        return {}
    found = flagged_first(source.reckon(against_theory.win_against_theory, by, of))
    graver: dict[tuple[Any, ...], str] = {}
    for row in found.iter_rows(named=True):
        graver.setdefault(tuple(row[name] for name in _key(dimension)), row["verdict"])
    return graver


def _row(
    label: str, dimension: Dimension, row: dict[str, Any], of: Selection, formats: Formats, verdicts: dict[tuple[Any, ...], str]
) -> list[object]:
    band = row["low_95_percent"], row["high_95_percent"]
    verdict = verdicts.get(tuple(row[name] for name in _key(dimension)), "")
    shown: list[object] = [
        markup.two_lines(
            markup.link("hold", label, view="behind", **_about(dimension, row, of)), badge(verdict) if verdict in NAMED else ""
        ),
        f"{row['wagers']:,}",
        *(formats.money(row[c]) for c in ("handle_cents", "payouts_cents", "house_win_cents")),
        percent(row["house_win_percent"]),
        percent(row["theoretical_percent"]),
        "–" if band[0] is None else f"{percent(band[0])} to {percent(band[1])}",
        formats.money(row["from_meter_cents"]),
        f"{row['unsettled']:,}",
    ]
    return [*shown, percent(row["prior_percent"]), points(row["change_points"])] if "prior_percent" in row else shown


def _about(dimension: Dimension, row: dict[str, Any], of: Selection) -> dict[str, object]:
    about: dict[str, object] = {"game": of.game, "table": of.table, "dealer": of.dealer, "from": of.first, "to": of.last}
    match dimension:
        case "paytable":
            return about | {"wager": row["wager"], "paytable": row["paytable"] or None}
        case "table":
            return about | {"table": row["table_id"]}
        case "gaming_day":
            return about | {"from": row["gaming_day"], "to": row["gaming_day"]}
        case _:
            return about | {dimension: row[dimension]}
