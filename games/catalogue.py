"""The catalogue of games: one record for each, and the door by which another game comes in (docs/adding-a-game.md).

A game of this package is a module with a record (`GAME`), the TOML of its chapter, and one line here. A game from outside the
package is added with `add_game`, before the first round is judged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from games.dj_wild import GAME as DJ_WILD
from games.face_up_pai_gow import GAME as FACE_UP_PAI_GOW
from games.fortune_asia import GAME as FORTUNE_ASIA
from games.game import Game
from games.over_under import GAME as OVER_UNDER
from games.pai_gow_poker import GAME as PAI_GOW_POKER
from games.player_dealer import GAME as PLAYER_DEALER
from games.rulebook.chapters import add_chapter, chapter, known_chapters, remove_chapter

_RECORDS: Final[dict[str, Game]] = {
    game.name: game for game in (DJ_WILD, FACE_UP_PAI_GOW, FORTUNE_ASIA, OVER_UNDER, PAI_GOW_POKER, PLAYER_DEALER)
}
_OUTSIDE: Final[dict[str, Mapping[str, str]]] = {}
"""Game added from outside → the chapters that came with it: key → TOML text."""

GAMES: Final[Mapping[str, Game]] = MappingProxyType(_RECORDS)
"""Every game by its name."""


def add_game(game: Game, chapters: Iterable[str]) -> None:
    """Add a game from outside the package, with the TOML texts of its chapters, before its first use.

    Raises `ValueError`, and adds nothing, where the game or a chapter is known already, where a text is no chapter of this
    game, or where a wager is called otherwise in another game.
    """
    if game.name in _RECORDS:
        raise ValueError(f"there is a game {game.name} already; give the new one another name")
    titles = wager_titles()
    for wager, title in game.wagers.items():
        if titles.get(wager, title) != title:
            raise ValueError(
                f"{game.name}: the wager {wager} is called {titles[wager]!r} in another game, not {title!r}"
            )
    texts: dict[str, str] = {}
    try:
        for text in chapters:
            added = add_chapter(text)
            texts[added.key] = text
            if added.game != game.name:
                raise ValueError(f"the chapter {added.key} is of the game {added.game}, not of {game.name}")
    except ValueError:
        for key in texts:
            remove_chapter(key)
        raise
    _RECORDS[game.name] = game
    _OUTSIDE[game.name] = MappingProxyType(texts)


def remove_game(name: str) -> None:
    """Remove a game that was added, and its chapters; KeyError for one of the package or one that is not there."""
    for key in _OUTSIDE.pop(name):
        remove_chapter(key)
    del _RECORDS[name]


def outside_games() -> Mapping[str, Mapping[str, str]]:
    """Return each game that was added from outside the package → its chapters: key → TOML text."""
    return MappingProxyType(_OUTSIDE)


def wager_titles() -> dict[str, str]:
    """Return wager → what people call it, over all games.

    >>> wager_titles()["bad_beat"]
    'Two-Way Bad Beat'
    """
    return {wager: title for game in _RECORDS.values() for wager, title in game.wagers.items()}


def wagers_by_setting() -> frozenset[str]:
    """Return the wagers that are won or lost by how hands are set, over all games: those that a wrong setting mispays."""
    return frozenset(wager for game in _RECORDS.values() for wager in game.by_setting)


def base_wagers() -> frozenset[str]:
    """Return the wagers with which one takes part, over all chapters.

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
