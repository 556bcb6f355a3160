"""The edits of a script that make faults: drop, change or move a step, add an event before or after it.

An edit finds a step by its event's type and fields, and is impossible if none exists. Values may be functions of the play and
the event. `spot` returns the place of the fault from the original event.
"""

from collections.abc import Callable
from typing import Any

from events.vocabulary.model import Event
from floor.faults.anomaly import Edit, Prepare, require
from floor.faults.labels import Spot
from floor.table.script import ScriptStep, changed

Place = Callable[[Any, Any], Spot]


def nowhere(play: Any, event: Any) -> Spot:
    """At no seat."""
    return Spot()


def its_seat(play: Any, event: Any) -> Spot:
    """At the seat of the event."""
    return Spot(event.seat)


def its_wager(play: Any, event: Any) -> Spot:
    """At the seat and wager of the event."""
    return Spot(event.seat, event.wager)


def at_seat(wager: str | None = None) -> Edit:
    """Label the chosen seat and a wager there: the fault is in the plan."""
    return lambda play: Spot(play.plan.chosen, wager)


def only_if(holds: Callable[[Any], object]) -> Edit:
    """Label the round if this condition is true of it: the irregularity is in the plan."""

    def edit(play: Any) -> Spot:
        require(holds(play))
        return Spot()

    return edit


def find(play: Any, type_: type[Event], at: int | None, **fields: Any) -> ScriptStep:
    """Return the nth step of a type, or any of them (None). Raises `NotPossible`."""
    steps: list[ScriptStep] = require(play.script.of(type_, **fields))
    return play.plan.random.choice(steps) if at is None else steps[at]


def drop(type_: type[Event], at: int | None = 0, spot: Place = nowhere, **fields: Any) -> Edit:
    """Remove a step: it does not happen."""

    def edit(play: Any) -> Spot:
        step = find(play, type_, at, **fields)
        play.script.drop(step)
        return spot(play, step.payload)

    return edit


def change(type_: type[Event], at: int | None = 0, spot: Place = nowhere, **values: Any) -> Edit:
    """Change values of a step."""

    def edit(play: Any) -> Spot:
        step = find(play, type_, at)
        event = step.payload
        changed(step, **{name: value(play, event) if callable(value) else value for name, value in values.items()})
        return spot(play, event)

    return edit


def add_behind(type_: type[Event], event_of: Callable[[Any, Any], Event]) -> Edit:
    """Insert an event right after the first step of a type."""
    return lambda play: _add(play, play.script.behind, type_, event_of)


def add_before(type_: type[Event], event_of: Callable[[Any, Any], Event]) -> Edit:
    """Insert an event right before the first step of a type."""
    return lambda play: _add(play, play.script.before, type_, event_of)


def _add(
    play: Any, insert: Callable[[ScriptStep, Event], object], type_: type[Event], event_of: Callable[[Any, Any], Event]
) -> Spot:
    step = find(play, type_, 0)
    insert(step, event_of(play, step.payload))
    return Spot()


def by_turns(*edits: Edit) -> Edit:
    """Apply these edits in turn, one each time."""
    return lambda play: edits[play.plan.turn % len(edits)](play)


def prepared_by_turns(*preparations: Prepare) -> Prepare:
    """Prepare the round by these functions in turn, one each time."""
    return lambda plan: preparations[plan.turn % len(preparations)](plan)


def both(*edits: Edit) -> Edit:
    """Apply all of these edits; the first gives the label's place."""

    def edit(play: Any) -> Spot:
        spots = [each(play) for each in edits]
        return spots[0]

    return edit
