"""Single events of a table, read from the log: the facts of a report that warehouse and ledger do not have."""

from collections.abc import Collection, Iterator

from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import read
from events.vocabulary.envelope import ReadEnvelope


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
            try:
                yield read(record.data)
            except EventError as error:
                raise UndecodableEvent(stream, seq, str(error)) from error
