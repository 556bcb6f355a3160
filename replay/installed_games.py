"""The games that other installed distributions bring, read once in each process that judges or shows rounds.

A distribution names the package of its game in the group `discard_rack.games` of its entry points (docs/adding-a-game.md). The
command line, the processes that it starts and the pages call `add_installed_games` when they start, so that all of them know the
same games.
"""

import functools
import re
import threading
import traceback
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Final

from rulebook.catalogue import add_game, outside_games, package_of

GROUP: Final = "discard_rack.games"
"""The group of entry points in which a distribution names the packages of its games."""

_LOCK: Final = threading.Lock()


class GameNotAdded(Exception):
    """A game that another distribution brings could not be added: says which, why, and what to do."""


def add_installed_games() -> None:
    """Add the games of all installed distributions, once in a process. Raises `GameNotAdded` if one cannot be added.

    A game that fails is never left out silently: its rounds could then not be judged, and no one would know why.
    """
    with _LOCK:
        problem = _add_all()
    if problem:
        raise GameNotAdded(problem)


def failed_in(error: BaseException) -> str:
    """Return the game from outside whose code raised or caused an error, with file and line; empty if none exists."""
    folders = {game: list(import_module(package_of(game)).__path__) for game in outside_games()}
    frames = re.findall(r'File "(.+)", line (\d+)', "".join(traceback.format_exception(error))) if folders else []
    for file, line in reversed(frames):
        for game, places in folders.items():
            if any(Path(file).is_relative_to(place) for place in places):
                return f"the game {game} ({file}, line {line})"
    return ""


@functools.cache
def _add_all() -> str:
    """Add all games, in the order of their names; return why the first that fails cannot be added, empty if none fails."""
    brought = sorted(entry_points(group=GROUP), key=lambda entry_point: (entry_point.name, entry_point.value))
    return next(filter(None, map(_add, brought)), "")


def _add(entry_point: EntryPoint) -> str:
    """Add one game; return why it cannot be added, empty where it was."""
    try:
        add_game(entry_point.value)
    except Exception as error:  # whatever the code of another distribution does wrong, its name belongs in the message
        distribution = entry_point.dist.name if entry_point.dist is not None else "an unknown distribution"
        return (
            f"the game {entry_point.name} of {distribution} ({entry_point.value}) could not be added: "
            f"{type(error).__name__}: {error}; correct or uninstall {distribution}"
        )
    return ""
