"""An adjudicated round as text: dues and payments at each seat, and the steps that each section required of the dealer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import to_builtins

from replay.findings import Adjudication, Finding, Settlement
from replay.incidents import Incident, incidents
from replay.narrative.incidents import finding_sentence, incident_sentence
from replay.narrative.names import amount, line_name, plural, readable, wager_with_number
from replay.narrative.reckoning import reckoning, settled_wager
from replay.narrative.reviews import Disposed
from replay.narrative.ruling import NOTHING_DONE, ruling, work_on
from replay.narrative.text_table import money, table
from replay.narrative.verdicts import RoundVerdict, doubts_about, is_bound, narrate
from replay.run.adjudicate import Conclusion
from replay.transcript.transcript import JudgedRound
from replay.transcript.words import CURRENCY

GRAVEST_FIRST = ("VARIANCE", "UNDETERMINED", "VOID", "UPHELD")
Where = Callable[[Finding], str]
"""Says where the evidence of a finding is."""
Reckoned = Callable[[Finding], str]
"""Works out a finding's money in a sentence; empty if none exists to work out."""


def events_of(finding: Finding) -> str:
    """Return the evidence of a recorded round: the numbers of the events in its stream."""
    return f"{finding.stream} event {', '.join(map(str, finding.evidence))}"


def verdict_lines(
    conclusion: Conclusion | Adjudication,
    chapter: str,
    where: Where = events_of,
    currency: str = CURRENCY,
    disposed: Mapping[str, Disposed] = NOTHING_DONE,
) -> list[str]:
    """Return the verdict in its sentence, the settlements as a table, and each incident with its findings and evidence.

    `chapter` is the chapter's key, such as `pa-688a`; `disposed` maps finding ids to dispositions.
    """
    settlements = conclusion.settlements
    made = incidents(conclusion.findings)
    ruled = ruling(made, settlements, chapter, None, currency, disposed)
    lines = [narrate(RoundVerdict.of(conclusion), currency=currency, settled=ruled.settled).headline]
    if settlements:
        lines += ["", *settlement_table(settlements, conclusion.undetermined)]

    def reckoned(finding: Finding) -> str:
        settled = settled_wager(settlements, finding.seat, finding.wager, finding.difference_cents)
        return "" if settled is None else reckoning(settled, chapter, currency)

    for incident in made:
        lines += ["", *incident_lines(incident, where, currency, reckoned, disposed)]
    return lines


def incident_lines(
    incident: Incident,
    where: Where = events_of,
    currency: str = "",
    reckoned: Reckoned | None = None,
    disposed: Mapping[str, Disposed] = NOTHING_DONE,
) -> list[str]:
    """Return an incident as text: its sentence, the cause, the actions due and taken, and its consequences."""
    cause = incident.cause
    lines = [f"{incident_sentence(incident, currency)}  ({cause.code}, {incident.severity})"]
    lines += finding_lines(cause, where, currency, reckoned)[1:]
    work = work_on(incident, disposed, currency)
    lines += [f"  to do       {sentence}" for sentence in work.to_do]
    lines += [f"  done      {sentence}" for sentence in work.done]
    if incident.consequences:
        lines += [f"  {plural(len(incident.consequences), 'consequence')}:"]
        lines += [
            f"    {line}" for finding in incident.consequences for line in finding_lines(finding, where, currency, reckoned)
        ]
    return lines


def incident_values(incident: Incident, currency: str, disposed: Mapping[str, Disposed] = NOTHING_DONE) -> dict[str, Any]:
    """Return an incident as JSON values: its id, sentence, severity and money, and the ids of its findings, the cause first."""
    work = work_on(incident, disposed, currency)
    return {
        "id": incident.id,
        "code": incident.cause.code,
        "sentence": incident_sentence(incident, currency),
        "to_do": work.to_do,
        "done": work.done,
        "stream": incident.cause.stream,
        "round_no": incident.cause.round_no,
        "severity": incident.severity,
        "overpaid_cents": incident.overpaid_cents,
        "underpaid_cents": incident.underpaid_cents,
        "findings": [finding.id for finding in incident.findings],
    }


def settlement_table(settlements: Sequence[Settlement], undetermined: Sequence[str] = ()) -> list[str]:
    """Return the settlements as a table; due and done are the patron's net. A line that is in doubt says why."""
    return table(
        ("seat", "wager", "paytable", "staked", "due", "done", "differs", "line", "section"),
        [
            (
                str(each.seat),
                wager_with_number(each.wager, each.number),
                each.paytable or "–",
                _money(each.staked_cents).lstrip("+"),
                _money(each.due_cents),
                _money(each.done_cents, "–"),
                _difference(each),
                _line(each, undetermined),
                each.cite,
            )
            for each in settlements
        ],
    )


def _line(settlement: Settlement, undetermined: Sequence[str]) -> str:
    due_is_known = settlement.due_cents is not None
    doubts = doubts_about(settlement.seat, settlement.wager, undetermined, due_is_known=due_is_known)
    return f"In doubt: {readable('; '.join(doubts))}" if doubts else line_name(settlement.line)


def finding_lines(finding: Finding, where: Where = events_of, currency: str = "", reckoned: Reckoned | None = None) -> list[str]:
    """Return a finding as text: the error and its place, then expected, observed, calculation, and section."""
    lines = [
        f"{finding_sentence(finding, currency)}  ({finding.code}, {finding.severity})",
        f"  expected    {readable(finding.expected, currency)}",
        f"  observed    {readable(finding.observed, currency)}",
    ]
    if finding.difference_cents:
        lines.append(f"  money       {_owed(finding, currency)}")
    if reckoned is not None and (worked_out := reckoned(finding)):
        lines.append(f"  calculation {worked_out}")
    if finding.evidence:
        lines.append(f"  evidence    {where(finding)}")
    lines.append(f"  section     {finding.cite}")
    if finding.other_reading:
        lines.append(f"  another reading  {readable(finding.other_reading, currency)}")
    return lines


def _owed(finding: Finding, currency: str) -> str:
    difference_cents = finding.difference_cents or 0
    patron = "the patron" if finding.seat is None else f"seat {finding.seat}"
    cents = ("at least " if is_bound(finding.expected) else "") + amount(difference_cents, currency)
    return f"{patron} is owed {cents}" if difference_cents < 0 else f"{patron} was paid {cents} too much"


def _difference(settlement: Settlement) -> str:
    if settlement.due_cents is None or settlement.done_cents is None:
        return ""
    return money(settlement.done_cents - settlement.due_cents)


def _money(cents: int | None, unknown: str = "?") -> str:
    return unknown if cents is None else money(cents)


def lines_of(source: str, lines: Mapping[int, int]) -> Callable[[Finding], str]:
    """Return a function that names the evidence of a finding by lines of the transcript."""

    def where(finding: Finding) -> str:
        numbers = sorted({lines[seq] for seq in finding.evidence if seq in lines})
        return f"{source} line {', '.join(map(str, numbers))}"

    return where


def judged_values(judged: Sequence[JudgedRound]) -> dict[str, Any]:
    """Return the verdict as JSON values: of the file as a whole, and of each round."""
    rounds = [
        {
            "table": each.table,
            "round": each.round_no,
            "sentence": narrate(RoundVerdict.of(each.conclusion), currency=CURRENCY).sentence,
            "incidents": [incident_values(incident, CURRENCY) for incident in incidents(each.conclusion.findings)],
        }
        | to_builtins(each.conclusion)
        for each in judged
    ]
    whole: dict[str, Any] = {"verdict": min((each["verdict"] for each in rounds), key=GRAVEST_FIRST.index)}
    for key in ("settlements", "findings", "undetermined"):
        whole[key] = [value for each in rounds for value in each[key]]
    return whole | {"rounds": rounds}
