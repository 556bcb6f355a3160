"""The files of an archive: plain files only, of limited size, written whole and durably or not at all."""

import os
from pathlib import Path
from typing import BinaryIO

from events.log.high_water import sync
from events.log.plain_file import open_plain

MAX_SMALL_BYTES = 128 * 1024
"""The most that any file but a segment has."""
PARTIAL = ".partial"
"""The ending of the name of a file that is not complete."""


def read_small(path: Path) -> bytes:
    """Return a file's bytes. Raises `OSError`, or `ValueError` if it is longer than any file of an archive."""
    with open(open_plain(path), "rb") as file:
        data = file.read(MAX_SMALL_BYTES + 1)
    if len(data) > MAX_SMALL_BYTES:
        raise ValueError(f"it is longer than {MAX_SMALL_BYTES:,} bytes")
    return data


def write_new(path: Path, data: bytes) -> None:
    """Write a file whole and durably, or not at all."""
    fresh = path.with_name(path.name + PARTIAL)
    with create_fresh(fresh) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, path)
    sync(path.parent)


def create_fresh(path: Path) -> BinaryIO:
    """Open a new file for writing. An older file of this name is deleted; links are not followed."""
    path.unlink(missing_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
    return os.fdopen(os.open(path, flags, 0o640), "wb")


def make_folder(path: Path) -> None:
    """Make a folder and its parents, durably."""
    if not path.is_dir():
        make_folder(path.parent)
        path.mkdir(exist_ok=True)
        sync(path.parent)
