"""A stored event, or where the log cannot be read on."""

from collections.abc import Callable
from typing import TypeVar

from events.errors import EventError, UndecodableEvent
from events.log.contract import Record

T = TypeVar("T")


def event_of(record: Record, decoder: Callable[[bytes], T]) -> T:
    """Return a record's event by a decoder of `events.vocabulary.codec`. Raises `UndecodableEvent`."""
    try:
        return decoder(record.data)
    except EventError as error:
        raise UndecodableEvent(record.stream, record.seq, str(error)) from error
