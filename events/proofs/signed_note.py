"""Signed notes (C2SP signed-note): a text, a blank line, and lines of signatures; and keys in the text form of that format. Pure.

A public key is written `name+id+base64(kind ‖ key)`, where the id is the first 4 bytes of SHA-256(name ‖ "\\n" ‖ kind ‖
key) as 8 hex digits. Two kinds are known here: 0x01 signs the text as it is, 0x04 is a witness that signs the text with the
time (C2SP tlog-cosignature v1). Any tool for signed notes or transparency logs reads these forms.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Sequence
from enum import IntEnum
from hashlib import sha256
from typing import Protocol

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MAX_NOTE_BYTES = 64 * 1024
MAX_SIGNATURES = 100
MAX_TIME_S = 2**63 - 1
_DASH = "\N{EM DASH} "
_KEY_ID = re.compile(r"[0-9a-f]{8}")


class BadNote(ValueError):
    """A note, a key or a signature is not of its form, or does not verify."""


class KeyKind(IntEnum):
    """The purpose of a key: the first byte of its encoded form."""

    LOG = 0x01
    WITNESS = 0x04


class PublicKey(msgspec.Struct, frozen=True):
    """An Ed25519 public key (32 bytes) with its name and kind. `str()` gives the text form, `parse` reads it."""

    name: str
    kind: KeyKind
    key: bytes

    @property
    def id(self) -> bytes:
        """The 4 bytes that are before each of its signatures."""
        return sha256(self.name.encode() + b"\n" + bytes([self.kind]) + self.key).digest()[:4]

    @classmethod
    def parse(cls, text: str) -> "PublicKey":
        """Read the text form. Raises `BadNote` saying what is wrong."""
        parts = text.strip().split("+", 2)  # the last part is base64, in which + stands for a digit
        if len(parts) != 3:
            raise BadNote(f"not a public key: expected name+id+base64, got {text.strip()[:80]!r}")
        name, key_id, encoded = parts
        data = decode_base64(encoded)
        if len(data) != 33 or data[0] not in list(KeyKind):
            raise BadNote(f"the public key {name}: expected an Ed25519 key of kind 1 (log) or 4 (witness)")
        found = cls(check_name(name), KeyKind(data[0]), data[1:])
        if not _KEY_ID.fullmatch(key_id) or found.id.hex() != key_id:
            raise BadNote(f"the public key {name}: its id is {found.id.hex()}, the text says {key_id[:20]}")
        return found

    def __str__(self) -> str:
        return f"{self.name}+{self.id.hex()}+{encode_base64(bytes([self.kind]) + self.key)}"

    def verifies(self, signature: bytes, message: bytes) -> bool:
        """Return whether the 64 bytes are this key's Ed25519 signature of the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.key).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class Signer(Protocol):
    """The holder of a private key: a file (`events.proofs.keys`), or a device or service that never gives it out."""

    @property
    def public_key(self) -> PublicKey:
        """The key that verifies what this signs."""

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes."""


class NoteSignature(msgspec.Struct, frozen=True):
    """One signature line: the signer's name, the 4 bytes of the key's id, and the signature."""

    name: str
    key_id: bytes
    data: bytes

    def line(self) -> str:
        """Return the line as it is in the note, without its end."""
        return f"{_DASH}{self.name} {encode_base64(self.key_id + self.data)}"

    def of(self, key: PublicKey) -> bool:
        """Return whether the line claims to be of this key: by name and id, and no more than that."""
        return (self.name, self.key_id) == (key.name, key.id)


class Note(msgspec.Struct, frozen=True):
    """A text that ends in a line break, and the signatures under it, in their order."""

    text: str
    signatures: tuple[NoteSignature, ...]

    def encode(self) -> bytes:
        """Return the note's bytes."""
        return f"{self.text}\n{''.join(each.line() + chr(10) for each in self.signatures)}".encode()

    @classmethod
    def decode(cls, data: bytes) -> "Note":
        """Read a note strictly. Raises `BadNote` saying what is wrong."""
        if len(data) > MAX_NOTE_BYTES:
            raise BadNote(f"a note of {len(data)} bytes; at most {MAX_NOTE_BYTES} are read")
        try:
            content = data.decode()
        except UnicodeDecodeError as error:
            raise BadNote(f"the note is not UTF-8: {error}") from error
        if re.search(r"[\x00-\x09\x0b-\x1f]", content):
            raise BadNote("the note holds a control character")
        text, separator, signatures = content.rpartition("\n\n")
        if not separator or not signatures.endswith("\n"):
            raise BadNote("not a signed note: expected a text, an empty line, and lines of signatures")
        lines = signatures[:-1].split("\n")
        if len(lines) > MAX_SIGNATURES:
            raise BadNote(f"the note has {len(lines)} signatures; at most {MAX_SIGNATURES} are read")
        return cls(text + "\n", tuple(map(_read_line, lines)))

    def with_signatures(self, signatures: Iterable[NoteSignature]) -> "Note":
        """Return the note with these signatures added."""
        return Note(self.text, (*self.signatures, *signatures))


class VerifiedSignature(msgspec.Struct, frozen=True):
    """A signature that verified: whose, and for a witness the time it states, in seconds since 1970."""

    key: PublicKey
    time_s: int | None


def sign(text: str, signer: Signer, *, time_s: int | None = None) -> NoteSignature:
    """Return the signature of a key over a text; a witness signs the text with the time.

    Raises `BadNote` if the text cannot be a note, or a witness has no time, or another key has one.
    """
    key = signer.public_key
    if (time_s is None) == (key.kind is KeyKind.WITNESS):
        raise BadNote(f"the key {key.name} is a {key.kind.name.lower()}'s: only a witness states a time, and it must")
    stamp = b"" if time_s is None else time_s.to_bytes(8, "big")
    data = stamp + signer.sign(_message(text, time_s))
    signature = NoteSignature(check_name(key.name), key.id, data)
    if Note.decode(Note(text, (signature,)).encode()) != Note(text, (signature,)):
        raise BadNote("the text would not read back as the same note")
    return signature


def verify(note: Note, keys: Sequence[PublicKey]) -> list[VerifiedSignature]:
    """Return the signatures of these keys under a note, each of which verified; others are ignored.

    Raises `BadNote` if one claims to be of such a key and is not, or a key signed twice.
    """
    found: list[VerifiedSignature] = []
    for signature in note.signatures:
        for key in keys:
            if not signature.of(key):
                continue
            if any(each.key == key for each in found):
                raise BadNote(f"the key {key.name} signed the note twice")
            found.append(_verified(note.text, signature, key))
    return found


def _verified(text: str, signature: NoteSignature, key: PublicKey) -> VerifiedSignature:
    data, time_s = signature.data, None
    if key.kind is KeyKind.WITNESS:
        data, time_s = data[8:], int.from_bytes(data[:8], "big")
    if (time_s or 0) > MAX_TIME_S or not key.verifies(data, _message(text, time_s)):
        raise BadNote(f"the signature of {key.name} ({key.id.hex()}) does not fit the text")
    return VerifiedSignature(key, time_s)


def _message(text: str, time_s: int | None) -> bytes:
    """Return what is signed. A witness's header keeps its signature from being taken for one of another kind."""
    return text.encode() if time_s is None else f"cosignature/v1\ntime {time_s}\n{text}".encode()


def _read_line(line: str) -> NoteSignature:
    parts = line.removeprefix(_DASH).split(" ")
    if not line.startswith(_DASH) or len(parts) != 2:
        raise BadNote(f"not a line of signature: {line[:80]!r}")
    data = decode_base64(parts[1])
    if len(data) < 5:
        raise BadNote(f"a signature of {len(data)} bytes: expected 4 bytes of the key's id and more")
    return NoteSignature(check_name(parts[0]), data[:4], data[4:])


def check_name(name: str) -> str:
    """Return the name of a key. Raises `BadNote` if it is empty or has white space, a plus or control characters."""
    if not name or "+" in name or any(letter.isspace() or letter < " " for letter in name):
        raise BadNote(f"{name!r} is no name of a key: it must not be empty, nor have white space or a plus in it")
    return name


def encode_base64(data: bytes) -> str:
    """Return standard base64 with padding."""
    return base64.b64encode(data).decode()


def decode_base64(text: str) -> bytes:
    """Read standard base64 in its one canonical form. Raises `BadNote`."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadNote(f"not base64: {text[:40]!r}") from error
    if encode_base64(data) != text:
        raise BadNote(f"not base64 in its canonical form: {text[:40]!r}")
    return data
