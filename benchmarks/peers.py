"""The bare peers: the underlying library on the same bytes, without any of the log's guarantees."""

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import apsw
import msgspec

from events.log.contract import Record
from events.sqlite.log import SqliteLog

with warnings.catch_warnings():  # the client reads its message schemas by a deprecated function
    warnings.simplefilter("ignore", DeprecationWarning)
    import kafka

CHUNK = 4096
CHAIN_TAG = b"rack/chain/v1\0"
SLOT = b"\0" * 96


class Stored(msgspec.Struct, frozen=True):
    """The events of a log in SQLite, one row each, with their index rows, to be stored again in order."""

    schema: str
    reports: list[tuple[Any, ...]]
    event_ids: list[tuple[Any, ...]]
    events: list[tuple[Any, ...]]


def stored(path: Path) -> Stored:
    """Read a log's schema and events back."""
    with closing(SqliteLog(path, read_only=True)) as log:
        read = [record for batch in log.tail({}) for record in batch]
    events = [(record.stream, record.seq, record.data, record.hash) for record in read]
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
        sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL"
        schema = ";".join(str(sql) for (sql,) in connection.execute(sql))
        names = {name: number for number, name in connection.execute("SELECT id, name FROM names")}
        index = [
            {(row[0], row[-1]): row for row in connection.execute(f"SELECT * FROM {table}")} for table in ("reports", "event_ids")
        ]
    reports, ids = ([rows[names[stream], seq] for stream, seq, *_ in events] for rows in index)
    return Stored(schema, reports, ids, events)


def by_row(path: Path) -> Path:
    """Return a file next to a log with the same events, each in a row of its own; make it if it is missing."""
    bare = path.with_name(path.name + "-rows")
    if not bare.exists():
        rows = stored(path)
        sqlite_append(bare, rows, [len(rows.events)])
    return bare


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


def kafka_append(bootstrap: str, topic: str, groups: Sequence[Sequence[Record]], partition: dict[str, int], folder: Path) -> None:
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
    """Split records into groups of these sizes."""
    waiting = iter(records)
    for size in sizes:
        yield [next(waiting) for _ in range(size)]


# --------------------------------------------------------------------------------------------- the encoding taken out
#
# A log seals an event when it knows its number, so that its bytes cannot be made by who appends. Here the sealed records and
# the digests of reports of one append are kept, and handed out again while the same drafts are appended to another log with
# the same id and the same clock, whose bytes are therefore the same; everything else runs as ever.

LOG_ID = "0b" * 16
NOW_US = 1_800_000_000_000_000
NAMES = ("place", "report_digest")


def clock() -> int:
    """Return the time at which everything is appended, in microseconds."""
    return NOW_US


class Encoded:
    """The encoded results of a backend's module (`events.sqlite.log`, `events.kafka.partition_writer`), in order."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module
        self._kept: dict[str, list[Any]] = {}

    @contextmanager
    def keep(self) -> Iterator[None]:
        """Record the encoded results during the block."""
        self._kept = {name: [] for name in NAMES}
        keeping: dict[str, Any] = {name: _keeping(getattr(self._module, name), self._kept[name]) for name in NAMES}
        with patch.multiple(self._module, **keeping):
            yield

    @contextmanager
    def hand_out(self) -> Iterator[None]:
        """Return the recorded results in order during the block. Raises `RuntimeError` if some are left."""
        waiting = {name: iter(kept) for name, kept in self._kept.items()}
        placed, digest = waiting["place"].__next__, waiting["report_digest"].__next__
        handing: dict[str, Any] = {  # with the parameters of what they stand for: taking any would cost time
            "place": lambda state, draft, *, log_id, property_id, stream, now_us: placed(),
            "report_digest": lambda draft: digest(),
        }
        with patch.multiple(self._module, **handing):
            yield
        if any(next(each, None) is not None for each in waiting.values()):
            raise RuntimeError("fewer events were appended than were encoded beforehand")


def _keeping(encode: Callable[..., Any], kept: list[Any]) -> Callable[..., Any]:
    def call(*arguments: Any, **options: Any) -> Any:
        kept.append(encode(*arguments, **options))
        return kept[-1]

    return call
