"""An event of a table's stream as the fold sees it."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import msgspec


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """An event of a table's stream as the fold sees it: its number, the device and its clock, what it states, its id."""

    seq: int
    at_us: int
    source: str
    payload: Any
    event_id: str = ""


_seq = attrgetter("seq")


def in_order(facts: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return facts in the order of the log."""
    return sorted(facts, key=_seq)


def distinct_by(facts: Iterable[RecordedEvent], *fields: str) -> list[RecordedEvent]:
    """Return of facts the first for each value of these fields: what is said again changes nothing."""
    found: dict[tuple[Any, ...], RecordedEvent] = {}
    for fact in facts:
        found.setdefault(tuple(getattr(fact.payload, field) for field in fields), fact)
    return list(found.values())
