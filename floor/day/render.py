"""Turns a script into devices' reports: numbers, times, and the order of arrival."""

import msgspec

from events.vocabulary.envelope import Draft
from events.vocabulary.model import EventCorrected, Replacement
from floor.table.script import Script, ScriptStep
from floor.table.streams import Group
from floor.table.table import Table


def render(table: Table, script: Script, round_no: int) -> list[Group]:
    """Return the groups of a round: its meter's events first, then the table's with those after the round.

    A late message keeps its own time and its device's order, and arrives before the last event of the round; a repeated message
    arrives again there, and counts once.
    """
    drafts: list[Draft] = []
    meter_drafts: dict[str, list[Draft]] = {}
    random = table.random
    order = _arrival(script)
    draft_of: dict[int, Draft] = {}
    first_seq = table.stream.seq
    _number(order, first_seq)
    for step in script.steps:
        least, most = step.wait_ms
        table.now_us += (least + int(random.random() * (most - least))) * 1000 + step.pause_us
        if step.meter is not None:
            meter = table.meters[step.meter]
            meter.now_us = table.now_us = max(table.now_us, meter.now_us + 1000)
            draft = meter.stream.draft(step.source, step.payload, meter.now_us, None)
            meter_drafts.setdefault(meter.stream.name, []).append(draft)
            continue
        draft_of[id(step)] = _report(table, step, round_no)
    drafts += [draft_of[id(step)] for step in order]
    if script.resent is not None:
        drafts.insert(len(drafts) - 1, draft_of[id(script.resent)])
    for step in script.after:
        least, most = step.wait_ms
        table.now_us += (least + int(random.random() * (most - least))) * 1000 + step.pause_us
        step.seq = table.stream.seq + 1
        drafts.append(_report(table, step, step.round_no))
    return [*meter_drafts.items(), (table.stream.name, drafts)]


def _arrival(script: Script) -> list[ScriptStep]:
    """The table's steps in order of arrival."""
    steps = [step for step in script.steps if step.meter is None]
    if script.late:
        steps = [step for step in steps if step not in script.late]
        at = len(steps) - 2
        steps[at:at] = script.late
    return steps


def _number(order: list[ScriptStep], first_seq: int) -> None:
    for at, step in enumerate(order, 1):
        step.seq = first_seq + at


def _report(table: Table, step: ScriptStep, round_no: int | None) -> Draft:
    source = table.device(step.source)
    if step.counter_jump:
        table.stream.skip(source, step.counter_jump)
    at_us = table.now_us
    if step.clock_back_us:
        at_us = (table.stream.last_us(source) or at_us) - step.clock_back_us
    if step.corrects is not None:
        step.payload = _correction(step, table.floor, round_no)
    draft = table.stream.draft(source, step.payload, at_us, round_no)
    step.event_id = draft.event_id
    return draft


def _correction(step: ScriptStep, by: str, round_no: int | None) -> EventCorrected:
    """The event that corrects a mistyped one."""
    wrong, right = step.corrects, step.replacement
    assert wrong is not None
    replacement = None
    if right is not None:
        replacement = Replacement(type=right.TYPE, version=right.VERSION, round_no=round_no, payload=msgspec.to_builtins(right))
    return EventCorrected(
        supersedes_seq=wrong.seq,
        supersedes_event_id=wrong.event_id,
        replacement=replacement,
        by=by,
        reason="mistyped at the table",
    )
