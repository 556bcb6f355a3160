"""The high-water file: the furthest acknowledged end of each stream, kept apart from the log and fsynced.

A log that lost acknowledged events looks whole to itself: a chain cut at its end is still a chain. This file contradicts it. It
holds fixed-size records, each with its own checksum, appended in one write and one fsync for a whole commit; the last valid
record of a stream counts. A write torn by a crash leaves records without a valid checksum, which are skipped: they were never
acknowledged. Room is reserved before the log commits, so that a full disk stops the commit and not the mark. A full file is
rewritten and renamed into place; its header says how many records were written with it and for how many there is room. Those are
all durable before the file has its name: none of them is ever torn, and one that is not valid is damage, as is another length of
the file.
"""

import contextlib
import os
import struct
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from events.errors import BrokenSeal, DamagedMark, LogUnavailable, LostTail
from events.log.contract import Head
from events.log.plain_file import NotPlainFile, read_plain

MAGIC = b"discard-rack high-water v1\n"
_SLOT = struct.Struct(">48sQ32s8s")
_EXTENT = struct.Struct(">QQ8s")
"""In the header after the log's id: the records that the file was written with, those for which it has room with the header,
and a checksum. Zeros: written by an earlier version."""
_EXTENT_AT = len(MAGIC) + 32
_GROWTH = 512
"""Slots reserved at a time (48 KiB), or 32 commits of the present size if that is more."""


class HighWater:
    """The high-water file of one log. Only the log's writer calls `reserve` and `record`; `load` is for readers too."""

    def __init__(self, path: Path, log_id: str) -> None:
        self.path, self.log_id = path, log_id
        self._heads: dict[str, Head] = {}
        self._file: int | None = None
        self._next = self._slots = 0
        self._loaded: tuple[bytes | None, dict[str, Head]] = None, {}

    def load(self) -> dict[str, Head]:
        """Return stream → furthest acknowledged end; empty if there is no file.

        The file is read each time, for a writer may be at work; bytes that are those of the last time are not checked again:
        who reads all streams of a log asks once for each of them, and that would take a tenth of its time.

        Raises `LostTail` if the file belongs to another log: the database was replaced.
        """
        try:
            content = read_plain(self.path)
        except FileNotFoundError:
            return {}
        except NotPlainFile as error:
            raise DamagedMark(self.path, str(error.strerror)) from error
        if content != self._loaded[0]:
            self._loaded = content, self._heads_in(content)
        heads = dict(self._loaded[1])
        owner = content[len(MAGIC) : len(MAGIC) + 32].decode(errors="replace")
        if heads and owner != self.log_id:
            stream = min(heads)
            message = f"events of the log {owner} were acknowledged at {self.path}, the database is the log {self.log_id}"
            raise LostTail(stream, 1, message)
        return heads

    def _heads_in(self, content: bytes) -> dict[str, Head]:
        """Return the ends that a file's content holds. Raises `DamagedMark` if it is not as a writer leaves it."""
        if len(content) < _SLOT.size or not content.startswith(MAGIC):
            raise DamagedMark(self.path, "it does not begin as a high-water file does")
        base, total, check = _EXTENT.unpack_from(content, _EXTENT_AT)
        if check != (_extent_check(base, total) if total else bytes(8)):
            raise DamagedMark(self.path, "its header was changed")
        if total and len(content) != total * _SLOT.size:
            raise DamagedMark(self.path, f"it has {len(content):,} bytes, it was made with {total * _SLOT.size:,}")
        heads: dict[str, Head] = {}
        for number, offset in enumerate(range(_SLOT.size, len(content) - _SLOT.size + 1, _SLOT.size), start=1):
            name, seq, hash_, check = _SLOT.unpack_from(content, offset)
            if check != _check(name, seq, hash_):
                if number <= base:
                    raise DamagedMark(self.path, f"record {number} of the {base} that it was written with was changed")
                continue
            stream = name.rstrip(b"\0").decode()
            if stream not in heads or seq >= heads[stream].seq:
                heads[stream] = Head(seq, hash_)
        return heads

    def marked(self, stream: str) -> Head | None:
        """Return the furthest end of a stream that is stored here, as read by `reserve`; None if none exists."""
        return self._heads.get(stream)

    def catch_up(self, *, anew: bool) -> None:
        """Read what another writer has recorded meanwhile; `again`: read everything, and trust nothing known.

        Raises what `load` raises.
        """
        if self._file is None:
            self._heads = {}
            return
        if not anew and self._is_in_place():
            if not os.pread(self._file, _SLOT.size, self._next * _SLOT.size).strip(b"\0"):
                return  # no one has recorded anything after us
            content = os.pread(self._file, self._slots * _SLOT.size, 0)
            self._heads = self._heads_in(content)
            self._next = -(-len(content.rstrip(b"\0")) // _SLOT.size)
            return
        self.close()
        self._heads = {}

    def _is_in_place(self) -> bool:
        """Whether the file that is open still bears its name; another writer may have put a new one there."""
        assert self._file is not None
        try:
            return os.path.samestat(os.fstat(self._file), os.stat(self.path))
        except FileNotFoundError:
            return False

    def reserve(self, slots: int) -> None:
        """Make room for this many records. Raises `OSError` (a full disk) before anything is committed."""
        if self._file is None or self._next + slots > self._slots:
            self._rewrite(slots)

    def record(self, heads: Mapping[str, Head]) -> None:
        """Store acknowledged ends durably: one write, one fsync. Raises `OSError`."""
        self.reserve(len(heads))
        assert self._file is not None
        content = b"".join(_slot(stream, head) for stream, head in heads.items())
        _write_at(self._file, content, self._next * _SLOT.size)
        os.fdatasync(self._file)
        self._next += len(heads)
        self._heads.update(heads)

    def acknowledge(self, stream: str, head: Head) -> None:
        """Store one end as `record` does, of events that are stored already. Raises `LogUnavailable` if the disk fails."""
        try:
            self.record({stream: head})
        except OSError as error:
            raise LogUnavailable(
                f"{self.path}: {error.strerror}; what was last added to {stream} is stored, and not acknowledged: start again"
            ) from error

    def close(self) -> None:
        """Release the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _rewrite(self, slots: int) -> None:
        """Write all known ends to a new file with room for more, and put it in the old one's place."""
        heads = self.load() | self._heads
        total = 1 + len(heads) + max(32 * slots, _GROWTH)
        extent = _EXTENT.pack(len(heads), total, _extent_check(len(heads), total))
        header = (MAGIC + self.log_id.encode() + extent).ljust(_SLOT.size, b"\0")
        content = header + b"".join(_slot(stream, head) for stream, head in sorted(heads.items()))
        fresh = self.path.with_name(self.path.name + ".new")
        file = os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o640)
        try:
            os.posix_fallocate(file, 0, total * _SLOT.size)
            _write_at(file, content, 0)
            os.fsync(file)
            os.replace(fresh, self.path)
            sync(self.path.parent)
        except OSError:
            os.close(file)
            with contextlib.suppress(OSError):
                fresh.unlink()
            self.close()  # which file the name stands for now is not certain: the next mark goes to one written again
            raise
        self.close()
        self._file, self._heads, self._next, self._slots = file, heads, 1 + len(heads), total


def compare(stream: str, mark: Head, head: Head, stored_hash: bytes | None) -> None:
    """Raise if a stream lacks acknowledged events. `stored_hash` is the chain hash stored at the sequence number of `mark`."""
    if head.seq < mark.seq:
        raise LostTail(stream, head.seq + 1, f"the stream ends at {head.seq}, but {mark.seq} events were acknowledged")
    if stored_hash != mark.hash:
        raise BrokenSeal(stream, mark.seq, "the stored chain hash is not the one that was acknowledged")


def sync(path: Path) -> None:
    """Make durable what was written to a file, or renamed and created in a directory. Raises `OSError`."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _slot(stream: str, head: Head) -> bytes:
    name = stream.encode().ljust(48, b"\0")
    return _SLOT.pack(name, head.seq, head.hash, _check(name, head.seq, head.hash))


def _check(name: bytes, seq: int, hash_: bytes) -> bytes:
    return sha256(name + seq.to_bytes(8, "big") + hash_).digest()[:8]


def _extent_check(base: int, total: int) -> bytes:
    return sha256(b"extent" + base.to_bytes(8, "big") + total.to_bytes(8, "big")).digest()[:8]


def _write_at(file: int, content: bytes, offset: int) -> None:
    while content:
        written = os.pwrite(file, content, offset)
        content, offset = content[written:], offset + written
