"""The simulation of each game, found in the game's package (`simulation`, `SIMULATION`)."""

from typing import Final

from floor.game_simulation import GameSimulation
from rulebook.catalogue import GameParts

SIMULATIONS: Final = GameParts[GameSimulation]("simulation", "SIMULATION")
"""The record of every game, by the game's name."""
DEFAULT: Final = "face_up_pai_gow"
"""The game that is simulated if none is named."""
