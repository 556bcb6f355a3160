"""Keys that sign for a log: private keys in files that no one else can read, and which key was in force when.

A key file holds one line: `PRIVATE+KEY+name+id+base64(kind ‖ seed)`, the text form of C2SP signed-note, or
`HOOK package.module:factory argument` for a key that lies in a device or service: `factory(argument)` returns the `Signer`.
Either way its mode must be 0600. Public keys are in the property's stream (`key_published`, `key_retired`), so that
a reader of the log up to a checkpoint knows which key had to sign that checkpoint. A key vouches for another only while it
is in force: published before the event that publishes the other, and not retired before it (D447).
"""

import contextlib
import importlib
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from events.errors import EventError, IntegrityError
from events.log.contract import EventLog, Record
from events.log.high_water import sync
from events.log.plain_file import open_plain, read_plain
from events.proofs.signed_note import (
    BadNote,
    KeyKind,
    Note,
    PublicKey,
    Signer,
    check_name,
    decode_base64,
    encode_base64,
    sign,
    verify,
)
from events.vocabulary.codec import read
from events.vocabulary.model import KeyPublished, KeyRetired

PROPERTY_STREAM = "property/main"
_HOOK = re.compile(r"HOOK ([\w.]+):(\w+) (\S+)")


class KeyRefused(ValueError):
    """A key file cannot be used; the message says which and what to do."""


class FileSigner:
    """A private key in memory, from its file."""

    def __init__(self, public_key: PublicKey, private: Ed25519PrivateKey) -> None:
        self._public_key, self._private = public_key, private

    @property
    def public_key(self) -> PublicKey:
        """The key that verifies what this signs."""
        return self._public_key

    def sign(self, message: bytes) -> bytes:
        """Return the Ed25519 signature of a message, 64 bytes."""
        return self._private.sign(message)


def new_key(path: Path, name: str, kind: KeyKind) -> FileSigner:
    """Make a key pair: the private key in a new file of mode 0600, the public one next to it as `<file>.pub`.

    Raises `KeyRefused` if a file is there already, `OSError` if the disk fails; then neither is left behind.
    """
    private = Ed25519PrivateKey.generate()
    public = PublicKey(_checked(name), kind, private.public_key().public_bytes_raw())
    secret = encode_base64(bytes([kind]) + private.private_bytes_raw())
    _create(path, f"PRIVATE+KEY+{name}+{public.id.hex()}+{secret}\n", 0o600)
    try:
        _create(path.with_name(path.name + ".pub"), f"{public}\n", 0o640)
    except (KeyRefused, OSError):
        path.unlink()  # a key of which no one has the public half would be in the way of the next try
        raise
    return FileSigner(public, private)


def read_signer(path: Path) -> Signer:
    """Return the signer for the key in a file. Raises `KeyRefused` if others may read it, or it is no key file."""
    try:
        with open(open_plain(path, links=True), "rb") as file:
            status = os.fstat(file.fileno())
            content = file.read(4096)
    except OSError as error:
        raise KeyRefused(f"{path}: {error.strerror}; `rack keys new` makes a key") from error
    if status.st_mode & 0o077:
        mode = stat.S_IMODE(status.st_mode)
        raise KeyRefused(f"{path}: its mode is {mode:04o}, so that others can use the key; `chmod 600` it, or take a new key")
    try:
        line = content.decode("ascii").removesuffix("\n")
    except UnicodeDecodeError as error:
        raise KeyRefused(f"{path} is no key file: not text") from error
    hook = _HOOK.fullmatch(line)
    return _from_hook(path, *hook.groups()) if hook else _from_line(path, line)


def read_public_key(path: Path, kind: KeyKind = KeyKind.LOG) -> PublicKey:
    """Return the public key of a `.pub` file. Raises `KeyRefused` if it is not one, or not of this kind."""
    try:
        key = PublicKey.parse(read_plain(path, 4096).decode())
    except OSError as error:
        raise KeyRefused(f"{path}: {error.strerror}") from error
    except (BadNote, UnicodeDecodeError) as error:
        raise KeyRefused(f"{path}: {error}") from error
    if key.kind is not kind:
        raise KeyRefused(f"{path} is the key of a {key.kind.name.lower()}; expected that of a {kind.name.lower()}")
    return key


def vouch_for(key: PublicKey, signer: Signer) -> str:
    """Return an older key's line of signature over a new one: those who trust the older can follow to the newer."""
    return sign(_vouch_text(key), signer).line()


class KeyEntry(msgspec.Struct):
    """A key of a log: the numbers of the events that published and retired it (0: not retired), the published vouch for it, and
    the key that vouches (None: there is no vouch, or it does not count).
    """

    key: PublicKey
    published: int
    retired: int
    vouch: str | None
    voucher: PublicKey | None

    @property
    def vouched_for(self) -> str:
        """Whether another key vouches for it, in words."""
        if self.voucher is not None:
            return f"by {self.voucher.id.hex()}"
        return "not valid" if self.vouch else "no"

    def values(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        return {
            "public_key": str(self.key),
            "published": self.published,
            "retired": self.retired or None,
            "vouch": self.vouch,
            "vouched_by": str(self.voucher) if self.voucher is not None else None,
        }


class KeyRing:
    """The keys that a log names, folded from its property stream."""

    def __init__(self) -> None:
        self.entries: list[KeyEntry] = []
        self.faults: dict[int, str] = {}
        """Number of an event that publishes a key with a vouch that does not count → what is wrong with it."""

    def add(self, record: Record) -> None:
        """Note what an event of the property stream says about keys; other events are ignored."""
        if b'"key_' not in record.data:
            return
        try:
            payload = read(record.data).payload
            if isinstance(payload, KeyPublished):
                self._publish(record.seq, PublicKey.parse(payload.public_key), payload.vouch)
            elif isinstance(payload, KeyRetired):
                entry = self.of(PublicKey.parse(payload.public_key))
                if entry is not None and not entry.retired:
                    entry.retired = record.seq
        except (EventError, BadNote):
            return  # what cannot be read publishes nothing; the walk through the stream names it

    def _publish(self, seq: int, key: PublicKey, vouch: str | None) -> None:
        """Note a key that an event publishes; every key that is noted so far was published before."""
        voucher = None
        if vouch is not None:
            try:
                voucher = self._voucher(key, vouch)
            except BadNote as error:
                self.faults[seq] = f"it publishes the key {named(key)}, and the vouch with it does not count: {error}"
        if self.of(key) is None:
            self.entries.append(KeyEntry(key, seq, 0, vouch, voucher))

    def _voucher(self, key: PublicKey, vouch: str) -> PublicKey:
        """Return the key now in force that vouches for another one. Raises `BadNote` saying why none exists."""
        note = Note.decode(f"{_vouch_text(key)}\n{vouch}\n".encode())
        if len(note.signatures) != 1:
            raise BadNote(f"expected one line of signature, found {len(note.signatures)}")
        signature = note.signatures[0]
        claimed = [entry for entry in self.entries if signature.of(entry.key) and entry.key != key]
        for entry in claimed:
            if not entry.retired and _verifies(note, entry.key):
                return entry.key
        if signature.of(key):
            raise BadNote("the key vouches for itself")
        if not claimed:
            raise BadNote(f"no event before it publishes the key {signature.name} ({signature.key_id.hex()}), which vouches")
        last = claimed[-1]
        if last.retired:
            raise BadNote(f"event {last.retired} had retired the key {named(last.key)}, which vouches")
        raise BadNote(f"the signature of {named(last.key)} does not fit the key")

    def of(self, key: PublicKey) -> KeyEntry | None:
        """Return what the log says of a key, or None."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def in_force(self, size: int) -> list[PublicKey]:
        """Return the keys that may sign for the first `size` events of the property stream."""
        return [each.key for each in self.entries if each.published <= size and not 0 < each.retired <= size]

    def trusted(self, anchors: Sequence[PublicKey]) -> list[PublicKey]:
        """Return these keys and all keys for which they vouch, directly or through others."""
        found = list(anchors)
        for entry in self.entries:  # in the order of publication: who vouches is older
            if entry.key not in found and entry.voucher in found:
                found.append(entry.key)
        return found

    def earlier(self, anchors: Sequence[PublicKey]) -> list[PublicKey]:
        """Return the keys that vouch for one of these keys, directly or through others, without these keys themselves."""
        found = list(anchors)
        for entry in reversed(self.entries):
            if entry.key in found and entry.voucher is not None and entry.voucher not in found:
                found.append(entry.voucher)
        return found[len(anchors) :]

    def unvouched(self) -> list[PublicKey]:
        """Return the keys, except the first, for which no key vouches that was in force when they were published."""
        return [entry.key for entry in self.entries[1:] if entry.voucher is None]


def read_ring(log: EventLog) -> KeyRing:
    """Return the keys that a log names, as far as its property stream is sound; verification names the break."""
    ring = KeyRing()
    with contextlib.suppress(IntegrityError):
        for record in log.read(PROPERTY_STREAM):
            ring.add(record)
    return ring


def _vouch_text(key: PublicKey) -> str:
    return f"rack/key/v1\n{key}\n"


def named(key: PublicKey) -> str:
    """Return a key's name and id, as messages give them."""
    return f"{key.name} ({key.id.hex()})"


def _verifies(note: Note, key: PublicKey) -> bool:
    try:
        return bool(verify(note, [key]))
    except BadNote:
        return False


def _checked(name: str) -> str:
    try:
        return check_name(name)
    except BadNote as error:
        raise KeyRefused(str(error)) from error


def _create(path: Path, content: str, mode: int) -> None:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    except FileExistsError as error:
        raise KeyRefused(f"{path} is there already, and no key is ever overwritten; name another file") from error
    try:
        with os.fdopen(file, "w") as stream:
            os.fchmod(file, mode)
            stream.write(content)
            stream.flush()
            os.fsync(file)
        sync(path.parent)
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _from_line(path: Path, line: str) -> Signer:
    parts = line.split("+", 4)
    if len(parts) != 5 or parts[:2] != ["PRIVATE", "KEY"]:
        raise KeyRefused(f"{path} is no key file: expected PRIVATE+KEY+name+id+base64, or HOOK module:factory argument")
    try:
        data = decode_base64(parts[4])
        private = Ed25519PrivateKey.from_private_bytes(data[1:])
        public = PublicKey(check_name(parts[2]), KeyKind(data[0]), private.public_key().public_bytes_raw())
    except (BadNote, ValueError, IndexError) as error:
        raise KeyRefused(f"{path}: the private key cannot be read") from error
    if public.id.hex() != parts[3]:
        raise KeyRefused(f"{path}: the key's id is {public.id.hex()}, the file says {parts[3][:20]}")
    return FileSigner(public, private)


def _from_hook(path: Path, module: str, name: str, argument: str) -> Signer:
    try:
        signer: Signer = getattr(importlib.import_module(module), name)(argument)
    except (ImportError, AttributeError) as error:
        raise KeyRefused(f"{path}: {module}:{name} cannot be loaded: {error}") from error
    return signer
