"""Makes checkpoints: reads a log, states the ends of its streams, signs, and never contradicts its earlier signatures.

It reads every event once, from the first on, and so compares the whole log with its own earlier statements before it signs
anything new. Its last signature is in three places: in the store, in the store's high-water file, and next to the key
(`SigningMemory`); if the store contradicts one of these, or the log the store, it refuses.

Of the results next to the log, it states the heads of sound chains that continue its earlier statements. Others are named in
`result_faults`, and the streams are signed anyway: results can be judged again, events cannot.
"""

import time
from collections.abc import Callable, Iterable, Iterator

from events.errors import AppendRefused, PositionBroken, ResultBroken
from events.log.clock import AheadOfClock, is_ahead
from events.log.contract import CheckpointStore, Clock, EventLog, Head, Record, ResultStore
from events.proofs.checkpoint import Checkpoint, origin_of, sign_checkpoint
from events.proofs.history import History, Mark, StreamHeads
from events.proofs.keys import PROPERTY_STREAM, KeyRing
from events.proofs.signed_note import Signer
from events.proofs.signing_memory import SigningMemory, SigningRecord
from events.proofs.statements import CHECKPOINTS, CheckpointBatch, Statement, TimeStatement
from events.proofs.verify_results import statements_of

POLL_S = 1.0
RESULTS_EVERY_S = 600.0
"""Seconds between two statements about results, since each reads all of them again."""
HASTE = 0.75
"""The share of the promised time that may pass before the next checkpoint is made; the rest is for delays."""


class KeyNotInForce(AppendRefused):
    """The key may not sign for this log: it was never published there, or is retired."""


class Checkpointer:
    """Signs for one log. After any error it cannot be used: make another one, which reads everything again.

    `within_s` is how soon each checkpoint promises the next (None: no promise). Raises `IntegrityError` if signing would
    contradict an earlier checkpoint. `results` are those next to the log (None: nothing is stated of results); with
    `results_anew` the first checkpoint states them even if an earlier one states others.
    """

    def __init__(
        self,
        log: EventLog,
        store: CheckpointStore,
        signer: Signer,
        memory: SigningMemory,
        *,
        clock: Clock,
        within_s: int | None = None,
        results: ResultStore | None = None,
        results_anew: bool = False,
    ) -> None:
        self._results, self._results_anew, self._results_due_s = results, results_anew, float("-inf")
        self.result_faults: tuple[ResultBroken | PositionBroken, ...] = ()
        """Why the results of some streams were not stated."""
        self._log, self._store, self._signer, self._memory = log, store, signer, memory
        self._clock, self._within_s = clock, within_s
        self._keys = KeyRing()
        history = self._read_back()
        self._ledger = history.ledger
        self._streams = {stream: StreamHeads(stream, stated) for stream, stated in history.stated.items()}
        self.pending = 0
        """How many events no checkpoint covers yet."""

    def read(self) -> int:
        """Read the log to its present end and return the number of events read. Raises `IntegrityError` if any is lost."""
        events = sum(self._take(batch) for batch in self._log.tail(self._positions()))
        for stream in self._log.acknowledged():
            self._log.verify_head(stream)
        return events

    def sign(self, *, last: bool = False) -> Checkpoint:
        """Make a checkpoint over what was read, even if nothing is new, and store it durably.

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
        statements += self._of_results(last)
        events = sum(stream.size for stream in self._streams.values())
        at_us = max(self._clock(), self._ledger.time.at_us if self._ledger.time else 0)
        statements.append(TimeStatement(at_us=at_us, events=events, within_s=None if last else self._within_s))
        checkpoint = self._ledger.extend(statements)
        batch = CheckpointBatch.of(statements, sign_checkpoint(checkpoint, self._signer))
        head = Head(checkpoint.size, checkpoint.root)
        data = batch.encode()
        self._memory.record(SigningRecord(before, head, data))
        self._store.append(before, data, head)
        self.pending = 0
        return checkpoint

    def ahead(self) -> list[AheadOfClock]:
        """Return the last checkpoint if its time is in the future: no later one can have an earlier time."""
        time = self._ledger.time
        if time is None or not is_ahead(time.at_us, self._clock()):
            return []
        return [AheadOfClock(CHECKPOINTS, self._ledger.size, time.at_us)]

    def _of_results(self, last: bool) -> list[Statement]:
        """Return the statements about the results, if it is time for them."""
        if self._results is None or (time.monotonic() < self._results_due_s and not last):
            return []
        made, self.result_faults = statements_of(self._results, self._ledger.results, anew=self._results_anew)
        self._results_anew, self._results_due_s = False, time.monotonic() + RESULTS_EVERY_S
        return list(made)

    def follow(self, every: int, within_s: float, stopped: Callable[[], bool]) -> Iterator[Checkpoint]:
        """Go on with what is appended: a checkpoint after this many events, and well before this many seconds have passed.

        Ends with a last one when `stopped` is true.
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

    def _read_back(self) -> History:
        """Read the earlier checkpoints, and store one that was signed but not stored."""
        stored, last = self._store.acknowledged(), self._memory.load()
        marks = [Mark(stored, "its high-water file")] if stored is not None else []
        marks += [Mark(last.head, "the key's memory")] if last is not None else []
        history = History(origin_of(self._log.log_id, self._log.property_id), marks)
        for data in self._store.batches():
            history.add(data)
        if last is not None and last.before == history.ledger.size and (stored is None or stored.seq <= last.before):
            self._store.append(last.before, last.data, last.head)
            history.add(last.data)
        history.end()
        return history

    def _positions(self) -> dict[str, int]:
        return {name: stream.size for name, stream in self._streams.items()}

    def _take(self, records: Iterable[Record]) -> int:
        count = 0
        for record in records:
            if record.stream not in self._streams:
                self._streams[record.stream] = StreamHeads(record.stream)
            self._streams[record.stream].add(record.data, record.hash)
            if record.stream == PROPERTY_STREAM:
                self._keys.add(record)
            count += 1
        self.pending += count
        return count
