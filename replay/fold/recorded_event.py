"""An event of a table's stream as the fold sees it."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

import msgspec

from events.vocabulary.envelope import Envelope, ReadEnvelope
from events.vocabulary.model import Event


class RecordedEvent(msgspec.Struct, frozen=True, gc=False):
    """An event of a table's stream: its number, its device and device clock, its payload, and its id.

    `source_seq` is the device's own number. `is_late`: later numbers of the device arrived before it (D850).
    """

    seq: int
    at_us: int
    source: str
    payload: Any
    event_id: str = ""
    source_seq: int = 0
    is_late: bool = False

    @classmethod
    def of(cls, event: ReadEnvelope[Event] | Envelope, *, is_late: bool = False) -> "RecordedEvent":
        """Return the fact that an event of a stream states."""
        return cls(event.seq, event.occurred_at_us, event.source, event.payload, event.event_id, event.source_seq, is_late)


_seq = attrgetter("seq")


def in_order(facts: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return facts in the order of the log."""
    return sorted(facts, key=_seq)


def in_own_order(facts: Iterable[RecordedEvent]) -> list[RecordedEvent]:
    """Return facts, in the order of the log, with what came late before the later numbers of its own device."""
    placed: list[RecordedEvent] = []
    for fact in facts:
        end = len(placed)
        placed.insert(place_of_late(placed, fact) if fact.is_late else end, fact)
    return placed


def place_of_late(placed: Sequence[RecordedEvent], late: RecordedEvent) -> int:
    """Return where the first event of the same device with a later number is; the end if none exists."""
    return next((at for at, fact in enumerate(placed) if is_after(fact, late)), len(placed))


def is_of_people(source: str) -> bool:
    """Return whether a person entered an event, in the pit, the count room or the office: such a source names the person, and
    the times it states need not rise, nor are its numbers the order of play.
    """
    return source.startswith(("pit-", "count-", "filing-"))


def is_after(later: RecordedEvent, earlier: RecordedEvent) -> bool:
    """Return whether a device's own numbers put one event after another."""
    return later.source == earlier.source and later.source_seq > earlier.source_seq and not is_of_people(later.source)


def distinct_by(facts: Iterable[RecordedEvent], *fields: str) -> list[RecordedEvent]:
    """Return the first fact for each value of these fields: a repeated report changes nothing."""
    value, first = attrgetter(*fields), dict[Any, RecordedEvent]()
    for fact in facts:
        first.setdefault(value(fact.payload), fact)
    return list(first.values())
