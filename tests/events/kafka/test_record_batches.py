"""A batch decoded at once is what the client decodes record by record, or is left to the client: whatever its bytes are."""

import gzip
import struct
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.kafka.client import TopicPartition
from events.kafka.partition_reader import TOO_LARGE, why_unreadable
from events.kafka.record_batches import MOST_UNPACKED, FetchedRecords, ReadMessage, decoded

LANE = TopicPartition("rack.events", 0)
EVENT = [("seq", b"14"), ("hash", bytes(range(32)))]
HEADERS = [
    EVENT,
    [],
    [("seq", None), ("hash", bytes(32))],
    [("seq", b"1")],
    [("seq", b"1"), ("hash", b"short")],
    [("hash", bytes(32)), ("seq", b"1")],
    [("seq", b"9" * 70), ("hash", bytes(32)), ("hash", bytes(32))],
    [("kind", b"findings"), ("größe", b"")],
]
VALUES = (b"{}", b"", None, b"x" * 63, b"x" * 64, b"x" * 8191, b"x" * 8192, b"x" * 70_000)
KEYS = (b"table/fu-01", b"table/fu-01", b"", None, b"k" * 64, b"\xff")
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}

Row = tuple[int, int, bytes | None, bytes | None, list[tuple[str, bytes | None]]]


def built(rows: list[Row], codec: str = "none", *, transactional: bool = False) -> bytes:
    """Return records (offset, time, key, value, headers) as a batch in a topic, as the client makes it."""
    records = import_module("kafka.record.default_records")
    builder = records.DefaultRecordBatchBuilder(2, CODECS[codec], transactional, 7, 0, 0, 1 << 30)
    for offset, at, key, value, headers in rows:
        builder.append(offset, at, key, value, headers)
    return bytes(builder.build())


def batch_of(data: bytes) -> Any:
    return import_module("kafka.record.default_records").DefaultRecordBatch(data)


def by_the_client(data: bytes) -> list[ReadMessage] | None:
    """Return what the client decodes; None if it refuses anything."""
    try:
        return [ReadMessage(each.offset, each.key, each.value, each.headers) for each in batch_of(data)]
    except import_module("kafka.errors").CorruptRecordError:
        return None


def fetched(data: bytes, at: int, *, aborted: list[Any] | None = None, most: int = 10**6) -> list[list[ReadMessage]]:
    """Return what a fetch of these bytes gives from an offset on, so many records at a time."""
    level = import_module("kafka.protocol.consumer").IsolationLevel.READ_COMMITTED
    memory = import_module("kafka.record").MemoryRecords(data)
    part = FetchedRecords(at, LANE, memory, isolation_level=level, aborted_transactions=aborted)
    parts = []
    while part:
        parts.append(part.take(most))
        if parts[-1]:
            assert part.next_fetch_offset > parts[-1][-1].offset
            assert not part or len(parts[-1]) < most or part.next_fetch_offset == parts[-1][-1].offset + 1
    return parts


rows = st.lists(
    st.tuples(
        st.integers(0, 2**31 - 1), st.integers(0, 2**40), st.sampled_from(KEYS), st.sampled_from(VALUES), st.sampled_from(HEADERS)
    ),
    min_size=1,
    max_size=5,
)


@given(rows, st.randoms(use_true_random=False))
def test_it_gives_what_the_client_gives_or_nothing(these: list[Row], random: Random) -> None:
    whole = built(these)
    batch = batch_of(whole)
    assert decoded(whole, batch._pos, 0, len(these)) == by_the_client(whole)
    for _ in range(20):
        changed = bytearray(whole)
        for _ in range(random.randint(1, 3)):
            place = random.randrange(batch._pos, min(len(changed), batch._pos + 200))
            changed[place] = random.choice((0, 1, 2, 0x3F, 0x40, 0x7F, 0x80, 0xFF, changed[place] ^ 1))
        data = bytes(changed[: random.choice((len(changed), len(changed), len(changed) - 1))])
        found = decoded(data, batch._pos, 0, len(these))
        assert found is None or found == by_the_client(data)


@pytest.mark.parametrize("codec", CODECS)
def test_a_fetch_begins_and_stops_in_the_middle_of_a_batch(codec: str) -> None:
    first: list[Row] = [(number, 0, b"table/fu-01", b"x" * 300, EVENT) for number in range(5)]
    second: list[Row] = [(number, 0, None, b"x", []) for number in range(2)]
    data = built(first, codec) + built(second, codec)
    expected = [(2, EVENT), (3, EVENT), (4, EVENT), (0, []), (1, [])]
    for most in (1, 2, 3, 5, 100):
        found = [each for part in fetched(data, 2, most=most) for each in part]
        assert [(each.offset, each.headers) for each in found][:3] == expected[:3]
    assert all(type(each) is ReadMessage for each in found)


def test_a_fetch_leaves_out_what_was_aborted() -> None:
    aborted_of = import_module("kafka.protocol.consumer.fetch").FetchResponse.FetchableTopicResponse
    transaction = aborted_of.PartitionData.AbortedTransaction(producer_id=7, first_offset=0)
    data = built([(0, 0, b"k", b"x", EVENT)], transactional=True)
    assert [len(part) for part in fetched(data, 0)] == [1]
    assert sum(len(part) for part in fetched(data, 0, aborted=[transaction])) == 0


def test_a_name_that_is_no_text_is_left_to_the_client() -> None:
    whole = bytearray(built([(0, 0, b"k", b"x", EVENT)]))
    whole[whole.index(b"hash") : whole.index(b"hash") + 2] = b"\xff\xfe"
    assert decoded(bytes(whole), batch_of(bytes(whole))._pos, 0, 1) is None


BOMBS = {
    "gzip": lambda size: zlib.compress(bytes(size), 9, 31),
    "gzip of two members": lambda size: gzip.compress(b"x") + gzip.compress(bytes(size), 9),
    "lz4": lambda size: b"".join(lz4_parts(size)),
    "zstd": lambda size: import_module("zstandard").ZstdCompressor().compress(bytes(size)),
    "snappy": lambda size: import_module("snappy").compress(bytes(size)),
    "snappy stream": lambda size: b"\x82SNAPPY\x00" + bytes(8) + 4 * (block(size // 4)),
    "snappy that only states a size": lambda size: b"\xff\xff\xff\xff\x0f",
}


def block(size: int) -> bytes:
    data = bytes(import_module("snappy").compress(bytes(size)))
    return len(data).to_bytes(4, "big") + data


def lz4_parts(size: int) -> Iterator[bytes]:
    with import_module("lz4.frame").LZ4FrameCompressor() as packer:
        yield packer.begin()
        for _ in range(size // 2**20):
            yield packer.compress(bytes(2**20))
        yield packer.flush()


def with_content(codec: str, content: bytes) -> bytes:
    """Return a batch of one record at offset 0 whose compressed bytes are these, with the right size and checksum."""
    records = import_module("kafka.record.default_records")
    whole = bytearray(built([(0, 0, b"k", b"x" * 300, EVENT)], codec))
    head = whole[: batch_of(bytes(whole))._pos]
    struct.pack_into(">i", head, 8, len(head) + len(content) - 12)
    head[21:23] = struct.pack(">h", CODECS[codec])
    struct.pack_into(">I", head, 17, records.calc_crc32c(bytes(head[21:]) + content))
    return bytes(head) + content


@pytest.mark.parametrize("kind", BOMBS)
def test_what_unpacks_to_gigabytes_is_one_record_that_is_not_read(kind: str) -> None:
    """Whoever may write to a topic ends no reader: the batch is passed over, and what follows it is read."""
    bomb = with_content(kind.split()[0], BOMBS[kind](256 * 2**20))
    assert len(bomb) < 16 * 2**20
    after = built([(0, 0, b"k", b"x", EVENT)])
    tracemalloc.start()
    found = [each for part in fetched(bomb + after, 0) for each in part]
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * MOST_UNPACKED
    assert [each.headers for each in found] == [[TOO_LARGE], EVENT]
    assert why_unreadable(found[0].headers)


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
def test_a_batch_below_the_bound_is_read(codec: str) -> None:
    whole = built([(0, 0, b"k", b"x" * (8 * 2**20), EVENT)], codec)
    assert [len(each.value or b"") for part in fetched(whole, 0) for each in part] == [8 * 2**20]


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "none"])
def test_what_does_not_unpack_is_refused_as_the_client_refuses_it(codec: str) -> None:
    data, refused = with_content(codec, b"\x00garbage" * 9), list[type]()
    readers: list[Callable[[], object]] = [lambda: fetched(data, 0), lambda: list(batch_of(data))]
    for read in readers:
        try:
            read()
        except Exception as error:  # whichever the client raises
            refused.append(type(error))
    assert len(refused) == 2
    assert refused[0] is refused[1]
