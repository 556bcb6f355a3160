"""What an analysis is about: its view, the part of the floor, the gaming days and the period before, all in the address."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

import streamlit as st

from analytics.hold import hold
from analytics.hold.changes import period_before
from analytics.warehouse.selection import Selection
from dashboards.access import access
from dashboards.drawing.names import day_name, short_day
from dashboards.parts import source
from replay.narrative.names import game_name, table_name

OTHER_DAYS: Final = "Other days"
WEEK: Final = timedelta(days=6)
Days = tuple[date | None, date | None]


class FloorPart(NamedTuple):
    """The part of the floor on view; `before`: the same in the period before, null where no comparison is wanted."""

    selection: Selection
    before: Selection | None


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


def floor_part(*, dealers: bool = True) -> FloorPart:
    """Offer which part of the floor and which days; what is counted per box knows no dealer (D27).

    Who may not see names is offered no dealer either.
    """
    dealers = dealers and access.may(access.NAMES)
    choices = source.ask(hold.choices)
    source.not_offered("Table", "table", choices.tables)
    source.not_offered("Game", "game", choices.games)
    boxes = st.columns(5 if dealers else 4, vertical_alignment="bottom")
    with boxes[0]:
        game = source.choose("Game", "game", choices.games, game_name, "All games")
    with boxes[1]:
        table = source.choose("Table", "table", choices.tables, table_name, "All tables")
    dealer = None
    if dealers:
        with boxes[2]:
            dealer = source.choose("Dealer", "dealer", choices.dealers, table_name, "All dealers")
    with boxes[-2]:
        first, last = _gaming_days(source.ask(hold.gaming_days))
    selection = Selection(game=game, table=table, dealer=dealer, first=first, last=last)
    with boxes[-1]:
        compared = _comparison(selection)
    before = period_before(selection) if compared and first and last else None
    if before is not None:
        source.show(f'<p class="rk-note">{words(selection)}, compared with {words(before)}.</p>')
    return FloorPart(selection, before)


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
    """Return the periods that are offered by name: all days, each of the last few, the last week, and every month, newest first.

    >>> list(presets([date(2026, 3, 6), date(2026, 3, 5)]))
    ['All days', 'Fri 6 Mar', 'Thu 5 Mar', '2026-03']
    """
    newest = sorted(days, reverse=True)
    offered: dict[str, Days] = {"All days": (None, None)}
    if newest and newest[-1] < newest[0] - WEEK:
        offered["Last 7 days"] = (newest[0] - WEEK, newest[0])
    offered |= {short_day(day): (day, day) for day in newest[:7]}
    return offered | {f"{day:%Y-%m}": hold.month_of(f"{day:%Y-%m}") for day in newest}


def _gaming_days(days: Sequence[date]) -> Days:
    """Offer the gaming days; the choice stands in the address as `from` and `to`."""
    offered = presets(days)
    given = _given()
    names = [*offered, OTHER_DAYS]
    shown = next((name for name, period in offered.items() if period == given), OTHER_DAYS)
    picked = st.selectbox("Gaming days", names, index=names.index(shown), key="choose-days")
    first, last = offered.get(picked, given)
    if picked == OTHER_DAYS and days:
        start = first or min(days), last or max(days)
        chosen = st.date_input("From and to", start, key="other-days")
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
    """Offer the comparison with the period before, where days are chosen."""
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
