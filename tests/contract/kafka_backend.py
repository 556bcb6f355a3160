"""Kafka as a backend of the contract suite: a log of its own on the session's broker."""

from pathlib import Path
from typing import Any

from events.kafka.checkpoints import KafkaCheckpoints
from events.kafka.log import KafkaLog
from events.log.contract import CheckpointStore, EventLog
from tests.contract.backends import BACKENDS, PROPERTY, Tamper
from tests.contract.drafts import TABLE, Drafts
from tests.kafka_broker import new_address


class KafkaBackend:
    """What Kafka has stored is damaged in `tests/kafka` instead: a broker takes nothing back."""

    def __init__(self, folder: Path) -> None:
        self.address = new_address()
        self.folder = folder
        self.tamper: Tamper | None = None
        self.writer: KafkaLog | None = None
        self.opened: list[KafkaLog | KafkaCheckpoints] = []

    def create(self, **options: Any) -> EventLog:
        self.writer = self._open(property_id=PROPERTY, create=True, partitions=2, **options)
        return self.writer

    def reopen(self, **options: Any) -> EventLog:
        if self.writer is not None:
            self.writer.close()
        self.writer = self._open(**options)
        return self.writer

    def open_second(self) -> EventLog:
        """Opening takes no right to write; the first append does."""
        second = self._open()
        second.append(TABLE, second.head(TABLE).seq + 1, [Drafts().wager()])
        return second

    def open_reader(self, **options: Any) -> EventLog:
        return self._open(read_only=True, **options)

    def open_checkpoints(self, log_id: str, **options: Any) -> CheckpointStore:
        store = KafkaCheckpoints(self.address, log_id=log_id, state_dir=self.folder, **options)
        self.opened.append(store)
        return store

    def close(self) -> None:
        for log in self.opened:
            log.close()

    def _open(self, **options: Any) -> KafkaLog:
        log = KafkaLog(self.address, state_dir=self.folder, **options)
        self.opened.append(log)
        return log


BACKENDS["kafka"] = KafkaBackend
