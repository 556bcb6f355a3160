"""How long it takes from the device to advice and to the finding: 40 tables hand in every event when it happens, by the gateway.

Each table has a collector that hands in an event a request, as `rack live` has it; each round has a payment that is short. The
clocks run in real time, then ten times as fast. The time of a round counts from the moment at which its last event was due, and
ends when its finding is committed (`benchmarks.delay`). The time of every event before it ends when advice that knows it, or the
finding of its round, can be read in the results. Gateway, replay and floor are processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from benchmarks.delay import PROPERTY, Commit, Key, commits_until, delays_of, following, place, shortened
from benchmarks.full_tables import Table
from benchmarks.measuring import Measured, Timing
from benchmarks.through_gateway import await_gateway, free_port
from events.open import open_log
from events.vocabulary.model import RoundClosed
from floor.day.gaming_day import Turn
from floor.live.collector import Collector
from floor.live.live_floor import DueEvent, FloorClock, LiveFloor

TABLES = 40
SPEEDS = (1.0, 10.0)
SECONDS = 120
SHORTEST_S = 90
SPREAD_US = 1_000_000


def script(rounds: int, seed: int) -> list[Turn]:
    """Return this many rounds of each table, all tables at the same time, a second apart for each event, and none in step."""
    groups = []
    for number in range(TABLES):
        at_us = number * SPREAD_US // TABLES
        for stream, drafts in Table(f"fd-{number:02d}", seed).groups(rounds):
            spaced = []
            for draft in shortened(drafts):
                spaced.append(msgspec.structs.replace(draft, occurred_at_us=at_us))
                at_us += SPREAD_US
            groups.append((spaced[0].occurred_at_us, stream, spaced))
    groups.sort(key=lambda group: group[:2])
    nexts = [*(at_us for at_us, _, _ in groups[1:]), 0]
    return [Turn([(stream, drafts)], (), next_us) for (_, stream, drafts), next_us in zip(groups, nexts, strict=True)]


class Played(NamedTuple):
    """When events were due (monotonic clock): the last of each round that was answered whole; each other, by its time (µs)."""

    rounds: dict[Key, float]
    events: dict[Key, dict[int, float]]


def play(port: int, turns: Sequence[Turn], speed: float, seconds: float) -> Played:
    """Play for a while; return when what was answered was due."""
    due = Played({}, {})

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


def advice_delays(played: Played, commits: Sequence[Commit]) -> list[float]:
    """Return, shortest first, the seconds from each event of whole rounds but the last to advice, or a finding, that knows it.

    >>> from benchmarks.delay import Reach
    >>> played = Played({("table/a", 1): 9.0}, {("table/a", 1): {10: 1.0, 20: 2.0, 30: 3.0}, ("table/a", 2): {50: 10.0}})
    >>> commits = [Commit(2.5, [], {"table/a": Reach(1, 20)}), Commit(9.5, [("table/a", 1)], {"table/a": Reach(2, 60)})]
    >>> advice_delays(played, commits)
    [0.5, 1.5, 6.5]
    """
    left = {key: sorted(played.events.get(key, {}).items(), reverse=True) for key in played.rounds}
    delays = []
    for commit in commits:
        reached: dict[Key, float] = {
            (stream, reach.round_no): float(reach.at_us) for stream, reach in commit.advised.items()
        }
        reached |= dict.fromkeys(commit.rounds, math.inf)
        for key, upto_us in reached.items():
            waiting = left.get(key, [])
            while waiting and waiting[-1][0] <= upto_us:
                delays.append(commit.at_s - waiting.pop()[1])
    return sorted(delays)


@contextmanager
def gateway(address: str, folder: Path) -> Iterator[int]:
    """Run a gateway into a log, in a folder; yield its port."""
    port = free_port()
    command = [sys.executable, "-m", "rack.cli", "gateway", f"--log={address}", "--no-auth", "--quiet"]
    with subprocess.Popen([*command, f"--listen=127.0.0.1:{port}"], cwd=folder) as process:
        try:
            await_gateway(port)
            yield port
        finally:
            process.send_signal(signal.SIGTERM)


def measure(where: str, speed: float, folder: Path, seconds: float = SECONDS) -> list[Measured]:
    """Play into a new log and return the delays to findings and to advice, as the median; the 99th percentile is a note.

    `where` is `sqlite`, for a log in the folder, or a broker's address.
    """
    on_kafka = where != "sqlite"
    address = f"kafka://{where}/device-{speed:g}" if on_kafka else f"sqlite://{folder}/device-{speed:g}.db"
    state_dir = folder / ".rack" if on_kafka else None  # if the gateway has it
    open_log(address, create=True, property_id=PROPERTY, **place(state_dir)).close()
    turns = script(max(2, math.ceil(seconds * speed / 70)), seed=1)
    with gateway(address, folder) as port, following(address, state_dir) as found:
        played = play(port, turns, speed, seconds)
        commits = commits_until(played.rounds, found)
    found_after, advised_after = delays_of(played.rounds, commits), advice_delays(played, commits)
    return [
        _measured("device", "finding", "rounds", found_after, on_kafka, speed),
        _measured("device-advice", "advice", "events", advised_after, on_kafka, speed),
    ]


def _measured(key: str, to: str, each: str, delays: Sequence[float], on_kafka: bool, speed: float) -> Measured:
    """Return delays, shortest first, as they are reported; `each` is what was counted."""
    name, goal_ms = ("Kafka", 500) if on_kafka else ("SQLite", 250)
    median, late_s = delays[len(delays) // 2], delays[math.ceil(0.99 * len(delays)) - 1]
    return Measured(
        key=f"{key}-{name.lower()}-{speed:g}",
        title=f"From device to {to}, {name}, {TABLES} tables, at {speed:g} times their pace",
        unit="delays",
        count=1,
        ours=Timing(median, median),
        goal=f"99 of 100 under {goal_ms} ms",
        met=late_s * 1000 < goal_ms,
        notes={each: len(delays), "percentile_99_ms": round(late_s * 1000), "longest_ms": round(delays[-1] * 1000)},
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="benchmarks.from_device", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each speed is played")
    parser.add_argument("--kafka", metavar="BROKER", help="a broker, to measure on Kafka instead of SQLite")
    options = parser.parse_args()
    if options.seconds < SHORTEST_S:
        parser.error(f"--seconds: in less than {SHORTEST_S} s no round ends in real time")
    with tempfile.TemporaryDirectory() as folder:
        for speed in SPEEDS:
            for found in measure(options.kafka or "sqlite", speed, Path(folder), options.seconds):
                print(json.dumps(found.as_json(), indent=2))
    print("load average", os.getloadavg())


if __name__ == "__main__":
    main()
