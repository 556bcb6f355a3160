"""Batch replay of many rounds from their table: by one worker and by two, and what it takes of memory as the history grows.

Each run is a process of its own, so that its peak of memory is its own: `python -m benchmarks.batch FOLDER WORKERS`.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from benchmarks import columnar, on_sqlite
from benchmarks.measuring import REPEATS, Measured, Timing, best
from events.log.contract import EventLog
from events.open import open_log
from replay.columns.batch import BatchTally, judged_results
from replay.columns.process_engine import ProcessEngine
from replay.columns.round_table import RoundTable, repeat_rounds
from replay.columns.row_groups import Engine, LocalEngine

ROUNDS = 1_000_000
TIMES = 10
"""The long history is the same rounds so many times."""
GOAL = 200_000
SPEEDUP = 1.8


def run(folder: Path, workers: int) -> dict[str, Any]:
    """Judge the table of a folder, and replay its mispaid rounds from the log; return what that took."""
    opener = partial(open_log, on_sqlite.address(folder / "mispaid.db"), read_only=True)
    log, table = opener(), RoundTable(folder / "rounds")
    with ProcessEngine(workers, opener) if workers > 1 else contextlib.nullcontext(LocalEngine()) as by:
        _warm(log, table, by, workers)
        tally = BatchTally()
        cpu, wall = _cpu_s(), time.perf_counter()
        findings = sum(
            kind == "findings" for kind, _, _ in judged_results(log, table, by, tally, with_adjudications=False)
        )
        wall, cpu = time.perf_counter() - wall, _cpu_s() - cpu
    return {
        "wall_s": wall,
        "cpu_s": cpu,
        "rounds": tally.upheld + tally.event_replayed,
        "event_replayed": tally.event_replayed,
        "findings": findings,
        "peak_mib": round(_peak_kib(workers) / 1024),
    }


def _cpu_s() -> float:
    """The processor time of this process and of those that it started."""
    jiffies = 0
    for child in multiprocessing.active_children():
        stat = Path(f"/proc/{child.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        jiffies += int(stat[11]) + int(stat[12])
    return time.process_time() + jiffies / os.sysconf("SC_CLK_TCK")


def _peak_kib(workers: int) -> int:
    """The most memory that this process has had, and, for each one it started, the most that one of them has had."""
    most = [resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return most[0] + (workers * most[1] if workers > 1 else 0)


def _warm(log: EventLog, table: RoundTable, by: Engine, workers: int) -> None:
    """Before anything is timed each process has its kernels, compiled or read from where they are kept, and replayed a round."""
    results = judged_results(log, table, by, BatchTally(), with_adjudications=False)
    for _ in range(1 if workers == 1 else 20 * workers):
        next(results)


def children(folder: Path, workers: int, count: int = 1) -> list[dict[str, Any]]:
    """Run in processes of their own, all at once."""
    command = [sys.executable, "-m", "benchmarks.batch", str(folder), str(workers)]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    said = [each.communicate()[0] for each in started]
    for each in started:
        if each.returncode:
            raise subprocess.CalledProcessError(each.returncode, command)
    return [json.loads(each) for each in said]


def measure(folder: Path, rounds: int, single: Measured | None = None) -> list[Measured]:
    """Measure; `single` is the replay event by event of the same run, the peer."""
    folder.mkdir()
    log = columnar.mispaid_log(folder)
    columnar.make(log, folder / "rounds", rounds)
    log.close()
    short, apart = list[dict[str, Any]](), list[float]()
    for _ in range(REPEATS):
        short += children(folder, 2)
        apart.append(max(each["wall_s"] for each in children(folder, 1, count=2)))
    repeat_rounds(folder / "rounds", TIMES)
    long: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
    for _ in range(REPEATS):
        for workers, runs in long.items():
            runs += children(folder, workers)
    two = _best(short)
    one_long, two_long = (_best(runs) for runs in long.values())
    peer = _scaled(single, rounds) if single is not None else None
    return [
        Measured(
            key="batch",
            title=f"Batch replay of {rounds:,} rounds, two workers",
            unit="rounds",
            count=rounds,
            ours=two,
            peer_name="replay event by event from SQLite, in one process" if peer else "",
            peer=peer,
            goal=f"≥ {GOAL:,} rounds/s on two cores",
            met=rounds / two.wall_s >= GOAL,
            notes=_notes(short[0]),
        ),
        Measured(
            key="batch-long",
            title=f"Batch replay of {rounds * TIMES:,} rounds, two workers",
            unit="rounds",
            count=rounds * TIMES,
            ours=two_long,
            goal=f"≥ {GOAL:,} rounds/s on two cores",
            met=rounds * TIMES / two_long.wall_s >= GOAL,
            notes={"the_same_rounds_times": TIMES, **_notes(long[2][0])},
        ),
        Measured(
            key="batch-workers",
            title=f"Batch replay of {rounds * TIMES:,} rounds, two workers beside one",
            unit="rounds",
            count=rounds * TIMES,
            ours=two_long,
            peer_name="the same with one worker",
            peer=one_long,
            goal=f"≥ {SPEEDUP} ×",
            met=one_long.wall_s / two_long.wall_s >= SPEEDUP,
            notes={"two_processes_that_share_nothing_beside_one": round(2 * one_long.wall_s / TIMES / min(apart), 2)},
        ),
    ]


def _notes(run: dict[str, Any]) -> dict[str, Any]:
    return {
        "rounds_judged_by_event_replay": run["event_replayed"],
        "findings": run["findings"],
        "peak_memory_mib": run["peak_mib"],
    }


def _best(runs: list[dict[str, Any]]) -> Timing:
    return best([Timing(each["wall_s"], each["cpu_s"]) for each in runs])


def _scaled(single: Measured, rounds: int) -> Timing:
    """What so many rounds would have taken event by event, from what was measured of fewer."""
    times = rounds / single.count
    return Timing(single.ours.wall_s * times, single.ours.cpu_s * times)


def main() -> None:
    """Run once and print what it took."""
    folder, workers = sys.argv[1:]
    sys.stdout.write(msgspec.json.encode(run(Path(folder), int(workers))).decode())


if __name__ == "__main__":
    main()
