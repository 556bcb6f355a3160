"""The rows that a round table holds, for tests."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from whatif.round_table import RoundTable


def rows_in(folder: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the rows by stream and round, each of which is there once, in a file that names its stream."""
    table, rows = RoundTable(folder), {}
    for entry in table.manifest.files:
        for row in pq.ParquetFile(table.path(entry)).read().to_pylist():
            key = row["stream"], row["round_no"]
            assert key not in rows, f"{key} is there twice"
            assert row["stream"] in entry.streams
            rows[key] = row
    return rows
