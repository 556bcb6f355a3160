"""An incident in one sentence: the error, its place, and the money, for pages, commands and packets. Pure."""

from collections import Counter
from collections.abc import Mapping, Sequence

from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.findings import finding_title
from replay.narrative.names import amount, listed, plural, position_name, wager_name
from replay.narrative.verdicts import is_bound


def incident_sentence(incident: Incident, currency: str) -> str:
    """Return the error and its place, by the cause, and the money of the whole incident, the larger amount first.

    Money of other seats than the cause's has its seats next to it. `currency` is an ISO 4217 code.
    """
    seats = {finding.seat for finding in incident.findings if finding.difference_cents}
    elsewhere = incident.cause.seat is not None and None not in seats and seats != {incident.cause.seat}
    money = _money(incident.findings, currency, with_seats=elsewhere)
    return " · ".join((*_what_and_where(incident.cause), *money, *_rest(incident)))


def finding_sentence(finding: Finding, currency: str) -> str:
    """Return the error, seat, wager and amount of one finding of an incident."""
    return " · ".join((*_what_and_where(finding), *_money((finding,), currency, with_seats=False)))


def _what_and_where(finding: Finding) -> list[str]:
    seat = [] if finding.seat is None else [position_name(finding.seat)]
    wager = [] if finding.wager is None else [wager_name(finding.wager)]
    return [finding_title(finding.code), *seat, *wager]


def _money(findings: Sequence[Finding], currency: str, *, with_seats: bool) -> list[str]:
    """Return the sums that patrons have too much and too little, the larger first; empty if no money is wrong."""
    sides: dict[str, Counter[int | None]] = {"overpaid": Counter(), "underpaid": Counter()}
    for finding in findings:
        if cents := finding.difference_cents or 0:
            sides["overpaid" if cents > 0 else "underpaid"][finding.seat] += abs(cents)
    least = "at least " if any(finding.difference_cents and is_bound(finding.expected) for finding in findings) else ""
    said = [
        f"{side} by {least}{amount(sum(of.values()), currency)}{_at_seats(of) if with_seats else ''}"
        for side, of in sorted(sides.items(), key=lambda item: -sum(item[1].values()))
        if of
    ]
    return [", ".join(said)] if said else []


def _at_seats(by_seat: Mapping[int | None, int]) -> str:
    seats = sorted(seat for seat in by_seat if seat is not None)
    return f" at seat{'s' if len(seats) > 1 else ''} {listed(str(seat) for seat in seats)}"


def _rest(incident: Incident) -> list[str]:
    return [plural(len(incident.consequences), "consequence")] if incident.consequences else []
