"""Streams of drafts: devices with their own gap-free counters, clocks that run forward, event ids from the seed."""

from random import Random

from events.vocabulary.codec import encode_draft
from events.vocabulary.envelope import Draft
from events.vocabulary.model import Event

SECOND_US = 1_000_000
MINUTE_US = 60 * SECOND_US
HOUR_US = 60 * MINUTE_US
DAY_US = 24 * HOUR_US

Group = tuple[str, list[Draft]]


def line_of(stream: str, draft: Draft) -> bytes:
    """Return a device's report as a line of JSON."""
    return b'{"stream":"' + stream.encode() + b'",' + encode_draft(draft)[1:] + b"\n"


class Stream:
    """One stream to be appended: it numbers events and gives each device its own counter and clock."""

    def __init__(self, name: str, random: Random) -> None:
        self.name = name
        self.seq = 0
        self._random = random
        self._counters: dict[str, int] = {}
        self._last_us: dict[str, int] = {}

    def draft(self, source: str, payload: Event, at_us: int, round_no: int | None) -> Draft:
        """Return the device's next report, which becomes the stream's next event."""
        number = self._counters.get(source, 0) + 1
        self._counters[source] = number
        self._last_us[source] = at_us
        self.seq += 1
        return Draft(
            event_id=f"{self._random.getrandbits(128):032x}",
            source=source,
            source_seq=number,
            occurred_at_us=at_us,
            round_no=round_no,
            payload=payload,
        )

    def skip(self, source: str, numbers: int) -> None:
        """Make a device's counter jump (a negative jump repeats numbers)."""
        self._counters[source] = self._counters.get(source, 0) + numbers

    def last_us(self, source: str) -> int | None:
        """Return the time of a device's last report, or None."""
        return self._last_us.get(source)
