"""A log with checkpoints as plain data: what somebody who rules over its storage can read, change, and put back.

`build` makes an honest one, and `gardens.py` stores whatever it is given. `root_of` and `chain_of` compute roots and chains as
the RFC and the design state them, apart from the code under test.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import msgspec

from events.log.contract import EventLog
from events.proofs.checkpoint import Checkpoint, origin_of, sign_checkpoint
from events.proofs.checkpointer import Checkpointer
from events.proofs.keys import PROPERTY_STREAM, FileSigner, new_key
from events.proofs.signed_note import KeyKind, Note, Signer
from events.proofs.signing_memory import SigningMemory
from events.proofs.statements import CheckpointBatch, HeadStatement, Statement, TimeStatement, read_statement
from events.sqlite.checkpoints import SqliteCheckpoints
from events.sqlite.log import SqliteLog
from events.vocabulary.codec import canonical
from events.vocabulary.model import KeyPublished
from tests.contract.backends import PROPERTY
from tests.contract.drafts import TABLE, Drafts, fill

LOG_ID = "00112233445566778899aabbccddeeff"
ORIGIN = origin_of(LOG_ID, PROPERTY)
OTHER = "table/fu-08"


@dataclass(frozen=True)
class StoredEvent:
    """An event as it is stored; the number and the hash are what the storage says, right or wrong."""

    seq: int
    data: bytes
    hash: bytes


@dataclass
class Contents:
    """All that is stored of a log: events by stream, and encoded checkpoints."""

    events: dict[str, list[StoredEvent]]
    batches: list[bytes]

    def copy(self) -> Contents:
        return Contents({stream: list(events) for stream, events in self.events.items()}, list(self.batches))

    def rechain(self, stream: str, *datas: bytes) -> None:
        """Store these bytes, or those that are there, with numbers and hashes that fit them."""
        kept = list(datas) or [event.data for event in self.events[stream]]
        chain = chain_of(stream, kept)
        self.events[stream] = [StoredEvent(seq, data, chain[seq]) for seq, data in enumerate(kept, 1)]

    def edit(self, stream: str, seq: int, old: bytes, new: bytes) -> None:
        """Change the bytes of one event, and nothing that depends on them."""
        event = self.events[stream][seq - 1]
        assert event.data.count(old) == 1
        self.events[stream][seq - 1] = StoredEvent(seq, event.data.replace(old, new), event.hash)

    def lines(self, number: int) -> list[bytes]:
        """Return the statements of a checkpoint, counted from 0."""
        return list(CheckpointBatch.decode(self.batches[number]).lines)

    def restate(self, number: int, lines: Sequence[bytes]) -> None:
        """Put other statements under a checkpoint's signature."""
        self.batches[number] = CheckpointBatch(tuple(lines), CheckpointBatch.decode(self.batches[number]).note).encode()

    def resign(self, signer: Signer, from_number: int = 0) -> None:
        """State again what each checkpoint states, as the events now are, and sign it: what the holder of the key can do."""
        leaves = [line for number in range(from_number) for line in self.lines(number)]
        for number in range(from_number, len(self.batches)):
            lines = [canonical(self._as_it_is(read_statement(line))) for line in self.lines(number)]
            leaves += lines
            self.batches[number] = signed(lines, leaves, signer)

    def _as_it_is(self, statement: Statement) -> Statement:
        if isinstance(statement, TimeStatement):
            return statement
        datas = [event.data for event in self.events[statement.stream]][: statement.size]
        return head_of(statement.stream, datas)


def signed(lines: Sequence[bytes], leaves: Sequence[bytes], signer: Signer) -> bytes:
    """Return the batch of these lines, with a checkpoint over all leaves so far, which end with them."""
    checkpoint = Checkpoint(signer.public_key.name, len(leaves), root_of(leaves))
    return CheckpointBatch(tuple(lines), sign_checkpoint(checkpoint, signer).encode()).encode()


def head_of(stream: str, datas: Sequence[bytes]) -> HeadStatement:
    """Return the true statement of a stream that holds these bytes."""
    chain = chain_of(stream, datas)[-1].hex()
    return HeadStatement(chain=chain, root=root_of(datas).hex(), size=len(datas), stream=stream)


def chain_of(stream: str, datas: Sequence[bytes]) -> list[bytes]:
    """Return the chain hash after each event, genesis first."""
    chain = [sha256(b"rack/genesis/v1\0" + f"{LOG_ID}{PROPERTY}/{stream}".encode()).digest()]
    for data in datas:
        chain.append(sha256(b"rack/chain/v1\0" + chain[-1] + data).digest())
    return chain


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the Merkle tree hash, as RFC 6962 section 2.1 defines it."""
    if len(leaves) <= 1:
        return sha256(b"\0" + leaves[0]).digest() if leaves else sha256().digest()
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\1" + root_of(leaves[:split]) + root_of(leaves[split:])).digest()


class Clock:
    """Microseconds that go on by a second whenever they are asked for."""

    def __init__(self) -> None:
        self.now = 1_773_500_000_000_000

    def __call__(self) -> int:
        self.now += 1_000_000
        return self.now


def publish(log: EventLog, drafts: Drafts, signer: Signer, vouch: str | None = None) -> None:
    """Put a public key into a log; its property stream is begun if it is empty."""
    payload = KeyPublished(by="chief", public_key=str(signer.public_key), vouch=vouch)
    last = log.head(PROPERTY_STREAM).seq
    log.append(PROPERTY_STREAM, last + 1, [*([] if last else [drafts.day()]), drafts(payload)])


@dataclass(frozen=True)
class Honest:
    """An honest log: 4 checkpoints (7 and 13 events of `TABLE`, 13 of `OTHER`, then an idle one and one more), 6 events after."""

    contents: Contents
    signer: FileSigner
    keys: Path


def build(folder: Path) -> Honest:
    """Make it. The third checkpoint is idle; the fourth covers 19 events of `OTHER`; 6 events of `TABLE` are not covered."""
    drafts, clock = Drafts(), Clock()
    signer = new_key(folder / "key", ORIGIN, KeyKind.LOG)
    with contextlib.ExitStack() as resources:
        path = folder / "floor.db"
        log = resources.enter_context(
            contextlib.closing(SqliteLog(path, property_id=PROPERTY, create=True, log_id=LOG_ID, clock=clock))
        )
        publish(log, drafts, signer)
        fill(log, drafts, TABLE, rounds=1)
        store = resources.enter_context(contextlib.closing(SqliteCheckpoints(f"{path}.checkpoints", log_id=LOG_ID)))
        made = Checkpointer(log, store, signer, SigningMemory(folder / "key", LOG_ID), clock=clock, within_s=60)
        made.read()
        made.sign()
        log.append(TABLE, 8, drafts.round())
        fill(log, drafts, OTHER)
        made.read()
        made.sign()
        made.sign()
        log.append(OTHER, 14, drafts.round())
        made.read()
        made.sign()
        log.append(TABLE, 14, drafts.round())
        events = {
            stream: [StoredEvent(record.seq, record.data, record.hash) for record in log.read(stream)] for stream in log.streams()
        }
        return Honest(Contents(events, list(store.batches())), signer, folder)


def renumbered(data: bytes, seq: int) -> bytes:
    """Return an event's bytes with another number in them."""
    content = msgspec.json.decode(data)
    content["seq"] = seq
    return canonical(content)


def flipped(data: bytes, place: int) -> bytes:
    """Return bytes with one bit turned."""
    changed = bytearray(data)
    changed[place] ^= 0x01
    return bytes(changed)


def note_of(batch: bytes) -> Note:
    """Return the signed note of a stored checkpoint."""
    return Note.decode(CheckpointBatch.decode(batch).note)


def rewrite_an_event(contents: Contents, seq: int = 5) -> None:
    """An amount is changed and the chain made again: nothing shows but to those who know the root."""
    contents.edit(TABLE, seq, b"2500", b"2600")
    contents.rechain(TABLE)
