"""Where the time of a replay goes: stages by the processor time they add, and groups by a profile."""

import cProfile
import pstats
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from benchmarks.measuring import REPEATS, best, once
from benchmarks.on_sqlite import address, clear_results, replay_once
from events.log.contract import Record
from events.log.relaxed_gc import relaxed_gc
from events.log.runs import runs
from events.open import open_log
from events.vocabulary.codec import read_all
from replay.fold.round import Round
from replay.run.adjudicate import adjudicate
from replay.run.replayer import MemoryResults, replay
from replay.run.stream_worker import Result, StreamWorker, rules_in_force

ROOT = Path(__file__).resolve().parents[1]
GROUPS = {
    "events/sqlite/log.py": "read",
    "events/log/hash_chain.py": "read",
    "events/log/contract.py": "read",
    "events/vocabulary/codec.py": "decode",
    "events/vocabulary/model.py": "decode",
    "events/vocabulary/upcast.py": "decode",
    "events/vocabulary/envelope.py": "decode",
    "replay/fold/corrections.py": "fold",
    "replay/fold/record_faults.py": "fold",
    "replay/fold/table_fold.py": "fold",
    "replay/fold/table_state.py": "fold",
    "replay/run/replayer.py": "fold",
    "replay/run/stream_worker.py": "fold",
    "replay/findings.py": "results",
    "events/sqlite/results.py": "results",
}
"""Source file → the stage whose time it is. Other files of `replay` and `games` are rules, the rest is other."""
RESULTS = {
    "replay/run/replayer.py": {"commit", "_latest", "standing"},
    "replay/run/stream_worker.py": {"judge", "_adjudication", "_results", "snapshot", "_keep_rest"},
}
"""Source file → its functions that make and keep results, whatever the stage of the file is."""
Function = tuple[str, int, str]


class OnlyRules(StreamWorker):
    """A worker that judges, and says nothing."""

    def judge(self, round_: Round) -> list[Result]:
        book = rules_in_force(round_)
        if not isinstance(book, str):
            adjudicate(round_, book)
        return []


def added_by_stage(path: Path) -> dict[str, float]:
    """Return each stage's processor seconds: those of a run that ends with it, less those of a run one stage shorter."""
    log = open_log(address(path), read_only=True)

    def walk(each: Callable[[str, Sequence[Record]], object]) -> None:
        with relaxed_gc():
            for batch in log.tail({}):
                for stream, run in runs(batch):
                    each(stream, run)

    def working(kind: type[StreamWorker], judging: bool) -> Callable[[str, Sequence[Record]], None]:
        workers: dict[str, StreamWorker] = {}

        def take(stream: str, run: Sequence[Record]) -> None:
            if stream not in workers:
                workers[stream] = kind(stream, lambda kind, key: None)
                workers[stream].judging = judging
            workers[stream].take_run(run, lambda result: None)

        return take

    def stored() -> None:
        clear_results(path)
        replay_once(path)

    stages: dict[str, Callable[[], object]] = {
        "read and check the chain": lambda: walk(lambda stream, run: None),
        "decode": lambda: walk(lambda stream, run: read_all([record.data for record in run])),
        "fold": lambda: walk(working(StreamWorker, judging=False)),
        "rules": lambda: walk(working(OnlyRules, judging=True)),
        "verdicts, snapshots": lambda: replay(log, MemoryResults()),
        "store": stored,
    }
    try:
        replay(log, MemoryResults())  # what is kept once it was worked out, is there
        taken = {name: best([once(run)[0] for _ in range(REPEATS)]).cpu_s for name, run in stages.items()}
    finally:
        log.close()
    before, added = 0.0, {}
    for name, seconds in taken.items():
        added[name] = max(seconds - before, 0.0)
        before = max(seconds, before)
    return added


def profile(path: Path) -> dict[str, Any]:
    """Return the shares of the groups, by cProfile (which slows short calls down)."""
    clear_results(path)
    profiler = cProfile.Profile()
    profiler.runcall(replay_once, path)
    stats = cast("dict[Function, Any]", cast(Any, pstats.Stats(profiler)).stats)
    own: dict[Function, float] = defaultdict(float)
    for function, (_, _, seconds, _, callers) in stats.items():
        if function[0] == "~" and callers:  # what is built in counts to who called it
            for caller, (_, _, for_caller, _) in callers.items():
                own[caller] += for_caller
        else:
            own[function] += seconds
    total = sum(own.values())
    groups: dict[str, float] = defaultdict(float)
    for function, seconds in own.items():
        groups[_group(function)] += seconds
    return {
        "groups_percent": {
            name: round(100 * seconds / total, 1) for name, seconds in sorted(groups.items(), key=lambda item: -item[1])
        }
    }


def _place(file: str) -> str:
    path = Path(file)
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def _group(function: Function) -> str:
    place = _place(function[0])
    if function[2] in RESULTS.get(place, ()):
        return "results"
    if place in GROUPS:
        return GROUPS[place]
    return "rules" if place.startswith(("replay/", "games/")) else "other"
