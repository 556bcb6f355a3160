"""The warehouse as files for other programs: Parquet, or CSV with a byte-order mark, without spreadsheet formulas.

Invariant: a file appears whole or not at all, and only after the export was recorded; names of tables and columns come from the
file's own catalogue and are quoted; text that a spreadsheet would compute (a cell that begins with = + - @, also when split at
semicolons or tabs) gets an apostrophe in front.
"""

import contextlib
import os
from collections.abc import Callable, Sequence
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Final, Literal, NamedTuple

import duckdb

from analytics.warehouse.warehouse import DISK_ERRORS, Warehouse, WarehouseError
from desk.report.csv_tables import BREAK, CELL
from desk.whole_files import fresh_path

Form = Literal["parquet", "csv"]
SUMS: Final = "SHA256SUMS"
"""The list of the files of an export, as `sha256sum --check` reads it; its own SHA-256 is in the log."""

MARK: Final = "\ufeff"
"""The byte-order mark, before the first heading of a CSV file: without it Excel reads `§` as two other characters."""
AS_THEY_ARE: Final = frozenset({"BIGINT", "INTEGER", "DOUBLE", "BOOLEAN", "DATE"})
"""Types whose values are never formulas."""


def tables(db: Warehouse) -> list[str]:
    """Return the names of the warehouse's tables, sorted."""
    rows = db.sql("SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND database_name = current_database() ORDER BY 1")
    return [name for (name,) in rows.fetchall()]


class NoSuchTable(ValueError):
    """The warehouse has no table with the requested name."""


class Leaving(NamedTuple):
    """A pending export: the floor's tables and meters in it, and the SHA-256 (hex) of its list of files (`SUMS`)."""

    tables: list[str]
    digest: str


def export(
    db: Warehouse, folder: str | Path, form: Form, names: Sequence[str] = (), *, on_record: Callable[[Leaving], None]
) -> dict[Path, int]:
    """Write tables (None: all) into `folder`, one file each and the list `SUMS`; return file → rows. Lists become JSON in CSV.

    `on_record` is called after all files are written and before any appears; if it raises, none stays. Raises `NoSuchTable`,
    `WarehouseError` if the disk is full, and `OSError`; files of an earlier export are replaced.
    """
    known = tables(db)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise NoSuchTable(f"no table {unknown[0]!r}; the warehouse has {', '.join(known)}")
    chosen, target = sorted(set(names)) or known, Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    paths = {name: target / f"{name}.{form}" for name in chosen}
    with contextlib.ExitStack() as leftovers:
        for path in (*paths.values(), target / SUMS):
            leftovers.callback(fresh_path(path).unlink, missing_ok=True)
        written = {path: _write(db, name, fresh_path(path), form) for name, path in paths.items()}
        sums = "".join(f"{_digest(fresh_path(path))}  {path.name}\n" for path in paths.values()).encode()
        fresh_path(target / SUMS).write_bytes(sums)
        on_record(Leaving(_told_of(db, chosen), sha256(sums).hexdigest()))
        for path in (*paths.values(), target / SUMS):
            os.replace(fresh_path(path), path)
    return written


def _told_of(db: Warehouse, names: Sequence[str]) -> list[str]:
    """Return the floor's tables and meters with rows in these tables, sorted."""
    found: set[str] = set()
    for name in names:
        rows = db.sql(f"SELECT * FROM {_quoted(name)}")
        if "stream" in rows.columns:
            streams = [str(stream) for (stream,) in db.sql(f"SELECT DISTINCT stream FROM {_quoted(name)}").fetchall()]
            found |= {stream.partition("/")[2] for stream in streams if stream.startswith(("table/", "meter/", "observed/"))}
    return sorted(found)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def _write(db: Warehouse, name: str, path: Path, form: Form) -> int:
    rows = db.sql(f"SELECT * FROM {_quoted(name)}")
    try:
        if form == "parquet":
            rows.write_parquet(str(path), compression="zstd")
        else:
            named = [MARK + rows.columns[0], *rows.columns[1:]]
            columns = zip(rows.columns, rows.types, named, strict=True)
            shown = ", ".join(f"{_plain(column, str(kind))} AS {_quoted(heading)}" for column, kind, heading in columns)
            db.sql(f"SELECT {shown} FROM {_quoted(name)}").write_csv(str(path), header=True)
    except DISK_ERRORS as error:
        if isinstance(error, duckdb.IOException) and "Could not read" in str(error):  # the warehouse is damaged
            raise
        raise WarehouseError(
            f"{path} could not be written ({str(error).splitlines()[0]}); nothing of the export was kept: free space on its "
            "disk, and export again"
        ) from error
    (count,) = db.sql(f"SELECT count(*) FROM {_quoted(name)}").fetchall()[0]
    return int(count)


def _plain(column: str, kind: str) -> str:
    """Return the expression of a column for CSV: formula-like texts made harmless, lists as JSON, numbers unchanged."""
    named = _quoted(column)
    if kind in AS_THEY_ARE:
        return named
    return _defused(named if kind == "VARCHAR" else f"to_json({named})::VARCHAR")


def _defused(text: str) -> str:
    """Return the expression of a text that no spreadsheet reads as a formula (see `desk.report.csv_tables.defused`)."""
    found = rf"regexp_replace({text}, '{CELL}', '\1''\2', 'g')"
    return f"CASE WHEN regexp_matches({found}, '{BREAK}') THEN '''' || {found} ELSE {found} END"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
