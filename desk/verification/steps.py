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
    """The progress of a verification: the number of the stream, and the events read of the total; 0: the total is not known."""

    stream: str
    number: int
    streams: int
    events: int
    of: int

    @property
    def share(self) -> float:
        """The share done, 0 to 1; at most 1 if the log grows meanwhile, and 0 if the total is not known."""
        return min(1.0, self.events / self.of) if self.of else 0.0

    @property
    def words(self) -> str:
        """The stream being read, and the progress."""
        if not self.of:
            return f"{self.stream}, {plural(self.number, 'stream')} so far: {plural(self.events, 'event')}"
        return f"{self.stream}, {self.number} of {plural(self.streams, 'stream')}: {self.events:,} of {plural(self.of, 'event')}"


def unwatched(log: EventLog) -> Watch:
    """Return a watcher that ignores all steps."""
    return lambda what, stream, count: None


def stepping(show: Callable[[VerificationStep], None]) -> Callable[[EventLog], Watch]:
    """Return a callback that shows each stream of a log as it is read.

    If a log can list its streams only by being read, the total counts what this machine's writers had acknowledged.
    """

    def watched(log: EventLog) -> Watch:
        ends = _acknowledged(log) if log.is_interleaved else _stored(log)
        last, names, done = sum(ends.values()), set(ends), set[str]()

        def watch(what: str, stream: str, count: int) -> None:
            if what == "events checked":
                done.add(stream)
                names.add(stream)
                show(VerificationStep(stream, len(done), len(names), count, max(last, count) if last else 0))

        return watch

    return watched


def _acknowledged(log: EventLog) -> dict[str, int]:
    with suppress(IntegrityError):  # the verification names it
        return {stream: head.seq for stream, head in log.acknowledged().items()}
    return {}


def _stored(log: EventLog) -> dict[str, int]:
    ends = dict.fromkeys(log.streams(), 0)
    for stream in ends:
        with suppress(IntegrityError):  # the verification names it
            ends[stream] = log.head(stream).seq
    return ends
