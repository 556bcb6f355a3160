"""The checkpoints of a log on Kafka: `<prefix>.checkpoints`, one record for each, keyed by the number of statements.

One process adds checkpoints, as the owner of a transactional id. It fences its predecessor, which then gets `SecondWriter`. The
first record that continues the earlier ones counts; an identical later one is a repeat and dropped. The high-water file is in
`state_dir`, as are those of the log.
"""

import os
import re
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from events.errors import AppendRefused, LogUnavailable, OwnerUnknown, SecondWriter, WrongSequence
from events.kafka.bookmarks import STATE_DIR
from events.kafka.client import Cluster, TopicPartition
from events.kafka.foreign_records import foreign_checkpoint
from events.kafka.leftovers import decide_leftovers
from events.kafka.topic_settings import refuse_faults, store_faults
from events.kafka.topics import identify, parse_address
from events.kafka.transactions import CommitUnknown, OutgoingRecord, TransactionalWriter, WriterFenced
from events.log.contract import Head
from events.log.high_water import HighWater
from events.log.lock import take_lock
from events.proofs.statements import CHECKPOINTS

_SIZE = re.compile(r"[0-9]{1,16}", re.ASCII)


class KafkaCheckpoints:
    """The checkpoints of a log on Kafka (see `events.log.contract.CheckpointStore`), at the log's own address."""

    def __init__(
        self,
        address: str,
        *,
        log_id: str,
        read_only: bool = False,
        state_dir: Path | str = STATE_DIR,
        timeout_s: float = 30.0,
        security: Mapping[str, Any] | None = None,
        if_free: bool = False,
    ) -> None:
        bootstrap, prefix = parse_address(address)
        self.address, self._read_only, self._writer_id = address, read_only, f"{prefix}.checkpoints"
        self._lane = TopicPartition(f"{prefix}.checkpoints", 0)
        self._cluster = Cluster(bootstrap, timeout_s=timeout_s, security=security)
        self._high_water = HighWater(Path(state_dir) / f"{prefix}.checkpoints.high-water", log_id)
        self._places: deque[tuple[int, int]] = deque(maxlen=2)  # sizes and offsets of the last batches that were read
        self._last = 0  # no one else adds anything once the right to write is ours
        self._writer: TransactionalWriter | None = None
        self._lock: int | None = None
        if if_free and not read_only:
            self._refuse_politely()
        self._cluster.probe()
        self._reader = self._cluster.reader()
        try:
            identity = identify(self._reader, address, None)
            if not read_only:
                refuse_faults(store_faults(self._cluster, prefix, identity.partitions))
                self._high_water.path.parent.mkdir(parents=True, exist_ok=True)
                self._lock = take_lock(self._high_water.path)
                self._writer = self._cluster.writer(self._writer_id)
                decide_leftovers(self._cluster, self._reader, self._writer, [self._lane], 0.0)
                kept = (each for each in self._reader.scan(self._lane, 0) if foreign_checkpoint(each) is None)
                sizes = (_covered_size(message.key) for message in kept)
                self._last = max((size for size in sizes if size is not None), default=0)
        except BaseException as error:
            self.close()
            if isinstance(error, WriterFenced):
                raise SecondWriter(f"another process took the right to write checkpoints at {address}") from error
            if isinstance(error, CommitUnknown):
                raise LogUnavailable(f"Kafka did not end what an earlier checkpointer left open: {error}") from error
            raise

    def _refuse_politely(self) -> None:
        """Raise `SecondWriter` if a process that shares our folder signs; otherwise `OwnerUnknown`, since one elsewhere may."""
        self._high_water.path.parent.mkdir(parents=True, exist_ok=True)
        os.close(take_lock(self._high_water.path))
        raise OwnerUnknown(
            f"whether another process signs at {self.address} cannot be known without ending its right to; "
            "`rack checkpoint` makes a checkpoint"
        )

    def batches(self, after: int = 0) -> Iterator[bytes]:
        """Yield the encoded batches after this many statements, in order, without repeats."""
        previous: tuple[bytes | None, bytes | None] = (None, None)
        start = next((offset for size, offset in self._places if size == after), 0)
        for message in self._reader.scan(self._lane, start):
            if foreign_checkpoint(message) is not None:
                continue
            this, size = (message.key, message.value), _covered_size(message.key)
            if this != previous and (size is None or size > after):  # what is not ours, is for the reader to refuse
                if size is not None:
                    self._places.append((size, message.offset))
                yield message.value or b""
            previous = this

    def append(self, before: int, data: bytes, head: Head) -> None:
        """Add an encoded batch durably (see `events.log.contract.CheckpointStore`).

        Raises `SecondWriter` if another process has taken over, `LogUnavailable` if there is no clear answer: a new checkpointer
        then finds out whether the batch was stored.
        """
        if self._writer is None or self._read_only:
            raise AppendRefused(f"the checkpoints at {self.address} are open for reading only, or were given up")
        if self._last != before:
            raise WrongSequence(CHECKPOINTS, before + 1, self._last + 1)
        try:
            self._high_water.reserve(1)
        except OSError as error:
            raise AppendRefused(f"{self._high_water.path}: {error.strerror}; no checkpoint was stored") from error
        try:
            self._writer.transact([OutgoingRecord(*self._lane, b"%d" % head.seq, data, [])])
            self._reader.await_visible(self._lane, self._writer.offsets[-1])
        except (WriterFenced, CommitUnknown) as error:
            self._writer.discard()
            self._writer = None
            if isinstance(error, WriterFenced):
                raise SecondWriter(f"another process writes the checkpoints at {self.address}") from error
            raise LogUnavailable(f"Kafka did not say whether the checkpoint was stored: {error}; start again") from error
        self._last = head.seq
        self._high_water.acknowledge(CHECKPOINTS, head)

    def acknowledged(self) -> Head | None:
        """Return the last checkpoint that was made on this machine."""
        return self._high_water.load().get(CHECKPOINTS)

    def close(self) -> None:
        """Release everything."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
        self._high_water.close()
        self._reader.close()


def _covered_size(key: bytes | None) -> int | None:
    """Return the size of the signed tree from the key of a checkpoint's record; None if the key is not one."""
    text = (key or b"").decode("ascii", "replace")
    return int(text) if _SIZE.fullmatch(text) else None
