"""The checkpoints of a log read again in order: compared with remembered marks, with keys, and with the events.

Nothing here trusts the store: a root is computed from the statements, a statement from the events.
"""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

import msgspec

from events.errors import BrokenSeal, LostTail
from events.log.contract import EventLog, Head
from events.proofs.checkpoint import Checkpoint, open_checkpoint
from events.proofs.keys import PROPERTY_STREAM, read_ring
from events.proofs.merkle import CompactRange, leaf_hash
from events.proofs.signed_note import BadNote, Note, PublicKey
from events.proofs.statements import BadCheckpoint, CheckpointBatch, HeadStatement, Ledger


class Mark(msgspec.Struct, frozen=True):
    """A party's (`by`) memory: a checkpoint (this many statements with this root), or the end of a stream."""

    head: Head
    by: str


NOTHING_REACHED: Final[Mapping[str, Mark]] = MappingProxyType({})


def compare(stream: str, mark: Mark, head: Head, found: bytes) -> None:
    """Raise `LostTail` or `BrokenSeal` if a stream that ends at `head` does not hold a remembered end.

    `found` is the chain hash at the number of that end; empty if it was not read.
    """
    if head.seq < mark.head.seq:
        raise LostTail(stream, head.seq + 1, f"the stream ends at {head.seq}, but {mark.by} reached {mark.head.seq}")
    if found and found != mark.head.hash:
        raise BrokenSeal(stream, mark.head.seq, f"it is not the event that {mark.by} found there")


class Keys:
    """Which keys may sign: those in force in the log as far as a checkpoint covers it, and of these only trusted ones.

    `anchors` are keys that were given from outside; each is trusted, and so is every key for which it vouches; none: any key.
    Until the first checkpoint of a trusted key (`begun`), keys that vouch for an anchor may sign too: their checkpoints are not
    forged, but no given key checks them (D448).
    """

    def __init__(self, log: EventLog, anchors: Sequence[PublicKey] = (), *, begun: bool = False) -> None:
        self._log, self._anchors = log, anchors
        self._read_ring()
        self.begun = begun
        """Whether a trusted key has signed a checkpoint."""
        self.signers: list[PublicKey] = []
        """The trusted keys that signed, each once, in the order of their first checkpoint."""
        self.before: dict[PublicKey, int] = {}
        """Keys that vouch for an anchor → how many checkpoints each signed before a trusted key did."""

    def open(self, note: Note, size: int) -> None:
        """Check that the note is signed by a key that may sign for `size` events of the property's stream.

        Raises `BadNote`.
        """
        if not any(signature.of(entry.key) for signature in note.signatures for entry in self.ring.entries):
            self._read_ring()  # it may have been published since
        in_force = self.ring.in_force(size)
        trusted = [key for key in in_force if self._trusted is None or key in self._trusted]
        earlier = [key for key in in_force if not self.begun and key in self._earlier and key not in trusted]
        first = open_checkpoint(note, [*trusted, *earlier])[1].key  # each signature of any of them fits
        signer = next((key for key in trusted if any(each.of(key) for each in note.signatures)), None)
        if signer is None:
            self.before[first] = self.before.get(first, 0) + 1
            return
        self.begun = True
        if signer not in self.signers:
            self.signers.append(signer)

    def _read_ring(self) -> None:
        self.ring = read_ring(self._log)
        self._trusted = self.ring.trusted(self._anchors) if self._anchors else None
        self._earlier = self.ring.earlier(self._anchors)

    def why_not(self, note: Note, size: int) -> str:
        """Return why no key that signed this note has the right to."""
        for entry in self.ring.entries:
            if any(signature.of(entry.key) for signature in note.signatures):
                if entry.published > size:
                    return f"; {PROPERTY_STREAM} published that key only with event {entry.published}"
                if 0 < entry.retired <= size:
                    return f"; {PROPERTY_STREAM} retired that key with event {entry.retired}"
                if self._trusted is not None and entry.key not in self._trusted:
                    return self._why_not_trusted(entry.key)
        return f"; {PROPERTY_STREAM} names no such key"

    def _why_not_trusted(self, key: PublicKey) -> str:
        if key in self._earlier:
            return "; that key vouches for one that was given, which had begun to sign before"
        return (
            "; the log names that key, but it is not one that was given, and none of those vouches for it; if you received "
            "that public key too, give it with --key"
        )


class History:
    """The checkpoints of a store in their order: every root computed again, and every mark met on the way."""

    def __init__(self, origin: str, marks: Iterable[Mark] = ()) -> None:
        self.ledger = Ledger(origin)
        self.stated: dict[str, StatedHeads] = {}
        """Stream → what was stated of it."""
        self.last: Checkpoint | None = None
        """The last checkpoint that was taken without fault."""
        self._marks = sorted(marks, key=lambda mark: mark.head.seq, reverse=True)

    def add(self, data: bytes, keys: Keys | None = None) -> Note:
        """Add a stored batch; return its note. Raises `BadCheckpoint` if it contradicts itself, an earlier batch, or a
        high-water mark.

        With `keys` it must also be signed by one that may sign it.
        """
        first = self.ledger.size + 1
        try:
            batch = CheckpointBatch.decode(data)
        except (ValueError, TypeError) as error:
            raise BadCheckpoint(first, "statement_changed", f"what is stored is no checkpoint: {error}") from error
        note, checkpoint = self.ledger.add(batch)
        if keys is not None:
            self._check_signature(first, note, keys)
        while self._marks and self._marks[-1].head.seq <= checkpoint.size:
            self._check_mark(self._marks.pop(), checkpoint)
        for statement in self.ledger.added:
            self.stated.setdefault(statement.stream, StatedHeads()).add(statement)
        self.last = checkpoint
        return note

    def end(self) -> None:
        """Raise `BadCheckpoint` if the store ends before a checkpoint that is remembered."""
        if self._marks:
            mark, size = self._marks[0], self.ledger.size
            message = f"the checkpoints end at statement {size}, but {mark.by} holds one over {mark.head.seq}"
            raise BadCheckpoint(size + 1, "checkpoint_lost", message)

    def _check_signature(self, first: int, note: Note, keys: Keys) -> None:
        covered = self.ledger.heads.get(PROPERTY_STREAM)
        size = covered.size if covered is not None else 0
        try:
            keys.open(note, size)
        except BadNote as error:
            raise BadCheckpoint(first, "checkpoint_forged", f"{error}{keys.why_not(note, size)}") from error

    def _check_mark(self, mark: Mark, checkpoint: Checkpoint) -> None:
        if mark.head == Head(checkpoint.size, checkpoint.root):
            return
        message = (
            f"{mark.by} holds a checkpoint over {mark.head.seq} statements with root {mark.head.hash.hex()[:16]}…, "
            f"the store has one over {checkpoint.size} with root {checkpoint.root.hex()[:16]}…"
        )
        raise BadCheckpoint(min(mark.head.seq, checkpoint.size), "checkpoint_fork", message)


class StatedHeads:
    """The statements about one stream, in order; packed, because a year has hundreds of thousands."""

    def __init__(self) -> None:
        self._sizes = array("Q")
        self._hashes = bytearray()

    def add(self, statement: HeadStatement) -> None:
        """Add the next statement, whose size is larger than those before."""
        self._sizes.append(statement.size)
        self._hashes += bytes.fromhex(statement.root) + bytes.fromhex(statement.chain)

    def __len__(self) -> int:
        return len(self._sizes)

    def size(self, place: int) -> int:
        """Return the number of events stated at a place, counted from 0; -1 is the last."""
        return self._sizes[place]

    def due(self, place: int) -> int:
        """Return the number of events stated at a place; 0 if nothing is stated there yet."""
        return self._sizes[place] if place < len(self._sizes) else 0

    def place_of(self, size: int) -> int | None:
        """Return the place at which this many events are stated; None if nothing states that many."""
        place = bisect_left(self._sizes, size)
        return place if place < len(self._sizes) and self._sizes[place] == size else None

    def says(self, place: int, root: bytes, chain: bytes) -> bool:
        """Return whether this root and this chain hash are the stated ones."""
        return self._hashes[64 * place : 64 * place + 64] == root + chain


class StreamHeads:
    """A stream's tree, built event by event and compared with the statements about it, in order.

    It may begin with a tree that agrees with an earlier statement.
    """

    def __init__(self, stream: str, stated: StatedHeads | None = None, tree: CompactRange | None = None, place: int = -1) -> None:
        self.stream = stream
        self._tree = CompactRange() if tree is None else tree
        self._chain = b""
        self._stated = StatedHeads() if stated is None else stated
        self._next = place + 1
        self.agreed = self._tree.size
        """The last number up to which a statement was borne out."""

    @property
    def size(self) -> int:
        """The number of events so far."""
        return self._tree.size

    @property
    def borne_out(self) -> CompactRange | None:
        """The tree that agrees with the last statement; None if no statement agrees or the stream ends before it."""
        return self._tree if self.settled and self.agreed and self.agreed == self._tree.size else None

    @property
    def settled(self) -> bool:
        """Whether every statement was confirmed: later events need not be added."""
        return self._next == len(self._stated)

    def add(self, data: bytes, chain: bytes) -> None:
        """Add an event and the chain hash after it. Raises `BrokenSeal` if a statement is not confirmed."""
        self._tree.append(leaf_hash(data))
        self._chain = chain
        if self._stated.due(self._next) == self._tree.size:
            self._compare(chain)

    def bear_out(self, data: bytes, chain: bytes) -> None:
        """Add an event as `add` does, unless every statement was confirmed."""
        due = self._stated.due(self._next)
        if due:
            self._tree.append(leaf_hash(data))
            self._chain = chain
            if due == self._tree.size:
                self._compare(chain)

    def _compare(self, chain: bytes) -> None:
        if not self._stated.says(self._next, self._tree.root(), chain):
            message = f"events {self.agreed + 1} to {self.size} are not those of which a checkpoint states the root"
            raise BrokenSeal(self.stream, self.agreed + 1, message)
        self.agreed, self._next = self.size, self._next + 1

    def end(self) -> None:
        """Raise `LostTail` if a statement covers events beyond the last one added."""
        if not self.settled:
            message = f"the stream ends at {self.size}, but a checkpoint states {self._stated.size(-1)} events"
            raise LostTail(self.stream, self.size + 1, message)

    def statement(self) -> HeadStatement:
        """Return a statement about the stream as it is now."""
        return HeadStatement(chain=self._chain.hex(), root=self._tree.root().hex(), size=self._tree.size, stream=self.stream)
