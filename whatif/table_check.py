"""Compares a round table with its log: derives it again, reports differences, and repairs nothing."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq

from events.log.contract import EventLog
from whatif.round_table import FileEntry, Manifest, Progress, RoundTable, TableError, build, steady

RoundKey = tuple[str, int]
"""A round: its stream and its number."""


class TableDifference(msgspec.Struct, frozen=True, kw_only=True):
    """A difference between a table and its log: the file or stream, and what differs."""

    where: str
    what: str


def differences(log: EventLog, folder: Path, progress: Progress | None = None) -> list[TableDifference]:
    """Derive the table again up to its end, and return the differences; for a file, the first round that differs.

    Raises `TableError` if the folder holds no table.
    """
    with steady(folder) as kept, tempfile.TemporaryDirectory(prefix="rack-rounds-") as scratch:
        heads = {stream: head.seq for stream, head in kept.manifest.heads.items()}
        build(log, Path(scratch), progress, heads)
        return [*_manifests(kept.manifest, RoundTable(Path(scratch)).manifest), *_files(kept, RoundTable(Path(scratch)))]


def _manifests(kept: Manifest, made: Manifest) -> Iterator[TableDifference]:
    for name in ("log_id", "property_id"):
        if getattr(kept, name) != getattr(made, name):
            yield TableDifference(where="manifest", what=f"{name} {getattr(kept, name)}; the log's is {getattr(made, name)}")
    for stream in sorted(kept.heads.keys() | made.heads.keys()):
        if kept.heads.get(stream) != made.heads.get(stream):
            yield TableDifference(where=stream, what="was read to another event than the log has there, or has rows in one only")
    if kept.rules != made.rules:
        yield TableDifference(where="rules", what="the submissions on file are others")


def _files(kept: RoundTable, made: RoundTable) -> Iterator[TableDifference]:
    stored, derived = (_by_place(table.manifest) for table in (kept, made))
    for place in sorted(stored.keys() | derived.keys()):
        if place not in derived or place not in stored:
            yield TableDifference(where=place, what="the log gives no such file" if place in stored else "is missing")
            continue
        try:
            paths = [kept.path(entry) for entry in stored[place]]
        except TableError as error:
            yield TableDifference(where=place, what=str(error))
            continue
        if [entry.sha256 for entry in stored[place]] != [entry.sha256 for entry in derived[place]]:
            yield from _contents(place, paths, [made.path(entry) for entry in derived[place]])
    kept.rules()


def _by_place(manifest: Manifest) -> dict[str, list[FileEntry]]:
    """Return the files by place, without the digest in their names: a table that a replay writes has several for a place."""
    files: dict[str, list[FileEntry]] = {}
    for entry in manifest.files:
        files.setdefault(entry.path.rsplit(".", 2)[0], []).append(entry)
    return files


def _contents(place: str, kept: Sequence[Path], made: Sequence[Path]) -> Iterator[TableDifference]:
    """Compare the rounds of a place: they may be in other files, and another version of the library writes other bytes."""
    schema = pq.read_schema(made[0])
    if any(not pq.read_schema(path).equals(schema) for path in kept):
        yield TableDifference(where=place, what="has other columns than this version writes")
        return
    stored, derived = _digests(kept), _digests(made)
    if len(stored) != sum(pq.read_metadata(path).num_rows for path in kept):
        yield TableDifference(where=place, what="has a round twice")
    others = sorted(key for key in stored.keys() | derived.keys() if stored.get(key) != derived.get(key))
    if not others:
        return
    (stream, round_no), more = others[0], len(stored) - len(derived)
    if others[0] not in stored or others[0] not in derived:
        many = f"has {abs(more):,} {'more' if more > 0 else 'fewer'} rounds than the log gives" if more else "has other rounds"
        yield TableDifference(where=place, what=f"{many}; {stream} round {round_no} is the first")
        return
    found, right = _row(kept, others[0]), _row(made, others[0])
    names = [name for name in schema.names if found[name] != right[name]]
    yield TableDifference(where=place, what=f"{stream} round {round_no}: {', '.join(names)} not what the log gives")


def _digests(paths: Iterable[Path]) -> dict[RoundKey, bytes]:
    """Return a digest of each row by the stream and number of its round."""
    return {(row["stream"], row["round_no"]): sha256(repr(row).encode()).digest() for row in _rows(paths)}


def _row(paths: Iterable[Path], key: RoundKey) -> dict[str, Any]:
    return next(row for row in _rows(paths) if (row["stream"], row["round_no"]) == key)


def _rows(paths: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for path in paths:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(1024):
                yield from batch.to_pylist()
