"""What hold, dealers and fairness do alike: which part of the floor, verdicts in words and shapes, the views of a page."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from analytics.hold import hold
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.parts import source
from replay.narrative.names import game_name, table_name

VERDICTS = {
    "alarm": ("rk-high", "◆", "Needs review"),
    "outside_997": ("rk-high", "●", "Outside 99.7 %"),
    "outside_95": ("rk-medium", "◐", "Outside 95 %"),
    "within": ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}", "Within chance"),
    "cannot_tell": ("rk-v-undetermined", "?", "Inconclusive"),
    "above": ("rk-low", "▲", "Above theory"),
    "no_theory": ("rk-low", "–", "No theory"),
}
"""Verdict of a test → class, shape and word: what stands out is a place to look, never an accusation."""


def badge(verdict: str) -> Html:
    """Return a test's verdict by shape and word."""
    kind, shape, word = VERDICTS.get(verdict, ("rk-low", "", verdict.replace("_", " ")))
    return Html(f'<span class="rk-badge {kind}"><span aria-hidden="true">{shape}</span> {markup.text(word)}</span>')


def view(views: Mapping[str, str]) -> str:
    """Offer the views of a page and keep the choice in the address; return the one chosen."""
    names = list(views)
    given = source.chosen("view", names) or names[0]
    picked = (
        st.segmented_control(
            "View",
            names,
            default=given,
            required=True,
            format_func=lambda name: views[name],
            key="view",
            label_visibility="collapsed",
        )
        or names[0]
    )
    st.query_params["view"] = str(picked)
    return str(picked)


def selection(*, dealers: bool = True) -> Selection:
    """Offer which part of the floor, kept in the address; what is counted per box knows no dealer (D27).

    Who may not see names is offered no dealer either.
    """
    dealers = dealers and access.may(access.NAMES)
    choices = source.ask(hold.choices)
    boxes = st.columns(4 if dealers else 3)
    with boxes[0]:
        game = source.choose("Game", "game", choices.games, game_name, "All games")
    with boxes[1]:
        table = source.choose("Table", "table", choices.tables, table_name, "All tables")
    dealer = None
    if dealers:
        with boxes[2]:
            dealer = source.choose("Dealer", "dealer", choices.dealers, table_name, "All dealers")
    with boxes[-1]:
        months = [month.isoformat()[:7] for month in choices.months]
        month = source.choose("Month", "month", months, str, "All months")
    first, last = hold.month_of(month) if month else (None, None)
    return Selection(game=game, table=table, dealer=dealer, first=first, last=last)


def odds(p: float | None) -> str:
    """Return a p-value as people say it.

    >>> odds(0.31), odds(0.004), odds(0.0000002), odds(None)
    ('1 in 3', '1 in 250', 'less than 1 in 1,000,000', '–')
    """
    if p is None:
        return "–"
    if p < 1e-6:
        return "less than 1 in 1,000,000"
    return "as usual" if p >= 0.95 else f"1 in {1 / p:,.0f}" if p < 0.5 else f"{100 * p:.0f} in 100"
