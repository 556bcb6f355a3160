"""Decodes all records of a batch at once: the client takes ten times as many steps.

The client (3.0.12) still fetches, checks the checksum, and skips aborted records. It then returns a batch's bytes whole; unusual
ones are left to the client to decode, and to refuse in its own words. Batches are decompressed here, because the client does so
without a limit: a megabyte can become gigabytes.
"""

import gzip
import io
import warnings
from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

with warnings.catch_warnings():  # as in `client.py`, whichever is imported first
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka.consumer.fetcher import Fetcher
    from kafka.record.default_records import DefaultRecordBatch
    from kafka.record.util import decode_varint

import msgspec

from events.kafka.partition_reader import TOO_LARGE, Headers

MOST_UNPACKED: Final = 64 * 1024 * 1024
"""Bytes of the records of a batch; no batch of ours has a third of it."""

_SEQ, _HASH = b"\x04\x06seq", b"\x08hash\x40"
"""The beginnings of an event's two headers: `seq`, then `hash` of 32 bytes."""


class ReadMessage(msgspec.Struct, array_like=True, gc=False):
    """A committed record as read. Offsets have gaps at the ends of transactions."""

    offset: int
    key: bytes | None
    value: bytes | None
    headers: Headers


def decoded(data: bytes, at: int, base_offset: int, count: int) -> list[ReadMessage] | None:
    """Return the records in a batch's bytes from a place on; None if the client must decode them."""
    records: list[ReadMessage] = []
    key, keyed = None, b"\x01"
    try:
        for _ in range(count):
            length, at = _number(data, at)
            end = at + length
            if data[at]:  # an attribute: none is defined
                return None
            _, at = _number(data, at + 1)
            delta, at = _number(data, at)
            if data.startswith(keyed, at):  # mostly the key of the record before
                at += len(keyed)
            else:
                key, behind = _bytes(data, at)
                keyed, at = data[at:behind], behind
            value, at = _bytes(data, at)
            headers, at = _headers(data, at)
            if at != end:
                return None
            records.append(ReadMessage(base_offset + delta, key, value, headers))
    except (IndexError, ValueError):
        return None
    return records if at == len(data) else None


def _headers(data: bytes, at: int) -> tuple[Headers, int]:
    if data.startswith(_SEQ, at):
        seq, behind = _bytes(data, at + 5)
        if data.startswith(_HASH, behind):
            return [("seq", seq), ("hash", data[behind + 6 : behind + 38])], behind + 38
    count, at = _number(data, at)
    headers: Headers = []
    for _ in range(count):
        name, at = _bytes(data, at)
        value, at = _bytes(data, at)
        if name is None:
            raise ValueError("a header without a name")
        headers.append((name.decode(), value))
    if count < 0:
        raise ValueError("fewer headers than none")
    return headers, at


def _bytes(data: bytes, at: int) -> tuple[bytes | None, int]:
    size, at = _number(data, at)
    return (None, at) if size < 0 else (data[at : at + size], at + size)


def _number(data: bytes, at: int) -> tuple[int, int]:
    low = data[at]
    if low < 0x80:
        return (low >> 1) ^ -(low & 1), at + 1
    high = data[at + 1]
    if high < 0x80:
        low += (high - 1) << 7
        return (low >> 1) ^ -(low & 1), at + 2
    number: tuple[int, int] = decode_varint(data, at)
    return number


def unpacked(codec: int, data: bytes, most: int = MOST_UNPACKED) -> bytes | None:
    """Return the bytes of a compressed batch, or of its beginning, one byte more than `most` (None: the client must unpack it).

    Of snappy, which states its size, nothing is unpacked here.
    """
    stream = io.BytesIO(data)
    try:
        if codec == DefaultRecordBatch.CODEC_GZIP:
            return gzip.GzipFile(fileobj=stream).read(most + 1)
        if codec == DefaultRecordBatch.CODEC_LZ4:
            return bytes(import_module("lz4.frame").LZ4FrameFile(stream).read(most + 1))
        if codec == DefaultRecordBatch.CODEC_ZSTD:
            from zstandard import ZstdDecompressor

            return bytes(ZstdDecompressor().stream_reader(stream, read_across_frames=True).read(most + 1))
        return bytes(most + 1) if _snappy_size(data) > most else None
    except Exception:  # a library that is missing, or bytes that do not unpack: the client says so in its own words
        return None


def _snappy_size(data: bytes) -> int:
    """Return the size that snappy states of its blocks; these follow one another in a stream of the Java library."""
    if not data.startswith(b"\x82SNAPPY\x00"):
        return _stated(data, 0)
    size, at = 0, 16
    while at < len(data):
        size += _stated(data, at + 4)
        at += 4 + int.from_bytes(data[at : at + 4], "big")
    return size


def _stated(data: bytes, at: int) -> int:
    size = 0
    for shift in range(0, 35, 7):
        size |= (data[at] & 0x7F) << shift
        if data[at] < 0x80:
            break
        at += 1
    return size


class _Batch(DefaultRecordBatch):
    """A batch with one item, whose value is the list of all its records."""

    __slots__ = DefaultRecordBatch.__slots__[:0]
    _buffer: bytes | bytearray
    _pos: int
    _decompressed: bool

    def __iter__(self) -> Iterator[Any]:
        if self.compression_type and not self._decompressed:
            self._assert_has_codec(self.compression_type)
            data = unpacked(self.compression_type, bytes(self._buffer[self._pos :]))
            if data is not None and len(data) > MOST_UNPACKED:
                return iter([_Whole([ReadMessage(self.base_offset, None, None, [TOO_LARGE])])])
            if data is not None:
                self._buffer, self._pos, self._decompressed = bytearray(data), 0, True
        each_by_itself = super().__iter__()  # which decompresses it if that was not done
        records = decoded(bytes(self._buffer), self._pos, self.base_offset, self.records_count)
        return each_by_itself if not records else iter([_Whole(records)])


class _Whole:
    """All records of a batch, in the place of one record of the client."""

    key, headers, checksum, timestamp, timestamp_type, size_in_bytes = None, (), None, 0, 0, 0

    def __init__(self, records: list[ReadMessage]) -> None:
        self.value, self.offset = records, records[0].offset

    def validate_crc(self) -> bool:
        """Return true: the checksum of the batch was checked."""
        return True


class _Batches:
    """The batches of a fetch; those with our records return them all at once."""

    def __init__(self, batches: Any) -> None:
        self._batches = batches

    def next_batch(self) -> Any:
        """Return the next batch, None after the last."""
        batch = self._batches.next_batch()
        if type(batch) is DefaultRecordBatch and not batch.is_control_batch:
            batch.__class__ = _Batch
        return batch


class FetchedRecords(Fetcher.PartitionRecords):
    """A partition's fetched records, one by one, in the form of the client's fetcher."""

    def _unpack_records(self, tp: Any, records: Any, *deserializers: Any) -> Iterator[Any]:
        for each in super()._unpack_records(tp, _Batches(records), *deserializers):
            if type(each.value) is not list:
                yield ReadMessage(each.offset, each.key, each.value, each.headers)
                continue
            for record in each.value:
                self.next_fetch_offset = record.offset + 1
                yield record
