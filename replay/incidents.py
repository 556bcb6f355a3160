"""Incidents: the findings of a round that follow from one cause, with the cause first. Pure.

One misdeal makes many findings: the hand with a wrong count, the order of the deal, and every wager that was not returned.
Each is as evidence; what a shift manager decides is the incident. What follows from what is a table here, in the order in
which things happen in a round, and it is cautious: a finding that may have a cause of its own is an incident of its own.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from replay.findings import Finding, Severity
from rulebook.catalogue import base_wagers, wagers_by_setting

MISPAYMENTS: Final = frozenset({"PAY-OVER", "PAY-UNDER", "PAY-MISSED", "PAY-LOSER", "PAY-TAKEN", "PAY-NOT-TAKEN", "PAY-FOUL"})
"""Wrong settlements of a wager that is decided by its own outcome."""
PLAYED_ON: Final = frozenset({"PAY-VOID", "PAY-ENVY"})
"""Wrong settlements that follow if a round had to be void and was played on."""
SEVERITIES: Final[tuple[Severity, ...]] = ("high", "medium", "low")

Link = Callable[[Finding, Finding], bool]
"""Says of a cause and another finding of its round whether the second follows from the first."""


class Incident(msgspec.Struct, frozen=True, kw_only=True):
    """Findings of one round, or one finding between rounds, that have one cause. `findings` begins with the cause."""

    findings: tuple[Finding, ...]

    @property
    def id(self) -> str:
        """The id of the cause: the incident's name as long as its cause remains."""
        return self.cause.id

    @property
    def cause(self) -> Finding:
        """The finding that the others follow from."""
        return self.findings[0]

    @property
    def consequences(self) -> tuple[Finding, ...]:
        """The findings that follow from the cause, in the order of the adjudication."""
        return self.findings[1:]

    @property
    def severity(self) -> Severity:
        """The severity of its most severe finding."""
        return min((finding.severity for finding in self.findings), key=SEVERITIES.index)

    @property
    def difference_by_seat(self) -> dict[int | None, int]:
        """Return seat → the patron's done minus due over the incident, in cents; None is money of no seat."""
        sums: dict[int | None, int] = {}
        for finding in self.findings:
            if finding.difference_cents:
                sums[finding.seat] = sums.get(finding.seat, 0) + finding.difference_cents
        return sums

    @property
    def gravity(self) -> tuple[int, int]:
        """A key that sorts the gravest first: by severity, then by the money that went wrong either way."""
        return SEVERITIES.index(self.severity), -(self.overpaid_cents + self.underpaid_cents)

    @property
    def overpaid_cents(self) -> int:
        """The total overpayment in the findings, not netted against underpayments."""
        return sum(max(finding.difference_cents or 0, 0) for finding in self.findings)

    @property
    def underpaid_cents(self) -> int:
        """The total underpayment in the findings, not netted against overpayments."""
        return sum(max(-(finding.difference_cents or 0), 0) for finding in self.findings)


def incidents(findings: Sequence[Finding]) -> tuple[Incident, ...]:
    """Return the incidents of one round's findings, the cause of each first; every finding is in exactly one.

    Incidents come in the order in which their causes happen in a round, and causes that happen at one time in the order of the
    findings, which decides nothing else.
    """
    place = {finding.id: number for number, finding in enumerate(findings)}
    waiting = {finding.id: finding for finding in sorted(findings, key=lambda each: (_turn(each.code), each.code, each.id))}
    made = []
    while waiting:
        members = _closure(next(iter(waiting.values())), waiting.values())
        for finding in members:
            del waiting[finding.id]
        cause = min(members, key=lambda each: (_turn(each.code), place[each.id]))
        rest = sorted((each for each in members if each is not cause), key=lambda each: place[each.id])
        made.append(Incident(findings=(cause, *rest)))
    return tuple(sorted(made, key=lambda incident: (_turn(incident.cause.code), place[incident.id])))


class Money(msgspec.Struct, frozen=True):
    """The overpayments and underpayments of many incidents, in cents, never netted against each other."""

    overpaid_cents: int
    underpaid_cents: int


def money_of(incidents: Iterable[Incident]) -> Money:
    """Return the money of incidents (D536)."""
    made = list(incidents)
    return Money(sum(each.overpaid_cents for each in made), sum(each.underpaid_cents for each in made))


def incidents_in(findings: Iterable[Finding]) -> list[Incident]:
    """Return the incidents of findings of many rounds, round by round as they first come; one between rounds is alone."""
    rounds: dict[tuple[str, int | str], list[Finding]] = {}
    for finding in findings:
        rounds.setdefault((finding.stream, finding.id if finding.round_no is None else finding.round_no), []).append(finding)
    return [incident for of_round in rounds.values() for incident in incidents(of_round)]


def _closure(cause: Finding, findings: Iterable[Finding]) -> list[Finding]:
    """Return a cause, and all findings that follow from it or from what follows."""
    members, rest = [cause], [finding for finding in findings if finding is not cause]
    for member in members:  # grows while it is walked
        members += [finding for finding in rest if _follows(member, finding)]
        rest = [finding for finding in rest if not _follows(member, finding)]
    return members


def _follows(cause: Finding, finding: Finding) -> bool:
    if cause.code == finding.code:
        link = _SAME.get(cause.code) or _SAME_CODE.get(cause.code.partition("-")[0])
        return link is not None and link(cause, finding)
    return any(finding.code in codes and link(cause, finding) for codes, link in _CONSEQUENCES.get(cause.code, ()))


# ----------------------------------------------------------------------------------------------------------------- links


def _always(cause: Finding, finding: Finding) -> bool:
    return True


def _same_seat(cause: Finding, finding: Finding) -> bool:
    return cause.seat == finding.seat


def _same_wager(cause: Finding, finding: Finding) -> bool:
    return cause.seat == finding.seat and cause.wager == finding.wager


def _same_base_wager(cause: Finding, finding: Finding) -> bool:
    return cause.seat == finding.seat and finding.wager in base_wagers()


def _of_the_meter(cause: Finding, finding: Finding) -> bool:
    return finding.wager in (None, cause.wager)


def _same_evidence(cause: Finding, finding: Finding) -> bool:
    return not set(cause.evidence).isdisjoint(finding.evidence)


_SAME_CODE: Final[dict[str, Link]] = {
    "DEAL": _always, "OPEN": _always, "EQUIP": _always, "SET": _always, "PLAY": _always, "CA": _always, "MYST": _always,
    "WAGER": _same_seat, "PAY": _same_wager, "LOG": _same_evidence,
}  # fmt: skip
"""Family of a code → when two findings of the same code are one mistake."""
_SAME: Final[dict[str, Link]] = {
    "PAY-VOID": _always,
    "PAY-ORDER": _always,
    "PAY-REVEAL": _always,
    "DEAL-RACK": lambda cause, finding: cause.cite == finding.cite,
}
"""Codes of mistakes that concern the round although their findings name seats, or that are several things under one code."""

_VOID: Final = ((PLAYED_ON, _always),)
_OF_THE_SAME_WAGER: Final = ((frozenset({"PAY-ANNOUNCED"}), _same_wager),)
_PAYOUT: Final = (
    (frozenset({"PAY-LIGHT", "PAY-VALIDATED", "PAY-DOCUMENTED", "PAY-SOURCE", "PAY-METER", "PAY-LIMIT"}), _same_wager),
)
_PAYMENT: Final[dict[str, tuple[tuple[frozenset[str], Link], ...]]] = {
    **dict.fromkeys(MISPAYMENTS, (*_OF_THE_SAME_WAGER, *_PAYOUT)),
    **dict.fromkeys(("PAY-METER", "PAY-LIMIT"), _PAYOUT),
}
"""What else can be wrong with a payment of a wrong amount. Steps that were left out (the light not seen, no validation, paid from
another source) do not follow from one another: each is somebody else's to make."""
_LATER: Final = {"PAY-ORDER": ((frozenset({"DEAL-RACK"}), _always),)}
"""The consequences of the order of payments, which may itself be the consequence of a mispayment."""
_EARLIER: Final[dict[str, tuple[tuple[frozenset[str], Link], ...]]] = {
    "DEAL-SHUFFLE": ((frozenset({"DEAL-CUT", "DEAL-COVER", "DEAL-BURN"}), _always),),
    "EQUIP-COUNT": ((frozenset({"DEAL-COUNT", "DEAL-STUB"}), _always), *_VOID),
    "DEAL-DEVICE": _VOID,
    "DEAL-TOTAL": ((frozenset({"DEAL-START", "DEAL-ORDER"}), _always), *_VOID),
    "DEAL-NOROLL": ((frozenset({"DEAL-START", "DEAL-ORDER"}), _always), *_VOID),
    "DEAL-START": ((frozenset({"DEAL-ORDER"}), _always), *_VOID),
    "DEAL-COUNT": ((frozenset({"DEAL-ORDER", "DEAL-STUB", "DEAL-RACK"}), _always), *_VOID),
    "DEAL-STUB": ((frozenset({"DEAL-RACK"}), _always), *_VOID),
    "DEAL-FACEUP": _VOID,
    "DEAL-DRAWN": _VOID,
    "DEAL-DECK": _VOID,
    "DEAL-EXPOSED": (
        (frozenset({"DEAL-ELECTION"}), _always),
        (frozenset({"WAGER-LATE"}), lambda cause, _: cause.seat is None),
        *_VOID,
    ),
    "WAGER-LATE": ((MISPAYMENTS | {"PAY-VOID", "PAY-ENVY"}, _same_wager),),
    "WAGER-SURRENDER": ((frozenset({"PAY-REVEAL"}), _always), (MISPAYMENTS, _same_base_wager)),
    "SET-DEALER": ((MISPAYMENTS | {"PAY-ANNOUNCED", "PAY-VIG"}, lambda cause, finding: finding.wager in wagers_by_setting()),),
    "SET-CARDS": ((MISPAYMENTS | {"PAY-ANNOUNCED", "PAY-VIG"}, _same_seat),),
    "MYST-TRIGGER": ((frozenset({"PAY-MISSED", "PAY-LOSER", "MYST-AMOUNT", "MYST-RESET"}), _of_the_meter),),
    "MYST-AMOUNT": ((frozenset({"MYST-RESET"}), _of_the_meter),),
    "PAY-EARLY": ((frozenset({"PAY-ORDER"}), _same_seat), (frozenset({"PAY-ORDER"}), _same_evidence)),
    "PAY-ENVYCALL": ((frozenset({"PAY-ENVY"}), _same_seat),),
    "PAY-VOID": ((frozenset({"PAY-ENVY"}), _always),),
}
"""Code of a cause → what follows from it, and where: everywhere in the round, at the same seat, or of the same wager."""

_CONSEQUENCES: Final = _EARLIER | _PAYMENT | _LATER
_TURNS: Final = (
    {code: turn for turn, code in enumerate(_EARLIER)}
    | dict.fromkeys(_PAYMENT, len(_EARLIER))
    | dict.fromkeys(_LATER, len(_EARLIER) + 1)
)


def _turn(code: str) -> int:
    """The place of a code among the causes, in the order in which things happen; codes that cause nothing come last."""
    return _TURNS.get(code, len(_EARLIER) + 2)
