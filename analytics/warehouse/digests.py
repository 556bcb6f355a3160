"""Digests of the warehouse's rows, by which a later build detects a changed file.

Invariant: a digest is of the rows as they came from the log and the results, computed in the build that read them; the order of
rows does not matter, each of their columns does. It is the number of rows and the sum of their SHA-256 (of the first 120 bits, in
two halves), so that a build that replaces some rows subtracts theirs and adds the new ones', and reads no others. Rows of events
are digested by stream, other tables whole. Anyone who can write the file can recompute sums (`generations`).
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import duckdb

KEPT: Final = ("round_events", "stg_table_events")
"""Tables whose digests are kept by stream."""

FEW: Final = 100
"""Up to this many rows are hashed one by one."""

_SUMS: Final = """
SELECT
    part,
    stream,
    count(*) AS rows,
    sum(('0x' || substr(hash, 1, 15))::BIGINT)::HUGEINT AS first,
    sum(('0x' || substr(hash, 16, 15))::BIGINT)::HUGEINT AS second
FROM ({parts})
GROUP BY part, stream
"""
_PART: Final = "SELECT {part} AS part, {stream} AS stream, sha256(to_json(t)::VARCHAR) AS hash FROM {rows} AS t"


class Digest(NamedTuple):
    """The number of rows, and the sums of the two halves of their hashes."""

    rows: int = 0
    first: int = 0
    second: int = 0


NO_ROWS: Final = Digest()

Digests = Mapping[tuple[str, str], Digest]
"""Table and stream (empty: the whole table) → digest of its rows; a table without rows has none."""


class Sums:
    """The digests of a file, from which rows are subtracted and to which they are added."""

    def __init__(self, digests: Digests) -> None:
        self._digests = dict(digests)

    @classmethod
    def stored(cls, db: duckdb.DuckDBPyConnection) -> "Sums":
        """Return the digests stored in the open file."""
        return cls(_stored(db, "digests"))

    def change(self, gone: Digests, added: Digests) -> None:
        """Subtract the digests of removed rows, and add those of new rows."""
        for place in gone.keys() | added.keys():
            less, more, now = gone.get(place, NO_ROWS), added.get(place, NO_ROWS), self._digests.get(place, NO_ROWS)
            self._digests[place] = Digest(*(now[i] - less[i] + more[i] for i in range(3)))
            if self._digests[place] == NO_ROWS:
                del self._digests[place]

    def write(self, db: duckdb.DuckDBPyConnection) -> None:
        """Write them as the table `digests` of the open file."""
        db.execute("CREATE OR REPLACE TABLE digests (table_name VARCHAR, stream VARCHAR, rows BIGINT, digest VARCHAR)")
        rows = [(*place, each.rows, f"{each.first:x} {each.second:x}") for place, each in sorted(self._digests.items())]
        columns = [list(column) for column in zip(*rows, strict=True)]
        db.execute("INSERT INTO digests SELECT unnest(?), unnest(?), unnest(?), unnest(?)", columns)


def differing(db: duckdb.DuckDBPyConnection, database: str) -> list[tuple[str, str]]:
    """Return table and stream (empty: all) of everything changed in an attached file since its build; every row is read."""
    stored = _stored(db, f"{database}.digests")
    present = computed_digests(db, f"{database}.main")
    return sorted(place for place in stored.keys() | present.keys() if stored.get(place) != present.get(place))


# Names in the statements come from the file's own catalogue or this package, never from data, and are quoted.
def digests_of(db: duckdb.DuckDBPyConnection, table: str, rows: str, *, few: bool = False) -> Digests:
    """Return the digests of rows of a table; `rows` is the text after FROM."""
    return digests_of_each(db, table, [rows], few=few)[0]


def digests_of_each(
    db: duckdb.DuckDBPyConnection, table: str, parts: Sequence[str], values: Sequence[Any] = (), *, few: bool = False
) -> list[Digests]:
    """Return the digests of several parts of a table in one statement; hashes of `few` rows are summed here, which is faster."""
    by_stream = "t.stream" if table in KEPT else "''"
    selected = [_PART.format(part=part, stream=by_stream, rows=rows) for part, rows in enumerate(parts)]
    hashes = " UNION ALL ".join(selected)
    found: list[dict[tuple[str, str], Digest]] = [{} for _ in parts]
    if few:
        for part, stream, row in db.execute(hashes, list(values)).fetchall():
            rows, first, second = found[part].get((table, stream), NO_ROWS)
            found[part][table, stream] = Digest(rows + 1, first + int(row[:15], 16), second + int(row[15:30], 16))
    else:
        for part, stream, *sums in db.execute(_SUMS.format(parts=hashes), list(values)).fetchall():
            found[part][table, stream] = Digest(*sums)
    return list(found)


def computed_digests(db: duckdb.DuckDBPyConnection, schema: str) -> Digests:
    """Compute the digests of all tables of a schema but `digests`, from their present rows."""
    database = schema.removesuffix(".main") if "." in schema else None
    rows = db.execute(
        """
        SELECT table_name FROM duckdb_tables()
        WHERE NOT temporary AND database_name = coalesce(?, current_database()) AND table_name <> 'digests' ORDER BY 1
        """,
        [database],
    ).fetchall()
    places = {table: f'{schema}."{table.replace(chr(34), chr(34) * 2)}"' for (table,) in rows}
    counted = db.execute(f"SELECT {', '.join(f'(SELECT count(*) FROM {place})' for place in places.values()) or 0}")
    found: dict[tuple[str, str], Digest] = {}
    for (table, place), number in zip(places.items(), counted.fetchone() or (), strict=False):
        if number:  # to plan the sums of a table takes as long as to count all tables
            found |= digests_of(db, table, place, few=number <= FEW)
    return found


def _stored(db: duckdb.DuckDBPyConnection, table: str) -> Digests:
    rows = db.execute(f"SELECT table_name, stream, rows, digest FROM {table}").fetchall()
    return {(name, stream): Digest(rows, *_sums_of(digest)) for name, stream, rows, digest in rows}


def _sums_of(digest: str) -> tuple[int, int]:
    """Return the two stored sums; for other stored content, sums that no rows have."""
    try:
        first, second = (int(part, 16) for part in digest.split(" "))
    except (AttributeError, ValueError):
        return -1, -1
    return first, second
