"""A dispute and its case: due date, owner, decision, attachments, letters and appeals. Pure.

Invariant: nothing is overwritten. An appeal opens the case again and leaves the decision in the history; the valid decision is
the last one after the last appeal.
"""

import re

import msgspec

from events.vocabulary import model
from replay.narrative.reviews import OUTCOMES

NAME = re.compile(r"([a-z0-9-]{1,32})-(o?)c([1-9][0-9]{0,8})")
OBSERVED = "observed/"
"""The beginning of an entered round's place. The place of a round that devices recorded is the table's id."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the stream in readable form; `objection` says why it changed nothing (empty: it is valid)."""

    seq: int
    at_us: int
    round_no: int | None
    by: str
    what: str
    says: str
    objection: str = ""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """The decision of a dispute and its case: `seq` is the event's number, `outcome` one of `OUTCOMES`.

    `override` says why it goes against the record (None: it does not), and `second_by` signed that too.
    """

    seq: int
    at_us: int
    by: str
    outcome: str
    reason: str
    override: str | None = None
    second_by: str | None = None

    @property
    def words(self) -> str:
        """The outcome in words; it says so if it goes against the record."""
        if self.override is None:
            return OUTCOMES[self.outcome]
        signed = "" if self.second_by else "; needs a second signature"
        return f"{OUTCOMES[self.outcome]}, against the record{signed}"


class Dispute(msgspec.Struct, frozen=True, kw_only=True):
    """A patron's dispute of a round; `outcome` is None while it is open.

    `pending` is a decision against the record that waits for a second signature: the dispute is open until then.
    """

    dispute: str
    round_no: int | None
    seat: int | None
    patron: str | None
    claim: str
    opened_by: str
    outcome: str | None = None
    pending: Decision | None = None
    history: tuple[Entry, ...] = ()

    @property
    def state(self) -> str:
        """The state in words."""
        if self.outcome is not None:
            return OUTCOMES[self.outcome]
        return "open" if self.pending is None else self.pending.words


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A case; `decision` is None while it is open. `due` is a day (`YYYY-MM-DD`), `appeals` counts how often it was reopened."""

    number: int
    dispute: str
    round_no: int | None
    seat: int | None
    patron: str | None
    claim: str
    due: str
    opened_by: str
    opened_us: int
    owner: str | None = None
    decision: Decision | None = None
    pending: Decision | None = None
    appeals: int = 0
    attachments: tuple[model.CaseAttached, ...] = ()
    letters: tuple[model.CaseLetterMade, ...] = ()
    history: tuple[Entry, ...] = ()

    @property
    def state(self) -> str:
        """The state in words."""
        if self.decision is not None:
            return "decided"
        if self.pending is not None:
            return "needs a second signature"
        return "appealed" if self.appeals else "open"

    def overdue(self, today: str) -> bool:
        """Whether it is open after its last day."""
        return self.decision is None and self.due < today


def round_stream(place: str) -> str:
    """Return the stream of the rounds at a place.

    >>> round_stream("fu-01"), round_stream("observed/fu-01")
    ('table/fu-01', 'observed/fu-01')
    """
    return place if place.startswith(OBSERVED) else f"table/{place}"


def place_of(stream: str) -> str:
    """Return the place of the rounds of a stream.

    >>> place_of("table/fu-01"), place_of("observed/fu-01")
    ('fu-01', 'observed/fu-01')
    """
    return stream if stream.startswith(OBSERVED) else stream.partition("/")[2]


def case_name(place: str, number: int) -> str:
    """Return the name of a case.

    >>> case_name("fu-01", 3), case_name("observed/fu-01", 3)
    ('FU-01-C3', 'FU-01-OC3')
    """
    letter = "oc" if place.startswith(OBSERVED) else "c"
    return f"{place.removeprefix(OBSERVED)}-{letter}{number}".upper()


def case_place(name: str) -> tuple[str, int] | None:
    """Return the place and number in a case's name, in upper or lower case; None if it is not one.

    >>> case_place("fu-01-C3"), case_place("fu-01-OC3"), case_place("fu-01")
    (('fu-01', 3), ('observed/fu-01', 3), None)
    """
    found = NAME.fullmatch(name.strip().lower())
    return None if found is None else (f"{OBSERVED if found[2] else ''}{found[1]}", int(found[3]))


def opened(event: model.CaseOpened, dispute: Dispute, entry: Entry) -> CaseFile:
    """Return a new case with the history of its dispute so far."""
    return CaseFile(
        number=event.case,
        dispute=event.dispute,
        round_no=entry.round_no,
        seat=dispute.seat if dispute.seat is not None else event.seat,
        patron=dispute.patron if dispute.patron is not None else event.patron,
        claim=dispute.claim,
        due=event.due,
        opened_by=event.by,
        opened_us=entry.at_us,
        history=(*dispute.history, entry),
    )


def closed(dispute: Dispute, event: model.DisputeClosed2, entry: Entry) -> tuple[Dispute, Decision]:
    """Return a dispute after its decision, or after the decision's second signature, and the decision."""
    decision = Decision(
        seq=entry.seq, at_us=entry.at_us, by=event.by, outcome=event.outcome, reason=event.reason, override=event.override
    )
    if event.signs is not None:
        assert dispute.pending is not None, "an event without objection"
        first = dispute.pending
        decision = msgspec.structs.replace(decision, by=first.by, reason=first.reason, second_by=event.by)
    waits = decision.override is not None and decision.second_by is None
    return msgspec.structs.replace(
        dispute,
        outcome=None if waits else decision.outcome,
        pending=decision if waits else None,
        history=(*dispute.history, entry),
    ), decision


def decided(case: CaseFile, dispute: Dispute, decision: Decision, entry: Entry) -> CaseFile:
    """Return a case after its dispute was decided; the decision may wait for a second signature."""
    return msgspec.structs.replace(
        case, decision=decision if dispute.pending is None else None, pending=dispute.pending, history=(*case.history, entry)
    )


def appealed(case: CaseFile, event: model.CaseAppealed, entry: Entry) -> CaseFile:
    """Return a case after an appeal: open again, with a new due date."""
    return msgspec.structs.replace(case, decision=None, due=event.due, appeals=case.appeals + 1, history=(*case.history, entry))


def changed(
    case: CaseFile,
    event: model.CaseAssigned | model.CaseDueMoved | model.CaseNoted | model.CaseAttached | model.CaseLetterMade,
    entry: Entry,
) -> CaseFile:
    """Return a case after it was assigned, moved to another day, noted in, or got an attachment or letter."""
    change, history = msgspec.structs.replace, (*case.history, entry)
    match event:
        case model.CaseAssigned():
            return change(case, owner=event.to, history=history)
        case model.CaseDueMoved():
            return change(case, due=event.due, history=history)
        case model.CaseAttached():
            return change(case, attachments=(*case.attachments, event), history=history)
        case model.CaseLetterMade():
            return change(case, letters=(*case.letters, event), history=history)
    return change(case, history=history)
