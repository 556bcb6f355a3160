"""The catalogue of the games' returns (`returns.py`, `RETURNS` of each); a game without a record has no figures."""

from typing import Final

from analytics.theory.game_returns import CountTable, GameReturns
from rulebook.catalogue import GameParts

RETURNS: Final = GameParts[GameReturns]("returns", "RETURNS")
"""The record of each game by the game's name."""


def count_tables() -> dict[str, CountTable]:
    """Return each stored table of counts that a game needs → how to make it again."""
    return {name: table for record in RETURNS.values() for name, table in record.counts.items()}


def first_wagers() -> tuple[str, ...]:
    """Return the starting wagers of all games, each once.

    >>> first_wagers()
    ('base', 'ante')
    """
    return tuple(dict.fromkeys(record.combined[0] for record in RETURNS.values()))


def dependent_wagers() -> tuple[str, ...]:
    """Return the wagers that theory combines with a starting wager, each once.

    >>> dependent_wagers()
    ('over', 'under', 'blind', 'raise')
    """
    return tuple(dict.fromkeys(wager for record in RETURNS.values() for wager in record.combined[1:]))


def companion_wagers() -> tuple[str, ...]:
    """Return the further wagers that are not side wagers, each once.

    >>> companion_wagers()
    ('backline',)
    """
    return tuple(dict.fromkeys(wager for record in RETURNS.values() for wager in record.companions))


def theory_wagers() -> frozenset[str]:
    """Return theory's names for the required wagers of games.

    >>> sorted(theory_wagers())
    ['ante_blind_raise', 'base']
    """
    return frozenset(record.theory_wager for record in RETURNS.values())
