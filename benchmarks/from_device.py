"""The delay from the device to advice and finding: 40 tables send every event when it happens, through the gateway.

Each table has a collector that sends one event for each request, as in `rack live`; each round has an underpayment. The clocks
run in real time, then ten times as fast. The time of a round counts from the moment when its last event was due, and ends when
its finding is committed (`benchmarks.delay`). The time of every other event ends when advice that includes it, or the finding of
its round, is readable in the results. Gateway, replay and floor are processes of their own.
"""

import asyncio
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.delay import PROPERTY, Commit, Key, commits_until, delays_of, following, place, shortened
from benchmarks.full_tables import Table
from benchmarks.measuring import Measured, delayed
from benchmarks.through_gateway import gateway
from events.open import open_log
from events.vocabulary.model import RoundClosed
from floor.day.gaming_day import Turn
from floor.live.collector import Collector
from floor.live.live_floor import DueEvent, FloorClock, LiveFloor

TABLES = 40
SPEEDS = (1.0, 10.0)
SECONDS = 120
SPREAD_US = 1_000_000


def script(speed: float, seconds: float) -> list[Turn]:
    """Return the rounds of each table in these seconds: all play at once, a second between events, none in step."""
    rounds, groups = max(2, math.ceil(seconds * speed / 70)), []
    for number in range(TABLES):
        at_us = number * SPREAD_US // TABLES
        for stream, drafts in Table(f"fd-{number:02d}", seed=1).groups(rounds):
            spaced = []
            for draft in shortened(drafts):
                spaced.append(msgspec.structs.replace(draft, occurred_at_us=at_us))
                at_us += SPREAD_US
            groups.append((spaced[0].occurred_at_us, stream, spaced))
    groups.sort(key=lambda group: group[:2])
    nexts = [*(at_us for at_us, _, _ in groups[1:]), 0]
    return [Turn([(stream, drafts)], (), next_us) for (_, stream, drafts), next_us in zip(groups, nexts, strict=True)]


class PlayedEvents(NamedTuple):
    """The due times of events (monotonic clock): the last of each fully answered round; each other, by its time (µs)."""

    rounds: dict[Key, float]
    events: dict[Key, dict[int, float]]


def play(port: int, turns: Sequence[Turn], speed: float, seconds: float) -> PlayedEvents:
    """Play for a while; return the due times of answered events."""
    due = PlayedEvents({}, {})

    async def run() -> None:
        clock = FloorClock(0, speed)

        def listener(batch: Sequence[DueEvent], _: float) -> None:
            for each in batch:
                key, due_s = (each.stream, each.draft.round_no), time.monotonic() + clock.seconds_until(each.at_us)
                if isinstance(each.draft.payload, RoundClosed):
                    due.rounds[key] = due_s
                elif each.draft.round_no is not None:
                    due.events.setdefault(key, {})[each.draft.occurred_at_us] = due_s

        floor = LiveFloor(iter(turns), clock, lambda _: Collector("127.0.0.1", port), listener)
        asyncio.get_running_loop().call_later(seconds, floor.stop)
        await floor.play()

    asyncio.run(run())
    return due


def advice_delays(played: PlayedEvents, commits: Sequence[Commit]) -> list[float]:
    """Return, shortest first, the seconds from each event of whole rounds but the last to advice or a finding that includes it.

    >>> from benchmarks.delay import AdviceReach as Reach
    >>> played = PlayedEvents({("table/a", 1): 9.0}, {("table/a", 1): {10: 1.0, 20: 2.0, 30: 3.0}, ("table/a", 2): {50: 10.0}})
    >>> commits = [Commit(2.5, [], {"table/a": Reach(1, 20)}), Commit(9.5, [("table/a", 1)], {"table/a": Reach(2, 60)})]
    >>> advice_delays(played, commits)
    [0.5, 1.5, 6.5]
    """
    left = {key: sorted(played.events.get(key, {}).items(), reverse=True) for key in played.rounds}
    delays = []
    for commit in commits:
        reached: dict[Key, float] = {(stream, reach.round_no): float(reach.at_us) for stream, reach in commit.advised.items()}
        reached |= dict.fromkeys(commit.rounds, math.inf)
        for key, upto_us in reached.items():
            waiting = left.get(key, [])
            while waiting and waiting[-1][0] <= upto_us:
                delays.append(commit.at_s - waiting.pop()[1])
    return sorted(delays)


def measure(where: str, speed: float, folder: Path, seconds: float = SECONDS) -> list[Measured]:
    """Play into a new log and return the delays to findings and to advice, as the median; the 99th percentile is a note.

    `where` is `sqlite`, for a log in the folder, or a broker's address.
    """
    on_kafka = where != "sqlite"
    address = f"kafka://{where}/device-{speed:g}" if on_kafka else f"sqlite://{folder}/device-{speed:g}.db"
    state_dir = folder / ".rack" if on_kafka else None  # if the gateway has it
    open_log(address, create=True, property_id=PROPERTY, **place(state_dir)).close()
    with gateway(address, folder) as (port, _), following(address, state_dir) as found:
        played = play(port, script(speed, seconds), speed, seconds)
        commits = commits_until(played.rounds, found)
    found_after, advised_after = delays_of(played.rounds, commits), advice_delays(played, commits)
    name, limit_s = ("Kafka", 0.5) if on_kafka else ("SQLite", 0.25)
    of, how = f"{name.lower()}-{speed:g}", f"{name}, {TABLES} tables, at {speed:g} times their pace"
    to_finding, to_advice = f"From device to finding, {how}", f"From device to advice, {how}"
    return [
        delayed(f"device-{of}", to_finding, found_after, limit_s, rounds=len(found_after)),
        delayed(f"device-advice-{of}", to_advice, advised_after, limit_s, events=len(advised_after)),
    ]
