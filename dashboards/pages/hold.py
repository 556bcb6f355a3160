"""Hold: what did the tables win, on what, and is it luck?"""

from analytics.questions import VIEWS
from analytics.warehouse import floor_data
from dashboards.analysis import hold_counts, hold_day, hold_luck, hold_pace, hold_wagers
from dashboards.analysis.floor_part import floor_part, view
from dashboards.parts import source

_VIEWS = {
    "counted": hold_counts.show_counts,
    "wagers": hold_wagers.show_house_win,
    "day": hold_day.show_day,
    "luck": hold_luck.show_luck,
    "time": hold_luck.show_days,
    "pace": hold_pace.show_pace,
    "behind": hold_pace.show_wagers,
}


def page() -> None:
    """Lay the page out: one of its views, for the chosen part of the floor."""
    source.begin()
    formats = source.formats()
    source.heading("Hold and house win", "Drop, win and hold % come from the counts, handle and house win from the wagers.")
    if not source.ask(floor_data.gaming_days):
        source.no_rounds("No counts yet")
        source.watch()
        return
    shown = view(VIEWS["hold"])
    part = floor_part(dealers=shown not in ("counted", "day"))
    if shown != "counted":
        hold_wagers.show_days_without_wagers(part)
    _VIEWS[shown](part, formats)
    source.watch()


page()
