"""The round table: derived from a log, one row for each round, a file for each property, game and month. It can be rebuilt.

Invariant: everything in the table is in the log. A stream that cannot be written row by row (a correction that reached far back,
a break) has no rows, and the manifest says why: event replay judges it. This file reads the log and reads and writes the folder
of the table.

    manifest.json                          what was read (heads of the streams), and the digest of every file
    rounds/<property>/<game>/<month>.<digest>.parquet
    rules/<digest>.toml                    the submissions in force, whole

Files are written next to the old ones; the manifest that names them replaces the old one at once.
"""

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from events.errors import IntegrityError
from events.log.contract import EventLog
from events.log.plain_file import open_plain, read_plain
from events.log.runs import runs_of
from replay.run.engine import digest_for, shared_engine
from replay.run.positions import ReplaySource
from replay.run.stream_worker import Result
from whatif.row_schema import SCHEMA, TEXTS, Row, as_batch
from whatif.row_writer import RowWriter
from whatif.stream_rows import ROUNDS_AT_HAND, StreamRows, digest_of

VERSION: Final = 6
MANIFEST: Final = "manifest.json"
GROUP: Final = 8192
"""Rounds in a row group: this many are settled at once."""

READING: Final = ".reading-"
"""The beginning of a reader's folder, which has the table's files under other names."""
LINK_ATTEMPTS: Final = 20
LEFT_BEHIND_S: Final = 86_400
"""After this time the files of a killed reader are removed."""

FAR_BACK: Final = "a correction, or an event, that reached far back"

Progress = Callable[[str, int], None]
"""Called with the stream and the rounds written so far."""


class TableError(Exception):
    """A round table that cannot be used, and what to do."""


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A file of the table: its path in the folder, its SHA-256, its rounds, and their streams."""

    path: str
    sha256: str
    rounds: int
    streams: list[str] = []


class HeadEntry(msgspec.Struct, frozen=True, kw_only=True):
    """How far a stream was read: the last number and chain hash."""

    seq: int
    hash: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """A table's sources, engines and files.

    `engine` is the digest of the shared code, `judges` that of each game. `event_replay`: the streams without rows, and why
    (`single_path` as stored). `unfinished`: if a replay maintains the table, the file to resume from, and `last` the paths of the
    files with rounds that late events may still change.
    """

    version: int
    engine: str
    log_id: str
    property_id: str
    heads: dict[str, HeadEntry]
    event_replay: dict[str, str] = msgspec.field(name="single_path")
    files: list[FileEntry]
    rules: list[str]
    unfinished: FileEntry | None = None
    last: list[str] = []
    judges: dict[str, str] = {}

    def outdated_games(self) -> set[str]:
        """Return the games that another engine judged."""
        return {game for game, digest in self.judges.items() if digest_for(game) != digest}


@contextlib.contextmanager
def scratch_in(folder: Path) -> Iterator[Path]:
    """Yield a folder next to the table's files, removed at the end."""
    made = Path(tempfile.mkdtemp(prefix=".building-", dir=folder))
    try:
        yield made
    finally:
        shutil.rmtree(made)


def prepare(folder: Path) -> None:
    """Prepare a folder for a table; remove leftovers of a killed process. Raises `TableError` if it holds something else."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob(".building-*"):
        shutil.rmtree(path)
    for path in folder.glob(f"{READING}*"):
        if path.stat().st_mtime < time.time() - LEFT_BEHIND_S:
            shutil.rmtree(path)
    own = ("rounds", "rules", "unfinished")
    if not (folder / MANIFEST).exists() and any(path.name.split(".")[0] not in own for path in folder.iterdir()):
        raise TableError(f"{folder} is not empty and holds no round table; name another folder")


def place_of(row: Row) -> str:
    """Return the property, game and month of a round, which determine its file."""
    return f"{row['property_id']}/{row['game']}/{row['gaming_day'][:7]}"


class _Files:
    """The files of a new table: first a part for each stream, finally merged."""

    def __init__(self, scratch: Path) -> None:
        self._scratch = scratch
        self._parts: dict[str, list[Path]] = {}

    def write(self, number: int, batches: Iterator[Sequence[Row]]) -> int:
        """Write the rounds of the stream with this index; return their number."""
        writers: dict[str, pq.ParquetWriter] = {}
        waiting: dict[str, list[Row]] = {}
        rounds = 0
        try:
            for rows in batches:
                rounds += len(rows)
                for row in rows:
                    place = place_of(row)
                    waiting.setdefault(place, []).append(row)
                    if len(waiting[place]) == GROUP:
                        self._group(writers, number, place, waiting.pop(place))
            for place, left in waiting.items():
                self._group(writers, number, place, left)
        finally:
            for writer in writers.values():
                writer.close()
        for place in writers:
            self._parts.setdefault(place, []).append(self._part(number, place))
        return rounds

    def drop(self, number: int) -> None:
        """Remove a stream's rows."""
        for place, parts in self._parts.items():
            self._parts[place] = [part for part in parts if part != self._part(number, place)]

    def _part(self, number: int, place: str) -> Path:
        return self._scratch / f"{number}-{place.replace('/', '-')}.parquet"

    def _group(self, writers: dict[str, pq.ParquetWriter], number: int, place: str, rows: Sequence[Row]) -> None:
        if place not in writers:
            writers[place] = writer_at(self._part(number, place))
        writers[place].write_batch(as_batch(rows))

    def put_together(self, folder: Path) -> list[FileEntry]:
        """Merge the parts into the files of the table."""
        places = sorted((place, parts) for place, parts in self._parts.items() if parts)
        return [joined(parts, folder, place, self._scratch) for place, parts in places]


def joined(parts: Sequence[Path], folder: Path, place: str, scratch: Path, without: Collection[str] = ()) -> FileEntry:
    """Merge files of one place into files of the table, in groups of `GROUP` rounds, without rows of the streams in `without`."""
    whole, rounds, streams = scratch / "whole.parquet", 0, set()
    with writer_at(whole) as writer:
        waiting = SCHEMA.empty_table()
        for batch in _batches(parts):
            if without:
                batch = batch.filter(pc.invert(pc.is_in(batch.column("stream"), pa.array(sorted(without)))))
            streams |= set(batch.column("stream").unique().to_pylist())
            rounds += len(batch)
            waiting = pa.concat_tables((waiting, pa.Table.from_batches([batch], SCHEMA)))
            while len(waiting) >= GROUP:
                writer.write_table(waiting[:GROUP])
                waiting = waiting[GROUP:]
        if len(waiting):
            writer.write_table(waiting)
    return placed(whole, folder, f"rounds/{place}", "parquet", rounds, sorted(streams))


def _batches(parts: Sequence[Path]) -> Iterator[pa.RecordBatch]:
    for part in parts:
        with pq.ParquetFile(part) as file:
            yield from file.iter_batches(GROUP)


def writer_at(path: Path | pa.NativeFile) -> pq.ParquetWriter:
    """Open a file of rounds for writing."""
    return pq.ParquetWriter(path, SCHEMA, compression="lz4", use_dictionary=list(TEXTS))


def write_rows(path: Path | pa.NativeFile, rows: Sequence[Row]) -> None:
    """Write rows of one place to a file."""
    with writer_at(path) as writer:
        for start in range(0, len(rows), GROUP):
            writer.write_batch(as_batch(rows[start : start + GROUP]))


def placed(made: Path, folder: Path, name: str, suffix: str, rounds: int = 0, streams: Sequence[str] = ()) -> FileEntry:
    """Name a file by its digest, durably."""
    with made.open("rb") as file:
        digest = file_digest(file, "sha256").hexdigest()
        os.fsync(file.fileno())
    path = f"{name}.{digest[:16]}.{suffix}"
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    os.replace(made, folder / path)
    return FileEntry(path=path, sha256=digest, rounds=rounds, streams=list(streams))


def build(log: EventLog, folder: Path, progress: Progress | None = None, heads: Mapping[str, int] | None = None) -> Manifest:
    """Derive the table from a log into a folder: every stream to its end, or the streams in `heads` to a number.

    Raises `TableError` if the folder holds something else.
    """
    prepare(folder)
    ends: dict[str, HeadEntry] = {}
    without_rows: dict[str, str] = {}
    rules: dict[str, str] = {}
    with scratch_in(folder) as scratch:
        files, rounds = _Files(scratch), 0
        for number, stream in enumerate(name for name in log.streams() if name.startswith("table/")):
            end = heads.get(stream, 0) if heads is not None else log.head(stream).seq
            if heads is not None and stream not in heads:
                without_rows[stream] = "no rows were asked for"
                continue
            reading = StreamReading(log, stream, end, log.property_id)
            written = files.write(number, _with_progress(reading.all_rows(), progress, stream, rounds))
            if reading.event_replay_reason:
                without_rows[stream] = reading.event_replay_reason
                files.drop(number)
                continue
            rounds += written
            ends[stream] = HeadEntry(seq=end, hash=reading.hash.hex())
            reading.taken.rest()  # which names what was filed last
            rules |= reading.taken.texts
        entries = files.put_together(folder)
        keep_texts(folder, rules)
        manifest = Manifest(
            version=VERSION,
            engine=shared_engine(),
            judges=judges_of(entries),
            log_id=log.log_id,
            property_id=log.property_id,
            heads=ends,
            event_replay=without_rows,
            files=entries,
            rules=sorted(rules),
        )
        put_in_force(folder, scratch, manifest)
    return manifest


def judges_of(entries: Iterable[FileEntry]) -> dict[str, str]:
    """Return the games of these files, each with its digest of the judging code."""
    return {game: digest_for(game) for game in sorted({game_in(entry) for entry in entries})}


def game_in(entry: FileEntry) -> str:
    """Return the game of the rounds in a file."""
    return entry.path.split("/")[2]


def keep_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write the submissions on file, each under its digest."""
    for digest, text in texts.items():
        (folder / "rules").mkdir(exist_ok=True)
        (folder / "rules" / f"{digest}.toml").write_text(text, encoding="utf-8", newline="")


def repeat_rounds(folder: Path, times: int) -> None:
    """Make a table name each of its files this many times, to stand for a longer history."""
    manifest = RoundTable(folder).manifest
    with scratch_in(folder) as scratch:
        put_in_force(folder, scratch, msgspec.structs.replace(manifest, files=manifest.files * times))


def _with_progress(batches: Iterator[list[Row]], progress: Progress | None, stream: str, rounds: int) -> Iterator[list[Row]]:
    for rows in batches:
        rounds += len(rows)
        if progress is not None:
            progress(stream, rounds)
        yield rows


class StreamReading:
    """A stream being read into rows, from its first event; `event_replay_reason` says in the end why it has no rows."""

    def __init__(self, log: ReplaySource, stream: str, end: int, property_id: str) -> None:
        self.taken = StreamRows(stream, property_id)
        self.event_replay_reason = ""
        self.hash = b""
        self._writer = RowWriter(self.taken, stream)
        self._log, self._stream, self._end = log, stream, end

    def rows(self) -> Iterator[list[Row]]:
        """Yield the rounds that no late event can change, some at a time."""
        try:
            for run in runs_of(self._log.read(self._stream, 1, self._end)):
                self._writer.take_run(run, drop)
                self.hash = run[-1].hash
                self.event_replay_reason = self.taken.event_replay_reason or (FAR_BACK if self._writer.needs_refold else "")
                if self.event_replay_reason:
                    return
                yield self.taken.written(ROUNDS_AT_HAND)
            self._writer.take_in()
        except IntegrityError as broken:
            self.event_replay_reason = f"{broken.code} {broken}"

    def all_rows(self) -> Iterator[list[Row]]:
        """Yield all rounds, some at a time."""
        yield from self.rows()
        yield self.taken.written(0)


def drop(result: Result) -> None:
    """Ignore a result: accounting entries are not in the table."""


def put_in_force(folder: Path, scratch: Path, manifest: Manifest) -> bytes:
    """Replace the manifest at once, then remove files that it does not name; return its bytes."""
    data = (json.dumps(msgspec.to_builtins(manifest), indent=1, sort_keys=True) + "\n").encode()
    made = scratch / MANIFEST
    with made.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(made, folder / MANIFEST)
    named = {folder / each.path for each in (*manifest.files, *filter(None, (manifest.unfinished,)))}
    for path in (*folder.glob("rounds/*/*/*.parquet"), *folder.glob("unfinished.*.msgpack")):
        if path not in named:
            path.unlink()
    return data


@contextlib.contextmanager
def steady(folder: Path) -> "Iterator[RoundTable]":
    """Yield an unchanging view of a table, even while a replay writes it. Raises `TableError`.

    The files in its manifest are linked under other names next to it or, if that is impossible, read in place.
    """
    RoundTable(folder)
    try:
        made = Path(tempfile.mkdtemp(prefix=READING, dir=folder))
    except OSError:
        yield RoundTable(folder)
        return
    try:
        yield RoundTable(made, folder) if _linked(folder, made) else RoundTable(folder)
    finally:
        shutil.rmtree(made)


def _linked(folder: Path, made: Path) -> bool:
    """Link the files of a table in another folder, its manifest copied last; return whether that was possible."""
    for _ in range(LINK_ATTEMPTS):
        data = read_plain(folder / MANIFEST)
        manifest = msgspec.json.decode(data, type=Manifest)
        paths = [*(each.path for each in manifest.files), *(f"rules/{digest}.toml" for digest in manifest.rules)]
        try:
            for path in paths:
                (made / path).parent.mkdir(parents=True, exist_ok=True)
                if not (made / path).exists():
                    os.link(folder / path, made / path)
        except FileNotFoundError:
            continue  # a replay wrote the table meanwhile
        except OSError:
            return False
        (made / MANIFEST).write_bytes(data)
        return True
    return False


def checked_path(folder: Path, entry: FileEntry, shown: Path | None = None) -> Path:
    """Return the path of a file of a table, after checking its bytes. Raises `TableError`, which names it in folder `shown`."""
    path, name = folder / entry.path, (shown or folder) / entry.path
    try:
        with open(open_plain(path, links=True), "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise TableError(f"{name} cannot be read ({error.strerror}); make the table again with `rack rounds`") from error
    if digest != entry.sha256:
        raise TableError(f"{name} is not what the manifest names; make the table again with `rack rounds`")
    return path


class RoundTable:
    """A round table in a folder, open for reading. Every file is checked against the manifest before it is read."""

    def __init__(self, folder: Path, shown: Path | None = None) -> None:
        """Open the table in a folder; messages name the folder `shown`."""
        self.folder, self.shown = folder, shown or folder
        try:
            self.manifest = msgspec.json.decode(read_plain(folder / MANIFEST), type=Manifest)
        except FileNotFoundError as error:
            raise TableError(f"{folder} holds no round table; `rack rounds --out {folder}` makes one") from error
        except msgspec.MsgspecError as error:
            raise TableError(f"{folder / MANIFEST}: {error}; make the table again with `rack rounds`") from error
        if self.manifest.version != VERSION:
            raise TableError(
                f"{folder / MANIFEST}: version {self.manifest.version}, expected {VERSION}: its columns are others; make the "
                "table again with `rack rounds`"
            )

    def path(self, entry: FileEntry) -> Path:
        """Return the path of a file of the table, after checking its bytes. Raises `TableError`."""
        return checked_path(self.folder, entry, self.shown)

    def paths(self, game: str) -> list[Path]:
        """Return the paths of the files with rounds of a game, each checked. Raises `TableError`."""
        return [self.path(entry) for entry in self.manifest.files if game_in(entry) == game]

    def ineligible(self) -> dict[str, int]:
        """Return reason → the number of rounds that their rows cannot settle, most frequent first."""
        counts: Counter[str] = Counter()
        for entry in self.manifest.files:
            reasons = pq.read_table(self.path(entry), columns=["ineligible_reason"])
            counts.update(reasons.column("ineligible_reason").to_pylist())
        return {reason: count for reason, count in counts.most_common() if reason}

    def must_be_of(self, log: EventLog) -> None:
        """Raise `TableError` if the table was made from other streams than this log's, or by another engine."""
        if self.manifest.engine != shared_engine() or self.manifest.outdated_games():
            games = ", ".join(sorted(self.manifest.outdated_games())) or "every game"
            raise TableError(
                f"{self.shown} was made by another engine of {games}, which may settle rounds otherwise; make the table again "
                "with `rack rounds`"
            )
        if self.manifest.log_id != log.log_id:
            raise TableError(f"{self.shown} was made from log {self.manifest.log_id}, not from {log.log_id}")
        for stream, head in self.manifest.heads.items():
            last = next(iter(log.read(stream, head.seq, head.seq)), None) if head.seq else None
            if head.seq and (last is None or last.hash.hex() != head.hash):
                raise TableError(
                    f"{self.shown}: event {head.seq} of {stream} is not the one the table was made from; "
                    "see `rack verify`, then make the table again with `rack rounds`"
                )

    def rules(self) -> dict[str, str]:
        """Return the submissions' texts by digest."""
        texts = {}
        for digest in self.manifest.rules:
            text = read_plain(self.folder / "rules" / f"{digest}.toml").decode()
            if digest_of(text) != digest:
                raise TableError(f"{self.shown}: rules/{digest}.toml is not the text of that digest")
            texts[digest] = text
        return texts
