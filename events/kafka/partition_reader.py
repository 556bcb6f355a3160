"""What a reader makes of a partition's records: the chain of every stream in it. Pure: no broker, no clock.

The record for a number is the first committed one that extends the chain. An identical later one is a repeat and
dropped, a different one a `Fork`; a number left out is a `SequenceGap`; anything else that does not fit, a `BrokenSeal`.
Key and headers only say what the bytes must turn out to be.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256

from events.errors import BrokenSeal, Fork, SequenceGap
from events.log.contract import Head, Record
from events.log.diagnosis import diagnose
from events.log.hash_chain import CHAIN_TAG, genesis, link

Headers = list[tuple[str, bytes | None]]
"""Names and values, as Kafka keeps them with a record."""

REMEMBERED = 256
"""Hashes kept per stream to tell a repeat from a fork without reading again."""

LONGEST_NAME = 100
"""Letters of a key that are told; the name of a stream has 41 at most."""

MARK_EVERY = 5000
"""Records of a partition between two remembered offsets."""

Stored = Callable[[str, int], bytes | None]
"""Reads again what stands for a number of a stream: the bytes of its first record, or null."""


class _Stream:
    __slots__ = ("hash", "name", "recent", "seq", "skip")

    def __init__(self, name: str, start: Head, skip: int) -> None:
        self.name, self.seq, self.hash, self.skip = name, start.seq, start.hash, skip
        self.recent: deque[bytes] = deque([start.hash], maxlen=REMEMBERED)


def headers_of(record: Record) -> Headers:
    """Return the headers under which a record is stored: `seq` in decimal, `hash` as 32 bytes."""
    return [("seq", b"%d" % record.seq), ("hash", record.hash)]


class Chains:
    """The chains of the streams of one partition. `after` names numbers up to which nothing is wanted.

    Up to there the stored hashes are taken as they stand; beyond, every record is checked. `start` says where the
    streams stood at the offset from which the partition is read (nothing: its beginning). An error counts for its stream
    only: what else the partition holds can be read on.
    """

    def __init__(
        self,
        log_id: str,
        property_id: str,
        stored: Stored,
        after: Mapping[str, int] | None = None,
        start: Mapping[str, Head] | None = None,
    ) -> None:
        self._log_id, self._property_id, self._stored = log_id, property_id, stored
        self._after, self._start = after or {}, start or {}
        self._streams: dict[bytes | None, _Stream] = {}

    def extend(self, records: Iterable[Record]) -> None:
        """Note records that were just stored by ourselves, and need not be read."""
        name, stream = "", None
        for record in records:
            if stream is None or record.stream != name:
                name, key = record.stream, record.stream.encode()
                stream = self._streams.get(key) or self._open(key)
            stream.seq, stream.hash = record.seq, record.hash
            stream.recent.append(record.hash)

    def accept(self, key: bytes | None, headers: Headers, data: bytes | None) -> Record | None:
        """Return the record that this is, null for a repeat or one that is not wanted; raise where it does not fit."""
        stream = self._streams.get(key)
        if stream is None:
            stream = self._open(key)
        try:
            (seq_name, seq_text), (hash_name, stated) = headers
            seq = int(seq_text or b"")
        except ValueError:
            seq_name = hash_name = ""
            seq, stated = 0, None
        if data is None or seq_name != "seq" or hash_name != "hash" or seq < 1 or stated is None or len(stated) != 32:
            raise BrokenSeal(stream.name, stream.seq + 1, "a record has not the headers or the value of an event")
        if stream.seq < stream.skip:
            self._skip(stream, seq, stated)
            return None
        if seq != stream.seq + 1:
            self._out_of_order(stream, seq, data)
            return None
        hash_ = sha256(CHAIN_TAG + stream.hash + data).digest()
        if hash_ != stated:
            raise diagnose(stream.name, seq, data, self._stored)
        stream.seq, stream.hash = seq, hash_
        stream.recent.append(hash_)
        return Record(stream.name, seq, data, hash_)

    def _open(self, key: bytes | None) -> _Stream:
        try:
            name = (key or b"").decode()
        except UnicodeDecodeError:
            name = repr(key)
        if len(name) > LONGEST_NAME:  # of no stream of ours
            name = f"{name[:LONGEST_NAME]}…"
        start = self._start.get(name) or Head(0, genesis(self._log_id, self._property_id, name))
        stream = _Stream(name, start, self._after.get(name, 0))
        self._streams[key] = stream
        return stream

    def _skip(self, stream: _Stream, seq: int, stated: bytes) -> None:
        if seq > stream.skip:
            raise SequenceGap(stream.name, stream.skip, seq)
        if seq > stream.seq:
            stream.seq, stream.hash = seq, stated
            if seq == stream.skip:
                stream.recent.clear()
                stream.recent.append(stated)

    def _out_of_order(self, stream: _Stream, seq: int, data: bytes) -> None:
        if seq > stream.seq:
            raise SequenceGap(stream.name, stream.seq + 1, seq)
        if seq <= stream.skip:
            return  # before what is wanted
        back = stream.seq - seq
        recent = stream.recent
        if back + 1 < len(recent):
            same = link(recent[-back - 2], data) == recent[-back - 1]
        else:
            same = self._stored(stream.name, seq) == data
        if not same:
            raise Fork(stream.name, seq, "the log holds two different events with this number")


class Ends:
    """Where the streams of one partition end, by their headers alone, and which offset stands for which numbers.

    What is told here is only where to look: whoever reads records checks them.
    """

    def __init__(self) -> None:
        self.next_offset = 0
        self.heads: dict[str, Head] = {}
        self._marks: list[tuple[int, dict[str, Head]]] = []
        self._since_mark = 0

    def take(self, offset: int, key: bytes | None, headers: Headers) -> None:
        """Note one record; records must come in the order of the partition, from its beginning."""
        if self._since_mark == MARK_EVERY:
            self._marks.append((offset, dict(self.heads)))
            self._since_mark = 0
        self._since_mark += 1
        self.next_offset = offset + 1
        stream, seq, stated = read_headers(key, headers)
        if stream in self.heads and self.heads[stream].seq >= seq:
            return
        if seq:
            self.heads[stream] = Head(seq, stated)

    def start(self, after: Mapping[str, int], only: str | None = None) -> tuple[int, dict[str, Head]]:
        """Return the last known offset before which lies nothing beyond `after`, and where the streams stood there.

        With `only`, the other streams do not matter.
        """
        for offset, heads in reversed(self._marks):
            wanted = heads.items() if only is None else [(only, heads[only])] if only in heads else []
            if all(head.seq <= after.get(stream, 0) for stream, head in wanted):
                return offset, heads
        return 0, {}


def read_headers(key: bytes | None, headers: Headers) -> tuple[str, int, bytes]:
    """Return stream, number and stated hash; number 0 where the headers are not those of an event."""
    stream = (key or b"").decode(errors="replace")
    try:
        (seq_name, seq_text), (hash_name, stated) = headers
        seq = int(seq_text or b"")
    except ValueError:
        return stream, 0, b""
    good = seq_name == "seq" and hash_name == "hash" and seq > 0
    return (stream, seq, stated) if good and stated is not None and len(stated) == 32 else (stream, 0, b"")
