"""Hands that are set, as the floor says them, and where a payout comes from."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up.plan import Way
from floor.said import texts
from games.pai_gow import Position

BY_SLIP_CENTS = 120_000
"""An optional wager that wins so much is paid by the cage, not from the table inventory."""


def parts(way: Way) -> dict[str, Any]:
    """Return hands as the fields of an event."""
    high, *medium, low = way
    return {"high": texts(high), "medium": texts(medium[0]) if medium else [], "low": texts(low)}


def hand_set(position: Position, way: Way, by: Any) -> model.HandSet:
    """Hands that are set."""
    return model.HandSet(position=position, by=by, **parts(way))


def source_of(winnings_cents: int) -> str:
    """Return where the winnings of an optional wager come from."""
    return "slip" if winnings_cents >= BY_SLIP_CENTS else "inventory"
