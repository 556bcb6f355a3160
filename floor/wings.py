"""Every wing of the floor by its name; a new game's is one line here."""

from __future__ import annotations

from collections.abc import Mapping

from floor.california.wing import CALIFORNIA
from floor.face_up.wing import FACE_UP
from floor.fortune_asia.wing import FORTUNE_ASIA
from floor.wing import Wing

WINGS: Mapping[str, Wing] = {wing.name: wing for wing in (FACE_UP, FORTUNE_ASIA, CALIFORNIA)}
DEFAULT = FACE_UP.name
