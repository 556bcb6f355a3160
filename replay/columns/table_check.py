"""A round table compared with the log that it was made from.

The law of this file: it derives the table again and reports differences; it repairs nothing. It reads the log and both tables.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from events.log.contract import EventLog
from replay.columns.round_table import FileEntry, Manifest, Progress, RoundTable, TableError, build


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between a table and its log: the file or stream, and what differs."""

    where: str
    what: str


def differences(log: EventLog, folder: Path, progress: Progress | None = None) -> list[Difference]:
    """Derive the table again, up to where it was made, and return the differences; of a file the first round that differs.

    Raises `TableError` where the folder holds no table.
    """
    kept = RoundTable(folder)
    with tempfile.TemporaryDirectory(prefix="rack-rounds-") as scratch:
        heads = {stream: head.seq for stream, head in kept.manifest.heads.items()}
        build(log, Path(scratch), progress, heads)
        return [
            *_manifests(kept.manifest, RoundTable(Path(scratch)).manifest),
            *_files(kept, RoundTable(Path(scratch))),
        ]


def _manifests(kept: Manifest, made: Manifest) -> Iterator[Difference]:
    for name in ("log_id", "property_id"):
        if getattr(kept, name) != getattr(made, name):
            yield Difference(where="manifest", what=f"{name} {getattr(kept, name)}; the log's is {getattr(made, name)}")
    for stream in sorted(kept.heads.keys() | made.heads.keys()):
        if kept.heads.get(stream) != made.heads.get(stream):
            yield Difference(
                where=stream, what="was read to another event than the log has there, or has rows in one only"
            )
    if kept.rules != made.rules:
        yield Difference(where="rules", what="the submissions on file are others")


def _files(kept: RoundTable, made: RoundTable) -> Iterator[Difference]:
    stored, derived = (_by_place(table.manifest) for table in (kept, made))
    for place in sorted(stored.keys() | derived.keys()):
        if place not in derived or place not in stored:
            yield Difference(where=place, what="the log gives no such file" if place in stored else "is missing")
            continue
        try:
            path = kept.path(stored[place])
        except TableError as error:
            yield Difference(where=place, what=str(error))
            continue
        if stored[place].sha256 != derived[place].sha256:
            yield from _contents(place, path, made.path(derived[place]))
    kept.rules()


def _by_place(manifest: Manifest) -> dict[str, FileEntry]:
    """The files without the digest in their names."""
    return {entry.path.rsplit(".", 2)[0]: entry for entry in manifest.files}


def _contents(place: str, kept: Path, made: Path) -> Iterator[Difference]:
    """Another version of the library may write the same rounds in other bytes."""
    with pq.ParquetFile(kept) as stored_file, pq.ParquetFile(made) as derived_file:
        for stored, derived in zip_longest(stored_file.iter_batches(1024), derived_file.iter_batches(1024)):
            if stored is None or derived is None or not stored.equals(derived):
                yield Difference(where=place, what=_first_difference(stored, derived))
                return


def _first_difference(kept: pa.RecordBatch | None, made: pa.RecordBatch | None) -> str:
    if kept is None or made is None:
        return "has " + ("fewer" if kept is None else "more") + " rounds than the log gives"
    if kept.schema != made.schema:
        return "has other columns than this version writes"
    nothing: dict[str, Any] = {}
    for stored, derived in zip_longest(kept.to_pylist(), made.to_pylist(), fillvalue=nothing):
        if stored != derived:
            names = [name for name in kept.schema.names if stored.get(name) != derived.get(name)]
            row = stored or derived
            return f"{row['stream']} round {row['round_no']}: {', '.join(names)} not what the log gives"
    return "differs in a way that no row shows"
