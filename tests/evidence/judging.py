"""Judges a stretch of a table's stream as replay does: the fold, then the rules, round by round."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from events.vocabulary.envelope import ReadEnvelope, unlogged
from events.vocabulary.model import Event
from replay.fold.round import Round
from replay.fold.table_fold import TableFold
from replay.fold.table_state import TableState

STEP = 4
"""Events are numbered in steps, so that an edit can put one between two and leaves the numbers of the others."""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a table's stream with all that a device reports."""

    seq: int
    payload: Event
    round_no: int | None
    source: str
    source_seq: int
    at_us: int
    day: str


class Window(msgspec.Struct, frozen=True):
    """A round's part of the stream: what prepared it, the round itself, and the documents that follow at once."""

    reports: tuple[Report, ...]
    round_no: int

    def after(self, seq: int) -> Window:
        """Return the window with its numbers moved up."""
        return Window(tuple(msgspec.structs.replace(each, seq=each.seq + seq) for each in self.reports), self.round_no)


def in_stream(report: Report, stream: str) -> ReadEnvelope[Event]:
    """Return a report as an event of its stream."""
    return unlogged(
        report.payload,
        stream=stream,
        seq=report.seq,
        gaming_day=report.day,
        source=report.source,
        source_seq=report.source_seq,
        occurred_at_us=report.at_us,
        round_no=report.round_no,
        event_id=f"{report.seq:032x}",
    )


def folded(fold: TableFold, reports: Iterable[Report], *, is_end: bool = True) -> dict[int, Round]:
    """Fold the reports; return every round that they complete or change, and at the end the one that they leave open."""
    rounds: dict[int, Round] = {}
    for report in reports:
        for each in fold.apply(in_stream(report, fold.stream)):
            rounds[each.round_no] = each
    if is_end and fold.open is not None:
        rounds[fold.open.round_no] = fold.open
        fold.leave()
    return rounds


def fingerprint(state: TableState) -> bytes:
    """Return the table as bytes to compare, without what its devices have counted."""
    return msgspec.msgpack.encode(msgspec.structs.replace(state, sources={}))
