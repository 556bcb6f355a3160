"""Planted faults of wagers and decisions at Over/Under (§§ 686a.6, 686a.7(f), (g))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.labels import Spot
from floor.over_under.anomalies import fault
from floor.over_under.faults_deal import hand_steps
from floor.over_under.plan import BoxPlan, Plan
from floor.over_under.play import Play
from floor.over_under.preparing import bet_bonus, in_shoe, one_box_seat, some_decide, surrenders
from floor.over_under.table import ShoeTable
from floor.table.script import Step, changed

LATE_CENTS = 2500


@fault("WAGER-LATE", prepare=one_box_seat)
def wager_late(play: Play) -> Spot:
    """An ante is raised after the first card, or over and under are placed after the additional cards; both stand."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    box = plan.boxes[seat]
    cards = script.of(model.CardsDealt, to=seat)
    if plan.turn % 2:
        side: Any = box.decision
        placed: Any = script.first(model.WagerPlaced, seat=seat, wager=side)
        script.move_behind(placed, cards[-1])
        return Spot(seat, side)
    first: Any = script.first(model.CardsDealt)
    script.behind(first, play.placed(seat, box, "ante", LATE_CENTS))
    step: Any = script.settling(seat, "ante")
    event = step.payload
    if isinstance(event, model.WagerPaid):
        changed(step, stake_cents=event.stake_cents + LATE_CENTS, winnings_cents=event.winnings_cents + LATE_CENTS)
    else:
        changed(step, amount_cents=event.amount_cents + LATE_CENTS)
    return Spot(seat, "ante")


def _bonus_alone(plan: Plan) -> bool:
    if len(plan.boxes) < 2 or not plan.has_bonus or not one_box_seat(plan):
        return False
    plan.boxes[plan.chosen] = BoxPlan(plan.boxes[plan.chosen].bettor, {"bonus": 500})
    return True


@fault("WAGER-BASE", fits=lambda table: "bonus" in table.book.offers, prepare=_bonus_alone)
def wager_base(play: Play) -> Spot:
    """A Bonus Wager stands at a box without an ante, gets cards, and is settled."""
    return Spot(play.plan.chosen, "bonus")


def _off_limits(plan: Plan) -> bool:
    if not one_box_seat(plan):
        return False
    box, offer = plan.boxes[plan.chosen], plan.book.offers["ante"]
    match plan.turn % 5:
        case 0:
            box.stakes["ante"] = offer.max_cents + 10_000
        case 1:
            box.stakes["ante"] = offer.min_cents - 500 or 100
        case 2:
            box.side_cents = box.stakes["ante"] + 500
        case 3:
            box.both = True
        case _ if plan.has_bonus:
            bet_bonus(plan, plan.chosen, plan.book.offers["bonus"].max_cents + 500)
        case _:
            box.side_cents = box.stakes["ante"] * 2
    return True


@fault("WAGER-LIMIT", prepare=_off_limits)
def wager_limit(play: Play) -> Spot:
    """A wager outside the limits is accepted, over or under of another amount than the ante, or both of them."""
    plan = play.plan
    box = plan.boxes[plan.chosen]
    if box.both:
        return Spot(plan.chosen, "under" if box.decision == "over" else "over")
    if box.side_cents is not None:
        return Spot(plan.chosen, box.decision)
    return Spot(plan.chosen, "bonus" if plan.turn % 5 == 4 else "ante")


def _too_many_boxes(plan: Plan) -> bool:
    """Let a patron with one box have another: any where one is allowed, one that is not adjacent where more are."""
    for seat in plan.single_boxes():
        held = [at for at, patron in plan.table.seats.items() if patron.token == plan.boxes[seat].bettor]
        free = [at for at in plan.empty if at not in plan.table.seats]
        if plan.book.adjacent_boxes:
            free = [at for at in free if abs(at - seat) > 1]
        if len(held) == 1 and free:
            plan.boxes[plan.random.choice(free)] = BoxPlan(
                plan.boxes[seat].bettor, {"ante": plan.book.offers["ante"].min_cents}
            )
            plan.deal()
            return True
    return False


@fault("WAGER-SEATED", prepare=_too_many_boxes)
def wager_seated(play: Play) -> Spot:
    """A patron wagers at more boxes than are allowed, or at boxes that are not adjacent."""
    return Spot()


def _bar(table: ShoeTable, turn: int) -> None:
    if not table.barred:
        table.bar_newcomer()


def _barred_wagers(plan: Plan) -> bool:
    for seat, patron in plan.table.seats.items():
        if patron.token in plan.table.barred and seat not in plan.boxes and not plan.begins:
            plan.boxes[seat] = plan.wager(patron)
            plan.chosen = seat
            plan.deal()
            return True
    return False


def _can_be_barred(table: ShoeTable) -> bool:
    return in_shoe(table) and table.known and len(table.seats) < 6


@fault("WAGER-MIDSHOE", fits=_can_be_barred, before=_bar, prepare=_barred_wagers)
def wager_midshoe(play: Play) -> Spot:
    """A patron who was barred wagers again in the same shoe."""
    return Spot(play.plan.chosen, "ante")


@fault("WAGER-TOUCHED", prepare=one_box_seat)
def wager_touched(play: Play) -> Spot:
    """A player handles a wager after its time is over, before it is settled."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    wager: Any = plan.random.choice(sorted(plan.boxes[seat].all_stakes()))
    cards = script.of(model.CardsDealt, to=seat)
    behind = cards[-1] if wager in ("over", "under") or plan.turn % 2 else cards[0]
    script.behind(behind, model.WagerHandled(seat=seat, wager=wager))
    return Spot(seat, wager)


@fault("WAGER-SURRENDER", prepare=lambda plan: surrenders(plan) if plan.turn % 3 else one_box_seat(plan))
def wager_surrender(play: Play) -> Spot | None:
    """A surrender with over or under at the box, before the first card, or after the additional cards is accepted."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    box = plan.boxes[seat]
    if plan.turn % 3 == 0:
        placed: Any = script.of(model.WagerPlaced, seat=seat, wager=box.decision)[-1]
        step: Any = script.settling(seat, "ante")
        step.payload = model.WagerTaken(
            seat=seat, bettor=box.bettor, wager="ante", number=None, amount_cents=box.stakes["ante"],
            reason="surrendered",
        )  # fmt: skip
        script.behind(placed, model.Surrendered(seat=seat))
        script.move_behind(step, script.of(model.Surrendered)[0])
        return Spot(seat)
    said: Any = script.first(model.Surrendered, seat=seat)
    taken: Any = script.settling(seat, "ante")
    cards = script.of(model.CardsDealt, to=seat)
    if plan.turn % 3 == 1:
        script.move_before(said, cards[0])
    else:
        script.move_behind(taken, cards[-1])
        script.move_behind(said, cards[-1])
    return Spot(seat)


def decide_first(table: ShoeTable) -> bool:
    """All decide before any additional card, as is filed there."""
    return table.book.settings["decisions"] == "before_further_cards"


@fault("PLAY-ORDER", fits=decide_first, prepare=some_decide)
def play_order(play: Play) -> Spot:
    """A player decides after the next one, after another's additional cards, or before all have a first card."""
    plan, script = play.plan, play.script
    seats = sorted(plan.hands)
    chosen = plan.chosen if plan.turn % 3 == 0 else seats[-1] if plan.turn % 3 == 1 else seats[0]
    steps = _deciding(play, chosen)
    if plan.turn % 3 == 0:
        behind = _deciding(play, seats[seats.index(chosen) + 1])[-1]
    elif plan.turn % 3 == 1:
        behind = hand_steps(script, seats[0])[-1]
    else:
        behind = script.of(model.CardsDealt, to=seats[0])[0]
    for step in reversed(steps):
        script.move_behind(step, behind)
    return Spot(chosen)


def _deciding(play: Play, seat: int) -> list[Step]:
    """Return the steps in which a player decides."""
    return [
        step for step in play.script.steps
        if (isinstance(step.payload, model.DecisionMade) and step.payload.seat == seat)
        or (isinstance(step.payload, model.WagerPlaced) and step.payload.seat == seat
            and step.payload.wager in ("over", "under"))
    ]  # fmt: skip
