"""The games of this project, one folder each with all of its parts. No part of a game is elsewhere (docs/adding-a-game.md)."""

GAMES = ("face_up_pai_gow", "pai_gow_poker", "fortune_asia", "over_under", "dj_wild", "player_dealer")
"""The folders, in the order in which games are listed."""
