"""The catalogue of the games' returns: one record for each game, and the door by which another game's record comes in.

A game without a record here is judged all the same; theory just has no figures for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from analytics.theory.dj_wild import RETURNS as DJ_WILD
from analytics.theory.face_up_pai_gow import RETURNS as FACE_UP_PAI_GOW
from analytics.theory.fortune_asia import RETURNS as FORTUNE_ASIA
from analytics.theory.game_returns import CountTable, GameReturns
from analytics.theory.over_under import RETURNS as OVER_UNDER
from analytics.theory.pai_gow_poker import RETURNS as PAI_GOW_POKER
from analytics.theory.player_dealer import RETURNS as PLAYER_DEALER

_PACKAGED: Final = (FACE_UP_PAI_GOW, PLAYER_DEALER, PAI_GOW_POKER, FORTUNE_ASIA, OVER_UNDER, DJ_WILD)
_RECORDS: Final[dict[str, GameReturns]] = {record.game: record for record in _PACKAGED}

RETURNS: Final[Mapping[str, GameReturns]] = MappingProxyType(_RECORDS)
"""The record of each game by the game's name."""


def add_returns(record: GameReturns) -> None:
    """Add the record of a game from outside the package, before its first use; ValueError where the game has one."""
    if record.game in _RECORDS:
        raise ValueError(f"there are returns of {record.game} already")
    _RECORDS[record.game] = record


def remove_returns(game: str) -> None:
    """Remove a record that was added; KeyError for one of the package or one that is not there."""
    if game in {record.game for record in _PACKAGED}:
        raise KeyError(game)
    del _RECORDS[game]


def count_tables() -> dict[str, CountTable]:
    """Return each stored table of counts that a game needs → how it is made again."""
    return {name: table for record in _RECORDS.values() for name, table in record.counts.items()}


def first_wagers() -> tuple[str, ...]:
    """Return the wagers that a player starts with, each once.

    >>> first_wagers()
    ('base', 'ante')
    """
    return tuple(dict.fromkeys(record.combined[0] for record in _RECORDS.values()))


def dependent_wagers() -> tuple[str, ...]:
    """Return the wagers that theory counts with the one that a player starts with, each once.

    >>> dependent_wagers()
    ('over', 'under', 'blind', 'raise')
    """
    return tuple(dict.fromkeys(wager for record in _RECORDS.values() for wager in record.combined[1:]))


def companion_wagers() -> tuple[str, ...]:
    """Return the further wagers that are no side wagers, each once.

    >>> companion_wagers()
    ('backline',)
    """
    return tuple(dict.fromkeys(wager for record in _RECORDS.values() for wager in record.companions))


def theory_wagers() -> frozenset[str]:
    """Return what theory calls the wagers without which a game cannot be played.

    >>> sorted(theory_wagers())
    ['ante_blind_raise', 'base']
    """
    return frozenset(record.theory_wager for record in _RECORDS.values())
