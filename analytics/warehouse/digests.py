"""Digests of the warehouse's rows: by them a later build knows whether a file still holds what was built.

The law of this file: a digest is of the rows as they came from the log and the results, computed in the build that read
them; the order of rows does not matter, each of their columns does. Rows of events are digested by stream, other tables whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import duckdb

KEPT: Final = ("round_events", "stg_table_events")
"""Tables from which a later build takes rows over: what they hold is costly to read again."""

_ROWS: Final = """
SELECT stream, sum(rows)::BIGINT AS rows, sha256(string_agg(part, '' ORDER BY bucket)) AS digest
FROM (
    SELECT stream, substr(hash, 1, 3) AS bucket, string_agg(hash, '' ORDER BY hash) AS part, count(*) AS rows
    FROM (SELECT {stream} AS stream, sha256(to_json(t)::VARCHAR) AS hash FROM {table} AS t)
    GROUP BY stream, bucket
)
GROUP BY stream
"""

Digests = Mapping[tuple[str, str], tuple[int, str]]
"""Table and stream (empty: the whole table) → number of rows and SHA-256 in hex."""


def write_digests(db: duckdb.DuckDBPyConnection) -> None:
    """Make the table `digests`, of all other tables of the open file."""
    db.execute("CREATE TABLE digests (table_name VARCHAR, stream VARCHAR, rows BIGINT, digest VARCHAR)")
    for (table, stream), (rows, digest) in computed_digests(db, "main").items():
        db.execute("INSERT INTO digests VALUES (?, ?, ?, ?)", [table, stream, rows, digest])


def differing(db: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    """Return table and stream (empty: the whole table) of everything in an attached file that is not as it was built."""
    stored: dict[tuple[str, str], tuple[int, str]] = {
        (table, stream): (rows, digest)
        for table, stream, rows, digest in db.execute(f"SELECT * FROM {database}.digests").fetchall()
    }
    present = computed_digests(db, f"{database}.main")
    return sorted(place for place in stored.keys() | present.keys() if stored.get(place) != present.get(place))


# Names in the statements come from the file's own catalogue, never from data, and are quoted.
def computed_digests(db: duckdb.DuckDBPyConnection, schema: str) -> Digests:
    """Compute the digests of all tables of a schema but `digests`, as their rows are now."""
    database = schema.removesuffix(".main") if "." in schema else None
    rows = db.execute(
        """
        SELECT table_name FROM duckdb_tables()
        WHERE NOT temporary AND database_name = coalesce(?, current_database()) AND table_name <> 'digests' ORDER BY 1
        """,
        [database],
    ).fetchall()
    found: dict[tuple[str, str], tuple[int, str]] = {}
    for (table,) in rows:
        name = '"' + table.replace('"', '""') + '"'
        by_stream = "t.stream" if table in KEPT else "''"
        for stream, count, digest in db.execute(_ROWS.format(stream=by_stream, table=f"{schema}.{name}")).fetchall():
            found[table, stream] = count, digest
    return found
