"""Verdicts of tests in words and shapes, and p-values in plain words."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from dashboards.drawing import markup
from dashboards.drawing.markup import Html

VERDICTS: Final = {
    "alarm": ("rk-high", "◆", "Needs review"),
    "outside_997": ("rk-high", "●", "Outside 99.7 %"),
    "outside_95": ("rk-medium", "◐", "Outside 95 %"),
    "above": ("rk-low", "▲", "Above best play"),
    "within": ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}", "Within chance"),
    "cannot_tell": ("rk-v-undetermined", "?", "Inconclusive"),
    "no_theory": ("rk-low", "–", "No theory"),
}
"""Verdict of a test → class, shape and word, what needs a look first; it is a place to look, never an accusation."""
FOLDED: Final = ("cannot_tell", "no_theory")
"""Verdicts that say nothing of luck: their rows stand folded below the others."""


def badge(verdict: str) -> Html:
    """Return a test's verdict by shape and word."""
    kind, shape, word = VERDICTS.get(verdict, ("rk-low", "", verdict.replace("_", " ")))
    return Html(f'<span class="rk-badge {kind}"><span aria-hidden="true">{shape}</span> {markup.text(word)}</span>')


def flagged_first(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows by `verdict`, those that need a look first, otherwise in their order."""
    order = {name: place for place, name in enumerate(VERDICTS)}
    return rows.sort(pl.col("verdict").replace_strict(order, default=len(order)), maintain_order=True)


def flagged_table(columns: Mapping[str, str], rows: Sequence[Sequence[object]], verdicts: Iterable[str], label: str) -> Html:
    """Return rows as a table that its headings sort; rows that need review are highlighted."""
    marked = [i for i, verdict in enumerate(verdicts) if verdict == "alarm"]
    return markup.table(columns, rows, label, marked=marked, sortable=True)


def odds(p: float | None) -> str:
    """Return a p-value in plain words.

    >>> odds(0.31), odds(0.004), odds(0.0000002), odds(None)
    ('1 in 3', '1 in 250', 'less than 1 in 1,000,000', '–')
    """
    if p is None:
        return "–"
    if p < 1e-6:
        return "less than 1 in 1,000,000"
    return "as usual" if p >= 0.95 else f"1 in {1 / p:,.0f}" if p < 0.5 else f"{100 * p:.0f} in 100"
