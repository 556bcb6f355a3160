"""Where the time of a replay goes: stages by the processor time they add, and functions by a profile."""

from __future__ import annotations

import cProfile
import pstats
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from benchmarks.measuring import REPEATS, best, once
from benchmarks.on_sqlite import address, clear_results, replay_once
from events.codec import read
from events.log import Record
from events.open import open_log
from events.upcast import upcast
from replay.adjudicate import adjudicate
from replay.replayer import MemoryResults, replay
from replay.rounds import TableFold
from replay.stream import rulebook

ROOT = Path(__file__).resolve().parents[1]
TOP = 25
GROUPS = {
    "events/sqlite_log.py": "read", "events/seal.py": "read", "events/log.py": "read",
    "events/codec.py": "decode", "events/model.py": "decode", "events/upcast.py": "decode", "events/envelope.py": "decode",
    "replay/rounds.py": "fold", "replay/table_state.py": "fold", "replay/replayer.py": "fold", "replay/stream.py": "fold",
    "replay/findings.py": "results", "events/sqlite_results.py": "results",
}  # fmt: skip
RESULTS = {"judge", "_adjudication", "commit", "_keep", "_earlier", "snapshot", "_keep_rest", "standing"}
"""Functions of the replayer and its workers that make and keep results."""
Function = tuple[str, int, str]


def stages(path: Path) -> dict[str, float]:
    """Return the seconds of processor time of each stage: what a run that goes one stage further takes more."""
    log = open_log(address(path), read_only=True)

    def walk(each: Callable[[Record], object]) -> None:
        for batch in log.tail({}):
            for record in batch:
                each(record)

    def folding(judge: bool) -> Callable[[Record], None]:
        folds: dict[str, TableFold] = {}

        def take(record: Record) -> None:
            raw, payload = read(record.data)
            fold = folds.get(record.stream) or folds.setdefault(record.stream, TableFold(record.stream))
            for round_ in fold.apply(raw.seq, raw.occurred_at_us, raw.source, raw.source_seq, raw.round_no,
                                     raw.gaming_day, upcast(payload)):  # fmt: skip
                filed = round_.before.rules_in_force(round_.gaming_day)
                book = rulebook(filed.toml) if filed is not None else ""
                if judge and not isinstance(book, str):
                    adjudicate(round_, book)

        return take

    def stored() -> None:
        clear_results(path)
        replay_once(path)

    runs: dict[str, Callable[[], object]] = {
        "read and check the chain": lambda: walk(lambda record: None),
        "decode": lambda: walk(lambda record: upcast(read(record.data)[1])),
        "fold": lambda: walk(folding(judge=False)),
        "rules": lambda: walk(folding(judge=True)),
        "verdicts, snapshots": lambda: replay(log, MemoryResults()),
        "store": stored,
    }
    try:
        taken = {name: best([once(run)[0] for _ in range(REPEATS)]).cpu_s for name, run in runs.items()}
    finally:
        log.close()
    before, added = 0.0, {}
    for name, seconds in taken.items():
        added[name] = max(seconds - before, 0.0)
        before = max(seconds, before)
    return added


def profile(path: Path) -> dict[str, Any]:
    """Return the shares of the groups and the functions that take most, by cProfile (which slows short calls down)."""
    clear_results(path)
    profiler = cProfile.Profile()
    profiler.runcall(replay_once, path)
    stats = cast("dict[Function, Any]", cast(Any, pstats.Stats(profiler)).stats)
    own: dict[Function, float] = defaultdict(float)
    calls: dict[Function, int] = {}
    for function, (_, count, seconds, _, callers) in stats.items():
        if function[0] == "~" and callers:  # what is built in counts to who called it
            for caller, (_, _, for_caller, _) in callers.items():
                own[caller] += for_caller
        else:
            own[function] += seconds
            calls[function] = count
    total = sum(own.values())
    groups: dict[str, float] = defaultdict(float)
    for function, seconds in own.items():
        groups[_group(function)] += seconds
    top = sorted(own.items(), key=lambda item: -item[1])[:TOP]
    return {
        "groups_percent": {name: round(100 * seconds / total, 1)
                           for name, seconds in sorted(groups.items(), key=lambda item: -item[1])},
        "functions": [
            {"function": f"{_place(function[0])}:{function[2]}", "group": _group(function),
             "percent": round(100 * seconds / total, 1), "calls": calls.get(function, 0)}
            for function, seconds in top
        ],
    }  # fmt: skip


def _place(file: str) -> str:
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def _group(function: Function) -> str:
    place = _place(function[0])
    if place.startswith("replay/") and function[2] in RESULTS:
        return "results"
    if place in GROUPS:
        return GROUPS[place]
    return "rules" if place.startswith(("replay/", "games/")) else "other"
