"""What a review stream comes to: the state of each finding and dispute, and who looked at or took away which record. Pure.

The law of this file: the fold of a stream never fails and overwrites nothing. An event that contradicts what stands before
it (a disposition of what is disposed of, a second signature by the same person) changes no state; it is kept with the
objection. The writer (`desk.py`) asks the same fold before it appends, so that such events come from elsewhere only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from events.errors import EventError, UndecodableEvent
from events.log.contract import Record
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.model import Event, GamingDayOpened

State = Literal["open", "assigned", "awaiting_signature", "resolved", "reopened"]

MOVES_MONEY = frozenset({"confirmed_paid_patron", "confirmed_recovered", "confirmed_held_for_patron"})
"""Dispositions that say an amount, and stand only when a second person has signed them."""

DISPOSITIONS: dict[str, str] = {
    "confirmed_paid_patron": "fault confirmed, the patron was paid",
    "confirmed_recovered": "fault confirmed, the amount was recovered from the patron",
    "confirmed_held_for_patron": "fault confirmed, the amount is held for the patron",
    "confirmed_no_action": "fault confirmed, nothing to be done",
    "confirmed_coached": "fault confirmed, the dealer was coached",
    "confirmed_referred": "fault confirmed, referred to compliance or the regulator",
    "false_alarm": "no fault: what was done was right",
    "record_wrong": "no fault at the table: the record was wrong",
    "duplicate": "says the same as another finding",
    "cannot_tell": "the evidence does not tell",
}
"""Every disposition, and what it says."""

OUTCOMES: dict[str, str] = {
    "for_patron": "decided for the patron",
    "for_house": "decided for the house",
    "settled": "settled between them",
    "withdrawn": "the patron withdrew it",
    "referred": "referred to the regulator",
    "cannot_tell": "the evidence does not tell",
}
"""Every outcome of a dispute, and what it says."""

INVESTIGATED: dict[str, str] = {
    "explained_by_play": "explained by play: luck, or patrons' decisions",
    "explained_by_counts": "explained by the counts: a wrong, late or missing count",
    "fault_found": "a fault was found",
    "referred": "referred to the regulator",
    "not_explained": "not explained",
}
"""Every outcome of an investigation, and what it says."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the stream as people read it; `objection` says why it changed nothing (empty: it counts)."""

    seq: int
    at_us: int
    round_no: int | None
    by: str
    what: str
    says: str
    objection: str = ""


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """How a finding was disposed of; `second_by` signed it too, where that is needed."""

    seq: int
    by: str
    disposition: str
    amount_cents: int | None
    duplicate_of: str | None
    reason: str
    second_by: str | None = None


class FindingReview(msgspec.Struct, frozen=True, kw_only=True):
    """Where a finding stands, and everything that was said about it, in order."""

    finding_id: str
    state: State = "open"
    assigned_to: str | None = None
    resolution: Resolution | None = None
    history: tuple[Entry, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether somebody disposed of it, signed or not."""
        return self.state in ("awaiting_signature", "resolved")


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A patron's dispute of a round; `outcome` is null while it is open."""

    dispute: str
    round_no: int | None
    seat: int | None
    patron: str | None
    claim: str
    opened_by: str
    outcome: str | None = None
    history: tuple[Entry, ...] = ()


class Investigation(msgspec.Struct, frozen=True, kw_only=True):
    """An investigation in writing of a table's hold; `outcome` is null while it is open."""

    opened: model.InvestigationOpened
    outcome: str | None = None
    history: tuple[Entry, ...] = ()


class TableReview:
    """The fold of one review stream. `custody` is who viewed and exported; `refused` what contradicted the state."""

    def __init__(self, stream: str) -> None:
        self.stream, self.seq, self.gaming_day = stream, 0, ""
        self.findings: dict[str, FindingReview] = {}
        self.disputes: dict[str, Dispute] = {}
        self.investigations: dict[str, Investigation] = {}
        self.custody: list[Entry] = []
        self.videos: list[Entry] = []
        self.refused: list[Entry] = []

    def finding(self, finding_id: str) -> FindingReview:
        """Return where a finding stands; one that nobody spoke of is open."""
        return self.findings.get(finding_id) or FindingReview(finding_id=finding_id)

    def of_round(self, round_no: int) -> list[Entry]:
        """Return everything in the stream that is about a round, in order."""
        said = [each for review in self.findings.values() for each in review.history]
        said += [each for dispute in self.disputes.values() for each in dispute.history]
        said += [each for investigation in self.investigations.values() for each in investigation.history]
        said += [*self.custody, *self.videos, *self.refused]
        here = {each.seq: each for each in said if each.round_no == round_no}
        return [here[seq] for seq in sorted(here)]

    def take(self, record: Record) -> None:
        """Fold one record. Raises `UndecodableEvent`."""
        try:
            event = decode(record.data)
        except EventError as error:
            raise UndecodableEvent(self.stream, record.seq, str(error)) from error
        self.apply(event.seq, event.recorded_at_us, event.round_no, event.payload, event.gaming_day)

    def apply(self, seq: int, at_us: int, round_no: int | None, payload: Event, gaming_day: str) -> None:
        """Fold one event."""
        self.seq, self.gaming_day = seq, gaming_day
        if isinstance(payload, GamingDayOpened):
            return
        said = entry(seq, at_us, round_no, payload, self.objection(payload, round_no))
        if said.objection:
            self.refused.append(said)
            return
        match payload:
            case model.RecordViewed() | model.RecordExported():
                self.custody.append(said)
            case model.VideoMarked():
                self.videos.append(said)
                if payload.finding_id is not None:
                    self._keep(self.finding(payload.finding_id), said)
            case model.DisputeOpened():
                self.disputes[payload.dispute] = Dispute(
                    dispute=payload.dispute,
                    round_no=round_no,
                    seat=payload.seat,
                    patron=payload.patron,
                    claim=payload.reason,
                    opened_by=payload.by,
                    history=(said,),
                )
            case model.DisputeClosed():
                before = self.disputes[payload.dispute]
                self.disputes[payload.dispute] = msgspec.structs.replace(
                    before, outcome=payload.outcome, history=(*before.history, said)
                )
            case model.InvestigationOpened():
                self.investigations[payload.investigation] = Investigation(opened=payload, history=(said,))
            case model.InvestigationClosed():
                opened = self.investigations[payload.investigation]
                self.investigations[payload.investigation] = msgspec.structs.replace(
                    opened, outcome=payload.outcome, history=(*opened.history, said)
                )
            case _:
                self._finding_event(payload, said)

    def _finding_event(self, payload: Event, said: Entry) -> None:
        change = msgspec.structs.replace
        match payload:
            case model.FindingAssigned():
                self._keep(change(self.finding(payload.finding_id), state="assigned", assigned_to=payload.to), said)
            case model.FindingNoted():
                self._keep(self.finding(payload.finding_id), said)
            case model.FindingReopened():
                self._keep(change(self.finding(payload.finding_id), state="reopened", resolution=None), said)
            case model.FindingResolved(signs=None):
                state: State = "awaiting_signature" if payload.disposition in MOVES_MONEY else "resolved"
                resolution = Resolution(
                    seq=said.seq,
                    by=payload.by,
                    disposition=payload.disposition,
                    amount_cents=payload.amount_cents,
                    duplicate_of=payload.duplicate_of,
                    reason=payload.reason,
                )
                self._keep(change(self.finding(payload.finding_id), state=state, resolution=resolution), said)
            case model.FindingResolved():
                before = self.finding(payload.finding_id)
                assert before.resolution is not None, "an event without objection"
                signed = change(before.resolution, second_by=payload.by)
                self._keep(change(before, state="resolved", resolution=signed), said)

    def _keep(self, review: FindingReview, said: Entry) -> None:
        self.findings[review.finding_id] = msgspec.structs.replace(review, history=(*review.history, said))

    def objection(self, payload: Event, round_no: int | None) -> str:
        """Return why an event contradicts what stands; empty where it does not."""
        match payload:
            case model.FindingAssigned() if self.finding(payload.finding_id).settled:
                return "the finding is disposed of; reopen it first"
            case model.FindingReopened() if not self.finding(payload.finding_id).settled:
                return "the finding is not disposed of: there is nothing to reopen"
            case model.FindingResolved(signs=None):
                return _unfit(payload) or (
                    "the finding is disposed of already; reopen it first"
                    if self.finding(payload.finding_id).settled
                    else ""
                )
            case model.FindingResolved():
                return _unsigned(payload, self.finding(payload.finding_id))
            case model.VideoMarked() if payload.starts_us >= payload.ends_us:
                return "the stretch of video ends before it starts"
            case model.VideoMarked(finding_id=None) if round_no is None:
                return "the video is of no finding and of no round"
            case model.DisputeOpened() if round_no is None:
                return "a dispute is about a round"
            case model.DisputeOpened() if payload.dispute in self.disputes:
                return f"there is a dispute {payload.dispute} already"
            case model.DisputeClosed() if payload.dispute not in self.disputes:
                return f"there is no dispute {payload.dispute}"
            case model.DisputeClosed() if self.disputes[payload.dispute].outcome is not None:
                return f"the dispute {payload.dispute} is closed already"
            case model.InvestigationOpened() if payload.investigation in self.investigations:
                return f"there is an investigation {payload.investigation} already"
            case model.InvestigationOpened() if (
                payload.last_day < payload.first_day or payload.first_day <= payload.prior_first_day
            ):
                return "the days of the investigation are out of order"
            case model.InvestigationClosed() if payload.investigation not in self.investigations:
                return f"there is no investigation {payload.investigation}"
            case model.InvestigationClosed() if self.investigations[payload.investigation].outcome is not None:
                return f"the investigation {payload.investigation} is closed already"
            case _ if not isinstance(payload, REVIEW_EVENTS):
                return f"{payload.TYPE} is no event of a review"
            case _:
                return ""


REVIEW_EVENTS = (
    model.VideoMarked,
    model.FindingAssigned,
    model.FindingNoted,
    model.FindingResolved,
    model.FindingReopened,
    model.DisputeOpened,
    model.DisputeClosed,
    model.InvestigationOpened,
    model.InvestigationClosed,
    model.RecordViewed,
    model.RecordExported,
)


def _unfit(resolved: model.FindingResolved) -> str:
    """Return why a disposition is not one."""
    if (resolved.disposition in MOVES_MONEY) != bool(resolved.amount_cents):
        wanted = "must say the amount" if resolved.disposition in MOVES_MONEY else "moves no money and names no amount"
        return f"{resolved.disposition} {wanted}"
    if (resolved.disposition == "duplicate") != (resolved.duplicate_of is not None):
        return "duplicate, and only duplicate, names the other finding"
    if resolved.duplicate_of == resolved.finding_id:
        return "a finding is no duplicate of itself"
    return ""


def _unsigned(signature: model.FindingResolved, finding: FindingReview) -> str:
    """Return why a second signature does not count."""
    first = finding.resolution
    if first is None or finding.state != "awaiting_signature":
        return "the finding does not wait for a second signature"
    if signature.signs != first.seq:
        return f"the disposition that waits is event {first.seq}, not event {signature.signs}"
    if signature.by == first.by:
        return f"{first.by} has signed already; the second signature is another person's"
    if (signature.disposition, signature.amount_cents) != (first.disposition, first.amount_cents):
        return "the second signature names another disposition or amount than the first"
    return ""


def entry(seq: int, at_us: int, round_no: int | None, payload: Event, objection: str = "") -> Entry:
    """Return an event of a review as people read it."""
    return Entry(
        seq=seq,
        at_us=at_us,
        round_no=round_no,
        by=getattr(payload, "by", ""),
        what=payload.TYPE,
        says=says(payload),
        objection=objection,
    )


def says(payload: Event) -> str:
    """Return what an event says, in a sentence without its author."""
    match payload:
        case model.FindingAssigned():
            return f"assigned to {payload.to}: {payload.reason}"
        case model.FindingNoted():
            return payload.note
        case model.FindingResolved():
            money = (
                ""
                if payload.amount_cents is None
                else f" {payload.amount_cents // 100:,}.{payload.amount_cents % 100:02d}"
            )
            other = "" if payload.duplicate_of is None else f" ({payload.duplicate_of[:8]})"
            signed = "second signature: " if payload.signs is not None else ""
            return f"{signed}{DISPOSITIONS[payload.disposition]}{money}{other}: {payload.reason}"
        case model.FindingReopened():
            return f"reopened: {payload.reason}"
        case model.DisputeOpened():
            return f"dispute {payload.dispute} opened: {payload.reason}"
        case model.DisputeClosed():
            return f"dispute {payload.dispute} {OUTCOMES[payload.outcome]}: {payload.reason}"
        case model.InvestigationOpened():
            return f"investigation {payload.investigation} opened: {payload.reason}"
        case model.InvestigationClosed():
            return f"investigation {payload.investigation} {INVESTIGATED[payload.outcome]}: {payload.reason}"
        case model.VideoMarked():
            return f"video of camera {payload.camera} marked: {payload.reason}"
        case model.RecordViewed():
            return f"viewed the {payload.what}: {payload.reason}"
        case model.RecordExported():
            return f"exported the {payload.what} as {payload.format} (SHA-256 {payload.digest}): {payload.reason}"
        case _:
            return payload.TYPE


def fold(stream: str, records: Iterable[Record]) -> TableReview:
    """Return what a review stream comes to."""
    review = TableReview(stream)
    for record in records:
        review.take(record)
    return review
