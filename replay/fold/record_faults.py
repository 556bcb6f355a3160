"""Faults of the record itself: a device's counter that skips or repeats, a clock that runs back, a refused correction, a round
number that comes again, a filing that is not the device's to make, a change of the table that comes late.

`docs/log-contract.md` states what devices and corrections promise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Literal

import msgspec

from events.vocabulary.envelope import ReadEnvelope
from events.vocabulary.model import Event
from replay.fold.recorded_event import RecordedEvent, is_of_people


class RecordFault:
    """A fault of the record: missing numbers, a number repeated with other content, a clock that runs back, a refused correction,
    a second opening of a round (`reopened` while it was still open), rules that a device filed if the office does, a change of
    the table that came late.

    `seq` is the event that shows it; `missing` are the numbers of a gap that have not arrived. `round_no` is the round that shows
    it, `earlier` are those before that the missing messages may be about; `may_be_of` are all that were begun by then.
    `heard` is the last event of the device before a gap or a late change; `since` is the same if rounds that are not at hand
    ended after it, else None; `arrived` are the messages that came late, each with the number of the round that it names.
    """

    __slots__ = (
        "arrived", "detail", "earlier", "heard", "kind", "may_be_of", "missing", "round_no", "seq", "since", "source",
    )  # fmt: skip

    def __init__(
        self,
        kind: Literal["gap", "repeat", "clock", "correction", "round", "reopened", "filing", "late"],
        source: str,
        seq: int,
        detail: str,
        missing: Sequence[Span] = (),
    ) -> None:
        self.kind, self.source, self.seq, self.detail = kind, source, seq, detail
        self.missing = list(missing)
        self.round_no = 0
        self.earlier: list[int] = []
        self.may_be_of: list[int] = []
        self.since: int | None = None
        self.heard = 0
        self.arrived: list[tuple[RecordedEvent, int | None]] = []


def opened_twice(kind: Literal["round", "reopened"], round_no: int, first: RecordedEvent, again: RecordedEvent) -> RecordFault:
    """Return the fault of a second opening of a round."""
    detail = f"round {round_no} was opened by event {first.seq} and again by event {again.seq}"
    return RecordFault(kind, again.source, again.seq, detail)


def filed_by_device(fact: RecordedEvent) -> RecordFault:
    """Return the fault of rules that a device filed if the office does."""
    detail = f"{fact.source} filed rules {fact.payload.sha256[:16]}…, and at this table the office files"
    return RecordFault("filing", fact.source, fact.seq, detail)


def said_twice(source: str, seq: int, number: int) -> RecordFault:
    """Return the fault of a number under which a device said two things."""
    return RecordFault("repeat", source, seq, f"{source}: number {number} came twice with different content")


def clock_back(source: str, seq: int, us: int) -> RecordFault:
    """Return the fault of a clock that runs back by some microseconds."""
    return RecordFault("clock", source, seq, f"{source}: clock runs back by {timedelta(microseconds=us)} (h:min:s)")


def numbers_skipped(source: str, seq: int, missing: Span) -> RecordFault:
    """Return the fault of numbers that a device skipped."""
    first, last = missing
    numbers = f"number {first}" if first == last else f"numbers {first} to {last}"
    return RecordFault("gap", source, seq, f"{source}: {numbers} never arrived", [missing])


def is_in(spans: Sequence[Span], number: int) -> bool:
    """Return whether a number is in one of the spans.

    >>> is_in([(3, 5)], 5), is_in([(3, 5)], 6)
    (True, False)
    """
    return any(first <= number <= last for first, last in spans)


def without(spans: Sequence[Span], number: int) -> list[Span]:
    """Return spans without a number: the span that holds it becomes what remains on either side.

    >>> without([(3, 5), (9, 9)], 4), without([(9, 9)], 9)
    ([(3, 3), (5, 5), (9, 9)], [])
    """
    rest: list[Span] = []
    for first, last in spans:
        if first <= number <= last:
            rest += [span for span in ((first, number - 1), (number + 1, last)) if span[0] <= span[1]]
        else:
            rest.append((first, last))
    return rest


Span = tuple[int, int]
"""The first and the last number of a range."""


class Source(msgspec.Struct):
    """A device's counter and clock (UTC microseconds) in its last event, and the numbers skipped that have not arrived.

    `seq` is the number of that event in its stream. `unseen`: the numbers before the first that arrived, if they are no gap;
    `first_of`: the rounds that these may belong to, the one open at that first event and the one before.
    """

    last: int
    last_us: int
    missing: list[Span] = []
    seq: int = 0
    unseen: list[Span] = []
    first_of: list[int] = []


def first_heard(known: Mapping[str, Source], report: ReadEnvelope[Event], rounds: Sequence[int], days: int) -> Source:
    """Return the counter of a device that is heard for the first time, while or after these rounds were played.

    The numbers before its first are missing on the stream's first gaming day (of so many `days`), unless the device, or the first
    one in the stream, counted before this log began: more of them would be missing than the stream has events (D1192).
    """
    number = report.source_seq
    counter = Source(number, report.occurred_at_us, seq=report.seq)
    if number > 1:
        counter.first_of = [round_no for round_no in rounds if round_no]
        first = next((source for name, source in known.items() if not is_of_people(name)), None)
        if days > 1 or number > report.seq or is_of_people(report.source) or (first is not None and first.unseen):
            counter.unseen = [(1, number - 1)]
        else:
            counter.missing = [(1, number - 1)]
    return counter
