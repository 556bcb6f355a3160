"""A round table beside the log that it was made from: made again, and compared."""

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
    """Something in which a table is not what the log gives: which file or stream, and what differs."""

    where: str
    what: str


def differences(log: EventLog, folder: Path, progress: Progress | None = None) -> list[Difference]:
    """Make the table again, up to where it was made, and return in what it differs; files that differ by their first round.

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
    ours, theirs = (_by_place(table.manifest) for table in (kept, made))
    for place in sorted(ours.keys() | theirs.keys()):
        if place not in theirs or place not in ours:
            yield Difference(where=place, what="the log gives no such file" if place in ours else "is missing")
            continue
        try:
            path = kept.path(ours[place])
        except TableError as error:
            yield Difference(where=place, what=str(error))
            continue
        if ours[place].sha256 != theirs[place].sha256:
            yield from _contents(place, path, made.path(theirs[place]))
    kept.rules()
    try:
        if kept.carried() != made.carried():
            yield Difference(where="carried", what="accounting entries, or where a replay goes on from, are others")
    except TableError as error:
        yield Difference(where="carried", what=str(error))


def _by_place(manifest: Manifest) -> dict[str, FileEntry]:
    """The files without the digest in their names."""
    return {entry.path.rsplit(".", 2)[0]: entry for entry in manifest.files}


def _contents(place: str, kept: Path, made: Path) -> Iterator[Difference]:
    """Another version of the library may write the same rounds in other bytes."""
    with pq.ParquetFile(kept) as ours, pq.ParquetFile(made) as theirs:
        for one, other in zip_longest(ours.iter_batches(1024), theirs.iter_batches(1024)):
            if one is None or other is None or not one.equals(other):
                yield Difference(where=place, what=_first(one, other))
                return


def _first(kept: pa.RecordBatch | None, made: pa.RecordBatch | None) -> str:
    if kept is None or made is None:
        return "has " + ("fewer" if kept is None else "more") + " rounds than the log gives"
    if kept.schema != made.schema:
        return "has other columns than this version writes"
    nothing: dict[str, Any] = {}
    for ours, theirs in zip_longest(kept.to_pylist(), made.to_pylist(), fillvalue=nothing):
        if ours != theirs:
            names = [name for name in kept.schema.names if ours.get(name) != theirs.get(name)]
            row = ours or theirs
            return f"{row['stream']} round {row['round_no']}: {', '.join(names)} not what the log gives"
    return "differs in a way that no row shows"
