"""An event of a table's stream as the fold sees it."""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Any

import msgspec

from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """An event of a table's stream as the fold sees it: its number, the device and its clock, what it states, its id."""

    seq: int
    at_us: int
    source: str
    payload: Any
    event_id: str = ""

    @classmethod
    def of(cls, event: ReadEnvelope[Event]) -> RecordedEvent:
        """Return the fact that an event of a stream states."""
        return cls(event.seq, event.occurred_at_us, event.source, event.payload, event.event_id)


_seq = attrgetter("seq")


def in_order(facts: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return facts in the order of the log."""
    return sorted(facts, key=_seq)


def distinct_by(facts: Iterable[RecordedEvent], *fields: str) -> list[RecordedEvent]:
    """Return the first fact for each value of these fields: a repeated report changes nothing."""
    value, first = attrgetter(*fields), dict[Any, RecordedEvent]()
    for fact in facts:
        first.setdefault(value(fact.payload), fact)
    return list(first.values())
