"""Writes a command's files whole or not at all; if the disk is full, the error names the file."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path


def write_whole(files: Mapping[Path, bytes]) -> None:
    """Write files so that all of them appear whole and durably, or none. Raises `OSError` with the file's name."""
    with ExitStack() as leftovers:
        for path, data in files.items():
            fresh = fresh_path(path)
            leftovers.callback(fresh.unlink, missing_ok=True)
            with named_errors(path), fresh.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path in files:
            os.replace(fresh_path(path), path)


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Add this file's name to a writing `OSError` without one (a full disk)."""
    try:
        yield
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, os.strerror(error.errno), str(path)) from error


def fresh_path(path: Path) -> Path:
    """Return the name under which a file is written before it appears."""
    return path.with_name(f".{path.name}.new")
