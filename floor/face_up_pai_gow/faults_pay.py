"""Planted faults of the settlement: winners short or over, losers paid, Envy, order, announcements, voids (§ 688a.11, .12).

Each changes what the dealer did with one wager and leaves the rest as it is.
"""

from __future__ import annotations

from typing import Any

from events import model
from events.model import fact
from floor.face_up_pai_gow.anomalies import fault
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import any_seat, base_ends, prepare_foul, prepare_void
from floor.faults.labels import Spot
from floor.faults.payment import (
    misread,
    pay_loser,
    pay_missed,
    pay_not_taken,
    pay_over,
    pay_taken,
    pay_under,
    pay_vig,
    pick,
    settled,
)
from floor.table.facts import paid, returned
from floor.table.script import changed
from floor.table.table import Table
from games.wagers import Outcome

FORTUNE_HANDS = ("three_of_a_kind", "straight", "flush", "full_house")


def winner(plan: Plan) -> bool:
    """Prepare a winner: by turns of a base wager, a Fortune Bonus and the game's further wager."""
    seat = any_seat(plan)
    match plan.turn % 3:
        case 0:
            return plan.deal_until(base_ends(Outcome.WIN))
        case 1:
            plan.bet(seat, "fortune_bonus", 500)
            targets: Any = {seat: plan.random.choice(FORTUNE_HANDS)}
        case _:
            plan.bet(seat, plan.further, 500)
            targets = plan.winning(seat)
    return plan.deal(targets) and plan.deal_until(lambda _: True)


def winner_or_tie(plan: Plan) -> bool:
    """Prepare a winner, or a tied base wager."""
    if plan.ties and plan.turn % 4 == 3:
        return plan.deal_until(base_ends(Outcome.TIE))
    return winner(plan)


def loser(plan: Plan) -> bool:
    """Prepare a loser: by turns of a base wager and an optional one."""
    if plan.turn % 2 == 0:
        return plan.deal_until(base_ends(Outcome.LOSE))
    seat = any_seat(plan)
    wager = plan.random.choice((plan.further, "fortune_bonus"))
    plan.bet(seat, wager, 500)
    return plan.deal(plan.losing(seat, wager)) and plan.deal_until(lambda _: True)


fault("PAY-OVER", prepare=winner_or_tie)(pay_over)
fault("PAY-UNDER", prepare=winner)(pay_under)
fault("PAY-MISSED", prepare=winner)(pay_missed)
fault("PAY-LOSER", prepare=loser)(pay_loser)
fault("PAY-TAKEN", prepare=winner_or_tie)(pay_taken)
fault("PAY-NOT-TAKEN", prepare=loser)(pay_not_taken)


@fault("PAY-FOUL", prepare=prepare_foul)
def pay_foul(play: Play) -> Spot | None:
    """A foul hand's base wager is paid, pushed or left."""
    due = pick(play, Outcome.FOUL)
    if due is None:
        return None
    step, turn = settled(play, due), play.plan.turn % 3
    follows: tuple[str, ...] = ()
    if turn == 0:
        follows = misread(play, due, "win")
        step.payload = paid(due, due.staked_cents, due.staked_cents, play.chips)
    elif turn == 1:
        step.payload = returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    else:
        play.script.drop(step)
    return Spot(due.seat, "base", follows)


fault("PAY-VIG", prepare=lambda plan: plan.deal_until(base_ends(Outcome.WIN)))(pay_vig)


# -------------------------------------------------------------------------------------------------------------- Envy


def envy(plan: Plan) -> bool:
    """Prepare a qualifying hand at one box and a qualifying wager at another patron's."""
    seats = sorted(plan.boxes)
    plan.random.shuffle(seats)
    holder = seats[0]
    others = [seat for seat in seats if plan.boxes[seat].bettor != plan.boxes[holder].bettor]
    if not others:
        return False
    paytable = plan.book.offers["progressive"].paytable
    if plan.turn % 2 and paytable is not None and paytable.has_envy:
        plan.bet(others[0], "progressive", plan.book.offers["progressive"].min_cents)
    else:
        plan.bet(others[0], "fortune_bonus", 500)
    targets: Any = {holder: plan.random.choice(("four_of_a_kind", "straight_flush", "royal_flush"))}
    return plan.deal(targets) and plan.deal_until(lambda _: True)


@fault("PAY-ENVY", prepare=envy)
def pay_envy(play: Play) -> Spot | None:
    """An Envy Bonus is forgotten, of a wrong amount, paid for the own hand, or paid without a qualifying wager."""
    script, plan = play.script, play.plan
    payments = script.of(model.EnvyPaid)
    if not payments:
        return None
    step: Any = plan.random.choice(payments)
    event = step.payload
    where = Spot(event.seat, "fortune_envy" if event.wager == "fortune_bonus" else "progressive_envy")
    match plan.turn % 4:
        case 0:
            script.drop(step)
        case 1:
            changed(step, amount_cents=event.amount_cents + 500)
        case 2:
            own = event.for_position
            script.behind(
                step,
                fact(model.EnvyPaid, seat=own, wager=event.wager, for_position=own, amount_cents=event.amount_cents),
            )
            where = Spot(own, where.wager)
        case _:
            without = [
                seat for seat, box in plan.boxes.items()
                if event.wager not in box.stakes and box.bettor != plan.boxes[event.for_position].bettor
            ]  # fmt: skip
            if not without:
                script.drop(step)
                return where
            changed_seat = without[0]
            payment = fact(
                model.EnvyPaid, seat=changed_seat, wager=event.wager, for_position=event.for_position,
                amount_cents=event.amount_cents,
            )  # fmt: skip
            script.behind(step, payment)
            where = Spot(changed_seat, where.wager)
    return where


@fault("PAY-ENVYCALL", prepare=envy)
def pay_envycall(play: Play) -> Spot | None:
    """A qualifying hand is not acknowledged aloud."""
    step: Any = play.script.first(model.EnvyAcknowledged)
    if step is None:
        return None
    play.script.drop(step)
    return Spot(step.payload.seat)


# ------------------------------------------------------------------------------------------------- the dealer's conduct


@fault("PAY-ANNOUNCED")
def pay_announced(play: Play) -> Spot | None:
    """A wrong result is announced, and settled rightly all the same."""
    said = play.script.of(model.ResultAnnounced)
    if not said:
        return None
    step: Any = play.plan.random.choice(said)
    changed(step, result=play.plan.random.choice([r for r in ("win", "lose", "tie") if r != step.payload.result]))
    return Spot(step.payload.seat, "base")


@fault("PAY-REVEAL")
def pay_reveal(play: Play) -> Spot | None:
    """A seat is revealed before the one that comes first; the wagers are settled in order."""
    shown = [step for step in play.script.of(model.HandRevealed) if step.payload.position != "dealer"]
    if len(shown) < 2:
        return None
    at = play.plan.random.randrange(len(shown) - 1)
    play.script.move_before(shown[at + 1], shown[at])
    return Spot()


@fault("PAY-ORDER")
def pay_order(play: Play) -> Spot | None:
    """A seat's base wager is settled after the next seat's, or an optional wager before the base wager."""
    script, gone = play.script, play.plan.surrendered
    base = [due for due in play.dues if due.wager == "base" and due.seat not in gone]
    if play.plan.turn % 2:
        for due in base:
            optional = [d for d in play.dues if d.seat == due.seat and d.wager in play.plan.by_hand[1:]]
            if optional:
                script.move_before(settled(play, optional[0]), settled(play, due))
                return Spot()
    if len(base) < 2:
        return None
    script.move_behind(settled(play, base[0]), settled(play, base[1]))
    return Spot()


def _capped(table: Table) -> bool:
    return table.book.max_payout_cents is not None


def above_the_maximum(plan: Plan) -> bool:
    """Prepare a Fortune Bonus that wins more than the filed maximum payout."""
    seats = plan.single_boxes()
    if not seats:
        return False
    seat = seats[0]
    plan.bet_only_base(seat)
    plan.bet(seat, "fortune_bonus", 1100)
    plan.without_envy({seat})
    return plan.deal({seat: "seven_card_straight_flush"}) and plan.deal_until(lambda _: True)


@fault("PAY-LIMIT", fits=_capped, prepare=above_the_maximum)
def pay_limit(play: Play) -> Spot | None:
    """A Fortune Bonus is paid in full although the filed maximum payout is less."""
    for due in play.dues:
        if due.wager == "fortune_bonus" and due.capped:
            changed(settled(play, due), winnings_cents=due.uncapped_cents)
            return Spot(due.seat, due.wager)
    return None


@fault("PAY-VOID", prepare=prepare_void)
def pay_void(play: Play) -> Spot | None:
    """In a round that was rightly voided one wager is kept, or not all of it goes back."""
    steps: list[Any] = [step for step in play.script.of(model.WagerReturned) if step.payload.wager in play.plan.by_hand]
    step = play.plan.random.choice(steps)
    event = step.payload
    if play.plan.turn % 2 and event.amount_cents >= 1000:
        changed(step, amount_cents=event.amount_cents // 2)
        play.script.behind(
            step,
            model.WagerTaken(
                seat=event.seat, bettor=event.bettor, wager=event.wager, number=None,
                amount_cents=event.amount_cents - event.amount_cents // 2, reason="other",
            ),
        )  # fmt: skip
    else:
        step.payload = model.WagerTaken(
            seat=event.seat, bettor=event.bettor, wager=event.wager, number=None, amount_cents=event.amount_cents,
            reason="other",
        )  # fmt: skip
    return Spot(event.seat, event.wager)
