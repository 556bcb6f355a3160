"""The state of a table's review: each finding, dispute and investigation, and who viewed or exported which record. Pure.

Invariant: the fold of a stream never fails and overwrites nothing. An event that contradicts the state before it (a second
disposition of a finding, a second signature by the same person) changes nothing; it is kept with the objection. `OBJECTIONS`
holds all rules of the desk, an entry for each event. The writer (`desk.py`) checks the same table before it appends, so that only
events from elsewhere can contradict the state.
"""

from collections.abc import Callable
from copy import copy
from typing import Any, Literal

import msgspec

from desk.review.disputes import CaseFile, Dispute, Entry, appealed, changed, closed, decided, opened
from desk.review.stored_events import event_of
from events.log.contract import EventLog, Record
from events.vocabulary import model
from events.vocabulary.codec import decode
from events.vocabulary.model import Event, GamingDayOpened
from events.vocabulary.upcast import upcast
from replay.narrative.events import predicate
from replay.narrative.reviews import MOVES_MONEY, OUTCOMES

State = Literal["open", "assigned", "awaiting_signature", "resolved", "reopened"]

SURVEILLANCE = "surveillance"
"""The id of the surveillance room's log, in the place of a table's id."""
SURVEILLANCE_STREAM = f"review/{SURVEILLANCE}"


class Resolution(msgspec.Struct, frozen=True, kw_only=True):
    """The disposition of a finding; `second_by` signed it too, if that is needed."""

    seq: int
    by: str
    disposition: str
    amount_cents: int | None
    duplicate_of: str | None
    reason: str
    second_by: str | None = None


class FindingReview(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a finding, with its whole history in order."""

    finding_id: str
    state: State = "open"
    assigned_to: str | None = None
    resolution: Resolution | None = None
    history: tuple[Entry, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether it has a disposition, signed twice or not."""
        return self.state in ("awaiting_signature", "resolved")


class Investigation(msgspec.Struct, frozen=True, kw_only=True):
    """A written investigation of a table's hold; `outcome` is None while it is open."""

    opened: model.InvestigationOpened
    outcome: str | None = None
    history: tuple[Entry, ...] = ()


class HandOver(msgspec.Struct, frozen=True, kw_only=True):
    """A surveillance shift handed over; `accepted` is the entry of the acceptance, None until then."""

    entry: Entry
    gaming_day: str
    signed: model.ShiftSignedOver
    accepted: Entry | None = None


class SurveillanceEntry(msgspec.Struct, frozen=True, kw_only=True):
    """An entry of the surveillance log."""

    entry: Entry
    gaming_day: str
    noted: model.SurveillanceNoted


class TableReview:
    """The fold of one review stream. `custody`: views and exports of records; `refused`: events that contradicted the state."""

    def __init__(self, stream: str) -> None:
        self.stream, self.seq, self.gaming_day = stream, 0, ""
        self.findings: dict[str, FindingReview] = {}
        self.disputes: dict[str, Dispute] = {}
        self.investigations: dict[str, Investigation] = {}
        self.custody: list[Entry] = []
        self.videos: list[Entry] = []
        self.attached: list[tuple[Entry, model.RoundAttached]] = []
        self.refused: list[Entry] = []
        self.cases: dict[int, CaseFile] = {}
        self.surveillance: list[SurveillanceEntry] = []
        self.hand_overs: list[HandOver] = []

    def copy(self) -> "TableReview":
        """Return a copy that accepts further events without changing this one."""
        copied = copy(self)
        vars(copied).update((name, copy(value)) for name, value in vars(self).items())
        return copied

    @property
    def waiting(self) -> HandOver | None:
        """The shift handed over and not yet accepted."""
        return self.hand_overs[-1] if self.hand_overs and self.hand_overs[-1].accepted is None else None

    def finding(self, finding_id: str) -> FindingReview:
        """Return the state of a finding; it is open without events."""
        return self.findings.get(finding_id) or FindingReview(finding_id=finding_id)

    @property
    def disposed(self) -> dict[str, Resolution]:
        """Finding id → its disposition, for those that have one."""
        return {key: each.resolution for key, each in self.findings.items() if each.resolution is not None}

    def case_of(self, dispute: str) -> CaseFile | None:
        """Return a dispute's case; None if it has none."""
        return next((each for each in self.cases.values() if each.dispute == dispute), None)

    def files_of(self, round_no: int) -> list[model.RoundAttached]:
        """Return the files attached to a round."""
        return [attached for entry, attached in self.attached if entry.round_no == round_no]

    def of_round(self, round_no: int) -> list[Entry]:
        """Return every entry about a round, in order."""
        entries = [entry for review in self.findings.values() for entry in review.history]
        entries += [entry for dispute in self.disputes.values() for entry in dispute.history]
        entries += [entry for investigation in self.investigations.values() for entry in investigation.history]
        entries += [entry for case in self.cases.values() for entry in case.history]
        entries += [*self.custody, *self.videos, *self.refused, *(entry for entry, _ in self.attached)]
        by_seq = {entry.seq: entry for entry in entries if entry.round_no == round_no}
        return [by_seq[seq] for seq in sorted(by_seq)]

    def add(self, record: Record) -> None:
        """Fold one record. Raises `UndecodableEvent`."""
        event = event_of(record, decode)
        self.apply(event.seq, event.recorded_at_us, event.round_no, event.payload, event.gaming_day)

    def apply(self, seq: int, at_us: int, round_no: int | None, payload: Event, gaming_day: str) -> None:
        """Fold one event."""
        self.seq, self.gaming_day = seq, gaming_day
        payload = upcast(payload)
        if isinstance(payload, GamingDayOpened):
            return
        entry = entry_of(seq, at_us, round_no, payload, self.objection(payload, round_no))
        if entry.objection:
            self.refused.append(entry)
            return
        match payload:
            case model.RecordViewed() | model.RecordExported():
                self.custody.append(entry)
            case model.SurveillanceNoted():
                self.surveillance.append(SurveillanceEntry(entry=entry, gaming_day=gaming_day, noted=payload))
            case model.ShiftSignedOver():
                self.hand_overs.append(HandOver(entry=entry, gaming_day=gaming_day, signed=payload))
            case model.ShiftAccepted():
                self.hand_overs[-1] = msgspec.structs.replace(self.hand_overs[-1], accepted=entry)
            case model.VideoMarked2():
                self.videos.append(entry)
                if payload.finding_id is not None:
                    self._keep(self.finding(payload.finding_id), entry)
            case model.DisputeOpened():
                self.disputes[payload.dispute] = Dispute(
                    dispute=payload.dispute,
                    round_no=round_no,
                    seat=payload.seat,
                    patron=payload.patron,
                    claim=payload.reason,
                    opened_by=payload.by,
                    history=(entry,),
                )
            case model.DisputeClosed2():
                dispute, decision = closed(self.disputes[payload.dispute], payload, entry)
                self.disputes[payload.dispute] = dispute
                if (case := self.case_of(payload.dispute)) is not None:
                    self.cases[case.number] = decided(case, dispute, decision, entry)
            case model.InvestigationOpened():
                self.investigations[payload.investigation] = Investigation(opened=payload, history=(entry,))
            case model.InvestigationClosed():
                investigation = self.investigations[payload.investigation]
                self.investigations[payload.investigation] = msgspec.structs.replace(
                    investigation, outcome=payload.outcome, history=(*investigation.history, entry)
                )
            case (
                model.CaseOpened()
                | model.CaseAssigned()
                | model.CaseDueMoved()
                | model.CaseNoted()
                | model.CaseAttached()
                | model.RoundAttached()
                | model.CaseLetterMade()
                | model.CaseAppealed()
            ):
                self._case_event(payload, entry)
            case _:
                self._finding_event(payload, entry)

    def _case_event(self, payload: Any, entry: Entry) -> None:
        if isinstance(payload, model.RoundAttached):
            self.attached.append((entry, payload))
            return
        if isinstance(payload, model.CaseOpened):
            self.cases[payload.case] = opened(payload, self.disputes[payload.dispute], entry)
            return
        case = self.cases[payload.case]
        if isinstance(payload, model.CaseAppealed):
            self.cases[case.number] = appealed(case, payload, entry)
            self.disputes[case.dispute] = msgspec.structs.replace(self.disputes[case.dispute], outcome=None, pending=None)
        else:
            self.cases[case.number] = changed(case, payload, entry)

    def _finding_event(self, payload: Event, entry: Entry) -> None:
        change = msgspec.structs.replace
        match payload:
            case model.FindingAssigned():
                self._keep(change(self.finding(payload.finding_id), state="assigned", assigned_to=payload.to), entry)
            case model.FindingNoted() | model.AlarmAcknowledged():
                self._keep(self.finding(payload.finding_id), entry)
            case model.FindingReopened():
                self._keep(change(self.finding(payload.finding_id), state="reopened", resolution=None), entry)
            case model.FindingResolved(signs=None):
                state: State = "awaiting_signature" if payload.disposition in MOVES_MONEY else "resolved"
                resolution = Resolution(
                    seq=entry.seq,
                    by=payload.by,
                    disposition=payload.disposition,
                    amount_cents=payload.amount_cents,
                    duplicate_of=payload.duplicate_of,
                    reason=payload.reason,
                )
                self._keep(change(self.finding(payload.finding_id), state=state, resolution=resolution), entry)
            case model.FindingResolved():
                review = self.finding(payload.finding_id)
                assert review.resolution is not None, "an event without objection"
                resolution = change(review.resolution, second_by=payload.by)
                self._keep(change(review, state="resolved", resolution=resolution), entry)

    def _keep(self, review: FindingReview, entry: Entry) -> None:
        self.findings[review.finding_id] = msgspec.structs.replace(review, history=(*review.history, entry))

    def objection(self, payload: Event, round_no: int | None) -> str:
        """Return why an event contradicts the state before it; empty if it does not."""
        object_to = OBJECTIONS.get(payload.KIND)
        if object_to is None:
            return f"{payload.TYPE} is no event of a review"
        return object_to(self, upcast(payload), round_no)


def review_of(log: EventLog, table: str, last: int | None = None) -> TableReview:
    """Return the review of a table, now or as of an event. Raises an `IntegrityError` if it is broken."""
    review = TableReview(f"review/{table}")
    for record in log.read(review.stream, 1, last):
        review.add(record)
    return review


def _objection_to_assignment(review: TableReview, event: model.FindingAssigned, round_no: int | None) -> str:
    return "the finding is disposed of; reopen it first" if review.finding(event.finding_id).settled else ""


def _objection_to_reopening(review: TableReview, event: model.FindingReopened, round_no: int | None) -> str:
    settled = review.finding(event.finding_id).settled
    return "" if settled else "the finding is not disposed of: there is nothing to reopen"


def _objection_to_disposition(review: TableReview, event: model.FindingResolved, round_no: int | None) -> str:
    finding = review.finding(event.finding_id)
    if event.signs is not None:
        return _unsigned(event, finding)
    return _unfit(event) or ("the finding is disposed of already; reopen it first" if finding.settled else "")


def _objection_to_video(review: TableReview, event: model.VideoMarked2, round_no: int | None) -> str:
    if event.starts_us >= event.ends_us:
        return "the stretch of video ends before it starts"
    return "the video shows no finding and no round" if event.finding_id is None and round_no is None else ""


def _objection_to_file(review: TableReview, event: model.RoundAttached, round_no: int | None) -> str:
    if round_no is None:
        return "the file belongs to no round"
    known = {(entry.round_no, attached.digest) for entry, attached in review.attached}
    return "the same bytes are attached to this round already" if (round_no, event.digest) in known else ""


def _objection_to_dispute(review: TableReview, event: model.DisputeOpened, round_no: int | None) -> str:
    if round_no is None:
        return "a dispute is about a round"
    return f"there is a dispute {event.dispute} already" if event.dispute in review.disputes else ""


def _objection_to_dispute_outcome(review: TableReview, event: model.DisputeClosed2, round_no: int | None) -> str:
    dispute = review.disputes.get(event.dispute)
    if dispute is None or dispute.outcome is not None:
        return _not_open(event.dispute, dispute)
    if event.signs is None:
        return ""
    first = dispute.pending
    if first is None:
        return f"the dispute {event.dispute} does not wait for a second signature"
    if event.signs != first.seq:
        return f"the decision that waits is event {first.seq}, not event {event.signs}"
    if event.by == first.by:
        return f"{first.by} has signed already; the second signature must be another person's"
    if (event.outcome, event.override) != (first.outcome, first.override):
        return "the second signature is under another decision than the first"
    return ""


def _objection_to_investigation(review: TableReview, event: model.InvestigationOpened, round_no: int | None) -> str:
    if event.investigation in review.investigations:
        return f"there is an investigation {event.investigation} already"
    in_order = event.prior_first_day < event.first_day <= event.last_day
    return "" if in_order else "the days of the investigation are out of order"


def _objection_to_investigation_outcome(review: TableReview, event: model.InvestigationClosed, round_no: int | None) -> str:
    investigation = review.investigations.get(event.investigation)
    if investigation is None:
        return f"there is no investigation {event.investigation}"
    closed = investigation.outcome is not None
    return f"the investigation {event.investigation} is closed already" if closed else ""


def _objection_to_surveillance(
    review: TableReview, event: model.SurveillanceNoted | model.ShiftSignedOver, round_no: int | None
) -> str:
    if review.stream != SURVEILLANCE_STREAM:
        return f"the surveillance log is in {SURVEILLANCE_STREAM}"
    if isinstance(event, model.ShiftSignedOver) and review.waiting is not None:
        return f"the shift handed over in event {review.waiting.entry.seq} has not been accepted"
    return ""


def _objection_to_acceptance(review: TableReview, event: model.ShiftAccepted, round_no: int | None) -> str:
    waiting = review.waiting
    if waiting is None:
        return "no shift that was handed over waits to be accepted"
    if event.signs != waiting.entry.seq:
        return f"the shift that waits to be accepted is event {waiting.entry.seq}, not event {event.signs}"
    return f"{event.by} handed the shift over; another person accepts it" if event.by == waiting.signed.by else ""


def _objection_to_opening(review: TableReview, event: model.CaseOpened, round_no: int | None) -> str:
    if event.case in review.cases:
        return f"there is a case {event.case} already"
    dispute = review.disputes.get(event.dispute)
    if dispute is not None and (case := review.case_of(event.dispute)) is not None:
        return f"the dispute {event.dispute} is case {case.number} already"
    if dispute is None or dispute.outcome is not None:
        return _not_open(event.dispute, dispute)
    return "" if round_no == dispute.round_no else f"the dispute {event.dispute} is about round {dispute.round_no}"


def _not_open(name: str, dispute: Dispute | None) -> str:
    """Return why nothing is to be decided in a dispute: none exists, or it is closed."""
    if dispute is None or dispute.outcome is None:
        return f"there is no dispute {name}"
    return f"the dispute {name} is closed already: {dispute.history[-1].by} {OUTCOMES[dispute.outcome]}"


def _objection_in_case(review: TableReview, event: Any, round_no: int | None) -> str:
    case = review.cases.get(event.case)
    if case is None:
        return f"there is no case {event.case}"
    if isinstance(event, model.CaseLetterMade) and (case.decision is None or case.decision.seq != event.decision):
        return f"event {event.decision} is not the decision in force of case {event.case}"
    if isinstance(event, model.CaseAppealed) and case.decision is None:
        return f"case {event.case} is not decided: there is nothing to appeal"
    if isinstance(event, model.CaseAttached) and any(each.digest == event.digest for each in case.attachments):
        return f"the same bytes are attached to case {event.case} already"
    if isinstance(event, model.CaseAssigned) and case.decision is not None:
        return f"case {event.case} is decided already"
    return ""


def _objection_to_due_date(review: TableReview, event: model.CaseDueMoved, round_no: int | None) -> str:
    case = review.cases.get(event.case)
    if case is None:
        return f"there is no case {event.case}"
    if case.decision is not None:
        return f"case {event.case} is decided already"
    if event.was != case.due:
        return f"case {event.case} is due on {case.due}, not on {event.was}"
    return f"case {event.case} is due on {case.due} already" if event.due == case.due else ""


def _no_objection(review: TableReview, event: Event, round_no: int | None) -> str:
    return ""


OBJECTIONS: dict[type[Event], Callable[[TableReview, Any, int | None], str]] = {
    model.VideoMarked: _objection_to_video,
    model.FindingAssigned: _objection_to_assignment,
    model.FindingNoted: _no_objection,
    model.AlarmAcknowledged: _no_objection,
    model.FindingResolved: _objection_to_disposition,
    model.FindingReopened: _objection_to_reopening,
    model.DisputeOpened: _objection_to_dispute,
    model.DisputeClosed: _objection_to_dispute_outcome,
    model.InvestigationOpened: _objection_to_investigation,
    model.InvestigationClosed: _objection_to_investigation_outcome,
    model.CaseOpened: _objection_to_opening,
    model.CaseAssigned: _objection_in_case,
    model.CaseDueMoved: _objection_to_due_date,
    model.CaseNoted: _objection_in_case,
    model.CaseAttached: _objection_in_case,
    model.RoundAttached: _objection_to_file,
    model.CaseLetterMade: _objection_in_case,
    model.CaseAppealed: _objection_in_case,
    model.SurveillanceNoted: _objection_to_surveillance,
    model.ShiftSignedOver: _objection_to_surveillance,
    model.ShiftAccepted: _objection_to_acceptance,
    model.RecordViewed: _no_objection,
    model.RecordExported: _no_objection,
}
"""Every event of a review, and what contradicts it: the state before it and its round give the objection, or none."""


def _unfit(resolved: model.FindingResolved) -> str:
    """Return why the fields of a disposition do not fit each other; empty if they do."""
    if (resolved.disposition in MOVES_MONEY) != bool(resolved.amount_cents):
        wanted = "must say the amount" if resolved.disposition in MOVES_MONEY else "moves no money and names no amount"
        return f"{resolved.disposition} {wanted}"
    if (resolved.disposition == "duplicate") != (resolved.duplicate_of is not None):
        return "duplicate, and only duplicate, names the other finding"
    if resolved.duplicate_of == resolved.finding_id:
        return "a finding is no duplicate of itself"
    return ""


def _unsigned(signature: model.FindingResolved, finding: FindingReview) -> str:
    """Return why a second signature does not count; empty if it does."""
    first = finding.resolution
    if first is None or finding.state != "awaiting_signature":
        return "the finding does not wait for a second signature"
    if signature.signs != first.seq:
        return f"the disposition that waits is event {first.seq}, not event {signature.signs}"
    if signature.by == first.by:
        return f"{first.by} has signed already; the second signature must be another person's"
    if (signature.disposition, signature.amount_cents) != (first.disposition, first.amount_cents):
        return "the second signature names another disposition or amount than the first"
    return ""


def entry_of(seq: int, at_us: int, round_no: int | None, payload: Event, objection: str = "") -> Entry:
    """Return a review event in readable form."""
    return Entry(
        seq=seq,
        at_us=at_us,
        round_no=round_no,
        by=getattr(payload, "by", ""),
        what=payload.TYPE,
        says=predicate(payload),
        objection=objection,
    )
