"""The warehouse: a DuckDB file built from adjudications, as a new file that replaces the old one at once.

Invariant: the models in `models/` run in the order of `MODELS`; each makes one table of its own name and declares
its grain in its first line. Rows come in as Arrow columns; no statement is put together from data. A reader opens the file
again each time (`reading`), so it always sees the newest generation and never half of one.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from analytics.warehouse.digests import Sums, computed_digests, digests_of
from analytics.warehouse.game_facts import FACT_TABLES, game_facts
from analytics.warehouse.generations import replacing, reserved, stamp
from analytics.warehouse.loading import TABLES, PropertyFacts, ReviewTimes, RoundEvents, TableEvent, TableRows, batches
from replay.findings import Adjudication, Finding, LedgerEntry

__all__ = ["PropertyFacts", "ReviewTimes", "TableEvent", "replacing", "stamp"]

Warehouse = duckdb.DuckDBPyConnection
"""An open warehouse, as the functions of `analytics.hold.hold` take it."""

MODELS = (
    "stg_adjudications",
    "stg_settlements",
    "stg_stated",
    "stg_once_stated",
    "stg_findings",
    "stg_withdrawn",
    "stg_reviews",
    "stg_ledger",
    "stg_table_events",
    "round_events",
    "stg_corrections",
    "stg_standing",
    "fct_filings",
    "fct_readings",
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
    "fct_observed_rounds",
    "mart_observations",
)
"""In the order in which they are made: each reads only what is before it, or the `raw_` tables."""


DISK_ERRORS: Final = (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.TransactionException, duckdb.FatalException)
"""The errors of DuckDB if the disk is full or fails."""


STORAGE_VERSION: Final = "v1.4.0"
"""The form of the file: DuckDB reads it from this version on. It is part of `models_digest`: another form is built again."""

CATALOG: Final = "warehouse"
"""How the file is called in statements while it is open."""

BUILD_MEMORY: Final = "256MB"
"""DuckDB's memory limit in a build."""

ITSELF: Final = {
    "property": "name VARCHAR, time_zone VARCHAR, currency VARCHAR, log_id VARCHAR",
    "generation": (
        "generation BIGINT, built_at_us BIGINT, models_digest VARCHAR, engines VARCHAR, rounds BIGINT, wagers BIGINT, "
        "findings BIGINT, ledger_entries BIGINT, events BIGINT"
    ),
    "sources": "stream VARCHAR, events BIGINT, head VARCHAR, results BIGINT, results_head VARCHAR, again BIGINT",
}
"""The tables that say of the file what it is of, how it was built, and how far the log and the results were read for it."""

COUNTED: Final = ("fct_rounds", "fct_wagers", "fct_findings", "stg_ledger", "round_events")
"""The models whose rows are counted in `generation`, in the order of its columns."""


class WarehouseError(Exception):
    """There is no warehouse to read, or it cannot be written; the message says what to do."""


def build(
    path: str | Path,
    adjudications: Iterable[Adjudication],
    ledger: Iterable[LedgerEntry],
    rounds_events: Iterable[RoundEvents] = (),
    *,
    stream_findings: Iterable[Finding] = (),
    table_events: Iterable[TableEvent] = (),
    reviews: Iterable[ReviewTimes] = (),
    observed: Iterable[TableRows] = (),
    facts: PropertyFacts | None = None,
) -> None:
    """Build the warehouse into a new file and put it in place of `path` atomically, one generation on.

    Every revision may be given, in any order, also repeated: the newest of each round counts. `stream_findings` are findings
    outside rounds (a gap in the log). Raises `WarehouseError` if the disk is full or fails, `OSError` or `duckdb.Error`; the old
    file then remains unchanged.
    """
    facts = facts or PropertyFacts()
    build_from(
        path,
        chain(batches(adjudications, ledger, rounds_events, stream_findings, table_events, facts.time_zone, reviews), observed),
        facts=facts,
    )


def build_from(
    path: str | Path,
    rows: Iterable[TableRows],
    *,
    facts: PropertyFacts,
    prepare: Callable[[Warehouse], None] | None = None,
    grow: Callable[[Warehouse, Sums], None] | None = None,
) -> None:
    """Build as `build` does, from frames with the columns of `TABLES`; `prepare` may load rows first, `grow` add at the end."""
    with disk_errors(path), replacing(path) as fresh, opened(fresh) as db:
        create_raw_tables(db)
        if prepare is not None:
            prepare(db)
        for table, columns in ITSELF.items():
            db.execute(f"CREATE TABLE {table} ({columns})")
        load(db, rows)
        for model in MODELS:
            db.execute(f"CREATE TABLE {model} AS\n{model_text(model)}")
        sums = Sums(computed_digests(db, "main"))
        if grow is not None:
            grow(db, sums)
        finish(db, sums, facts, generation_at(path, db) + 1)


@contextmanager
def disk_errors(path: str | Path) -> Iterator[None]:
    """Turn DuckDB's error for a full or failed disk into a `WarehouseError` that says what to do."""
    try:
        yield
    except DISK_ERRORS as error:
        raise WarehouseError(
            f"{path} could not be built ({str(error).splitlines()[0]}); an earlier file stands as it was: "
            "free memory or space on its disk, and build again"
        ) from error


def connect(database: str) -> Warehouse:
    """Connect to a database, without DuckDB's progress bar on stdout (which carries only the result)."""
    db = duckdb.connect(database)
    db.execute("SET enable_progress_bar = false")
    return db


@contextmanager
def opened(path: Path, threads: int | None = None) -> Iterator[Warehouse]:
    """Open a file for writing, as the catalog `CATALOG`. Data that does not fit into memory goes into files next to it."""
    with connect(":memory:") as db:
        if threads is not None:
            db.execute("SET threads = ?", [threads])
        db.execute("SET memory_limit = ?", [BUILD_MEMORY])
        db.execute("SET temp_directory = ?", [str(path.with_name("spilled"))])
        db.execute("SET preserve_insertion_order = false")
        db.execute(f"ATTACH ? AS {CATALOG} (STORAGE_VERSION '{STORAGE_VERSION}')", [str(path)])
        db.execute(f"USE {CATALOG}")
        yield db
        db.execute(f"CHECKPOINT {CATALOG}")
        db.execute("USE memory")
        db.execute(f"DETACH {CATALOG}")


def create_raw_tables(db: Warehouse) -> None:
    """Make the empty temporary tables of `TABLES`, and those with facts about single games."""
    for table, columns in TABLES.items():
        db.execute(f"CREATE TEMP TABLE {table} ({columns})")
    db.execute(
        "CREATE TEMP VIEW raw_newest AS SELECT load_no, stream, round_no, withdrawn FROM temp.raw_adjudications "
        "QUALIFY row_number() OVER (PARTITION BY stream, round_no ORDER BY revision DESC, load_no DESC) = 1"
    )
    for table, rows in game_facts().items():
        db.execute(f"CREATE TEMP TABLE {table} ({FACT_TABLES[table]})")
        for row in rows:
            db.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row))


class _ArrowStream:
    """A frame as a plain stream of Arrow columns: DuckDB would import pyarrow, which takes longer than any model."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def load(db: Warehouse, rows: Iterable[TableRows]) -> None:
    """Load frames into the temporary tables of `TABLES`."""
    for table, frame in rows:
        if not frame.is_empty():
            db.register("incoming", _ArrowStream(frame))
            db.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
            db.unregister("incoming")


def finish(db: Warehouse, sums: Sums, facts: PropertyFacts, generation: int) -> None:
    """Write the property and the generation of the warehouse, and the digests of all its tables."""
    engines = "(SELECT string_agg(DISTINCT engine, ', ' ORDER BY engine) FROM stg_adjudications)"
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED)
    of_property = [facts.name, facts.time_zone, facts.currency, facts.log_id]
    of_build = [generation, time.time_ns() // 1000, models_digest()]
    replace_rows(db, sums, "property", "SELECT ?, ?, ?, ?", of_property)
    replace_rows(db, sums, "generation", f"SELECT ?, ?, ?, {engines}, {counts}", of_build)
    sums.write(db)


def replace_rows(db: Warehouse, sums: Sums, table: str, rows: str, values: list[Any]) -> None:
    """Replace all rows of a table of `ITSELF` with a statement's rows."""
    gone = digests_of(db, table, table, few=True)
    db.execute(f"DELETE FROM {table}")
    db.execute(f"INSERT INTO {table} {rows}", values)
    sums.change(gone, digests_of(db, table, table, few=True))


@contextmanager
def reading(path: str | Path) -> Iterator[Warehouse]:
    """Open the newest generation read-only. Raises `WarehouseError`, which says what to do."""
    if not Path(path).is_file():
        raise WarehouseError(f"There is no warehouse at {path} yet. Run `rack replay --log ADDR --warehouse {path}`.")
    try:
        with attached(path) as db:
            built_by = db.sql("SELECT models_digest FROM generation").fetchall()
            if built_by != [(models_digest(),)]:
                raise WarehouseError(
                    f"{path} was built by another version of the program. "
                    f"Run `rack replay --log ADDR --warehouse {path}`: it builds the file again."
                )
            yield db
    except (NoWarehouse, duckdb.Error) as error:
        if isinstance(error, duckdb.Error) and not is_damage(error):
            raise
        raise WarehouseError(
            f"{path} cannot be read as a warehouse ({str(error).splitlines()[0]}). "
            f"Run `rack replay --log ADDR --warehouse {path}`: it builds the file again from the results."
        ) from error


def is_damage(error: duckdb.Error) -> bool:
    """Return whether DuckDB's error means that a file was cut short or altered, not that a statement is wrong."""
    if isinstance(error, duckdb.IOException):
        return "Could not write" not in str(error)
    return type(error) is duckdb.Error or isinstance(error, duckdb.FatalException | duckdb.SerializationException)


class NoWarehouse(Exception):
    """A file cannot be opened as a warehouse."""


@contextmanager
def attached(path: str | Path) -> Iterator[Warehouse]:
    """Open the present file read-only, as `CATALOG`, and keep builds from writing to it. Raises `NoWarehouse`.

    The file is attached to a database of its own, since DuckDB would otherwise return another thread's open instance with the old
    generation.
    """
    while True:
        with reserved(path) as is_in_place, connect(":memory:") as db:
            try:
                db.execute(f"ATTACH ? AS {CATALOG} (READ_ONLY)", [str(path)])
                db.execute(f"USE {CATALOG}")
                db.execute("FROM generation LIMIT 0")
            except duckdb.Error as error:
                raise NoWarehouse(str(error).splitlines()[0]) from error
            if is_in_place():
                yield db
                return


def grains() -> dict[str, tuple[str, ...]]:
    """Return model → the columns that identify its rows, from its header.

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
    """Return the digest of all models, their facts about games and the file's form: it identifies the program of a file."""
    text = "\0".join((STORAGE_VERSION, *(f"{model}\0{model_text(model)}" for model in MODELS), repr(game_facts())))
    return sha256(text.encode()).hexdigest()


@cache
def model_text(model: str) -> str:
    """Return the statement that makes a model, with its header."""
    return resources.files("analytics.warehouse").joinpath("models", f"{model}.sql").read_text(encoding="utf-8")


def generation_at(path: str | Path, db: Warehouse) -> int:
    """Return the generation of the present file, read separately from `db`; 0 if there is no readable one."""
    try:
        with reserved(path):
            db.execute("ATTACH ? AS placed (READ_ONLY)", [str(path)])
            try:
                found = db.execute("SELECT generation FROM placed.main.generation").fetchall()
            finally:
                db.execute("DETACH placed")
    except (FileNotFoundError, duckdb.Error):
        return 0
    return max((int(number) for (number,) in found), default=0)
