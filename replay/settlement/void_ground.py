"""A ground on which a round must be void: what `voids.py` looks for in every game, and a game's record in its own."""

from __future__ import annotations

import msgspec


class VoidGround(msgspec.Struct, frozen=True):
    """A reason in the record why the round must be void, with the finding it makes where the round was played on.

    `reason` is the one that a declaration of the void would give.
    """

    reason: str
    code: str
    section: str
    expected: str
    observed: str
    evidence: tuple[int, ...]
    seat: int | None = None
