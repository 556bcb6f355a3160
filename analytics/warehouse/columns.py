"""The meaning of every warehouse column, and the documents made from it (docs/warehouse.md is their head).

Invariant: a column means the same in every table; a special meaning in one table is under `table.column`. A test compares
`columns.toml` with the tables: every column must have a meaning.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from analytics.warehouse.warehouse import MODELS, Warehouse, grains, model_text

_FILE: Final = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
MEANING: Final[dict[str, str]] = _FILE.pop("columns") | {
    f"{table}.{column}": says for table, own in _FILE.items() for column, says in own.items()
}

_ITSELF: Final = {
    "digests": "-- grain: table_name, stream\n-- Digests of the rows of every other table, by which a build can tell "
    "whether they were changed since.",
    "generation": "-- grain: generation\n-- The file and how it was built: one row.",
    "property": "-- grain: log_id\n-- The property, as it last configured itself: one row.",
    "sources": "-- grain: stream\n-- How far each stream of the log and its results were read for the file: what the next "
    "build goes on from.",
}

HEAD: Final = """\
# The warehouse

`rack docs warehouse` prints this page with a list of all tables, and `rack warehouse columns` every column with its type and
meaning. The file is a plain DuckDB database in the form of DuckDB 1.4, which 1.4 and later versions read, read-only, while the
pages do. Money is integer cents, times are UTC microseconds. How to ask it: [analyst-guide.md](analyst-guide.md).

**Renewal.** A build never writes to the present file. It renews a second copy, the spare `.NAME.spare` next to it (which doubles
the disk space), then swaps the two. Open the file again to see the newest. A build reads only new events and results, and renews
only the rows of rounds, findings, days and months that they touch. To copy a large file while a replay follows, use
`rack warehouse export` or DuckDB's `COPY FROM DATABASE`: another program's copy may be torn by a swap.

**What shows that rows were changed.** Every build compares size, inode and times of the file with `.NAME.seals`. If anything
differs, it compares every row with `digests`, names a table that differs, builds the whole file again, and ends with 4. Each
build also reads some thirty results of one table and their events again, one table after another; `rack warehouse build --anew`
reads everything. Nothing here is a proof: the log is, and `rack verify` checks it.

`stg_`: the newest revisions as loaded. `fct_`: one row for each thing that happened. `mart_`: sums for pages and commands."""


def meaning(table: str, column: str) -> str | None:
    """Return a column's meaning, or None if none exists."""
    return MEANING.get(f"{table}.{column}", MEANING.get(column))


def described(db: Warehouse) -> list[tuple[str, str, str, str]]:
    """Return (table, column, type, meaning) of every column, in the order in which tables are made."""
    return [
        (table, column, kind, meaning(table, column) or "")
        for table in (*MODELS, *_ITSELF)
        for column, kind in _columns(db, table)
    ]


def _columns(db: Warehouse, table: str) -> list[tuple[str, str]]:
    rows = db.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND database_name = current_database() "
        "ORDER BY column_index",
        [table],
    ).fetchall()
    return [(column, kind) for column, kind in rows]


def summary() -> str:
    """Return docs/warehouse.md: every table with its grain and content."""
    rows = []
    for table in (*MODELS, *_ITSELF):
        said, grain = _description_of(table)
        rows.append(f"| `{table}` | {', '.join(f'`{each}`' for each in grain)} | {said} |")
    return "\n".join([HEAD, "", "## Tables", "", "| table | one row for each | contents |", "| --- | --- | --- |", *rows]) + "\n"


def _description_of(table: str) -> tuple[str, tuple[str, ...]]:
    """Return a table's description and grain from the head of its model."""
    header = _ITSELF.get(table) or model_text(table)
    said = [line.removeprefix("--").strip() for line in header.splitlines() if line.startswith("--")][1:]
    grain = grains().get(table) or tuple(header.splitlines()[0].partition(":")[2].strip().split(", "))
    return " ".join(line for line in said if not line.startswith("renewed by: ")), grain


def markdown(db: Warehouse) -> str:
    """Return a document of every column, from an open warehouse."""
    shared = _shared(db)
    lines = ["", "## Columns of several tables", "", "| column | type | meaning |", "| --- | --- | --- |"]
    lines += [_row(*each) for each in sorted(shared)]
    lines += [line for table in (*MODELS, *_ITSELF) for line in _section(db, table, shared)]
    return "\n".join([HEAD, *lines]) + "\n"


Column = tuple[str, str, str]
"""Name, type and meaning."""


def _meanings(db: Warehouse, table: str) -> list[Column]:
    return [(column, kind, meaning(table, column) or "") for column, kind in _columns(db, table)]


def _shared(db: Warehouse) -> set[Column]:
    """Return the columns that at least three tables have with the same type and meaning."""
    counts = Counter(column for table in (*MODELS, *_ITSELF) for column in _meanings(db, table))
    return {column for column, tables in counts.items() if tables > 2}


def _row(column: str, kind: str, meaning: str) -> str:
    return f"| `{column}` | {kind} | {meaning} |"


def _section(db: Warehouse, table: str, shared: set[Column]) -> Iterator[str]:
    said, grain = _description_of(table)
    yield from ("", f"## {table}", "", said, "", f"One row for each {', '.join(f'`{each}`' for each in grain)}.", "")
    columns = _meanings(db, table)
    if own := [_row(*each) for each in columns if each not in shared]:
        yield from ("| column | type | meaning |", "| --- | --- | --- |", *own)
    if above := [f"`{each[0]}`" for each in columns if each in shared]:
        yield from ("", f"Described above: {', '.join(above)}.")


if __name__ == "__main__":
    (Path(__file__).parents[2] / "docs" / "warehouse.md").write_text(f"{HEAD}\n", encoding="utf-8")
