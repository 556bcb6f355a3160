"""Every wing of the floor by its name; a new game's is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from floor.california.wing import CALIFORNIA
from floor.dj_wild.wing import DJ_WILD
from floor.face_up.wing import FACE_UP
from floor.fortune_asia.wing import FORTUNE_ASIA
from floor.over_under.wing import OVER_UNDER
from floor.pai_gow_poker.wing import PAI_GOW_POKER
from floor.wing import Wing

_ALL = (FACE_UP, PAI_GOW_POKER, FORTUNE_ASIA, OVER_UNDER, DJ_WILD, CALIFORNIA)
WINGS: Mapping[str, Wing] = {wing.name: wing for wing in _ALL}
DEFAULT = FACE_UP.name
