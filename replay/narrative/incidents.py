"""An incident in one sentence: what is wrong, where, and what it comes to. Pages, commands and packets print it. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from replay.findings import Finding
from replay.incidents import Incident
from replay.narrative.findings import finding_title
from replay.narrative.names import amount, plural, position_name, wager_name
from replay.narrative.verdicts import is_bound


def incident_sentence(incident: Incident, currency: str) -> str:
    """Return what is wrong and where, by the cause, and the money of the whole incident: the larger amount first.

    `currency` is an ISO 4217 code.
    """
    return " · ".join(
        (*_what_and_where(incident.cause), *_money(incident.findings, _by_seat(incident), currency), *_rest(incident))
    )


def finding_sentence(finding: Finding, currency: str) -> str:
    """Return what is wrong, at which seat and wager, and by how much: one finding of an incident."""
    return " · ".join((*_what_and_where(finding), *_money((finding,), [finding.difference_cents or 0], currency)))


def _what_and_where(finding: Finding) -> list[str]:
    seat = [] if finding.seat is None else [position_name(finding.seat)]
    wager = [] if finding.wager is None else [wager_name(finding.wager)]
    return [finding_title(finding.code), *seat, *wager]


def _by_seat(incident: Incident) -> list[int]:
    return list(incident.difference_by_seat.values())


def _money(findings: Sequence[Finding], by_seat: Sequence[int], currency: str) -> list[str]:
    """The sums by which patrons have too much and too little, the larger first, in one part; none where no money is wrong."""
    sums = {
        "overpaid": sum(cents for cents in by_seat if cents > 0),
        "underpaid": -sum(cents for cents in by_seat if cents < 0),
    }
    least = "at least " if any(finding.difference_cents and is_bound(finding.expected) for finding in findings) else ""
    said = [
        f"{side} by {least}{amount(cents, currency)}"
        for side, cents in sorted(sums.items(), key=lambda item: -item[1])
        if cents
    ]
    return [", ".join(said)] if said else []


def _rest(incident: Incident) -> list[str]:
    return [plural(len(incident.consequences), "consequence")] if incident.consequences else []
