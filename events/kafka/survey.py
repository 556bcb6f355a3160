"""Where the streams of a partition end, and what in it is foreign: read by headers alone, and on from a bookmark.

Kafka keeps no index of streams, so that who opens a log has to read where they end. What a survey says is only if to look:
the reader of a record checks it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import msgspec

from events.kafka.bookmarks import Bookmark, Landmark
from events.kafka.client import TopicPartition, TopicReader
from events.kafka.foreign_records import ResultPlaces, StreamPlaces, beside_streams, foreign_record
from events.kafka.partition_reader import Headers, read_headers
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
    """Where a stream ended when a bookmark was made.

    `offset` is that of its last event, `before` the hash of the one before it (empty if that is not there), `last` the
    offset of the last record under its name: a repeat may come behind the last event.
    """

    seq: int
    hash: bytes
    offset: int
    before: bytes
    last: int


class Gap(NamedTuple):
    """A long stretch of a partition without a record of a stream: the offsets of the last before it (-1: none) and the next."""

    before: int
    behind: int


class EndsBookmark(msgspec.Struct, frozen=True, array_like=True):
    """What is known of the ends in a partition before an offset (see `Ends`), and what in it is foreign."""

    next_offset: int
    landmark: Landmark
    ends: dict[str, StreamEnd]
    marks: list[tuple[int, dict[str, Head]]]
    mark_every: int
    since_mark: int
    gaps: dict[str, list[Gap]]
    foreign: ForeignReport


class Ends:
    """Where the streams of one partition end, by their headers alone, and which offset represents which numbers."""

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
        """Return what is known by now, to go on from."""
        ends = {
            stream: StreamEnd(head.seq, head.hash, self._offsets[stream], self._before[stream], self._last[stream])
            for stream, head in self.heads.items()
        }
        marks = self._marks, self._mark_every, self._since_mark
        return EndsBookmark(self.next_offset, landmark, ends, *marks, self._gaps, foreign)

    def pass_over(self, offset: int) -> None:
        """Note that what lies at an offset is no part of a stream."""
        self.next_offset = offset + 1

    def take(self, offset: int, key: bytes | None, headers: Headers) -> None:
        """Note one record; records must come in the order of the partition, from its beginning."""
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
        """Return where a stream ends; `NOTHING` if none is known."""
        return self.heads.get(stream, NOTHING)

    def stretches(self, stream: str, offset: int) -> Iterator[tuple[int, int]]:
        """Yield from which offsets on to which (excluded) the records under a stream's name lie, from an offset on."""
        for gap in self._gaps.get(stream, ()):
            if offset <= gap.before:
                yield offset, gap.before + 1
            offset = max(offset, gap.behind)
        last = self._last.get(stream, -1)
        if offset <= last:
            yield offset, last + 1

    def start(self, after: Mapping[str, int], only: str | None = None) -> tuple[int, dict[str, Head]]:
        """Return the last known offset before which lies nothing beyond `after`, and where the streams stood there.

        With `only`, the other streams do not matter; if its last event alone is wanted, that is known.
        """
        if only is not None and self._before.get(only) and after.get(only) == self.heads[only].seq - 1:
            return self._offsets[only], {only: Head(after[only], self._before[only])}
        for offset, heads in ((self._behind_all(), self.heads), *reversed(self._marks)):
            wanted = heads.items() if only is None else [(only, heads[only])] if only in heads else []
            if all(head.seq <= after.get(stream, 0) for stream, head in wanted):
                return offset, dict(heads)
        return 0, {}

    def _behind_all(self) -> int:
        """Return the offset after the last record of a stream: what is foreign behind it comes again."""
        return max(self._offsets.values(), default=-1) + 1

    def _mark(self, offset: int) -> None:
        if len(self._marks) >= MOST_MARKS:
            self._marks = self._marks[1::2]
            self._mark_every *= 2
        self._marks.append((offset, dict(self.heads)))
        self._since_mark = 0


class PartitionSurvey:
    """What this process knows of one partition; nothing yet if there is no bookmark that holds. Not safe between threads."""

    def __init__(
        self, lane: TopicPartition, places: StreamPlaces, bookmark: Bookmark | None, reader: TopicReader
    ) -> None:
        self._lane, self._places, self._bookmark = lane, places, bookmark
        known = bookmark.load(EndsBookmark) if bookmark is not None else None
        if known is not None and not known.landmark.stands(reader, lane):
            known = None
        self.resumed = known is not None
        """Whether anything that is known comes from a bookmark."""
        self.ends = Ends(known)
        self.foreign = ForeignTally() if known is None else ForeignTally(known.foreign)
        self._bookmarked = self.ends.next_offset

    def read_on(self, reader: TopicReader) -> None:
        """Take in what lies behind what is known, and leave a bookmark if that is worth the writing."""
        ends, last = self.ends, None
        end = reader.ends([self._lane])[self._lane]
        for message in reader.scan(self._lane, ends.next_offset, end):
            stranger = self._places.foreign(message)
            if stranger is None:
                ends.take(message.offset, message.key, message.headers)
            else:
                ends.pass_over(message.offset)
                self.foreign.add(stranger)
            last = message
        ends.next_offset = max(ends.next_offset, end)  # behind the last record, transactions may have ended
        if last is not None and self._bookmark is not None and ends.next_offset >= self._bookmarked + WORTH_A_BOOKMARK:
            self._bookmark.store(ends.bookmark(Landmark.at(last.offset, last), self.foreign.report()))
            self._bookmarked = ends.next_offset

    def forget(self) -> None:
        """Know nothing, and throw the bookmark away: what it says does not fit what is stored."""
        if self._bookmark is not None:
            self._bookmark.forget()
        self.ends, self.foreign, self.resumed, self._bookmarked = Ends(), ForeignTally(), False, 0


BESIDE = ("findings", "checkpoints", "quarantine")
"""The topics of one partition that hold evidence and no streams."""


class BesideBookmark(msgspec.Struct, frozen=True, array_like=True):
    """What in a topic next to the streams is foreign before an offset, and the streams whose results have places there."""

    next_offset: int
    landmark: Landmark
    foreign: ForeignReport
    streams: list[str]


class BesideSurvey:
    """What this process knows of the foreign records in a topic next to the streams. Not safe between threads."""

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
        """Take in what lies behind what is known, and leave a bookmark if that is worth the writing."""
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
