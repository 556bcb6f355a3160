"""Compares decisions of a disputed seat with the record: money still owed, and decisions against it. Pure.

A letter states the record and the decision on one page. So a decision against the record needs a reason of its own and a second
person, and a dispute stays open as long as money found owed is unpaid (D713, D714).
"""

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from replay.findings import Adjudication, Finding
from replay.incidents import Incident, incidents
from replay.narrative.names import amount
from replay.narrative.reviews import Disposed, leaves_owed, needs_second_signature
from replay.narrative.verdicts import Narrative, RoundVerdict, SentenceOutcome, narrate

AGAINST: Final[Mapping[str, Collection[SentenceOutcome]]] = {
    "for_house": frozenset({SentenceOutcome.UNDERPAID}),
    "for_patron": frozenset({SentenceOutcome.OVERPAID, SentenceOutcome.AS_DUE, SentenceOutcome.NO_WAGER}),
    "cannot_tell": frozenset({SentenceOutcome.UNDERPAID, SentenceOutcome.OVERPAID, SentenceOutcome.AS_DUE}),
    "settled": frozenset(),
    "withdrawn": frozenset(),
    "referred": frozenset(),
}
"""Outcome of a dispute → what the record shows if it goes against the record. The last three decide nothing about the round."""
SPEAKS_FOR: Final = {"for_patron": AGAINST["for_house"], "for_house": AGAINST["for_patron"]}
"""Outcome → what the record shows if it speaks for that outcome."""
CODES: Final = re.compile(r" \((?:[A-Z]+(?:-[A-Z0-9]+)+(?:, )?)+\)")
"""The codes of findings, which mean nothing to a patron."""


def owed_cents(findings: Iterable[Finding], seat: int | None, disposed: Mapping[str, Disposed]) -> int:
    """Return the cents still owed at a seat (None: at any) by one round's findings; a disposition counts once fully signed."""
    signed = {key: made for key, made in disposed.items() if not needs_second_signature(made)}
    owed = 0
    for incident in incidents(tuple(findings)):
        left = tuple(
            found
            for found in incident.findings
            if found.id not in signed or leaves_owed(found.difference_cents, signed[found.id])
        )
        sums = Incident(findings=left).difference_by_seat if left else {}
        owed -= sum(cents for of, cents in sums.items() if cents < 0 and (seat is None or of in (None, seat)))
    return owed


def still_owed(cents: int, seat: int | None, currency: str) -> str:
    """Return why a dispute cannot be closed yet; empty if no money is owed."""
    if not cents:
        return ""
    whom = "patrons of the round are" if seat is None else f"the patron at seat {seat} is"
    return (
        f"{whom} still owed {amount(cents, currency)} by the findings of this round: pay it or hold it for the patron (resolve "
        "the finding, both signatures), or resolve the finding as not owed; then close"
    )


def shown(adjudication: Adjudication | None, seat: int | None, currency: str) -> Narrative | None:
    """Return the record's content for a seat of a round (None: all seats); None if the round has no verdict."""
    return None if adjudication is None else narrate(RoundVerdict.of(adjudication), seat, currency)


def contradiction(outcome: str, record: Narrative | None) -> str:
    """Return the part of the record that contradicts an outcome of a dispute; empty if none does."""
    return record.sentence if record is not None and record.outcome in AGAINST[outcome] else ""


def reason_on_record(outcome: str, record: Narrative | None) -> str:
    """Return the record in a patron's words if it supports an outcome; else empty: a person must give the reason."""
    return CODES.sub("", record.sentence) if record is not None and record.outcome in SPEAKS_FOR.get(outcome, ()) else ""
