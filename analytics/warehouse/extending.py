"""An incremental build: it takes over what an earlier build holds, so that only new records are read.

The law of this file: an incremental build gives the same tables as a full one (a test compares them). The staging tables hold
everything of the raw tables that still counts; the models then run over all of it, which is cheap compared with reading. If the
earlier file comes from another program, log or time zone, nothing is taken over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import duckdb
import msgspec
import numpy as np
import numpy.typing as npt

from analytics.warehouse import warehouse
from analytics.warehouse.loading import (
    ADJUDICATIONS,
    FINDINGS,
    ROUND_EVENTS,
    SETTLEMENTS,
    TABLE_EVENTS,
    WITHDRAWN,
    PropertyFacts,
    ReviewedFinding,
    RoundEvents,
    TableEvent,
    batches,
)
from analytics.warehouse.warehouse import Warehouse
from replay.findings import Adjudication, Finding, LedgerEntry


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds already. `inputs` is the digest of what it was built from; `read_to` is stream → the last event read;
    `revisions` is stream → revision by round number, 0 where the round is not there."""

    inputs: str
    load_no: int
    read_to: Mapping[str, int]
    revisions: Mapping[str, npt.NDArray[np.uint32]]

    def has(self, stream: str, round_no: int, revision: int) -> bool:
        """Return whether the round is there in this revision or a later one."""
        known = self.revisions.get(stream)
        return known is not None and round_no < len(known) and revision <= int(known[round_no])


def earlier(path: str | Path, facts: PropertyFacts) -> Earlier | None:
    """Return what the file at `path` holds, or null where a build must begin anew."""
    if not Path(path).is_file():
        return None
    with warehouse.connect(":memory:") as db:
        try:
            db.execute("ATTACH ? AS old (READ_ONLY)", [str(path)])
            same = db.execute(
                """
                SELECT inputs FROM old.generation, old.property
                WHERE models_digest = $digest AND log_id = $log AND time_zone = $zone
                """,
                {"digest": warehouse.models_digest(), "log": facts.log_id, "zone": facts.time_zone},
            ).fetchall()
        except duckdb.Error:
            return None
        if not same or not facts.log_id:
            return None
        read_to = db.execute(
            """
            SELECT stream, max(seq)
            FROM (SELECT stream, seq FROM old.round_events UNION ALL SELECT stream, seq FROM old.stg_table_events)
            GROUP BY stream
            """
        ).fetchall()
        load_no = db.execute("SELECT coalesce(max(load_no), -1) + 1 FROM old.stg_adjudications").fetchall()
        return Earlier(inputs=same[0][0], load_no=load_no[0][0], read_to=dict(read_to), revisions=_revisions(db))


def _revisions(db: Warehouse) -> dict[str, npt.NDArray[np.uint32]]:
    found: dict[str, npt.NDArray[np.uint32]] = {}
    for (stream,) in db.execute("SELECT DISTINCT stream FROM old.stg_adjudications").fetchall():
        rows = db.execute(
            "SELECT round_no, revision FROM old.stg_adjudications WHERE stream = ?", [stream]
        ).fetchnumpy()
        known = np.zeros(int(rows["round_no"].max()) + 1, dtype=np.uint32)
        known[rows["round_no"]] = rows["revision"]
        found[stream] = known
    return found


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
    """Build as `warehouse.build` does, from what the file at `path` holds and what is new.

    New are `adjudications` (revisions that `base` does not have) and events past `known.read_to`; the ledger, the findings
    of no round and the reviews are given whole. An event given twice counts once.
    """
    rows = batches(
        adjudications,
        ledger,
        rounds_events,
        stream_findings,
        table_events,
        facts.time_zone,
        reviews,
        first_load_no=base.load_no,
    )
    warehouse.build_from(path, rows, facts=facts, inputs=inputs, prepare=lambda db: _take_over(db, path))


_WHERE_FROM = {
    "raw_adjudications": (ADJUDICATIONS, "old.stg_adjudications"),
    "raw_settlements": (SETTLEMENTS, "old.stg_settlements INNER JOIN old.stg_adjudications USING (stream, round_no)"),
    "raw_round_events": (ROUND_EVENTS, "old.round_events"),
    "raw_table_events": (TABLE_EVENTS, "old.stg_table_events"),
    "raw_withdrawn": (WITHDRAWN, "old.stg_withdrawn"),
}


# Names in the statements come from this package's own tables of columns, never from data.
def _take_over(db: Warehouse, path: str | Path) -> None:
    """Fill the raw tables with what the earlier file holds of them."""
    db.execute("ATTACH ? AS old (READ_ONLY)", [str(path)])
    for table, (columns, source) in _WHERE_FROM.items():
        named = ", ".join(columns)
        db.execute(f"INSERT INTO {table} BY NAME SELECT {named} FROM {source}")
    stated = ", ".join(
        {"load_no": "a.load_no", "stream": "s.found_in AS stream"}.get(column, f"s.{column}") for column in FINDINGS
    )
    db.execute(
        f"""
        INSERT INTO raw_findings BY NAME SELECT {stated}
        FROM old.stg_stated AS s INNER JOIN old.stg_adjudications AS a ON s.stream = a.stream AND s.stated_in = a.round_no
        """
    )
