"""The demo: a simulated gaming day goes the whole way, and what was found is compared with what was planted."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from desk.keys import KeyBook
from desk.review import persons
from desk.review.persons import Person, register
from events.log.contract import EventLog, ResultStore
from events.log.turn import keep_writers_out
from events.open import parse_address
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind, Signer
from events.proofs.signing_memory import SigningMemory
from events.sqlite.log import utc_now_us
from events.vocabulary.envelope import Draft
from floor.catalogue import DEFAULT, SIMULATIONS
from floor.day import gaming_day
from floor.faults.comparison import ComparableFinding, Comparison, FaultLabel, compare
from rack.demo_audit import Audit, hold_audit
from rack.errors import UsageError
from rack.opening import checkpoints_at, log_at, results_at
from rack.output import Output
from rack.settings import DEMO_DATABASE, DEMO_KEY, DEMO_OWN_LOG, PERSONS, REPORT, WAREHOUSE
from rack.whole_files import write_whole
from replay.findings import Finding
from replay.incidents import incidents_in, money_of
from replay.run.replayer import findings, replay

LABELS = "labels.json"
PROPERTY = "bellwether"
STAFF = {"m.ortiz": "Maria Ortiz", "s.lee": "Sam Lee", "r.haas": "Ruth Haas"}
"""Who is registered at the demo's property; their sign-ins are those of the trial login (`make dashboard-login`)."""
MAX_LISTED = 20
"""At most this many missed faults and false alarms are named one by one."""

AUDITED_FROM = 200
"""A shorter demo has no audit of a dealer."""
COMMIT_EVENTS = 4_000
"""Events that are made durable together: a device gateway's batch."""


@dataclass(frozen=True)
class Demo:
    """What a demo did; `audit` is that of one dealer, None in a short demo, or one without the default game."""

    events: int
    rounds: int
    comparison: Comparison
    audit: Audit | None
    findings: Sequence[Finding]
    legitimate: dict[str, int]
    verdicts: dict[str, int]
    seconds: dict[str, float]
    seed: int
    log: str
    out: Path
    integrity: Sequence[str]

    @property
    def perfect(self) -> bool:
        """Whether every planted fault was found and nothing else, at the tables and in the audit."""
        return self.comparison.perfect and (self.audit is None or self.audit.comparison.perfect)


def run(
    seed: int, rounds: int, out: Path, address: str | None, output: Output, games: Sequence[str] = (DEFAULT,)
) -> Demo:
    """Simulate, append, replay, compare, build the warehouse. Raises `UsageError` if something is in the way."""
    address = prepare(out, address)
    register_staff(out)
    clock = _Clock()
    day = gaming_day.simulate(seed, rounds, games=games)
    (out / LABELS).write_bytes(day.labels_json())
    clock.lap("simulate")
    with closing(log_at(address, create=True, property_id=PROPERTY)) as log:
        if log.streams():
            raise UsageError(f"{address}: the log already holds events; name another log")
        events = append(log, day.groups(), output)
        clock.lap("append")
        signer = publish_key(log, out)
        events += 1
        with closing(results_at(address)) as results:
            summary = replay(log, results, progress=lambda events, _: output.progress(events, "events replayed"))
            clock.lap("replay")
            found = sorted(findings(results), key=_in_order)
            comparison = compare(day.labels, found)
            audit = None
            if DEFAULT in games and rounds >= AUDITED_FROM:
                audit = hold_audit(log, results, persons.read(out / PERSONS), seed, by=next(iter(STAFF)))
            clock.lap("audit")
            sign_checkpoint(log, results, address, signer, out)
            clock.lap("sign")
            from analytics.warehouse.feed import build_warehouse

            build_warehouse(out / WAREHOUSE, log, results)
            clock.lap("warehouse")
    return Demo(
        events=events,
        rounds=summary.rounds,
        comparison=comparison,
        audit=audit,
        findings=found,
        verdicts=summary.verdicts,
        legitimate=dict(sorted(Counter(label.kind for label in day.legitimate).items())),
        seconds=clock.seconds,
        seed=seed,
        log=address,
        out=out,
        integrity=summary.integrity,
    )


def parse_games(names: str) -> list[str]:
    """Return the games that `--games` names; raises `UsageError` for one that the floor does not have."""
    if not names:
        return [DEFAULT]
    wanted = list(SIMULATIONS) if names == "all" else names.split(",")
    for name in wanted:
        if name not in SIMULATIONS:
            raise UsageError(
                f"--games {names}: no game is named {name!r}; expected all, or names from {', '.join(SIMULATIONS)}"
            )
    return list(dict.fromkeys(wanted))


def prepare(out: Path, address: str | None) -> str:
    """Make the folder ready and return the log's address; an earlier demo's log there is removed.

    Raises `UsageError` if the folder's log is not a demo's, `SecondWriter` if somebody has it open for writing, and
    `NotADirectoryError` and the like.
    """
    out.mkdir(parents=True, exist_ok=True)
    if address is not None:
        parse_address(address)
        return address
    database = out / DEMO_DATABASE
    if database.exists() and not (out / REPORT).is_file():
        raise UsageError(
            f"{database} is not the log of a demo (there is no {REPORT} beside it), and a log is never overwritten: "
            "name another folder with --out, or another log with --log"
        )
    address = _own_address(out)
    keeping = keep_writers_out(database)  # refused if another demo, or anybody else, is at work on it
    try:
        for file in sorted(out.glob(DEMO_DATABASE + "*")):
            file.unlink()
    finally:
        os.close(keeping)
    (out / REPORT).write_text("{}\n")
    return address


def register_staff(out: Path) -> None:
    """Register the demo's people next to its log, so that findings can be worked; a register that is there already stays."""
    if not (out / PERSONS).exists():
        for person, name in STAFF.items():
            account = f"{person}@{PROPERTY}.example"
            register(out / PERSONS, Person(id=person, name=name, accounts=(account,)))


def publish_key(log: EventLog, out: Path) -> Signer:
    """Make a new key and publish it, which takes one event; return what signs with it."""
    for file in out.glob(DEMO_KEY + "*"):
        file.unlink()
    book = KeyBook(log)
    signer = new_key(out / DEMO_KEY, book.origin, KeyKind.LOG)
    book.publish(signer.public_key, "demo")
    return signer


def sign_checkpoint(log: EventLog, results: ResultStore, address: str, signer: Signer, out: Path) -> None:
    """Sign a checkpoint over all events and all results."""
    with closing(checkpoints_at(address, log_id=log.log_id)) as store:
        memory = SigningMemory(out / DEMO_KEY, log.log_id)
        checkpointer = Checkpointer(log, store, signer, memory, clock=utc_now_us, results=results)
        checkpointer.read()
        checkpointer.sign()


def append(log: EventLog, groups: Iterable[tuple[str, Sequence[Draft]]], output: Output) -> int:
    """Append the groups, some thousand events in each commit; return how many events were stored."""
    events = 0
    for batch in batches(groups, COMMIT_EVENTS):
        events += sum(seq is not None for appended in log.append_groups(batch) for seq in appended.seqs)
        output.progress(events, "events appended")
    return events


def batches(groups: Iterable[tuple[str, Sequence[Draft]]], size: int) -> Iterator[list[tuple[str, Sequence[Draft]]]]:
    """Yield groups together until they hold `size` drafts.

    >>> [len(batch) for batch in batches([("table/a", [None] * 3), ("table/b", [None] * 2), ("table/a", [None])], 4)]
    [2, 1]
    """
    batch: list[tuple[str, Sequence[Draft]]] = []
    held = 0
    for stream, drafts in groups:
        batch.append((stream, drafts))
        held += len(drafts)
        if held >= size:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def report(demo: Demo) -> dict[str, Any]:
    """Return what the demo did as JSON values."""
    incidents = incidents_in(demo.findings)
    money = money_of(incidents)
    seconds = demo.seconds
    return {
        "events": demo.events,
        "rounds": demo.rounds,
        "findings": _by_code(demo.findings),
        "incidents": len(incidents),
        "planted": demo.comparison.planted,
        "found": demo.comparison.found,
        "missed": len(demo.comparison.missed),
        "false_alarms": len(demo.comparison.false_alarms),
        "legitimate": demo.legitimate,
        "overpaid_cents": money.overpaid_cents,
        "underpaid_cents": money.underpaid_cents,
        "events_per_s": round(demo.events / max(seconds["append"], 1e-9)),
        "rounds_per_s": round(demo.rounds / max(seconds["replay"], 1e-9)),
        "verdicts": demo.verdicts,
        "missed_codes": _by_code(demo.comparison.missed),
        "false_alarm_codes": _by_code(demo.comparison.false_alarms),
        "missed_faults": [msgspec.to_builtins(label) for label in demo.comparison.missed[:MAX_LISTED]],
        "false_alarm_findings": [msgspec.to_builtins(finding) for finding in demo.comparison.false_alarms[:MAX_LISTED]],
        "audit": None if demo.audit is None else _audited(demo.audit),
        "seconds": {name: round(value, 2) for name, value in seconds.items()},
        "integrity": list(demo.integrity),
        "seed": demo.seed,
        "log": demo.log,
        "out": str(demo.out),
    }


def _audited(audit: Audit) -> dict[str, Any]:
    """Return what the audit showed as JSON values."""
    result, compared = audit.result, audit.comparison
    return {
        "table": result.table,
        "dealer": result.dealer,
        "entered": result.entered,
        "events": audit.events,
        "wrong": result.wrong,
        "findings": result.by_code,
        "sentence": result.sentence,
        "planted": sum(compared.planted.values()),
        "missed": len(compared.missed),
        "false_alarms": len(compared.false_alarms),
    }


def _by_code(found: Iterable[ComparableFinding] | Iterable[FaultLabel]) -> dict[str, int]:
    return dict(sorted(Counter(each.code for each in found).items()))


def _in_order(finding: Finding) -> tuple[str, int, str, str]:
    """The order of a report; that of the results follows the log's partitions."""
    return finding.stream, finding.round_no or 0, finding.code, finding.id


class _Clock:
    """Seconds by the name of what was done."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._since = now - self._since, now


def write_report(out: Path, report: dict[str, Any]) -> None:
    """Keep the report with the log and the labels; it also marks the folder's log as a demo's.

    The log is named relative to the folder where it lies in it, so that a copy of the folder is a demo of its own.
    """
    own = report["log"] == _own_address(out)
    kept = {**report, "log": DEMO_OWN_LOG} if own else report
    write_whole({out / REPORT: (json.dumps(kept, ensure_ascii=False, indent=2) + "\n").encode()})


def _own_address(out: Path) -> str:
    return f"sqlite://{quote((out / DEMO_DATABASE).resolve().as_posix())}"
