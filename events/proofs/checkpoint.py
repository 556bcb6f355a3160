"""Checkpoints (C2SP tlog-checkpoint): origin, number of leaves and root of the log of head statements, as a signed note. Pure.

The text has three lines: the origin, the number of leaves, the root in base64. A log never signs two checkpoints that
cannot both be true. A witness adds its signature (C2SP tlog-cosignature v1), which states when it saw that the log only
grew.
"""

import re
from collections.abc import Sequence

import msgspec

from events.proofs.signed_note import (
    BadNote,
    KeyKind,
    Note,
    PublicKey,
    Signer,
    VerifiedSignature,
    decode_base64,
    encode_base64,
    sign,
    verify,
)

_SIZE = re.compile(r"0|[1-9][0-9]{0,15}")


class Checkpoint(msgspec.Struct, frozen=True):
    """The signed content: the log's origin, the number of statements, and the root over them (32 bytes)."""

    origin: str
    size: int
    root: bytes

    def text(self) -> str:
        """Return the text of the note."""
        return f"{self.origin}\n{self.size}\n{encode_base64(self.root)}\n"

    @classmethod
    def parse(cls, text: str) -> "Checkpoint":
        """Read the text of a note. Extension lines are refused, because nothing that we sign has any. Raises `BadNote`."""
        lines = text.split("\n")
        if len(lines) != 4 or not all(lines[:3]) or lines[3]:
            raise BadNote("not a checkpoint: expected origin, size and root, a line each")
        if not _SIZE.fullmatch(lines[1]):
            raise BadNote(f"not a checkpoint: {lines[1][:40]!r} is no number of leaves")
        root = decode_base64(lines[2])
        if len(root) != 32:
            raise BadNote(f"not a checkpoint: the root has {len(root)} bytes; expected 32")
        return cls(lines[0], int(lines[1]), root)


def origin_of(log_id: str, property_id: str) -> str:
    """Return the name under which a log signs: also the name of its keys.

    >>> origin_of("00112233445566778899aabbccddeeff", "bellwether")
    'discard-rack/bellwether/00112233445566778899aabbccddeeff'
    """
    return f"discard-rack/{property_id}/{log_id}"


def sign_checkpoint(checkpoint: Checkpoint, signer: Signer) -> Note:
    """Return the signed note of a checkpoint. Raises `BadNote` if the key is not one of the log."""
    key = signer.public_key
    if key.kind is not KeyKind.LOG or key.name != checkpoint.origin:
        raise BadNote(f"the key {key.name} does not sign for the log {checkpoint.origin}")
    return Note(checkpoint.text(), (sign(checkpoint.text(), signer),))


def cosign(note: Note, signer: Signer, time_s: int) -> Note:
    """Return the note with a witness's signature added; the witness must have checked that the log only grew."""
    Checkpoint.parse(note.text)
    return note.with_signatures([sign(note.text, signer, time_s=time_s)])


def open_checkpoint(note: Note, keys: Sequence[PublicKey]) -> tuple[Checkpoint, VerifiedSignature]:
    """Return the checkpoint and the log's signature under it, of one of these keys.

    Raises `BadNote` if it is no checkpoint, no such key of its log signed it, or a signature does not fit.
    """
    checkpoint = Checkpoint.parse(note.text)
    ours = [key for key in keys if key.kind is KeyKind.LOG and key.name == checkpoint.origin]
    signed = verify(note, ours)
    if not signed:
        named = ", ".join(f"{each.name} ({each.key_id.hex()})" for each in note.signatures)
        raise BadNote(f"no trusted key of {checkpoint.origin} signed this checkpoint; it names {named}")
    return checkpoint, signed[0]
