"""An incremental build: it takes over the events that an earlier build read from the log, so that only new ones are read.

The law of this file: an incremental build gives the same tables as a full one (a test compares them), and believes nothing of
the earlier file. What comes from the results is read from them again, whole: that is cheap. Rows of events are taken over by
stream, where they are as they were built; one stream is read again all the same, in each build another one, so that rows
whose digest was computed anew do not stay. The models then run over all of it. If the earlier file comes from another
program, log or time zone, nothing is taken over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import msgspec

from analytics.warehouse import warehouse
from analytics.warehouse.digests import KEPT, differing
from analytics.warehouse.loading import (
    ROUND_EVENTS,
    TABLE_EVENTS,
    PropertyFacts,
    ReviewedFinding,
    RoundEvents,
    TableEvent,
    batches,
)
from analytics.warehouse.warehouse import Warehouse
from replay.findings import Adjudication, Finding, LedgerEntry


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds already. `inputs` is the digest of what it was built from; `read_to` is stream → the last event read,
    of the streams whose rows can be taken over. `altered` names every table, and stream, that is not as it was built."""

    inputs: str
    read_to: Mapping[str, int]
    altered: tuple[tuple[str, str], ...]


def earlier(path: str | Path, facts: PropertyFacts) -> Earlier | None:
    """Return what the file at `path` holds, or null where a build must begin anew."""
    if not Path(path).is_file():
        return None
    with warehouse.connect(":memory:") as db:
        try:
            db.execute("ATTACH ? AS old (READ_ONLY)", [str(path)])
            same = db.execute(
                """
                SELECT inputs, generation FROM old.generation, old.property
                WHERE models_digest = $digest AND log_id = $log AND time_zone = $zone
                """,
                {"digest": warehouse.models_digest(), "log": facts.log_id, "zone": facts.time_zone},
            ).fetchall()
            if not same or not facts.log_id:
                return None
            altered = differing(db, "old")
            read_to = db.execute(
                """
                SELECT stream, max(seq)
                FROM (SELECT stream, seq FROM old.round_events UNION ALL SELECT stream, seq FROM old.stg_table_events)
                GROUP BY stream ORDER BY stream
                """
            ).fetchall()
        except duckdb.Error:
            return None
    ((inputs, generation),) = same
    again = {stream for table, stream in altered if table in KEPT}
    if read_to:
        again.add(read_to[generation % len(read_to)][0])
    kept = {stream: seq for stream, seq in read_to if stream not in again}
    return Earlier(inputs=inputs, read_to=kept, altered=tuple(altered))


def extend(
    path: str | Path,
    base: Earlier,
    adjudications: Iterable[Adjudication],
    ledger: Iterable[LedgerEntry],
    rounds_events: Iterable[RoundEvents],
    *,
    stream_findings: Iterable[Finding],
    table_events: Iterable[TableEvent],
    reviews: Iterable[ReviewedFinding],
    facts: PropertyFacts,
    inputs: str,
) -> None:
    """Build as `warehouse.build` does, from the events that the file at `path` holds and what is given.

    Events are given past `base.read_to`, everything else whole. An event given twice counts once.
    """
    rows = batches(
        adjudications,
        ledger,
        rounds_events,
        stream_findings,
        table_events,
        facts.time_zone,
        reviews,
    )
    warehouse.build_from(path, rows, facts=facts, inputs=inputs, prepare=lambda db: _take_over(db, path, base.read_to))


_WHERE_FROM = {
    "raw_round_events": (ROUND_EVENTS, "old.round_events"),
    "raw_table_events": (TABLE_EVENTS, "old.stg_table_events"),
}


# Names in the statements come from this package's own tables of columns, never from data.
def _take_over(db: Warehouse, path: str | Path, streams: Iterable[str]) -> None:
    """Fill the raw tables with the events of these streams that the earlier file holds."""
    db.execute("ATTACH ? AS old (READ_ONLY)", [str(path)])
    for table, (columns, source) in _WHERE_FROM.items():
        named = ", ".join(columns)
        db.execute(
            f"INSERT INTO {table} BY NAME SELECT {named} FROM {source} WHERE list_contains(?, stream)", [list(streams)]
        )
