"""The memory of a replayer that follows a simulated month and builds its warehouse.

`rack replay --follow --warehouse` runs in a process of its own. A floor of all games with its faults plays 30 gaming days, as
fast as the replayer keeps up: after each day, the benchmark waits until everything is judged, and records the replayer's
memory. The goal is missed if memory in the last third of the month is over 10 % higher than in the middle third; in the first
third, the tables of hand ranks fill up.
"""

import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from statistics import mean
from typing import Any

from benchmarks.reporting import say
from events.log.contract import EventLog
from events.open import open_log
from events.sqlite.results import SqliteResults
from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Turn, play
from floor.table.casino import PROPERTY, SIMULATED
from floor.table.streams import Group
from replay.run.engine import shared_engine
from trial.demo import batches

SEED = 30
DAYS = 30
ROUNDS = 3_000
COMMIT_EVENTS = 1_000
MOST = 1.10
"""The limit of the time for the last third of the days, as a multiple of that for the middle third."""
WAIT_LIMIT_S = 600.0
SETTLED_S = 2.0
"""The usual time from the last verdict to the warehouse's build."""


def measure(folder: Path, rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the memory after each day, in MiB, and its maximum."""
    address, games = f"sqlite://{folder}/floor.db", list(SIMULATIONS)
    open_log(address, create=True, property_id="bench").close()
    command = ["replay", "--log", address, "--follow", "--warehouse", str(folder / "warehouse.duckdb"), "--quiet"]
    turns = play(SEED, -(-rounds // len(games)), games, SIMULATED, days=DAYS)
    with subprocess.Popen([sys.executable, "-m", "rack.cli", *command], stdout=subprocess.DEVNULL) as replayer:
        try:
            after, events = [], 0
            with closing(open_log(address)) as log:
                for day in _days(turns):
                    for batch in batches(day, COMMIT_EVENTS):
                        log.append_groups(batch)
                    _wait(log, folder / "floor.db.verdicts", replayer)
                    after.append(_status(replayer.pid, "VmRSS"))
                    say(f"day {len(after)}: {after[-1]} MiB")
                events = sum(log.head(stream).seq for stream in log.streams())
            most = _status(replayer.pid, "VmHWM")
        finally:
            replayer.send_signal(signal.SIGINT)
    third = len(after) // 3
    if mean(after[-third:]) > MOST * mean(after[-2 * third : -third]):
        say(f"missed: the last third takes more than {MOST:g} times the memory of the middle third")
    return {"days": len(after), "rounds": rounds, "events": events, "mib_after_each_day": after, "most_mib": most}


def _days(turns: Iterable[Turn]) -> Iterator[list[Group]]:
    """Yield the floor's reports of each gaming day, which begins when the property opens it."""
    day: list[Group] = []
    for turn in turns:
        for group in turn.groups:
            if group[0] == PROPERTY and day:
                yield day
                day = []
            day.append(group)
    yield day


def _wait(log: EventLog, verdicts: Path, replayer: subprocess.Popen[bytes]) -> None:
    """Wait until every event is judged."""
    heads, until_s = {stream: log.head(stream) for stream in log.streams()}, time.monotonic() + WAIT_LIMIT_S
    while time.monotonic() < until_s and replayer.poll() is None:
        if verdicts.exists():
            with closing(SqliteResults(verdicts, read_only=True)) as results:
                if results.positions(shared_engine()) == heads:
                    time.sleep(SETTLED_S)
                    return
        time.sleep(0.5)
    raise SystemExit("the replayer does not follow")


def _status(pid: int, name: str) -> int:
    """Return a figure of a process's memory, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) // 1024
