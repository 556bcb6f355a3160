"""Every wing of the floor by its name; a new game's is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from floor.dj_wild.wing import DJ_WILD
from floor.face_up.wing import FACE_UP
from floor.fortune_asia.wing import FORTUNE_ASIA
from floor.pai_gow_poker.wing import PAI_GOW_POKER
from floor.wing import Wing

WINGS: Mapping[str, Wing] = {wing.name: wing for wing in (FACE_UP, PAI_GOW_POKER, FORTUNE_ASIA, DJ_WILD)}
DEFAULT = FACE_UP.name
