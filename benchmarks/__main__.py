"""`make bench`: measures everything, part by part, and writes benchmarks/results.json and docs/benchmarks.md after each part.

`python -m benchmarks --only PART …` measures only these parts and keeps the written results of the others (parts: log, live,
proofs, adoption, freshness, growth, ranking, warehouse, refresh, month, told, worst), `--rounds N` sets the number of rounds,
`--without-kafka` skips parts that need a broker, `--dry-run` writes to standard output instead of the files.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks import (
    adoption,
    delay,
    freshness,
    from_device,
    history,
    month,
    on_sqlite,
    ranking,
    refresh,
    reporting,
    through_gateway,
    told_in_time,
    warehouse,
    worst_cases,
)
from benchmarks.full_tables import full_tables
from benchmarks.measuring import REPEATS, Measured, machine
from benchmarks.on_kafka import PROOF_ROUNDS, Kafka, broker, proofs
from benchmarks.profiling import added_by_stage, profile
from benchmarks.reporting import say

SEED = 1
DELAYS = 200
"""This many rounds are followed at the pace of a floor: four minutes."""
BY_ROUND = 500
"""This many rounds are appended with a commit each."""


def of_log(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Log to verdict, append, chain, replay and restart, on SQLite and on Kafka; and where the time of a replay goes."""
    rounds = options.rounds
    say(f"writing {rounds:,} rounds …")
    groups = full_tables(rounds + REPEATS, tables=1, seed=SEED)
    groups, later = groups[:rounds], groups[rounds:]
    events = sum(len(drafts) for _, drafts in groups)
    say("log to verdict, a whole history …")
    measured = history.measure(folder / "floor", options.floor_rounds)
    say("append to SQLite …")
    appended, path = _appended(folder, groups)
    stored = _stored(folder, groups)
    say("replay from SQLite …")
    replayed = on_sqlite.replaying(path, rounds, events)
    say("chain …")
    chains = [*on_sqlite.chain(path, events), *stored]
    say("where the time goes …")
    found = {
        "workload": {"rounds": rounds, "events": events, "events_per_round": round(events / rounds, 1), "seed": SEED},
        "stages": added_by_stage(path),
        "profile": profile(path),
    }
    say("restart …")
    restarted = on_sqlite.restarting(path, rounds, later)
    measured.append(replayed)
    if options.without_kafka:
        measured += [*chains, *appended]
    else:
        say("Kafka …")
        with broker(folder / "kafka") as bootstrap:
            kafka = Kafka(bootstrap, folder, groups, rounds)
            on_kafka, polled = kafka.appending(), kafka.polling()
            measured += [kafka.replaying(replayed), polled, *chains, kafka.storing(), *appended, on_kafka]
    return found | _benchmarks([*measured, restarted])


def live(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Measure the gateway, append to finding, and device to advice and finding, on SQLite and on Kafka."""
    say("through the gateway …")
    measured = through_gateway.measure(folder)
    with nullcontext("") if options.without_kafka else broker(folder / "kafka") as bootstrap:
        if bootstrap:
            say("delay on Kafka …")
            address = f"kafka://{bootstrap}/delay"
            measured.append(delay.measure(address, "From append to finding, Kafka", "delay-kafka", DELAYS, folder))
            say("from the device, Kafka …")
            for speed in from_device.SPEEDS:
                measured += from_device.measure(bootstrap, speed, folder)
    say("delay on SQLite …")
    address = f"sqlite://{folder}/delay.db"
    measured.append(delay.measure(address, "From append to finding, SQLite", "delay-sqlite", DELAYS))
    say("from the device, SQLite …")
    for speed in from_device.SPEEDS:
        measured += from_device.measure("sqlite", speed, folder)
    return _benchmarks(measured)


def _benchmarks(measured: list[Measured]) -> dict[str, Any]:
    return {"benchmarks": [each.as_json() for each in measured]}


def _appended(folder: Path, groups: on_sqlite.Groups) -> tuple[list[Measured], Path]:
    """Append with many events in a commit, and with a commit for each round; return the timings, and the whole log."""
    by_round, _ = on_sqlite.appending(
        folder, groups[:BY_ROUND], 1, "append-sqlite-round", "Append to SQLite, a commit each round"
    )
    title = f"Append to SQLite, {on_sqlite.COMMIT_EVENTS:,} events a commit"
    by_batch, path = on_sqlite.appending(folder, groups, on_sqlite.COMMIT_EVENTS, "append-sqlite", title)
    return [by_batch, by_round], path


def _stored(folder: Path, groups: on_sqlite.Groups) -> list[Measured]:
    """Append encoded events with many for each commit, and with a commit for each round."""
    title = "Append to SQLite, encoded beforehand"
    many = f"{title}, {on_sqlite.COMMIT_EVENTS:,} events a commit"
    return [
        on_sqlite.storing(folder, groups, on_sqlite.COMMIT_EVENTS, "store-sqlite", many),
        on_sqlite.storing(folder, groups[:BY_ROUND], 1, "store-sqlite-round", f"{title}, a commit each round"),
    ]


PARTS: dict[str, Callable[[Path, argparse.Namespace], dict[str, Any]]] = {
    "log": of_log,
    "live": live,
    "proofs": lambda folder, options: _benchmarks([] if options.without_kafka else proofs(folder, options.proof_rounds)),
    "adoption": lambda folder, options: _benchmarks(adoption.measure(folder, options.adoption_rounds, options.adoption_share)),
    "freshness": lambda folder, options: _benchmarks(
        [freshness.measure(folder, options.seconds, options.log, options.warehouse)]
    ),
    "growth": lambda folder, _: _benchmarks(worst_cases.growing(folder, SEED)),
    "ranking": lambda *_: _benchmarks(ranking.measure(SEED)),
    "warehouse": lambda folder, options: warehouse.measure(folder, options.warehouse_rounds, options.keep),
    "refresh": lambda folder, options: {"sizes": refresh.measure_each(folder, options.refresh_rounds, options.kafka)},
    "month": lambda folder, _: month.measure(folder),
    "told": lambda folder, _: told_in_time.measure(folder),
    "worst": lambda folder, _: _benchmarks(worst_cases.measure(folder, SEED)),
}


def measure(part: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one part; return its content of results.json."""
    begun, load = datetime.now(UTC).isoformat(timespec="seconds"), os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="rack-bench-") as folder:
        found = PARTS[part](Path(folder), options)
    return {"date": begun, "load_average": [round(load, 2), round(os.getloadavg()[0], 2)]} | found


def main(arguments: list[str] | None = None) -> int:
    """Measure, and write after each part: a failing part loses nothing of the others."""
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="PART")
    parser.add_argument("--rounds", type=int, default=1_500)
    parser.add_argument("--floor-rounds", type=int, default=history.ROUNDS)
    parser.add_argument("--proof-rounds", type=int, default=PROOF_ROUNDS)
    parser.add_argument("--adoption-rounds", type=int, default=adoption.ROUNDS)
    parser.add_argument("--adoption-share", type=float, default=adoption.SHARE)
    parser.add_argument("--warehouse-rounds", type=int, default=warehouse.ROUNDS)
    parser.add_argument("--refresh-rounds", type=int, nargs="+", default=refresh.ROUNDS)
    parser.add_argument("--seconds", type=float, default=freshness.SECONDS, help="freshness: how long the tables play")
    parser.add_argument("--log", metavar="ADDR", help="freshness: a log with a history, on SQLite; needs --warehouse")
    parser.add_argument("--warehouse", type=Path, metavar="FILE", help="freshness: its warehouse")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="warehouse: the file to keep, or to ask if it is there")
    parser.add_argument("--kafka", metavar="HOST:PORT", help="refresh: a broker that holds the log")
    parser.add_argument("--without-kafka", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    options = parser.parse_args(arguments)
    if (options.log is None) != (options.warehouse is None):
        parser.error("--log and --warehouse go together")
    results = reporting.read() | {"command": "make bench", "machine": machine()}
    for part in options.only:
        results["parts"][part] = measure(part, options)
        if not options.dry_run:
            reporting.write(results)
            say(f"{part}: wrote {reporting.RESULTS} and {reporting.DOCUMENT}")
    if options.dry_run:
        sys.stdout.write(json.dumps(results, indent=2) + "\n" + reporting.document(results))
    return 0


if __name__ == "__main__":
    sys.exit(main())
