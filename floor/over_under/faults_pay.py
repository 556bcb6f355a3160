"""Planted faults of the settlement of Over/Under (§§ 686a.7(i)-(k), 686a.8, 686a.9(c))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.labels import Spot
from floor.faults.payment import pay_loser, pay_missed, pay_not_taken, pay_over, pay_taken, pay_under, pay_vig
from floor.over_under.anomalies import fault
from floor.over_under.plan import Plan
from floor.over_under.play import Play
from floor.over_under.preparing import ends, ends_for, some_decide
from floor.table.script import SETTLING, Step
from games.wagers import Outcome


def winner(plan: Plan) -> bool:
    """Prepare a winner."""
    return ends_for(plan, Outcome.WIN)


def loser(plan: Plan) -> bool:
    """Prepare a loser."""
    return ends_for(plan, Outcome.LOSE)


fault("PAY-OVER", prepare=winner)(pay_over)
fault("PAY-UNDER", prepare=winner)(pay_under)
fault("PAY-MISSED", prepare=winner)(pay_missed)
fault("PAY-LOSER", prepare=loser)(pay_loser)
fault("PAY-TAKEN", prepare=winner)(pay_taken)
fault("PAY-NOT-TAKEN", prepare=loser)(pay_not_taken)
fault("PAY-VIG", prepare=lambda plan: plan.deal_until(ends("ante", Outcome.WIN)))(pay_vig)


def _dead(plan: Plan) -> bool:
    if not some_decide(plan):
        return False
    plan.missed, plan.election = plan.chosen, "void"
    return True


@fault("PAY-VOID", prepare=_dead)
def pay_void(play: Play) -> Spot:
    """Of a hand that was rightly called dead one wager is kept, or only a part of it goes back."""
    seat = play.plan.chosen
    step: Any = play.plan.random.choice(play.script.of(model.WagerReturned, seat=seat, reason="void"))
    event = step.payload
    back = event.amount_cents // 2 if play.plan.turn % 2 else 0
    step.payload = model.WagerTaken(
        seat=seat, bettor=event.bettor, wager=event.wager, number=None, amount_cents=event.amount_cents - back,
        reason="other",
    )  # fmt: skip
    if back:
        play.script.before(
            step,
            model.WagerReturned(
                seat=seat, bettor=event.bettor, wager=event.wager, number=None, amount_cents=back, reason="void"
            ),
        )
    return Spot(seat, event.wager)


@fault("PAY-ORDER", prepare=some_decide)
def pay_order(play: Play) -> Spot:
    """A hand is settled after the next one, or after the next player got additional cards."""
    script, plan = play.script, play.plan
    seats = sorted(plan.hands)
    seat: Any = plan.chosen
    following: Any = seats[seats.index(seat) + 1]
    mine = settling(play, seat)
    theirs = settling(play, following)
    behind = theirs[-1] if plan.turn % 2 else script.of(model.CardsDealt, to=following)[-1]
    for step in reversed(mine):
        script.move_behind(step, behind)
    return Spot(seat)


def settling(play: Play, seat: int) -> list[Step]:
    """Return the steps that settle a box."""
    return [step for step in play.script.steps if type(step.payload) in SETTLING and step.payload.seat == seat]
