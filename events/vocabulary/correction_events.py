"""Corrections: an event replaces one that was recorded wrong. Nothing is ever edited."""

from collections.abc import Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from events.vocabulary.base import REGISTRY, Event, Number, Strict, Text, Token, at, event
from events.vocabulary.review_events import Person


class Replacement(Strict, frozen=True, kw_only=True):
    """The whole event that replaces a superseded one: its type, version, round and payload."""

    payload: dict[str, Any]
    round_no: Number | None
    type: Annotated[str, Meta(pattern=r"\A[a-z_]{1,40}\Z")]
    version: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        target = REGISTRY.get((self.type, self.version))
        if target is None:
            raise msgspec.ValidationError(f"Replacement: no event {self.type!r} version {self.version}")
        if self.type == EventCorrected.TYPE:
            raise msgspec.ValidationError("Replacement: a correction cannot be replaced by a correction")
        try:
            msgspec.convert(self.payload, target, strict=True)
        except msgspec.ValidationError as error:
            raise msgspec.ValidationError(f"Replacement.payload: {error}") from error


@event("event_corrected", at(table="device pit count", meter="device", observed="desk"))
class EventCorrected(Event, frozen=True, kw_only=True):
    """An earlier event of this stream is replaced by a whole event or, if `replacement` is null, withdrawn: it never happened."""

    by: Token
    reason: Text
    replacement: Replacement | None
    supersedes_event_id: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]
    supersedes_seq: Number


@event("event_corrected", version=2)
class EventCorrected2(EventCorrected, frozen=True, kw_only=True):
    """An earlier event of this stream is replaced or withdrawn, as in version 1; `by` is a person's id in the register."""

    by: Person


def objection(seq: int, superseded: int, event_id: str, ids: Mapping[int, str]) -> str:
    """Return why a correction does not count, given the ids of earlier events by their numbers; empty if it does (D140).

    >>> objection(7, 5, "ab", {5: "cd"})
    'the correction at event 7 names event 5 by an id that is not its own'
    """
    if superseded >= seq:
        return f"the correction at event {seq} names event {superseded}, which does not stand before it"
    if ids.get(superseded) != event_id:
        return f"the correction at event {seq} names event {superseded} by an id that is not its own"
    return ""


def counting_corrections(corrections: Mapping[int, int]) -> dict[int, int]:
    """Return event → the correction that counts for it, of the corrections without objection and the event that each supersedes.

    Of the corrections of one event the last counts, unless it was itself corrected.

    >>> counting_corrections({5: 3, 7: 3, 9: 5})
    {5: 9, 3: 7}
    """
    last: dict[int, int] = {}
    for seq in sorted(corrections, reverse=True):
        if seq not in last:
            last.setdefault(corrections[seq], seq)
    return last


def refused_correction(superseded: int) -> str:
    """Return the beginning of the reason with which intake refuses a correction of this event."""
    return f"a correction of event {superseded}: "
