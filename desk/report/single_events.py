"""Single events of a table, read from the log: the facts of a report that warehouse and ledger do not have."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from desk.review.stored_events import event_of
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.envelope import ReadEnvelope
from replay.narrative.names import readable


class CountingEvent(NamedTuple):
    """An event that counts in a report: its time by its device and in the log, and its meaning there in words."""

    occurred_us: int
    recorded_us: int
    words: str


class ExportedCopy(NamedTuple):
    """An export on record: the SHA-256 of the copy, who exported it, when, and why."""

    digest: str
    by: str
    at_us: int
    reason: str


def counting_event(log: EventLog, stream: str, seq: int) -> CountingEvent | None:
    """Return an event that counts in a report, by its number; None if the log does not have it."""
    for event in _events(log, stream, [seq]):
        words = f"events of {stream} up to {seq}"
        if isinstance(said := event.payload, model.EventCorrected):
            words = f"{stream} event {seq} corrects event {said.supersedes_seq} ({readable(said.reason)})"
        return CountingEvent(event.occurred_at_us, event.recorded_at_us, words)
    return None


def exported_copies(log: EventLog, stream: str) -> Iterator[ExportedCopy]:
    """Yield the exports on record in a review stream. Raises what reading the log raises."""
    for record in log.read(stream):
        if b'"record_exported"' in record.data:
            (event,) = _events(log, stream, [record.seq])
            if isinstance(said := event.payload, model.RecordExported):
                yield ExportedCopy(said.digest, said.by, event.recorded_at_us, said.reason)


def buyers(log: EventLog, stream: str, numbers: Collection[int]) -> dict[int, str]:
    """Return the patron's token of the buy-ins with these numbers in a table's stream; other events are left out."""
    events = _events(log, stream, numbers)
    return {event.seq: event.payload.patron for event in events if isinstance(event.payload, model.BuyIn)}


def device_times(log: EventLog, stream: str, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
    """Return the gaming day and time (UTC microseconds) of the events with these numbers in a stream."""
    return {event.seq: (event.gaming_day, event.occurred_at_us) for event in _events(log, stream, numbers)}


def _events(log: EventLog, stream: str, numbers: Collection[int]) -> Iterator[ReadEnvelope[model.Event]]:
    """Yield the events with these numbers. Raises `UndecodableEvent`, and what reading the log raises."""
    for seq in sorted(numbers):
        for record in log.read(stream, seq, seq):
            yield event_of(record, read)
