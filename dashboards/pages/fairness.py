"""Fairness: do dice, cards and shufflers give everybody the same chance?"""

import polars as pl
import streamlit as st

from analytics.fairness import fairness
from analytics.fairness.comparison import beside
from analytics.warehouse.selection import Selection
from dashboards.analysis import fairness_words
from dashboards.analysis.figures import Figures
from dashboards.analysis.floor_part import floor_part
from dashboards.analysis.verdicts import FOLDED, badge, flagged_first, odds
from dashboards.drawing import markup
from dashboards.drawing.charts import counts_chart
from dashboards.drawing.decisions import linked, plain
from dashboards.parts import source
from replay.narrative.names import capitalized, plural

BY = {"table": "Table", "property": "Whole floor", "game": "Game", "dice_set": "Dice set", "deck": "Deck"}
TESTS = {
    "Verdict": "short",
    "Test": "text",
    "Where": "text",
    "Sample size": "number",
    "Chance": "number",
    "Minimum detectable bias": "number",
    "Explanation": "text",
}
ROWS = 400


def page() -> None:
    """Lay the page out: every test, the least likely first, and the counts behind one family of them."""
    source.begin()
    source.heading(
        "Fairness", "Whether dice, cards and shufflers behave as chance would. A test that stands out shows where to look."
    )
    part = floor_part(dealers=False, by_month=True)
    of, figures = part.selection, Figures(part.selection)
    with part.bar:
        by = source.choose_one("Group by", "by", list(BY), lambda name: f"By {BY[name].lower()}", in_bar=True)
    found = figures.ask("Tests", fairness.fairness, by, of)
    if found.is_empty():
        source.empty(
            "Nothing to test",
            "No rolls and no deals here. Run `rack replay --log ADDR --warehouse FILE`, or choose another part.",
        )
        source.watch()
        return
    families = [family for family in fairness.FAMILIES if family in set(found["family"])]
    with part.bar:
        family = source.choose(
            "Test", "family", families, lambda name: plain(fairness.FAMILIES[name]).capitalize(), "All tests", in_bar=True
        )
    source.show(fairness_words.answer(found))
    shown = found if family is None else found.filter(pl.col("family") == family)
    # Charts first: the counts of the family that was chosen, else of the one that chance explains least.
    drawn = family or next((name for name in found["family"] if name in fairness.COUNTED), None)
    if drawn in fairness.COUNTED:
        show_counts(figures, str(drawn), by, of, found)
    if of.first is not None:
        source.note("Devices are counted by month: the months of the days chosen, whole.")
    show_tests(shown, None if part.before is None else source.reckon(fairness.fairness, by, part.before))
    figures.offer()
    source.watch()


def show_tests(found: pl.DataFrame, before: pl.DataFrame | None) -> None:
    """Show the tests, those that need a look first, small ones folded away; next to them their earlier results."""
    found = flagged_first(found)
    if before is not None:
        found = beside(found, before)
    told, folded = (found.filter(pl.col("verdict").is_in(FOLDED) == fold) for fold in (False, True))
    if told.height:
        marked = [i for i, alarm in enumerate(told.head(ROWS)["alarm"]) if alarm]
        source.show(_table(told, "Tests of the devices, the least likely first", marked))
    if folded.height:
        source.on_opening(
            f"{plural(folded.height, 'inconclusive test')}: too small a sample to tell",
            lambda: source.show(_table(folded, "Inconclusive tests", [])),
        )
    source.note(
        "Chance is corrected for the number of tests (Holm 1979). “Minimum detectable bias”: how much more "
        "often the likeliest value would have to come for the test to find it with 80 % power."
    )


def _table(rows: pl.DataFrame, label: str, marked: list[int]) -> markup.Html:
    compared = "verdict_before" in rows.columns
    listed = [
        [
            badge(r["verdict"]),
            *([badge(r["verdict_before"]) if r["verdict_before"] else "–"] if compared else []),
            linked(_sentence(fairness.FAMILIES[r["family"]])),
            fairness_words.where(r),
            f"{r['n']:,}",
            markup.two_lines(odds(r["p_adjusted"]), r["how"]),
            "–" if r["detectable_percent"] is None else f"{r['detectable_percent']:.0f} %",
            capitalized(r["sentence"]),
        ]
        for r in rows.head(ROWS).iter_rows(named=True)
    ]
    first, *others = TESTS.items()
    columns = dict([first, *([("Before", "short")] if compared else []), *others])
    return markup.table(columns, listed, label, marked=marked, sortable=True)


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def show_counts(figures: Figures, family: str, by: str, of: Selection, tested: pl.DataFrame) -> None:
    """Show observed and expected counts of a family's values, one test at a time, the least likely first."""
    found = figures.ask(f"Counts: {plain(fairness.FAMILIES[family])}", fairness.fairness_counts, family, by, of)
    if found.is_empty():
        return
    there = {fairness_words.where(row) for row in found.iter_rows(named=True)}
    ordered = [fairness_words.where(row) for row in tested.filter(pl.col("family") == family).iter_rows(named=True)]
    places = list(dict.fromkeys([place for place in ordered if place in there] + sorted(there)))
    source.section(_sentence(plain(fairness.FAMILIES[family])), "Bars: observed. Lines: expected by chance.")
    place = st.selectbox("Counts of", places, key=f"counts {family} {by}")
    rows = [row for row in found.iter_rows(named=True) if fairness_words.where(row) == place]
    drawn = pl.DataFrame(rows, schema=found.schema)
    source.show(counts_chart(drawn, f"{plain(fairness.FAMILIES[family])}: observed next to expected, {place}"))


page()
