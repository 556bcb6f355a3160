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

from benchmarks import (
    delay,
    from_device,
    growth,
    history,
    month,
    on_sqlite,
    ranking,
    refresh,
    reporting,
    through_gateway,
    warehouse,
)
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


def measure(folder: Path, rounds: int, with_kafka: bool, floor_rounds: int, warehouse_rounds: int) -> dict[str, Any]:
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
    say("log to verdict, a whole history …")
    measured = history.measure(folder / "floor", floor_rounds)
    say("append to SQLite …")
    appended, path = _appended(folder, groups)
    stored = _stored(folder, groups)
    say("replay from SQLite …")
    replayed = on_sqlite.replaying(path, rounds, events)
    say("chain …")
    chains = on_sqlite.chain(path, events)
    say("where the time goes …")
    results["stages"] = added_by_stage(path)
    results["profile"] = profile(path)
    say("restart …")
    restarted = on_sqlite.restarting(path, rounds, later)
    measured.append(replayed)
    if with_kafka:
        say("Kafka …")
        with broker(folder / "kafka") as bootstrap:
            kafka = Kafka(bootstrap, folder, groups, rounds)
            measured += _on_kafka(kafka, replayed, [*chains, *stored], appended)
    else:
        measured += [*chains, *stored, *appended]
    measured += _at_length(folder)
    results["benchmarks"] = [each.as_json() for each in (*measured, restarted)]
    say("questions to a warehouse …")
    results["warehouse"] = warehouse.measure(folder, warehouse_rounds)
    say("one more round …")
    results["refresh"] = [refresh.measure(_made(folder / f"refresh-{rounds}"), rounds) for rounds in refresh.ROUNDS]
    say("a month …")
    results["month"] = month.measure(_made(folder / "month"))
    results["load_average_after"] = [round(load, 2) for load in os.getloadavg()]
    return results


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _appended(folder: Path, groups: on_sqlite.Groups) -> tuple[list[Measured], Path]:
    """Append with many events a commit, and with a commit each round; return what it took, and the log of all rounds."""
    by_round, _ = on_sqlite.appending(
        folder, groups[:BY_ROUND], 1, "append-sqlite-round", "Append to SQLite, a commit each round"
    )
    title = f"Append to SQLite, {on_sqlite.COMMIT_EVENTS:,} events a commit"
    by_batch, path = on_sqlite.appending(folder, groups, on_sqlite.COMMIT_EVENTS, "append-sqlite", title)
    return [by_batch, by_round], path


def _stored(folder: Path, groups: on_sqlite.Groups) -> list[Measured]:
    """Append what was encoded beforehand, with many events a commit, and with a commit each round."""
    title = "Append to SQLite, encoded beforehand"
    many = f"{title}, {on_sqlite.COMMIT_EVENTS:,} events a commit"
    return [
        on_sqlite.storing(folder, groups, on_sqlite.COMMIT_EVENTS, "store-sqlite", many),
        on_sqlite.storing(folder, groups[:BY_ROUND], 1, "store-sqlite-round", f"{title}, a commit each round"),
    ]


def _on_kafka(
    kafka: Kafka, replayed: Measured, chains: list[Measured], appended_sqlite: list[Measured]
) -> list[Measured]:
    """Append, poll, replay and follow on a broker; return it in the order of the document, with what is compared to it."""
    appended, polled = kafka.appending(), kafka.polling()
    measured = [kafka.replaying(replayed), polled, *chains, kafka.storing(), *appended_sqlite, appended]
    say("delay on Kafka …")
    address = f"kafka://{kafka.bootstrap}/delay"
    measured.append(delay.measure(address, "From append to finding, Kafka", "delay-kafka", DELAYS, kafka.folder))
    say("from the device, Kafka …")
    for speed in from_device.SPEEDS:
        measured += from_device.measure(kafka.bootstrap, speed, kafka.folder)
    return measured


def _at_length(folder: Path) -> list[Measured]:
    """Measure what needs a log of its own: delay, growth, ranking."""
    say("through the gateway …")
    through = through_gateway.measure(folder)
    say("delay on SQLite …")
    address = f"sqlite://{folder}/delay.db"
    measured = [*through, delay.measure(address, "From append to finding, SQLite", "delay-sqlite", DELAYS)]
    say("from the device, SQLite …")
    for speed in from_device.SPEEDS:
        measured += from_device.measure("sqlite", speed, folder)
    say("growth …")
    measured += growth.measure(folder, SEED)
    say("ranking …")
    return [*measured, *ranking.measure(SEED)]


def main(arguments: list[str] | None = None) -> int:
    """Measure and write."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_500)
    parser.add_argument("--floor-rounds", type=int, default=history.ROUNDS)
    parser.add_argument("--warehouse-rounds", type=int, default=warehouse.ROUNDS)
    parser.add_argument("--without-kafka", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="rack-bench-") as folder:
        results = measure(
            Path(folder), options.rounds, not options.without_kafka, options.floor_rounds, options.warehouse_rounds
        )
    if options.dry_run:
        sys.stdout.write(json.dumps(results, indent=2) + "\n" + reporting.document(results))
    else:
        reporting.write(results)
        say(f"wrote {reporting.RESULTS} and {reporting.DOCUMENT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
