"""The catalogue of games. A game is a package, and everything of it is found by its place (docs/adding-a-game.md).

A game's package has `settle.py` with its record (`GAME`) and `chapters/`; other layers look in it for `rules.py`, `returns.py`
and `simulation`. The games of this project are the packages that `games` lists; a game from outside is added with `add_game`,
before the first round is judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from typing import Final, Protocol, TypeVar

from rulebook.chapters.chapter_files import AMENDMENTS, texts_in
from rulebook.chapters.chapter_form import FindingKind
from rulebook.chapters.chapters import Chapter, add_chapter, chapter, known_chapters, remove_chapter
from rulebook.game import Game

Record = TypeVar("Record")

OWN: Final = "games"
"""The package that has the games of this project, each in a folder."""

_PACKAGES: Final[dict[str, str]] = {}
"""Game → its package."""
_RECORDS: Final[dict[str, Game]] = {}
_OUTSIDE: Final[dict[str, Mapping[str, str]]] = {}
"""Game added from outside → the chapters that came with it: key → TOML text."""


class _Games(Mapping[str, Game]):
    """Every game by name; those of this project are imported at first use."""

    def __getitem__(self, name: str) -> Game:
        try:
            return _RECORDS[name]
        except KeyError:
            _take_own()
            return _RECORDS[name]

    def __iter__(self) -> Iterator[str]:
        _take_own()
        return iter(_RECORDS)

    def __len__(self) -> int:
        _take_own()
        return len(_RECORDS)


GAMES: Final[Mapping[str, Game]] = _Games()
"""Every game by its name."""


def own_games() -> tuple[str, ...]:
    """Return the names of this project's games, in listed order."""
    names: tuple[str, ...] = import_module(OWN).GAMES
    return names


@cache
def _take_own() -> None:
    for name in own_games():
        _PACKAGES[name] = f"{OWN}.{name}"
        _RECORDS[name] = import_module(f"{OWN}.{name}.settle").GAME


class GameParts(Mapping[str, Record]):
    """The record that each game has in one module of its package, by the game's name: `GameParts("returns", "RETURNS")`.

    A module is imported at the first use of its game. A game without the module is not in the mapping.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name
        self._records: dict[str, Record] = {}

    def __getitem__(self, game: str) -> Record:
        module = f"{package_of(game)}.{self._module}"
        if module not in self._records:
            if find_spec(module) is None:
                raise KeyError(game)
            self._records[module] = getattr(import_module(module), self._name)
        return self._records[module]

    def __iter__(self) -> Iterator[str]:
        return (game for game in GAMES if find_spec(f"{package_of(game)}.{self._module}") is not None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class _Rules(Protocol):
    def must_fit(self, game: str, chapters: Sequence[Chapter]) -> None: ...


_RULES: Final = GameParts[_Rules]("rules", "GAME_RULES")


def add_game(package: str) -> Game:
    """Add a game from outside by its package, with the chapters in it, before its first use; return its record.

    Raises `ValueError`, and adds nothing, if a part is missing, if the game or a chapter is known already, if a text is no
    chapter of this game, if a wager has another title in another game, or if its rules do not fit its chapters.
    """
    if import_module(package).__file__ is None:
        raise ValueError(f"{package} has no __init__.py; add an empty one, and install the distribution again")
    game: Game = import_module(f"{package}.settle").GAME
    titles = wager_titles()
    if game.name in _RECORDS:
        raise ValueError(f"there is a game {game.name} already; give the new one another name")
    for wager, title in game.wagers.items():
        if titles.get(wager, title) != title:
            raise ValueError(f"{game.name}: the wager {wager} is called {titles[wager]!r} in another game, not {title!r}")
    texts, kinds = dict[str, str](), finding_kinds()
    folder = files(package).joinpath("chapters").joinpath(AMENDMENTS)
    amendments = [entry.read_text(encoding="utf-8") for entry in texts_in(folder)]
    _RECORDS[game.name], _PACKAGES[game.name], _OUTSIDE[game.name] = game, package, texts
    try:
        for entry in texts_in(files(package).joinpath("chapters")):
            text = entry.read_text(encoding="utf-8")
            added = add_chapter(text, entry.name, amendments)
            texts[added.key] = text
            if added.game != game.name:
                raise ValueError(f"the chapter {added.key} is of the game {added.game}, not of {game.name}")
            _must_fit(game, added, kinds)
        if not texts:
            raise ValueError(f"{package} has no chapter; add chapters/*.toml, and to the files that its distribution includes")
        if game.name not in _RULES:
            raise ValueError(f"{package} has no rules.py; add one with GAME_RULES")
        _RULES[game.name].must_fit(game.name, [chapter(*key.split("-", 1)) for key in texts])
    except ValueError:
        remove_game(game.name)
        raise
    return game


def _must_fit(game: Game, added: Chapter, kinds: Mapping[str, FindingKind]) -> None:
    """Raise `ValueError` if a wager of a chapter has no title, or a code of it means something else in another game."""
    untitled = [wager for wager in added.wagers if wager not in game.wagers]
    if untitled:
        raise ValueError(f"the chapter {added.key}: wager {untitled[0]!r} has no title in `wagers` of settle.py")
    for code, kind in added.findings.items():
        if kinds.get(code, kind) != kind:
            raise ValueError(f"the chapter {added.key}: finding {code} is {kinds[code].title!r} in another game")


def remove_game(name: str) -> None:
    """Remove a game that was added, and its chapters; KeyError for one of this project or one that is not there."""
    for key in _OUTSIDE.pop(name):
        remove_chapter(key)
    del _RECORDS[name], _PACKAGES[name]


def outside_games() -> Mapping[str, Mapping[str, str]]:
    """Return each game that was added from outside → its chapters: key → TOML text."""
    return _OUTSIDE


def package_of(game: str) -> str:
    """Return the package of a game. Raises `KeyError` for an unknown one."""
    _take_own()
    return _PACKAGES[game]


def wager_titles() -> dict[str, str]:
    """Return wager → its title, over all games.

    >>> wager_titles()["bad_beat"]
    'Two-Way Bad Beat'
    """
    return {wager: title for game in GAMES.values() for wager, title in game.wagers.items()}


def wager_names() -> dict[str, tuple[str, ...]]:
    """Return every game → the names of the wagers that its chapters have.

    >>> wager_names()["over_under"]
    ('ante', 'over', 'under', 'bonus')
    """
    names: dict[str, dict[str, None]] = {}
    for key in known_chapters():
        of = chapter(*key.split("-", 1))
        names.setdefault(of.game, {}).update(dict.fromkeys(of.wagers))
    return {game: tuple(wagers) for game, wagers in names.items()}


def finding_kinds() -> dict[str, FindingKind]:
    """Return code → the kind of finding, over all chapters that declare kinds of their own."""
    return {code: kind for key in known_chapters() for code, kind in chapter(*key.split("-", 1)).findings.items()}


def wagers_by_setting() -> frozenset[str]:
    """Return the wagers decided by the setting of hands, over all games: those that a wrong setting mispays."""
    return frozenset(wager for game in GAMES.values() for wager in game.by_setting)


def base_wagers() -> frozenset[str]:
    """Return the base wagers of all chapters.

    >>> sorted(base_wagers())
    ['ante', 'base']
    """
    return frozenset(chapter(*key.split("-", 1)).base for key in known_chapters())


def chapters_of(game: str) -> tuple[str, ...]:
    """Return the keys of a game's chapters, sorted.

    >>> chapters_of("face_up_pai_gow")
    ('pa-688a', 'pa-688a-proposed')
    """
    return tuple(sorted(key for key in known_chapters() if chapter(*key.split("-", 1)).game == game))
