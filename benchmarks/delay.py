"""The delay from the acknowledgment of a round's last event to its finding, while a floor plays at its pace.

Fifty tables of sixty rounds an hour, each round with an underpayment: a writer appends each round when it is due, and a follower
in a process of its own (`rack replay --follow`) judges it. The clock is the system's monotonic one, which both processes share.
The delay ends when the finding is committed.
"""

import multiprocessing
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Event as Flag
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from benchmarks.full_tables import Table
from benchmarks.measuring import Measured, delayed
from events.log.contract import EventLog
from events.open import open_log, open_results
from events.vocabulary import model
from events.vocabulary.envelope import Draft
from replay.run.in_force import current_findings
from replay.run.replayer import follow

TABLES, ROUNDS_AN_HOUR = 50, 60
SHORT_BY_CENTS = 100
PROPERTY = "bench"
WAIT_LIMIT_S = 60.0
Key = tuple[str, int | None]


class AdviceReach(msgspec.Struct, frozen=True):
    """How far the advice on an open round goes: up to the event of this device time."""

    round_no: int
    at_us: int


class Commit(NamedTuple):
    """A commit of the follower (monotonic clock): the rounds with a new finding, and the new advice, by stream."""

    at_s: float
    rounds: list[Key]
    advised: dict[str, AdviceReach]


def floor(rounds: int, seed: int) -> list[tuple[str, list[Draft]]]:
    """Return this many rounds of the tables in turn, each with a base wager paid too little or taken in part."""
    tables = [Table(f"fu-{number:02d}", seed) for number in range(1, TABLES + 1)]
    each = [table.groups(-(-rounds // TABLES)) for table in tables]
    return [(stream, shortened(drafts)) for turn in zip(*each, strict=True) for stream, drafts in turn][:rounds]


def shortened(drafts: Sequence[Draft]) -> list[Draft]:
    """Return a round in which the first payment or collection is one dollar short."""
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
    open_log(address, create=True, property_id=PROPERTY, **place(state_dir)).close()
    with following(address, state_dir) as found:
        begun = _play(address, floor(rounds, seed=1), state_dir)
        delays = delays_of(begun, commits_until(begun, found))
    return delayed(key, title, delays, 1.0, rounds=rounds)


@contextmanager
def following(address: str, state_dir: Path | None = None) -> Iterator[Any]:
    """Judge a log in a process of its own; yield the queue that gets each `Commit`."""
    context = multiprocessing.get_context("spawn")
    found: Any = context.Queue()
    ready, done = context.Event(), context.Event()
    follower = context.Process(target=_follow, args=(address, state_dir, found, ready, done), daemon=True)
    follower.start()
    try:
        if not ready.wait(WAIT_LIMIT_S):
            raise RuntimeError("the follower did not come up")
        yield found
    finally:
        done.set()
        follower.join(WAIT_LIMIT_S)
        if follower.is_alive():
            follower.kill()


def commits_until(begun: Mapping[Key, float], found: Any) -> list[Commit]:
    """Return the follower's commits, once every begun round has a finding."""
    commits: list[Commit] = []
    left = set(begun)
    while left:
        commits.append(found.get(timeout=WAIT_LIMIT_S))
        left.difference_update(commits[-1].rounds)
    return commits


def delays_of(begun: Mapping[Key, float], commits: Sequence[Commit]) -> list[float]:
    """Return, shortest first, the seconds from each round's beginning (monotonic clock) to its finding."""
    seen: dict[Key, float] = {}
    for commit in commits:
        for each in commit.rounds:
            seen.setdefault(each, commit.at_s)
    return sorted(seen[each] - at_s for each, at_s in begun.items())


def place(state_dir: Path | None) -> dict[str, Any]:
    """Return the option of `open_log` for the folder of the high-water marks."""
    return {} if state_dir is None else {"state_dir": state_dir}


def _play(address: str, groups: Sequence[tuple[str, list[Draft]]], state_dir: Path | None) -> dict[Key, float]:
    """Append each round when it is due; return the time of each acknowledgment."""
    pace_s = 3600 / (TABLES * ROUNDS_AN_HOUR)
    log = open_log(address, **place(state_dir))
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
    """Follow the log and report, after each commit, the rounds with a finding and the readable advice."""
    log, results = open_log(address, read_only=True, **place(state_dir)), open_results(address)
    reported: set[Key] = set()
    known: dict[str, bytes] = {}
    for _ in follow(log, results):
        at_s = time.monotonic()
        standing = {(each.stream, each.round_no) for each in current_findings(results.results("findings"))}
        advice = results.advice()
        new = {stream: _reach(data) for stream, data in advice.items() if data != known.get(stream)}
        if standing - reported or new:
            found.put(Commit(at_s, sorted(standing - reported), new))
            reported |= standing
            known = advice
        ready.set()
        if done.is_set():
            break
    results.close()
    log.close()


_reach = msgspec.json.Decoder(AdviceReach).decode
