"""The time now, and a log's clock that runs ahead: records with a time that this machine's clock has not reached.

`recorded_at_us` never decreases. If a clock once stepped into the future, every later event of the stream, and every later
checkpoint, keeps that time until it has come (D841). Numbers and chains are not affected.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec

from events.errors import IntegrityError
from events.log.contract import EventLog

AHEAD_US = 60_000_000
"""Clocks of two machines may differ by this much."""


class AheadOfClock(msgspec.Struct, frozen=True):
    """An event, or a checkpoint by the number of its last statement, that bears a time of the future (UTC microseconds)."""

    stream: str
    seq: int
    at_us: int


class _Recorded(msgspec.Struct):
    recorded_at_us: int


_recorded = msgspec.json.Decoder(_Recorded)


def utc_now_us() -> int:
    """Return the present as integer UTC microseconds."""
    return time.time_ns() // 1000


def is_ahead(at_us: int, now_us: int) -> bool:
    """Return whether a time lies in the future, by more than clocks may differ.

    >>> is_ahead(160_000_000, 100_000_000), is_ahead(160_000_001, 100_000_000)
    (False, True)
    """
    return at_us > now_us + AHEAD_US


def streams_ahead(log: EventLog, now_us: int) -> list[AheadOfClock]:
    """Return the last event of each stream whose last event was recorded in the future. Unreadable events are skipped."""
    found = []
    for stream in log.streams():
        try:
            end = log.head(stream).seq
            for record in log.read(stream, end, end) if end else ():
                at_us = _recorded.decode(record.data).recorded_at_us
                found += [AheadOfClock(stream, record.seq, at_us)] if is_ahead(at_us, now_us) else []
        except (IntegrityError, msgspec.MsgspecError):  # a reader of the whole stream names it
            continue
    return found


def ahead_lines(found: Sequence[AheadOfClock], now_us: int) -> list[str]:
    """Return a warning that names the records from the future, or an empty text."""
    if not found:
        return []
    latest = max(found, key=lambda each: each.at_us)
    others = f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""
    return [
        f"THE LOG'S CLOCK IS AHEAD: {latest.stream} {'event' if '/' in latest.stream else 'statement'} {latest.seq} is of "
        f"{_time(latest.at_us)}{others}, this clock says {_time(now_us)}; until then all that follows bears that time, and "
        "silence between checkpoints does not show: set the clocks right"
    ]


def _time(at_us: int) -> str:
    return datetime.fromtimestamp(min(at_us, 253_402_300_799_000_000) // 1_000_000, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
