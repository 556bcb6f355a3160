"""Cases: a patron's dispute with a number and a due date, and what was done, attached, written and appealed in it.

These events stand in `review/<table>`, beside the dispute that the case is of; the decision of a case is its `dispute_closed`.
`case` is the number of the case at the table, from 1 without a gap. The bytes of an attachment stand beside the log, not in it.
"""

from __future__ import annotations

from events.vocabulary.base import Claim, Count, Day, Digest, Event, Number, Seat7, Text, Token, event
from events.vocabulary.review_events import Person


@event("case_opened")
class CaseOpened(Event, frozen=True, kw_only=True):
    """A dispute became a case, due on a day; `patron` and `seat` are those of the dispute, or what it did not say."""

    by: Person
    case: Number
    dispute: Token
    due: Day
    patron: Token | None
    seat: Seat7 | None


@event("case_assigned")
class CaseAssigned(Event, frozen=True, kw_only=True):
    """A case was given to its owner."""

    by: Person
    case: Number
    reason: Text
    to: Person


@event("case_due_moved")
class CaseDueMoved(Event, frozen=True, kw_only=True):
    """The due date of an open case was moved from one day (`was`) to another, with the reason."""

    by: Person
    case: Number
    due: Day
    reason: Text
    was: Day


@event("case_noted")
class CaseNoted(Event, frozen=True, kw_only=True):
    """Somebody wrote down what they saw or did about a case."""

    by: Person
    case: Number
    note: Text


@event("case_attached")
class CaseAttached(Event, frozen=True, kw_only=True):
    """A file was attached to a case: its name, its size in bytes, and the SHA-256 under which it is kept beside the log."""

    by: Person
    case: Number
    digest: Digest
    name: Text
    note: Text
    size: Count


@event("round_attached")
class RoundAttached(Event, frozen=True, kw_only=True):
    """A picture or clip of a round was attached to it: its name, its size in bytes, and the SHA-256 under which it is kept."""

    by: Person
    digest: Digest
    name: Text
    note: Text
    size: Count


@event("case_letter_made")
class CaseLetterMade(Event, frozen=True, kw_only=True):
    """The letter to the patron was made: the SHA-256 of its PDF; `decision` is the number of the decision that it states."""

    by: Person
    case: Number
    decision: Number
    digest: Digest


@event("case_appealed")
class CaseAppealed(Event, frozen=True, kw_only=True):
    """The patron appealed the decision (`reason`: what the patron says): the case is open again, due on another day."""

    by: Person
    case: Number
    due: Day
    reason: Text


@event("case_appealed", 2)
class CaseAppealed2(CaseAppealed, frozen=True, kw_only=True):
    """The patron appealed the decision (`reason`: what the patron says, up to 4,000 characters): the case is open again."""

    reason: Claim
