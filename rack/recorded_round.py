"""One round as a log holds it: its events, and the verdict worked out afresh from them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from events.codec import decode
from events.envelope import Envelope
from events.errors import EventError, IntegrityError, Undecodable
from events.log import EventLog
from rack.errors import UsageError
from replay.engine import engine
from replay.findings import Adjudication
from replay.replayer import BEYOND, MemoryResults, adjudications, replay
from replay.transcript_write import to_text


@dataclass(frozen=True)
class Recorded:
    """A recorded round: its events in order, its verdict, and what is broken later in its stream."""

    events: tuple[Envelope, ...]
    adjudication: Adjudication
    broken: tuple[str, ...]

    def transcript(self) -> str:
        """Return the round as a transcript."""
        judged = self.adjudication
        return to_text(
            [(event.seq, event.occurred_at_us, event.payload) for event in self.events],
            table=judged.stream.partition("/")[2],
            round_no=judged.round_no,
            rules=(f"# rules submission {judged.submission} ({judged.chapter}), SHA-256 {judged.rules_digest}",),
        )


def recorded_round(log: EventLog, table: str, round_no: int) -> Recorded:
    """Return a round of a table. Raises `UsageError` where there is none, `IntegrityError` where a break hides it."""
    stream = f"table/{table}"
    streams = log.streams()
    if stream not in streams:
        tables = ", ".join(name.partition("/")[2] for name in streams if name.startswith("table/"))
        raise UsageError(f"the log has no table {table!r}; it has {tables or 'none'}")
    memory = MemoryResults()
    memory.commit(engine(), {other: BEYOND for other in streams if other != stream}, {}, [])
    summary = replay(log, memory)
    judged = {each.round_no: each for each in adjudications(memory)}
    if round_no not in judged:
        for _ in _events(log, stream):
            pass  # to the break, if there is one
        rounds = f"rounds {min(judged)} to {max(judged)}" if judged else "no rounds"
        raise UsageError(f"table {table} has no round {round_no}; it has {rounds}")
    events: list[Envelope] = []
    with contextlib.suppress(IntegrityError):  # the round stands before the break, which the summary names
        events.extend(event for event in _events(log, stream) if event.round_no == round_no)
    return Recorded(tuple(events), judged[round_no], tuple(summary.integrity))


def _events(log: EventLog, stream: str) -> Iterator[Envelope]:
    """Yield a stream's events. Raises an `IntegrityError` where it is broken."""
    for record in log.read(stream):
        try:
            yield decode(record.data)
        except EventError as error:
            raise Undecodable(stream, record.seq, str(error)) from error
