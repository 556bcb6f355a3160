"""What a key signed last for a log: kept next to the key, and written before the checkpoint goes to its store.

A process that dies in between leaves the checkpoint here, and the next one stores it as it was signed: a log never signs two
checkpoints that cannot both be true. A store that holds less than what is here, or something else, has lost or changed it.
"""

import os
from pathlib import Path

import msgspec

from events.errors import IntegrityError
from events.log.contract import Head
from events.log.high_water import sync
from events.log.plain_file import NotPlainFile, read_plain
from events.proofs.statements import CHECKPOINTS

_MAGIC = b"discard-rack signed v1"


class SigningRecord(msgspec.Struct, frozen=True):
    """A signed checkpoint: the number of statements before and after it, the root of their tree, and the encoded batch."""

    before: int
    head: Head
    data: bytes


class SigningMemory:
    """The memory of one key for one log."""

    def __init__(self, key_file: Path, log_id: str) -> None:
        self.path = key_file.with_name(f"{key_file.name}.{log_id[:8]}.signed")
        self._log_id = log_id

    def load(self) -> SigningRecord | None:
        """Return what was signed last; None if nothing was. Raises `IntegrityError` if the file is not as written."""
        try:
            content = read_plain(self.path)
        except FileNotFoundError:
            return None
        except NotPlainFile as error:
            raise IntegrityError(CHECKPOINTS, 1, str(error)) from error
        header, _, data = content.partition(b"\n")
        try:
            magic, log_id, before, size, root = header.rsplit(b" ", 4)
            if (magic, log_id) != (_MAGIC, self._log_id.encode()):
                raise ValueError
            return SigningRecord(int(before), Head(int(size), bytes.fromhex(root.decode())), data)
        except ValueError as error:
            message = f"{self.path} is not what was written when this key last signed for the log {self._log_id}; keep it"
            raise IntegrityError(CHECKPOINTS, 1, message) from error

    def record(self, signed: SigningRecord) -> None:
        """Remember a checkpoint durably, in place of the one before. If it raises `OSError`, the checkpoint must not be used."""
        numbers = f"{self._log_id} {signed.before} {signed.head.seq} {signed.head.hash.hex()}\n".encode()
        fresh = self.path.with_name(self.path.name + ".new")
        with fresh.open("wb") as file:
            file.write(_MAGIC + b" " + numbers + signed.data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(fresh, self.path)
        sync(self.path.parent)
