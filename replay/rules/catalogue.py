"""The catalogue of the games' rules: one record for each game, and the door by which another game comes in.

A game of this package is a file with a record (`GAME_RULES`) and one line here. A game from outside the package is added with
`add_game_rules`, before its first round is judged (docs/adding-a-game.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from replay.rules.game_rules import THEMES, GameRules
from replay.rules.games.dj_wild import GAME_RULES as DJ_WILD
from replay.rules.games.face_up_pai_gow import GAME_RULES as FACE_UP_PAI_GOW
from replay.rules.games.fortune_asia import GAME_RULES as FORTUNE_ASIA
from replay.rules.games.over_under import GAME_RULES as OVER_UNDER
from replay.rules.games.pai_gow_poker import GAME_RULES as PAI_GOW_POKER
from replay.rules.games.player_dealer import GAME_RULES as PLAYER_DEALER
from replay.settlement.game_terms import add_terms, remove_terms

_RECORDS: Final[dict[str, GameRules]] = {}
_OF_THE_PACKAGE: Final = (DJ_WILD, FACE_UP_PAI_GOW, FORTUNE_ASIA, OVER_UNDER, PAI_GOW_POKER, PLAYER_DEALER)

GAME_RULES: Final[Mapping[str, GameRules]] = MappingProxyType(_RECORDS)
"""The record of every game, by the game's name."""


def add_game_rules(record: GameRules) -> None:
    """Add the record of a game from outside the package, before its first round is judged.

    Raises `ValueError`, and adds nothing, where the game has a record already or a theme of its rules is unknown.
    """
    unknown = [theme for theme in record.rules if theme not in THEMES]
    if unknown:
        raise ValueError(
            f"{record.game}: there is no theme {unknown[0]!r}; rules speak after one of {', '.join(THEMES)}"
        )
    add_terms(record)
    _RECORDS[record.game] = record


def remove_game_rules(game: str) -> None:
    """Remove the record of a game that was added.

    Raises `ValueError` for a game of the package, `KeyError` for one that is not there.
    """
    if game in {record.game for record in _OF_THE_PACKAGE}:
        raise ValueError(f"{game} is a game of the package: its record stays")
    del _RECORDS[game]
    remove_terms(game)


def outside_rules() -> tuple[GameRules, ...]:
    """Return the records that were added from outside the package, in the order in which they were added."""
    return tuple(_RECORDS.values())[len(_OF_THE_PACKAGE) :]


for _record in _OF_THE_PACKAGE:
    add_game_rules(_record)
