"""The demo: a simulated gaming day from events to findings, which are compared with the planted faults."""

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from desk.keys import KeyBook
from desk.review import persons
from desk.review.persons import Person, register
from desk.whole_files import write_whole
from events.log.clock import utc_now_us
from events.log.contract import EventLog, ResultStore
from events.log.turn import keep_writers_out
from events.open import parse_address
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import new_key
from events.proofs.signed_note import KeyKind, Signer
from events.proofs.signing_memory import SigningMemory
from events.vocabulary.envelope import Draft
from floor.catalogue import DEFAULT, SIMULATIONS
from floor.day import gaming_day
from floor.faults.comparison import ComparableFinding, Comparison, FaultLabel, compare
from replay.findings import Finding
from replay.incidents import incidents_in, money_of
from replay.narrative.names import plural
from replay.narrative.text_table import money as money_text
from replay.narrative.text_table import table
from replay.run.replayer import findings, replay
from trial.audit import Audit, hold_audit
from trial.property_folder import (
    DEMO_DATABASE,
    DEMO_KEY,
    DEMO_OWN_LOG,
    PERSONS,
    PROPERTY,
    REPORT,
    WAREHOUSE,
    TrialPlace,
    TrialRefused,
)

LABELS = "labels.json"
STAFF = {
    "m.ortiz": ("Maria Ortiz", "surveillance"),
    "s.lee": ("Sam Lee", "surveillance"),
    "a.novak": ("Anna Novak", "analyst"),
    "r.haas": ("Ruth Haas", "auditor"),
    "j.kim": ("Jin Kim", "administrator"),
    "p.diaz": ("Pia Diaz", "pit"),
    "t.reed": ("Tom Reed", "pit"),
    "c.lee": ("Cara Lee", "count"),
    "d.cho": ("Dan Cho", "count"),
    "l.stone": ("Lena Stone", "compliance"),
    "n.cruz": ("Nora Cruz", "compliance"),
}
"""Name and role of who is registered at the demo's property; they sign in by the trial login (`make dashboard-login`)."""
MAX_LISTED = 20
"""At most this many missed faults and false alarms are named one by one."""

AUDITED_FROM = 200
"""A shorter demo has no audit of a dealer."""
Progress = Callable[[int, str], None]
"""Is told how many of what are done."""
COMMIT_EVENTS = 4_000
"""Events that are made durable together: a device gateway's batch."""


@dataclass(frozen=True)
class Demo:
    """The result of a demo; `audit` is that of one dealer, None in a short demo, or one without the default game."""

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
        """Whether exactly the planted faults were found, at the tables and in the audit."""
        return self.comparison.perfect and (self.audit is None or self.audit.comparison.perfect)


def run(seed: int, rounds: int, place: TrialPlace, progress: Progress, games: Sequence[str] = (DEFAULT,)) -> Demo:
    """Simulate, append, replay, compare, build the warehouse. Raises `TrialRefused` if something prevents it."""
    out = place.out
    register_staff(out)
    clock = _Clock()
    day = gaming_day.simulate(seed, rounds, games=games, rare_every=gaming_day.SELDOM)
    (out / LABELS).write_bytes(day.labels_json())
    clock.lap("simulate")
    with place.new_log() as log:
        events = append(log, day.groups(), progress)
        clock.lap("append")
        signer = publish_key(log, out)
        events += 1
        with place.results() as results:
            summary = replay(log, results, progress=lambda events, _: progress(events, "events replayed"))
            clock.lap("replay")
            found = sorted(findings(results), key=_in_order)
            comparison = compare(day.labels, found)
            audit = None
            if DEFAULT in games and rounds >= AUDITED_FROM:
                audit = hold_audit(log, results, persons.read(out / PERSONS), seed, by=next(iter(STAFF)))
            clock.lap("audit")
            sign_checkpoint(log, results, place, signer)
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
        log=place.log,
        out=out,
        integrity=summary.integrity,
    )


def parse_games(names: str) -> list[str]:
    """Return the games named by `--games`. Raises `TrialRefused` for a game that the floor lacks."""
    if not names:
        return [DEFAULT]
    wanted = list(SIMULATIONS) if names == "all" else names.split(",")
    for name in wanted:
        if name not in SIMULATIONS:
            raise TrialRefused(
                f"--games {names}: no simulated game is named {name!r}; expected all, or names from {', '.join(SIMULATIONS)}"
            )
    return list(dict.fromkeys(wanted))


def prepare(out: Path, address: str | None) -> str:
    """Prepare the folder and return the log's address; an earlier demo's log there is removed.

    Raises `TrialRefused` if the folder's log is not a demo's, `SecondWriter` if somebody has it open for writing, and
    `NotADirectoryError` and the like.
    """
    out.mkdir(parents=True, exist_ok=True)
    if address is not None:
        parse_address(address)
        return address
    database = out / DEMO_DATABASE
    if database.exists() and not (out / REPORT).is_file():
        raise TrialRefused(
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
    """Register the demo's people next to its log, so that findings can be worked on; an existing register stays."""
    if not (out / PERSONS).exists():
        for person, (name, role) in STAFF.items():
            account = f"{person}@{PROPERTY}.example"
            register(out / PERSONS, Person(id=person, name=name, accounts=(account,), roles=(role,)))


def publish_key(log: EventLog, out: Path) -> Signer:
    """Make a new key and publish it by one event; return its signer."""
    for file in out.glob(DEMO_KEY + "*"):
        file.unlink()
    book = KeyBook(log)
    signer = new_key(out / DEMO_KEY, book.origin, KeyKind.LOG)
    book.publish(signer.public_key, "demo")
    return signer


def sign_checkpoint(log: EventLog, results: ResultStore, place: TrialPlace, signer: Signer) -> None:
    """Sign a checkpoint over all events and all results."""
    with place.checkpoints(log.log_id) as store:
        memory = SigningMemory(place.out / DEMO_KEY, log.log_id)
        checkpointer = Checkpointer(log, store, signer, memory, clock=utc_now_us, results=results)
        checkpointer.read()
        checkpointer.sign()


def append(log: EventLog, groups: Iterable[tuple[str, Sequence[Draft]]], progress: Progress) -> int:
    """Append the groups, some thousand events for each commit; return the number of events stored."""
    events = 0
    for batch in batches(groups, COMMIT_EVENTS):
        events += sum(seq is not None for appended in log.append_groups(batch) for seq in appended.seqs)
        progress(events, "events appended")
    return events


def batches(groups: Iterable[tuple[str, Sequence[Draft]]], size: int) -> Iterator[list[tuple[str, Sequence[Draft]]]]:
    """Yield groups in batches of `size` drafts or more.

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
    """Return the result of the demo as JSON values."""
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


def report_lines(report: dict[str, Any]) -> list[str]:
    """Return the report as text."""
    findings, planted, found = report["findings"], report["planted"], report["found"]
    codes = sorted({*findings, *planted})
    verdicts = ", ".join(f"{count:,} {verdict}" for verdict, count in report["verdicts"].items())
    return [
        f"{report['events']:,} events, {report['rounds']:,} rounds: {verdicts}",
        "",
        *table(
            ("code", "planted", "found", "findings"),
            [(code, planted.get(code, 0), found.get(code, 0), findings.get(code, 0)) for code in codes],
        ),
        "",
        *_legitimate(report["legitimate"]),
        f"incidents     {report['incidents']:>10,} in {plural(sum(findings.values()), 'finding')}",
        f"missed        {report['missed']:>10,} of {sum(planted.values()):,} planted faults{_codes(report['missed_codes'])}",
        f"false alarms  {report['false_alarms']:>10,}{_codes(report['false_alarm_codes'])}",
        *_audit_line(report["audit"]),
        f"overpaid      {money_text(report['overpaid_cents']).lstrip('+'):>10}",
        f"underpaid     {money_text(report['underpaid_cents']).lstrip('+'):>10}",
        f"appended      {report['events_per_s']:>10,} events per second, each durable before it is acknowledged",
        f"replayed      {report['rounds_per_s']:>10,} rounds per second",
        *(f"  missed: {_place(label)}" for label in report["missed_faults"]),
        *(f"  false alarm: {_place(finding)}" for finding in report["false_alarm_findings"]),
        "",
        f"verify: rack verify --log {report['log']} --key {report['out']}/demo.key.pub",
        f"log {report['log']}; results in {report['out']}/. Next: rack dashboard --out {report['out']}",
    ]


def _legitimate(times: dict[str, int]) -> list[str]:
    return [*table(("handled correctly (no finding expected)", "times"), list(times.items())), ""] if times else []


def _audit_line(audit: dict[str, Any] | None) -> list[str]:
    if audit is None:
        return []
    found = audit["planted"] - audit["missed"]
    return [
        f"audit         {found:>10,} of {audit['planted']:,} errors found in {audit['entered']:,} rounds of "
        f"{audit['dealer'].upper()} that a person entered, {audit['false_alarms']:,} false alarms; {audit['sentence']}"
    ]


def _codes(counts: dict[str, int]) -> str:
    return f" ({', '.join(f'{code} {count:,}' for code, count in counts.items())})" if counts else ""


def _place(said: dict[str, Any]) -> str:
    seat = "" if said["seat"] is None else f" seat={said['seat']}"
    wager = "" if said["wager"] is None else f" wager={said['wager']}"
    return f"{said['code']} {said['stream']} round {said['round_no']}{seat}{wager}"


def _audited(audit: Audit) -> dict[str, Any]:
    """Return the results of the audit as JSON values."""
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
    """The sort order of a report; that of the results depends on the log's partitions."""
    return finding.stream, finding.round_no or 0, finding.code, finding.id


class _Clock:
    """Seconds by the name of each step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.seconds[name], self._since = now - self._since, now


def write_report(out: Path, report: dict[str, Any]) -> None:
    """Store the report and the labels with the log, which is named relative to the folder; it marks the log as a demo's."""
    own = report["log"] == _own_address(out)
    kept = {**report, "log": DEMO_OWN_LOG} if own else report
    write_whole({out / REPORT: (json.dumps(kept, ensure_ascii=False, indent=2) + "\n").encode()})


def _own_address(out: Path) -> str:
    return f"sqlite://{quote((out / DEMO_DATABASE).resolve().as_posix())}"
