"""The catalogue of the games' returns, found in each game's package (`returns.py`, `RETURNS`).

A game without a record is judged all the same; theory just has no figures for it.
"""

from __future__ import annotations

from typing import Final

from analytics.theory.game_returns import CountTable, GameReturns
from rulebook.catalogue import GameParts

RETURNS: Final = GameParts[GameReturns]("returns", "RETURNS")
"""The record of each game by the game's name."""


def count_tables() -> dict[str, CountTable]:
    """Return each stored table of counts that a game needs → how it is made again."""
    return {name: table for record in RETURNS.values() for name, table in record.counts.items()}


def first_wagers() -> tuple[str, ...]:
    """Return the wagers that a player starts with, each once.

    >>> first_wagers()
    ('base', 'ante')
    """
    return tuple(dict.fromkeys(record.combined[0] for record in RETURNS.values()))


def dependent_wagers() -> tuple[str, ...]:
    """Return the wagers that theory counts with the one that a player starts with, each once.

    >>> dependent_wagers()
    ('over', 'under', 'blind', 'raise')
    """
    return tuple(dict.fromkeys(wager for record in RETURNS.values() for wager in record.combined[1:]))


def companion_wagers() -> tuple[str, ...]:
    """Return the further wagers that are no side wagers, each once.

    >>> companion_wagers()
    ('backline',)
    """
    return tuple(dict.fromkeys(wager for record in RETURNS.values() for wager in record.companions))


def theory_wagers() -> frozenset[str]:
    """Return what theory calls the wagers without which a game cannot be played.

    >>> sorted(theory_wagers())
    ['ante_blind_raise', 'base']
    """
    return frozenset(record.theory_wager for record in RETURNS.values())
