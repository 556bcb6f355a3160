"""The rounds of a log as the warehouse shows them."""

from collections.abc import Iterator
from itertools import groupby

import msgspec

from analytics.warehouse.feed import event_row
from analytics.warehouse.loading import ROUND_EVENTS, RoundEvents
from events.log.contract import EventLog
from events.vocabulary.envelope import RawEnvelope

_envelope = msgspec.json.Decoder(RawEnvelope)


def round_events(log: EventLog) -> Iterator[RoundEvents]:
    """Yield the events of each round of each table; a round with late events comes in several pieces."""
    for stream in log.streams():
        if stream.startswith("table/"):
            pairs = ((_envelope.decode(record.data), record) for record in log.read(stream))
            for round_no, run in groupby(pairs, key=lambda pair: pair[0].round_no):
                if round_no is not None:
                    rows = [dict(zip(ROUND_EVENTS, event_row(*pair), strict=True)) for pair in run]
                    yield RoundEvents(stream=stream, round_no=round_no, events=rows)
