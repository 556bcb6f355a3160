"""The warehouse's file and the one before it: each build makes a new file that replaces the present one at once.

Invariant: the present file is never written to. A build does not copy it, which would take time by its size: it extends the file
that was present before (the spare, a hidden file next to it) and swaps the two. A reader holds a lock on its file; if the spare
is still being read, the build copies the present file instead. The seal, kept in another file, shows that a file was not written
to since: its size, inode and times. A file without its seal is compared with its digests, row by row (`digests`), before it is
used.
"""

import fcntl
import glob
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import msgspec

FICLONE: Final = 0x40049409
"""The request by which Linux copies a file without its blocks."""


class Seal(msgspec.Struct, frozen=True):
    """The identity of a file: a write to it changes a time that no program can set."""

    inode: int
    size: int
    written_ns: int
    changed_ns: int


class Seals(msgspec.Struct, frozen=True):
    """The seals of the present file and of the spare (None: none)."""

    placed: Seal
    spare: Seal | None


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a path for a new file; after the block it replaces `path` at once and durably.

    The file is made in a folder next to `path` that is locked during the build; folders of killed builds are removed, and the
    spare with them. Raises `OSError`.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    folder, lock = _build_folder(target)
    try:
        fresh = folder / target.name
        yield fresh
        _sync(fresh)
        _seals_file(target).unlink(missing_ok=True)
        _spare(target).unlink(missing_ok=True)
        os.replace(fresh, target)
        _sync(target.parent)
        _seal(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


@contextmanager
def following(path: str | Path) -> Iterator[Path]:
    """Yield an earlier generation's file, or a copy, to write; it then replaces `path` durably. Raises `OSError`."""
    target = Path(path)
    folder, lock = _build_folder(target)
    try:
        fresh = folder / target.name
        with _taken(_spare(target), _seals(target)) as spare:
            if spare is None:
                _copy(target, fresh)
            else:
                os.replace(spare, fresh)
            yield fresh
            _sync(fresh)
            _seals_file(target).unlink(missing_ok=True)
            os.link(target, folder / "before")
            os.replace(folder / "before", _spare(target))
            os.replace(fresh, target)
            _sync(target.parent)
        _seal(target)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def is_sealed(path: str | Path) -> bool:
    """Return whether the present file is known to be unchanged."""
    found = _seals(Path(path))
    return found is not None and found.placed == _seal_of(Path(path))


def copy_anew(path: str | Path, fresh: Path) -> None:
    """Replace an unusable spare from `following` with a copy of the present file."""
    fresh.unlink(missing_ok=True)
    fresh.with_name(fresh.name + ".wal").unlink(missing_ok=True)
    _copy(Path(path), fresh)


@contextmanager
def reserved(path: str | Path) -> Iterator[Callable[[], bool]]:
    """Keep builds from writing to the file at `path`; yield whether it is the present one. Raises `FileNotFoundError`."""
    while True:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:  # it has left its place just now, and a build is at work on it
            os.close(handle)
            continue
        break
    inode = os.fstat(handle).st_ino
    try:
        yield lambda: Path(path).is_file() and os.stat(path).st_ino == inode
    finally:
        os.close(handle)


def stamp(path: str | Path) -> tuple[int, int] | None:
    """Return a value that changes with every new generation, without opening the file; None without a file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _spare(target: Path) -> Path:
    return target.with_name(f".{target.name}.spare")


def _seals_file(target: Path) -> Path:
    return target.with_name(f".{target.name}.seals")


def _seals(target: Path) -> Seals | None:
    try:
        return msgspec.json.decode(_seals_file(target).read_bytes(), type=Seals)
    except (OSError, msgspec.MsgspecError):
        return None


def _seal_of(path: Path) -> Seal | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return Seal(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _seal(target: Path) -> None:
    """Write the seals of the present file and the spare; if that fails, the next build compares every row."""
    placed, kept = _seal_of(target), _seals_file(target)
    with suppress(OSError):
        fresh = kept.with_name(f"{kept.name}.{os.getpid()}.new")
        fresh.write_bytes(b"" if placed is None else msgspec.json.encode(Seals(placed, _seal_of(_spare(target)))))
        os.replace(fresh, kept)


@contextmanager
def _taken(spare: Path, seals: Seals | None) -> Iterator[Path | None]:
    """Yield the spare, locked, if it is unchanged and no one reads it; else None."""
    if seals is None or seals.spare is None or seals.spare != _seal_of(spare):
        yield None
        return
    handle = os.open(spare, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        yield None
        return
    try:
        yield spare
    finally:
        os.close(handle)


def _copy(source: Path, target: Path) -> None:
    """Copy a file; its blocks are shared if the file system can."""
    with source.open("rb") as before, target.open("wb") as after, suppress(OSError):
        fcntl.ioctl(after, FICLONE, before.fileno())
        return
    shutil.copyfile(source, target)


def _build_folder(target: Path) -> tuple[Path, int]:
    """Make a locked folder for one build and remove dead builds', with the parent locked: no unlocked folder is ever seen."""
    prefix = f".{target.name}.build-"
    above = os.open(target.parent, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(above, fcntl.LOCK_EX)
        for left in target.parent.glob(glob.escape(prefix) + "*"):
            lock = os.open(left, os.O_RDONLY | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(left, ignore_errors=True)
            except BlockingIOError:
                pass  # its build is at work
            finally:
                os.close(lock)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=target.parent))
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX)
    finally:
        os.close(above)
    return folder, lock


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
