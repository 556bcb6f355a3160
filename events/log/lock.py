"""The right to write to a log on one machine: a lock of the kernel, which gives it up when its process ends."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from events.errors import LogUnavailable, SecondWriter


def take_lock(path: Path) -> int:
    """Return the descriptor that holds the right to write to `path`: a lock on `<path>.lock`, until it is closed.

    Raises `SecondWriter` where it is held, by another process or by this one.
    """
    name = path.with_name(path.name + ".lock")
    try:
        file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise LogUnavailable(f"{name}: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.pread(file, 20, 0).decode(errors="replace").strip()
        os.close(file)
        raise SecondWriter(f"{path} is being written by process {holder or '?'}; open it read-only") from error
    os.ftruncate(file, 0)
    os.pwrite(file, str(os.getpid()).encode(), 0)
    return file
