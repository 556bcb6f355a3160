"""The code and the numbers of games from outside, as far as they decide verdicts: their part of the engine's digest.

Such a game's package decides, with everything that it imports. Every file of the added games' top-level packages counts, and the
texts of their chapters, so that no change goes unnoticed. A file too many costs a replay; a file too few would let two programs
judge under one name.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from rulebook.catalogue import outside_games, package_of

OURS = frozenset({"events", "games", "replay", "rulebook"})
"""The packages of the project that can decide: the engine's digest covers these by itself."""
COMPILED = "__pycache__"


def outside_packages(game: str | None = None) -> tuple[str, ...]:
    """Return the top-level packages in which games from outside lie (or one of them), sorted."""
    return tuple(sorted({package_of(each).partition(".")[0] for each in _outside(game)}))


def outside_chapters(game: str | None = None) -> tuple[str, ...]:
    """Return the texts of the chapters that games from outside (or one of them) brought."""
    return tuple(text for each in _outside(game) for _, text in sorted(outside_games()[each].items()))


def _outside(game: str | None) -> list[str]:
    return [each for each in outside_games() if game in (None, each)]


def files_of(package: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package, or of a module in no package, by their paths, in order, each with its content.

    Raises `LookupError` if it has no files, and `OSError` if one cannot be read.
    """
    module = sys.modules[package]
    folders = sorted(getattr(module, "__path__", ()))
    if not folders:
        file = getattr(module, "__file__", None)
        if file is None:
            raise LookupError(f"{package} of an added game has no source file; put the game into a package")
        yield Path(file).name, Path(file).read_bytes()
    for folder in folders:
        for name in sorted(_below(folder)):
            yield f"{package}/{name}", Path(folder, name).read_bytes()


def _below(folder: str) -> Iterator[str]:
    """Yield the files below a folder, by their paths in it, but for what Python itself compiles."""
    for above, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != COMPILED]
        yield from (Path(above, name).relative_to(folder).as_posix() for name in names)
