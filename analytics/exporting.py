"""The warehouse as files for other programs: Parquet, or CSV that no spreadsheet takes for formulas.

The law of this file: a file appears whole or not at all; names of tables and columns come from the file's own catalogue and are
quoted; a text that a spreadsheet would reckon (it begins with = + - @, a tab or a line's end) gets an apostrophe in front.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Literal

from analytics.warehouse import Warehouse

Form = Literal["parquet", "csv"]
FORMULA: Final = "^[=+\\-@\\t\\r\\n＝＋－＠]"
"""How a text begins that a spreadsheet may take for a formula, full-width signs too."""


def tables(db: Warehouse) -> list[str]:
    """Return the names of the warehouse's tables, sorted."""
    rows = db.sql(
        "SELECT table_name FROM duckdb_tables() WHERE NOT temporary AND database_name = current_database() ORDER BY 1"
    )
    return [name for (name,) in rows.fetchall()]


def export(db: Warehouse, folder: str | Path, form: Form, names: Sequence[str] = ()) -> dict[Path, int]:
    """Write tables (null: all) into `folder`, a file each, and return file → rows. Lists become JSON text in CSV.

    Raises `ValueError` for a table that is not there, and `OSError`; files of an earlier export are replaced.
    """
    known = tables(db)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no table {unknown[0]!r}; the warehouse has {', '.join(known)}")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    written: dict[Path, int] = {}
    for name in names or known:
        path = target / f"{name}.{form}"
        fresh = path.with_name(f".{path.name}.new")
        try:
            written[path] = _write(db, name, fresh, form)
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    return written


def _write(db: Warehouse, name: str, path: Path, form: Form) -> int:
    rows = db.sql(f"SELECT * FROM {_quoted(name)}")
    if form == "parquet":
        rows.write_parquet(str(path), compression="zstd")
    else:
        shown = ", ".join(_plain(column, str(kind)) for column, kind in zip(rows.columns, rows.types, strict=True))
        db.sql(f"SELECT {shown} FROM {_quoted(name)}").write_csv(str(path), header=True)
    (count,) = db.sql(f"SELECT count(*) FROM {_quoted(name)}").fetchall()[0]
    return int(count)


def _plain(column: str, kind: str) -> str:
    """The expression of a column for CSV: texts that look like formulas made harmless, lists as JSON."""
    named = _quoted(column)
    if kind.endswith("[]"):
        return f"to_json({named})::VARCHAR AS {named}"
    if kind == "VARCHAR":
        return f"CASE WHEN regexp_matches({named}, '{FORMULA}') THEN '''' || {named} ELSE {named} END AS {named}"
    return named


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
