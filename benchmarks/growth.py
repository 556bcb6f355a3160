"""What an event costs as the history grows: the same replay of once, ten times and a hundred times as many rounds."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from benchmarks import on_sqlite
from benchmarks.full_tables import full_tables
from benchmarks.measuring import Measured, Timing, once
from benchmarks.reporting import say
from events.open import open_log

ROUNDS = 150
TIMES = (10, 100)
TABLES = 5
"""One table's rounds of the largest history would be more than a transcript may hold."""
AROUND = 10
"""So often the smallest history is replayed before a larger one and after it: a machine that slows down slows both."""
WITHIN = 0.10


def measure(folder: Path, seed: int) -> list[Measured]:
    """Replay logs of each size; the peer of the larger ones is the mean of the smallest, as often as it fits into them."""
    say(f"writing {ROUNDS * TIMES[-1]:,} rounds …")
    groups = full_tables(ROUNDS * TIMES[-1], tables=TABLES, seed=seed)
    smallest = groups[:ROUNDS]
    least = _written(folder / "growth-1.db", smallest)
    measured: list[Measured] = []
    for times in TIMES:
        part = groups[: ROUNDS * times]
        path = _written(folder / f"growth-{times}.db", part)
        around = [_replayed(least, smallest) for _ in range(AROUND)]
        ours = _replayed(path, part)
        around += [_replayed(least, smallest) for _ in range(AROUND)]
        events = _events(part)
        factor = events / _events(smallest)
        peer = Timing(factor * fmean(each.wall_s for each in around), factor * fmean(each.cpu_s for each in around))
        measured.append(
            Measured(
                key=f"growth-{times}",
                title=f"Replay of {times} times as many rounds",
                unit="events",
                count=events,
                ours=ours,
                peer_name=f"{ROUNDS} rounds, {factor:.1f} times over",
                peer=peer,
                goal="an event costs the same within 10 %",
                met=ours.cpu_s <= peer.cpu_s * (1 + WITHIN),
                notes={"rounds": len(part)},
            )
        )
    return measured


def _events(groups: on_sqlite.Groups) -> int:
    return sum(len(drafts) for _, drafts in groups)


def _written(path: Path, groups: on_sqlite.Groups) -> Path:
    log = open_log(on_sqlite.address(path), create=True, property_id=on_sqlite.PROPERTY)
    on_sqlite.append(log, on_sqlite.batched(groups, on_sqlite.COMMIT_EVENTS))
    log.close()
    return path


def _replayed(path: Path, groups: on_sqlite.Groups) -> Timing:
    on_sqlite.clear_results(path)
    timing, summary = once(lambda: on_sqlite.replay_once(path))
    on_sqlite.expect(summary, len(groups))
    return timing
