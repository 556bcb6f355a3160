"""Finds the ends of a partition's streams and its foreign records: headers only, on from a bookmark.

Kafka keeps no index of streams, so opening a log means reading their ends. A survey is only a hint where to look: the reader of a
record checks it.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from events.kafka.bookmarks import Bookmark, Landmark
from events.kafka.client import TopicPartition, TopicReader
from events.kafka.foreign_records import ResultPlaces, StreamPlaces, beside_streams, foreign_record
from events.kafka.partition_reader import Headers, read_headers
from events.kafka.record_batches import ReadMessage
from events.log.contract import Head
from events.log.foreign import ForeignReport, ForeignTally

MARK_EVERY = 5000
"""Records of a partition between two remembered offsets, as long as these are few."""

MOST_MARKS = 512
"""Offsets that are remembered of a partition: of more, every second one is forgotten, and new ones come half as often."""

LONG_GAP = 1000
"""Gaps longer than this are remembered as containing no record of the stream."""

WORTH_A_BOOKMARK = 2000
"""Offsets that were read since the last bookmark of a partition before another one is left."""


NOTHING = Head(0, b"")


class StreamEnd(NamedTuple):
    """The end of a stream when a bookmark was made.

    `offset` is its last event's, `before` the hash of the event before it (empty if unknown), `last` the offset of the last
    record under its name: a repeat may follow the last event.
    """

    seq: int
    hash: bytes
    offset: int
    before: bytes
    last: int


class Gap(NamedTuple):
    """A long part of a partition without a record of a stream: the offsets of the last before it (-1: none) and the next."""

    before: int
    behind: int


class EndsBookmark(msgspec.Struct, frozen=True, array_like=True):
    """The known ends in a partition before an offset (see `Ends`), and its foreign records."""

    next_offset: int
    landmark: Landmark
    ends: dict[str, StreamEnd]
    marks: list[tuple[int, dict[str, Head]]]
    mark_every: int
    since_mark: int
    gaps: dict[str, list[Gap]]
    foreign: ForeignReport


class Ends:
    """The ends of a partition's streams, from their headers, and which numbers are at which offsets."""

    def __init__(self, known: EndsBookmark | None = None) -> None:
        self.next_offset = 0
        self.heads: dict[str, Head] = {}
        self._offsets: dict[str, int] = {}
        self._before: dict[str, bytes] = {}
        self._last: dict[str, int] = {}
        self._gaps: dict[str, list[Gap]] = {}
        self._marks: list[tuple[int, dict[str, Head]]] = []
        self._mark_every, self._since_mark = MARK_EVERY, 0
        if known is not None:
            self.next_offset = known.next_offset
            self.heads = {stream: Head(end.seq, end.hash) for stream, end in known.ends.items()}
            self._offsets = {stream: end.offset for stream, end in known.ends.items()}
            self._before = {stream: end.before for stream, end in known.ends.items()}
            self._last = {stream: end.last for stream, end in known.ends.items()}
            self._marks, self._gaps = known.marks, known.gaps
            self._mark_every, self._since_mark = known.mark_every, known.since_mark

    def bookmark(self, landmark: Landmark, foreign: ForeignReport) -> EndsBookmark:
        """Return the present knowledge, to go on from."""
        ends = {
            stream: StreamEnd(head.seq, head.hash, self._offsets[stream], self._before[stream], self._last[stream])
            for stream, head in self.heads.items()
        }
        marks = self._marks, self._mark_every, self._since_mark
        return EndsBookmark(self.next_offset, landmark, ends, *marks, self._gaps, foreign)

    def pass_over(self, offset: int) -> None:
        """Record that the record at an offset belongs to no stream."""
        self.next_offset = offset + 1

    def take(self, offset: int, key: bytes | None, headers: Headers) -> None:
        """Add one record; records must come in the order of the partition, from its beginning."""
        if self._since_mark >= self._mark_every:
            self._mark(offset)
        self._since_mark += 1
        self.next_offset = offset + 1
        stream, seq, stated = read_headers(key, headers)
        last = self._last.get(stream, -1)
        if offset - last > LONG_GAP:
            gaps = self._gaps.setdefault(stream, [])
            if len(gaps) >= MOST_MARKS:  # what is forgotten is read through
                del gaps[::2]
            gaps.append(Gap(last, offset))
        self._last[stream] = offset
        known = self.head(stream)
        if known.seq < seq:
            self.heads[stream], self._offsets[stream] = Head(seq, stated), offset
            self._before[stream] = known.hash if known.seq == seq - 1 else b""

    def head(self, stream: str) -> Head:
        """Return the end of a stream; `NOTHING` if unknown."""
        return self.heads.get(stream, NOTHING)

    def stretches(self, stream: str, offset: int) -> Iterator[tuple[int, int]]:
        """Yield the ranges of offsets (end excluded) with records under a stream's name, from an offset on."""
        for gap in self._gaps.get(stream, ()):
            if offset <= gap.before:
                yield offset, gap.before + 1
            offset = max(offset, gap.behind)
        last = self._last.get(stream, -1)
        if offset <= last:
            yield offset, last + 1

    def start(self, after: Mapping[str, int], only: str | None = None) -> tuple[int, dict[str, Head]]:
        """Return the highest known offset from which a reader misses no event after `after`, and the ends of the streams at it.

        With `only`, ignore all other streams; if only the last event of that stream is wanted, return the exact offset of that
        event.
        """
        if only is not None and self._before.get(only) and after.get(only) == self.heads[only].seq - 1:
            return self._offsets[only], {only: Head(after[only], self._before[only])}
        for offset, heads in ((self._behind_all(), self.heads), *reversed(self._marks)):
            wanted = heads.items() if only is None else [(only, heads[only])] if only in heads else []
            if all(head.seq <= after.get(stream, 0) for stream, head in wanted):
                return offset, dict(heads)
        return 0, {}

    def _behind_all(self) -> int:
        """Return the offset after a stream's last record; later foreign records come again."""
        return max(self._offsets.values(), default=-1) + 1

    def _mark(self, offset: int) -> None:
        if len(self._marks) >= MOST_MARKS:
            self._marks = self._marks[1::2]
            self._mark_every *= 2
        self._marks.append((offset, dict(self.heads)))
        self._since_mark = 0


class PartitionSurvey:
    """This process's knowledge of one partition; empty without a valid bookmark. Not safe between threads."""

    def __init__(self, lane: TopicPartition, places: StreamPlaces, bookmark: Bookmark | None, reader: TopicReader) -> None:
        self._lane, self._places, self._bookmark = lane, places, bookmark
        known = bookmark.load(EndsBookmark) if bookmark is not None else None
        if known is not None and not known.landmark.stands(reader, lane):
            known = None
        self.resumed = known is not None
        """Whether a bookmark gave any of this."""
        self.ends = Ends(known)
        self.foreign = ForeignTally() if known is None else ForeignTally(known.foreign)
        self._bookmarked = self.ends.next_offset

    def read_on(self, reader: TopicReader) -> None:
        """Read the new records, and store a bookmark if they are many."""
        ends, last = self.ends, None
        end = reader.ends([self._lane])[self._lane]
        for message in reader.scan(self._lane, ends.next_offset, end):
            self._take(message)
            last = message
        ends.next_offset = max(ends.next_offset, end)  # behind the last record, transactions may have ended
        if last is not None and self._bookmark is not None and ends.next_offset >= self._bookmarked + WORTH_A_BOOKMARK:
            self._bookmark.store(ends.bookmark(Landmark.at(last.offset, last), self.foreign.report()))
            self._bookmarked = ends.next_offset

    def note(self, offset: int, messages: Iterable[ReadMessage]) -> None:
        """Add messages that another reading found from an offset on, unless records between are unknown."""
        if offset <= self.ends.next_offset:
            for message in messages:
                if message.offset >= self.ends.next_offset:
                    self._take(message)

    def _take(self, message: ReadMessage) -> None:
        stranger = self._places.foreign(message)
        if stranger is None:
            self.ends.take(message.offset, message.key, message.headers)
        else:
            self.ends.pass_over(message.offset)
            self.foreign.add(stranger)

    def forget(self) -> None:
        """Forget everything and delete the bookmark: it does not fit the stored records."""
        if self._bookmark is not None:
            self._bookmark.forget()
        self.ends, self.foreign, self.resumed, self._bookmarked = Ends(), ForeignTally(), False, 0


BESIDE = ("findings", "checkpoints", "quarantine")
"""The topics of one partition that hold evidence and no streams."""


class BesideBookmark(msgspec.Struct, frozen=True, array_like=True):
    """The foreign records of another topic before an offset, and the streams whose results have places there."""

    next_offset: int
    landmark: Landmark
    foreign: ForeignReport
    streams: list[str]


class BesideSurvey:
    """This process's knowledge of the foreign records of a topic without streams. Not safe between threads."""

    def __init__(self, lane: TopicPartition, name: str, bookmark: Bookmark | None, reader: TopicReader) -> None:
        self._lane, self._bookmark, self._results = lane, bookmark, ResultPlaces()
        self._reason_of = beside_streams(self._results)[name]
        self.next_offset = self._bookmarked = 0
        self.foreign = ForeignTally()
        known = bookmark.load(BesideBookmark) if bookmark is not None else None
        if known is not None and known.landmark.stands(reader, lane):
            self.next_offset = self._bookmarked = known.next_offset
            self.foreign = ForeignTally(known.foreign)
            for stream in known.streams:
                self._results.go_on(stream)

    def read_on(self, reader: TopicReader) -> None:
        """Read the new records, and store a bookmark if they are many."""
        last, end = None, reader.ends([self._lane])[self._lane]
        for message in reader.scan(self._lane, self.next_offset, end):
            self.next_offset, last = message.offset + 1, message
            reason = self._reason_of(message)
            if reason is not None:
                self.foreign.add(foreign_record(self._lane, message, reason))
        self.next_offset = max(self.next_offset, end)
        if last is not None and self._bookmark is not None and self.next_offset >= self._bookmarked + WORTH_A_BOOKMARK:
            landmark = Landmark.at(last.offset, last)
            content = BesideBookmark(self.next_offset, landmark, self.foreign.report(), self._results.streams)
            self._bookmark.store(content)
            self._bookmarked = self.next_offset
