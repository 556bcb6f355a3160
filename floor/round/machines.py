"""What machines do in a round, the same in every game that has them: the progressive meter's controller, the shuffler.

A play says whose table and plan it is, and its script takes what happens.
"""

from __future__ import annotations

from typing import Any

from events import model
from floor.table.facts import placed
from floor.table.script import Step
from games.wagers import Due


def accept_progressive(play: Any, seat: int, bettor: str, amount: int) -> None:
    """A progressive wager is placed, the controller accepts it and advances its meter."""
    plan, meter, script = play.plan, play.table.meter, play.script
    script.add(placed(seat, bettor, "progressive", amount))
    error, plan.meter_error = plan.meter_error, 0
    advanced = meter.advance(play.table.id, plan.round_no, seat, amount, error)
    script.steps.append(Step(advanced, "controller", meter.id))
    of: Any = seat
    script.add(
        model.ProgressiveAccepted(
            seat=of, meter=meter.id, amount_cents=amount, reading_centicents=advanced.value_centicents,
            meter_seq=meter.seq,
        )
    )  # fmt: skip


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


def shuffle_other_deck(play: Any) -> None:
    """While one deck is dealt the machine shuffles the other (§§ 688a.3(b)(2), 687a.3(b)(2))."""
    table = play.table
    for deck in table.decks:
        if deck is not play.plan.deck and deck.dirty and table.spec.shuffler != "none" and not table.shuffler_out:
            play.script.add(table.shuffled(deck))
            deck.dirty = False
            play.other_deck_shuffled = True
