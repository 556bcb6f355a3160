"""Cases: a patron's dispute with a number and a due date, and its notes, files, letters and appeals.

These events are in `review/<table>`, as is the dispute of the case; its `dispute_closed` decides the case. `case` is the number
of the case at the table, from 1 without a gap. The bytes of an attachment are kept next to the log, not in it.
"""

from events.vocabulary.base import REVIEW, Claim, Count, Day, Digest, Event, Number, Seat7, Text, Token, event
from events.vocabulary.review_events import Person


@event("case_opened", REVIEW)
class CaseOpened(Event, frozen=True, kw_only=True):
    """A dispute became a case with a due date; `patron` and `seat` are from the dispute or supply what it left out."""

    by: Person
    case: Number
    dispute: Token
    due: Day
    patron: Token | None
    seat: Seat7 | None


@event("case_assigned", REVIEW)
class CaseAssigned(Event, frozen=True, kw_only=True):
    """A case was assigned to its owner."""

    by: Person
    case: Number
    reason: Text
    to: Person


@event("case_due_moved", REVIEW)
class CaseDueMoved(Event, frozen=True, kw_only=True):
    """The due date of an open case was moved from one day (`was`) to another, with the reason."""

    by: Person
    case: Number
    due: Day
    reason: Text
    was: Day


@event("case_noted", REVIEW)
class CaseNoted(Event, frozen=True, kw_only=True):
    """Somebody wrote down what they saw or did about a case."""

    by: Person
    case: Number
    note: Text


@event("case_attached", REVIEW)
class CaseAttached(Event, frozen=True, kw_only=True):
    """A file was attached to a case: its name, its size in bytes, and the SHA-256 under which it is kept next to the log."""

    by: Person
    case: Number
    digest: Digest
    name: Text
    note: Text
    size: Count


@event("round_attached", REVIEW)
class RoundAttached(Event, frozen=True, kw_only=True):
    """A picture or clip was attached to a round: its name, its size in bytes, and the SHA-256 under which it is kept."""

    by: Person
    digest: Digest
    name: Text
    note: Text
    size: Count


@event("case_letter_made", REVIEW)
class CaseLetterMade(Event, frozen=True, kw_only=True):
    """The letter to the patron was made: the SHA-256 of its PDF, and the number of the `decision` that it states."""

    by: Person
    case: Number
    decision: Number
    digest: Digest


@event("case_appealed", REVIEW)
class CaseAppealed(Event, frozen=True, kw_only=True):
    """The patron appealed the decision (`reason`: the patron's words): the case is open again with a new due date."""

    by: Person
    case: Number
    due: Day
    reason: Text


@event("case_appealed", version=2)
class CaseAppealed2(CaseAppealed, frozen=True, kw_only=True):
    """The patron appealed the decision (`reason`: the patron's words, up to 4,000 characters): the case is open again."""

    reason: Claim
