"""From a round and the rules in force to the verdict. Pure: the same round and rules give the same conclusion.

The law of this file: it knows no game and no code. It runs every rule that holds in the round's chapter, and adds them up:
a finding makes a variance; otherwise a void round is void; otherwise a doubt leaves it undetermined; otherwise upheld.
Findings about the log itself (`LOG-…`) are reported and do not make a round a variance. Where evidence of a round was lost,
any other finding is a doubt: what was lost may undo it (D402); so is one that is not there in the order of the clocks (D403), or
of a round in which a device contradicts itself (D404).
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from games.rulebook.rulebook import Chapter, Rulebook
from replay.findings import Finding, Settlement, Verdict
from replay.fold.device_clock_order import by_the_clocks
from replay.fold.round import Round
from replay.rules.order import RULES
from replay.rules.rule import Indeterminate, Rule
from replay.settlement.settlement import settlements
from replay.settlement.voids import was_voided


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """What a round comes to: the verdict, what cannot be told and why, the findings, and every wager's money."""

    verdict: Verdict
    undetermined: tuple[str, ...]
    findings: tuple[Finding, ...]
    settlements: tuple[Settlement, ...]


_rules_of: dict[str, tuple[Rule, ...]] = {}


def rules_of(chapter: Chapter) -> tuple[Rule, ...]:
    """Return the rules that hold in a chapter."""
    if chapter.key not in _rules_of:
        _rules_of[chapter.key] = tuple(each for each in RULES if each.holds_in(chapter))
    return _rules_of[chapter.key]


def adjudicate(round_: Round, book: Rulebook) -> Conclusion:
    """Judge a round by the rules in force."""
    findings: list[Finding] = []
    doubts: list[str] = _lost_evidence(round_)
    told = _said(round_, book)
    unsure = _unsure(round_, book, told)
    for said in told:
        if isinstance(said, Finding) and (_is_of_the_log(said) or said.line() not in unsure):
            findings.append(said)
        elif (reason := said.reason if isinstance(said, Indeterminate) else unsure[said.line()]) not in doubts:
            doubts.append(reason)
    findings.sort(key=lambda found: (found.evidence, found.code, found.seat or 0, found.wager or ""))
    verdict: Verdict = "UPHELD"
    if not all(map(_is_of_the_log, findings)):
        verdict = "VARIANCE"
    elif doubts:
        verdict = "UNDETERMINED"
    elif was_voided(round_, book):
        verdict = "VOID"
    return Conclusion(
        verdict=verdict,
        undetermined=tuple(doubts),
        findings=tuple(findings),
        settlements=tuple(settlements(round_, book)),
    )


def _said(round_: Round, book: Rulebook) -> list[Finding | Indeterminate]:
    """Return what the rules say, in their order."""
    said: list[Finding | Indeterminate] = []
    for each in rules_of(book.chapter):
        said += each.judge(round_, book)
    return said


def _unsure(round_: Round, book: Rulebook, told: Sequence[Finding | Indeterminate]) -> dict[str, str]:
    """Return of findings, by their lines, why they are none: evidence was lost, late or contradicts itself (D402-D404)."""
    found = [said.line() for said in told if isinstance(said, Finding) and not _is_of_the_log(said)]
    if round_.lost:
        return {line: f"{line}: evidence was lost that may say otherwise" for line in found}
    if any(jump.kind == "repeat" for jump in round_.record_faults):
        return {line: f"{line}: a device said two things under one number" for line in found}
    otherwise = by_the_clocks(round_) if found else None
    if otherwise is None:
        return {}
    there = {said.line() for said in _said(otherwise, book) if isinstance(said, Finding)}
    return {line: f"{line}: not in the order of the devices' clocks" for line in found if line not in there}


def _is_of_the_log(found: Finding) -> bool:
    return found.code.startswith("LOG-")


def _lost_evidence(round_: Round) -> list[str]:
    reasons = [f"input of {fact.source} was refused at intake ({fact.payload.reason})" for fact in round_.refusals]
    reasons += [jump.detail for jump in round_.record_faults if jump.kind == "gap" and jump.missing]
    reasons += [f"event {fact.seq} ({fact.payload.TYPE}) came where no round was open" for fact in round_.strays]
    if round_.closed is None and "settlement" in round_.opened.payload.observed:
        reasons.append("the round was not closed on record")
    return reasons
