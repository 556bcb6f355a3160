"""What can be irregular in the devices' own records, whatever the game: counters, clocks, messages, corrections.

Each game registers these planters in its own register.
"""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.labels import Spot
from floor.table.script import Step, changed
from floor.table.streams import MINUTE_US


def log_source_gap(play: Any) -> Spot:
    """Messages of a device are lost on the way: its counter jumps, and the numbers never arrive."""
    steps = [step for step in play.script.steps[2:-2] if step.meter is None]
    play.plan.random.choice(steps).counter_jump = play.plan.random.randrange(1, 4)
    return Spot()


def log_source_repeat(play: Any) -> Spot:
    """A device's counter stands still once: two different reports have one number."""
    collected = play.script.of(model.CardsCollected)
    collected[-1].counter_jump = -1
    return Spot()


def log_clock(play: Any) -> Spot:
    """A device's clock is set back, and right again with its next report."""
    play.script.of(model.CardsCollected)[-1].clock_back_us = 2_000_000 + play.plan.turn * 50_000
    return Spot()


def log_correction(play: Any) -> Spot:
    """A correction names an event of its stream by an id that is not that event's."""
    mistaken = model.EventCorrected(
        supersedes_seq=play.plan.random.randrange(1, 3), supersedes_event_id=f"{play.plan.random.getrandbits(128):032x}",
        replacement=None, by=play.table.floor, reason="entered twice",
    )  # fmt: skip
    play.script.steps.insert(len(play.script.steps) - 1, Step(mistaken, "floor"))
    return Spot()


def duplicate_message(play: Any) -> Spot:
    """A device sends the same message again: the log drops it."""
    play.script.resent = play.plan.random.choice([step for step in play.script.steps[1:-3] if step.meter is None])
    return Spot()


def event_corrected(play: Any) -> Spot | None:
    """Something is mistyped, and corrected by a later event of the same stream, in the round or right after it."""
    plan, script = play.plan, play.script
    steps: list[Any] = [
        *script.of(model.WagerTaken), *script.of(model.WagerPaid), *script.of(model.ResultAnnounced),
    ]  # fmt: skip
    if not steps:
        return None
    step = plan.random.choice(steps)
    right = step.payload
    match right:
        case model.WagerTaken():
            changed(step, amount_cents=right.amount_cents * 10)
        case model.WagerPaid():
            changed(step, winnings_cents=right.winnings_cents // 10)
        case _:
            changed(step, result="lose" if right.result != "lose" else "win")
    correction = Step(right, "floor")
    correction.corrects, correction.replacement = step, right
    step.truth = right
    if plan.turn % 2:
        correction.round_no = plan.round_no
        correction.pause_us = MINUTE_US // 2
        script.after.append(correction)
    else:
        script.steps.insert(len(script.steps) - 1, correction)
    return Spot()
