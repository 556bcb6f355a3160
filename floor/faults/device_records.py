"""Anomalies of the devices' own records in every game: counters, clocks, messages, corrections."""

from typing import Any

from events.vocabulary import model
from floor.faults.anomaly import HERE, Anomalies, require
from floor.faults.dealing import one_box_seat
from floor.faults.labels import Spot
from floor.table.script import ScriptStep, changed
from floor.table.streams import MINUTE_US

RECORDS = Anomalies()
fault, legitimate = RECORDS.fault, RECORDS.legitimate


@fault("LOG-SOURCE-GAP")
def gap(play: Any) -> Spot:
    """Messages of a device are lost: its counter jumps, and the numbers never arrive.

    The device reported earlier in this round; otherwise earlier rounds and their faults would be doubtful too (D656). It is
    not the one that files rules: then later rounds would be (D1191).
    """
    steps = [step for step in play.script.steps[:-2] if step.meter is None and step.source != "floor"]
    again = [step for at, step in enumerate(steps) if step.source in {earlier.source for earlier in steps[:at]}]
    play.plan.random.choice(again).counter_jump = play.plan.random.randrange(1, 4)
    return HERE


@fault("LOG-SOURCE-REPEAT")
def repeat(play: Any) -> Spot:
    """A device's counter repeats once: two different reports have one number."""
    play.script.of(model.CardsCollected)[-1].counter_jump = -1
    return HERE


@fault("LOG-CLOCK")
def clock_set_back(play: Any) -> Spot:
    """A device's clock is set back, and right again with its next report."""
    play.script.of(model.CardsCollected)[-1].clock_back_us = 2_000_000 + play.plan.turn * 50_000
    return HERE


@fault("LOG-CORRECTION")
def wrong_correction(play: Any) -> Spot:
    """A correction names an event of its stream by an id that is not that event's."""
    random = play.plan.random
    seq, event_id = random.randrange(1, 3), f"{random.getrandbits(128):032x}"
    mistaken = model.EventCorrected(
        supersedes_seq=seq, supersedes_event_id=event_id, replacement=None, by=play.table.floor, reason="entered twice"
    )
    play.script.steps.insert(len(play.script.steps) - 1, ScriptStep(mistaken, "floor"))
    return HERE


@legitimate("duplicate_message", 8)
def duplicate_message(play: Any) -> Spot:
    """A device sends the same message again: the log drops it."""
    play.script.resent = play.plan.random.choice([step for step in play.script.steps[1:-3] if step.meter is None])
    return HERE


@legitimate("event_corrected", 6, prepare=one_box_seat)
def event_corrected(play: Any) -> Spot:
    """An entry is mistyped, and corrected by a later event of the same stream, in the round or right after it."""
    plan, script = play.plan, play.script
    kinds = (model.WagerTaken, model.WagerPaid, model.ResultAnnounced)
    steps = require([step for kind in kinds for step in script.of(kind)])
    step = plan.random.choice(steps)
    right = step.payload
    match right:
        case model.WagerTaken():
            changed(step, amount_cents=right.amount_cents * 10)
        case model.WagerPaid():
            changed(step, winnings_cents=right.winnings_cents // 10)
        case _:
            changed(step, result="lose" if right.result != "lose" else "win")
    correction = ScriptStep(right, "floor")
    correction.corrects, correction.replacement = step, right
    step.truth = right
    if plan.turn % 2:
        correction.round_no = plan.round_no
        correction.pause_us = MINUTE_US // 2
        script.after.append(correction)
    else:
        script.steps.insert(len(script.steps) - 1, correction)
    return HERE
