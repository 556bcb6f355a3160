"""A floor that plays by the clock: the collector of a table or meter sends each event when its device reports it.

The events of a stream come in the order of the script; one that arrives late waits for those before it. Events already due at the
start are sent at once.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from events.vocabulary.envelope import Draft
from floor.day.gaming_day import Turn
from floor.faults.labels import Planted
from floor.live.collector import Collector
from floor.table.casino import PROPERTY
from floor.table.streams import line_of

MOST_LINES: Final = 50
"""Events of a table sent at once if this many are due."""
AHEAD_US: Final = 60_000_000
AHEAD_S: Final = 2.0
"""The script is known this far ahead, by the devices' clock and in real time."""


class FloorClock:
    """The devices' clock: it starts at `start_us` (UTC microseconds), and runs `speed` times as fast as time."""

    def __init__(self, start_us: int, speed: float = 1.0) -> None:
        self._start_us, self.speed, self._since_s = start_us, speed, time.monotonic()

    def now_us(self) -> float:
        """Return the time it shows."""
        return self._start_us + (time.monotonic() - self._since_s) * self.speed * 1e6

    def seconds_until(self, at_us: float) -> float:
        """Return the seconds until it shows a time; negative if that is past."""
        return (at_us - self.now_us()) / self.speed / 1e6


class DueEvent(NamedTuple):
    """An event, and when to send it by the devices' clock."""

    at_us: float
    stream: str
    draft: Draft


Listener = Callable[[Sequence[DueEvent], float], None]
"""Hears of events that were answered, and how many seconds after the first of them was due."""


class LiveFloor:
    """Plays turns by a clock until it is stopped, or they end.

    `answered` counts lines by the status of their answer, `ends` maps each stream to its last answered event. `labels` are the
    faults planted in fully answered rounds, `begun` those of begun rounds, `unfinished` the rounds with events still to send.
    """

    def __init__(
        self,
        turns: Iterator[Turn],
        clock: FloorClock,
        collector: Callable[[str], Collector],
        listener: Listener = lambda *_: None,
    ) -> None:
        self._turns, self._clock, self._collector, self._listener = turns, clock, collector, listener
        self._queues: dict[str, asyncio.Queue[DueEvent | None]] = {}
        self._last_us: dict[str, float] = {}
        self._stopping = asyncio.Event()
        self._played: list[tuple[dict[str, int], set[tuple[str, int]], Sequence[Planted]]] = []
        self._taken: Counter[str] = Counter()
        self._handed: Counter[str] = Counter()
        self.answered: Counter[str] = Counter()
        self.ends: dict[str, int] = {}

    @property
    def labels(self) -> list[Planted]:
        """The faults of rounds whose events were all answered."""
        return [label for ends, _, labels in self._played if self._answered_to(ends) for label in labels]

    @property
    def begun(self) -> list[Planted]:
        """The faults of every round with an event that may have been answered."""
        return [label for _, _, labels in self._played for label in labels]

    @property
    def unfinished(self) -> set[tuple[str, int]]:
        """The rounds with an unanswered event, as stream and number; a correction of them may still come."""
        return {each for ends, rounds, _ in self._played if not self._answered_to(ends) for each in rounds}

    def _answered_to(self, ends: Mapping[str, int]) -> bool:
        return all(self._handed[stream] >= end for stream, end in ends.items())

    def stop(self) -> None:
        """Stop the play, and wait for answers to sent events."""
        self._stopping.set()

    async def play(self) -> None:
        """Play. Raises `NotTaken` if the gateway refuses a request for good."""
        async with asyncio.TaskGroup() as tasks:
            for turn in self._turns:
                self._take(turn, tasks)
                await asyncio.sleep(0)  # to make the next turn takes a while: those that are due go first
                if await self._stopped_before(turn.next_us - AHEAD_US - AHEAD_S * self._clock.speed * 1e6):
                    break
            for queue in self._queues.values():
                queue.put_nowait(None)

    def _take(self, turn: Turn, tasks: asyncio.TaskGroup) -> None:
        """Put a turn's events into the queues of their collectors."""
        for stream, drafts in turn.groups:
            if stream == PROPERTY:
                continue  # the office hands in its own events, before the first device
            if stream not in self._queues:
                self._queues[stream] = asyncio.Queue()
                tasks.create_task(self._collect(self._queues[stream], self._collector(stream)))
            for draft in drafts:
                at_us = self._last_us[stream] = max(self._last_us.get(stream, 0), draft.occurred_at_us)
                self._queues[stream].put_nowait(DueEvent(at_us, stream, draft))
            self._taken[stream] += len(drafts)
        groups = [group for group in turn.groups if group[0] != PROPERTY]
        rounds = {(stream, each.round_no) for stream, drafts in groups for each in drafts if each.round_no is not None}
        self._played.append(({stream: self._taken[stream] for stream, _ in groups}, rounds, turn.labels))

    async def _collect(self, queue: asyncio.Queue[DueEvent | None], collector: Collector) -> None:
        """Send a stream's events when they happen; events due at the same time go together."""
        held: list[DueEvent | None] = []
        while first := held.pop() if held else await queue.get():
            if await self._stopped_before(first.at_us):
                break
            batch: list[DueEvent | None] = [first]
            while len(batch) < MOST_LINES and not held and not queue.empty():
                due = queue.get_nowait()
                (batch if due is not None and due.at_us <= self._clock.now_us() else held).append(due)
            await self._hand_in([due for due in batch if due is not None], collector)
        collector.close()

    async def _hand_in(self, batch: Sequence[DueEvent], collector: Collector) -> None:
        lines = [line_of(due.stream, due.draft) for due in batch]
        answers = await collector.hand_in(lines, self._stopping.is_set)
        for due, answer in zip(batch, answers, strict=False):
            self.answered[answer.status] += 1
            self._handed[due.stream] += 1
            if answer.seq is not None:
                self.ends[due.stream] = answer.seq
        if answers:
            self._listener(batch, -self._clock.seconds_until(batch[0].at_us))

    async def _stopped_before(self, at_us: float) -> bool:
        """Wait until the clock shows a time; true if the floor was stopped before."""
        try:
            await asyncio.wait_for(self._stopping.wait(), max(0.0, self._clock.seconds_until(at_us)))
        except TimeoutError:
            return self._stopping.is_set()
        return True
