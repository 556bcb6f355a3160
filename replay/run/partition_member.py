"""A log that several replayers share: each member judges the streams of the partitions assigned to it.

A member does with a partition what a single replayer does with a log: the same loop, the same transaction of results,
snapshots and positions. When a partition is reassigned, the next member resumes from what was committed.
"""

import time
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Protocol

import msgspec

from events.errors import PartitionReassigned
from events.log.contract import EventLog, ResultStore
from events.log.relaxed_gc import relaxed_gc
from replay.run.replayer import Replay, Summary

CYCLE_S = 0.2
"""How long a member waits for events, over all its partitions, before it polls the group."""
IDLE_S = 0.5
"""How long a member without partitions waits."""
RETRY_S = 1.0
"""How long a member leaves a partition alone that it could not commit: it may be another's by now."""


class ReplayGroup(Protocol):
    """A group of replayers as one of its members has it."""

    def poll(self) -> frozenset[int] | None:
        """Take part in the group; return the partitions that are ours, or None while they are being shared out."""

    def part(self, number: int) -> AbstractContextManager[tuple[EventLog, ResultStore]]:
        """Take a partition over: its log, and its results as they are. Raises `PartitionReassigned` if it is another's."""


class _Part:
    """One partition at work."""

    def __init__(self, group: ReplayGroup, number: int, wait_s: float) -> None:
        self._open = ExitStack()
        with ExitStack() as opening:
            log, results = opening.enter_context(group.part(number))
            self.replay = Replay(log, results)
            self._run = self.replay.run(wait_s=wait_s)
            opening.callback(self._run.close)
            self._open = opening.pop_all()

    def step(self) -> None:
        """Judge new events and commit, or wait a little. Raises `PartitionReassigned` if the commit was refused."""
        next(self._run)

    def close(self) -> None:
        """Give up the partition and drop uncommitted work."""
        self._open.close()


class Shared(Summary, kw_only=True):
    """A member's work in all its partitions, past and present, and its present partitions."""

    partitions: list[int] = msgspec.field(default_factory=list)


def follow_group(group: ReplayGroup) -> Generator[Shared]:
    """Replay the partitions assigned to this member, for ever, yielding after every cycle; the caller stops it."""
    parts: dict[int, _Part] = {}
    retry_at: dict[int, float] = {}
    past = Shared()

    def give_up(number: int) -> None:
        part = parts.pop(number)
        _add(past, part.replay.summary)
        part.close()

    try:
        with relaxed_gc():
            while True:
                assigned = group.poll()
                if assigned is None:  # nothing could be committed now
                    yield _total(past, parts)
                    continue
                for number in parts.keys() - assigned:
                    give_up(number)
                for number in sorted(assigned - parts.keys()):
                    if retry_at.get(number, 0.0) <= time.monotonic():
                        try:
                            parts[number] = _Part(group, number, CYCLE_S / len(assigned))
                        except PartitionReassigned:
                            retry_at[number] = time.monotonic() + RETRY_S
                for number in list(parts):
                    try:
                        parts[number].step()
                    except PartitionReassigned:
                        retry_at[number] = time.monotonic() + RETRY_S
                        give_up(number)
                yield _total(past, parts)
                if not parts:
                    time.sleep(IDLE_S)
    finally:
        for number in list(parts):
            parts.pop(number).close()


def _total(past: Shared, parts: Mapping[int, _Part]) -> Shared:
    total = Shared(partitions=sorted(parts))
    for summary in (past, *(part.replay.summary for part in parts.values())):
        _add(total, summary)
    return total


def _add(total: Shared, summary: Summary) -> None:
    total.events += summary.events
    total.rounds += summary.rounds
    total.changed += summary.changed
    total.foreign = total.foreign.with_others(summary.foreign)
    total.judged_again = list(dict.fromkeys([*total.judged_again, *summary.judged_again]))
    total.integrity = list(dict.fromkeys([*total.integrity, *summary.integrity]))
