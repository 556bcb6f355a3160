"""Who signs for the log of a test, and what a dishonest one would store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from events.log.contract import CheckpointStore, Head
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import FileSigner, new_key
from events.proofs.signed_note import KeyKind
from events.proofs.signing_memory import SigningMemory
from events.proofs.statements import CheckpointBatch, read_statement
from tests.contract.backends import Backend
from tests.contract.drafts import TABLE, Drafts, fill
from tests.contract.sealed import LOG_ID, ORIGIN, Clock, publish, root_of, signed

ON_SQLITE = pytest.mark.parametrize("make_log", ["sqlite"], indirect=True)
"""For what does not depend on the backend: on one of them it is soon tried."""


class Operator:
    """Who signs for the log of a test."""

    def __init__(self, make_log: Backend, folder: Path, drafts: Drafts) -> None:
        self.make_log, self.folder, self.drafts = make_log, folder, drafts
        self.log = make_log.create(log_id=LOG_ID)
        self.signer = new_key(folder / "key", ORIGIN, KeyKind.LOG)
        self.clock = Clock()
        publish(self.log, drafts, self.signer)
        fill(self.log, drafts, TABLE, rounds=1)
        self.store = make_log.open_checkpoints(LOG_ID)

    def begin(self, signer: FileSigner | None = None, within_s: int | None = None) -> Checkpointer:
        """A checkpointer that has read the log: as after a start of the process."""
        memory = SigningMemory(self.folder / "key", LOG_ID)
        made = Checkpointer(self.log, self.store, signer or self.signer, memory, clock=self.clock, within_s=within_s)
        made.read()
        return made

    def more(self) -> None:
        self.log.append(TABLE, self.log.head(TABLE).seq + 1, self.drafts.round())

    def lines(self) -> list[bytes]:
        """All statements, as they are stored."""
        return [line for batch in self.store.batches() for line in CheckpointBatch.decode(batch).lines]


def forged(operator: Operator, signer: FileSigner, time: bytes = b"1800000000000000") -> tuple[int, bytes, Head]:
    """A next idle checkpoint, well formed and signed."""
    leaves = operator.lines()
    events = sum({s.stream: s.size for s in map(read_statement, leaves) if s.statement == "head"}.values())
    line = b'{"at_us":%s,"events":%d,"statement":"time","within_s":null}' % (time, events)
    everything = [*leaves, line]
    return len(leaves), signed([line], everything, signer), Head(len(everything), root_of(everything))


class Losing:
    """A store whose newest checkpoints cannot be read any more."""

    def __init__(self, inner: CheckpointStore, lost: int = 0) -> None:
        self.inner, self.lost = inner, lost

    def batches(self, after: int = 0) -> Iterator[bytes]:
        found = list(self.inner.batches(after))
        return iter(found[: len(found) - self.lost])

    def acknowledged(self) -> Head | None:
        return self.inner.acknowledged()
