"""The whole way: honest rounds into a log, and what a replay says of them. `make honest` asks it at many seeds.

Nothing is planted and nothing made to order, so that nothing may be found; what is irregular and handled correctly happens as it
does on a floor. A round is UNDETERMINED only if its evidence came late or was not read. Exits 1 if anything else comes out.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from floor.catalogue import SIMULATIONS
from floor.day.gaming_day import Simulation, simulate
from rack.opening import log_at, results_at
from rack.output import Output
from replay.run.replayer import adjudications, findings, replay
from trial.demo import append

SEEDS, ROUNDS = 50, 90
LEAVE_OPEN = frozenset({"late_message", "card_not_read"})
"""The irregularities that take evidence away or contradict the clocks, so that a round may be UNDETERMINED."""


def alarms(seed: int, game: str, rounds: int, *, house_way: bool = False) -> list[str]:
    """Return what a replay says against honest rounds, a line for each finding and each verdict that should be another."""
    floor = simulate(seed, rounds, plant=False, games=(game,), rare_every=0, house_way=house_way)
    return [f"{game}, seed {seed}: {line}" for line in _against(floor)]


def _against(floor: Simulation) -> Iterator[str]:
    open_rounds = {(each.stream, each.round_no) for each in floor.legitimate if each.kind in LEAVE_OPEN}
    with TemporaryDirectory() as folder:
        address = f"sqlite://{Path(folder).resolve()}/floor.db"
        log = log_at(address, create=True, property_id="calibration")
        append(log, floor.groups(), Output(quiet=True).progress)
        results = results_at(address)
        replay(log, results)
        for found in findings(results):
            yield f"{found.stream} round {found.round_no}: {found.line()} ({found.expected}; {found.observed})"
        for judged in adjudications(results):
            if judged.verdict == "UNDETERMINED" and (judged.stream, judged.round_no) not in open_rounds:
                yield f"{judged.stream} round {judged.round_no}: UNDETERMINED ({'; '.join(judged.undetermined)})"
        results.close()
        log.close()


def replayed(seed: int, game: str, rounds: int) -> str:
    """Return in words what a replay finds in honest rounds by the house way: "nothing in N rounds", or how much."""
    found = alarms(seed, game, rounds, house_way=True)
    return f"{len(found)} in {rounds:,} rounds, the first: {found[0]}" if found else f"nothing in {rounds:,} rounds"


def main(given: Sequence[str] | None = None) -> int:
    """Replay honest floors of many seeds, and print what is said against them."""
    parser = argparse.ArgumentParser(prog="python -m tests.calibration.replaying", description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="floors of every game (default: %(default)s)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="rounds of a floor (default: %(default)s)")
    parser.add_argument("--games", default=",".join(SIMULATIONS))
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args(given)
    tasks = list(product(asked.games.split(","), range(asked.first, asked.first + asked.seeds)))
    said = 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        of_tasks = pool.map(alarms, [seed for _, seed in tasks], [game for game, _ in tasks], [asked.rounds] * len(tasks))
        for at, lines in enumerate(of_tasks, 1):
            said += len(lines)
            sys.stdout.writelines(f"{line}\n" for line in lines)
            sys.stderr.write(f"\r{at} of {len(tasks)} floors")
    sys.stderr.write("\n")
    sys.stdout.write(f"{said} alarms in {len(tasks)} honest floors of {asked.rounds} rounds\n")
    return 1 if said else 0


if __name__ == "__main__":
    raise SystemExit(main())
