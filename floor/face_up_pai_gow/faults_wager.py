"""Planted faults of wagers and hands (§§ 688a.7, 688a.11(a)-(d))."""

from __future__ import annotations

from typing import Any

from events import model
from events.model import Event, fact
from floor.face_up_pai_gow.anomalies import fault
from floor.face_up_pai_gow.facts import parts
from floor.face_up_pai_gow.plan import BoxPlan, Plan, Way
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import against_house_way, one_box_seat, prepare_surrender
from floor.faults.labels import Spot
from floor.table.script import changed
from floor.table.table import Table
from games.wagers import Outcome

WRONGLY_SETTLED = (
    "PAY-OVER", "PAY-UNDER", "PAY-MISSED", "PAY-LOSER", "PAY-TAKEN", "PAY-NOT-TAKEN", "PAY-ANNOUNCED",
)  # fmt: skip


def _late(plan: Plan) -> bool:
    """Let a player raise, or withdraw part of, a base wager that is not tied after "no more bets"."""
    decided = (Outcome.WIN, Outcome.LOSE)
    if not plan.deal_until(lambda p: any(p.outcome(seat) in decided for seat in p.single_boxes())):
        return False
    plan.chosen = next(seat for seat in plan.single_boxes() if plan.outcome(seat) in decided)
    box, offer = plan.boxes[plan.chosen], plan.book.offers["base"]
    if plan.turn % 2 == 0:
        box.stakes["base"] = min(box.stakes["base"], offer.max_cents - 2500)
        box.late = {"base": 2500}
        box.stakes["base"] += 2500
    else:
        box.stakes["base"] = max(box.stakes["base"], 2 * offer.min_cents)
        part = box.stakes["base"] - offer.min_cents
        box.late = {"base": -part}
        box.stakes["base"] -= part
    return True


@fault("WAGER-LATE", prepare=_late)
def wager_late(play: Play) -> Spot:
    """A base wager is raised, or partly withdrawn, after "no more bets", and settled as it then lies."""
    seat = play.plan.chosen
    box = play.plan.boxes[seat]
    late = box.late["base"]
    event: Event = fact(
        model.WagerPlaced, seat=seat, bettor=box.bettor, wager="base", number=None, amount_cents=abs(late), form="chips"
    )
    if late < 0:
        event = fact(model.WagerRemoved, seat=seat, bettor=box.bettor, wager="base", number=None, amount_cents=-late)
    deals = play.script.of(model.CardsDealt)
    play.script.behind(deals[play.plan.random.randrange(len(deals))], event)
    return Spot(seat, "base")


def _optional_alone(plan: Plan) -> bool:
    if len(plan.boxes) < 2 or not one_box_seat(plan):
        return False
    plan.boxes[plan.chosen].stakes = {plan.further: 500}
    return True


@fault("WAGER-BASE", prepare=_optional_alone)
def wager_base(play: Play) -> Spot:
    """An optional wager stands at a box without a base wager, and is settled."""
    return Spot(play.plan.chosen, play.plan.further)


def _off_limits(plan: Plan) -> bool:
    if not one_box_seat(plan):
        return False
    offer, box = plan.book.offers["base"], plan.boxes[plan.chosen]
    box.stakes["base"] = offer.min_cents - 500 if plan.turn % 2 else offer.max_cents + 10_000
    return True


@fault("WAGER-LIMIT", prepare=_off_limits)
def wager_limit(play: Play) -> Spot:
    """A base wager above the maximum or below the minimum is accepted."""
    return Spot(play.plan.chosen, "base")


@fault("WAGER-FORM")
def wager_form(play: Play) -> Spot:
    """Cash or a word is taken for a wager."""
    step: Any = play.plan.random.choice(play.script.of(model.WagerPlaced))
    changed(step, form="cash" if play.plan.turn % 2 else "verbal")
    return Spot(step.payload.seat, step.payload.wager)


def _not_seated(plan: Plan) -> bool:
    if not plan.make_empty(1):
        return False
    free = [seat for seat in plan.empty if seat not in plan.table.seats]
    if not free:
        return False
    plan.chosen = plan.random.choice(free)
    bettor = plan.table.people.token()
    if plan.turn % 2 and not plan.table.spec.adjacent_boxes:
        bettor = plan.boxes[plan.random.choice(sorted(plan.boxes))].bettor
    plan.boxes[plan.chosen] = BoxPlan(bettor, {"base": plan.book.offers["base"].min_cents})
    return plan.deal_until(lambda _: True)


@fault("WAGER-SEATED", prepare=_not_seated)
def wager_seated(play: Play) -> Spot:
    """One who is not seated wagers at a free box, or a seated player wagers at a second box where none is allowed."""
    return Spot()


def _against_the_rules(plan: Plan) -> bool:
    if not prepare_surrender(plan):
        return False
    if plan.turn % 3 == 0:
        wager = _still_open(plan)
        if wager is None:
            return False
        plan.bet(plan.chosen, wager, 500)
        plan.surrendered = {plan.chosen}
    return True


def _still_open(plan: Plan) -> str | None:
    """Return an optional wager that the cards decide: one on the dice is settled before a surrender, and does not hinder it."""
    by_cards = [wager for wager in (plan.further, "fortune_bonus") if wager in plan.book.offers]
    return next((wager for wager in by_cards if plan.book.chapter.wagers[wager].closes != "activation"), None)


@fault("WAGER-SURRENDER", prepare=_against_the_rules)
def wager_surrender(play: Play) -> Spot:
    """A surrender with an optional wager, before the dealer's hands are set, or after the reveal is accepted."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    said, taken = script.first(model.Surrendered), script.settling(seat, "base")
    dealer = script.first(model.HandSet, position="dealer")
    assert said is not None
    assert taken is not None
    assert dealer is not None
    match plan.turn % 3:
        case 0:
            pass
        case 1:
            script.move_before(said, dealer)
            examined = script.first(model.HandExamined, seat=seat)
            if examined is not None:
                script.drop(examined)
        case _:
            shown = script.first(model.HandRevealed, position=seat)
            if shown is not None:
                script.drop(shown)
            script.before(said, model.HandRevealed(position=seat))
    return Spot(seat, consequences=("PAY-REVEAL",) if plan.turn % 3 == 2 else ())


# ---------------------------------------------------------------------------------------------------------- the hands


def _dealer_sets_wrong(plan: Plan) -> bool:
    if not plan.deal_until(lambda p: not p.dealer_pushes and bool(against_house_way(p))):
        return False
    plan.dealer_way = plan.random.choice(against_house_way(plan))
    return True


@fault("SET-DEALER", prepare=_dealer_sets_wrong)
def set_dealer(play: Play) -> Spot:
    """The dealer's hands are set against the house way, not reset, and everyone is settled by them."""
    return Spot(consequences=WRONGLY_SETTLED)


def _foreign_card(plan: Plan) -> bool:
    if not one_box_seat(plan):
        return False
    box = plan.boxes[plan.chosen]
    high, *others = box.way
    box.way = ((plan.stub[0], *high[1:]), *others)
    if plan.is_foul(box.way):
        box.way = plan.legal_ways([card for part in box.way for card in part])[0]
    return True


@fault("SET-CARDS", prepare=_foreign_card)
def set_cards(play: Play) -> Spot:
    """A player's hands hold a card that was not dealt there, and are settled as they lie."""
    return Spot(play.plan.chosen)


def _can_be_changed(plan: Plan) -> bool:
    return plan.deal_until(lambda p: any(_other_settings(p, seat) for seat in p.single_boxes()))


def _other_settings(plan: Plan, seat: int) -> list[Way]:
    """The other settings of a seat's cards that come to the same."""
    if plan.dealer_pushes:
        return []
    way, outcome = plan.boxes[seat].way, plan.outcome(seat)
    return [each for each in plan.legal_ways(plan.hands[seat]) if each != way and plan.compare(each) is outcome]


@fault("SET-CHANGED", prepare=_can_be_changed)
def set_changed(play: Play) -> Spot | None:
    """A player sets the hands again after placing them; it makes no difference to the wager."""
    for seat in play.plan.single_boxes():
        ways = _other_settings(play.plan, seat)
        step = play.script.first(model.HandSet, position=seat)
        if ways and step is not None:
            at: Any = seat
            again = model.HandReset(position=at, by="player", reason="changed", **parts(play.plan.random.choice(ways)))
            play.script.behind(step, again)
            return Spot(seat)
    return None


@fault("SET-EARLY")
def set_early(play: Play) -> Spot | None:
    """A player looks at the cards before the dealer's hands are set."""
    dealer = play.script.first(model.HandSet, position="dealer")
    looks: Any = play.script.of(model.HandExamined)
    if not looks or dealer is None:
        return None
    look = play.plan.random.choice(looks)
    play.script.move_before(look, dealer)
    return Spot(look.payload.seat)


def _two_boxes_allowed(table: Table) -> bool:
    return table.spec.adjacent_boxes


def _two_boxes(plan: Plan) -> bool:
    """Let a seated patron have the box beside too, with a wager that is larger or the same."""
    plan.clear()
    for seat in plan.single_boxes():
        if seat < 6 and seat + 1 not in plan.table.seats and seat + 1 not in plan.boxes:
            box = plan.boxes[seat]
            stakes = dict(box.stakes)
            if plan.turn % 2 and stakes["base"] + 500 <= plan.book.offers["base"].max_cents:
                stakes["base"] += 500
            plan.boxes[seat + 1] = BoxPlan(box.bettor, stakes)
            plan.table.take_box_beside(seat)
            plan.chosen = seat
            return plan.deal_until(lambda _: True)
    return False


@fault("SET-ORDER", fits=_two_boxes_allowed, prepare=_two_boxes)
def set_order(play: Play) -> Spot:
    """Of a patron's two boxes the one that comes second is looked at and set first."""
    script, plan = play.script, play.plan
    second: Any = plan.chosen
    first: Any = second + 1
    before = script.first(model.HandExamined, seat=first)
    assert before is not None
    for step in (*script.of(model.HandExamined, seat=second), *script.of(model.HandSet, position=second)):
        script.move_before(step, before)
    return Spot()
