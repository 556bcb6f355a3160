"""A whole history of an honest simulated floor, all games: judged by one process and by two, and settled by other rules.

The verdicts go from the log to a file by a user's command, cold, including the start. A what-if runs over the round table of one
table of each game, whose files are named several times to stand for a longer history: each game is settled by rules on file
there. The other tables deal in other ways, and their rounds would need event replay under those rules.
"""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import on_sqlite
from benchmarks.measuring import REPEATS, Measured, Timing, best, once
from events.log.contract import EventLog
from events.open import open_log
from floor.catalogue import SIMULATIONS
from floor.day import gaming_day
from rulebook.chapters.rulebook import Rulebook, parse_submission
from whatif.round_table import RoundTable, build, repeat_rounds
from whatif.what_if import WhatIfResult, what_if
from whatif.workers.pool import ThisProcess

ROUNDS = 2_400
"""Rounds of each game."""
TIMES = 50
"""The long history is the same rounds this many times."""
SPEEDUP = 1.8
MOST_ASIDE = 0.05
SEED = 19


def measure(folder: Path, rounds: int = ROUNDS) -> list[Measured]:
    """Measure; the peer of two processes is one process, that of a what-if is event replay."""
    folder.mkdir()
    floor = _simulated(rounds)
    on_sqlite.written(folder / "floor.db", floor)
    runs: dict[int, list[Timing]] = {1: [], 2: []}
    for repeat in range(REPEATS):
        for workers, timings in runs.items():
            timing, summary = once(_judge, folder / "floor.db", workers, repeat)
            timings.append(timing)
    one, two = (best(timings) for timings in runs.values())
    first_tables = [group for group in floor if _is_of_a_first_table(group[0])]
    tables = open_log(on_sqlite.address(on_sqlite.written(folder / "tables.db", first_tables)), read_only=True)
    build(tables, folder / "rounds")
    repeat_rounds(folder / "rounds", TIMES)
    settled = _settle(tables, RoundTable(folder / "rounds"))
    answers = [once(_settle, tables, RoundTable(folder / "rounds")) for _ in range(REPEATS)]
    asked = best([timing for timing, _ in answers])
    share = settled.event_replayed / settled.rounds
    per_round = Timing(one.wall_s * settled.rounds / summary["rounds"], one.cpu_s * settled.rounds / summary["rounds"])
    return [
        Measured(
            key="floor",
            title="Log to verdicts, an honest floor of all games, one process",
            unit="rounds",
            count=summary["rounds"],
            ours=one,
            notes={"events": summary["events"]},
        ),
        Measured(
            key="floor-workers",
            title="Log to verdicts, an honest floor of all games, two processes",
            unit="rounds",
            count=summary["rounds"],
            ours=two,
            peer_name="the same with one process",
            peer=one,
            goal=f"≥ {SPEEDUP} ×",
            met=one.wall_s / two.wall_s >= SPEEDUP,
        ),
        Measured(
            key="what-if",
            title="What-if over the round table of one table of each game, one process",
            unit="rounds",
            count=settled.rounds,
            ours=asked,
            peer_name="log to verdicts, of so many rounds, one process",
            peer=per_round,
            goal=f"at most {MOST_ASIDE:.0%} by event replay",
            met=share <= MOST_ASIDE,
            notes={"the_same_rounds_times": TIMES, "rounds_by_event_replay": settled.event_replayed},
        ),
    ]


def _simulated(rounds: int) -> on_sqlite.Groups:
    day = gaming_day.simulate(SEED, rounds, games=list(SIMULATIONS), plant=False, rare_every=0)
    return list(day.groups())


def _is_of_a_first_table(stream: str) -> bool:
    """Return whether a stream is the first table's of a game, or no table's."""
    return not stream.startswith("table/") or stream.endswith("-01")


def _judge(file: Path, workers: int, repeat: int) -> dict[str, int]:
    """Judge the whole log into a new file by the command, including its start."""
    verdicts = file.with_name(f"{workers}-{repeat}.verdicts")
    command = ["replay", "--log", on_sqlite.address(file), "--verdicts", str(verdicts), "--workers", str(workers)]
    finished = subprocess.run(
        [sys.executable, "-m", "rack.cli", *command, "--json", "--quiet"], check=False, capture_output=True, text=True
    )
    if finished.returncode not in (0, 1):
        raise SystemExit(f"rack {' '.join(command)}: exit {finished.returncode}: {finished.stderr[-500:]}")
    summary: dict[str, int] = json.loads(finished.stdout)
    return summary


def _settle(log: EventLog, table: RoundTable) -> WhatIfResult:
    """Settle each game by rules that are on file at one of its tables, at all of them."""
    books: dict[str, Rulebook] = {}
    for text in table.rules().values():
        book = parse_submission(text)
        books.setdefault(book.game, book)
    total = WhatIfResult(by_wager={})
    for book in books.values():
        total.add(what_if(log, table, book, ThisProcess()))
    return total
