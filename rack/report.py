"""An adjudicated round as text: what was due and done at each seat, and what the dealer should have done by which section."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rack.output import money, table
from replay.findings import Adjudication, Finding, Settlement, Verdict
from replay.run.adjudicate import Conclusion

MEANING: dict[Verdict, str] = {
    "UPHELD": "everything was settled as the rules say",
    "VARIANCE": "what was done is not what the rules say",
    "VOID": "the round was properly void",
    "UNDETERMINED": "the evidence does not tell",
}


Where = Callable[[Finding], str]
"""Says where the evidence of a finding stands."""


def events_of(finding: Finding) -> str:
    """Return the evidence of a recorded round: the numbers of the events in its stream."""
    return f"{finding.stream} event {', '.join(map(str, finding.evidence))}"


def verdict_lines(conclusion: Conclusion | Adjudication, where: Where = events_of) -> list[str]:
    """Return the verdict, the settlements as a table, and the findings with their sections and evidence."""
    settlements = conclusion.settlements
    meaning = MEANING[conclusion.verdict]
    if conclusion.verdict == "UPHELD" and all(settlement.done_cents is None for settlement in settlements):
        meaning = "nothing in it breaks the rules; this is what is due"
    lines = [f"{conclusion.verdict}: {meaning}"]
    lines += [f"  cannot tell: {reason}" for reason in conclusion.undetermined]
    if settlements:
        lines += ["", *settlement_table(settlements)]
    for finding in conclusion.findings:
        lines += ["", *finding_lines(finding, where)]
    return lines


def settlement_table(settlements: Sequence[Settlement]) -> list[str]:
    """Return the settlements as a table; due and done are the patron's net."""
    return table(
        ("seat", "wager", "paytable", "staked", "due", "done", "differs", "line", "section"),
        [
            (
                str(each.seat),
                each.wager if each.number is None else f"{each.wager} {each.number}",
                each.paytable or "–",
                _money(each.staked_cents).lstrip("+"),
                _money(each.due_cents),
                _money(each.done_cents, "–"),
                _difference(each),
                each.line,
                each.cite,
            )
            for each in settlements
        ],
    )


def finding_lines(finding: Finding, where: Where = events_of) -> list[str]:
    """Return a finding as text: its line, and below what was expected, observed, where, and the section."""
    lines = [
        f"{finding.line()}  ({finding.severity})",
        f"  expected  {finding.expected}",
        f"  observed  {finding.observed}",
    ]
    if finding.difference_cents:
        lines.append(f"  money     {_owed(finding.difference_cents, finding.seat)}")
    if finding.evidence:
        lines.append(f"  evidence  {where(finding)}")
    lines.append(f"  section   {finding.cite}")
    if finding.other_reading:
        lines.append(f"  another reading  {finding.other_reading}")
    return lines


def _owed(difference_cents: int, seat: int | None) -> str:
    patron = "the patron" if seat is None else f"seat {seat}"
    amount = money(abs(difference_cents)).lstrip("+")
    return f"{patron} is owed {amount}" if difference_cents < 0 else f"{patron} got {amount} too much"


def _difference(settlement: Settlement) -> str:
    if settlement.due_cents is None or settlement.done_cents is None:
        return ""
    return money(settlement.done_cents - settlement.due_cents)


def _money(cents: int | None, unknown: str = "?") -> str:
    return unknown if cents is None else money(cents)
