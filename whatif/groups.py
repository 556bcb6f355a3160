"""The rounds of a table in groups: row groups of its files, each small enough for memory. It reads the files of a table."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq


@lru_cache(maxsize=16)
def _footer(path: Path) -> pq.FileMetaData:
    """Return the footer of a file. Files are named by their digest, so a footer never changes."""
    return pq.read_metadata(path)


class RowGroup(NamedTuple):
    """Some rounds of a file, by their row groups."""

    path: Path
    number: int

    def read(self, columns: Sequence[str]) -> pa.RecordBatch:
        """Read some columns of the rounds."""
        with pq.ParquetFile(self.path, metadata=_footer(self.path)) as opened:
            table = opened.read_row_group(self.number, columns=list(columns), use_threads=False)
        return table.combine_chunks().to_batches()[0]


def groups_of(paths: Iterable[Path]) -> Iterator[RowGroup]:
    """Yield the groups of files, in order."""
    for path in paths:
        for number in range(_footer(path).num_row_groups):
            yield RowGroup(path, number)
