"""Cases at the desk: a dispute gets a number and a due date, an owner, attachments and a decision, and can be appealed.

Everything is an event in `review/<table>`, in the name of a registered person; a case is decided by closing its dispute.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import count
from typing import Any
from unicodedata import normalize

import msgspec

from desk.review.case_folder import CaseFolder, CaseSettings
from desk.review.desk import Desk, Entry, ReviewRefused, review_event
from desk.review.disputes import CaseFile, Decision, case_name, case_place, round_stream
from desk.review.state import TableReview
from desk.review.stored_events import names_of
from events.vocabulary import model
from events.vocabulary.codec import read
from replay.narrative.names import day_words, table_name

__all__ = ["CaseFile", "CaseFolder", "Decision"]
"""Classes that pages import from here, since they may import few files of this room (tests/architecture)."""

LONGEST_NAME = 120
"""Letters of an attachment's name at most."""


class PatronCase(msgspec.Struct, frozen=True, kw_only=True):
    """A case with its table and the video marks of its round."""

    table: str
    case: CaseFile
    videos: tuple[Entry, ...] = ()

    @property
    def name(self) -> str:
        """The case's name."""
        return case_name(self.table, self.case.number)

    def values(self, today: str) -> dict[str, Any]:
        """Return the case as JSON values."""
        of: dict[str, Any] = msgspec.to_builtins(self.case)
        more = {"state": self.case.state, "overdue": self.case.overdue(today), "videos": msgspec.to_builtins(self.videos)}
        return {"name": self.name, "table": self.table, **of, **more}

    def lines(self, today: str) -> list[str]:
        """Return the case as text: its state, patron, claim and owner."""
        of = self.case
        who = [f"seat {of.seat}" if of.seat else "", f"patron {of.patron}" if of.patron else ""]
        place = ", ".join(filter(None, [f"table {table_name(self.table)}, round {of.round_no}", *who]))
        due = f"due {day_words(date.fromisoformat(of.due))}" + (", OVERDUE" if of.overdue(today) else "")
        decided = of.decision or of.pending
        return [
            f"Case {self.name}: {of.state}, {due if decided is None else decided.words}",
            f"  {place}",
            f"  claim     {of.claim}",
            f"  owner     {of.owner or '–'}",
        ]


def cases_of(table: str, review: TableReview) -> list[PatronCase]:
    """Return the cases of a table, in the order of their numbers."""
    return [PatronCase(table=table, case=each, videos=video_of(review, each)) for each in review.cases.values()]


def video_of(review: TableReview, case: CaseFile) -> tuple[Entry, ...]:
    """Return the video marks of a case's round."""
    return tuple(each for each in review.videos if each.round_no == case.round_no)


def by_deadline(found: Sequence[PatronCase]) -> list[PatronCase]:
    """Return cases in working order: open ones by due date, overdue ones first, then the decided ones."""
    return sorted(found, key=lambda each: (each.case.decision is not None, each.case.due, each.table, each.case.number))


def cases(desk: Desk, table: str | None = None) -> list[PatronCase]:
    """Return all cases (of one table), by deadline. Raises an `IntegrityError` if a review is broken."""
    shown = [name for name in names_of(desk.log, "review") if table in (None, name)]
    return by_deadline([each for name in shown for each in cases_of(name, desk.review(name))])


def case(desk: Desk, name: str) -> PatronCase:
    """Return a case by its name in upper or lower case. Raises `ReviewRefused` if none exists."""
    place = case_place(name)
    if place is None:
        raise ReviewRefused(f"{name!r} is no case: expected a table and a number, such as FU-01-C3 (`rack case list`)")
    table, number = place
    found = next((each for each in cases_of(table, desk.review(table)) if each.case.number == number), None)
    if found is None:
        raise ReviewRefused(f"there is no case {name.upper()}; `rack case list` names them")
    return found


def open_case(
    desk: Desk,
    table: str,
    round_no: int,
    *,
    by: str,
    settings: CaseSettings,
    claim: str | None = None,
    seat: int | None = None,
    patron: str | None = None,
    dispute: str | None = None,
) -> PatronCase:
    """Open a case: of a patron's `claim`, which also opens the dispute, or of an open `dispute`."""
    if (claim is None) == (dispute is None):
        raise ReviewRefused("a case needs a new claim, or a dispute that is open already: give one of the two")
    review, person = desk.review(table), desk.person(by).id
    number = max(review.cases, default=0) + 1
    events: list[model.Event] = []
    if dispute is None:
        dispute = next(name for name in (f"case-{n}" for n in count(number)) if name not in review.disputes)
        opened: dict[str, Any] = {"by": person, "dispute": dispute, "patron": patron, "reason": claim, "seat": seat}
        events.append(review_event(model.DisputeOpened, **opened))
    due = _days_on(desk, settings.days)
    filed: dict[str, Any] = {"by": person, "case": number, "dispute": dispute, "due": due, "patron": patron, "seat": seat}
    desk.write_together(table, round_no, [*events, review_event(model.CaseOpened, **filed)])
    return case(desk, case_name(table, number))


def assign(desk: Desk, name: str, *, to: str, by: str, reason: str) -> Entry:
    """Assign a case to its owner."""
    found = case(desk, name)
    return _written(desk, found, model.CaseAssigned, by=by, reason=reason, to=desk.person(to).id)


def move_due(desk: Desk, name: str, *, due: str, by: str, reason: str) -> Entry:
    """Move the due day (`YYYY-MM-DD`) of an open case (D607). Raises `ReviewRefused` for a past day."""
    found = case(desk, name)
    if due < desk.today():
        raise ReviewRefused(f"{due} has gone by: expected {desk.today()} or a later day")
    return _written(desk, found, model.CaseDueMoved, by=by, due=due, reason=reason, was=found.case.due)


def note(desk: Desk, name: str, *, note: str, by: str) -> Entry:
    """Record a note about a case."""
    return _written(desk, case(desk, name), model.CaseNoted, by=by, note=note)


def attach(desk: Desk, folder: CaseFolder, name: str, *, file: str, data: bytes, by: str, note: str) -> Entry:
    """Attach a file (its name and bytes), which is first stored next to the log. Raises `OSError` if it cannot be stored."""
    found = case(desk, name)
    desk.person(by)
    kept = folder.keep(data)
    return _written(desk, found, model.CaseAttached, by=by, digest=kept, name=_called(file), note=note, size=len(data))


def take_attachment(
    desk: Desk, folder: CaseFolder, name: str, *, digest: str, by: str, reason: str
) -> tuple[model.CaseAttached, bytes]:
    """Return an attachment and its bytes by the first digits of its SHA-256, after recording the export."""
    found = case(desk, name)
    fitting = [each for each in found.case.attachments if each.digest.startswith(digest)]
    if len(fitting) != 1:
        raise ReviewRefused(f"case {found.name} has {len(fitting)} attachments whose SHA-256 begins with {digest!r}")
    data = folder.read(found.table, fitting[0])
    desk.person(by)
    desk.exported(
        found.table, found.case.round_no, what="round", digest=fitting[0].digest, form="attachment", by=by, reason=reason
    )
    return fitting[0], data


def attach_to_round(
    desk: Desk, folder: CaseFolder, place: str, round_no: int, *, file: str, data: bytes, by: str, note: str
) -> Entry:
    """Attach a picture or clip to a round, recorded or observed; it is stored as by `attach`. Raises `OSError`."""
    stream = round_stream(place)
    desk.must_know(place)
    if desk.results.latest("adjudications", f"{stream}#{round_no}") is None and not (
        stream == place and any(read(record.data).round_no == round_no for record in desk.log.read(stream))
    ):
        raise ReviewRefused(f"{stream} has no judged round {round_no}; replay the log first, or name another round")
    person, kept = desk.person(by).id, folder.keep(data)
    fields: dict[str, Any] = {"digest": kept, "name": _called(file), "note": note, "size": len(data)}
    return desk.write(place, round_no, model.RoundAttached, by=person, **fields)


def _called(file: str) -> str:
    return normalize("NFC", "".join(each for each in file if each.isprintable()))[-LONGEST_NAME:] or "unnamed"


def decide(desk: Desk, name: str, *, outcome: str, by: str, reason: str, override: str | None = None) -> Entry:
    """Decide a case, which closes its dispute; against the record only with an `override` and a second signature (`sign`)."""
    found = case(desk, name)
    return desk.close_dispute(found.table, dispute=found.case.dispute, outcome=outcome, by=by, reason=reason, override=override)


def sign(desk: Desk, name: str, *, by: str, reason: str) -> Entry:
    """Sign a decision against the record as the second person, which decides the case."""
    found = case(desk, name)
    return desk.sign_dispute(found.table, dispute=found.case.dispute, by=by, reason=reason)


def appeal(desk: Desk, name: str, *, by: str, reason: str, settings: CaseSettings) -> Entry:
    """Record the patron's appeal: the case is open again, with a new due date."""
    due = _days_on(desk, settings.appeal_days)
    return _written(desk, case(desk, name), model.CaseAppealed, by=by, due=due, reason=reason)


def letter_made(desk: Desk, found: PatronCase, *, digest: str, by: str) -> Entry:
    """Record the letter of the last decision by the SHA-256 of its PDF, before it is handed over."""
    if found.case.decision is None:
        raise ReviewRefused(f"case {found.name} is not decided: there is no letter yet")
    return _written(desk, found, model.CaseLetterMade, by=by, decision=found.case.decision.seq, digest=digest)


def _days_on(desk: Desk, days: int) -> str:
    return (date.fromisoformat(desk.today()) + timedelta(days=days)).isoformat()


def _written(desk: Desk, found: PatronCase, cls: type[model.Event], *, by: str, **fields: Any) -> Entry:
    return desk.write(found.table, found.case.round_no, cls, by=desk.person(by).id, case=found.case.number, **fields)
