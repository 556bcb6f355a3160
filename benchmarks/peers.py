"""The bare peers: what the library underneath does with the same bytes, without any of the log's guarantees in code."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import apsw
import msgspec

from events.log.contract import Record

with warnings.catch_warnings():  # the client reads its message schemas by a deprecated function
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka

CHUNK = 4096
CHAIN_TAG = b"rack/chain/v1\0"
SLOT = b"\0" * 96


class Stored(msgspec.Struct, frozen=True):
    """All rows of a log in SQLite, as they are stored, to be stored again: table by table, in the order of appending."""

    schema: str
    reports: list[tuple[Any, ...]]
    event_ids: list[tuple[Any, ...]]
    events: list[tuple[Any, ...]]


def stored(path: Path) -> Stored:
    """Read a log's schema and rows back."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    schema = ";".join(str(sql) for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    events: list[Any] = connection.execute("SELECT stream, seq, data, hash FROM events ORDER BY pos").fetchall()
    raws = [msgspec.json.decode(data) for _, _, data, _ in events]
    reports = [
        (raw["stream"], raw["source"], raw["source_seq"], sha256(row[2]).digest(), row[1])
        for raw, row in zip(raws, events, strict=True)
    ]
    ids = [(raw["stream"], bytes.fromhex(raw["event_id"]), seq) for raw, (_, seq, *_) in zip(raws, events, strict=True)]
    connection.close()
    return Stored(schema, reports, ids, events)


def sqlite_append(path: Path, rows: Stored, sizes: Iterable[int]) -> None:
    """Insert pre-encoded rows by the same schema and settings; after each commit one write and one fsync elsewhere."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode=WAL").fetchall()
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA cache_size=-65536")
    connection.execute(rows.schema)
    mark = os.open(path.with_suffix(".mark"), os.O_RDWR | os.O_CREAT, 0o644)
    os.posix_fallocate(mark, 0, 4_000_000)
    os.fsync(mark)
    at = 0
    for number, size in enumerate(sizes):
        span = slice(at, at + size)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT OR IGNORE INTO reports VALUES (?, ?, ?, ?, ?)", rows.reports[span])
        connection.executemany("INSERT OR IGNORE INTO event_ids VALUES (?, ?, ?)", rows.event_ids[span])
        connection.executemany("INSERT INTO events (stream, seq, data, hash) VALUES (?, ?, ?, ?)", rows.events[span])
        connection.execute("COMMIT")
        os.pwrite(mark, SLOT, number * len(SLOT))
        os.fdatasync(mark)
        at += size
    os.close(mark)
    connection.close()


def _chunks(path: Path) -> Iterator[list[Any]]:
    """Fetch every row as the log does: by position, this many at a time."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    pos: Any = 0
    sql = "SELECT pos, stream, seq, data, hash FROM events WHERE pos > ? ORDER BY pos LIMIT ?"
    while rows := connection.execute(sql, (pos, CHUNK)).fetchall():
        yield rows
        pos = rows[-1][0]
    connection.close()


def sqlite_select(path: Path) -> int:
    """Fetch every row."""
    return sum(len(rows) for rows in _chunks(path))


def sqlite_select_and_hash(path: Path) -> int:
    """Fetch every row and hash it after the one before; nothing is compared."""
    count = 0
    heads: dict[str, bytes] = {}
    for rows in _chunks(path):
        for _, stream, _, data, _ in rows:
            heads[stream] = sha256(CHAIN_TAG + heads.get(stream, b"") + data).digest()
        count += len(rows)
    return count


def sqlite_select_and_decode(path: Path) -> int:
    """Fetch every row and parse its JSON into dictionaries, unchecked."""
    count = 0
    decode = msgspec.json.Decoder().decode
    for rows in _chunks(path):
        for row in rows:
            decode(row[3])
        count += len(rows)
    return count


def kafka_poll(bootstrap: str, topic: str, expected: int) -> int:
    """Poll a topic from its beginning with kafka-python alone, committed records only, until this many came."""
    consumer = kafka.KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=None,
        isolation_level="read_committed",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
        max_poll_records=4000,
        max_partition_fetch_bytes=4 * 1024 * 1024,
        metrics_enabled=False,
    )
    partitions = [kafka.TopicPartition(topic, number) for number in consumer.partitions_for_topic(topic) or ()]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    count = 0
    while count < expected:
        for messages in consumer.poll(timeout_ms=200).values():
            for message in messages:
                count += message.value is not None
    consumer.close()
    return count


def kafka_append(
    bootstrap: str, topic: str, groups: Sequence[Sequence[Record]], partition: dict[str, int], folder: Path
) -> None:
    """Send pre-encoded records by kafka-python alone with the same settings: a transaction a group, then one fsync."""
    producer = kafka.KafkaProducer(
        bootstrap_servers=bootstrap,
        acks="all",
        enable_idempotence=True,
        compression_type="zstd",
        batch_size=256 * 1024,
        linger_ms=20,
        transactional_id=f"{topic}.bare",
        metrics_enabled=False,
    )
    producer.init_transactions()
    mark = os.open(folder / "bare.mark", os.O_RDWR | os.O_CREAT, 0o644)
    for number, group in enumerate(groups):
        producer.begin_transaction()
        for record in group:
            headers = [("seq", str(record.seq).encode()), ("hash", record.hash)]
            producer.send(topic, record.data, record.stream.encode(), headers, partition[record.stream])
        producer.flush()
        producer.commit_transaction()
        os.pwrite(mark, SLOT, number * len(SLOT))
        os.fdatasync(mark)
    os.close(mark)
    producer.close()


def grouped(records: Iterable[Record], sizes: Iterable[int]) -> Iterator[list[Record]]:
    """Part records into groups of these sizes."""
    waiting = iter(records)
    for size in sizes:
        yield [next(waiting) for _ in range(size)]
