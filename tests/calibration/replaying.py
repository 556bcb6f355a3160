"""The whole way: honest rounds into a log, and what a replay says of them."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from floor.day.gaming_day import simulate
from rack.demo import append
from rack.opening import log_at, results_at
from rack.output import Output
from replay.run.replayer import findings, replay


def replayed(seed: int, game: str, rounds: int) -> str:
    """Return in words what a replay finds in honest rounds by the house way: "nothing in N rounds", or how much."""
    floor = simulate(seed, rounds, plant=False, games=(game,), rare=False, house_way=True)
    with TemporaryDirectory() as folder:
        address = f"sqlite://{Path(folder).resolve()}/floor.db"
        log = log_at(address, create=True, property_id="calibration")
        append(log, floor.groups(), Output(quiet=True))
        results = results_at(address)
        summary = replay(log, results)
        found = list(findings(results))
        results.close()
        log.close()
    if found:
        return f"{len(found)} findings in {summary.rounds:,} rounds, the first {found[0].code}"
    return f"nothing in {summary.rounds:,} rounds"
