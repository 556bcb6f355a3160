"""A witness: another party's process, with its own key and folder, which cosigns a checkpoint only if the log just grew.

It reads statements and events from the log and trusts neither: it computes every root again, asks that what it cosigned last
is the beginning of what is there now (a consistency proof, RFC 9162, checked against the root in its own folder), and
that no stream shrank or was rewritten. What it refuses it keeps, for that is evidence. The folder holds, for each
checkpoint, `<statements>.note` (the checkpoint with the log's signature and the witness's) and `<statements>.proof.json`
(the consistency proof from the one before).
"""

import os
import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from events.errors import IntegrityError, LogUnavailable
from events.log.contract import CheckpointStore, Clock, EventLog, Head
from events.log.high_water import sync
from events.log.plain_file import read_plain
from events.proofs.checkpoint import Checkpoint, cosign, origin_of
from events.proofs.history import History, Keys, Mark, StreamHeads
from events.proofs.keys import KeyRefused
from events.proofs.merkle import Tree, leaf_hash, verify_consistency
from events.proofs.signed_note import BadNote, KeyKind, Note, PublicKey, Signer, VerifiedSignature, verify
from events.proofs.statements import BadCheckpoint, CheckpointBatch

_NAME = re.compile(r"(\d{16})\.note")
_REFUSED = re.compile(r"refused-[0-9a-f]{16}")


class CosignedCheckpoint(msgspec.Struct, frozen=True):
    """A checkpoint in a witness's folder, and the witness's signature under it."""

    checkpoint: Checkpoint
    note: Note
    signed: VerifiedSignature


class WitnessFolder:
    """The folder in which a witness keeps what it cosigned. Anyone with the witness's public key can check it."""

    def __init__(self, path: Path, key: PublicKey) -> None:
        self.path, self.key = path, key

    def cosigned(self) -> Iterator[CosignedCheckpoint]:
        """Yield what the witness cosigned, in order. Raises `BadCheckpoint` if a file is not what the witness wrote."""
        for name in self._names():
            yield self._read(name)

    def last(self) -> CosignedCheckpoint | None:
        """Return what the witness cosigned last."""
        names = self._names()
        return self._read(names[-1]) if names else None

    def sizes(self) -> list[int]:
        """Return the number of statements of each checkpoint, by the names of the files alone."""
        return [int(name[:16]) for name in self._names()]

    def read(self, size: int) -> CosignedCheckpoint:
        """Return the checkpoint over this many statements. Raises `BadCheckpoint` if it is not what the witness wrote."""
        return self._read(f"{size:016d}.note")

    def refused(self) -> list[tuple[str, bytes]]:
        """Return what the witness refused and kept, by the names of the files."""
        return [(name, self._bytes(name)) for name in self._names(_REFUSED)]

    def marks(self, origin: str) -> Iterator[Mark]:
        """Yield the checkpoints of a log that the witness remembers. Raises `BadCheckpoint`, also for those of another log."""
        return (self._mark(each, origin) for each in self.cosigned())

    def last_mark(self, origin: str) -> list[Mark]:
        """Return the last of them, or nothing."""
        last = self.last()
        return [] if last is None else [self._mark(last, origin)]

    def keep(self, checkpoint: Checkpoint, note: Note, first: int, proof: Sequence[bytes]) -> None:
        """Store a cosigned checkpoint durably, and the consistency proof from `first` statements (0: there was none)."""
        content = {"first": first, "size": checkpoint.size, "proof": [each.hex() for each in proof]}
        self._write(f"{checkpoint.size:016d}.proof.json", msgspec.json.encode(content) + b"\n")
        self._write(f"{checkpoint.size:016d}.note", note.encode())

    def keep_refused(self, data: bytes) -> Path:
        """Store what was refused durably, under its digest; return where."""
        name = f"refused-{sha256(data).hexdigest()[:16]}"
        self._write(name, data)
        return self.path / name

    def _mark(self, cosigned: CosignedCheckpoint, origin: str) -> Mark:
        checkpoint = cosigned.checkpoint
        if checkpoint.origin != origin:
            message = f"the witness {self.key.name} saw the log {checkpoint.origin}, this is {origin}"
            raise BadCheckpoint(1, "checkpoint_fork", message)
        return Mark(Head(checkpoint.size, checkpoint.root), f"the witness {self.key.name}")

    def _names(self, form: re.Pattern[str] = _NAME) -> list[str]:
        try:
            return sorted(name for name in os.listdir(self.path) if form.fullmatch(name))
        except FileNotFoundError:
            return []
        except OSError as error:
            raise LogUnavailable(f"{self.path}: {error.strerror}") from error

    def _read(self, name: str) -> CosignedCheckpoint:
        size = int(name[:16])
        try:
            note = Note.decode(self._bytes(name))
            checkpoint, signatures = Checkpoint.parse(note.text), verify(note, [self.key])
        except BadNote as error:
            raise BadCheckpoint(size, "checkpoint_forged", f"{self.path / name}: {error}") from error
        if checkpoint.size != size or not signatures:
            message = f"{self.path / name} is not a checkpoint over {size} statements that {self.key.name} cosigned"
            raise BadCheckpoint(size, "checkpoint_forged", message)
        return CosignedCheckpoint(checkpoint, note, signatures[0])

    def _bytes(self, name: str) -> bytes:
        try:
            return read_plain(self.path / name)
        except OSError as error:
            raise LogUnavailable(f"{self.path / name}: {error.strerror}") from error

    def _write(self, name: str, data: bytes) -> None:
        fresh = self.path / f"{name}.new"
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with fresh.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self.path / name)
            sync(self.path)
        except OSError as error:
            raise LogUnavailable(f"{fresh}: {error.strerror}; nothing was cosigned") from error


class Witness:
    """Looks at one log again and again. After any error it cannot be used: it refused, and says why.

    `anchors` are keys of the log that the witness was given (none: those that the log names). It cosigns nothing before one
    of them, or a key for which one vouches, has signed (D448).
    """

    def __init__(
        self,
        log: EventLog,
        store: CheckpointStore,
        signer: Signer,
        folder: WitnessFolder,
        *,
        anchors: Sequence[PublicKey] = (),
        clock: Clock,
    ) -> None:
        if signer.public_key.kind is not KeyKind.WITNESS:
            raise KeyRefused(f"the key {signer.public_key.name} is a log's; make a witness's with `rack keys new --witness`")
        self._log, self._store, self._signer, self._folder = log, store, signer, folder
        self._anchors, self._clock = anchors, clock
        self._begun = False  # whether a trusted key has signed
        self.last = folder.last()
        """The last cosigned checkpoint; None before the first."""
        origin = origin_of(log.log_id, log.property_id)
        self._history = History(origin, folder.last_mark(origin))
        self._tree = Tree()
        self._streams: dict[str, StreamHeads] = {}
        self._newest: tuple[int, bytes] | None = None  # how many statements are before the newest batch, and the batch

    def look(self) -> CosignedCheckpoint | None:
        """Cosign the newest checkpoint if it differs from the last one; None if there is nothing new.

        If it does not extend the earlier checkpoints, keep it as evidence and raise `IntegrityError`.
        """
        fresh = self._fresh()
        try:
            note = self._check(fresh)
        except IntegrityError:
            for data in fresh[-1:]:
                self._folder.keep_refused(data)
            raise
        checkpoint = self._history.last
        if note is None or checkpoint is None or (self.last is not None and self.last.checkpoint == checkpoint):
            return None
        first = self.last.checkpoint.size if self.last is not None else 0
        proof = self._tree.consistency_proof(first) if first else []
        if self.last is not None:
            verify_consistency(first, checkpoint.size, self.last.checkpoint.root, checkpoint.root, proof)
        cosigned = cosign(note, self._signer, self._clock() // 1_000_000)
        self._folder.keep(checkpoint, cosigned, first, proof)
        self.last = self._folder.last()
        return self.last

    def _fresh(self) -> list[bytes]:
        """Return the batches added since the last read. The newest batch read before must still be there, unchanged."""
        if self._newest is None:
            return list(self._store.batches())
        before, newest = self._newest
        found = list(self._store.batches(before))
        if not found or found[0] != newest:
            message = "the newest checkpoint that was seen is no longer there, or is another"
            raise BadCheckpoint(before + 1, "checkpoint_lost", message)
        return found[1:]

    def _check(self, fresh: Sequence[bytes]) -> Note | None:
        """Compare the batches with the events; return their last note, None if no trusted key signed."""
        keys, note = Keys(self._log, self._anchors, begun=self._begun), None
        for data in fresh:
            before = self._history.ledger.size
            note = self._history.add(data, keys)
            for line in CheckpointBatch.decode(data).lines:
                self._tree.append(leaf_hash(line))
            self._newest = before, data
        self._history.end()
        for name, statements in self._history.stated.items():
            stream = self._streams.setdefault(name, StreamHeads(name, statements))
            for record in self._log.read(name, stream.size + 1, statements.size(-1)):
                stream.add(record.data, record.hash)
            stream.end()
        self._begun = keys.begun
        return note if keys.begun else None
