"""Hands that are set, as events say them."""

from __future__ import annotations

from typing import Any

from events import model
from events.model import fact
from floor.face_up_pai_gow.plan import Way
from floor.table.facts import texts
from games.pai_gow import Position


def parts(way: Way) -> dict[str, Any]:
    """Return hands as the fields of an event."""
    high, *medium, low = way
    return {"high": texts(high), "medium": texts(medium[0]) if medium else [], "low": texts(low)}


def hand_set(position: Position, way: Way, by: Any) -> model.HandSet:
    """Hands that are set."""
    return fact(model.HandSet, position=position, by=by, **parts(way))
