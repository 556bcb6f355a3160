"""What can be irregular at Face Up Pai Gow Poker alone: what the maximum payout caps (§ 688a.12(e))."""

from __future__ import annotations

from typing import Any

from floor.faults.anomaly import Anomalies
from floor.faults.conditions import capped
from floor.faults.labels import Spot
from floor.faults.pai_gow import PAI_GOW
from floor.faults.payment import settled
from floor.round.pai_gow_plan import PaiGowPlan
from floor.table.script import changed

FACE_UP = Anomalies()
FACE_UP.take_over(PAI_GOW)


def _above_the_maximum(plan: PaiGowPlan) -> bool:
    """Prepare a Fortune Bonus that wins more than the filed maximum payout."""
    seats = plan.single_boxes()
    if not seats:
        return False
    plan.bet_only_base(seats[0])
    plan.bet(seats[0], "fortune_bonus", 1100)
    plan.without_envy({seats[0]})
    return plan.deal_to({seats[0]: "seven_card_straight_flush"})


@FACE_UP.fault("PAY-LIMIT", fits=capped, prepare=_above_the_maximum)
def pay_limit(play: Any) -> Spot | None:
    """A Fortune Bonus is paid in full although the filed maximum payout is less."""
    due = next((due for due in play.dues if due.wager == "fortune_bonus" and due.capped), None)
    if due is None:
        return None
    changed(settled(play, due), winnings_cents=due.uncapped_cents)
    return Spot(due.seat, due.wager)
