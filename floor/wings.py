"""Every wing of the floor by its name; a new game's is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from floor.face_up.wing import FACE_UP
from floor.fortune_asia.wing import FORTUNE_ASIA
from floor.over_under.wing import OVER_UNDER
from floor.wing import Wing

WINGS: Mapping[str, Wing] = {wing.name: wing for wing in (FACE_UP, FORTUNE_ASIA, OVER_UNDER)}
DEFAULT = FACE_UP.name
