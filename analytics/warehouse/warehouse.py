"""The warehouse: a DuckDB file built from adjudications, as a new file that replaces the old one at once.

The law of this file: the models in `models/` run in the order of `MODELS`; each makes one table of its own name and declares
its grain in its first line. Rows come in as Arrow columns; no statement is put together from data. A reader opens the file
anew each time (`reading`), so it always sees the newest generation and never half of one.
"""

from __future__ import annotations

import fcntl
import glob
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from analytics.warehouse.digests import write_digests
from analytics.warehouse.game_facts import FACT_TABLES, game_facts
from analytics.warehouse.loading import (
    TABLES,
    PropertyFacts,
    ReviewedFinding,
    RoundEvents,
    TableEvent,
    TableRows,
    batches,
)
from replay.findings import Adjudication, Finding, LedgerEntry

__all__ = [
    "PropertyFacts",
    "ReviewedFinding",
    "RoundEvents",
    "TableEvent",
    "Warehouse",
    "WarehouseError",
    "build",
    "grains",
    "reading",
    "stamp",
]

Warehouse = duckdb.DuckDBPyConnection
"""An open warehouse, as the functions of `analytics.hold.hold` take it."""

MODELS = (
    "stg_adjudications",
    "stg_settlements",
    "stg_stated",
    "stg_findings",
    "stg_withdrawn",
    "stg_reviews",
    "stg_ledger",
    "stg_table_events",
    "fct_filings",
    "fct_readings",
    "round_events",
    "fct_cards_seen",
    "stg_chances",
    "fct_wagers",
    "fct_findings",
    "fct_incidents",
    "fct_rounds",
    "fct_table_days",
    "fct_rolls",
    "fct_hands",
    "mart_hold_table_day",
    "mart_hold_wager",
    "mart_against_theory",
    "mart_theory_floor",
    "mart_pace",
    "mart_seats",
    "mart_bettors",
    "mart_faces",
    "mart_totals",
    "mart_starts",
    "mart_cards",
    "mart_hands",
    "mart_repeats",
    "mart_devices",
    "mart_rules",
)
"""In the order in which they are made: each reads only what stands before it, or the `raw_` tables."""

_DUCK_TYPES = {
    pl.Int64: "BIGINT",
    pl.String: "VARCHAR",
    pl.Boolean: "BOOLEAN",
    pl.List(pl.String): "VARCHAR[]",
    pl.List(pl.Int64): "BIGINT[]",
}


DISK_ERRORS: Final = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.TransactionException,
    duckdb.FatalException,
)
"""What DuckDB raises where the disk is full or fails."""


class WarehouseError(Exception):
    """There is no warehouse to read, or it cannot be written, and what to do about it."""


def build(
    path: str | Path,
    adjudications: Iterable[Adjudication],
    ledger: Iterable[LedgerEntry],
    rounds_events: Iterable[RoundEvents] = (),
    *,
    stream_findings: Iterable[Finding] = (),
    table_events: Iterable[TableEvent] = (),
    reviews: Iterable[ReviewedFinding] = (),
    facts: PropertyFacts | None = None,
    inputs: str = "",
) -> None:
    """Build the warehouse into a new file and put it in place of `path` atomically, one generation on.

    Every revision may be given, in any order, repeats too: the newest of each round counts. `stream_findings` are those
    that belong to no round (a gap in the log); `inputs` is a digest by which a later build knows that nothing is new.
    Raises `WarehouseError` where the disk is full or fails, `OSError` or `duckdb.Error`; the old file then stands untouched.
    """
    facts = facts or PropertyFacts()
    build_from(
        path,
        batches(adjudications, ledger, rounds_events, stream_findings, table_events, facts.time_zone, reviews),
        facts=facts,
        inputs=inputs,
    )


def build_from(
    path: str | Path,
    rows: Iterable[TableRows],
    *,
    facts: PropertyFacts,
    inputs: str = "",
    prepare: Callable[[Warehouse], None] | None = None,
) -> None:
    """Build the warehouse as `build` does, from frames with the columns of `TABLES` (see `analytics.warehouse.loading`).

    `prepare` may put rows into the raw tables ahead of these frames.
    """
    try:
        with replacing(path) as fresh, connect(str(fresh)) as db:
            for table, columns in TABLES.items():
                db.execute(_create_statement(table, {name: _DUCK_TYPES[kind] for name, kind in columns.items()}))
            load_game_facts(db)
            if prepare is not None:
                prepare(db)
            db.execute("BEGIN TRANSACTION")
            load(db, rows)
            for model in MODELS:
                db.execute(f"CREATE TABLE {model} AS\n{model_text(model)}")
            finish(db, facts, generation_at(path) + 1, inputs)
            db.execute("COMMIT")
    except DISK_ERRORS as error:
        raise WarehouseError(
            f"{path} could not be built ({str(error).splitlines()[0]}); an earlier file stands as it was: "
            "free space on its disk, and build again"
        ) from error


def connect(database: str) -> Warehouse:
    """Connect to a database, without the progress bar that DuckDB would print on stdout (there goes the result alone)."""
    db = duckdb.connect(database)
    db.execute("SET enable_progress_bar = false")
    return db


def load(db: Warehouse, rows: Iterable[TableRows]) -> None:
    """Put frames into the temporary tables of the names in `TABLES`."""
    for table, frame in rows:
        if not frame.is_empty():
            db.register("incoming", frame.to_arrow())
            db.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
            db.unregister("incoming")


def load_game_facts(db: Warehouse) -> None:
    """Make the temporary tables of what the models know of single games."""
    for table, rows in game_facts().items():
        columns = FACT_TABLES[table]
        db.execute(_create_statement(table, columns))
        for row in rows:
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", list(row))


def finish(db: Warehouse, facts: PropertyFacts, generation: int, inputs: str = "") -> None:
    """Write the property and the generation of the warehouse, and the digests of all its tables."""
    _write_property(db, facts)
    _write_generation(db, generation, inputs)
    write_digests(db)


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a path for a new file; where the block ends well, the file takes the place of `path` at once and durably.

    The file is made in a folder beside `path` that is locked as long as its build runs; folders of builds that were killed
    are removed. Raises `OSError`.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder, lock = _build_folder(target)
    try:
        fresh = folder / target.name
        yield fresh
        _sync(fresh)
        os.replace(fresh, target)
        _sync(target.parent)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def _build_folder(target: Path) -> tuple[Path, int]:
    """Make a locked folder for one build; remove those whose builds have ended without doing so themselves.

    The folder above is locked meanwhile, so that no folder is seen between its making and its locking.
    """
    prefix = f".{target.name}.build-"
    above = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(above, fcntl.LOCK_EX)
        for left in target.parent.glob(glob.escape(prefix) + "*"):
            lock = os.open(left, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            except BlockingIOError:
                pass  # its build is at work
            finally:
                os.close(lock)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)
    finally:
        os.close(above)
    return folder, lock


@contextmanager
def reading(path: str | Path) -> Iterator[Warehouse]:
    """Open the newest generation read-only.

    The file is attached to a database of its own, for DuckDB would otherwise hand out the instance that another
    thread of this process still has open, old generation and all. Raises `WarehouseError` with what to do.
    """
    if not Path(path).is_file():
        raise WarehouseError(
            f"There is no warehouse at {path} yet. Run `rack demo` for a simulated gaming day, "
            "or `rack replay --log ADDR --warehouse FILE` on a log of your own."
        )
    db = connect(":memory:")
    try:
        try:
            db.execute("ATTACH ? AS warehouse (READ_ONLY)", [str(path)])
            db.execute("USE warehouse")
            built_by = db.sql("SELECT models_digest FROM generation").fetchall()
        except duckdb.Error as error:
            raise WarehouseError(
                f"{path} cannot be read as a warehouse ({str(error).splitlines()[0]}). "
                "Run `rack replay --log ADDR --warehouse FILE`: it builds the file anew from the results."
            ) from error
        if built_by != [(models_digest(),)]:
            raise WarehouseError(
                f"{path} was built by another version of the program. "
                "Run `rack replay --log ADDR --warehouse FILE`: it builds the file anew."
            )
        yield db
    finally:
        db.close()


def stamp(path: str | Path) -> tuple[int, int] | None:
    """Return what changes whenever a new generation takes the file's place, without opening it; null without a file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def grains() -> dict[str, tuple[str, ...]]:
    """Return model → the columns that name one row of it, as its header declares.

    >>> grains()["fct_rounds"]
    ('stream', 'round_no')
    """
    found: dict[str, tuple[str, ...]] = {}
    for model in MODELS:
        first = model_text(model).splitlines()[0]
        label, _, columns = first.partition(":")
        if label != "-- grain":
            raise WarehouseError(f"models/{model}.sql: the first line must declare the grain, not {first!r}")
        found[model] = tuple(column.strip() for column in columns.split(","))
    return found


def models_digest() -> str:
    """Return the digest of all models and what they know of games, by which a file knows which program built it."""
    text = "\0".join((*(f"{model}\0{model_text(model)}" for model in MODELS), repr(game_facts())))
    return sha256(text.encode()).hexdigest()


@cache
def model_text(model: str) -> str:
    """Return the statement that makes a model, with its header."""
    return resources.files("analytics.warehouse").joinpath("models", f"{model}.sql").read_text(encoding="utf-8")


# Names in the statements below come from this package's own tables of columns and models, never from data.
def _create_statement(table: str, columns: dict[str, str]) -> str:
    return f"CREATE TEMP TABLE {table} ({', '.join(f'{name} {kind}' for name, kind in columns.items())})"


def _write_property(db: Warehouse, facts: PropertyFacts) -> None:
    db.execute(
        """
        CREATE OR REPLACE TABLE property AS SELECT
            ?::VARCHAR AS name, ?::VARCHAR AS time_zone, ?::VARCHAR AS currency, ?::VARCHAR AS log_id
        """,
        [facts.name, facts.time_zone, facts.currency, facts.log_id],
    )


def _write_generation(db: Warehouse, generation: int, inputs: str) -> None:
    db.execute(
        """
        CREATE OR REPLACE TABLE generation AS SELECT
            ?::BIGINT AS generation,
            ?::BIGINT AS built_at_us,
            ?::VARCHAR AS models_digest,
            ?::VARCHAR AS inputs,
            (SELECT string_agg(DISTINCT engine, ', ' ORDER BY engine) FROM stg_adjudications) AS engines,
            (SELECT count(*) FROM fct_rounds) AS rounds,
            (SELECT count(*) FROM fct_wagers) AS wagers,
            (SELECT count(*) FROM fct_findings) AS findings,
            (SELECT count(*) FROM stg_ledger) AS ledger_entries,
            (SELECT count(*) FROM round_events) AS events
        """,
        [generation, time.time_ns() // 1000, models_digest(), inputs],
    )


def generation_at(path: str | Path) -> int:
    """Return the generation of the file in place; 0 where there is none that can be read."""
    if not Path(path).is_file():
        return 0
    with connect(":memory:") as db:
        try:
            db.execute("ATTACH ? AS old (READ_ONLY)", [str(path)])
            found = db.sql("SELECT generation FROM old.generation").fetchall()
        except duckdb.Error:
            return 0
    return max((int(row[0]) for row in found), default=0)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
