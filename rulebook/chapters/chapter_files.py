"""The files of the chapters, as tables: the package's own, and those of games from other distributions.

Invariant: it only finds and reads tables; `rulebook.chapters.chapters` checks their content.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

Table = Mapping[str, Any]

_GAMES: Final = "games"
"""The package whose folders have the chapters of this project's games."""
AMENDMENTS: Final = "amendments"
"""The folder in `chapters` that has the amendments of a game's chapters."""
_ADDED: Final[dict[tuple[str, str], Table]] = {}
_ADDED_AMENDMENTS: Final[dict[tuple[str, str], tuple[str, ...]]] = {}


def table_of(jurisdiction: str, name: str) -> Table:
    """Return the table of a chapter by jurisdiction and number; KeyError if there is no such chapter.

    >>> table_of("pa", "688a")["title"]
    'Face Up Pai Gow Poker'
    """
    added = _ADDED.get((jurisdiction, name))
    if added is not None:
        return added
    if name not in _packaged().get(jurisdiction, ()):
        raise KeyError(f"{jurisdiction}-{name}")
    return _read(jurisdiction, name)


def chapter_names() -> dict[str, tuple[str, ...]]:
    """Return jurisdiction → numbers of its chapters, both sorted."""
    names = {jurisdiction: set(packaged) for jurisdiction, packaged in _packaged().items()}
    for jurisdiction, name in _ADDED:
        names.setdefault(jurisdiction, set()).add(name)
    return {jurisdiction: tuple(sorted(names[jurisdiction])) for jurisdiction in sorted(names)}


def amendment_texts(jurisdiction: str, name: str) -> tuple[str, ...]:
    """Return the texts of the amendments that are held of a chapter.

    >>> amendment_texts("pa", "688a")
    ()
    """
    added = _ADDED_AMENDMENTS.get((jurisdiction, name), ())
    return (*_packaged_amendments().get((jurisdiction, name), ()), *added)


def add_table(table: Table, amendments: Iterable[str] = ()) -> None:
    """Add the table of a chapter from outside the package, with its amendments; ValueError if it is known already."""
    jurisdiction, name = table["jurisdiction"], table["chapter"]
    if name in chapter_names().get(jurisdiction, ()):
        raise ValueError(f"there is a chapter {jurisdiction}-{name} already; give the new one another number")
    _ADDED[jurisdiction, name] = table
    _ADDED_AMENDMENTS[jurisdiction, name] = tuple(amendments)


def remove_table(jurisdiction: str, name: str) -> None:
    """Remove an added table; KeyError for any other."""
    del _ADDED[jurisdiction, name], _ADDED_AMENDMENTS[jurisdiction, name]


def citation_form(name: str) -> str | None:
    """Return how sections of a chapter are cited, with `{section}` in it; None for a chapter of 58 Pa. Code.

    >>> citation_form("gegr-002138")
    'GEGR-002138, {section}'
    """
    for jurisdiction, names in chapter_names().items():
        if name in names:
            form: str | None = table_of(jurisdiction, name).get("cited_as")
            return form
    return None


@cache
def _packaged() -> Mapping[str, Mapping[str, Traversable]]:
    """Return jurisdiction → number of a chapter → its file."""
    found: dict[str, dict[str, Traversable]] = {}
    for game in files(_GAMES).iterdir():
        chapters = game.joinpath("chapters")
        for entry in texts_in(chapters):
            jurisdiction, _, name = entry.name.removesuffix(".toml").partition("-")
            found.setdefault(jurisdiction, {})[name] = entry
    return found


@cache
def _packaged_amendments() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Return jurisdiction and number of a chapter → the texts of the amendments in the package."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for game in files(_GAMES).iterdir():
        for entry in texts_in(game.joinpath("chapters").joinpath(AMENDMENTS)):
            text = entry.read_text(encoding="utf-8")
            table = tomllib.loads(text)
            key = table["jurisdiction"], table["chapter"]
            found[key] = (*found.get(key, ()), text)
    return found


def texts_in(folder: Traversable) -> Iterator[Traversable]:
    """Yield the TOML files in a folder of a package, by name; none if there is no such folder."""
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.is_dir() else ():
        if entry.name.endswith(".toml"):
            yield entry


@cache
def _read(jurisdiction: str, name: str) -> Table:
    return tomllib.loads(_packaged()[jurisdiction][name].read_text(encoding="utf-8"))
