"""A round table that a replay maintains: the rows of its rounds, written while it judges them.

The theory of this file: the rows from `row_keeper` are written to files, and a new manifest with their heads replaces the old one
at once. So a reader sees the table as of one moment, and a kill leaves the old state.

    manifest.json                                       as in `round_table`; it also names what follows
    rounds/<property>/<game>/<month>.<digest>.parquet   finished rounds; and, of each place, one file of those that something late
                                                        may still reach (`last`), which is written again each time
    unfinished.<digest>.msgpack                         where the rows of each stream go on

Finished rounds are written once. Files are merged as their number grows: sixteen of one size into one of the next.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from events.log.contract import Head
from replay.run.engine import shared_engine
from replay.run.positions import ReplaySource
from replay.run.round_keeper import StreamRoundKeeper
from replay.run.stream_worker import encode
from whatif.round_table import (
    MANIFEST,
    VERSION,
    FileEntry,
    HeadEntry,
    Manifest,
    RoundTable,
    TableError,
    checked_path,
    game_in,
    joined,
    judges_of,
    keep_texts,
    place_of,
    placed,
    prepare,
    put_in_force,
    scratch_in,
    write_rows,
)
from whatif.row_keeper import FinishedPart, RowKeeper, StreamKeeper
from whatif.row_schema import Row
from whatif.stream_rows import StreamRows, Unfinished

WRITE_EVERY_S: Final = 1.0
"""Seconds between two writes of rows by a replay that follows a log; judging gets at least as long as a write takes."""
JOINED_AT: Final = 16
"""Files of about the same size that are joined into one."""


class _UnfinishedStreams(msgspec.Struct, frozen=True):
    """The content of `unfinished`: each stream with rows."""

    streams: dict[str, Unfinished]


class KeptTable(RowKeeper):
    """The rows of a replay's rounds in a folder. One process maintains it; others may pass it rows of a stream."""

    def __init__(self, folder: Path, log_id: str, property_id: str, clock: Callable[[], float] = time.monotonic) -> None:
        """Open the table, or begin one in an empty folder. Raises `TableError` if the folder holds something else."""
        super().__init__(property_id)
        self.folder, self._log_id, self._clock = folder, log_id, clock
        self._files: dict[str, list[FileEntry]] = {}
        self._last: dict[str, FileEntry] = {}
        self._texts: dict[str, str] = {}
        self._parts: dict[str, list[FinishedPart]] = {}
        """Files that other processes finished, by stream, not yet in their places."""
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
        if made.engine != shared_engine():
            self._said.append(f"round table {self.folder}: made by {made.engine}, all rows are written again")
            return
        try:
            self._texts = table.rules()
            going = _read_unfinished(table)
        except (TableError, OSError, msgspec.MsgspecError, UnicodeDecodeError) as error:
            self._said.append(f"round table {self.folder}: {error}: all rows are written again")
            return
        self._take_over(table, going)

    def _take_over(self, table: RoundTable, going: _UnfinishedStreams) -> None:
        """Resume a table whose files are as its manifest says; the rows of any other file are derived again."""
        made = table.manifest
        self._without_rows = dict(made.event_replay)
        for stream, head in made.heads.items():
            self._heads[stream] = Head(head.seq, bytes.fromhex(head.hash))
            self._takers[stream] = StreamRows(stream, self._property_id, going.streams[stream], self._texts)
        outdated = made.outdated_games()
        if outdated:
            games = ", ".join(sorted(outdated))
            self._said.append(f"round table {self.folder}: made by another engine of {games}, its rows are written again")
        for entry in made.files:
            place, is_last = _place_in(entry), entry.path in made.last
            if game_in(entry) in outdated:
                self._anew.update(entry.streams)
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
        """Bring streams to the positions of the replay; return a sentence for each repair."""
        super().resume(log, positions)
        said, self._said = self._said, []
        return said

    def of_stream(self, stream: str) -> StreamKeeper:
        """Return a keeper for a stream's rounds in another process, starting from the present state."""
        made = StreamKeeper(stream, self._property_id)
        if stream in self._without_rows:
            made.go_without(self._without_rows[stream])
        elif stream in self._heads and stream not in self._anew:
            made.go_on(self._takers[stream], self._heads[stream])
        return made

    def gather(self, kept: StreamRoundKeeper) -> None:
        """Take over the rounds kept of a stream in another process."""
        assert isinstance(kept, StreamKeeper), "it was made by `of_stream`"
        if kept.is_anew:
            self._drop(kept.stream)
        if kept.reason and kept.reason != self._without_rows.get(kept.stream):
            self._leave_out(kept.stream, kept.reason)
        if kept.standing is not None:
            self._takers[kept.stream], self._heads[kept.stream] = kept.standing
        self._parts.setdefault(kept.stream, []).extend(kept.parts)

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        """Write the rows up to these heads; return whether they were written or put off."""
        self._take(log, heads)
        if not at_once and self._clock() < self._next_s:
            return False
        start_s = self._clock()
        self._write()
        end_s = self._clock()
        self._next_s = max(start_s + WRITE_EVERY_S, end_s + (end_s - start_s))
        return True

    def _drop(self, stream: str) -> None:
        super()._drop(stream)
        self._parts.pop(stream, None)

    def _put_away(self) -> None:
        with scratch_in(self.folder) as scratch:
            self._remove_dropped(scratch)
            self._store(scratch)

    def _write(self) -> None:
        """Write the collected rounds, and replace the manifest."""
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
            made.write_bytes(encode(_UnfinishedStreams(going)))
            files = [*(entry for place in sorted(self._files) for entry in self._files[place]), *last.values()]
            manifest = Manifest(
                version=VERSION,
                engine=shared_engine(),
                judges=judges_of(files),
                log_id=self._log_id,
                property_id=self._property_id,
                heads={name: HeadEntry(seq=head.seq, hash=head.hash.hex()) for name, head in self._heads.items()},
                event_replay=self._without_rows,
                files=files,
                rules=sorted(texts),
                unfinished=placed(made, self.folder, "unfinished", "msgpack"),
                last=[entry.path for entry in last.values()],
            )
            self._manifest = put_in_force(self.folder, scratch, manifest)
            self._last = last

    def _must_be_alone(self) -> None:
        """Raise `TableError` if somebody else wrote the table since."""
        path = self.folder / MANIFEST
        if (path.read_bytes() if path.exists() else b"") != self._manifest:
            raise TableError(f"{self.folder} was written by another process since; let one replay keep a round table")

    def _remove_dropped(self, scratch: Path) -> None:
        """Rewrite files without the rows that no longer count."""
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
        for stream, parts in self._parts.items():
            for part in parts:
                made = scratch / "part.parquet"
                made.write_bytes(part.data)
                entry = placed(made, self.folder, f"rounds/{part.place}", "parquet", part.rounds, [stream])
                self._files.setdefault(part.place, []).append(entry)
        self._parts = {}

    def _write_rows(self, scratch: Path, place: str, rows: Sequence[Row]) -> FileEntry:
        """Write rows of one place to a file of the table."""
        made = scratch / "rows.parquet"
        write_rows(made, rows)
        streams = sorted({row["stream"] for row in rows})
        return placed(made, self.folder, f"rounds/{place}", "parquet", len(rows), streams)

    def _join(self, scratch: Path) -> None:
        """Merge files of a place if there are too many of one size."""
        for place, entries in self._files.items():
            while (several := _of_a_size(entries)) is not None:
                paths = [checked_path(self.folder, entry) for entry in several]
                entries = [joined(paths, self.folder, place, scratch), *(each for each in entries if each not in several)]
            self._files[place] = entries

    def _write_last(self, scratch: Path) -> dict[str, FileEntry]:
        """Write the rounds of each place that late events may still change."""
        by_place: dict[str, list[Row]] = {}
        for _, taker in sorted(self._takers.items()):
            for row in taker.rows:
                by_place.setdefault(place_of(row), []).append(row)
        return {place: self._write_rows(scratch, place, rows) for place, rows in by_place.items()}


def _read_unfinished(table: RoundTable) -> _UnfinishedStreams:
    """Return the positions from which a table's streams are continued. Raises `TableError` if it does not name them."""
    entry = table.manifest.unfinished
    if entry is None:
        raise TableError("it was not made by a replay")
    going = msgspec.msgpack.decode(table.path(entry).read_bytes(), type=_UnfinishedStreams)
    if going.streams.keys() != table.manifest.heads.keys():
        raise TableError(f"{entry.path} is of other streams")
    return going


def _place_in(entry: FileEntry) -> str:
    return entry.path.removeprefix("rounds/").rsplit(".", 2)[0]


def _size(entry: FileEntry) -> int:
    """Return the size class of a file: below 16 rounds, 256, 4,096, 65,536 …"""
    return (entry.rounds.bit_length() - 1) // 4


def _of_a_size(entries: Iterable[FileEntry]) -> Collection[FileEntry] | None:
    """Return the files of one size class once there are enough to merge."""
    by_size: dict[int, list[FileEntry]] = {}
    for entry in entries:
        by_size.setdefault(_size(entry), []).append(entry)
    return next((several for several in by_size.values() if len(several) >= JOINED_AT), None)
