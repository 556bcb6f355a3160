"""What every game does with a payout by slip, and with a share of a progressive meter. A play says whose table and plan it is."""

from __future__ import annotations

from typing import Any

from events import model
from floor.script import Step
from games.wagers import Due


def document(play: Any, due: Due, amount_cents: int) -> None:
    """What is paid by slip is documented, at once or after the others are settled; the cards stay until then."""
    wager: Any = due.wager  # games name wagers as the events do
    paper = model.PayoutDocumented(
        seat=due.seat, wager=wager, document=play.table.serial("jp"), amount_cents=amount_cents
    )
    play.by_slip = True
    if play.plan.documents_last:
        play.documents.append(Step(paper))
    else:
        play.script.add(paper)


def win_from_meter(play: Any, due: Due) -> None:
    """The controller takes the share off the meter, and the win with both readings stands in the round."""
    plan, meter = play.plan, play.table.meter
    reading = meter.value
    error, plan.reset_error = plan.reset_error, 0
    won = meter.win(play.table.id, plan.round_no, due.seat, due.share_bp, error)
    play.script.steps.append(Step(won, "controller", meter.id))
    play.script.add(
        model.ProgressiveWon(
            seat=due.seat, meter=meter.id, share_bp=due.share_bp, reading_centicents=reading,
            after_centicents=won.value_centicents, meter_seq=meter.seq,
        )
    )  # fmt: skip
