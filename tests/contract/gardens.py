"""Where the contents of a log are stored as somebody leaves them who rules over the storage: without any high-water file."""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import apsw

from events.errors import BrokenSeal
from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.client import Cluster, TopicPartition
from events.kafka.log import KafkaLog
from events.kafka.topics import IDENTITY_PARTITION, parse_address, partition_of
from events.kafka.transactions import OutgoingRecord
from events.log.contract import CheckpointStore, EventLog, Record
from events.proofs.verify import Break, VerificationReport, verify
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog
from events.sqlite.repeats import enter_restored
from events.vocabulary.codec import canonical
from tests.contract.backends import PROPERTY
from tests.contract.sealed import LOG_ID, Contents
from tests.kafka_broker import new_address

PARTITIONS = 2
TIMEOUT_S = 60.0
"""Nothing here waits for a broker to fail: on a busy machine it may take its time."""
BEDS = 16
"""Prefixes whose topics are made at once."""


class PlantedLog(NamedTuple):
    """What was planted, open for reading."""

    log: EventLog
    checkpoints: CheckpointStore


class Garden(Protocol):
    """A place where contents are planted, each for itself, as somebody who rules over the storage would leave them."""

    def plant(self, folder: Path, contents: Contents) -> contextlib.AbstractContextManager[PlantedLog]: ...
    def close(self) -> None: ...


class SqliteGarden:
    """Plants in SQLite files."""

    @contextlib.contextmanager
    def plant(self, folder: Path, contents: Contents) -> Iterator[PlantedLog]:
        folder.mkdir(exist_ok=True)
        path, checkpoints = folder / "planted.db", folder / "planted.db.checkpoints"
        SqliteLog(path, property_id=PROPERTY, create=True, log_id=LOG_ID).close()
        SqliteCheckpoints(checkpoints, log_id=LOG_ID).close()
        with contextlib.closing(apsw.Connection(str(path))) as connection, connection:
            rows = [(stream, each.seq, each.data, each.hash) for stream, all_ in contents.events.items() for each in all_]
            connection.executemany("INSERT INTO events (stream, seq, data, hash) VALUES (?, ?, ?, ?)", rows)
            for row in rows:
                with contextlib.suppress(BrokenSeal):  # what is no event has no place in the index of repeats
                    enter_restored(connection, [Record(*row)])
        with contextlib.closing(apsw.Connection(str(checkpoints))) as connection, connection:
            numbered = enumerate(contents.batches, 1)  # the numbers only order them
            connection.executemany("INSERT INTO checkpoints VALUES (?, ?)", numbered)
        for file in folder.glob("planted.db*.high-water"):
            file.unlink()
        log = SqliteLog(path, read_only=True, check_heads=False)
        store = SqliteCheckpoints(checkpoints, log_id=LOG_ID, read_only=True)
        with contextlib.closing(log), contextlib.closing(store):
            yield PlantedLog(log, store)

    def close(self) -> None:
        """Nothing is left open."""


class KafkaGarden:
    """Plants on a broker, each log under a prefix of its own; the topics of many are made at once, which is quicker."""

    def __init__(self) -> None:
        bootstrap, self._name = parse_address(new_address())
        self._address = f"kafka://{bootstrap}"
        self._cluster = Cluster(bootstrap, timeout_s=TIMEOUT_S)
        self._free: list[str] = []
        self._made = 0
        self._resources = contextlib.ExitStack()
        self._reader = self._resources.enter_context(contextlib.closing(self._cluster.reader()))
        self._writer = self._resources.enter_context(contextlib.closing(self._cluster.writer(f"{self._name}.forger")))

    def _bed(self) -> str:
        """Return the prefix of topics that hold nothing yet."""
        if not self._free:
            self._free = [f"{self._name}-{number}" for number in range(self._made, self._made + BEDS)]
            self._made += BEDS
            partitions = {"events": PARTITIONS, "reviews": 1, "checkpoints": 1, "quarantine": 1, "state": 2}
            topics = {f"{prefix}.{name}": (number, {}) for prefix in self._free for name, number in partitions.items()}
            self._cluster.create_topics(topics, 1)
        return self._free.pop()

    @contextlib.contextmanager
    def plant(self, folder: Path, contents: Contents) -> Iterator[PlantedLog]:
        prefix = self._bed()
        identity = canonical({"log_id": LOG_ID, "partitions": PARTITIONS, "property_id": PROPERTY})
        records = [OutgoingRecord(f"{prefix}.state", IDENTITY_PARTITION, b"log", identity, [])]
        records += [
            OutgoingRecord(
                f"{prefix}.events",
                partition_of(stream, PARTITIONS),
                stream.encode(),
                each.data,
                [("seq", b"%d" % each.seq), ("hash", each.hash)],
            )
            for stream, all_ in contents.events.items()
            for each in all_
        ]
        records += [
            OutgoingRecord(f"{prefix}.checkpoints", 0, b"%d" % number, batch, [])
            for number, batch in enumerate(contents.batches, 1)
        ]
        self._writer.transact(records)
        for lane, offset in {
            TopicPartition(r.topic, r.partition): o for r, o in zip(records, self._writer.offsets, strict=True)
        }.items():
            self._reader.await_visible(lane, offset)
        address = f"{self._address}/{prefix}"
        log = KafkaLog(address, read_only=True, check_heads=False, state_dir=folder, timeout_s=TIMEOUT_S)
        with contextlib.closing(log):
            store = KafkaCheckpoints(address, log_id=LOG_ID, read_only=True, state_dir=folder, timeout_s=TIMEOUT_S)
            with contextlib.closing(store):
                yield PlantedLog(log, store)

    def close(self) -> None:
        self._resources.close()


GARDENS: dict[str, Callable[[], Garden]] = {"sqlite": SqliteGarden, "kafka": KafkaGarden}


def walk(garden: Garden, folder: Path, contents: Contents, **known: object) -> VerificationReport:
    with garden.plant(folder, contents) as (log, store):
        return verify(log, checkpoints=store, **known)


def named(report: VerificationReport) -> tuple[str, int, str]:
    """Where and what the first break is."""
    assert not report.ok
    found: Break | None = report.first_break
    assert found is not None
    return found.stream, found.seq, found.kind
