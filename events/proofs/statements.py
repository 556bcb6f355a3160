"""The log of head statements: what a checkpoint signs. Pure.

Each leaf is a line of canonical JSON. A `head` says where a stream ends: its number of events, the root of the Merkle tree
over their bytes, and the chain hash there. A `results` says where the chain of a stream's results ends
(`events.log.result_chain`). A `time` closes what a checkpoint adds, even if no stream moved, so that
silence shows: when it was made, how many events the heads cover in all, and within how many seconds the next checkpoint is
promised. What a checkpoint adds is kept together with its signed note, as a `Batch`.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from events.errors import IntegrityError
from events.log.contract import Head
from events.proofs.checkpoint import Checkpoint
from events.proofs.merkle import CompactRange, leaf_hash
from events.proofs.signed_note import BadNote, Note
from events.vocabulary.base import Count, Digest, Number, require_sorted_fields
from events.vocabulary.codec import canonical
from events.vocabulary.envelope import StreamName, TimeUs

CHECKPOINTS = "checkpoints"
"""The name of the log of statements in a break's place, before the number of the statement, from 1."""

CheckpointFault = Literal["statement_changed", "checkpoint_forged", "checkpoint_lost", "checkpoint_fork", "checkpoint_unchecked"]
"""What is wrong with the log of statements.

`statement_changed`: the statements are not those that were signed. `checkpoint_forged`: not signed by a key that may sign.
`checkpoint_lost`: checkpoints that were made are gone. `checkpoint_fork`: two checkpoints cannot both be true.
`checkpoint_unchecked`: all were signed before the key that was given signed any, by keys that vouch for it.
"""


class BadCheckpoint(IntegrityError):
    """The log of statements cannot be trusted from statement `seq` on."""

    def __init__(self, seq: int, fault: CheckpointFault, message: str) -> None:
        super().__init__(CHECKPOINTS, seq, message)
        self.args = (f"{CHECKPOINTS} statement {seq}: {message}",)
        self.fault = fault
        if fault == "checkpoint_lost":
            self.code = "LOG-GAP"
        elif fault == "checkpoint_fork":
            self.code = "LOG-FORK"


class HeadStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stream has `size` events; `root` is that of their Merkle tree, `chain` the chain hash after the last."""

    chain: Digest
    root: Digest
    size: Number
    statement: Literal["head"] = "head"
    stream: StreamName

    @property
    def head(self) -> Head:
        """The end of the stream that is stated."""
        return Head(self.size, bytes.fromhex(self.chain))


class TimeStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A checkpoint was made then, over this many events; the next is promised within this many seconds (None: no promise)."""

    at_us: TimeUs
    events: Count
    statement: Literal["time"] = "time"
    within_s: Annotated[int, Meta(ge=1, le=2**31)] | None


class ResultsStatement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The results of a stream have `size` places, and `chain` is the chain hash after the last.

    `again`: the results were thrown away and judged again since the statement before, so that they need not continue it.
    """

    anew: bool
    chain: Digest
    size: Count
    statement: Literal["results"] = "results"
    stream: StreamName

    @property
    def head(self) -> Head:
        """The end of the results that is stated."""
        return Head(self.size, bytes.fromhex(self.chain))


Statement = HeadStatement | ResultsStatement | TimeStatement


class _StatementKind(msgspec.Struct):
    statement: str


for _struct in (HeadStatement, ResultsStatement, TimeStatement):
    require_sorted_fields(_struct)
_kind = msgspec.json.Decoder(_StatementKind)
_decoders: dict[str, msgspec.json.Decoder[Any]] = {
    "head": msgspec.json.Decoder(HeadStatement),
    "results": msgspec.json.Decoder(ResultsStatement),
    "time": msgspec.json.Decoder(TimeStatement),
}


def read_statement(line: bytes) -> Statement:
    """Return the statement in a leaf. Raises `ValueError` saying what is wrong."""
    try:
        kind = _kind.decode(line).statement
        if kind not in _decoders:
            raise ValueError(f"a statement of an unknown kind, {kind[:40]!r}")
        found: Statement = _decoders[kind].decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"not a statement: {error}") from error
    if canonical(found) != line:
        raise ValueError("the statement is not in canonical form (RFC 8785)")
    return found


class CheckpointBatch(msgspec.Struct, frozen=True):
    """The additions of one checkpoint: its leaves, one line each, and the signed note over all leaves so far."""

    lines: tuple[bytes, ...]
    note: bytes

    def encode(self) -> bytes:
        """Return the bytes that a store keeps: the lines, an empty line, the note."""
        return b"\n".join(self.lines) + b"\n\n" + self.note

    @classmethod
    def of(cls, statements: Sequence[Statement], note: Note) -> "CheckpointBatch":
        """Return the batch of these statements and the note that signs them."""
        return cls(tuple(map(canonical, statements)), note.encode())

    @classmethod
    def decode(cls, data: bytes) -> "CheckpointBatch":
        """Read what a store kept. Raises `ValueError`."""
        lines, separator, note = data.partition(b"\n\n")
        if not separator:
            raise ValueError("expected statements, an empty line and a signed note")
        return cls(tuple(lines.split(b"\n")), note)


class Ledger:
    """The log of statements, folded batch by batch: it only grows, and no stream ever shrinks. After an error it cannot be used.
    It does not ask whether a trusted key signed, or whether the events confirm the statements.
    """

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.batches = 0
        self.heads: dict[str, HeadStatement] = {}
        """Stream → the last that was stated of it."""
        self.added: list[HeadStatement] = []
        """The last batch's statements about streams."""
        self.results: dict[str, list[Head]] = {}
        """Stream → what was stated of its results, since they were last stated again."""
        self.time: TimeStatement | None = None
        """The statement that closed the last batch."""
        self._tree = CompactRange()

    @property
    def size(self) -> int:
        """The number of statements."""
        return self._tree.size

    def root(self) -> bytes:
        """Return the root over all statements."""
        return self._tree.root()

    def extend(self, statements: Sequence[Statement]) -> Checkpoint:
        """Add the statements of a new checkpoint; return what is to be signed. Raises `BadCheckpoint`."""
        first, lines = self.size + 1, [canonical(each) for each in statements]
        self._grow(lines)
        self._read(first, lines)
        return Checkpoint(self.origin, self.size, self.root())

    def add(self, batch: CheckpointBatch) -> tuple[Note, Checkpoint]:
        """Add a stored batch; return its note and checkpoint. Raises `BadCheckpoint` if the two do not belong together.

        Signatures are not looked at.
        """
        first = self.size + 1
        self._grow(batch.lines)
        try:
            note = Note.decode(batch.note)
            stated = Checkpoint.parse(note.text)
        except BadNote as error:
            raise BadCheckpoint(first, "checkpoint_forged", str(error)) from error
        if stated.origin != self.origin:
            message = f"it is a checkpoint of {stated.origin}, not of {self.origin}"
            raise BadCheckpoint(first, "checkpoint_forged", message)
        if stated.size != self.size:
            message = f"checkpoint {self.batches} signs {stated.size} statements, those stored up to there are {self.size}"
            raise BadCheckpoint(first, "statement_changed", message)
        if stated.root != self.root():
            message = (
                f"checkpoint {self.batches} signs {stated.size} statements with root {stated.root.hex()[:16]}…, "
                f"those stored have root {self.root().hex()[:16]}…"
            )
            raise BadCheckpoint(first, "statement_changed", message)
        self._read(first, batch.lines)
        return note, stated

    def _grow(self, lines: Sequence[bytes]) -> None:
        """Add the leaves of a checkpoint to the tree."""
        for line in lines:
            self._tree.append(leaf_hash(line))
        self.batches += 1

    def _read(self, first: int, lines: Sequence[bytes]) -> None:
        """Read the leaves of a checkpoint, from number `first` on: heads, and at the end one time."""
        self.added = []
        for number, line in enumerate(lines, first):
            try:
                statement = read_statement(line)
            except ValueError as error:
                raise BadCheckpoint(number, "statement_changed", str(error)) from error
            if isinstance(statement, TimeStatement) != (number == self.size):
                message = "what a checkpoint adds must be heads and results, and at the end a time"
                raise BadCheckpoint(number, "statement_changed", message)
            if isinstance(statement, HeadStatement):
                self._take_head(number, statement)
            elif isinstance(statement, ResultsStatement):
                self._take_results(number, statement)
            else:
                self._take_time(number, statement)

    def _take_head(self, number: int, statement: HeadStatement) -> None:
        before = self.heads.get(statement.stream)
        if before is not None and statement.size <= before.size:
            message = f"{statement.stream} had {before.size} events and is then said to end at {statement.size}"
            raise BadCheckpoint(number, "checkpoint_fork", message)
        self.heads[statement.stream] = statement
        self.added.append(statement)

    def _take_results(self, number: int, statement: ResultsStatement) -> None:
        stated = self.results.setdefault(statement.stream, [])
        if statement.anew:
            stated.clear()
        elif stated and statement.size <= stated[-1].seq:
            message = f"{statement.stream} had {stated[-1].seq} results and is then said to have {statement.size}"
            raise BadCheckpoint(number, "checkpoint_fork", message)
        stated.append(statement.head)

    def _take_time(self, number: int, statement: TimeStatement) -> None:
        if self.time is not None and statement.at_us < self.time.at_us:
            raise BadCheckpoint(number, "statement_changed", "made before the checkpoint that stands before it")
        covered = sum(each.size for each in self.heads.values())
        if statement.events != covered:
            message = f"it says that {statement.events} events are covered; the heads cover {covered}"
            raise BadCheckpoint(number, "statement_changed", message)
        self.time = statement
