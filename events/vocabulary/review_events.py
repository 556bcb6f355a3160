"""Review: work on findings, disputes and investigations, and who viewed or exported which record.

These events are in the stream `review/<table>`, never in the table's own: no verdict depends on them. Surveillance's log belongs
to no table and is in `review/surveillance`. The envelope's `round_no` is the event's subject. `by` is the author; each event
states its reason.
"""

from typing import Annotated, Literal

from msgspec import Meta

from events.vocabulary.base import MAX_INT, REVIEW, Amount, Claim, Count, Day, Digest, Event, Number, Seat7, Text, Token, event

Person = Annotated[str, Meta(pattern=r"\A[a-z0-9][a-z0-9._@+-]{0,63}\Z")]
"""Who reviews: the name by which the property's directory knows a person, in small letters (two spellings are not two people)."""
FindingId = Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")]

Disposition = Literal[
    "confirmed_paid_patron",
    "confirmed_recovered",
    "confirmed_held_for_patron",
    "confirmed_no_action",
    "confirmed_coached",
    "confirmed_referred",
    "false_alarm",
    "record_wrong",
    "duplicate",
    "cannot_tell",
]
"""What became of a finding. `confirmed_…`: the fault is real; `record_wrong`: the table was right and the record was not."""
DisputeOutcome = Literal["for_patron", "for_house", "settled", "withdrawn", "referred", "cannot_tell"]
RecordKind = Literal["round", "packet", "findings", "table", "video"]
Trigger = Literal["outside_band", "three_points"]
InvestigationOutcome = Literal["explained_by_play", "explained_by_counts", "fault_found", "referred", "not_explained"]
Signed = Annotated[int, Meta(ge=-MAX_INT, le=MAX_INT)]


@event("video_marked", REVIEW)
class VideoMarked(Event, frozen=True, kw_only=True):
    """A stretch of video of the round was marked to be kept; times are UTC microseconds of the video's own clock."""

    by: Person
    camera: Token
    ends_us: Count
    finding_id: FindingId | None
    reason: Text
    starts_us: Count


@event("video_marked", version=2)
class VideoMarked2(Event, frozen=True, kw_only=True):
    """A clip of the round was marked to be kept; times are UTC microseconds of the video's own clock.

    `clock_offset_ms` is how far that clock was ahead of the property's; null: not known. `digest` is the SHA-256 of the clip's
    file; null: no file was given.
    """

    by: Person
    camera: Token
    clock_offset_ms: Signed | None
    digest: Digest | None
    ends_us: Count
    finding_id: FindingId | None
    reason: Text
    starts_us: Count


@event("alarm_acknowledged", REVIEW)
class AlarmAcknowledged(Event, frozen=True, kw_only=True):
    """Somebody took charge of the alarm about a finding's incident; it need not go to anyone else."""

    by: Person
    finding_id: FindingId
    note: Text


@event("finding_assigned", REVIEW)
class FindingAssigned(Event, frozen=True, kw_only=True):
    """A finding was assigned to somebody."""

    by: Person
    finding_id: FindingId
    reason: Text
    to: Person


@event("finding_noted", REVIEW)
class FindingNoted(Event, frozen=True, kw_only=True):
    """Somebody wrote down what they saw or did about a finding."""

    by: Person
    finding_id: FindingId
    note: Text


@event("finding_resolved", REVIEW)
class FindingResolved(Event, frozen=True, kw_only=True):
    """A finding was disposed of, or its disposition got its second signature (`signs`: the number of that event in this stream).

    `amount_cents` was paid, recovered or set aside; null if no money moves. `duplicate_of` names the same finding elsewhere.
    """

    amount_cents: Amount | None
    by: Person
    disposition: Disposition
    duplicate_of: FindingId | None
    finding_id: FindingId
    reason: Text
    signs: Number | None


@event("finding_reopened", REVIEW)
class FindingReopened(Event, frozen=True, kw_only=True):
    """A disposition was withdrawn, or its second signature refused: the finding is open again."""

    by: Person
    finding_id: FindingId
    reason: Text


@event("dispute_opened", REVIEW)
class DisputeOpened(Event, frozen=True, kw_only=True):
    """A patron disputes a round: the patron's words (`reason`) and seat."""

    by: Person
    dispute: Token
    patron: Token | None
    reason: Text
    seat: Seat7 | None


@event("dispute_opened", version=2)
class DisputeOpened2(DisputeOpened, frozen=True, kw_only=True):
    """A patron disputes a round: the patron's words (`reason`, up to 4,000 characters) and seat."""

    reason: Claim


@event("dispute_closed", REVIEW)
class DisputeClosed(Event, frozen=True, kw_only=True):
    """A dispute was decided or withdrawn."""

    by: Person
    dispute: Token
    outcome: DisputeOutcome
    reason: Text


@event("dispute_closed", version=2)
class DisputeClosed2(Event, frozen=True, kw_only=True):
    """A dispute was decided or withdrawn, or its decision got its second signature (`signs`: that event's number in this stream).

    `override` says why the decision goes against the record; such a decision counts only with a second signature.
    """

    by: Person
    dispute: Token
    outcome: DisputeOutcome
    override: Text | None
    reason: Text
    signs: Number | None


@event("investigation_opened", REVIEW)
class InvestigationOpened(Event, frozen=True, kw_only=True):
    """Win ÷ drop of a table moved enough to need a written investigation: the reasons (`triggers`), and the figures at the time.

    Days are gaming days: `first_day` and `prior_first_day` begin the periods, `last_day` is the last counted day. `band_…_bp` is
    the 95 % band of hold against the prior period, in hundredths of a percent; null if too few days were counted.
    """

    band_high_bp: Signed | None
    band_low_bp: Signed | None
    by: Person
    drop_cents: Amount
    first_day: Day
    investigation: Token
    last_day: Day
    prior_drop_cents: Amount
    prior_first_day: Day
    prior_table_days: Count
    prior_win_cents: Signed
    reason: Text
    table_days: Count
    triggers: Annotated[list[Trigger], Meta(min_length=1, max_length=2)]
    win_cents: Signed


@event("investigation_closed", REVIEW)
class InvestigationClosed(Event, frozen=True, kw_only=True):
    """An investigation was closed, with its result (`reason`)."""

    by: Person
    investigation: Token
    outcome: InvestigationOutcome
    reason: Text


@event("surveillance_noted", REVIEW)
class SurveillanceNoted(Event, frozen=True, kw_only=True):
    """Surveillance logged an observation or action: when (UTC microseconds), where, by which camera, and about whom."""

    by: Person
    camera: Token | None
    happened_us: Count
    note: Text
    persons: Text | None
    table: Token | None


@event("shift_signed_over", REVIEW)
class ShiftSignedOver(Event, frozen=True, kw_only=True):
    """Surveillance handed over its log at the end of a shift, with the numbers of open incidents and disputes."""

    by: Person
    disputes: Count
    incidents: Count
    note: Text
    shift: Token


@event("shift_accepted", REVIEW)
class ShiftAccepted(Event, frozen=True, kw_only=True):
    """Another person accepted the handed-over log; `signs` is the number of the hand-over in this stream."""

    by: Person
    note: Text
    signs: Number


@event("record_viewed", REVIEW)
class RecordViewed(Event, frozen=True, kw_only=True):
    """Somebody viewed a record; the envelope names the round (null: the whole table)."""

    by: Person
    reason: Text
    what: RecordKind


@event("record_exported", REVIEW)
class RecordExported(Event, frozen=True, kw_only=True):
    """A copy of a record left the system: `digest` is its SHA-256, `format` its form (json, pdf, csv, …)."""

    by: Person
    digest: Digest
    format: Token
    reason: Text
    what: RecordKind
