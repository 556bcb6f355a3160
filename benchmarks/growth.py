"""The cost of an event as the history grows: the same replay of once, ten times and a hundred times as many rounds."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

from benchmarks import on_sqlite
from benchmarks.full_tables import full_tables
from benchmarks.measuring import Measured, Timing, once
from benchmarks.reporting import say

GROWING = 150
"""Rounds of the smallest history."""
TIMES = (10, 100)
"""A history as many times as long."""
TABLES = 5
"""One table's rounds of the largest history would be more than a transcript may hold."""
AROUND = 10
"""So often the smallest history is replayed before a larger one and after it: a machine that slows down slows both."""
WITHIN = 0.10


def measure(folder: Path, seed: int) -> list[Measured]:
    """Replay logs of each size: an event costs the same as the history grows.

    The peer of a larger size is the mean of the smallest, scaled to it.
    """
    say(f"writing {GROWING * TIMES[-1]:,} rounds …")
    groups = full_tables(GROWING * TIMES[-1], tables=TABLES, seed=seed)
    smallest = groups[:GROWING]
    least = on_sqlite.written(folder / "growth-1.db", smallest)
    measured: list[Measured] = []
    for times in TIMES:
        part = groups[: GROWING * times]
        path = on_sqlite.written(folder / f"growth-{times}.db", part)
        around = [_replayed_again(least, smallest) for _ in range(AROUND)]
        ours = _replayed_again(path, part)
        around += [_replayed_again(least, smallest) for _ in range(AROUND)]
        events = sum(len(drafts) for _, drafts in part)
        factor = events / sum(len(drafts) for _, drafts in smallest)
        peer = Timing(factor * fmean(each.wall_s for each in around), factor * fmean(each.cpu_s for each in around))
        measured.append(
            Measured(
                key=f"growth-{times}",
                title=f"Replay of {times} times as many rounds",
                unit="events",
                count=events,
                ours=ours,
                peer_name=f"{GROWING} rounds, {factor:.1f} times over",
                peer=peer,
                goal="an event costs the same within 10 %",
                met=ours.cpu_s <= peer.cpu_s * (1 + WITHIN),
                notes={"rounds": len(part)},
            )
        )
    return measured


def _replayed_again(path: Path, groups: on_sqlite.Groups) -> Timing:
    on_sqlite.clear_results(path)
    timing, summary = once(lambda: on_sqlite.replay_once(path))
    on_sqlite.expect(summary, len(groups))
    return timing
