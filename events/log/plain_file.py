"""Files that are read as evidence: plain files only. A pipe or a device in the place of one would never end, or never begin."""

import errno
import os
import stat
import tomllib
from pathlib import Path
from typing import Any, Final

MOST_TOML: Final = 8 * 1024 * 1024
"""Bytes of a file that people write: ten thousand tables have two million."""


class NotPlainFile(OSError):
    """A link, a device or a pipe lies where a plain file is expected."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EINVAL, "not a plain file (a link, device or pipe)", str(path))
        self._path = path

    def __str__(self) -> str:
        return f"{self._path} is not a plain file (a link, device or pipe); put the file itself in its place"


def open_plain(path: Path, *, links: bool = False) -> int:
    """Return a descriptor that reads a plain file; with `links` also one that a link leads to.

    Raises `NotPlainFile`, `OSError`, `FileNotFoundError`.
    """
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):  # a link; a socket, or a device that is not there
            raise NotPlainFile(path) from error
        raise
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise NotPlainFile(path)
    return file


def read_plain(path: Path, most: int | None = None) -> bytes:
    """Return the bytes of a plain file, links followed: all of them, or the first `most`. Raises as `open_plain` does."""
    with open(open_plain(path, links=True), "rb") as file:
        return file.read(-1 if most is None else most)


def toml_in(data: bytes) -> dict[str, Any]:
    """Return the content of hand-written TOML. Raises `ValueError` if it is not TOML, too long or too deep."""
    if len(data) > MOST_TOML:
        raise ValueError(f"it is longer than {MOST_TOML // 2**20} MiB")
    try:
        return tomllib.loads(data.decode())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def read_toml(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file. Raises `ValueError` as `toml_in` does, `NotPlainFile` and `OSError`."""
    return toml_in(read_plain(path, MOST_TOML + 1))
