"""What somebody does to the events that a page shows of a round, and to the notice of a verification that failed."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from analytics.shown_events import check
from desk.review.desk import Desk
from desk.verification.last_verification import State, keep, made, verified_at
from events.open import VERIFIED
from events.proofs.verify import verify
from events.sqlite.log import SqliteLog
from replay.run.replayer import MemoryResults
from tests.contract.backends import SqliteTamper
from tests.faults.floor import LOG_ID, PROPERTY, groups, tables
from tests.faults.table import demand, fault
from tests.rack.shown_rounds import round_events

ROUNDS = 2

Rows = list[dict[str, Any]]
InTheLog = Callable[[SqliteTamper, str, int], None]
InTheWarehouse = Callable[[Rows, int], None]


def _log(path: Path, **options: bool) -> SqliteLog:
    return SqliteLog(path, property_id=PROPERTY, log_id=LOG_ID, create=not options, **options)


def _whole(folder: Path) -> Path:
    path = folder / "whole.db"
    log = _log(path)
    log.append_groups(groups(ROUNDS))
    log.close()
    return path


def _copy(whole: Path) -> Path:
    path = whole.with_name("copy.db")
    for ending in ("", ".high-water"):
        shutil.copyfile(f"{whole}{ending}", f"{path}{ending}")
    return path


def _shown(path: Path) -> dict[tuple[str, int], Rows]:
    """Return what the warehouse shows of each round."""
    log = _log(path, read_only=True)
    try:
        return {(each.stream, each.round_no): each.events for each in round_events(log)}
    finally:
        log.close()


def _confirmed(path: Path, stream: str, round_no: int, rows: Rows, first: int) -> bool:
    log = _log(path, read_only=True, check_heads=False)
    try:
        return check(Desk(log, MemoryResults()), stream, round_no, rows, first).ok
    finally:
        log.close()


def _bytes_only(hand: SqliteTamper, stream: str, seq: int) -> None:
    hand.replace(stream, seq, hand.data(stream, seq).replace(b'"source_seq":', b'"source_seq":9', 1))


def _bytes_and_own_hash(hand: SqliteTamper, stream: str, seq: int) -> None:
    sql = "SELECT seq, hash FROM events WHERE stream = ? AND seq > ?"
    later = hand.execute(sql, stream, seq)
    _bytes_and_every_hash(hand, stream, seq)
    for number, hash_ in later:
        hand.execute("UPDATE events SET hash = ? WHERE stream = ? AND seq = ?", hash_, stream, number)


def _bytes_and_every_hash(hand: SqliteTamper, stream: str, seq: int) -> None:
    _bytes_only(hand, stream, seq)
    hand.rechain(stream, seq)


LOG_WAYS: tuple[InTheLog, ...] = (
    _bytes_only,
    _bytes_and_own_hash,
    _bytes_and_every_hash,
    SqliteTamper.remove,
    lambda hand, stream, seq: hand.cut(stream, seq - 1),
)

WAREHOUSE_WAYS: tuple[InTheWarehouse, ...] = (
    lambda rows, at: rows[at].update(payload=rows[at]["payload"].replace("{", '{"x":1,', 1)),
    lambda rows, at: rows[at].update(hash="0" * 64),
    lambda rows, at: rows[at].update(source="another"),
    lambda rows, at: rows[at].update(occurred_at_us=1),
    lambda rows, at: rows[at].update(type="another"),
    lambda rows, at: rows.pop(at),
    lambda rows, at: rows.append(rows[at] | {"seq": 10_000 + at}),
)


@fault(
    "pages",
    "event of a shown round altered in the log",
    how="each event of each round in turn: its bytes; with its own hash; with every later hash; removed; with all after it",
    held="the page of the round shows no verdict and says why",
    quick=15,
    often=400,
)
def in_the_log(folder: Path, times: int) -> int:
    whole = _whole(folder)
    shown = _shown(whole)
    cases = [(place, row["seq"], way) for place, rows in shown.items() for row in rows for way in LOG_WAYS if row["seq"] > 1]
    for place, rows in shown.items():
        demand(_confirmed(whole, *place, rows, rows[0]["seq"]), f"{place} is not confirmed, and nothing was altered")
    chosen = cases if times >= len(cases) else random.Random(11).sample(cases, times)
    for place, seq, way in chosen:
        path = _copy(whole)
        way(SqliteTamper(path), place[0], seq)
        rows = shown[place]
        demand(not _confirmed(path, *place, rows, rows[0]["seq"]), f"{place} event {seq} was altered and is confirmed")
    return len(chosen)


@fault(
    "pages",
    "event of a shown round altered in the warehouse",
    how="each event of each round in turn: its payload, hash, source, time or type; taken away; one put in",
    held="the page of the round shows no verdict and says why",
    quick=15,
    often=400,
)
def in_the_warehouse(folder: Path, times: int) -> int:
    whole = _whole(folder)
    shown = _shown(whole)
    cases = [(place, at, way) for place, rows in shown.items() for at in range(len(rows)) for way in WAREHOUSE_WAYS]
    chosen = cases if times >= len(cases) else random.Random(11).sample(cases, times)
    for place, at, way in chosen:
        rows = [dict(row) for row in shown[place]]
        first = rows[0]["seq"]
        way(rows, at)
        demand(not _confirmed(whole, *place, rows, first), f"{place} row {at} was altered and is confirmed")
    return len(chosen)


# ------------------------------------------------------------------------------------------ a verification that failed


def _verified(path: Path, *checks: str) -> None:
    """Verify, and keep the notice of it; a check named `broken …` fails."""
    log = _log(path, read_only=True, check_heads=False)
    try:
        report = verify(log)
        failures = [each.message for each in report.breaks] + [each for each in checks if each.startswith("broken")]
        done = made(log, report.heads, at_us=1, by="a", failures=failures, checks=checks, events=report.events, signed=True)
        keep(Path(f"{path}{VERIFIED}"), done)
    finally:
        log.close()


def _by_fewer_checks(path: Path, rng: random.Random) -> None:
    _verified(path, "events")


def _torn(path: Path, rng: random.Random) -> None:
    notice = Path(f"{path}{VERIFIED}")
    notice.write_bytes(notice.read_bytes()[: rng.randrange(1, notice.stat().st_size - 2)])


def _log_cut(path: Path, rng: random.Random) -> None:
    table = rng.choice(tables(ROUNDS))
    SqliteTamper(path).cut(table.stream, rng.randrange(1, table.last))


def _log_forged(path: Path, rng: random.Random) -> None:
    table = rng.choice(tables(ROUNDS))
    _bytes_and_every_hash(SqliteTamper(path), table.stream, rng.randrange(2, table.last + 1))


HIDING = (_by_fewer_checks, _torn, _log_cut, _log_forged)


@fault(
    "pages",
    "failed verification hidden",
    how="afterward another with fewer checks passes, the notice is cut off anywhere, the log is cut or forged again",
    held="every page goes on saying so",
    quick=12,
    often=200,
)
def hidden(folder: Path, times: int) -> int:
    whole = _whole(folder)
    for turn in range(times):
        path, rng = _copy(whole), random.Random(turn)
        _verified(path, "events", "broken witness")
        address = f"sqlite://{path}"
        demand(verified_at(address).state is State.FAILED, "a verification that failed is not told")
        way = HIDING[turn % len(HIDING)]
        way(path, rng)
        demand(verified_at(address).alarming, f"a verification that failed is hidden ({way.__name__[1:]})")
        Path(f"{path}{VERIFIED}").unlink()
    return times
