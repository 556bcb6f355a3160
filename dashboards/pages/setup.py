"""Setup: is every part of the house in order, and what would the property's file change?"""

import time

import streamlit as st

from analytics.theory.theory import percent_of
from dashboards.drawing import markup
from dashboards.drawing.markup import Html
from dashboards.parts import pit_entry, source
from dashboards.run import log_options
from desk.house.health import Part, look
from desk.house.plan import APPLIERS, Plan, apply, make_plan
from desk.house.property_file import FILE, read_property
from desk.house.table_lines import HouseLog
from desk.review.desk import REFUSALS
from desk.review.persons import Persons, ReviewRefused, acting
from replay.narrative.names import plural

ACROSS = 3
"""Cards next to each other; on a phone they are below each other."""
TITLES = {"sign-in": "Sign-in", "filings": "Signatures"}
MARKS = {"+": "New:", "~": "Changed:", "!": "Note:"}


def page() -> None:
    """Lay the page out: a card for each part, the plan, and the button that applies it."""
    source.begin()
    source.heading("Setup", "Every part of the house, and what its file would change.")
    pit_entry.outcome()
    folder = pit_entry.folder()
    if folder is None:
        source.empty("No property file", f"There is no {FILE} next to the log; `rack init` makes one.")
        return
    cards(list(look(folder, time.time_ns() // 1_000, **log_options())))
    source.section("Plan", f"What {FILE} would change. Anything that the file leaves out stays as it is.")
    try:
        made = read_property(folder)
        plan = pit_entry.read(lambda log: make_plan(made, log, percent_of))
    except REFUSALS as error:
        source.notice("The file is refused", str(error))
        return
    show_plan(plan)


def cards(parts: list[Part]) -> None:
    """Show a card for each part: whether it is in order, its state, and what to do if it is not."""
    for first in range(0, len(parts), ACROSS):
        for column, part in zip(st.columns(ACROSS), parts[first : first + ACROSS], strict=False):
            with column, st.container(border=True, key=f"card-{part.name}"):
                kind, shape, says = (
                    ("rk-v-upheld", "✔\N{VARIATION SELECTOR-15}", "In order") if part.ok else ("rk-medium", "▷", "To do")
                )
                badge = Html(f'<span class="rk-badge {kind}"><span aria-hidden="true">{shape}</span> {says}</span>')
                source.show(
                    markup.section(TITLES.get(part.name, part.name.capitalize()))
                    + badge
                    + "".join(f"<p>{markup.coded(words)}</p>" for words in (part.says, part.to_do) if words)
                )
                if part.command:
                    source.show(f'<pre class="rk-command" tabindex="0">{markup.text(part.command)}</pre>')


def show_plan(plan: Plan) -> None:
    """Show the changes, the points that need attention, and the button."""
    lines = [line for line in plan.lines if line[0] in MARKS]
    source.show("".join(f"<p><b>{MARKS[line[0]]}</b> {markup.text(line[2:])}</p>" for line in lines))
    if not plan.changes:
        source.note("There is nothing to apply.")
        return
    files = sum(each.mark in "+~" for each in plan.files)
    label = f"Apply {plural(plan.events, 'event')} and {plural(files, 'file')}"
    st.button(label, type="primary", key="apply", on_click=_apply, args=(tuple(plan.lines),))


def _apply(shown: tuple[str, ...]) -> None:
    """Apply the file if its plan is still the one shown."""

    def what(log: HouseLog, persons: Persons, by: str) -> None:
        folder = pit_entry.folder()
        assert folder is not None
        made = read_property(folder)
        person = acting(made.persons, by, *APPLIERS)
        if tuple(make_plan(made, log, percent_of).lines) != shown:
            raise ReviewRefused("the plan has changed since it was shown; look at it again")
        plan = apply(made, log, percent_of, by=person.id, now_us=time.time_ns() // 1_000)
        for each in plan.files:
            each.write()

    pit_entry.written("setup", "The property is as its file says", what)


page()
