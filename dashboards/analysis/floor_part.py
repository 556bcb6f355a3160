"""The subject of an analysis: its view, part of the floor, gaming days and period before, all in the address."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from analytics.hold.changes import period_before, whole_months
from analytics.questions import DIMENSIONS, Question
from analytics.warehouse import floor_data
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.drawing.names import day_name, short_day
from dashboards.parts import source
from replay.narrative.names import game_name, table_name

ALL_DAYS: Final = "All days"
OTHER_DAYS: Final = "Other days"
WEEK: Final = timedelta(days=6)
OF_A_VIEW: Final = ("by", "of", "wager", "period")
"""The keys in the address that belong to one view; another view begins without them."""
Days = tuple[date | None, date | None]


class FloorPart(NamedTuple):
    """The selected part of the floor, the part `before` to compare with (or None), and the filter bar for more controls."""

    selection: Selection
    before: Selection | None
    bar: DeltaGenerator


def view(views: Mapping[str, str]) -> str:
    """Offer the views of a page and keep the choice in the address; return the one chosen."""
    names = list(views)
    given = source.value_in_address("View", "view", names) or names[0]
    picked = source.pick("View", names, views, key="view", default=given)
    if picked != given:
        for name in OF_A_VIEW:
            st.query_params.pop(name, None)
    st.query_params["view"] = picked
    return picked


def group_by(question: Question, bar: DeltaGenerator) -> str:
    """Offer in the filter bar what the answer can be broken down by, no dealers to who may not see names."""
    with bar:
        return source.choose_one("Group by", "by", offered(question), lambda name: f"By {DIMENSIONS[name].lower()}", in_bar=True)


def offered(question: Question) -> list[str]:
    """Return the dimensions that the page of a question offers to who looks at it."""
    return [name for name in question.offered() if name != "dealer" or access.may(access.NAMES)]


def floor_part(*, dealers: bool = True, by_month: bool = False) -> FloorPart:
    """Offer the part of the floor and the days; counts of a drop box have no dealer (D27).

    A role that may not see names gets no choice of dealer. Monthly counts are compared by whole months.
    """
    choices = source.ask(floor_data.choices)
    games = [each for each in choices.games if each != floor_data.SEVERAL_GAMES or not (dealers or by_month)]
    dealers = dealers and access.may(access.NAMES)
    bar = st.container(horizontal=True, vertical_alignment="center", gap="small", key="filter-bar")
    with bar:
        game = source.choose("Game", "game", games, game_name, "All games", in_bar=True)
        table = source.choose("Table", "table", choices.tables, table_name, "All tables", in_bar=True)
        dealer = None
        if dealers:
            dealer = source.choose("Dealer", "dealer", choices.dealers, table_name, "All dealers", in_bar=True)
        first, last = _gaming_days(source.ask(floor_data.gaming_days))
        selection = Selection(game=game, table=table, dealer=dealer, first=first, last=last)
        compared = _comparison(selection)
    before = None
    if compared and first and last:
        here = whole_months(selection) if by_month else selection
        before = period_before(here)
        source.note(f"{words(here)}, compared with {words(before)}.")
    return FloorPart(selection, before, bar)


def words(selection: Selection) -> str:
    """Return the gaming days of a selection in words.

    >>> words(Selection(first=date(2026, 3, 6), last=date(2026, 3, 6)))
    'Fri 6 Mar 2026'
    """
    if selection.first is None or selection.last is None:
        return "All gaming days"
    if selection.first == selection.last:
        return day_name(selection.first)
    return f"{day_name(selection.first)} to {day_name(selection.last)}"


def presets(days: Sequence[date]) -> dict[str, Days]:
    """Return the named periods: all days, each of the last few, the last week, and every month, newest first.

    >>> list(presets([date(2026, 3, 6), date(2026, 3, 5)]))
    ['All days', 'Fri 6 Mar', 'Thu 5 Mar', 'Mar 2026']
    """
    newest = sorted(days, reverse=True)
    offered: dict[str, Days] = {ALL_DAYS: (None, None)}
    if newest and newest[-1] < newest[0] - WEEK:
        offered["Last 7 days"] = (newest[0] - WEEK, newest[0])
    offered |= {short_day(day): (day, day) for day in newest[:7]}
    return offered | {f"{day:%b %Y}": floor_data.month_of(f"{day:%Y-%m}") for day in newest}


def _gaming_days(days: Sequence[date]) -> Days:
    """Offer the gaming days; the choice is in the address as `from` and `to`."""
    offered = presets(days)
    given = _given()
    shown = next((name for name, period in offered.items() if period == given), OTHER_DAYS)
    names = [*list(offered)[1:], OTHER_DAYS]
    key = "choose-days"
    if key not in st.session_state:
        st.session_state[key] = shown if shown in names else None
    picked = st.selectbox(
        "Gaming days", names, index=None, placeholder=ALL_DAYS, key=key, label_visibility="collapsed", width=source.BAR_WIDTH
    )
    first, last = offered.get(picked or ALL_DAYS, given)
    if picked == OTHER_DAYS and days:
        start = first or min(days), last or max(days)
        chosen = st.date_input(
            "From and to", start, key="other-days", label_visibility="collapsed", width=230, format="MM/DD/YYYY"
        )
        first, last = chosen if isinstance(chosen, tuple) and len(chosen) == 2 else start
    for name, day in (("from", first), ("to", last)):
        if day is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = day.isoformat()
    return first, last


def _given() -> Days:
    first, last = (st.query_params.get(name) for name in ("from", "to"))
    try:
        days = date.fromisoformat(first or ""), date.fromisoformat(last or "")
    except ValueError:  # one of them is missing, or there is no such day
        return None, None
    return days if days[0] <= days[1] else (None, None)


def _comparison(selection: Selection) -> bool:
    """Offer the comparison with the period before, if days are chosen."""
    without = selection.first is None
    picked = st.toggle(
        "Period before",
        value=st.query_params.get("compare") == "true",
        key="compare",
        disabled=without,
        help="Choose gaming days to compare" if without else "Compare with as many days before",
    )
    if picked and not without:
        st.query_params["compare"] = "true"
    else:
        st.query_params.pop("compare", None)
    return bool(picked) and not without
