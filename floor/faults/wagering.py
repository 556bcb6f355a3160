"""Anomalies in placing wagers that several games share."""

from collections.abc import Callable
from typing import Any

from events.vocabulary import model
from floor.faults.anomaly import HERE, Anomalies, Edit, Prepare, require
from floor.faults.dealing import one_box_seat
from floor.faults.edits import change, its_wager
from floor.faults.labels import Spot
from floor.round.plan import BoxPlan
from floor.table.facts import refused, wager_placed, wager_removed, wager_returned
from floor.table.script import ScriptStep

LATE_CENTS = 2500

wrong_form = change(model.WagerPlaced, None, its_wager, form=lambda play, _: ("verbal", "cash")[play.plan.turn % 2])
"""A word or cash is taken for a wager."""


def bet_late(anchor: type[model.Event], at: int | None = None) -> Edit:
    """Part of a wager is placed or withdrawn only after a step (None: any of its type), and settled as it is."""

    def edit(play: Any) -> Spot:
        seat = play.plan.chosen
        box = play.plan.boxes[seat]
        ((wager, cents),) = box.late.items()
        event = (wager_placed if cents > 0 else wager_removed)(seat, box.bettor, wager, abs(cents))
        steps = play.script.of(anchor)
        play.script.behind(play.plan.random.choice(steps) if at is None else steps[at], event)
        return Spot(seat, wager)

    return edit


def register_late_returned(
    anomalies: Anomalies, wager: str, anchor: Callable[[Any], ScriptStep], reason: str = "after the first card"
) -> None:
    """Register in a game that a wager is placed or raised too late: the dealer refuses it, or pushes the late part back."""

    def edit(play: Any) -> Spot:
        seat, step = play.plan.chosen, anchor(play)
        bettor = play.plan.boxes[seat].bettor
        if play.plan.turn % 2:
            play.script.behind(step, refused(seat, bettor, wager, LATE_CENTS, reason))
        else:
            late, back = (wager_placed(seat, bettor, wager, LATE_CENTS), wager_returned(seat, bettor, wager, LATE_CENTS, "late"))
            play.script.behind(step, late, back)
        return HERE

    anomalies.legitimate("late_wager_returned", 6, edit, prepare=one_box_seat)


def after_no_more_bets(play: Any) -> ScriptStep:
    """Return the step that closed betting."""
    step: ScriptStep = play.script.first(model.NoMoreBets)
    return step


def optional_alone(wager: Callable[[Any], str]) -> Prepare:
    """Place an optional wager at a box without its base wager."""

    def prepare(plan: Any) -> bool:
        require(len(plan.boxes) >= 2 and wager(plan) in plan.book.offers and one_box_seat(plan))
        box = plan.boxes[plan.chosen]
        box.stakes, box.decision = {wager(plan): 500}, None
        return True

    return prepare


def off_limits(plan: Any) -> bool:
    """Place a base wager above the maximum or below the minimum."""
    require(one_box_seat(plan))
    offer = plan.book.offers[plan.base]
    cents = offer.min_cents - 500 or 100 if plan.turn % 2 else offer.max_cents + 10_000
    plan.boxes[plan.chosen].stakes.update(dict.fromkeys(plan.required, cents))
    return True


def not_seated(plan: Any) -> bool:
    """Have a patron who is not seated wager at a free box, or a seated player at a second box if none is allowed."""
    require(plan.make_empty(1) and plan.unseated)
    plan.chosen = plan.random.choice(plan.unseated)
    bettor = plan.table.people.token()
    if plan.turn % 2 and not plan.table.spec.adjacent_boxes:
        bettor = plan.boxes[plan.random.choice(sorted(plan.boxes))].bettor
    cents = plan.book.offers[plan.base].min_cents
    plan.boxes[plan.chosen] = BoxPlan(bettor, dict.fromkeys(plan.required, cents))
    return bool(plan.deal({}) and plan.deal_until(lambda _: True))
