"""Every game of the floor by its name; a new game is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from floor.dj_wild.simulation import DJ_WILD
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.fortune_asia.simulation import FORTUNE_ASIA
from floor.game_simulation import GameSimulation
from floor.over_under.simulation import OVER_UNDER
from floor.pai_gow_poker.simulation import PAI_GOW_POKER
from floor.player_dealer.simulation import PLAYER_DEALER

_ALL = (FACE_UP_PAI_GOW, PAI_GOW_POKER, FORTUNE_ASIA, OVER_UNDER, DJ_WILD, PLAYER_DEALER)
SIMULATIONS: Mapping[str, GameSimulation] = {game.name: game for game in _ALL}
DEFAULT = FACE_UP_PAI_GOW.name
