"""Where a replay goes on: the stored positions that fit their digest and the log, and why the others do not."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, Protocol

import msgspec

from events.errors import EventError, IntegrityError, UndecodableEvent
from events.log.contract import Head, Record, ResultStore
from events.log.foreign import ForeignReport
from events.vocabulary.envelope import RawEnvelope
from replay.run.engine import digest_for, shared_engine


class ReplaySource(Protocol):
    """The methods of a log that a replay needs (see `events.log.contract.EventLog`)."""

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
    """Stream → the log's head from which a replay goes on, and its snapshot; stream → why what is stored does not fit; and the
    streams of a game that another engine judged.
    """

    positions: dict[str, Head]
    snapshots: dict[str, bytes]
    misfits: dict[str, str]
    outdated: frozenset[str]


class _Judges(msgspec.Struct):
    judges: dict[str, str] = {}


_judges = msgspec.msgpack.Decoder(_Judges)


def stored_state(results: ResultStore) -> Resumption:
    """Return what is stored of how far each stream was judged, as far as this program's engines judged it."""
    shared = shared_engine()
    positions, snapshots, misfits = results.positions(shared), results.snapshots(shared), results.misfits(shared)
    outdated = frozenset(stream for stream, snapshot in snapshots.items() if _is_outdated(snapshot))
    for stream in outdated:
        positions.pop(stream, None)
        del snapshots[stream]
    return Resumption(positions, snapshots, misfits, outdated)


def _is_outdated(snapshot: bytes) -> bool:
    """Whether another engine judged one of the games of a stream. The worker reports unreadable positions."""
    try:
        return any(digest_for(game) != digest for game, digest in _judges.decode(snapshot).judges.items())
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return False


def resumption(log: ReplaySource, results: ResultStore) -> Resumption:
    """Compare the stored positions with the log.

    If the log itself is broken, or lost what was acknowledged, a position counts: the reader of the log names that.
    """
    found = stored_state(results)
    positions, misfits = found.positions, found.misfits
    known = set(log.streams()) if positions else set()  # on Kafka the first question reads every record's headers
    for stream in sorted(positions.keys() & known):
        fault = _fault(log, stream, positions[stream])
        if fault:
            misfits[stream] = fault
            del positions[stream]
    return found


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

    For a stream that breaks off earlier, it is the number of the break, so that a replay reports it.
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
