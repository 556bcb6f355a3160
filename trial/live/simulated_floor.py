"""The simulated floor of `rack live`, as a part: its devices are registered, then report events by the clock.

The tables opened earlier, so that rounds are in play from the start. At its end, it writes the answers to its events, and the
faults planted among them.
"""

import asyncio
import signal
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from desk.whole_files import write_whole
from floor.catalogue import SIMULATIONS
from floor.day import gaming_day
from floor.faults.labels import Planted
from floor.live.collector import Collector
from floor.live.live_floor import FloorClock, LiveFloor
from floor.table.casino import CUTOVER, PROPERTY, TIME_ZONE, Calendar
from floor.table.meters import CONTROLLER
from floor.table.script import SOURCES
from floor.table.streams import Group
from intake.devices import add_device
from trial.live.parts import DEVICES

OPEN_BEFORE: Final = timedelta(minutes=45)
"""The time between the opening of the tables and the first view of the floor."""
DAYS: Final = 7
ROUNDS_A_DAY: Final = 2_800
"""The rounds of each game planned for a day: more than its tables can play."""
ACCOUNT: Final = "floor.json"
CONTROLLERS: Final = "meters"
"""The name under which the meters' controllers hand in."""


class Account(msgspec.Struct):
    """The account of a live floor: lines by the status of their answer, and each stream's last answered number.

    `planted` are the faults of fully answered rounds, `begun` those of all begun rounds. `unfinished` are the rounds, by stream
    and number, with events that were not answered.
    """

    answered: dict[str, int]
    ends: dict[str, int]
    planted: list[Planted]
    begun: list[Planted]
    unfinished: set[tuple[str, int]] = set()


def calendar(start_us: int) -> Calendar:
    """Return the gaming days of a floor watched from a time on (UTC microseconds).

    >>> calendar(1_773_500_000_000_000).first_day.isoformat()
    '2026-03-14'
    """
    start = datetime.fromtimestamp(start_us / 1e6, UTC)
    hour, minute = map(int, CUTOVER.split(":"))
    local = start.astimezone(ZoneInfo(TIME_ZONE))
    day = (local - timedelta(hours=hour, minutes=minute)).date()
    cutover = datetime(day.year, day.month, day.day, hour, minute, tzinfo=local.tzinfo)
    opening = max(cutover, start - OPEN_BEFORE)
    return Calendar(day, round(cutover.timestamp() * 1e6), round(opening.timestamp() * 1e6), watched=True)


def turns(start_us: int, seed: int, games: Sequence[str]) -> Iterator[gaming_day.Turn]:
    """Return the turns that the floor plays."""
    return gaming_day.play(seed, ROUNDS_A_DAY * DAYS, games, calendar(start_us), days=DAYS)


def office_events(start_us: int, seed: int, games: Sequence[str]) -> Group:
    """Return the property's own events, which the office sends before the first device."""
    first = next(turns(start_us, seed, games))
    return next(group for group in first.groups if group[0] == PROPERTY)


def register_devices(path: Path, start_us: int, games: Sequence[str]) -> dict[str, str]:
    """Add a device for each table, and one for the meters' controllers, to a register; return their tokens by name."""
    at = datetime.fromtimestamp(start_us / 1e6, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    tables = [spec.id for game in games for spec in SIMULATIONS[game].specs(SIMULATIONS[game].tables)]
    tokens = {CONTROLLERS: add_device(path, CONTROLLERS, [CONTROLLER], None, at)}
    for table in tables:
        sources = [f"{table}-{source}" for source in SOURCES]
        tokens[table] = add_device(path, table, sources, None, at, streams=[f"table/{table}"])
    return tokens


async def _play(floor: LiveFloor) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, floor.stop)
    await floor.play()


def main(arguments: Sequence[str]) -> int:
    """Play until ended. `arguments`: folder, port of the gateway, start (UTC microseconds), speed, seed, games."""
    out, port, start_us, speed, seed, *games = arguments
    tokens = register_devices(Path(out) / DEVICES, int(start_us), games)

    def collector(stream: str) -> Collector:
        kind, _, name = stream.partition("/")
        return Collector("127.0.0.1", int(port), tokens[CONTROLLERS if kind == "meter" else name])

    clock = FloorClock(int(start_us), float(speed))
    floor = LiveFloor(turns(int(start_us), int(seed), games), clock, collector)
    try:
        asyncio.run(_play(floor))
    finally:
        account = Account(dict(floor.answered), floor.ends, floor.labels, floor.begun, floor.unfinished)
        write_whole({Path(out) / ACCOUNT: msgspec.json.encode(account)})
    return 0
