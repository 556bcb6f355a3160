"""Bookmarks: how far this machine has read a partition, so that the next process need not start at the beginning.

The idea: a bookmark saves reading and is never evidence. It is stored next to the high-water file, summarizes the records before
an offset, and identifies the last of them; if that record is missing or changed, the whole bookmark is ignored. Proofs of a log's
integrity (`rack verify`, proofs, archives) are read without bookmarks. If anything read with the help of bookmarks does not fit,
they are deleted and it is read again from the beginning before anyone is accused. A missing, damaged or foreign bookmark counts
as none, and failing to write one costs only time.
"""

import contextlib
import os
import secrets
from hashlib import sha256
from pathlib import Path
from typing import Final, Protocol, TypeVar

import msgspec

from events.kafka.client import TopicPartition, TopicReader
from events.log.plain_file import read_plain

STATE_DIR: Final = Path(".rack")
"""The usual folder of a machine's files for its logs on Kafka: high-water files, locks, bookmarks."""
_MAGIC: Final = b"discard-rack bookmark v1\n"
_Content = TypeVar("_Content", bound=msgspec.Struct)


class BookmarkRecord(Protocol):
    """A record as Kafka keeps it."""

    @property
    def key(self) -> bytes | None:
        """Its key."""

    @property
    def value(self) -> bytes | None:
        """Its bytes."""

    @property
    def headers(self) -> list[tuple[str, bytes | None]]:
        """Its headers."""


class Landmark(msgspec.Struct, frozen=True, array_like=True):
    """A record that must still be in its place: its offset, and SHA-256 over its key, headers and bytes."""

    offset: int
    digest: bytes

    @classmethod
    def at(cls, offset: int, record: BookmarkRecord) -> "Landmark":
        """Return the landmark of a record at an offset."""
        content = [record.key, [list(header) for header in record.headers], record.value]
        return cls(offset, sha256(msgspec.msgpack.encode(content)).digest())

    def stands(self, reader: TopicReader, lane: TopicPartition) -> bool:
        """Whether the record is there, unchanged."""
        if reader.ends([lane])[lane] <= self.offset:
            return False
        found = next(reader.scan(lane, self.offset, self.offset + 1), None)
        return found is not None and Landmark.at(found.offset, found) == self


class Bookmark:
    """The file of one bookmark, of a log's partition."""

    def __init__(self, path: Path, log_id: str) -> None:
        self.path, self._owner = path, log_id.encode()

    def load(self, content: type[_Content]) -> _Content | None:
        """Return the stored content; None if it is missing, incomplete or belongs to another log."""
        try:
            stored = read_plain(self.path)
        except OSError:
            return None
        start = len(_MAGIC) + 32
        if stored[:start] != _MAGIC + self._digest(stored[start:]):
            return None
        try:
            return msgspec.msgpack.decode(stored[start:], type=content)
        except msgspec.MsgspecError:
            return None

    def store(self, content: msgspec.Struct) -> None:
        """Replace the stored content, whole or not at all; if that fails, the old content stays."""
        data = msgspec.msgpack.encode(content)
        fresh = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}.new")
        with contextlib.suppress(OSError):
            try:
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with open(fresh, "xb") as file:
                    file.write(_MAGIC + self._digest(data) + data)
                os.replace(fresh, self.path)
            finally:
                fresh.unlink(missing_ok=True)

    def forget(self) -> None:
        """Delete the bookmark."""
        with contextlib.suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _digest(self, data: bytes) -> bytes:
        return sha256(self._owner + b"\0" + self.path.name.encode() + b"\0" + data).digest()
