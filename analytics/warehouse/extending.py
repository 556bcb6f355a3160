"""An incremental build: it adds new rows to the file of an earlier generation, and reads and computes nothing else.

Invariant: an incremental build gives the same tables as a full one (a test compares them). The file's marks show what is new: how
far it has read each stream of the log and its results. A full build starts without marks. If the file is from another program or
log, or was written to since it was built, it is not used.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from analytics.warehouse import warehouse
from analytics.warehouse.digests import Sums, differing, digests_of_each
from analytics.warehouse.generations import copy_anew, following, is_sealed
from analytics.warehouse.loading import TABLES, News, PropertyFacts, StreamMark
from analytics.warehouse.renewing import empty, prepare, renew
from analytics.warehouse.warehouse import CATALOG, NoWarehouse, Warehouse, model_text

APPENDED = {
    "raw_round_events": ("round_events", "INSERT INTO new_events SELECT DISTINCT stream, round_no FROM raw_round_events"),
    "raw_table_events": (
        "stg_table_events",
        "INSERT INTO new_table_events SELECT stream, seq, type, payload FROM raw_table_events",
    ),
}
"""Raw tables whose rows go straight into a model, and what is noted of them."""

MANY_ROUNDS = 5_000
"""Verdicts after which a long build brings the models up to what was loaded."""
MANY_EVENTS = 400_000
"""Events after which it does."""


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """A file's content: its property, its streams' marks, findings outside rounds, changed parts, and the count of builds."""

    facts: PropertyFacts
    marks: Mapping[str, StreamMark]
    outside: Mapping[str, list[str]]
    turn: int = 0
    altered: tuple[tuple[str, str], ...] = ()

    @property
    def events(self) -> int:
        """The number of events read for it."""
        return sum(mark.events for mark in self.marks.values())


NOTHING = Earlier(facts=PropertyFacts(), marks={}, outside={})
"""The content of a new file."""

Read = Callable[[Earlier], Iterator[News]]
"""Yields the news for a file with this content."""


def earlier(path: str | Path, log_id: str) -> Earlier | None:
    """Return the content of the file at `path`, compared with its digests if changed; None if a build must begin again."""
    sealed = is_sealed(path)
    try:
        with warehouse.attached(path) as db:
            of = db.execute("SELECT models_digest, log_id FROM generation, property").fetchall()
            if of != [(warehouse.models_digest(), log_id)] or not log_id:
                return None
            held = _held(db)
            return held if sealed else msgspec.structs.replace(held, altered=tuple(differing(db, CATALOG)))
    except (NoWarehouse, FileNotFoundError, duckdb.Error):
        return None


def build_news(path: str | Path, read: Read, facts: PropertyFacts) -> None:
    """Build the warehouse only from new rows. Raises the errors of `warehouse.build`."""

    def grow(db: Warehouse, sums: Sums) -> None:
        prepare(db)
        _take(db, sums, read(NOTHING))

    warehouse.build_from(path, (), facts=facts, grow=grow)


def extend(path: str | Path, read: Read, facts: PropertyFacts) -> None:
    """Add new rows to the warehouse, one generation on. Raises the errors of `warehouse.build`; the old file then remains."""
    with warehouse.disk_errors(path), following(path) as fresh, ExitStack() as stack:
        opened = partial(warehouse.opened, fresh, threads=1)  # for so few rows, more of them take longer
        try:
            db = stack.enter_context(opened())
        except duckdb.Error:  # another program has the spare open
            copy_anew(path, fresh)
            db = stack.enter_context(opened())
        generation = warehouse.generation_at(path, db) + 1
        warehouse.create_raw_tables(db)
        prepare(db)
        db.execute("BEGIN TRANSACTION")
        sums = Sums.stored(db)
        _take(db, sums, read(_held(db)))
        warehouse.finish(db, sums, facts, generation)
        db.execute("COMMIT")


def _held(db: Warehouse) -> Earlier:
    """Return the content of an open file."""
    ((name, zone, currency, log_id, generation),) = db.execute(
        "SELECT name, time_zone, currency, log_id, generation FROM property, generation"
    ).fetchall()
    outside: dict[str, list[str]] = {}
    for stream, finding_id in db.execute(
        "SELECT stream, finding_id FROM stg_stated WHERE stated_in = 0 ORDER BY stream, finding_no"
    ).fetchall():
        outside.setdefault(stream, []).append(finding_id)
    return Earlier(
        facts=PropertyFacts(name=name, time_zone=zone, currency=currency, log_id=log_id),
        marks={
            stream: StreamMark(events=events, head=head, results=results, results_head=results_head, again=again)
            for stream, events, head, results, results_head, again in db.execute("FROM sources").fetchall()
        },
        outside=outside,
        turn=generation,
    )


def _take(db: Warehouse, sums: Sums, read: Iterable[News]) -> None:
    """Load the new rows, and update the models each time enough are loaded."""
    loaded = {"raw_adjudications": 0, "raw_round_events": 0}
    marks: dict[str, StreamMark] = {}
    for news in chain(read, (None,)):
        if news is None or loaded["raw_adjudications"] >= MANY_ROUNDS or loaded["raw_round_events"] >= MANY_EVENTS:
            renew(db, sums)
            empty(db, TABLES)
            loaded = dict.fromkeys(loaded, 0)
        if news is not None:
            marks |= news.marks
            for table, streams in (("begun_again", news.begun_again), ("with_findings_outside", news.findings_outside)):
                if streams:
                    db.execute(f"INSERT INTO {table} SELECT unnest(?::VARCHAR[])", [sorted(streams)])
            _load(db, sums, news)
            for table, frame in news.rows:
                if table in loaded:
                    loaded[table] += len(frame)
    columns = [list(marks), *([getattr(mark, field) for mark in marks.values()] for field in StreamMark.__struct_fields__)]
    warehouse.replace_rows(db, sums, "sources", f"SELECT {', '.join('unnest(?)' for _ in columns)}", columns)


# Names in the statements come from this package's own tables, never from data.
def _load(db: Warehouse, sums: Sums, news: News) -> None:
    """Load frames into the raw tables, and events into their models; of events read again, only if the models differ."""
    warehouse.load(db, news.rows)
    loaded = {each.table for each in news.rows if not each.rows.is_empty()}
    where, values = _within(news.again)
    for table, (model, note) in APPENDED.items():
        if table not in loaded and not news.again:
            continue
        db.execute(note)
        parts = [f"(FROM {model} WHERE {where})", f"({model_text(model)})"]
        gone, added = digests_of_each(db, model, parts, values, few=bool(news.again))
        if gone != added:
            db.execute(f"DELETE FROM {model} WHERE {where}", values)
            db.execute(f"INSERT INTO {model} {model_text(model)}")
            sums.change(gone, added)
        db.execute(f"DELETE FROM temp.{table}")


def _within(ranges: Sequence[tuple[str, int, int]]) -> tuple[str, list[Any]]:
    """Return the condition, with its parameters, that an event is in one of these ranges, and in its stream's whole span."""
    conditions, values = ["false"], list[Any]()
    for stream in dict.fromkeys(stream for stream, _, _ in ranges):
        spans = [(first, last) for of, first, last in ranges if of == stream]
        whole = (min(first for first, _ in spans), max(last for _, last in spans))
        any_span = " OR ".join(["seq BETWEEN ? AND ?"] * len(spans))
        conditions.append(f"stream = ? AND seq BETWEEN ? AND ? AND ({any_span})")
        values += [stream, *whole, *chain.from_iterable(spans)]
    return " OR ".join(conditions), values
