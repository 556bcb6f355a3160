"""What is handed in while faults happen: two tables and their rounds, and what must come of them in the end."""

import functools
from collections.abc import Mapping

from events.log.contract import EventLog, ResultStore
from events.log.result_chain import CHAINED
from events.proofs.verify import verify
from events.vocabulary.envelope import Draft
from replay.run.replayer import MemoryResults, Replay, replay
from tests.faults.table import demand
from tests.replay.tables import LOG_ID, PAID, PROPERTY, UNPAID, MemoryLog, Table

__all__ = ["LOG_ID", "PROPERTY", "Said", "check", "expected", "groups", "impostor", "judge", "said", "tables"]

PATTERN = (PAID, UNPAID, PAID.replace("pay     seat=3 base 25.00", "pay     seat=3 base 20.00"))
GROUP = 5
"""Events handed in at a time."""

Said = dict[str, dict[str, list[bytes]]]
"""What a replay says: kind → key → the records under it, in their order."""


@functools.cache
def tables(rounds: int = 4) -> tuple[Table, ...]:
    """Two tables with this many rounds each; some wagers are not paid, or not in full."""
    made = tuple(Table(f"table/fu-{number:02d}") for number in (1, 2))
    for shift, table in enumerate(made):
        for number in range(1, rounds + 1):
            table.play(number, PATTERN[(number + shift) % len(PATTERN)])
    return made


@functools.cache
def impostor() -> Table:
    """A table whose events are handed in at wrong numbers, and refused."""
    made = Table("table/fu-09")
    for number in range(1, 20):
        made.play(number, PAID)
    return made


@functools.cache
def groups(rounds: int = 4) -> tuple[tuple[str, list[Draft]], ...]:
    """What the tables say, a few events at a time, by turns."""
    cut = [[(each.stream, each.drafts[at : at + GROUP]) for at in range(0, each.last, GROUP)] for each in tables(rounds)]
    return tuple(group for pair in zip(*cut, strict=True) for group in pair)


@functools.cache
def expected(rounds: int = 4) -> Said:
    """What a replay says where nothing goes wrong."""
    results = MemoryResults()
    replay(MemoryLog(tables(rounds)), results)
    return said(results)


def said(results: ResultStore) -> Said:
    """Return all that was ever said, in its order under each key."""
    found: Said = {kind: {} for kind in CHAINED}
    for kind in CHAINED:
        for key, data in results.results(kind):
            found[kind].setdefault(key, []).append(data)
    return found


def judge(log: EventLog, results: ResultStore | None = None) -> Said:
    """Replay a log to its end and return all that was ever said."""
    kept = results if results is not None else MemoryResults()
    run = Replay(log, kept)
    for _ in run.run():
        pass
    demand(run.summary.integrity == [], f"a sound log is called broken: {run.summary.integrity}")
    return said(kept)


def check(log: EventLog, results: ResultStore | None = None, rounds: int = 4) -> None:
    """Everything was handed in: each event is there once, in its order; the log is sound; findings are the same bytes."""
    for table in tables(rounds):
        check_stored(log, table, table.last)
        demand(log.head(table.stream).seq == table.last, f"{table.stream} ends at {log.head(table.stream).seq}")
    report = verify(log)
    demand(report.ok, f"a sound log is called broken: {report.breaks}")
    found = judge(log, results)
    for kind, records in expected(rounds).items():
        demand(found[kind] == records, f"{kind} differ from those of the run without faults")


def check_stored(log: EventLog, table: Table, at_least: int) -> None:
    """What is in a stream is what the table said, from the first on, once, and not less than was acknowledged."""
    from events.vocabulary.codec import decode

    drafts = [decode(record.data).draft() for record in log.read(table.stream)]
    demand(drafts == table.drafts[: len(drafts)], f"{table.stream} holds other events than were handed in")
    demand(len(drafts) >= at_least, f"{table.stream} ends at {len(drafts)}, acknowledged were {at_least}")


def acknowledged(count: int, rounds: int = 4) -> Mapping[str, int]:
    """Return where each stream must at least end when this many groups were acknowledged."""
    ends = {table.stream: 0 for table in tables(rounds)}
    for stream, drafts in groups(rounds)[:count]:
        ends[stream] += len(drafts)
    return ends
