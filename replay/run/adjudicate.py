"""From a round and the rules in force to the verdict. Pure: the same round and rules give the same conclusion.

Invariant: it knows no game and no code. It runs every rule that holds in the round's chapter, and adds them up: a finding makes a
variance; otherwise a doubt leaves it undetermined; otherwise a void round is void; otherwise it is upheld, if a settlement of
what was at stake is on record (D860). Findings about the log itself (`LOG-…`) are reported and do not make a round a variance. If
evidence of a round was lost, any other finding is a doubt, since the lost evidence may undo it (D402); so is a finding that the
order of the clocks does not give (D403), one in a round in which a device contradicts itself (D404), or one that the round does
not have if what was withdrawn had been placed (D1433).
"""

from collections.abc import Sequence

import msgspec

from events.vocabulary import model
from replay.findings import NOTHING_SETTLED, Finding, Settlement, Verdict
from replay.fold.device_order import as_arrived, as_played, by_the_clocks, with_late
from replay.fold.lost_state import FOR_ALL, as_if_unknown, as_on_record, late_before, rules_unknown
from replay.fold.round import Round
from replay.rules.catalogue import GAME_RULES
from replay.rules.game_rules import GameRules
from replay.rules.order import rules_in_order
from replay.rules.rule import OF_ORDER, Indeterminate, Rule
from replay.settlement.other_readings import with_other_readings
from replay.settlement.round_readings import round_readings
from replay.settlement.settlement import lacks_settlement, settlements
from replay.settlement.stakes import OVERDRAWN, as_if_placed
from replay.settlement.voids import was_voided
from replay.settlement.withdrawals import as_withdrawn
from rulebook.chapters.rulebook import Chapter, Rulebook

ARRIVED_LATE = "only the clock of a message that came late says so"
UNKNOWN_BEFORE = "a message before this round that was lost, or came late, may say otherwise"
CLOCKS_DIFFER = "not in the order of the devices' clocks"


class Conclusion(msgspec.Struct, frozen=True, kw_only=True):
    """The conclusion on a round: the verdict, the unknown parts and why, the findings, and every wager's money."""

    verdict: Verdict
    undetermined: tuple[str, ...]
    findings: tuple[Finding, ...]
    settlements: tuple[Settlement, ...]


_rules_by_chapter: dict[tuple[str, str], tuple[GameRules | None, tuple[Rule, ...]]] = {}


def rules_of(chapter: Chapter) -> tuple[Rule, ...]:
    """Return the rules that hold in a chapter, in the order in which they are applied; no other game's rule ever does."""
    key = chapter.key, chapter.edition_digest
    record, known = GAME_RULES.get(chapter.game), _rules_by_chapter.get(key)
    if known is None or known[0] is not record:
        if record is not None:
            record.must_have_its_codes(chapter)
        rules = tuple(rule for rule in rules_in_order((chapter.game,)) if rule.holds_in(chapter))
        known = _rules_by_chapter[key] = record, rules
    return known[1]


def adjudicate(round_: Round, book: Rulebook) -> Conclusion:
    """Judge a round by the rules in force."""
    round_ = as_withdrawn(as_played(round_), book)
    rules = rules_of(book.chapter)
    if not round_.order_seen:
        rules = tuple(rule for rule in rules if not OF_ORDER.issuperset(rule.codes))
    findings, doubts = findings_by(rules, round_, book)
    if not round_.order_seen:
        findings = [each for each in findings if each.code not in OF_ORDER]
        doubts = [each.replace("the clocks contradict", "the record does not claim") for each in doubts]
    doubts = list(dict.fromkeys([*_lost_evidence(round_), *filter(None, [rules_unknown(round_, book)]), *doubts]))
    verdict: Verdict = "UPHELD"
    if not all(map(_is_of_the_log, findings)):
        verdict = "VARIANCE"
    elif doubts:
        verdict = "UNDETERMINED"
    elif was_voided(round_, book):
        verdict = "VOID"
    elif lacks_settlement(round_, book):
        verdict, doubts = "UNDETERMINED", [NOTHING_SETTLED]
    return Conclusion(
        verdict=verdict, undetermined=tuple(doubts), findings=tuple(findings), settlements=tuple(settlements(round_, book))
    )


def findings_by(rules: Sequence[Rule], round_: Round, book: Rulebook) -> tuple[list[Finding], list[str]]:
    """Return the proved findings on a round, in order of the evidence, and the reasons why others are not proved."""
    findings: list[Finding] = []
    doubts: list[str] = []
    results = _evaluate(rules, round_, book)
    unproved = _unproved_findings(rules, round_, book, results)
    for result in results:
        if isinstance(result, Finding) and (_is_of_the_log(result) or result.line() not in unproved):
            findings.append(result)
        else:
            doubts.append(result.reason if isinstance(result, Indeterminate) else unproved[result.line()])
    doubts += _findings_by_what_is_unknown(rules, round_, book, results)
    doubts += _findings_by_what_came_late(rules, round_, book, results)
    findings = with_other_readings(findings, round_, book)
    findings.sort(key=lambda finding: (finding.evidence, finding.code, finding.seat or 0, finding.wager or ""))
    return findings, doubts


def _evaluate(rules: Sequence[Rule], round_: Round, book: Rulebook) -> list[Finding | Indeterminate]:
    """Return the findings of the rules, in order; if a round has several readings, those common to all (D500)."""
    readings, results = round_readings(round_, book), list[Finding | Indeterminate]()
    is_clear = len(readings) == 1
    for rule in rules:
        if is_clear or rule.over_readings:
            results += rule.judge(round_, book)
        else:
            results += [result for result in rule.judge(round_, book) if isinstance(result, Indeterminate)]
            results += _found_in_all(rule, readings, book)
    return results


def _found_in_all(rule: Rule, readings: Sequence[Round], book: Rulebook) -> list[Finding]:
    """Return the findings of a rule in every reading of a round."""
    found = [result for result in rule.judge(readings[0], book) if isinstance(result, Finding)]
    for reading in readings[1:]:
        if not found:
            break
        lines = {result.line() for result in rule.judge(reading, book) if isinstance(result, Finding)}
        found = [each for each in found if each.line() in lines]
    return found


def _unproved_findings(
    rules: Sequence[Rule], round_: Round, book: Rulebook, results: Sequence[Finding | Indeterminate]
) -> dict[str, str]:
    """Return, by its line, why a finding proves nothing: evidence was lost, late or contradicts itself (D402-D404)."""
    lines = [result.line() for result in results if isinstance(result, Finding) and not _is_of_the_log(result)]
    if not lines:
        return {}
    if round_.lost:
        return {line: f"{line}: evidence was lost that may say otherwise" for line in lines}
    if rules_unknown(round_, book):
        return {line: f"{line}: other rules may have been in force" for line in lines}
    if any(fault.kind == "repeat" for fault in round_.record_faults):
        return {line: f"{line}: a device said two things under one number" for line in lines}
    if any(fault.kind == "reopened" for fault in round_.record_faults):
        return {line: f"{line}: the record breaks off where the round was opened again" for line in lines}
    unproved: dict[str, str] = {}
    others = ((as_arrived(round_), ARRIVED_LATE), (by_the_clocks(round_), CLOCKS_DIFFER), (as_if_placed(round_, book), OVERDRAWN))
    for other, why in others:
        if other is not None:
            results = _evaluate(rules, as_withdrawn(other, book), book)
            confirmed = {result.line() for result in results if isinstance(result, Finding)}
            unproved |= {line: f"{line}: {why}" for line in lines if line not in confirmed}
    late = late_before(round_)
    if late:
        why, confirmed = ", ".join(f"event {seq} ({type_.TYPE})" for type_, seq in late.items()), set[str]()
        if FOR_ALL.isdisjoint(late):
            other = as_if_unknown(round_, late)
            results = _evaluate(rules, as_withdrawn(other, book), book)
            confirmed = {result.line() for result in results if isinstance(result, Finding)}
        unproved |= {line: f"{line}: {why} came late, and may say otherwise" for line in lines if line not in confirmed}
    return unproved


def _findings_by_what_is_unknown(
    rules: Sequence[Rule], round_: Round, book: Rulebook, results: Sequence[Finding | Indeterminate]
) -> list[str]:
    """Return the findings if the lost or late messages had changed nothing at the table before the round (D951)."""
    before = as_on_record(round_.before)
    if before is None or round_.lost or rules_unknown(round_, book):
        return []
    on_record = round_.reading({})
    on_record.before = before
    known = {result.line() for result in results if isinstance(result, Finding)}
    found = [result.line() for result in _evaluate(rules, on_record, book) if isinstance(result, Finding)]
    return [f"{line}: {UNKNOWN_BEFORE}" for line in found if line not in known]


def _findings_by_what_came_late(
    rules: Sequence[Rule], round_: Round, book: Rulebook, results: Sequence[Finding | Indeterminate]
) -> list[str]:
    """Return the findings if what came after the round was over had come when its clock says (D1251)."""
    late = [each for fault in round_.record_faults if fault.kind == "late" for each, _ in fault.arrived]
    if (closed := round_.closed) is not None:
        late += [fact for fact in round_.facts if fact.seq > closed.seq and fact.at_us < closed.at_us]
    late = [each for each in late if each.payload.KIND not in FOR_ALL]
    if not late or round_.lost or rules_unknown(round_, book):
        return []
    known, doubts = {result.line() for result in results if isinstance(result, Finding)}, list[str]()
    on_record = round_.reading({})
    on_record.before = msgspec.structs.replace(as_on_record(round_.before) or round_.before, after_loss=False)
    for each in late:
        with_it = _evaluate(rules, as_withdrawn(with_late(on_record, each), book), book)
        found = [result.line() for result in with_it if isinstance(result, Finding)]
        event = f"event {round_.number(each.seq)} ({each.payload.TYPE})"
        doubts += [f"{line}: {event} came late, and may show it" for line in found if line not in known]
    return doubts


def _is_of_the_log(finding: Finding) -> bool:
    return finding.code.startswith("LOG-")


def _lost_evidence(round_: Round) -> list[str]:
    reasons = [f"a line was refused at intake ({fact.payload.reason})" for fact in round_.refusals]
    reasons += [fault.detail for fault in round_.record_faults if fault.kind == "gap" and fault.missing]
    reasons += [
        f"event {fact.seq} ({fact.payload.TYPE}) "
        + ("came late, and names no round" if fact.is_late else "came where no round was open")
        for fact in round_.strays
    ]
    reasons += [
        f"event {seq} ({type_.TYPE}) came late: the rules of this round may be others"
        for type_, seq in late_before(round_).items()
        if type_ in (model.RulesFiled, model.GamingDayOpened)
    ]
    if round_.closed is None and "settlement" in round_.opened.payload.observed:
        reasons.append("the round was not closed on record")
    return reasons
