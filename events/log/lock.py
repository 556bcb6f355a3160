"""A lock that one process holds as long as it works: the kernel gives it up when the process ends."""

import fcntl
import os
from pathlib import Path

from events.errors import LogUnavailable, SecondWriter


def take_lock(path: Path) -> int:
    """Return the descriptor that holds the right to write to `path`: a lock on `<path>.lock`, until it is closed.

    Raises `SecondWriter` if it is held, by another process or by this one.
    """
    file = open_lock(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = holder_of(file)
        os.close(file)
        raise SecondWriter(f"{path} is being written by process {holder}; open it read-only") from error
    try:
        os.ftruncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
    except OSError as error:
        os.close(file)
        raise LogUnavailable(f"{lock_of(path)}: {error.strerror}; nothing was stored") from error
    return file


def lock_of(path: Path) -> Path:
    """Return the file whose lock is that of `path`."""
    return path.with_name(path.name + ".lock")


def open_lock(path: Path) -> int:
    """Return a descriptor of `path`'s lock file, which is made if none exists. Raises `LogUnavailable`."""
    name = lock_of(path)
    try:
        return os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
    except OSError as error:
        raise LogUnavailable(f"{name}: {error.strerror}") from error


def holder_of(file: int) -> str:
    """Return the process number that the file of a lock names; `?` if it names none."""
    holder = os.pread(file, 20, 0)
    return holder.decode() if holder.isdigit() else "?"
