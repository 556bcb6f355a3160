"""The rows of the rounds that a replay judges, wherever they are then stored.

The theory of this file: results are committed first, then the rows up to the same heads. So a replay killed between the two has
rows that are behind, never ahead, and the next replay reads the missing ones from the log (`resume`). Rows that cannot be
continued are derived from the stream's first event, as in `round_table.build`, so that both always give the same rows.
`kept_table` writes them to files; `StreamKeeper` passes on those of one stream.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import pyarrow as pa

from events.errors import IntegrityError
from events.log.contract import Head
from events.log.runs import runs_of
from replay.run.positions import ReplaySource
from replay.run.stream_worker import Snapshot, encode
from whatif.round_table import GROUP, StreamReading, drop, place_of, write_rows
from whatif.row_schema import Row
from whatif.row_writer import RowWriter
from whatif.stream_rows import ROUNDS_AT_HAND, StreamRows, with_texts

LOST_RECORD: Final = "LOG-"
"""The beginning of the reason for a stream without rows if its log is broken; such a stream is tried again."""


class RowKeeper(ABC):
    """Receives the rounds of a replay as rows (`replay.run.round_keeper.RoundKeeper`)."""

    def __init__(self, property_id: str) -> None:
        self._property_id = property_id
        self._takers: dict[str, StreamRows] = {}
        self._heads: dict[str, Head] = {}
        self._without_rows: dict[str, str] = {}
        self._finished: dict[str, list[Row]] = {}
        self._dropped: set[str] = set()
        """Streams whose earlier rows no longer count."""
        self._anew: set[str] = set()
        """Streams to be derived from their first event."""

    def resume(self, log: ReplaySource, positions: Mapping[str, Head]) -> list[str]:
        """Bring streams to the positions of the replay; there is nothing to report."""
        for stream, position in positions.items():
            if not stream.startswith("table/"):
                continue
            if position.seq == 0:
                self._begin(stream)
            elif not self._stands(stream, position) and not self._catch_up(log, stream, position):
                self._derive(log, stream, position.seq)
        return []

    def _stands(self, stream: str, position: Head) -> bool:
        """Return whether the rows reach the position, or the stream has no rows for a reason other than a break."""
        if stream in self._anew:
            return False
        if stream in self._without_rows:
            return not self._without_rows[stream].startswith(LOST_RECORD)
        return self._heads.get(stream) == position

    def taker(self, stream: str) -> StreamRows | None:
        """Return the receiver of a stream's rounds from here on; None if none are kept."""
        if not stream.startswith("table/") or stream in self._anew or stream in self._without_rows:
            return None
        if stream not in self._takers:
            self._begin(stream)
        return self._takers[stream]

    def refolded(self, stream: str) -> None:
        """Derive the rows of a refolded stream again, unless they are known to be impossible."""
        if stream.startswith("table/") and stream not in self._without_rows:
            self._anew.add(stream)

    def broken(self, stream: str, why: str) -> None:
        """Leave out a stream that cannot be read to its end."""
        if stream.startswith("table/"):
            self._leave_out(stream, why)

    def forget(self, stream: str) -> None:
        """Leave out a stream that the log does not have."""
        self._drop(stream)

    def _take(self, log: ReplaySource, heads: Mapping[str, Head]) -> None:
        """Store the rows up to these heads."""
        for stream in sorted(self._anew & heads.keys()):
            self._derive(log, stream, heads[stream].seq)
        for stream, head in heads.items():
            if stream in self._takers:
                self._heads[stream] = head
                self._collect(self._takers[stream])

    def _begin(self, stream: str) -> None:
        """Begin a stream with no rows."""
        self._drop(stream)
        self._takers[stream] = StreamRows(stream, self._property_id)

    def _drop(self, stream: str) -> None:
        """Discard all rows of a stream, written or waiting."""
        self._dropped.add(stream)
        self._anew.discard(stream)
        self._takers.pop(stream, None)
        self._heads.pop(stream, None)
        self._without_rows.pop(stream, None)
        for place, rows in self._finished.items():
            self._finished[place] = [row for row in rows if row["stream"] != stream]

    def _add(self, rows: Sequence[Row]) -> None:
        """Store rounds that no late event can change."""
        for row in rows:
            self._finished.setdefault(place_of(row), []).append(row)
        if sum(map(len, self._finished.values())) >= GROUP:
            self._put_away()

    @abstractmethod
    def _put_away(self) -> None:
        """Store the finished rounds in a file."""

    def _leave_out(self, stream: str, why: str) -> None:
        """Give a stream no rows, for a reason."""
        self._drop(stream)
        self._without_rows[stream] = why

    def _collect(self, taker: StreamRows) -> None:
        """Collect the rounds that no late event can change; drop a stream that cannot be written row by row."""
        if taker.event_replay_reason:
            self._leave_out(taker.stream, taker.event_replay_reason)
            return
        self._add(taker.written(ROUNDS_AT_HAND))

    def _derive(self, log: ReplaySource, stream: str, end: int) -> None:
        """Derive the rows of a stream from its first event."""
        self._drop(stream)
        reading = StreamReading(log, stream, end, self._property_id)
        for rows in reading.rows():
            self._add(rows)
        if reading.event_replay_reason:
            self._leave_out(stream, reading.event_replay_reason)
            return
        self._takers[stream], self._heads[stream] = reading.taken, Head(end, reading.hash)

    def _catch_up(self, log: ReplaySource, stream: str, position: Head) -> bool:
        """Read the log up to the results; return whether the rows could be continued."""
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
                worker.take_in()
        except IntegrityError:
            return False
        self._heads[stream] = position
        return worker.chain == position.hash


class FinishedPart(NamedTuple):
    """Finished rounds of one place: their number, and their file."""

    place: str
    rounds: int
    data: bytes


class StreamKeeper(RowKeeper):
    """Keeps the rounds of one stream in another process than the table's; it is sent there, and back once it is `packed`."""

    def __init__(self, stream: str, property_id: str) -> None:
        super().__init__(property_id)
        self.stream = stream
        self.parts: list[FinishedPart] = []

    def go_on(self, taker: StreamRows, head: Head) -> None:
        """Continue the rows up to a head."""
        self._takers[self.stream], self._heads[self.stream] = taker, head

    def go_without(self, reason: str) -> None:
        """Continue a stream without rows, for a reason."""
        self._without_rows[self.stream] = reason

    def commit(self, log: ReplaySource, heads: Mapping[str, Head], *, at_once: bool) -> bool:
        """Store the rows up to these heads."""
        self._take(log, heads)
        return True

    def pack(self) -> None:
        """Pack for sending back."""
        self._put_away()

    @property
    def is_anew(self) -> bool:
        """Whether all earlier rows of the stream are discarded."""
        return self.stream in self._dropped

    @property
    def reason(self) -> str:
        """Why the stream has no rows; empty if it has some."""
        return self._without_rows.get(self.stream, "")

    @property
    def standing(self) -> tuple[StreamRows, Head] | None:
        """The state from which the stream continues; None if it has none."""
        taker, head = self._takers.get(self.stream), self._heads.get(self.stream)
        return (taker, head) if taker is not None and head is not None else None

    def _drop(self, stream: str) -> None:
        super()._drop(stream)
        self.parts = []

    def _put_away(self) -> None:
        for place, rows in self._finished.items():
            if rows:
                made = pa.BufferOutputStream()
                write_rows(made, rows)
                self.parts.append(FinishedPart(place, len(rows), made.getvalue().to_pybytes()))
        self._finished = {}
