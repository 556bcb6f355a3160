"""Small months made by hand for the reports: a few rounds and counts whose every figure can be worked out on paper."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from analytics.reports.filing import PropertyFiling
from analytics.reports.sources import Sources
from analytics.warehouse.loading import PropertyFacts
from analytics.warehouse.warehouse import build, reading
from desk.report.content import Report, ReportTable
from desk.review.desk import Desk
from events.sqlite.log import SqliteLog
from replay.findings import Adjudication, LedgerEntry, Settlement
from replay.run.replayer import MemoryResults
from tests.dashboards.sample import adjudication, settlement
from tests.replay.tables import PROPERTY, SECOND_US, START_US, append
from tests.replay.tables import Table as Recorded

FACTS = PropertyFacts(name="Bellwether", time_zone="America/New_York", currency="USD", log_id="ab" * 16)


def played(
    table: str, round_no: int, day: str, settlements: Iterable[Settlement], *, shift: str = "day", **fields: Any
) -> Adjudication:
    """A round of Pai Gow Poker (Chapter 645c) at a table, judged without a finding, opened at noon UTC of its gaming day."""
    opened = (date.fromisoformat(day) - date(1970, 1, 1)).days * 86_400_000_000 + 43_200_000_000
    made = adjudication(f"table/{table}", round_no, settlements, day=day, shift=shift, opened=opened, first_seq=round_no * 100)
    return replace(made, **{"game": "pai_gow_poker", "chapter": "pa-645c"} | fields)


def match(seat: int, staked: int, done: int) -> Settlement:
    """A Match wager, of which theory is known by hand: 15 of 216 rolls pay 6 to 1, one pays 100 to 1, the rest lose."""
    return settlement(seat, "match", staked, done, done, paytable="1")


def counts(table: str, day: str, first_seq: int, **cents: int) -> list[LedgerEntry]:
    """Openers, closers, fills, credits and drops of a table on a day, numbered from `first_seq`."""
    return [
        LedgerEntry(stream=f"table/{table}", seq=seq, gaming_day=day, kind=kind, amount_cents=amount, reference=f"doc-{seq}")
        for seq, (kind, amount) in enumerate(cents.items(), first_seq)
    ]


@contextmanager
def sources(
    folder: Path,
    adjudications: Iterable[Adjudication],
    ledger: Iterable[LedgerEntry] = (),
    *,
    first: str,
    last: str,
    filing: PropertyFiling | None = None,
    log: Any = None,
    **more: Any,
) -> Iterator[Sources]:
    """What a report reads: a warehouse of these rounds and counts, and a desk on a log if one is given."""
    path = folder / "month.duckdb"
    build(path, adjudications, ledger, facts=FACTS, **more)
    with reading(path) as db:
        yield Sources(
            db=db,
            desk=Desk(log, MemoryResults()),
            first=date.fromisoformat(first),
            last=date.fromisoformat(last),
            filing=filing or PropertyFiling(),
        )


@contextmanager
def log_of(folder: Path, *tables: Recorded, since_us: int = START_US) -> Iterator[SqliteLog]:
    """A log with the events of these tables and meters, whose clock goes on by a second with each."""
    ticks = count(since_us, SECOND_US)
    log = SqliteLog(folder / "floor.db", property_id=PROPERTY, log_id=FACTS.log_id, create=True, clock=lambda: next(ticks))
    with closing(log):
        append(log, *tables)
        yield log


def table(report: Report, name: str) -> ReportTable:
    """Return a table of a report by its name."""
    return next(each for each in report.tables if each.name == name)


def rows(report: Report, name: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table of a report, or some of its columns."""
    found = table(report, name)
    names = [each.name for each in found.columns]
    chosen = [names.index(column) for column in columns or names]
    return [tuple(row[i] for i in chosen) for row in found.rows]
