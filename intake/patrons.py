"""Patron tokens: keyed hashes of the numbers on patrons' cards, so that the log names no one and erasure needs no rewriting.

A device may say `"patron":"card:4711"`; `rack ingest --patrons KEYRING` puts a token in its place before anything is stored. A
token is an HMAC-SHA256, cut to 128 bits, of the card's number and a secret of that patron's own, under the key of the epoch in
which the event happened; `events.vocabulary.card_numbers` finds the numbers, however they are written. With the number and the
keyring, the token can be made again; with the log alone it cannot.

* Rotation begins a new epoch: from then on the same patron has another token. An event's token depends on the event's time,
  so what is handed in twice, or late, stays the same event.
* Erasure destroys keys: a patron's secret (that patron's tokens can never again be made from the number), or the key of an
  epoch (everybody's of that time). The log is not touched, and its chain stays whole.

The keyring is a file of lines of JSON, readable by its owner alone. A secret is on the disk before its token is used.
"""

import contextlib
import fcntl
import hmac
import os
import re
import secrets
import stat
from base64 import b32encode
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from events.vocabulary.card_numbers import without_card_numbers
from intake.errors import IntakeError, NoKeyring

HEADER_FORM = "discard-rack patron keyring 1"
MAX_EPOCHS = 999
_TIME = re.compile(rb'"occurred_at_us"\s*:\s*([1-9][0-9]{0,15})\b')


class Header(msgspec.Struct, frozen=True, tag="keyring", forbid_unknown_fields=True):
    """The first line: the kind of file, and the key that turns card numbers into lookup keys."""

    form: str
    index_key: str


class Epoch(msgspec.Struct, frozen=True, tag="epoch", forbid_unknown_fields=True):
    """A period in which one key makes the tokens. `since_us` is in UTC microseconds; `key` is None once destroyed."""

    number: int
    since_us: int
    key: str | None


class PatronSecret(msgspec.Struct, frozen=True, tag="patron", forbid_unknown_fields=True):
    """A patron's secret, found by the keyed hash of the card's number; the number itself is not kept."""

    index: str
    secret: str


KeyringLine = Header | Epoch | PatronSecret
_decoder: msgspec.json.Decoder[KeyringLine] = msgspec.json.Decoder(KeyringLine)


class Keyring:
    """An open keyring; only one process can open it. Close it, or use it in a `with`."""

    def __init__(self, path: Path) -> None:
        """Open an existing keyring. Raises `IntakeError` if it is missing, readable by others, in use, or damaged."""
        self.path = path
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        except FileNotFoundError:
            raise IntakeError(f"{path}: there is no keyring; `rack patrons new --keyring {path}` makes one") from None
        try:
            self._lock_and_read()
        except BaseException:
            os.close(self._file)
            raise

    @classmethod
    def new(cls, path: Path) -> Self:
        """Make a keyring with its first epoch, which holds from the beginning of time. Never overwrites a file."""
        _write_new(path, [Header(HEADER_FORM, secrets.token_hex(32)), Epoch(1, 0, secrets.token_hex(32))])
        return cls(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Close the keyring."""
        os.close(self._file)

    @property
    def patrons(self) -> int:
        """How many patrons have a secret."""
        return len(self._secrets)

    def token(self, number: str, at_us: int) -> str:
        """Return a card's token at a time (UTC microseconds); a card seen for the first time is given a secret.

        Raises `IntakeError` if the key of that time was destroyed.
        """
        epoch = next((each for each in reversed(self.epochs) if each.since_us <= at_us), self.epochs[0])
        if epoch.key is None:
            raise IntakeError(f"the key of epoch {epoch.number} was destroyed; events of that time get no token")
        index = self._index(number)
        secret = self._secrets.get(index)
        if secret is None:
            secret = self._secrets[index] = secrets.token_hex(32)
            self._append(PatronSecret(index, secret))
        digest = _hmac(epoch.key, bytes.fromhex(secret) + number.encode())[:16]
        return f"p{epoch.number}-{b32encode(digest).decode().rstrip('=').lower()}"

    def known(self, number: str) -> bool:
        """Return whether a card has a secret."""
        return self._index(number) in self._secrets

    def rotate(self, since_us: int) -> Epoch:
        """Begin a new epoch at a time later than the last one's. Raises `IntakeError`."""
        last = self.epochs[-1]
        if since_us <= last.since_us:
            raise IntakeError(f"{self.path}: epoch {last.number} begins at that time or later; give a later one")
        if last.number == MAX_EPOCHS:
            raise IntakeError(f"{self.path}: there are {MAX_EPOCHS} epochs already; begin a new keyring")
        epoch = Epoch(last.number + 1, since_us, secrets.token_hex(32))
        self._append(epoch)
        self.epochs.append(epoch)
        return epoch

    def erase(self, numbers: Iterable[str]) -> int:
        """Destroy the secrets of cards; return how many there were."""
        indices = {self._index(number) for number in numbers} & set(self._secrets)
        for index in indices:
            del self._secrets[index]
        if indices:
            self._rewrite()
        return len(indices)

    def destroy(self, number: int) -> None:
        """Destroy the key of an epoch. Raises `IntakeError` if there is no such epoch, or it is destroyed already."""
        for place, epoch in enumerate(self.epochs):
            if epoch.number == number and epoch.key is not None:
                self.epochs[place] = Epoch(number, epoch.since_us, None)
                self._rewrite()
                return
        raise IntakeError(f"{self.path}: there is no epoch {number} with a key; `rack patrons list` shows them")

    def _index(self, number: str) -> str:
        return _hmac(self._header.index_key, number.encode()).hex()

    def _lock_and_read(self) -> None:
        state = os.fstat(self._file)
        if stat.S_IMODE(state.st_mode) & 0o077:
            raise IntakeError(f"{self.path}: others can read the keyring; chmod 600 it, and rotate its key")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise IntakeError(f"{self.path}: another process uses the keyring; wait until it is done") from None
        data = os.pread(self._file, state.st_size, 0)
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):  # the last line was torn by a crash: its token was never used
            os.ftruncate(self._file, len(whole))
        lines = [self._line(number, line) for number, line in enumerate(whole.splitlines(), 1)]
        self.epochs = [line for line in lines if isinstance(line, Epoch)]
        self._secrets = {line.index: line.secret for line in lines if isinstance(line, PatronSecret)}
        if not lines or not isinstance(lines[0], Header) or lines[0].form != HEADER_FORM or not self.epochs:
            raise IntakeError(f"{self.path}: expected a file that `rack patrons new` made ({HEADER_FORM!r} in its first line)")
        self._header = lines[0]

    def _line(self, number: int, data: bytes) -> KeyringLine:
        try:
            return _decoder.decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):  # its content is secret: it is not repeated here
            raise IntakeError(f"{self.path}:{number}: no line of a patron keyring; restore it from a copy") from None

    def _append(self, line: Epoch | PatronSecret) -> None:
        os.lseek(self._file, 0, os.SEEK_END)
        _write_all(self._file, [line])

    def _rewrite(self) -> None:
        """Put the keyring without what was destroyed in the place of the old one, and overwrite the old one's bytes."""
        patrons = [PatronSecret(index, secret) for index, secret in self._secrets.items()]
        beside = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.new")
        _write_new(beside, [self._header, *self.epochs, *patrons])
        file = os.open(beside, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(beside, self.path)
        _sync_folder(self.path)
        os.pwrite(self._file, b"\0" * os.fstat(self._file).st_size, 0)
        os.fsync(self._file)
        os.close(self._file)
        self._file = file


def with_tokens(data: bytes, keyring: Keyring | None) -> bytes:
    """Return a reported line with a token in place of every card number; other bytes as they are.

    What could be a card number and gets no token (its number cannot be read, it is in other text, the line has no time)
    is replaced by `events.vocabulary.card_numbers.PLACEHOLDER`. If a string is a card number, raises `NoKeyring` without a
    keyring, and `IntakeError` if the key of that time was destroyed.
    """
    found = _TIME.search(data)

    def token(number: str) -> str | None:
        if keyring is None:
            raise NoKeyring("a card number stands where a token belongs; name the keyring with --patrons")
        return None if found is None else keyring.token(number, int(found[1]))

    return without_card_numbers(data, token)


def _hmac(key: str, message: bytes) -> bytes:
    return hmac.digest(bytes.fromhex(key), message, "sha256")


def _write_new(path: Path, lines: Iterable[KeyringLine]) -> None:
    try:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except FileExistsError:
        raise IntakeError(f"{path} is there already; a keyring is never overwritten") from None
    try:
        _write_all(file, lines)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    finally:
        os.close(file)
    _sync_folder(path)


def _write_all(file: int, lines: Iterable[KeyringLine]) -> None:
    data = memoryview(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    while data:
        data = data[os.write(file, data) :]
    os.fsync(file)


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
