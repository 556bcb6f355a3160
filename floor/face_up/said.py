"""Hands that are set, as events say them."""

from __future__ import annotations

from typing import Any

from events.vocabulary import model
from events.vocabulary.model import fact
from floor.face_up.plan import Way
from floor.said import texts
from games.settlement.pai_gow import Position


def parts(way: Way) -> dict[str, Any]:
    """Return hands as the fields of an event."""
    high, *medium, low = way
    return {"high": texts(high), "medium": texts(medium[0]) if medium else [], "low": texts(low)}


def hand_set(position: Position, way: Way, by: Any) -> model.HandSet:
    """Hands that are set."""
    return fact(model.HandSet, position=position, by=by, **parts(way))
