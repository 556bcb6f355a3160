"""What judged: the version of the program and the digest of its rules, so that a verdict names its judge.

A snapshot of another engine is thrown away; verdicts of another engine stand and are superseded where they differ.
"""

from __future__ import annotations

import functools
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import games
import replay


@functools.cache
def engine() -> str:
    """Return version and digest of all that decides a verdict: the code of `games` and `replay`, and the rule data."""
    hasher = sha256()
    for package in (games, replay):
        root = Path(str(package.__file__)).parent
        for path in sorted((*root.rglob("*.py"), *root.rglob("*.toml")), key=lambda each: each.as_posix()):
            hasher.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return f"{_version()}+{hasher.hexdigest()[:16]}"


def _version() -> str:
    try:
        return version("discard-rack")
    except PackageNotFoundError:
        return "0"
