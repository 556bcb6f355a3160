"""Fairness: do dice, cards and shufflers give everybody the same chance?"""

from __future__ import annotations

import polars as pl
import streamlit as st

from analytics.fairness import fairness
from analytics.warehouse.selection import Selection
from dashboards.drawing import markup
from dashboards.drawing.charts import counts_chart
from dashboards.drawing.decisions import linked, plain
from dashboards.parts import analysis, fairness_words, source
from replay.narrative.names import plural

BY = {"table": "Table", "property": "The whole floor", "game": "Game", "dice_set": "Dice set", "deck": "Deck"}
TESTS = {
    "Verdict": "short",
    "Test": "text",
    "Where": "text",
    "Sample size": "number",
    "Chance": "number",
    "Minimum detectable bias": "number",
    "Explanation": "text",
}
ROWS = 60


def page() -> None:
    """Lay the page out: every test, the least likely first, and the counts behind one family of them."""
    source.begin()
    source.show(
        markup.heading(
            "Fairness", "Whether dice, cards and shufflers do as chance would. What stands out is a place to look."
        )
    )
    of = analysis.selection(dealers=False)
    left, right = st.columns(2)
    with left:
        by = source.choose("Group by", "by", list(BY)[1:], lambda name: BY[name], BY["table"]) or "table"
    found = source.reckon(fairness.fairness, by, of)
    if found.is_empty():
        source.show(
            markup.empty(
                "Nothing to test",
                "No rolls and no deals here. Run `rack replay --log ADDR --warehouse FILE`, or choose another part.",
            )
        )
        source.watch()
        return
    families = [family for family in fairness.FAMILIES if family in set(found["family"])]
    with right:
        family = source.choose(
            "Test", "family", families, lambda name: plain(fairness.FAMILIES[name]).capitalize(), "All tests"
        )
    source.show(fairness_words.answer(found))
    shown = found if family is None else found.filter(pl.col("family") == family)
    if family in fairness.COUNTED:
        counts(str(family), by, of)
    tests(shown)
    source.watch()


def tests(found: pl.DataFrame) -> None:
    """Show the tests, the least likely first."""
    rows = [
        [
            analysis.badge(r["verdict"]),
            linked(_sentence(fairness.FAMILIES[r["family"]])),
            fairness_words.where(r),
            f"{r['n']:,}",
            markup.two_lines(analysis.odds(r["p_adjusted"]), r["how"]),
            "–" if r["detectable_percent"] is None else f"{r['detectable_percent']:.0f} %",
            r["sentence"],
        ]
        for r in found.head(ROWS).iter_rows(named=True)
    ]
    marked = [i for i, alarm in enumerate(found.head(ROWS)["alarm"]) if alarm]
    source.show(markup.table(TESTS, rows, "Tests of the devices, the least likely first", marked=marked))
    more = (
        f"{plural(found.height - ROWS, 'more test')}: <code>rack fairness --json</code>. "
        if found.height > ROWS
        else ""
    )
    source.show(
        f'<p class="rk-note">{more}Chance is corrected for the number of tests. “Minimum detectable bias”: how much more often '
        "the likeliest value would have to come for the test to find it with 80 % power.</p>"
    )


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]


def counts(family: str, by: str, of: Selection) -> None:
    """Show how often each value of a family came beside how often it should, one test at a time."""
    found = source.reckon(fairness.fairness_counts, family, by, of)
    if found.is_empty():
        return
    places = list(dict.fromkeys(fairness_words.where(row) for row in found.iter_rows(named=True)))
    place = st.selectbox("Counts of", places, key=f"counts {family} {by}")
    rows = [row for row in found.iter_rows(named=True) if fairness_words.where(row) == place]
    drawn = pl.DataFrame(rows, schema=found.schema)
    st.altair_chart(
        counts_chart(drawn), theme=None, alt=f"{plain(fairness.FAMILIES[family])}: observed beside expected, {place}"
    )


page()
