"""The games there are. A new game is a module with a `GAME`, its chapter's TOML, and one line here (docs/adding-a-game.md)."""

from __future__ import annotations

from collections.abc import Mapping

from games import dj_wild, face_up_pai_gow, fortune_asia, over_under, pai_gow_poker, player_dealer
from games.game import Game

_MODULES = (dj_wild, face_up_pai_gow, fortune_asia, over_under, pai_gow_poker, player_dealer)
GAMES: Mapping[str, Game] = {module.GAME.name: module.GAME for module in _MODULES}
"""Every game by its name, which is that of its module."""
