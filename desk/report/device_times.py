"""The times of single events of a table: their gaming day and the device's clock, read from the log."""

from collections.abc import Collection

from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog
from events.vocabulary.codec import read


def device_times(log: EventLog, stream: str, numbers: Collection[int]) -> dict[int, tuple[str, int]]:
    """Return the gaming day and time (UTC microseconds) of the events with these numbers in a stream.

    Raises `UndecodableEvent`, and what reading the log raises.
    """
    found = {}
    for seq in numbers:
        for record in log.read(stream, seq, seq):
            try:
                event = read(record.data)
            except EventError as error:
                raise UndecodableEvent(stream, seq, str(error)) from error
            found[seq] = event.gaming_day, event.occurred_at_us
    return found
