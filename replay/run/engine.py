"""The engine: a digest, for each game, of everything that decides a verdict, so that a verdict names its judge.

What judges a game is the shared part (what the judges import, directly or through others, and the house ways), the settlement and
rules of that game with what they import, and its chapters with those that they copy from. Nothing else counts: a changed page,
simulation or golden round, and a change of another game, cost no replay. An adjudication names the engine of its game. Stored
positions depend on the shared part, and each snapshot names the games' engines it depends on (`positions.py`), so that a stream
is judged again only if the engine of one of its games changed. Verdicts of another engine stay in force and are superseded if
they differ.

Imports are read from the source, not from the modules that happen to be loaded, so that every process gives the same digest.
Games from outside the package count with their whole package (`outside_code.py`).
"""

import functools
import os
import re
import tomllib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

import replay
from replay.fold.round import Round
from replay.fold.table_state import TableState
from replay.run.outside_code import OURS as PACKAGES
from replay.run.outside_code import files_of, outside_chapters, outside_packages
from rulebook.catalogue import GAMES, own_games
from rulebook.chapters.rulebook import Rulebook, RulesRefused, chapter, known_chapters
from rulebook.chapters.submission import read_toml

JUDGES: Final = ("replay.run.stream_worker", "replay.run.refold")
"""The modules that make verdicts: of a stream, and of a stream that is folded again."""

NO_RULES: Final = frozenset({"coverage", "rounds", "simulation", "decisions.toml"})
"""Folders and files of data by which nothing is judged: what texts are covered, golden rounds, the floor, how texts are read."""

LISTS_GAMES: Final = "games/__init__.py"
"""The list of this project's games: by itself it decides no round of any of them."""

_FROM = re.compile(r"from[ \t]+([\w.]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]+)")
_IMPORT = re.compile(r"import[ \t]+([^\n]+)")
_NAME = re.compile(r"[A-Za-z_][\w.]*")

Contents = Iterable[tuple[str, bytes]]


def engine() -> str:
    """Return the version and digest of everything that decides verdicts in this process: the shared part and every game."""
    return f"{_version()}+{_digest(None, outside_packages(), outside_chapters())}"


def engine_of(game: str) -> str:
    """Return the name of a game's engine: version and digest."""
    return f"{_version()}+{digest_for(game)}"


def shared_engine() -> str:
    """Return the name of the shared part, on which stored positions and snapshots depend."""
    return f"shared+{digest_for('')}"


def digest_for(game: str) -> str:
    """Return the digest of a game's engine; without a game, of the shared part.

    An unknown game has the digest of the whole program: the answer can change with every game that is added.
    """
    if game and game not in GAMES:
        return _digest(None, outside_packages(), outside_chapters())
    return _digest(game, outside_packages(game), outside_chapters(game))


UNKNOWN_GAME = "?"
"""The game of a chapter that cannot be read; its rounds name the whole program."""


@functools.lru_cache(maxsize=256)
def game_filed(toml: str) -> str:
    """Return the game of the chapter that a filed text names."""
    try:
        return game_of(read_toml(toml, "rules_filed").get("chapter"))
    except RulesRefused:  # whatever games there are
        return ""


def game_of(key: object) -> str:
    """Return the game of a chapter by its key."""
    return chapter(*key.split("-", 1)).game if isinstance(key, str) and key in known_chapters() else UNKNOWN_GAME


def games_on_file(state: TableState) -> set[str]:
    """Return the games of a table: of its opening, and of every submission that was filed there."""
    return {state.game, *(game_filed(filed.toml) for filed in state.rules if filed.toml)} - {""}


def engine_for(round_: Round, book: Rulebook | None) -> str:
    """Return the name of a round's engine: by the rules in force, or without them by the rules on file at the table."""
    games = {book.game} if book is not None else games_on_file(round_.before)
    return engine_of(games.pop() if games else "") if len(games) < 2 else engine()


def current_engines() -> frozenset[str]:
    """Return the engine names in adjudications of this program."""
    return frozenset({engine(), *map(engine_of, ("", *GAMES))})


def digest_of(folder: Path, outside: Contents = (), game: str | None = None) -> str:
    """Return the digest, 16 hexadecimal digits, of what decides verdicts in a folder's packages and in files from outside.

    With a game's name, only that game's engine counts; with an empty name, the shared part.
    """
    return _hash([*_deciding(_Program(folder), game, ()), *outside])


def deciding_files(folder: Path, game: str | None = None) -> list[str]:
    """Return the files that decide a verdict (of a game), source and data, by their paths below the folder, in order."""
    return [name for name, _ in _deciding(_Program(folder), game, ())]


class _Program:
    """The files of source and data in the packages of a folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.files = frozenset(_files_in(folder))
        self.read = functools.cache(self._read)
        self.imports = functools.cache(self._imports)

    def _read(self, path: str) -> bytes:
        return self._folder.joinpath(path).read_bytes()

    def _imports(self, path: str) -> frozenset[str]:
        return _imports(self.read(path).decode())

    def must_have_judges(self) -> None:
        """Raise `LookupError` if the judges are not there."""
        missing = [judge for judge in JUDGES if f"{judge.replace('.', '/')}.py" not in self.files]
        if missing:
            raise LookupError(f"{self._folder} has no {missing[0]}: without what judges there is no name for its engine")

    def closure(self, names: Iterable[str]) -> set[str]:
        """Return the files that importing these names runs, and all that those import."""
        paths, queue = set[str](), list(names)
        seen = set(queue)
        while queue:
            for path in _sources(queue.pop()) & self.files - paths:
                paths.add(path)
                fresh = self.imports(path) - seen
                seen |= fresh
                queue += fresh
        return paths

    def chapters_for(self, texts: Iterable[bytes]) -> set[str]:
        """Return the files of the chapters from which chapters with these texts copy, directly or through others."""
        paths, queue = set[str](), list(texts)
        while queue:
            for name in _copied_from(queue.pop()):
                found = {path for path in self.files if path.endswith(f"/chapters/{name}.toml")} - paths
                paths |= found
                queue += map(self.read, found)
        return paths


@functools.cache
def _this_program() -> _Program:
    return _Program(Path(str(replay.__file__)).parent.parent)


@functools.lru_cache(maxsize=64)
def _digest(game: str | None, packages: tuple[str, ...], chapters: tuple[str, ...]) -> str:
    outside = [file for package in packages for file in files_of(package)]
    outside += [(f"chapter {number}", text.encode()) for number, text in enumerate(chapters, 1)]
    return _hash([*_deciding(_this_program(), game, outside), *outside])


def _hash(contents: Contents) -> str:
    hasher = sha256()
    for name, data in contents:
        hasher.update(name.encode() + b"\0" + data + b"\0")
    return hasher.hexdigest()[:16]


def _deciding(program: _Program, game: str | None, outside: Contents) -> Iterator[tuple[str, bytes]]:
    """Yield the files that decide, with their content: the judges' and what they and a game import, the rules of play."""
    program.must_have_judges()
    games = own_games() if game is None else tuple({game} & set(own_games()))
    names = {*JUDGES, *(f"games.{each}.{part}" for each in games for part in ("settle", "rules"))}
    for name, data in outside:
        names |= _imports(data.decode()) if name.endswith(".py") else set()
    paths = program.closure(names)
    rooms = ("rulebook/", *(f"games/{each}/" for each in games)) if game is not None else ("",)
    tables = {path for path in program.files if path.endswith(".toml") and path.startswith(rooms)}
    paths |= {path for path in tables if NO_RULES.isdisjoint(path.split("/"))}
    chapters = [program.read(path) for path in paths if "/chapters/" in path and path.endswith(".toml")]
    chapters += [data for name, data in outside if name.startswith("chapter ")]
    paths |= program.chapters_for(chapters)
    if game is not None:
        paths -= {LISTS_GAMES}
    yield from ((path, program.read(path)) for path in sorted(paths))


def _files_in(folder: Path) -> Iterator[str]:
    """Yield the files of source and data that lie in the packages of a folder, by their paths below it."""
    for package in PACKAGES:
        for above, _, names in os.walk(folder / package):
            below = os.path.relpath(above, folder).replace(os.sep, "/")
            yield from (f"{below}/{name}" for name in names if name.endswith((".py", ".toml")))


def _sources(name: str) -> set[str]:
    """Return the files that importing a name can run: of its packages, and of its module."""
    parts = name.split(".")
    paths = ["/".join(parts[:length]) for length in range(1, len(parts) + 1)]
    return {f"{path}{ending}" for path in paths for ending in ("/__init__.py", ".py")}


def _imports(source: str) -> frozenset[str]:
    """Return the names that a source file imports of our packages.

    A sentence in a docstring may look like an import. It counts as one; at worst the digest includes a file too many.
    """
    imports: set[str] = set()
    for module, clause in _FROM.findall(source):
        imports |= {module, *(f"{module}.{name}" for name in _NAME.findall(clause))}
    for clause in _IMPORT.findall(source):
        imports.update(_NAME.findall(clause))
    return frozenset(name for name in imports if name.partition(".")[0] in PACKAGES)


def _copied_from(text: bytes) -> set[str]:
    """Return the keys of the chapters from which a chapter copies (`lent`, `from`); a text that is no chapter copies nothing."""
    try:
        table = tomllib.loads(text.decode())
        names = [table.get("lent"), *(entry.get("from") for entry in table.get("paytable", ()))]
    except (ValueError, AttributeError, TypeError):
        return set()
    return {f"{table.get('jurisdiction')}-{name}" for name in names if name is not None}


@functools.cache
def _version() -> str:
    try:
        return version("discard-rack")
    except PackageNotFoundError:
        return "0"
