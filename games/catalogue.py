"""The games there are. A new game is a module with a `GAME`, its chapter's TOML, and one line here (docs/adding-a-game.md)."""

from __future__ import annotations

from collections.abc import Mapping

from games import dj_wild, face_up_pai_gow, fortune_asia, over_under
from games.game import Game

GAMES: Mapping[str, Game] = {
    game.name: game for game in (dj_wild.GAME, face_up_pai_gow.GAME, fortune_asia.GAME, over_under.GAME)
}
"""Every game by its name, which is that of its module."""
