"""The state of judging by this program's engine: whose verdicts are in force, and what the shadows would change."""

from contextlib import closing

import msgspec

from desk.review.desk import Desk
from desk.shadows.adopting import WorkAgain, adopted_work, work
from desk.shadows.difference import DifferenceGroup, DifferenceGroups, differences
from events.log.contract import Head
from events.open import open_shadow, shadow_names
from replay.narrative.events import sentence
from replay.run.engine import engine
from replay.run.held import held_in
from replay.run.positions import stored_state
from replay.run.shadow import held_streams, last_adoption, shadow_engine

__all__ = ["DifferenceGroup", "WorkAgain", "adopted", "engine_state", "shadow_changes"]
"""Includes the classes that pages import from here."""


class EngineState(msgspec.Struct, frozen=True):
    """This program's engine, the number of rounds with an earlier engine's verdict in force, and the shadows present."""

    engine: str
    held: int
    shadows: list[str]


def engine_state(desk: Desk, address: str) -> EngineState:
    """Return the state of judging in the log at an address."""
    held = [held_in(snapshot) for snapshot in stored_state(desk.results).snapshots.values()]
    return EngineState(engine(), sum(each.rounds for each in held if each.are_held), shadow_names(address))


class ShadowChanges(msgspec.Struct, frozen=True, kw_only=True):
    """The changes from adopting a shadow: rounds, money by rule, decisions on them, and streams that it covers less of."""

    rounds: int
    groups: list[DifferenceGroup]
    work: list[WorkAgain]
    behind: list[str]


class LastAdoption(msgspec.Struct, frozen=True):
    """The last adoption in a sentence (or empty), and earlier decisions that no one has looked at since."""

    sentence: str
    work: list[WorkAgain]


def adopted(desk: Desk) -> LastAdoption:
    """Return the last adoption in a log, and the work after it."""
    last = last_adoption(desk.log)
    return LastAdoption("", []) if last is None else LastAdoption(sentence(last[1]), list(adopted_work(desk)))


def shadow_changes(desk: Desk, address: str, name: str) -> ShadowChanges:
    """Return the changes of a shadow. Raises `ResultBroken` if it was altered, `LogUnavailable` if none exists."""
    groups = DifferenceGroups()
    with closing(open_shadow(address, name, read_only=True)) as shadow:
        for line in differences(shadow, desk.results):
            groups.add(line)
        reach = shadow.positions(shadow_engine())
        behind = [stream for stream, to in held_streams(desk.results).items() if reach.get(stream, Head(0, b"")).seq < to]
        decided = list(work(desk, shadow, desk.results))
    return ShadowChanges(rounds=groups.rounds, groups=groups.all(), work=decided, behind=behind)
