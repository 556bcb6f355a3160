"""A dispute, and the case that it becomes: its due date and owner, and what was decided, attached, written and appealed. Pure.

Invariant: nothing is overwritten. An appeal opens the case again and leaves the decision in the history; the decision
that stands is the last one since the last appeal.
"""

from __future__ import annotations

import re

import msgspec

from events.vocabulary import model

NAME = re.compile(r"([a-z0-9-]{1,32})-c([1-9][0-9]{0,8})")


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the stream as people read it; `objection` says why it changed nothing (empty: it counts)."""

    seq: int
    at_us: int
    round_no: int | None
    by: str
    what: str
    says: str
    objection: str = ""


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


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """How a case was decided: `seq` is the number of the event, `outcome` one of `OUTCOMES`."""

    seq: int
    at_us: int
    by: str
    outcome: str
    reason: str


class CaseFile(msgspec.Struct, frozen=True, kw_only=True):
    """A case; `decision` is null while it is open, `due` the day (`YYYY-MM-DD`) by which it is to be decided.

    `appeals` counts how often it was opened again, `owner` is whom it was given to.
    """

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
    appeals: int = 0
    attachments: tuple[model.CaseAttached, ...] = ()
    letters: tuple[model.CaseLetterMade, ...] = ()
    history: tuple[Entry, ...] = ()

    @property
    def state(self) -> str:
        """Where it stands, in words."""
        if self.decision is not None:
            return "decided"
        return "appealed" if self.appeals else "open"

    def overdue(self, today: str) -> bool:
        """Whether it is open after its last day."""
        return self.decision is None and self.due < today


def case_name(table: str, number: int) -> str:
    """Return what people call a case.

    >>> case_name("fu-01", 3)
    'FU-01-C3'
    """
    return f"{table}-c{number}".upper()


def case_place(name: str) -> tuple[str, int] | None:
    """Return the table and the number of a case's name, in any case; null where it is none.

    >>> case_place("fu-01-C3"), case_place("fu-01")
    (('fu-01', 3), None)
    """
    found = NAME.fullmatch(name.strip().lower())
    return None if found is None else (found[1], int(found[2]))


def opened(event: model.CaseOpened, dispute: Dispute, entry: Entry) -> CaseFile:
    """Return a case as it begins: with the history of its dispute so far."""
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


def decided(case: CaseFile, event: model.DisputeClosed, entry: Entry) -> CaseFile:
    """Return a case after its dispute was closed."""
    decision = Decision(seq=entry.seq, at_us=entry.at_us, by=event.by, outcome=event.outcome, reason=event.reason)
    return msgspec.structs.replace(case, decision=decision, history=(*case.history, entry))


def appealed(case: CaseFile, event: model.CaseAppealed, entry: Entry) -> CaseFile:
    """Return a case after an appeal: open again, and due anew."""
    return msgspec.structs.replace(
        case, decision=None, due=event.due, appeals=case.appeals + 1, history=(*case.history, entry)
    )


def changed(
    case: CaseFile,
    event: model.CaseAssigned | model.CaseDueMoved | model.CaseNoted | model.CaseAttached | model.CaseLetterMade,
    entry: Entry,
) -> CaseFile:
    """Return a case after it was given to somebody, moved to another day, noted in, or got an attachment or a letter."""
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
