"""Makes checkpoints: reads a log, states where its streams end, signs, and never contradicts what it signed before.

It reads every event once, from the first on, and so holds the whole log against its own earlier statements before it signs
anything new. What it signed last stands in three places: in the store, in the store's high-water file, and in a file
beside the key (`memory_of`); where the store contradicts either memory, or the log the store, it refuses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from events.checkpoint import Checkpoint, origin_of, sign_checkpoint
from events.errors import AppendRefused
from events.high_water import HighWater
from events.history import History, Mark, StreamHeads
from events.keys import PROPERTY_STREAM, KeyRing
from events.log import CheckpointStore, Clock, EventLog, Head, Record
from events.notes import Signer
from events.statements import CHECKPOINTS, Batch, Statement, TimeStatement

POLL_S = 1.0
HASTE = 0.75
"""Which part of the promised time may pass before the next checkpoint is made: the rest is for what delays it."""


def memory_of(key_file: Path, log_id: str) -> HighWater:
    """Return what remembers, beside a key file, the last checkpoint of a log that was signed with it."""
    return HighWater(key_file.with_name(f"{key_file.name}.{log_id[:8]}.signed"), log_id)


class KeyNotInForce(AppendRefused):
    """The key may not sign for this log: it was never published there, or is retired."""


class Checkpointer:
    """Signs for one log. After any error it is of no use: make another one, which reads everything again.

    `memory` is the file beside the key; `within_s` is how soon each checkpoint promises the next (null: no promise). Raises
    `IntegrityError` wherever signing on would contradict what was signed.
    """

    def __init__(
        self, log: EventLog, store: CheckpointStore, signer: Signer, memory: HighWater, *, clock: Clock,
        within_s: int | None = None,
    ) -> None:  # fmt: skip
        self._log, self._store, self._signer, self._memory = log, store, signer, memory
        self._clock, self._within_s = clock, within_s
        self._keys = KeyRing()
        history = History(origin_of(log.log_id, log.property_id), self._marks())
        for data in store.batches():
            history.take(data)
        history.end()
        self._ledger = history.ledger
        self._streams = {stream: StreamHeads(stream, stated) for stream, stated in history.stated.items()}
        self.pending = 0
        """How many events no checkpoint covers yet."""

    def read(self) -> int:
        """Read the log to its present end; return how many events were read."""
        return sum(self._take(batch) for batch in self._log.tail(self._positions()))

    def sign(self, *, last: bool = False) -> Checkpoint:
        """Make a checkpoint over what was read, even where nothing is new, and store it durably.

        The `last` one before the process ends promises no other.
        """
        for stream in self._streams.values():
            stream.end()
        key = self._signer.public_key
        size = self._streams[PROPERTY_STREAM].size if PROPERTY_STREAM in self._streams else 0
        if key not in self._keys.in_force(size):
            raise KeyNotInForce(
                f"the key {key.name} ({key.id.hex()}) is not in force in this log: publish it (`rack keys new`), or sign "
                "with the one that is (`rack keys list`)"
            )
        before, statements = self._ledger.size, list[Statement]()
        for name, stream in sorted(self._streams.items()):
            stated = self._ledger.heads.get(name)
            if stated is None or stated.size < stream.size:
                statements.append(stream.statement())
        events = sum(stream.size for stream in self._streams.values())
        at_us = max(self._clock(), self._ledger.time.at_us if self._ledger.time else 0)
        statements.append(TimeStatement(at_us=at_us, events=events, within_s=None if last else self._within_s))
        checkpoint = self._ledger.extend(statements)
        batch = Batch.of(statements, sign_checkpoint(checkpoint, self._signer))
        head = Head(checkpoint.size, checkpoint.root)
        self._memory.reserve(1)
        self._store.append(before, batch.encode(), head)
        self._memory.record({CHECKPOINTS: head})
        self.pending = 0
        return checkpoint

    def follow(self, every: int, within_s: float, stopped: Callable[[], bool]) -> Iterator[Checkpoint]:
        """Go on with what is appended: a checkpoint after so many events, and in good time before so many seconds have passed.

        Ends with a last one when `stopped` says so.
        """
        made, wait_s = time.monotonic(), HASTE * within_s
        for batch in self._log.tail(self._positions(), wait_s=min(POLL_S, wait_s)):
            self._take(batch)
            if stopped():
                break
            if self.pending >= every or time.monotonic() - made >= wait_s:
                yield self.sign()
                made = time.monotonic()
        yield self.sign(last=True)

    def _marks(self) -> Iterator[Mark]:
        for head, by in ((self._store.acknowledged(), "its high-water file"), (self._remembered(), "the key's memory")):
            if head is not None:
                yield Mark(head, by)

    def _remembered(self) -> Head | None:
        return self._memory.load().get(CHECKPOINTS)

    def _positions(self) -> dict[str, int]:
        return {name: stream.size for name, stream in self._streams.items()}

    def _take(self, records: Iterable[Record]) -> int:
        count = 0
        for record in records:
            if record.stream not in self._streams:
                self._streams[record.stream] = StreamHeads(record.stream)
            self._streams[record.stream].take(record.data, record.hash)
            if record.stream == PROPERTY_STREAM:
                self._keys.take(record)
            count += 1
        self.pending += count
        return count
