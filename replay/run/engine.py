"""What judged: the version of the program and the digest of its rules, so that a verdict names its judge.

A snapshot of another engine is thrown away; verdicts of another engine stand and are superseded where they differ. So the
digest is of all that decides a verdict and of nothing else: what the judges import, directly or through others, and the data of
the rules of play. A page, a packet or a transcript that changes costs no replay. What is imported is read from the source, not
from what happens to be loaded, so that every process gives the same digest.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import replay

JUDGES: Final = ("replay.run.stream_worker", "replay.run.refold", "replay.columns.batch")
"""Where verdicts are made: of a stream, of a stream that is folded again, of a history in columns."""

PACKAGES: Final = frozenset({"events", "games", "replay"})
"""Where what judges can lie."""

NO_RULES: Final = "coverage"
"""The data of `games` that says what became of each paragraph of a text, which nothing is judged by."""

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)|import[ \t]+([^\n]+))", re.MULTILINE
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")


@functools.cache
def engine() -> str:
    """Return version and digest of all that decides a verdict."""
    return f"{_version()}+{digest_of(Path(str(replay.__file__)).parent.parent)}"


def digest_of(folder: Path) -> str:
    """Return the digest of what decides a verdict in the packages of a folder: 16 hexadecimal digits."""
    hasher = sha256()
    for path, data in _deciding(folder):
        hasher.update(path.relative_to(folder).as_posix().encode() + b"\0" + data + b"\0")
    return hasher.hexdigest()[:16]


def deciding_files(folder: Path) -> list[Path]:
    """Return the files that decide a verdict, source and data, in order."""
    return [path for path, _ in _deciding(folder)]


def _deciding(folder: Path) -> list[tuple[Path, bytes]]:
    """The files that decide, with their content: the judges and what they import, the rules of play and the house ways."""
    found: dict[Path, bytes] = {}
    names, waiting = set(JUDGES), list(JUDGES)
    while waiting:
        for path in _sources(folder, waiting.pop()):
            if path not in found:
                found[path] = path.read_bytes()
                fresh = _imported(found[path].decode()) - names
                names |= fresh
                waiting += fresh
    missing = [judge for judge in JUDGES if folder.joinpath(*judge.split(".")).with_suffix(".py") not in found]
    if missing:
        raise LookupError(f"{folder} has no {missing[0]}: without what judges there is no name for its engine")
    for path in folder.joinpath("games").rglob("*.toml"):
        if not any(part.startswith(NO_RULES) for part in path.relative_to(folder).parts):
            found[path] = path.read_bytes()
    return sorted(found.items(), key=lambda each: each[0].as_posix())


def _sources(folder: Path, name: str) -> Iterator[Path]:
    """Yield the files that importing a name runs: of its packages, and of its module, where it names one."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        path = folder.joinpath(*parts[:length])
        yield from (each for each in (path / "__init__.py", path.with_name(f"{path.name}.py")) if each.is_file())


def _imported(source: str) -> set[str]:
    """Return the names that a source imports of our packages.

    A sentence in a docstring may look like an import: what it names counts, which at worst takes a file too many.
    """
    found: set[str] = set()
    for module, names, modules in _IMPORT.findall(source):
        if module:
            found |= {module, *(f"{module}.{name}" for name in _NAME.findall(names))}
        else:
            found.update(_NAME.findall(modules))
    return {name for name in found if name.partition(".")[0] in PACKAGES}


def _version() -> str:
    try:
        return version("discard-rack")
    except PackageNotFoundError:
        return "0"
