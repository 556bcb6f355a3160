"""Checks that the top-level packages of Discard Rack are its own.

Their names are common words. `pip install Events` overwrites `events/__init__.py`, uninstalling it deletes that file, and a
folder `events` earlier on the import path hides ours: other code would judge rounds. This file imports none of our packages, so
that it runs whatever was overwritten.
"""

import os
import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

PACKAGES = (
    "analytics", "dashboards", "desk", "discard_rack", "events", "floor", "games", "intake", "rack", "replay", "rulebook",
    "trial", "whatif",
)  # fmt: skip
"""The top-level packages of the distribution."""

OURS = "discard_rack-"
"""The beginning of the folder in which an installer describes our distribution."""

REMEDY = "install Discard Rack again, in an environment of its own (`pipx install discard-rack`, `uv tool install discard-rack`)"


def foreign_files() -> str:
    """Return which other distribution has files in our packages, and what to do; an empty text if none has.

    A distribution is reported if it installed files next to ours, or if its package is imported instead of ours.
    """
    return _foreign_files(Path(__file__).resolve().parents[1], tuple(sys.path))


@lru_cache(1)
def _foreign_files(home: Path, path: tuple[str, ...]) -> str:
    for distribution, package in _claims(home, _FILES):
        return f"the distribution {distribution} has files in the package `{package}` of Discard Rack; {REMEDY}"
    for package in PACKAGES:
        ours = home / package / "__init__.py"
        if not ours.is_file():
            return f"{ours} is missing, as after another distribution was uninstalled; {REMEDY}"
        spec = find_spec(package)
        found = "" if spec is None else spec.origin or ""
        if Path(found).resolve() != ours:
            owners = (name for folder in path for name, claimed in _claims(Path(folder), _NAMES) if claimed == package)
            owner = next(owners, "an unknown distribution")
            return f"the package `{package}` of {owner} ({found}) hides that of Discard Rack; {REMEDY}"
    return ""


def _claims(folder: Path, in_ours: re.Pattern[bytes]) -> Iterator[tuple[str, str]]:
    """Yield each other installed distribution in a folder that claims a package of ours, with that package."""
    try:
        entries = sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return
    for entry in entries:
        if (described := os.path.basename(entry)).startswith(OURS):
            continue
        named = _read(entry, "top_level.txt")
        if named and not _NAMES.search(named):
            continue  # most end here: the names of their packages are a short list
        if found := in_ours.search(_read(entry, "RECORD") or named) or (in_ours is _NAMES and in_ours.search(named)):
            yield " ".join(described.rpartition(".")[0].split("-")[:2]), found[1].decode()


_OURS = "|".join(PACKAGES)
_NAMES = re.compile(rf"^({_OURS})(?:/|\.py,|\r?$)".encode(), re.MULTILINE)
"""A package or a module with the name of a package of ours, in a list of files or of packages."""
_FILES = re.compile(rf"^({_OURS})(?:/|\r?$)".encode(), re.MULTILINE)
"""A file in a package of ours. In a folder where ours is, a module of its name is never imported."""


def _read(folder: str, name: str) -> bytes:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except OSError:
        return b""
