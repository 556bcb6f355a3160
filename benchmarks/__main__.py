"""`make bench`: measures everything, and writes benchmarks/results.json and docs/benchmarks.md.

`python -m benchmarks --rounds N` takes another number of rounds, `--without-kafka` leaves out what needs a broker,
`--dry-run` writes to standard output instead of the files.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import batch, delay, growth, on_sqlite, ranking, reporting, warehouse
from benchmarks.full_tables import full_tables
from benchmarks.measuring import REPEATS, Measured, machine
from benchmarks.on_kafka import Kafka, broker
from benchmarks.profiling import added_by_stage, profile
from benchmarks.reporting import say

SEED = 1
DELAYS = 200
"""So many rounds are followed at the pace of a floor: four minutes."""
BY_ROUND = 500
"""So many rounds are appended with a commit each."""


def measure(folder: Path, rounds: int, with_kafka: bool, batch_rounds: int, warehouse_rounds: int) -> dict[str, Any]:
    """Measure everything; return what results.json holds."""
    results: dict[str, Any] = {"command": "make bench", "machine": machine()}
    say(f"writing {rounds:,} rounds …")
    groups = full_tables(rounds + REPEATS, tables=1, seed=SEED)
    groups, later = groups[:rounds], groups[rounds:]
    events = sum(len(drafts) for _, drafts in groups)
    results["workload"] = {
        "rounds": rounds,
        "events": events,
        "events_per_round": round(events / rounds, 1),
        "seed": SEED,
    }
    measured: list[Measured] = []
    say("append to SQLite …")
    by_round, _ = on_sqlite.appending(
        folder, groups[:BY_ROUND], 1, "append-sqlite-round", "Append to SQLite, a commit each round"
    )
    by_batch, path = on_sqlite.appending(
        folder,
        groups,
        on_sqlite.COMMIT_EVENTS,
        "append-sqlite",
        f"Append to SQLite, {on_sqlite.COMMIT_EVENTS:,} events a commit",
    )
    stored = [
        on_sqlite.storing(
            folder,
            groups,
            on_sqlite.COMMIT_EVENTS,
            "store-sqlite",
            f"Append to SQLite, encoded beforehand, {on_sqlite.COMMIT_EVENTS:,} events a commit",
        ),
        on_sqlite.storing(
            folder,
            groups[:BY_ROUND],
            1,
            "store-sqlite-round",
            "Append to SQLite, encoded beforehand, a commit each round",
        ),
    ]
    say("replay from SQLite …")
    replayed = on_sqlite.replaying(path, rounds, events)
    say("chain …")
    chains = on_sqlite.chain(path, events)
    say("where the time goes …")
    results["stages"] = added_by_stage(path)
    results["profile"] = profile(path)
    say("restart …")
    restarted = on_sqlite.restarting(path, rounds, later)
    measured = [replayed]
    if with_kafka:
        say("Kafka …")
        with broker(folder / "kafka") as bootstrap:
            kafka = Kafka(bootstrap, folder, groups, rounds)
            appended, polled = kafka.appending(), kafka.polling()
            measured += [
                kafka.replaying(replayed),
                polled,
                *chains,
                *stored,
                kafka.storing(),
                by_batch,
                by_round,
                appended,
            ]
            say("delay on Kafka …")
            address = f"kafka://{bootstrap}/delay"
            measured.append(delay.measure(address, "From append to finding, Kafka", "delay-kafka", DELAYS, folder))
    else:
        measured += [*chains, *stored, by_batch, by_round]
    say("delay on SQLite …")
    address = f"sqlite://{folder}/delay.db"
    measured.append(delay.measure(address, "From append to finding, SQLite", "delay-sqlite", DELAYS))
    say("growth …")
    measured += growth.measure(folder, SEED)
    say("ranking …")
    measured += ranking.measure(SEED)
    say("batch replay …")
    measured += batch.measure(folder / "batch", batch_rounds, replayed)
    results["benchmarks"] = [each.as_json() for each in (*measured, restarted)]
    say("questions to a warehouse …")
    results["warehouse"] = warehouse.measure(folder, warehouse_rounds)
    results["load_average_after"] = [round(load, 2) for load in os.getloadavg()]
    return results


def main(arguments: list[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_500)
    parser.add_argument("--batch-rounds", type=int, default=batch.ROUNDS)
    parser.add_argument("--warehouse-rounds", type=int, default=warehouse.ROUNDS)
    parser.add_argument("--without-kafka", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rack-bench-") as folder:
        results = measure(
            Path(folder), options.rounds, not options.without_kafka, options.batch_rounds, options.warehouse_rounds
        )
    if options.dry_run:
        sys.stdout.write(json.dumps(results, indent=2) + "\n" + reporting.document(results))
    else:
        reporting.write(results)
        say(f"wrote {reporting.RESULTS} and {reporting.DOCUMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
