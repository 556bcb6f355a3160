"""Checks the records of a partition against the chain of every stream in it. Pure: no broker, no clock.

The record for a number is the first committed one that extends the chain. An identical later one is a repeat and dropped, a
different one a `Fork`; a number left out is a `SequenceGap`; anything else that does not fit, a `BrokenSeal`. The bytes must
agree with key and headers. Foreign records (`events.kafka.foreign_records`) never come here.
"""

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Final

from events.errors import BrokenSeal, Fork, SequenceGap
from events.log.contract import MAX_SEQ, Head, Record
from events.log.diagnosis import diagnose
from events.log.hash_chain import CHAIN_TAG, genesis, link

Headers = list[tuple[str, bytes | None]]
"""Names and values, as Kafka keeps them with a record."""

UNREADABLE: Final = ("unreadable", b"")
"""The one header of what takes the place of a record that the client cannot decode; it has no key and no value."""
TOO_LARGE: Final = ("unreadable", b"too large")
"""The one header of what takes the place of a compressed batch that is larger than any of ours."""
UNREADABLE_REASON: Final = (
    "it, or a record before it in its batch, has a header whose name is not UTF-8 text: it cannot be decoded"
)
TOO_LARGE_REASON: Final = (
    "its compressed batch unpacks to more than any of ours: it and the records after it in its batch are not read"
)
REMEMBERED = 256
"""Hashes kept per stream to tell a repeat from a fork without reading again."""

Stored = Callable[[str, int], bytes | None]
"""Reads again what represents a number of a stream: the bytes of its first record, or None."""


def why_unreadable(headers: Headers) -> str:
    """Return why a record could not be decoded; empty if it could."""
    if headers == [TOO_LARGE]:
        return TOO_LARGE_REASON
    return UNREADABLE_REASON if headers == [UNREADABLE] else ""


class _Stream:
    __slots__ = ("hash", "name", "recent", "seq", "skip")

    def __init__(self, name: str, start: Head, skip: int) -> None:
        self.name, self.seq, self.hash, self.skip = name, start.seq, start.hash, skip
        self.recent: deque[bytes] = deque([start.hash], maxlen=REMEMBERED)


def headers_of(record: Record) -> Headers:
    """Return the headers under which a record is stored: `seq` in decimal, `hash` as 32 bytes."""
    return [("seq", b"%d" % record.seq), ("hash", record.hash)]


class Chains:
    """The chains of the streams of one partition. `after` gives each stream's last number that is not wanted.

    Up to those numbers the stored hashes are trusted; after them every record is checked. `start` gives the ends of the streams
    at the first offset read (empty: the beginning). An error concerns only its stream: the rest of the partition can be read on.
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

    def begin(self, start: Mapping[str, Head]) -> None:
        """Forget everything but the ends of the streams at the first offset read (empty: the beginning)."""
        self._start = start
        self._streams.clear()

    def position(self, key: bytes | None) -> int:
        """Return the number up to which a stream was read or skipped; 0 if it has not occurred."""
        stream = self._streams.get(key)
        return 0 if stream is None else stream.seq

    def is_before(self, key: bytes | None) -> bool:
        """Whether a stream is being read up to a number it is known to have, and not skipped altogether."""
        stream = self._streams.get(key)
        return stream is not None and stream.seq <= stream.skip < MAX_SEQ

    def extend(self, records: Iterable[Record]) -> None:
        """Add records that we just stored and need not read."""
        name, stream = "", None
        for record in records:
            if stream is None or record.stream != name:
                name, key = record.stream, record.stream.encode()
                stream = self._streams.get(key) or self._open(key)
            stream.seq, stream.hash = record.seq, record.hash
            stream.recent.append(record.hash)

    def follow(self, key: bytes | None, headers: Headers, data: bytes | None) -> Record | None:
        """Return the record if it is wanted and the next of a known stream; None if `accept` must decide."""
        stream = self._streams.get(key)
        if stream is None or data is None or len(headers) != 2 or stream.seq < stream.skip:
            return None
        (seq_name, seq_text), (hash_name, stated) = headers
        seq, hash_ = stream.seq + 1, sha256(CHAIN_TAG + stream.hash + data).digest()
        if seq_text != b"%d" % seq or stated != hash_ or seq_name != "seq" or hash_name != "hash":
            return None
        stream.seq, stream.hash = seq, hash_
        stream.recent.append(hash_)
        return Record(stream.name, seq, data, hash_)

    def accept(self, key: bytes | None, headers: Headers, data: bytes | None) -> Record | None:
        """Return the record, or None for a repeat or an unwanted one. Raises an `IntegrityError` if it does not fit."""
        stream = self._streams.get(key)
        if stream is None:
            stream = self._open(key)
        try:
            (seq_name, seq_text), (hash_name, stated) = headers
            seq = int(seq_text or b"")
        except ValueError:
            seq_name = hash_name = ""
            seq, stated = 0, None
        sealed = seq_name == "seq" and hash_name == "hash" and 0 < seq <= MAX_SEQ
        if not sealed or data is None or stated is None or len(stated) != 32:
            if stream.seq < stream.skip:  # before what is wanted
                return None
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
        name = (key or b"").decode(errors="replace")
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


def is_sealed(headers: Headers) -> bool:
    """Whether the headers are an event's: a number, and a chain hash of 32 bytes."""
    try:
        (seq_name, seq_text), (hash_name, stated) = headers
        sealed = seq_name == "seq" and hash_name == "hash" and 0 < int(seq_text or b"") <= MAX_SEQ
    except ValueError:
        return False
    return sealed and stated is not None and len(stated) == 32


def read_headers(key: bytes | None, headers: Headers) -> tuple[str, int, bytes]:
    """Return stream, number and stated hash; number 0 if the headers are not an event's."""
    stream = (key or b"").decode(errors="replace")
    if not is_sealed(headers):
        return stream, 0, b""
    (_, seq), (_, stated) = headers
    return stream, int(seq or b""), stated or b""
