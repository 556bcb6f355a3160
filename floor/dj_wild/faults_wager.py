"""Planted faults of wagers and decisions (§§ 687a.7, 687a.8(c), 687a.11(b)-(d))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.dj_wild.anomalies import fault
from floor.dj_wild.plan import BoxPlan, Plan
from floor.dj_wild.play import Play
from floor.dj_wild.preparing import has_start_game, one_box_seat, progressive_wager, raised_seat
from floor.face_up_pai_gow.faults_progressive import wager_lockout, wager_progressive
from floor.faults.labels import Spot
from floor.table.facts import placed
from floor.table.script import changed


def _late(plan: Plan) -> bool:
    """Let a player raise, or withdraw part of, a Trips wager after "no more bets"."""
    if not one_box_seat(plan):
        return False
    plan.bet(plan.chosen, "trips", 1000)
    box = plan.boxes[plan.chosen]
    part = 500 if plan.turn % 2 == 0 else -500
    box.stakes["trips"] += part
    box.late = {"trips": part}
    return True


@fault("WAGER-LATE", prepare=_late)
def wager_late(play: Play) -> Spot:
    """A Trips wager is raised, or partly withdrawn, after "no more bets", and settled as it then lies."""
    seat = play.plan.chosen
    box = play.plan.boxes[seat]
    late = box.late["trips"]
    event: Any = placed(seat, box.bettor, "trips", late) if late > 0 else None
    if event is None:
        event = model.WagerRemoved(seat=seat, bettor=box.bettor, wager="trips", number=None, amount_cents=-late)
    deals = play.script.of(model.CardsDealt)
    play.script.behind(deals[play.plan.random.randrange(len(deals))], event)
    return Spot(seat, "trips")


def _optional_alone(plan: Plan) -> bool:
    if len(plan.boxes) < 2 or not one_box_seat(plan):
        return False
    plan.boxes[plan.chosen].stakes = {"trips": 500}
    return plan.deal({})


@fault("WAGER-BASE", prepare=_optional_alone)
def wager_base(play: Play) -> Spot:
    """A Trips wager stands at a box without ante and blind, which gets no cards."""
    return Spot(play.plan.chosen, "trips")


def _off_limits(plan: Plan) -> bool:
    """Let an ante be off its limits, a blind not be the ante, or a raise not twice the ante."""
    if plan.turn % 3 == 2:
        return raised_seat(plan)
    if not one_box_seat(plan):
        return False
    offer, box = plan.book.offers["ante"], plan.boxes[plan.chosen]
    if plan.turn % 3 == 0:
        box.stakes["ante"] = box.stakes["blind"] = offer.min_cents - 500 if plan.turn % 2 else offer.max_cents + 10_000
    else:
        box.stakes["blind"] = box.stakes["ante"] * 2
    return True


@fault("WAGER-LIMIT", prepare=_off_limits)
def wager_limit(play: Play) -> Spot | None:
    """An ante off its limits, a blind unlike the ante, or a raise of once or three times the ante is accepted."""
    seat = play.plan.chosen
    match play.plan.turn % 3:
        case 0:
            return Spot(seat, "ante")
        case 1:
            return Spot(seat, "blind")
    raised: Any = play.script.first(model.WagerPlaced, seat=seat, wager="raise")
    if raised is None:
        return None
    ante = play.plan.boxes[seat].stakes["ante"]
    factor = 3 if play.plan.turn % 2 else 1
    for step in play.script:
        event: Any = step.payload
        if getattr(event, "seat", 0) != seat or getattr(event, "wager", "") != "raise":
            continue
        match event:
            case model.WagerPaid():
                changed(step, stake_cents=ante * factor, winnings_cents=ante * factor)
            case model.WagerPlaced() | model.WagerTaken() | model.WagerReturned():
                changed(step, amount_cents=ante * factor)
    return Spot(seat, "raise")


def _not_seated(plan: Plan) -> bool:
    plan.sit_out(5)
    free = [seat for seat in plan.empty if seat not in plan.table.seats]
    if not free:
        return False
    plan.chosen = plan.random.choice(free)
    bettor = plan.table.people.token()
    if plan.turn % 2 and not plan.table.spec.adjacent_boxes:
        bettor = plan.boxes[plan.random.choice(sorted(plan.boxes))].bettor
    cents = plan.book.offers["ante"].min_cents
    plan.boxes[plan.chosen] = BoxPlan(bettor, {"ante": cents, "blind": cents})
    return plan.deal({})


@fault("WAGER-SEATED", prepare=_not_seated)
def wager_seated(play: Play) -> Spot:
    """One who is not seated wagers at a free box, or a seated player wagers at a second box where none is allowed."""
    return Spot()


fault("WAGER-PROGRESSIVE", fits=has_start_game, prepare=progressive_wager)(wager_progressive)
fault("WAGER-LOCKOUT", fits=has_start_game, prepare=progressive_wager)(wager_lockout)


# ------------------------------------------------------------------------------------------------------- the decisions


def _two_decide(plan: Plan) -> bool:
    if len(plan.playing) < 2:
        return False
    if plan.turn % 2 == 0:
        return True
    return plan.deal_until(lambda p: not p.raises(p.playing[-1]) and p.raises(p.playing[0]))


@fault("PLAY-ORDER", prepare=_two_decide)
def play_order(play: Play) -> Spot:
    """A player decides before the one whose turn it is, or the dealer turns while the last player still thinks."""
    script, plan = play.script, play.plan
    if plan.turn % 2:
        last: Any = script.first(model.DecisionMade, seat=plan.playing[-1])
        turned: Any = script.first(model.HandRevealed, position="dealer")
        script.move_before(turned, last)
        return Spot()
    at = plan.random.randrange(len(plan.playing) - 1)
    first, second = plan.playing[at : at + 2]
    before: Any = script.first(model.DecisionMade, seat=first)
    moved = [*script.of(model.DecisionMade, seat=second), *script.of(model.WagerPlaced, seat=second, wager="raise")]
    for step in moved:
        script.move_before(step, before)
    return Spot(first)
