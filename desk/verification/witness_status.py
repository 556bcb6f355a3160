"""A witness's state: what it vouches for by its folder and public key, and how far it is behind.

Invariant: no one is trusted. A cosignature counts only if the witness's key verifies it and the log's store holds the same
checkpoint. Only the newest checkpoints are read, which is quick; `rack verify --witness` computes all roots again and checks that
each checkpoint extends the one before and agrees with the events.
"""

from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import msgspec

from desk.review import desk as review
from events.errors import IntegrityError, LogUnavailable
from events.log.contract import CheckpointStore
from events.open import open_checkpoints, open_log
from events.proofs.checkpoint import Checkpoint, origin_of
from events.proofs.keys import KeyRefused, read_public_key
from events.proofs.signed_note import BadNote, KeyKind, Note, PublicKey
from events.proofs.statements import BadCheckpoint, CheckpointBatch, TimeStatement, read_statement
from events.proofs.witness import CosignedCheckpoint, WitnessFolder

REFUSALS = (*review.REFUSALS, KeyRefused, BadNote)
"""Whatever `witnessed_at` raises if the log, the key or the folder cannot be read."""

LATEST = 12
"""Cosigned checkpoints that are read, and checkpoints of the log that are listed."""
SIGNATURE_TIMEOUT_S = 300
"""A witness that has left a checkpoint without its signature for longer is silent."""


class SeenCheckpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint of the log: its numbers of statements and events, its root (hex), and its time (UTC microseconds).

    `cosigned_s` is the witness's own clock (UTC seconds) if it cosigned this one; None if not. `covered`: it cosigned this or a
    later checkpoint, which includes all before.
    """

    size: int
    events: int
    root: str
    at_us: int
    cosigned_s: int | None = None
    covered: bool = False


class RefusedCheckpoints(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint that the witness refused; its time (None: unreadable), and whether the log's store still holds it."""

    file: str
    size: int | None
    at_us: int | None
    stored: bool


class Witnessed(msgspec.Struct, frozen=True, kw_only=True):
    """A witness's state.

    `cosigned` counts the checkpoints in its folder; `newest_size` and `newest_s` belong to the newest valid one (None: none).
    `checkpoints` are the log's newest, newest first. `behind` and `events_behind` count the checkpoints, and the events in them,
    that the witness has not seen; `waiting_since_us` is the time of the first of them. `refused` and `trouble` (empty: none) say
    how it disagrees with the log.
    """

    witness: str
    key: str
    cosigned: int
    newest_size: int | None
    newest_s: int | None
    checkpoints: tuple[SeenCheckpoint, ...]
    behind: int
    events_behind: int
    waiting_since_us: int | None
    refused: tuple[RefusedCheckpoints, ...]
    trouble: str

    @property
    def disagrees(self) -> bool:
        """Whether the witness saw something that contradicts this log."""
        return bool(self.trouble or self.refused)

    def silent(self, now_us: int) -> bool:
        """Return whether a checkpoint has waited for its signature longer than `SIGNATURE_TIMEOUT_S`."""
        return self.waiting_since_us is not None and now_us - self.waiting_since_us > SIGNATURE_TIMEOUT_S * 1_000_000


def witnessed_at(address: str, folder: Path, key_file: Path, **options: Any) -> Witnessed:
    """Compare a witness's folder with the checkpoints of a log. Raises one of `REFUSALS`; disagreement is no error."""
    key = read_public_key(key_file, KeyKind.WITNESS)
    if not folder.is_dir():
        raise LogUnavailable(f"{folder}: no such folder; expected that of a witness (`rack witness --folder`)")
    with ExitStack() as resources:
        log = resources.enter_context(closing(open_log(address, read_only=True, check_heads=False, **options)))
        store = resources.enter_context(closing(open_checkpoints(address, log_id=log.log_id, read_only=True, **options)))
        return look(store, WitnessFolder(folder, key), origin_of(log.log_id, log.property_id))


def look(store: CheckpointStore, folder: WitnessFolder, origin: str) -> Witnessed:
    """Compare a witness's last cosignature with the checkpoints of a store; `origin` is the log's."""
    sizes, trouble = folder.sizes(), ""
    chosen = sizes[-LATEST:]
    held: dict[int, CosignedCheckpoint] = {}
    try:
        held = {size: folder.read(size) for size in chosen}
    except IntegrityError as error:
        trouble, chosen = error.detail, []
    try:
        checkpoints = [_read(data) for data in store.batches(chosen[0] - 1 if chosen else 0)]
    except (BadNote, ValueError) as error:
        raise BadCheckpoint(1, "statement_changed", f"the stored note is no checkpoint: {error}") from error
    present = {checkpoint.size: (checkpoint, time) for checkpoint, time in checkpoints}
    for size, cosigned in held.items():
        trouble = trouble or _differs(folder.key, cosigned.checkpoint, present.get(size), origin)
    newest = held[chosen[-1]] if chosen and not trouble else None
    reach = newest.checkpoint.size if newest is not None else 0
    beyond = [each for each in checkpoints if each[0].size > reach]
    vouched = max((time.events for checkpoint, time in checkpoints if checkpoint.size <= reach), default=0)
    return Witnessed(
        witness=folder.key.name,
        key=str(folder.key),
        cosigned=len(sizes),
        newest_size=newest.checkpoint.size if newest is not None else None,
        newest_s=newest.signed.time_s if newest is not None else None,
        checkpoints=tuple(_seen(each, held if newest is not None else {}, reach) for each in checkpoints[: -LATEST - 1 : -1]),
        behind=len(beyond),
        events_behind=beyond[-1][1].events - vouched if beyond else 0,
        waiting_since_us=beyond[0][1].at_us if beyond else None,
        refused=tuple(_refused(name, data, store) for name, data in folder.refused()),
        trouble=trouble,
    )


def _differs(key: PublicKey, cosigned: Checkpoint, stored: tuple[Checkpoint, object] | None, origin: str) -> str:
    """Return how the witness's cosigned checkpoint differs from the store's; empty if it does not."""
    if cosigned.origin != origin:
        return f"the witness {key.name} saw the log {cosigned.origin}, this is {origin}"
    if stored is None:
        return f"the witness {key.name} cosigned a checkpoint over {cosigned.size:,} statements, which the log no longer holds"
    if stored[0] != cosigned:
        return (
            f"the witness {key.name} cosigned a checkpoint over {cosigned.size:,} statements with root "
            f"{cosigned.root.hex()[:16]}…, the log holds one with root {stored[0].root.hex()[:16]}…"
        )
    return ""


def _read(data: bytes) -> tuple[Checkpoint, TimeStatement]:
    """Return the checkpoint signed by a stored batch, and the time that closes it. Raises `BadNote` or `ValueError`."""
    batch = CheckpointBatch.decode(data)
    time = read_statement(batch.lines[-1])
    if not isinstance(time, TimeStatement):
        raise ValueError("a checkpoint must end with a time")
    return Checkpoint.parse(Note.decode(batch.note).text), time


def _seen(each: tuple[Checkpoint, TimeStatement], held: dict[int, CosignedCheckpoint], reach: int) -> SeenCheckpoint:
    checkpoint, time = each
    cosigned = held.get(checkpoint.size)
    return SeenCheckpoint(
        size=checkpoint.size,
        events=time.events,
        root=checkpoint.root.hex(),
        at_us=time.at_us,
        cosigned_s=cosigned.signed.time_s if cosigned is not None else None,
        covered=checkpoint.size <= reach,
    )


def _refused(name: str, data: bytes, store: CheckpointStore) -> RefusedCheckpoints:
    try:
        checkpoint, time = _read(data)
    except (BadNote, ValueError):
        return RefusedCheckpoints(file=name, size=None, at_us=None, stored=data == next(store.batches(0), None))
    stored = data == next(store.batches(checkpoint.size - 1), None)
    return RefusedCheckpoints(file=name, size=checkpoint.size, at_us=time.at_us, stored=stored)
