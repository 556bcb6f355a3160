"""The adoption of a shadow over a long history, and what differs by it, while the pages are read.

A floor of all games with its faults is judged by an earlier engine. Its verdicts are stored again under further round numbers,
`--adoption-rounds` in all (default 1,000,000), and a shadow of the installed engine judges a share of them otherwise
(`--adoption-share`, default 0.05): it withdraws what was found, or takes the round for undetermined. `rack verdicts diff` and
`adopt` run in processes of their own. During the adoption another process asks, every 100 ms, what the pages ask: the log's
reviews and the last day of each table (*Floor*), the list of incidents (*Queue*), every finding (an action on one), the ends of
the streams (*Integrity*) and the engine (*Health*).
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import chdir, closing
from hashlib import sha256
from itertools import count, cycle, islice
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec

from analytics import integrity
from analytics.errors.queue import QueueFilters, incidents_queue, queue_totals
from analytics.live import LiveTables, base
from analytics.warehouse.warehouse import reading
from benchmarks.measuring import RACK, Measured, command
from benchmarks.refresh import append_floor
from benchmarks.reporting import say
from desk.review.desk import desk_at
from desk.review.desk_memory import DeskMemory
from desk.review.persons import Person, entry
from desk.shadows.state import engine_state
from events.log.contract import ResultStore
from events.open import open_log, open_results, open_shadow
from replay.findings import Adjudication, read_result, to_bytes
from replay.run import engine
from replay.run.replayer import replay
from replay.run.shadow import judge_beside, shadow_engine
from replay.run.stream_worker import Result, withdrawal

ROUNDS, SHARE = 1_000_000, 0.05
PLAYED = 600
"""This many rounds are played; all others are these under further numbers."""
COMMIT_ROUNDS = 10_000
EVERY_S = 0.1
MOST_MIB, LONGEST_S = 500, 2.0
NAME, PERSONS, WAREHOUSE = "next", ("m.ortiz", "s.kane"), "warehouse.duckdb"


def measure(folder: Path, rounds: int = ROUNDS, share: float = SHARE) -> list[Measured]:
    """Measure the difference as groups and as CSV, and the adoption with the longest wait of a page."""
    address = f"sqlite://{folder}/floor.db"
    with chdir(folder):
        played(address)
        say(f"storing {rounds:,} verdicts …")
        changed = stored(address, rounds, share)
        log = "--log", address, "--quiet"
        sizes = f"{rounds:,} verdicts, {changed:,} differ"
        found = []
        for key, words in ("diff", ["--json"]), ("diff-csv", ["--csv", "lines.csv"]):
            say(f"{key} …")
            timing, mib = command(*RACK, "verdicts", "diff", NAME, *words, *log)
            found.append(
                Measured(
                    key=key,
                    title=f"`rack verdicts diff {words[0]}`, SQLite, {sizes}",
                    unit="runs",
                    count=1,
                    ours=timing,
                    goal=f"under {MOST_MIB} MiB",
                    met=mib < MOST_MIB,
                    notes={"peak_mib": mib},
                )
            )
        say("adopt …")
        with subprocess.Popen(
            [sys.executable, "-m", "benchmarks.adoption", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as reader:
            assert reader.stdout is not None
            reader.stdout.readline()  # it has asked everything once
            by, signed_by = PERSONS
            words = ["--by", by, "--signed-by", signed_by, "--reason", "measured"]
            timing, mib = command(*RACK, "verdicts", "adopt", NAME, *words, *log, RACK_PERSONS="persons.toml")
            time.sleep(1.0)
            waits: dict[str, tuple[float, float]] = json.loads(reader.communicate()[0])
        with desk_at(address, read_only=True) as at:
            if engine_state(at, address).held:
                raise SystemExit("the adoption is not in force")
        notes = {"peak_mib": mib}
        for page, (wall_s, cpu_s) in waits.items():
            notes |= {f"{page}_ms": round(1000 * wall_s), f"{page}_cpu_ms": round(1000 * cpu_s)}
        found.append(
            Measured(
                key="adopt",
                title=f"`rack verdicts adopt`, SQLite, {sizes}",
                unit="runs",
                count=1,
                ours=timing,
                goal=f"a page waits at most {LONGEST_S:g} s",
                met=max(wall_s for wall_s, _ in waits.values()) <= LONGEST_S,
                notes=notes,
            )
        )
    return found


def played(address: str) -> None:
    """Play a floor, let an earlier engine judge it, and bring it into a warehouse; the installed engine holds its verdicts."""
    append_floor(address, PLAYED)
    with patch.object(engine, "_digest", lambda *_: "earlier"):
        _replay(address)
    _replay(address)
    Path("persons.toml").touch(0o600)
    Path("persons.toml").write_text("\n".join(entry(Person(id=e, name=e, roles=("compliance",))) for e in PERSONS))
    subprocess.run([*RACK, "warehouse", "build", "--log", address, "--warehouse", WAREHOUSE, "--quiet"], check=True)


def _replay(address: str) -> None:
    with closing(open_log(address, read_only=True)) as log, closing(open_results(address)) as results:
        replay(log, results)


def stored(address: str, rounds: int, share: float) -> int:
    """Store this many verdicts, and a shadow in which some of them differ; return how many differ."""
    with (
        closing(open_log(address, read_only=True)) as log,
        closing(open_results(address)) as results,
        closing(open_shadow(address, NAME)) as shadow,
    ):
        judge_beside(log, results, shadow)
        changed = 0
        made_up = verdicts(results, rounds)
        while some := list(islice(made_up, COMMIT_ROUNDS)):
            results.commit(engine.shared_engine(), {}, {}, (each for made in some for each in records(made)))
            others = [made for number, made in enumerate(some) if int(number * share) != int((number + 1) * share)]
            shadow.commit(shadow_engine(), {}, {}, (each for made in others for each in records(judged_otherwise(made))))
            changed += len(others)
    return changed


def verdicts(results: ResultStore, rounds: int) -> Iterator[Adjudication]:
    """Repeat the verdicts on the tables' rounds under new round numbers and new finding ids."""
    models = [
        read_result("adjudications", key, data, Adjudication)
        for key, data in results.results("adjudications")
        if key.startswith("table/")
    ]
    numbers = {each.stream: count(PLAYED + 1) for each in models}
    for model in islice(cycle(models), rounds):
        number = next(numbers[model.stream])
        findings = tuple(
            msgspec.structs.replace(each, id=sha256(f"{each.id} {number}".encode()).hexdigest()[: len(each.id)])
            for each in model.findings
        )
        yield msgspec.structs.replace(model, round_no=number, findings=findings)


def judged_otherwise(before: Adjudication) -> Adjudication:
    """Return the verdict of an engine that finds nothing where something was found, and else takes the round for undetermined."""
    after = msgspec.structs.replace(
        before,
        revision=before.revision + 1,
        supersedes=sha256(to_bytes(before)).hexdigest(),
        engine=engine.engine(),
        findings=(),
        withdrawn=tuple(each.id for each in before.findings),
    )
    if before.findings:
        return msgspec.structs.replace(after, verdict="UPHELD")
    return msgspec.structs.replace(after, verdict="UNDETERMINED", undetermined=("another reading (D1081)",))


def records(made: Adjudication) -> Iterator[Result]:
    """Yield the results of a round."""
    yield "adjudications", f"{made.stream}#{made.round_no}", to_bytes(made)
    yield from (("findings", each.id, to_bytes(each)) for each in made.findings)
    yield from (withdrawal(id_, made.stream, made.round_no) for id_ in made.withdrawn)


def read(address: str) -> None:
    """Ask what the pages ask until standard input ends, then print the longest wait of each, with its processor time."""
    memory, longest = DeskMemory(), dict[str, tuple[float, float]]()
    with reading(Path(WAREHOUSE)) as db, desk_at(address, read_only=True) as held:
        floor = LiveTables(held, base(db))

        def fresh(question: Callable[[Any], object]) -> None:
            with desk_at(address, read_only=True) as at:
                at.memory = memory
                question(at)

        asked: dict[str, Callable[[], object]] = {
            "floor": floor.refresh,
            "queue": lambda: (queue_totals(db, QueueFilters()), incidents_queue(db, QueueFilters(), limit=50)),
            "reviews": lambda: fresh(lambda at: [at.review(each) for each in at.log.streams() if each.startswith("review/")]),
            "findings": lambda: fresh(lambda at: at.memory.findings(at.results)),
            "integrity": lambda: fresh(integrity.streams),
            "health": lambda: fresh(lambda at: engine_state(at, address)),
        }
        for ask in asked.values():
            ask()
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        os.set_blocking(0, False)
        while not _ended():
            for page, ask in asked.items():
                began, used_s = time.perf_counter(), time.process_time()
                ask()
                took = time.perf_counter() - began, time.process_time() - used_s
                longest[page] = max(longest.get(page, took), took)
            time.sleep(EVERY_S)
    sys.stdout.write(json.dumps(longest) + "\n")


def _ended() -> bool:
    """Return whether the other end of standard input was closed."""
    try:
        return not os.read(0, 1)
    except BlockingIOError:
        return False


if __name__ == "__main__":
    read(sys.argv[1])
