"""The rules of each game, found in the game's package (`rules.py`, `GAME_RULES`)."""

from typing import Final

from replay.rules.game_rules import GameRules
from rulebook.catalogue import GameParts

GAME_RULES: Final = GameParts[GameRules]("rules", "GAME_RULES")
"""The record of every game, by the game's name."""
