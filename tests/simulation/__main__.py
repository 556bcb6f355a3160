"""Run many seeds: `python -m tests.simulation [--first N] [--seeds M] [--kafka]`; the first that fails is printed, and how."""

import argparse
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from tests.simulation import kafka_world, world
from tests.simulation.world import Outcome


def attempt(seed: int, *, kafka: bool = False) -> Outcome | str:
    """Run a seed in a folder of its own; return what happened, or how it failed."""
    with tempfile.TemporaryDirectory(prefix="rack-simulation-") as folder:
        try:
            return (kafka_world if kafka else world).run(seed, Path(folder))
        except Exception as error:  # whatever it is: the seed shall be known
            return f"seed {seed}: {type(error).__name__}: {error}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="tests.simulation", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seeds", type=int, default=5000, help="how many")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    parser.add_argument("--kafka", action="store_true", help="on the simulated Kafka cluster, not on SQLite")
    options = parser.parse_args()
    faults, events, began = Counter[str](), 0, time.monotonic()
    seeds = range(options.first, options.first + options.seeds)
    with ProcessPoolExecutor(options.jobs) as pool:
        for done, outcome in enumerate(pool.map(partial(attempt, kafka=options.kafka), seeds, chunksize=20), 1):
            if isinstance(outcome, str):
                pool.shutdown(cancel_futures=True)
                again = f"python -m tests.simulation{' --kafka' * options.kafka} --first {seeds[done - 1]} --seeds 1"
                sys.stderr.write(f"\n{outcome}\nto see it again: {again}\n")
                return 1
            faults.update(outcome.faults)
            events += outcome.events
            if done % 100 == 0:
                sys.stderr.write(f"\r{done} seeds, {faults.total()} faults, {time.monotonic() - began:.0f} s")
    told = ", ".join(f"{count} {kind}" for kind, count in sorted(faults.items()))
    sys.stdout.write(f"\n{options.seeds} seeds from {options.first}: {events} events, {told}; nothing was lost\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
