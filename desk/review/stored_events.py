"""The names of a log's streams, and a stored event, or where the log cannot be read on."""

from collections.abc import Callable
from typing import TypeVar

from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog, Record

T = TypeVar("T")


def names_of(log: EventLog, kind: str) -> list[str]:
    """Return what the streams of a kind are named after, sorted: the tables of `table/…`, the meters of `meter/…`."""
    return [rest for found, _, rest in (stream.partition("/") for stream in log.streams()) if found == kind and rest]


def event_of(record: Record, decoder: Callable[[bytes], T]) -> T:
    """Return a record's event by a decoder of `events.vocabulary.codec`. Raises `UndecodableEvent`."""
    try:
        return decoder(record.data)
    except EventError as error:
        raise UndecodableEvent(record.stream, record.seq, str(error)) from error
