"""The progress of a verification."""

from collections.abc import Callable
from contextlib import suppress

import msgspec

from events.errors import IntegrityError
from events.log.contract import EventLog
from replay.narrative.names import plural

Watch = Callable[[str, str, int], None]
"""Called with what is counted ("events checked"), the stream, and the count so far."""


class VerificationStep(msgspec.Struct, frozen=True):
    """The progress of a verification: the number of the stream, and the events read of the total."""

    stream: str
    number: int
    streams: int
    events: int
    of: int

    @property
    def share(self) -> float:
        """The share done, 0 to 1; at most 1 if the log grows meanwhile."""
        return min(1.0, self.events / self.of) if self.of else 0.0

    @property
    def words(self) -> str:
        """The stream being read, and the progress."""
        return f"{self.stream}, {self.number} of {plural(self.streams, 'stream')}: {self.events:,} of {plural(self.of, 'event')}"


def unwatched(log: EventLog) -> Watch:
    """Return a watcher that ignores all steps."""
    return lambda what, stream, count: None


def stepping(show: Callable[[VerificationStep], None]) -> Callable[[EventLog], Watch]:
    """Return a callback that shows each stream of a log as it is read."""

    def watched(log: EventLog) -> Watch:
        names, last = log.streams(), 0
        for name in names:
            with suppress(IntegrityError):  # the verification names it
                last += log.head(name).seq
        done: dict[str, None] = {}

        def watch(what: str, stream: str, count: int) -> None:
            if what == "events checked":
                done[stream] = None
                show(VerificationStep(stream, len(done), len(names), count, last))

        return watch

    return watched
