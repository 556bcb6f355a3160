"""The code and the numbers of games from outside the package, as far as they decide verdicts: their part of the engine's digest.

What decides in such a game are the functions of its records, and whatever these import. All of it counts, so that a change
cannot go unnoticed: every file of the top-level packages in which the functions lie, and the texts of the chapters. A file too
many costs a replay; a file too few would let two programs judge under one name.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from games.catalogue import GAMES, outside_games
from replay.rules.catalogue import outside_rules

OURS = frozenset({"events", "games", "replay"})
"""The packages of the project that can decide: the engine's digest covers these by itself."""
COMPILED = "__pycache__"


def outside_packages() -> tuple[str, ...]:
    """Return the top-level packages in which games from outside the package have what decides, sorted.

    Raises `LookupError` where a function has no module, and so no source that the digest could cover.
    """
    names: set[str] = set()
    for function in _functions():
        module = getattr(getattr(function, "func", function), "__module__", None)  # a partial stands for its function
        if module is None:
            raise LookupError(f"{function!r} of an added game lies in no module; define it in the game's package")
        names.add(module.partition(".")[0])
    return tuple(sorted(names - OURS))


def outside_chapters() -> tuple[str, ...]:
    """Return the texts of the chapters that were added from outside the package."""
    return tuple(text for chapters in outside_games().values() for _, text in sorted(chapters.items()))


def files_of(package: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a package, or of a module in no package, by their paths, in order, each with its content.

    Raises `LookupError` where it has no files, and `OSError` where one cannot be read.
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


def _functions() -> Iterator[Callable[..., Any]]:
    """Yield the functions of added games that decide what is due and what is found."""
    rules = outside_rules()
    for record in (*(GAMES[name] for name in outside_games()), *rules):
        fields = (getattr(record, name) for name in record.__struct_fields__)
        yield from (field for field in fields if callable(field))
    for record in rules:
        yield from (rule.evaluate for listed in record.rules.values() for rule in listed)
