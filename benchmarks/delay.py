"""How long it takes from the acknowledgement of a round's last event to its finding, while a floor plays at its pace.

Fifty tables of sixty rounds an hour, each round with a payment that is short: a writer appends each round when it is due, and a
follower in a process of its own (`rack replay --follow`) judges what comes. The clock is the system's monotonic one, which
both processes share. The delay ends when the finding is committed.
"""

from __future__ import annotations

import math
import multiprocessing
import time
from collections.abc import Sequence
from multiprocessing.synchronize import Event as Flag
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.full_tables import Table
from benchmarks.measuring import Measured, Timing
from events.log.contract import EventLog
from events.open import open_log, open_results
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from replay.run.replayer import follow
from replay.run.stream_worker import current_findings

TABLES, ROUNDS_AN_HOUR = 50, 60
SHORT_BY_CENTS = 100
PROPERTY = "bench"
PATIENCE_S = 60.0
Key = tuple[str, int | None]


def floor(rounds: int, seed: int) -> list[tuple[str, list[Draft]]]:
    """Return so many rounds of the tables in turn, each with a base wager that is paid too little or taken in part."""
    tables = [Table(f"fu-{number:02d}", seed) for number in range(1, TABLES + 1)]
    each = [table.groups(-(-rounds // TABLES)) for table in tables]
    return [(stream, shortened(drafts)) for turn in zip(*each, strict=True) for stream, drafts in turn][:rounds]


def shortened(drafts: Sequence[Draft]) -> list[Draft]:
    """Return a round in which the first wager that is paid or taken is paid or taken with a dollar less."""
    changed = list(drafts)
    for index, draft in enumerate(drafts):
        payload = draft.payload
        short: model.Event
        if isinstance(payload, model.WagerPaid) and payload.winnings_cents > SHORT_BY_CENTS:
            short = msgspec.structs.replace(payload, winnings_cents=payload.winnings_cents - SHORT_BY_CENTS)
        elif isinstance(payload, model.WagerTaken) and payload.amount_cents > SHORT_BY_CENTS:
            short = msgspec.structs.replace(payload, amount_cents=payload.amount_cents - SHORT_BY_CENTS)
        else:
            continue
        changed[index] = msgspec.structs.replace(draft, payload=short)
        return changed
    raise RuntimeError("a round without anything paid or taken")


def measure(address: str, title: str, key: str, rounds: int, state_dir: Path | None = None) -> Measured:
    """Play the rounds at the floor's pace into a new log and return the delays, as the median; the 99th percentile is a note."""
    open_log(address, create=True, property_id=PROPERTY, **_where(state_dir)).close()
    context = multiprocessing.get_context("spawn")
    found: Any = context.Queue()
    ready, done = context.Event(), context.Event()
    follower = context.Process(target=_follow, args=(address, state_dir, found, ready, done), daemon=True)
    follower.start()
    try:
        if not ready.wait(PATIENCE_S):
            raise RuntimeError("the follower did not come up")
        acknowledged = _play(address, floor(rounds, seed=1), state_dir)
        seen: dict[Key, float] = {}
        while acknowledged.keys() - seen.keys():
            at_s, keys = found.get(timeout=PATIENCE_S)
            for each in keys:
                seen.setdefault(each, at_s)
    finally:
        done.set()
        follower.join(PATIENCE_S)
        if follower.is_alive():
            follower.kill()
    delays = sorted(seen[each] - at_s for each, at_s in acknowledged.items())
    median, late = delays[len(delays) // 2], delays[math.ceil(0.99 * len(delays)) - 1]
    return Measured(
        key=key,
        title=title,
        unit="delays",
        count=1,
        ours=Timing(median, median),
        goal="99 of 100 under 1 s",
        met=late < 1.0,
        notes={"rounds": rounds, "percentile_99_ms": round(late * 1000), "longest_ms": round(delays[-1] * 1000)},
    )


def _where(state_dir: Path | None) -> dict[str, Any]:
    return {} if state_dir is None else {"state_dir": state_dir}


def _play(address: str, groups: Sequence[tuple[str, list[Draft]]], state_dir: Path | None) -> dict[Key, float]:
    """Append each round when it is due; return when each was acknowledged."""
    pace_s = 3600 / (TABLES * ROUNDS_AN_HOUR)
    log = open_log(address, **_where(state_dir))
    try:
        begin, acknowledged = time.monotonic(), {}
        for number, group in enumerate(groups):
            time.sleep(max(0.0, begin + number * pace_s - time.monotonic()))
            acknowledged[_append(log, group)] = time.monotonic()
        return acknowledged
    finally:
        log.close()


def _append(log: EventLog, group: tuple[str, list[Draft]]) -> Key:
    log.append_groups([group])
    return group[0], next(draft.round_no for draft in reversed(group[1]) if draft.round_no is not None)


def _follow(address: str, state_dir: Path | None, found: Any, ready: Flag, done: Flag) -> None:
    """Follow the log and tell, after each commit, the rounds that have a finding by now."""
    log, results = open_log(address, read_only=True, **_where(state_dir)), open_results(address)
    told: set[Key] = set()
    for _ in follow(log, results):
        at_s = time.monotonic()
        standing = {(each.stream, each.round_no) for each in current_findings(results.results("findings"))}
        if standing - told:
            found.put((at_s, sorted(standing - told)))
            told |= standing
        ready.set()
        if done.is_set():
            break
    results.close()
    log.close()
