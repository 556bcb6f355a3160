"""The games there are. A new game is a module with a `GAME`, its chapter's TOML, and one line here (docs/adding-a-game.md)."""

from __future__ import annotations

from collections.abc import Mapping

from games import face_up_pai_gow, pai_gow_poker
from games.game import Game

GAMES: Mapping[str, Game] = {game.name: game for game in (face_up_pai_gow.GAME, pai_gow_poker.GAME)}
"""Every game by its name, which is that of its module."""
