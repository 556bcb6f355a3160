"""Incidents at the desk: an action on one applies to all its findings, in one commit, with one reason."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from desk.review.desk import Desk, ReviewedFinding, ReviewRefused, review_event
from desk.review.disputes import Entry
from desk.review.state import FindingReview, State
from events.vocabulary import model
from events.vocabulary.model import Event
from replay.findings import Finding
from replay.incidents import Incident, incidents_in
from replay.narrative.reviews import DISPOSITIONS, GIVES_TO_PATRON, MOVES_MONEY

OF_INCIDENTS = tuple(name for name in DISPOSITIONS if name != "duplicate")
"""The dispositions that an incident can be given as a whole."""
TAKEN = "alarm taken on a page"
FURTHEST_FROM_RESOLVED: tuple[State, ...] = ("reopened", "open", "assigned", "awaiting_signature", "resolved")


class IncidentCase(msgspec.Struct, frozen=True, kw_only=True):
    """An incident and the reviews of its findings, in the same order."""

    incident: Incident
    reviews: tuple[FindingReview, ...]

    @property
    def table(self) -> str:
        """The id of the stream's table (or meter)."""
        return self.incident.cause.stream.partition("/")[2]

    @property
    def state(self) -> State:
        """The state of the least advanced finding."""
        return incident_state(self.reviews)

    @property
    def assigned_to(self) -> str | None:
        """The person assigned; None if no one is."""
        return incident_holder(self.reviews)

    @property
    def without_disposition(self) -> list[Finding]:
        """Its findings without a disposition, in order."""
        return [finding for finding, review in zip(self.incident.findings, self.reviews, strict=True) if not review.settled]


def incident_state(reviews: Sequence[FindingReview]) -> State:
    """Return the state of the incident's least advanced finding."""
    return min((review.state for review in reviews), key=FURTHEST_FROM_RESOLVED.index)


def incident_holder(reviews: Sequence[FindingReview]) -> str | None:
    """Return the person assigned to the first finding without a disposition; None if none exists."""
    return next((review.assigned_to for review in reviews if review.assigned_to and not review.settled), None)


def incident_cases(cases: Iterable[ReviewedFinding]) -> list[IncidentCase]:
    """Return the incidents of findings in force, gravest first: by severity, then money, then the order found."""
    standing = {case.finding.id: case for case in cases if not case.withdrawn}
    made = [
        IncidentCase(incident=incident, reviews=tuple(standing[finding.id].review for finding in incident.findings))
        for incident in incidents_in(case.finding for case in standing.values())
    ]
    return sorted(made, key=lambda case: case.incident.gravity)


class ReviewQueue(NamedTuple):
    """Incidents, gravest first, then withdrawn findings. `broken`: table → why its review cannot be read."""

    incidents: list[IncidentCase]
    cases: list[ReviewedFinding]
    incident_of: Mapping[str, str]
    is_waiting: bool
    broken: Mapping[str, str]

    @property
    def withdrawn(self) -> list[ReviewedFinding]:
        """The findings that a later verdict no longer makes."""
        return [case for case in self.cases if case.withdrawn]


def review_queue(desk: Desk, table: str | None = None, *, everything: bool = False) -> ReviewQueue:
    """Return unresolved incidents of one table or all; with `everything`, also resolved and withdrawn ones."""
    if table is not None:
        desk.must_know(table)
    broken: dict[str, str] = {}
    cases = desk.cases(table, broken)
    every = incident_cases(cases)
    incident_of = {finding.id: each.incident.id for each in every for finding in each.incident.findings}
    place = {finding: at for at, finding in enumerate(incident_of)}
    waiting = [each for each in every if each.state != "resolved"]
    shown = [
        case
        for case in sorted(cases, key=lambda case: place.get(case.finding.id, len(place)))
        if everything or (case.finding.id in incident_of and case.review.state != "resolved")
    ]
    return ReviewQueue(every if everything else waiting, shown, incident_of, bool(waiting), broken)


class IncidentDesk:
    """The desk for whole incidents; any of its findings names one. It returns new entries and raises as `Desk` does."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def case(self, finding_id: str) -> IncidentCase:
        """Return a finding's incident. Raises `ReviewRefused`, also for a withdrawn finding."""
        one = self._desk.case(finding_id)
        if one.withdrawn:
            raise ReviewRefused(f"finding {finding_id} was withdrawn by a later verdict: it is part of no incident")
        for case in incident_cases(self._desk.cases(one.table)):
            if one.finding.id in {finding.id for finding in case.incident.findings}:
                return case
        raise ReviewRefused(f"finding {finding_id} was withdrawn meanwhile")

    def assign(self, finding_id: str, *, to: str, by: str, reason: str) -> list[Entry]:
        """Assign an incident's findings without a disposition to somebody."""
        case, person, holder = self.case(finding_id), self._desk.person(by), self._desk.person(to)
        return self._write(
            case,
            [
                review_event(model.FindingAssigned, by=person.id, finding_id=finding.id, reason=reason, to=holder.id)
                for finding in case.without_disposition
            ],
        )

    def resolve(self, finding_id: str, *, disposition: str, by: str, reason: str, only: bool = False) -> list[Entry]:
        """Dispose of all findings of an incident without a disposition.

        A disposition that moves money applies to the findings whose money it moves, each with its own amount. The others are
        confirmed without action; with `only`, they are refused. Raises `ReviewRefused` if that would leave a patron short, or
        moves no money.
        """
        if disposition not in OF_INCIDENTS:
            raise ReviewRefused(f"{disposition!r} is no disposition of an incident: {', '.join(OF_INCIDENTS)}")
        case, person = self.case(finding_id), self._desk.person(by)
        amounts = {finding.id: amount_moved(finding.difference_cents, disposition) for finding in case.without_disposition}
        without = sum(not amount for amount in amounts.values()) if disposition in MOVES_MONEY else 0
        if amounts and without == len(amounts):
            raise ReviewRefused(f"no finding of this incident has money to move for “{DISPOSITIONS[disposition]}”")
        if only and without:
            raise ReviewRefused(
                f"{without} of {len(amounts)} findings have no money to move for “{DISPOSITIONS[disposition]}”; "
                "resolve this incident by itself"
            )
        if disposition == "confirmed_recovered" and any(
            (finding.difference_cents or 0) < 0 for finding in case.without_disposition
        ):
            raise ReviewRefused(
                "a patron is owed money in this incident: resolve those findings first, "
                f"as “{DISPOSITIONS['confirmed_paid_patron']}”"
            )
        rest = "confirmed_no_action" if disposition in MOVES_MONEY else disposition
        return self._write(
            case,
            [
                review_event(
                    model.FindingResolved,
                    amount_cents=amount,
                    by=person.id,
                    disposition=disposition if amount else rest,
                    duplicate_of=None,
                    finding_id=identity,
                    reason=reason,
                    signs=None,
                )
                for identity, amount in amounts.items()
            ],
        )

    def sign(self, finding_id: str, *, by: str, reason: str, total_cents: int | None = None) -> list[Entry]:
        """Add the second signature to every waiting disposition of an incident.

        `total_cents`, if given, must be their sum, which shows that the signer has seen it. Raises `ReviewRefused` if it is not.
        """
        case = self.case(finding_id)
        waiting = [
            (review.finding_id, review.resolution)
            for review in case.reviews
            if review.state == "awaiting_signature" and review.resolution is not None
        ]
        if total_cents not in (None, sum(first.amount_cents or 0 for _, first in waiting)):
            raise ReviewRefused("the disposition has changed since it was shown: read it again, then sign")
        return self._write(
            case,
            [
                review_event(
                    model.FindingResolved,
                    amount_cents=first.amount_cents,
                    by=self._desk.second_person(by, first.by).id,
                    disposition=first.disposition,
                    duplicate_of=first.duplicate_of,
                    finding_id=finding,
                    reason=reason,
                    signs=first.seq,
                )
                for finding, first in waiting
            ],
        )

    def take_alarm(self, table: str, round_no: int, finding_ids: Sequence[str], *, by: str) -> list[Entry]:
        """Acknowledge an incident's alarm and take its findings; of an open round, those that its verdict would make (D995)."""
        person = self._desk.person(by).id
        about = [{"by": person, "finding_id": each} for each in finding_ids]
        events = [review_event(model.AlarmAcknowledged, **each, note=TAKEN) for each in about]
        events += [review_event(model.FindingAssigned, **each, reason=TAKEN, to=person) for each in about]
        return self._desk.write_together(table, round_no, events)

    def reopen(self, finding_id: str, *, by: str, reason: str) -> list[Entry]:
        """Reopen every finding of an incident with a disposition."""
        case, person = self.case(finding_id), self._desk.person(by)
        return self._write(
            case,
            [
                review_event(model.FindingReopened, by=person.id, finding_id=review.finding_id, reason=reason)
                for review in case.reviews
                if review.settled
            ],
        )

    def _write(self, case: IncidentCase, payloads: Sequence[Event]) -> list[Entry]:
        if not payloads:
            state = case.state.replace("_", " ")
            raise ReviewRefused(f"incident {case.incident.id[:8]} is {state}: none of its findings waits for this")
        return self._desk.write_together(case.table, case.incident.cause.round_no, payloads)


def amount_moved(difference_cents: int | None, disposition: str) -> int | None:
    """The cents that a disposition moves for a finding with a difference; None if it moves none."""
    cents = difference_cents or 0
    if (disposition in GIVES_TO_PATRON and cents < 0) or (disposition == "confirmed_recovered" and cents > 0):
        return abs(cents)
    return None
