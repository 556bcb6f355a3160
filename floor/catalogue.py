"""The catalogue of simulated games: one record for each game, and the door by which another game's simulation comes in.

A game of this package is a folder with a record (`GameSimulation`) and one line here. A game from outside the package is added
with `add_simulation` (docs/adding-a-game.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from floor.dj_wild.simulation import DJ_WILD
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.fortune_asia.simulation import FORTUNE_ASIA
from floor.game_simulation import GameSimulation
from floor.over_under.simulation import OVER_UNDER
from floor.pai_gow_poker.simulation import PAI_GOW_POKER
from floor.player_dealer.simulation import PLAYER_DEALER

_OF_THE_PACKAGE: Final = (FACE_UP_PAI_GOW, PAI_GOW_POKER, FORTUNE_ASIA, OVER_UNDER, DJ_WILD, PLAYER_DEALER)
_RECORDS: Final[dict[str, GameSimulation]] = {record.name: record for record in _OF_THE_PACKAGE}

SIMULATIONS: Final[Mapping[str, GameSimulation]] = MappingProxyType(_RECORDS)
"""The record of every game, by the game's name."""
DEFAULT: Final = FACE_UP_PAI_GOW.name
"""The game that is simulated if none is named."""


def add_simulation(record: GameSimulation) -> None:
    """Add the record of a game from outside the package, before its first use; ValueError where the game has one."""
    if record.name in _RECORDS:
        raise ValueError(f"there is a simulation of {record.name} already; give the new game another name")
    _RECORDS[record.name] = record


def remove_simulation(game: str) -> None:
    """Remove a record that was added; KeyError for one of the package or one that is not there."""
    if game in {record.name for record in _OF_THE_PACKAGE}:
        raise KeyError(game)
    del _RECORDS[game]
