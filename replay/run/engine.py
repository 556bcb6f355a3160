"""The engine: the version of the program and a digest of all that decides a verdict, so that a verdict names its judge.

A snapshot of another engine is thrown away; verdicts of another engine stay in force and are superseded if they differ. The
digest covers what the judges import, directly or through others, and the data of the rules of play, and nothing else: a changed
page, packet or transcript costs no replay. Imports are read from the source, not from the modules that happen to be loaded, so
that every process gives the same digest. Games from outside the package count as a whole (`outside_code.py`).
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import replay
from replay.run.outside_code import OURS as PACKAGES
from replay.run.outside_code import files_of, outside_chapters, outside_packages
from rulebook.catalogue import own_games

JUDGES: Final = ("replay.run.stream_worker", "replay.run.refold")
"""The modules that make verdicts: of a stream, and of a stream that is folded again."""

NO_RULES: Final = frozenset({"coverage", "rounds", "decisions.toml"})
"""Folders and files of data by which nothing is judged: what texts are covered, golden rounds, how texts are read."""

_FROM = re.compile(r"from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)")
_IMPORT = re.compile(r"import[ \t]+([^\n]+)")
_NAME = re.compile(r"[A-Za-z_][\w.]*")


def engine() -> str:
    """Return version and digest of all that decides a verdict in this process: of the package, and of games added to it."""
    return _engine(outside_packages(), outside_chapters())


@functools.lru_cache(maxsize=8)
def _engine(packages: tuple[str, ...], chapters: tuple[str, ...]) -> str:
    outside = [file for package in packages for file in files_of(package)]
    outside += [(f"chapter {number}", text.encode()) for number, text in enumerate(chapters, 1)]
    return f"{_version()}+{digest_of(Path(str(replay.__file__)).parent.parent, outside)}"


def digest_of(folder: Path, outside: Iterable[tuple[str, bytes]] = ()) -> str:
    """Return the digest, 16 hexadecimal digits, of what decides a verdict in a folder's packages and in files from outside."""
    hasher = sha256()
    for name, data in (*_deciding(folder), *outside):
        hasher.update(name.encode() + b"\0" + data + b"\0")
    return hasher.hexdigest()[:16]


def deciding_files(folder: Path) -> list[str]:
    """Return the files that decide a verdict, source and data, by their paths below the folder, in order."""
    return [name for name, _ in _deciding(folder)]


def _deciding(folder: Path) -> list[tuple[str, bytes]]:
    """The files that decide, with their content: the judges' and what they import, the rules of play and the house ways."""
    files = _files_in(folder)
    missing = [judge for judge in JUDGES if f"{judge.replace('.', '/')}.py" not in files]
    if missing:
        raise LookupError(f"{folder} has no {missing[0]}: without what judges there is no name for its engine")
    contents: dict[str, bytes] = {}
    queue = [*JUDGES, *(f"games.{game}.{part}" for game in own_games() for part in ("settle", "rules"))]
    names = set(queue)
    while queue:
        for path in _sources(queue.pop()) & files:
            if path not in contents:
                contents[path] = folder.joinpath(path).read_bytes()
                fresh = _imports(contents[path].decode()) - names
                names |= fresh
                queue += fresh
    for path in files:
        if path.endswith(".toml") and NO_RULES.isdisjoint(path.split("/")):
            contents[path] = folder.joinpath(path).read_bytes()
    return sorted(contents.items())


def _files_in(folder: Path) -> set[str]:
    """Return the files of source and data that lie in the packages of a folder, by their paths below it."""
    paths: set[str] = set()
    for package in PACKAGES:
        for above, _, names in os.walk(folder / package):
            below = os.path.relpath(above, folder).replace(os.sep, "/")
            paths.update(f"{below}/{name}" for name in names if name.endswith((".py", ".toml")))
    return paths


def _sources(name: str) -> set[str]:
    """Return the files that importing a name can run: of its packages, and of its module."""
    parts = name.split(".")
    paths = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    return {f"{path}{ending}" for path in paths for ending in ("/__init__.py", ".py")}


def _imports(source: str) -> set[str]:
    """Return the names that a source file imports of our packages.

    A sentence in a docstring may look like an import: what it names counts, which at worst takes a file too many.
    """
    imports: set[str] = set()
    for module, clause in _FROM.findall(source):
        imports |= {module, *(f"{module}.{name}" for name in _NAME.findall(clause))}
    for clause in _IMPORT.findall(source):
        imports.update(_NAME.findall(clause))
    return {name for name in imports if name.partition(".")[0] in PACKAGES}


def _version() -> str:
    try:
        return version("discard-rack")
    except PackageNotFoundError:
        return "0"
