"""The games of this project, a folder each with everything of it. Nothing of a game lies elsewhere (docs/adding-a-game.md)."""

from __future__ import annotations

GAMES = ("face_up_pai_gow", "pai_gow_poker", "fortune_asia", "over_under", "dj_wild", "player_dealer")
"""The folders, in the order in which games are listed."""
