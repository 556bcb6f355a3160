"""Finds the patron's token of single buy-ins in the log; the ledger has only their amounts."""

from collections.abc import Collection

from events.errors import EventError, UndecodableEvent
from events.log.contract import EventLog
from events.vocabulary import model
from events.vocabulary.codec import read


def buyers(log: EventLog, stream: str, numbers: Collection[int]) -> dict[int, str]:
    """Return the patron's token of the buy-ins with these numbers in a table's stream; other events are left out.

    Raises `UndecodableEvent`, and what reading the log raises.
    """
    found = {}
    for seq in sorted(numbers):
        for record in log.read(stream, seq, seq):
            try:
                payload = read(record.data).payload
            except EventError as error:
                raise UndecodableEvent(stream, seq, str(error)) from error
            if isinstance(payload, model.BuyIn):
                found[seq] = payload.patron
    return found
