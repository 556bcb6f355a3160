"""Self-contained proofs that a signed checkpoint covers these events, checked with a public key and nothing else.

A proof holds the events' bytes, the statement of their stream's end, the statement of its time of signing, the checkpoint, and
the hashes that join them (RFC 9162, 2.1.3). It is a small JSON file. Nothing of the log is needed to check it.
"""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from events.errors import EventError
from events.log.contract import CheckpointStore, EventLog
from events.proofs.checkpoint import Checkpoint, open_checkpoint, origin_of
from events.proofs.history import History
from events.proofs.merkle import BadProof, Tree, leaf_hash, verify_inclusion
from events.proofs.signed_note import BadNote, KeyKind, Note, PublicKey, VerifiedSignature, verify
from events.proofs.statements import CheckpointBatch, HeadStatement, TimeStatement, read_statement
from events.vocabulary.base import Count, Digest, Number
from events.vocabulary.codec import read, refuse_repeated_keys
from events.vocabulary.envelope import StreamName

FORMAT: Literal["discard-rack/proof/v1"] = "discard-rack/proof/v1"
MAX_PROOF_BYTES = 16 * 1024 * 1024
_MAX_PATH = Meta(max_length=64)


class CheckpointMissing(LookupError):
    """No checkpoint covers the event yet."""


class EventLeaf(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A leaf and the hashes from it to a root; `index` counts from 0."""

    data: str
    index: Count
    path: Annotated[tuple[Digest, ...], _MAX_PATH]

    def check(self, size: int, root: bytes) -> None:
        """Raise `BadProof` unless this is the leaf at its index in the tree of that size and root."""
        path = [bytes.fromhex(each) for each in self.path]
        verify_inclusion(leaf_hash(self.data.encode()), self.index, size, path, root)


class Proof(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events of one stream under one statement of its head; `head` and `time` are leaves of the checkpoint's tree."""

    stream: StreamName
    events: tuple[EventLeaf, ...]
    head: EventLeaf
    time: EventLeaf
    checkpoint: str
    format: Literal["discard-rack/proof/v1"] = FORMAT

    def encode(self) -> bytes:
        """Return the proof as JSON."""
        return msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n"

    @classmethod
    def decode(cls, data: bytes) -> "Proof":
        """Read a proof; refuse one with a duplicate key. Raises `BadProof`, which says what is wrong."""
        if len(data) > MAX_PROOF_BYTES:
            raise BadProof(f"a file of more than {MAX_PROOF_BYTES} bytes is no proof of events")
        try:
            proof = msgspec.json.decode(data, type=cls)
            refuse_repeated_keys(data)
            return proof
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError, EventError) as error:
            raise BadProof(f"not a proof of events: {error}") from error


class ProofResult(msgspec.Struct, frozen=True):
    """The result of checking a proof: these events were in the log at the log's time of the first checkpoint over them.

    `numbers` are the events' numbers in their stream; `witnesses` the cosignatures that verified.
    """

    checkpoint: Checkpoint
    stream: str
    numbers: tuple[Number, ...]
    head: HeadStatement
    time: TimeStatement
    signed: VerifiedSignature
    witnesses: tuple[VerifiedSignature, ...]


def prove(log: EventLog, store: CheckpointStore, stream: str, numbers: Sequence[int], *, note: Note | None = None) -> Proof:
    """Return the proof for events of a stream, under the first statement that covers them all.

    The checkpoint is the newest one, or `note`: one of the log's with the signatures of witnesses. Raises `CheckpointMissing`
    if none covers them, `IntegrityError` if the checkpoints or the events do not hold together.
    """
    if not numbers or min(numbers) < 1:
        raise BadProof(f"{stream}: there are no events {list(numbers)}; numbers are from 1 on")
    statements = _Statements(log, store, stream, max(numbers))
    checkpoint = statements.last if note is None else Checkpoint.parse(note.text)
    if statements.covering is None or checkpoint is None or checkpoint.size <= statements.time:
        raise CheckpointMissing(f"no checkpoint covers {stream} event {max(numbers)}; `rack checkpoint` makes one")
    index, covering = statements.covering
    tree, data = Tree(), dict[int, str]()
    for record in log.read(stream, 1, covering.size):
        tree.append(leaf_hash(record.data))
        if record.seq in numbers:
            data[record.seq] = record.data.decode()
    if tree.root().hex() != covering.root:
        raise BadProof(f"{stream}: the events are not those of which a checkpoint states the root; run `rack verify`")
    if statements.tree.root(checkpoint.size) != checkpoint.root:
        raise BadProof(f"the checkpoint over {checkpoint.size} statements is not one of this log")
    size = checkpoint.size
    return Proof(
        stream=stream,
        events=tuple(EventLeaf(data[n], n - 1, _hex(tree.inclusion_proof(n - 1))) for n in sorted(set(numbers))),
        head=EventLeaf(statements.lines[0], index, _hex(statements.tree.inclusion_proof(index, size))),
        time=EventLeaf(statements.lines[1], statements.time, _hex(statements.tree.inclusion_proof(statements.time, size))),
        checkpoint=(statements.note if note is None else note).encode().decode(),
    )


def check(proof: Proof, keys: Sequence[PublicKey]) -> ProofResult:
    """Return the result of a proof under these keys: the log's and, if given, the witnesses'.

    A proof holds no vouches, so one of these keys must have signed its checkpoint. Raises `BadNote` if none did, `BadProof` if
    anything else does not fit.
    """
    note = Note.decode(proof.checkpoint.encode())
    try:
        checkpoint, signed = open_checkpoint(note, keys)
    except BadNote as error:
        if any(signature.of(key) for key in keys for signature in note.signatures if key.kind is KeyKind.LOG):
            raise
        raise BadNote(
            f"{error}; a proof holds no vouches and is checked with the key that signed it: if you received that key, earlier or "
            "later than the one you gave, give it too"
        ) from error
    witnesses = verify(note, [key for key in keys if key.kind is KeyKind.WITNESS])
    for leaf in (proof.head, proof.time):
        leaf.check(checkpoint.size, checkpoint.root)
    try:
        head, time = (read_statement(leaf.data.encode()) for leaf in (proof.head, proof.time))
    except ValueError as error:
        raise BadProof(str(error)) from error
    if not isinstance(head, HeadStatement) or not isinstance(time, TimeStatement) or proof.time.index <= proof.head.index:
        raise BadProof("expected the statement of a head, and one of a time after it")
    if head.stream != proof.stream:
        raise BadProof(f"the statement is about {head.stream}, the proof about events of {proof.stream}")
    if not proof.events or len({event.index for event in proof.events}) < len(proof.events):
        raise BadProof(f"expected events of {proof.stream}, each once")
    for event in proof.events:
        event.check(head.size, bytes.fromhex(head.root))
        _check_place(event, head.stream, checkpoint.origin)
    numbers = tuple(event.index + 1 for event in proof.events)
    return ProofResult(checkpoint, head.stream, numbers, head, time, signed, tuple(witnesses))


def _check_place(event: EventLeaf, stream: str, origin: str) -> None:
    """The event must itself say that it is there: in this log, stream and number."""
    try:
        stated = read(event.data.encode())
    except EventError as error:
        raise BadProof(f"{stream} event {event.index + 1}: {error}") from error
    place = (origin_of(stated.log_id, stated.property_id), stated.stream, stated.seq)
    if place != (origin, stream, event.index + 1):
        raise BadProof(f"the proof has {stream} event {event.index + 1}, its bytes say that they are {place}")


class _Statements:
    """All statements of a store as a tree; finds the first that covers a number of a stream."""

    def __init__(self, log: EventLog, store: CheckpointStore, stream: str, number: int) -> None:
        self.tree = Tree()
        self.covering: tuple[int, HeadStatement] | None = None
        """Its place, from 0, and what it says."""
        self.time = 0
        """The place of the time that closes its checkpoint."""
        self.lines = ("", "")
        """Both as text."""
        self.note = Note("", ())
        history = History(origin_of(log.log_id, log.property_id))
        for encoded in store.batches():
            self.note, lines, before = history.add(encoded), CheckpointBatch.decode(encoded).lines, self.tree.size
            for line in lines:
                self.tree.append(leaf_hash(line))
            for place, statement in enumerate(history.ledger.added):
                if self.covering is None and statement.stream == stream and statement.size >= number:
                    self.covering, self.time = (before + place, statement), self.tree.size - 1
                    self.lines = lines[place].decode(), lines[-1].decode()
        self.last = history.last


def _hex(path: Sequence[bytes]) -> tuple[str, ...]:
    return tuple(each.hex() for each in path)
