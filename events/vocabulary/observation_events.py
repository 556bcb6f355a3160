"""Observations: rounds that a person saw, live or on video, or took from paper, and entered afterward.

These events are in `observed/<table>`, never in the table's own stream: an entered round changes no rules, gaming day, dealer
or deck of the table, and takes the place of no recorded round. The days of the stream are those of entry; the day of play is in
the event. `round_observed` opens an observed round; the events of a round that follow belong to it. `by` is the person.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import Aspect, Count, Day, Digest, Event, Number, Strict, Text, Token, event
from events.vocabulary.correction_events import Replacement
from events.vocabulary.review_events import Person, Signed

Basis = Literal["live", "video", "paper"]
"""How the person knows: was there, watched a recording, read a document."""
Purpose = Literal["dispute", "dealer_audit", "game_audit", "for_cause"]
Selection = Literal["random", "systematic", "for_cause"]
RoundStream = Annotated[str, Meta(pattern=r"\A(table|observed)/[a-z0-9-]{1,32}\Z")]


@event("observation_opened")
class ObservationOpened(Event, frozen=True, kw_only=True):
    """Somebody set out to watch rounds: why, of whom, out of which time, how many, and how they are selected.

    The frame is the time in which rounds can be selected (UTC microseconds; null: not limited) and the number of its rounds
    (null: not counted). `seed` is what a random selection is drawn from; it is stated before anything is watched.
    """

    by: Person
    dealer: Token | None
    frame_from_us: Count | None
    frame_rounds: Number | None
    frame_to_us: Count | None
    observation: Token
    planned: Number
    purpose: Purpose
    seed: Digest | None
    selection: Selection


@event("observation_closed")
class ObservationClosed(Event, frozen=True, kw_only=True):
    """An observation ended; `unreadable` rounds were selected and could not be read."""

    by: Person
    observation: Token
    reason: Text
    unreadable: Count


class PinnedRules(Strict, frozen=True, kw_only=True):
    """The filing that an observed round is judged by: the number of its event in the table's stream, the SHA-256 of its text."""

    seq: Number
    sha256: Digest


class SameRound(Strict, frozen=True, kw_only=True):
    """Another record of the same round: its stream and number, and the first and last of its events when this was written."""

    first_seq: Number
    last_seq: Number
    round_no: Number
    stream: RoundStream


@event("round_observed")
class RoundObserved(Event, frozen=True, kw_only=True):
    """A person entered a round of this table: who, how they know, when it was played, and what they claim to have seen.

    `clock_offset_ms` is how far the clock of the video was ahead of the property's; the times of the round are the property's,
    null if they are not known. `observed` is what the record claims to cover, `order_seen` whether it claims the order of what
    was done. `observation` is null for a round that was entered by itself.
    """

    basis: Basis
    by: Person
    camera: Token | None
    clock_offset_ms: Signed | None
    dealer: Token | None
    deck: Token | None
    observation: Token | None
    observed: Annotated[list[Aspect], Meta(max_length=16)]
    order_seen: bool
    played_from_us: Count | None
    played_gaming_day: Day
    played_to_us: Count | None
    rules: PinnedRules
    same_as: SameRound | None


@event("entry_confirmed")
class EntryConfirmed(Event, frozen=True, kw_only=True):
    """Another person compared the entry of a round with what it was taken from, and found it the same."""

    by: Person


@event("entry_line_added")
class EntryLineAdded(Event, frozen=True, kw_only=True):
    """A line that was forgotten was added to the entry of a round, after event `after_seq`; it counts as if entered there."""

    after_seq: Number
    by: Person
    line: Replacement
    reason: Text


@event("verdict_unveiled")
class VerdictUnveiled(Event, frozen=True, kw_only=True):
    """An observer of an audit saw what was due before typing what was done, or changed it then: in the next round entered."""

    by: Person
    observation: Token


@event("round_unreadable")
class RoundUnreadable(Event, frozen=True, kw_only=True):
    """A round that was selected cannot be read; `selected` is the time (UTC microseconds), or its number in a counted frame."""

    by: Person
    observation: Token
    reason: Text
    selected: Count
