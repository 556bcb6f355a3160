"""Observations: rounds that a person watched live or on video, or took from paper, and entered afterward.

These events are in `observed/<table>`, never in the table's own stream: an entered round changes no rules, gaming day, dealer or
deck of the table and replaces no recorded round. The stream counts the days of entry; the event states the day of play.
`round_observed` opens an observed round; the events of a round that follow belong to it. `by` is the person.
"""

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import OBSERVED, Aspect, Count, Day, Digest, Event, Number, Strict, Text, Token, event
from events.vocabulary.correction_events import Replacement
from events.vocabulary.review_events import Person, Signed

Basis = Literal["live", "video", "paper"]
"""How the person knows: was there, watched a recording, read a document."""
Purpose = Literal["dispute", "dealer_audit", "game_audit", "for_cause"]
Selection = Literal["random", "systematic", "for_cause"]
RoundStream = Annotated[str, Meta(pattern=r"\A(table|observed)/[a-z0-9-]{1,32}\Z")]


@event("observation_opened", OBSERVED)
class ObservationOpened(Event, frozen=True, kw_only=True):
    """An observation began: its reason, dealer, time frame, number of rounds, and method of selection.

    The frame is the period from which rounds are selected (UTC microseconds; null: no limit) and its number of rounds (null: not
    counted). `seed` determines a random selection; it is stated before anyone watches.
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


@event("observation_closed", OBSERVED)
class ObservationClosed(Event, frozen=True, kw_only=True):
    """An observation ended; `unreadable` rounds were selected and could not be read."""

    by: Person
    observation: Token
    reason: Text
    unreadable: Count


class PinnedRules(Strict, frozen=True, kw_only=True):
    """The filing that judges an observed round: the number of its event in the table's stream, and the SHA-256 of its text."""

    seq: Number
    sha256: Digest


class SameRound(Strict, frozen=True, kw_only=True):
    """Another record of the same round: its stream, its number, and its first and last event at the time of writing."""

    first_seq: Number
    last_seq: Number
    round_no: Number
    stream: RoundStream


@event("round_observed", OBSERVED)
class RoundObserved(Event, frozen=True, kw_only=True):
    """A person entered a round of this table: who, the source, when it was played, and what the entry claims to cover.

    `clock_offset_ms` is how far the clock of the video was ahead of the property's; the times of the round are the property's,
    null if unknown. `observed` is what the entry claims to cover, `order_seen` whether it claims the order of actions.
    `observation` is null if the round was entered by itself.
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


@event("entry_confirmed", OBSERVED)
class EntryConfirmed(Event, frozen=True, kw_only=True):
    """Another person compared the entry of a round with its source and found no difference."""

    by: Person


@event("entry_line_added", OBSERVED)
class EntryLineAdded(Event, frozen=True, kw_only=True):
    """A forgotten line was added to the entry of a round after event `after_seq`; it counts as if entered there."""

    after_seq: Number
    by: Person
    line: Replacement
    reason: Text


@event("verdict_unveiled", OBSERVED)
class VerdictUnveiled(Event, frozen=True, kw_only=True):
    """An observer of an audit saw the amount due before typing what was done, or then changed it: in the next round entered."""

    by: Person
    observation: Token


@event("round_unreadable", OBSERVED)
class RoundUnreadable(Event, frozen=True, kw_only=True):
    """A selected round cannot be read; `selected` is its time (UTC microseconds), or its number in a counted frame."""

    by: Person
    observation: Token
    reason: Text
    selected: Count
