"""Planted faults of the progressive: meter, paperwork, lock and count (§§ 688a.2(d), 688a.8(b), 688a.11(h)(3), 688a.12(d))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.anomalies import fault
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import some_progressive, wins_amount, wins_share
from floor.faults.labels import Spot
from floor.table.script import changed
from floor.table.table import Table
from games.bonus import is_qualifying
from games.wagers import Due, Outcome


def progressive_winner(play: Play, share: bool) -> Due | None:
    """Return a progressive winner of a share of the meter, or of a fixed amount."""
    for due in play.dues:
        if due.wager == "progressive" and due.outcome is Outcome.WIN and bool(due.slip_cents) == share:
            return due
    return None


def own_meter_running(table: Table) -> bool:
    """The table has a meter of its own, and it runs."""
    return not table.book.linked_meter and table.meter.running


def linked_meter_running(table: Table) -> bool:
    """The table's meter is linked to those of others, and it runs."""
    return table.book.linked_meter and table.meter.running


@fault("PAY-METER", prepare=wins_share)
def pay_share(play: Play) -> Spot | None:
    """The share of the meter is paid wrong: a tenth less, or a tenth of the meter after it instead of before."""
    due = progressive_winner(play, share=True)
    if due is None:
        return None
    slip = play.script.first(model.WagerPaid, seat=due.seat, wager="progressive", winnings_cents=due.slip_cents)
    document = play.script.first(model.PayoutDocumented, seat=due.seat, wager="progressive")
    assert slip is not None
    assert document is not None
    wrong = due.slip_cents * 9 // 10 if play.plan.turn % 2 else due.slip_cents * 11 // 10
    changed(slip, winnings_cents=wrong)
    changed(document, amount_cents=document.payload.amount_cents + wrong - due.slip_cents)
    return Spot(due.seat, "progressive")


def _controller_errs(plan: Plan) -> bool:
    if not some_progressive(plan):
        return False
    plan.meter_error = plan.random.choice((-700, 1300, 10_000))
    return True


@fault("PAY-METER/reading", fits=own_meter_running, prepare=_controller_errs)
def meter_reading(play: Play) -> Spot | None:
    """The controller of an own meter advances it by a wrong amount once, and goes on from there."""
    first: Any = play.script.first(model.ProgressiveAccepted)
    return Spot(first.payload.seat, "progressive", also_in=f"meter/{first.payload.meter}")


@fault("PAY-METER/stream", fits=linked_meter_running, prepare=_controller_errs)
def meter_stream(play: Play) -> Spot | None:
    """The controller of a linked meter advances it by a wrong amount once: to be seen in the meter's stream only."""
    first: Any = play.script.first(model.ProgressiveAccepted)
    return Spot(first.payload.seat, "progressive", stream=f"meter/{first.payload.meter}")


@fault("PAY-SOURCE", prepare=wins_share)
def pay_source(play: Play) -> Spot | None:
    """A share of the meter is paid with chips of the table."""
    due = progressive_winner(play, share=True)
    if due is None:
        return None
    for step in play.script.of(model.WagerPaid, seat=due.seat, wager="progressive"):
        changed(step, source="inventory")
    document = play.script.first(model.PayoutDocumented, seat=due.seat, wager="progressive")
    assert document is not None
    play.script.drop(document)
    return Spot(due.seat, "progressive")


@fault("PAY-LIGHT", prepare=wins_amount)
def pay_light(play: Play) -> Spot | None:
    """A progressive winner is paid though nobody saw the light."""
    due = progressive_winner(play, share=False)
    light = play.script.first(model.LightSeen, seat=due.seat) if due else None
    if due is None or light is None:
        return None
    play.script.drop(light)
    return Spot(due.seat, "progressive")


@fault("PAY-VALIDATED", prepare=wins_amount)
def pay_validated(play: Play) -> Spot | None:
    """A progressive winner is paid without validation, or with the dealer's own."""
    due = progressive_winner(play, share=False)
    step = play.script.first(model.PayoutValidated, seat=due.seat) if due else None
    if due is None or step is None:
        return None
    if play.plan.turn % 2:
        changed(step, role="dealer", by=play.table.dealer)
    else:
        play.script.drop(step)
    return Spot(due.seat, "progressive")


@fault("PAY-DOCUMENTED", prepare=wins_share)
def pay_documented(play: Play) -> Spot | None:
    """The cards of a winner paid by slip are collected before the documentation, or without any."""
    due = progressive_winner(play, share=True)
    if due is None:
        return None
    document = play.script.first(model.PayoutDocumented, seat=due.seat, wager="progressive")
    cards = play.script.first(model.CardsCollected, of=due.seat)
    assert document is not None
    assert cards is not None
    if play.plan.turn % 2:
        play.script.drop(document)
    else:
        play.script.move_before(cards, document)
    return Spot(due.seat, "progressive")


@fault("WAGER-PROGRESSIVE", prepare=some_progressive)
def wager_progressive(play: Play) -> Spot | None:
    """A chip fewer is collected than the system accepted."""
    locked: Any = play.script.first(model.ProgressiveLocked)
    changed(locked, collected=locked.payload.collected - 1)
    return Spot(None, "progressive")


@fault("WAGER-LOCKOUT", prepare=some_progressive)
def wager_lockout(play: Play) -> Spot | None:
    """The progressive wagers are not locked out, or one is accepted after the lock."""
    locked = play.script.first(model.ProgressiveLocked)
    accepted: Any = play.script.of(model.ProgressiveAccepted, meter=play.table.meter.id)[-1]
    assert locked is not None
    if play.plan.turn % 2:
        play.script.drop(locked)
        return Spot()
    play.script.move_behind(accepted, locked)
    return Spot(accepted.payload.seat)


def _qualifying(plan: Plan) -> bool:
    seats = plan.single_boxes()
    if not seats:
        return False
    plan.bet(seats[0], "fortune_bonus", 500 if plan.turn % 2 == 0 else 300)
    return True


@fault("WAGER-LAMMER", prepare=_qualifying)
def wager_lammer(play: Play) -> Spot | None:
    """A qualifying wager gets no Envy lammer, or one that does not qualify gets one."""
    if play.plan.turn % 2 == 0:
        step: Any = play.script.of(model.LammerPlaced, wager="fortune_bonus")[0]
        play.script.drop(step)
        return Spot(step.payload.seat, "fortune_bonus")
    closed = play.script.first(model.NoMoreBets)
    assert closed is not None
    for seat, box in play.plan.boxes.items():
        cents = box.stakes.get("fortune_bonus", 0)
        if cents and not is_qualifying(play.book, "fortune_bonus", cents):
            play.script.behind(closed, model.LammerPlaced(seat=seat, wager="fortune_bonus"))
            return Spot(seat, "fortune_bonus")
    return None
