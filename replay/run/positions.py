"""Where a replay goes on: the stored positions that fit their digest and the log, and why the others do not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

import msgspec

from events.errors import EventError, IntegrityError, UndecodableEvent
from events.log.contract import Head, Record, ResultStore
from events.log.foreign import ForeignReport
from events.vocabulary.envelope import RawEnvelope


class ReplaySource(Protocol):
    """What a replay asks of a log (see `events.log.contract.EventLog`)."""

    def streams(self) -> list[str]:
        """Return the names of all streams."""

    def head(self, stream: str) -> Head:
        """Return the end of a stream."""

    def read(self, stream: str, from_seq: int = 1, to_seq: int | None = None) -> Iterator[Record]:
        """Yield a stream's records, chain checked."""

    def tail(self, after: Mapping[str, int], *, wait_s: float | None = None) -> Iterator[list[Record]]:
        """Yield batches of records beyond `after`."""

    def passed_over(self) -> ForeignReport:
        """Return the foreign records that `tail` has come past."""

    def acknowledged(self) -> dict[str, Head]:
        """Return the high-water mark."""


class Resumption(NamedTuple):
    """Stream → the log's head from which a replay goes on; and stream → why what is stored does not fit."""

    positions: dict[str, Head]
    misfits: dict[str, str]


def resumption(log: ReplaySource, results: ResultStore, engine: str) -> Resumption:
    """Compare the positions of an engine with the log.

    If the log itself is broken, or lost what was acknowledged, a position stands: that is for whoever reads the log to name.
    """
    positions, misfits = results.positions(engine), results.misfits(engine)
    known = set(log.streams()) if positions else set()  # on Kafka the first question reads every record's headers
    for stream in sorted(positions.keys() & known):
        fault = _fault(log, stream, positions[stream])
        if fault:
            misfits[stream] = fault
            del positions[stream]
    return Resumption(positions, misfits)


def _fault(log: ReplaySource, stream: str, position: Head) -> str:
    """Return why a position is not one of this log; empty where it is."""
    try:
        end = log.head(stream)
        if end == position:
            return ""
        if position.seq > end.seq:
            mark = log.acknowledged().get(stream)
            if mark is not None and mark.seq >= position.seq:
                return ""
            return f"the stored position ({position.seq}) is past the end of the stream ({end.seq})"
        for record in log.read(stream, position.seq, position.seq):
            if record.hash != position.hash:
                return f"the stored position ({position.seq}) has another chain hash than the log"
    except IntegrityError:
        return ""
    return ""


def resolve_time(log: ReplaySource, at_us: int) -> dict[str, int]:
    """Return the position of every stream at a time, by `recorded_at_us` (the appender's clock, which never runs back).

    Of a stream that breaks off before, it is the number where it breaks, so that a replay meets it there and names it.
    """
    positions = {}
    for stream in log.streams():
        last = 0
        try:
            for record in log.read(stream):
                if _recorded(record) > at_us:
                    break
                last = record.seq
        except IntegrityError as broken:
            last = broken.seq
        positions[stream] = last
    return positions


_raw = msgspec.json.Decoder(RawEnvelope)


def _recorded(record: Record) -> int:
    try:
        return _raw.decode(record.data).recorded_at_us
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UndecodableEvent(record.stream, record.seq, str(error)) from EventError(str(error))
