"""A round table that a replay keeps up: the rows of the rounds it judges, written while it judges them.

The theory of this file: results are committed first, then the rows, up to the same heads; the manifest that replaces the old one
at once says up to which. So a kill between the two leaves rows that are behind, never ahead, and the next replay reads what is
missing from the log (`resume`). What cannot be gone on with is derived from the stream's first event, as `round_table.build`
does, so that the rows are always those that it derives.

    manifest.json                                       as in `round_table`; it also names what follows
    rounds/<property>/<game>/<month>.<digest>.parquet   finished rounds; and, of each place, one file of those that something late
                                                        may still reach (`last`), which is written again each time
    unfinished.<digest>.msgpack                         from where the rows of each stream are gone on with

Finished rounds are written once and joined with others as their files grow in number: sixteen of a size make one of the next.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from events.errors import IntegrityError
from events.log.contract import Head
from events.log.runs import runs_of
from replay.columns.catalogue import schema_of
from replay.columns.game_columns import Row
from replay.columns.round_table import (
    GROUP,
    MANIFEST,
    VERSION,
    FileEntry,
    HeadEntry,
    Manifest,
    RoundTable,
    StreamReading,
    TableError,
    checked_path,
    drop,
    joined,
    keep_texts,
    place_of,
    placed,
    prepare,
    put_in_force,
    scratch_in,
    writer_at,
)
from replay.columns.row_schemas import arrow_schema, as_batch
from replay.columns.row_writer import RowWriter
from replay.columns.stream_rows import ROUNDS_AT_HAND, StreamRows, Unfinished, with_texts
from replay.run.engine import engine
from replay.run.positions import ReplaySource
from replay.run.stream_worker import Snapshot, encode

WRITE_EVERY_S: Final = 1.0
"""Whoever follows a log writes rows at most so often, and leaves at least as long for judging as that takes."""
JOINED_AT: Final = 16
"""So many files of about the same size become one."""
LOST_RECORD: Final = "LOG-"
"""How the reason begins why a stream has no rows where its log is broken; that is tried again."""


class _Going(msgspec.Struct, frozen=True):
    """What `unfinished` holds: each stream with rows."""

    streams: dict[str, Unfinished]


class KeptTable:
    """The rows of a replay's rounds (`replay.run.round_keeper.RoundKeeper`), in a folder. One process at a time keeps a table."""

    def __init__(
        self, folder: Path, log_id: str, property_id: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Open the table, or begin one in an empty folder. Raises `TableError` where the folder is of something else."""
        self.folder, self._log_id, self._property_id, self._clock = folder, log_id, property_id, clock
        self._files: dict[str, list[FileEntry]] = {}
        self._last: dict[str, FileEntry] = {}
        self._takers: dict[str, StreamRows] = {}
        self._heads: dict[str, Head] = {}
        self._without_rows: dict[str, str] = {}
        self._texts: dict[str, str] = {}
        self._finished: dict[str, list[Row]] = {}
        self._dropped: set[str] = set()
        """Streams whose rounds in `_files` do not count any more."""
        self._anew: set[str] = set()
        """Streams to be derived from their first event."""
        self._said: list[str] = []
        self._next_s = float("-inf")
        self._manifest = b""
        self._open()

    def _open(self) -> None:
        prepare(self.folder)
        if not (self.folder / MANIFEST).exists():
            return
        self._manifest = (self.folder / MANIFEST).read_bytes()
        try:
            table = RoundTable(self.folder)
        except TableError as error:
            self._said.append(f"{error}: all rows are written again")
            return
        made = table.manifest
        if made.log_id != self._log_id:
            raise TableError(f"{self.folder} was made from log {made.log_id}, not from {self._log_id}")
        if made.engine != engine():
            self._said.append(f"round table {self.folder}: made by {made.engine}, all rows are written again")
            return
        try:
            self._texts = table.rules()
            going = _read_unfinished(table)
        except (TableError, OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._said.append(f"round table {self.folder}: {error}: all rows are written again")
            return
        self._take_over(table, going)

    def _take_over(self, table: RoundTable, going: _Going) -> None:
        """Go on with a table whose files are as its manifest says; of a file that is not, the rows are derived again."""
        made = table.manifest
        self._without_rows = dict(made.event_replay)
        for stream, head in made.heads.items():
            self._heads[stream] = Head(head.seq, bytes.fromhex(head.hash))
            self._takers[stream] = StreamRows(stream, self._property_id, going.streams[stream], self._texts)
        for entry in made.files:
            place, is_last = _place_in(entry), entry.path in made.last
            try:
                table.path(entry)
            except TableError:
                again = "its rows are" if is_last else f"the rows of {', '.join(entry.streams)} are"
                self._said.append(f"{self.folder / entry.path} is not what the manifest names: {again} written again")
                if not is_last:
                    self._anew.update(entry.streams)
                continue
            if is_last:
                self._last[place] = entry
            else:
                self._files.setdefault(place, []).append(entry)

    def resume(self, log: ReplaySource, positions: Mapping[str, Head]) -> list[str]:
        """Bring streams to the positions from which the replay goes on; return a sentence for each thing put right."""
        for stream, position in positions.items():
            if not stream.startswith("table/"):
                continue
            if position.seq == 0:
                self._begin(stream)
            elif not self._stands(stream, position) and not self._catch_up(log, stream, position):
                self._derive(log, stream, position.seq)
        said, self._said = self._said, []
        return said

    def _stands(self, stream: str, position: Head) -> bool:
        """Whether the rows are those up to the position; what has none for another reason than a break has none there either."""
        if stream in self._anew:
            return False
        if stream in self._without_rows:
            return not self._without_rows[stream].startswith(LOST_RECORD)
        return self._heads.get(stream) == position

    def taker(self, stream: str) -> StreamRows | None:
        """Return what takes the rounds of a stream from here on; null where none are kept."""
        if not stream.startswith("table/") or stream in self._anew or stream in self._without_rows:
            return None
        if stream not in self._takers:
            self._begin(stream)
        return self._takers[stream]

    def refolded(self, stream: str) -> None:
        """A stream was folded again from its beginning: its rows are derived anew, where they are not known to be impossible."""
        if stream.startswith("table/") and stream not in self._without_rows:
            self._anew.add(stream)

    def broken(self, stream: str, why: str) -> None:
        """Leave out a stream that cannot be read to its end."""
        if stream.startswith("table/"):
            self._leave_out(stream, why)

    def forget(self, stream: str) -> None:
        """Leave out a stream that the log does not have."""
        self._drop(stream)

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        """Write the rows up to these heads; return whether that was done, and not put off."""
        for stream in sorted(self._anew & heads.keys()):
            self._derive(log, stream, heads[stream].seq)
        for stream, head in heads.items():
            if stream in self._takers:
                self._heads[stream] = head
                self._collect(self._takers[stream])
        if not at_once and self._clock() < self._next_s:
            return False
        start_s = self._clock()
        self._write()
        end_s = self._clock()
        self._next_s = max(start_s + WRITE_EVERY_S, end_s + (end_s - start_s))
        return True

    def _begin(self, stream: str) -> None:
        """Begin a stream with no rows."""
        self._drop(stream)
        self._takers[stream] = StreamRows(stream, self._property_id)

    def _drop(self, stream: str) -> None:
        """Let no row of a stream count that was written or waits."""
        self._dropped.add(stream)
        self._anew.discard(stream)
        self._takers.pop(stream, None)
        self._heads.pop(stream, None)
        self._without_rows.pop(stream, None)
        for place, rows in self._finished.items():
            self._finished[place] = [row for row in rows if row["stream"] != stream]

    def _leave_out(self, stream: str, why: str) -> None:
        """Give a stream no rows, for a reason."""
        self._drop(stream)
        self._without_rows[stream] = why

    def _collect(self, taker: StreamRows) -> None:
        """Take over the rounds that nothing late can reach any more; leave out a stream that cannot be written row by row."""
        if taker.event_replay_reason:
            self._leave_out(taker.stream, taker.event_replay_reason)
            return
        for row in taker.written(ROUNDS_AT_HAND):
            self._finished.setdefault(place_of(row), []).append(row)

    def _derive(self, log: ReplaySource, stream: str, end: int) -> None:
        """Derive the rows of a stream from its first event."""
        self._drop(stream)
        reading = StreamReading(log, stream, end, self._property_id)
        with scratch_in(self.folder) as scratch:
            self._remove_dropped(scratch)
            for rows in reading.rows():
                for row in rows:
                    self._finished.setdefault(place_of(row), []).append(row)
                if sum(map(len, self._finished.values())) >= GROUP:
                    self._store(scratch)
        if reading.event_replay_reason:
            self._leave_out(stream, reading.event_replay_reason)
            return
        self._takers[stream], self._heads[stream] = reading.taken, Head(end, reading.hash)

    def _catch_up(self, log: ReplaySource, stream: str, position: Head) -> bool:
        """Read what the results are ahead of the rows; return whether the rows could be gone on with."""
        head, taker = self._heads.get(stream), self._takers.get(stream)
        if stream in self._anew or head is None or taker is None or head.seq >= position.seq:
            return False
        state = with_texts(taker.rest(), taker.texts)
        worker = RowWriter(None, stream, encode(Snapshot(table=state, meter=None, since=[])), taker.rest_seq)
        try:
            if [record.hash for record in log.read(stream, head.seq, head.seq)] != [head.hash]:
                return False
            for after, end, worker.taker in ((taker.rest_seq, head.seq, None), (head.seq, position.seq, taker)):
                for run in runs_of(log.read(stream, after + 1, end)) if after < end else ():
                    worker.take_run(run, drop)
                    if worker.needs_refold:
                        return False
        except IntegrityError:
            return False
        self._heads[stream] = position
        return worker.chain == position.hash

    def _write(self) -> None:
        """Write what was taken, and let a new manifest replace the old one."""
        self._must_be_alone()
        with scratch_in(self.folder) as scratch:
            self._remove_dropped(scratch)
            self._store(scratch)
            self._join(scratch)
            last = self._write_last(scratch)
            going = {stream: self._takers[stream].unfinished() for stream in self._heads}
            texts = {digest: text for taker in self._takers.values() for digest, text in taker.texts.items()}
            keep_texts(self.folder, {digest: text for digest, text in texts.items() if digest not in self._texts})
            self._texts |= texts
            made = scratch / "unfinished"
            made.write_bytes(encode(_Going(going)))
            manifest = Manifest(
                version=VERSION,
                engine=engine(),
                log_id=self._log_id,
                property_id=self._property_id,
                heads={name: HeadEntry(seq=head.seq, hash=head.hash.hex()) for name, head in self._heads.items()},
                event_replay=self._without_rows,
                files=[*(entry for place in sorted(self._files) for entry in self._files[place]), *last.values()],
                rules=sorted(texts),
                unfinished=placed(made, self.folder, "unfinished", "msgpack"),
                last=[entry.path for entry in last.values()],
            )
            self._manifest = put_in_force(self.folder, scratch, manifest)
            self._last = last

    def _must_be_alone(self) -> None:
        """Raise `TableError` where somebody else wrote the table since."""
        path = self.folder / MANIFEST
        if (path.read_bytes() if path.exists() else b"") != self._manifest:
            raise TableError(f"{self.folder} was written by another process since; let one replay keep a round table")

    def _remove_dropped(self, scratch: Path) -> None:
        """Write the files with rows that do not count again without them."""
        for place, entries in self._files.items():
            kept: list[FileEntry] = []
            for entry in entries:
                if self._dropped.isdisjoint(entry.streams):
                    kept.append(entry)
                elif set(entry.streams) - self._dropped:
                    kept.append(joined([checked_path(self.folder, entry)], self.folder, place, scratch, self._dropped))
            self._files[place] = kept
        self._dropped = set()

    def _store(self, scratch: Path) -> None:
        """Write the finished rounds of each place to a file."""
        for place, rows in self._finished.items():
            if rows:
                self._files.setdefault(place, []).append(self._write_rows(scratch, place, rows))
                self._finished[place] = []

    def _write_rows(self, scratch: Path, place: str, rows: Sequence[Row]) -> FileEntry:
        """Write rows of one place to a file of the table."""
        made, schema = scratch / "rows.parquet", schema_of(rows[0]["game"])
        with writer_at(made, arrow_schema(schema)) as writer:
            for start in range(0, len(rows), GROUP):
                writer.write_batch(as_batch(rows[start : start + GROUP], schema))
        streams = sorted({row["stream"] for row in rows})
        return placed(made, self.folder, f"rounds/{place}", "parquet", len(rows), streams)

    def _join(self, scratch: Path) -> None:
        """Join files of a place of which there are too many of a size."""
        for place, entries in self._files.items():
            while (several := _of_a_size(entries)) is not None:
                paths = [checked_path(self.folder, entry) for entry in several]
                entries = [
                    joined(paths, self.folder, place, scratch),
                    *(each for each in entries if each not in several),
                ]
            self._files[place] = entries

    def _write_last(self, scratch: Path) -> dict[str, FileEntry]:
        """Write the rounds of each place that something late may still reach."""
        by_place: dict[str, list[Row]] = {}
        for _, taker in sorted(self._takers.items()):
            for row in taker.rows:
                by_place.setdefault(place_of(row), []).append(row)
        return {place: self._write_rows(scratch, place, rows) for place, rows in by_place.items()}


def _read_unfinished(table: RoundTable) -> _Going:
    """Return from where a table's streams are gone on with. Raises `TableError` where it does not say so."""
    entry = table.manifest.unfinished
    if entry is None:
        raise TableError("it was not made by a replay")
    going = msgspec.msgpack.decode(table.path(entry).read_bytes(), type=_Going)
    if going.streams.keys() != table.manifest.heads.keys():
        raise TableError(f"{entry.path} is of other streams")
    return going


def _place_in(entry: FileEntry) -> str:
    return entry.path.removeprefix("rounds/").rsplit(".", 2)[0]


def _size(entry: FileEntry) -> int:
    """The sizes of files: below 16 rounds, 256, 4,096, 65,536 …"""
    return (entry.rounds.bit_length() - 1) // 4


def _of_a_size(entries: Iterable[FileEntry]) -> Collection[FileEntry] | None:
    """Return files of the same size where there are so many that they are joined."""
    by_size: dict[int, list[FileEntry]] = {}
    for entry in entries:
        by_size.setdefault(_size(entry), []).append(entry)
    return next((several for several in by_size.values() if len(several) >= JOINED_AT), None)
