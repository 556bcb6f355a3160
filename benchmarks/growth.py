"""What an event costs as the history grows: the same replay of once, ten times and a hundred times as many rounds."""

from __future__ import annotations

from pathlib import Path

from benchmarks import on_sqlite
from benchmarks.full_tables import full_tables
from benchmarks.measuring import REPEATS, Measured, Timing, best, once
from benchmarks.reporting import say
from events.open import open_log

ROUNDS = 150
TIMES = (1, 10, 100)
TABLES = 5
"""One table's rounds of the largest history would be more than a transcript may hold."""
WITHIN = 0.10


def measure(folder: Path, seed: int) -> list[Measured]:
    """Replay logs of each size; the peer of the larger ones is the smallest, as often as it fits into them."""
    say(f"writing {ROUNDS * TIMES[-1]:,} rounds …")
    groups = full_tables(ROUNDS * TIMES[-1], tables=TABLES, seed=seed)
    measured: list[Measured] = []
    smallest: tuple[int, Timing] | None = None
    for times in TIMES:
        part = groups[: ROUNDS * times]
        events = sum(len(drafts) for _, drafts in part)
        timing = _replay(folder / f"growth-{times}.db", part, REPEATS if times < TIMES[-1] else 1)
        if smallest is None:
            smallest = events, timing
            continue
        factor = events / smallest[0]
        peer = Timing(smallest[1].wall_s * factor, smallest[1].cpu_s * factor)
        measured.append(
            Measured(
                key=f"growth-{times}", title=f"Replay of {times} times as many rounds", unit="events", count=events,
                ours=timing, peer_name=f"{ROUNDS} rounds, {factor:.1f} times over", peer=peer,
                goal="an event costs the same within 10 %", met=timing.cpu_s <= peer.cpu_s * (1 + WITHIN),
                notes={"rounds": len(part)},
            )
        )  # fmt: skip
    return measured


def _replay(path: Path, groups: on_sqlite.Groups, repeats: int) -> Timing:
    log = open_log(on_sqlite.address(path), create=True, property_id=on_sqlite.PROPERTY)
    on_sqlite.append(log, on_sqlite.batched(groups, on_sqlite.COMMIT_EVENTS))
    log.close()
    timings = []
    for _ in range(repeats):
        on_sqlite.clear_results(path)
        timing, summary = once(lambda: on_sqlite.replay_once(path))
        on_sqlite.expect(summary, len(groups))
        timings.append(timing)
    return best(timings)
