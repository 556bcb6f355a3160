"""Settlement faults of every game: winners paid short or over, losers paid, wagers wrongly taken.

Each fault changes the dealer's action on one wager and nothing else. A game's plan names its wagers: `base`, `by_hand` (taken and
paid at the box), `prepared` (the target of its preparation), `ties`.
"""

from typing import Any

from events.vocabulary import model
from events.vocabulary.model import fact
from floor.faults.anomaly import HERE, Anomalies, Edit, Prepare, require
from floor.faults.conditions import linked_meter_running, own_meter_running
from floor.faults.edits import drop as drop_step
from floor.faults.edits import find, its_seat, only_if
from floor.faults.labels import Spot
from floor.table.facts import wager_paid, wager_returned, wager_taken
from floor.table.script import ScriptStep, changed
from rulebook.settlement.wagers import PUSHES, Due, Outcome

LOST = (Outcome.LOSE, Outcome.FOLDED)
TIED = (*PUSHES, Outcome.TIE)


def at_box(play: Any) -> list[Due]:
    """Return the wagers settled at the box in the ordinary way: covered, below the maximum, by hands that stayed."""
    dues: list[Due] = [due for due in play.dues if due.wager in play.plan.by_hand]
    settled_wagers, out = play.script.settled, play.plan.surrendered | play.plan.abandoned
    dues = [due for due in dues if due.seat not in out and (due.wager, due.seat) in settled_wagers]
    return [due for due in dues if not due.capped and not due.uncovered_cents]


def pick_any(play: Any, *outcomes: Outcome, wagers: tuple[str, ...] = ()) -> Due | None:
    """Return a wager with this outcome, or None; if possible, the prepared seat and wager."""
    plan, wanted = play.plan, play.plan.prepared
    dues = [due for due in at_box(play) if due.outcome in outcomes and due.wager in (wagers or plan.by_hand)]
    plan.random.shuffle(dues)
    return max(dues, key=lambda due: (due.seat == plan.chosen, due.wager == wanted), default=None)


def pick(play: Any, *outcomes: Outcome, wagers: tuple[str, ...] = ()) -> Due:
    """Return a wager with this outcome, as `pick_any` does."""
    return require(pick_any(play, *outcomes, wagers=wagers))


def settled(play: Any, due: Due) -> ScriptStep:
    """Return the step that settled a wager."""
    step: ScriptStep | None = play.script.settling(due.seat, due.wager)
    assert step is not None
    return step


def misread(play: Any, due: Due, result: str) -> tuple[str, ...]:
    """Every other time, the dealer also announces the wrong action; return the consequences.

    A folded hand paid while others decide is settled again in its turn.
    """
    if due.outcome is Outcome.FOLDED:
        return ("PAY-ORDER", "DEAL-RACK")
    announcement = play.script.first(model.ResultAnnounced, seat=due.seat)
    if due.wager != play.plan.base or announcement is None or play.plan.turn % 2 or announcement.payload.result == result:
        return ()
    changed(announcement, result=result)
    return ("PAY-ANNOUNCED",)


def replace_settlement(play: Any, due: Due, event: model.Event, result: str) -> Spot:
    """Settle a wager differently; sometimes the wrong result is announced too."""
    follows = misread(play, due, result)
    settled(play, due).payload = event
    return Spot(due.seat, due.wager, follows)


def _tie(play: Any) -> Due | None:
    """Every fourth time, return a tied wager, if there is one."""
    if not play.plan.ties or play.plan.turn % 4 != 3:
        return None
    return pick_any(play, *TIED, wagers=play.at_even_money)


def pay_over(play: Any) -> Spot:
    """A winner is paid too much, or a tied wager is paid as a win."""
    tie = _tie(play)
    if tie is not None:
        return replace_settlement(play, tie, wager_paid(tie, tie.staked_cents, tie.staked_cents, play.chips), "win")
    due = pick(play, Outcome.WIN)
    changed(settled(play, due), winnings_cents=due.winnings_cents + 500 * play.plan.random.randrange(1, 20))
    return Spot(due.seat, due.wager)


def pay_under(play: Any) -> Spot:
    """A winner is paid too little, but not nothing."""
    due = pick(play, Outcome.WIN)
    require(due.winnings_cents >= 200)
    short = max(100, due.winnings_cents * play.plan.random.randrange(10, 60) // 100 // 100 * 100)
    changed(settled(play, due), winnings_cents=due.winnings_cents - short)
    return Spot(due.seat, due.wager)


def pay_missed(play: Any) -> Spot:
    """A winner gets only the stake back, or nothing."""
    return _as_a_tie_or_not_at_all(play, pick(play, Outcome.WIN))


def pay_loser(play: Any) -> Spot:
    """A losing or forfeited wager is paid."""
    due = pick(play, *LOST)
    odds = 1 if due.wager in play.at_even_money else play.plan.random.choice((2, 3, 5))
    return replace_settlement(play, due, wager_paid(due, due.staked_cents, due.staked_cents * odds, play.chips), "win")


def pay_taken(play: Any) -> Spot:
    """A winning or tied wager is collected."""
    due = _tie(play) or pick(play, Outcome.WIN)
    _forget_vigorish(play, due)
    event = wager_taken(due.seat, due.bettor, due.wager, due.staked_cents, number=due.number)
    return replace_settlement(play, due, event, "lose")


def pay_not_taken(play: Any) -> Spot:
    """A losing wager is pushed back, or left in place."""
    return _as_a_tie_or_not_at_all(play, pick(play, *LOST))


def _as_a_tie_or_not_at_all(play: Any, due: Due) -> Spot:
    """Settle a wager as a tie, or every other time not at all."""
    _forget_vigorish(play, due)
    if play.plan.turn % 2:
        play.script.drop(settled(play, due))
        return Spot(due.seat, due.wager)
    event = wager_returned(due.seat, due.bettor, due.wager, due.staked_cents, "push", due.number)
    return replace_settlement(play, due, event, "tie")


def _forget_vigorish(play: Any, due: Due) -> None:
    """Charge no vigorish to an unpaid player."""
    for step in play.script.of(model.VigorishTaken, seat=due.seat):
        if due.wager == play.plan.base:
            play.script.drop(step)


def pay_vig(play: Any) -> Spot:
    """Five percent is charged on a winning base wager."""
    due = pick(play, Outcome.WIN, wagers=(play.plan.base,))
    charge(play, due, max(25, due.winnings_cents // 20 // 25 * 25))
    return Spot(due.seat, play.plan.base)


def charge(play: Any, due: Due, cents: int) -> None:
    """Charge vigorish on a wager."""
    vigorish = fact(model.VigorishTaken, seat=due.seat, bettor=due.bettor, amount_cents=cents)
    play.script.behind(settled(play, due), vigorish)


def settled_before(type_: type[model.Event], *wagers: str, **fields: Any) -> Edit:
    """A wager (one of these, or any if the list is empty) is settled before a step that its outcome depends on.

    The step's field values may be functions of the play and of the amounts due.
    """

    def edit(play: Any) -> Spot:
        due = pick(play, Outcome.WIN, Outcome.LOSE, wagers=wagers)
        wanted = {name: value(play, due) if callable(value) else value for name, value in fields.items()}
        play.script.move_before(settled(play, due), find(play, type_, 0, **wanted))
        return Spot(due.seat, due.wager, ("PAY-ORDER",))

    return edit


def its_own(play: Any, due: Due) -> int:
    """Return the position of a wager's hand."""
    return due.seat


OF_WINNERS: dict[str, Edit] = {"PAY-OVER": pay_over, "PAY-UNDER": pay_under, "PAY-MISSED": pay_missed, "PAY-TAKEN": pay_taken}
OF_LOSERS: dict[str, Edit] = {"PAY-LOSER": pay_loser, "PAY-NOT-TAKEN": pay_not_taken}
MISTAKES = {**OF_WINNERS, **OF_LOSERS}
OF_TIES = ("PAY-OVER", "PAY-TAKEN")
"""The faults for which a tied wager will do, too."""


def register_payment(
    anomalies: Anomalies, winner: Prepare, loser: Prepare, wins_base: Prepare | None, winner_or_tie: Prepare | None = None
) -> None:
    """Register these faults in a game, with the preparation of a winner and a loser; without `wins_base`, no vigorish is due."""
    for code, edit in OF_WINNERS.items():
        anomalies.fault(code, edit, prepare=(winner_or_tie or winner) if code in OF_TIES else winner)
    for code, edit in OF_LOSERS.items():
        anomalies.fault(code, edit, prepare=loser)
    if wins_base is not None:
        anomalies.fault("PAY-VIG", pay_vig, prepare=wins_base)


# Voids and Envy


def pay_void(play: Any) -> Spot:
    """In a correctly voided round or hand, one wager is kept or only partly returned."""
    steps = play.script.of(model.WagerReturned, reason="void")
    step = play.plan.random.choice([step for step in steps if step.payload.wager in play.plan.by_hand])
    event = step.payload
    back = event.amount_cents // 2 if play.plan.turn % 2 and event.amount_cents >= 1000 else 0
    step.payload = wager_taken(event.seat, event.bettor, event.wager, event.amount_cents - back, "other")
    if back:
        play.script.before(step, wager_returned(event.seat, event.bettor, event.wager, back, "void"))
    return Spot(event.seat, event.wager)


def pay_envy(play: Any) -> Spot:
    """An Envy Bonus is forgotten, paid in a wrong amount, for the bettor's own hand, or without a qualifying wager."""
    script, plan = play.script, play.plan
    payments = require(script.of(model.EnvyPaid))
    step = plan.random.choice(payments)
    event = step.payload
    seat, holder = event.seat, event.for_position
    without = [
        each for each, box in plan.boxes.items() if event.wager not in box.stakes and box.bettor != plan.boxes[holder].bettor
    ]
    match plan.turn % 4:
        case 1:
            changed(step, amount_cents=event.amount_cents + 500)
        case 2:
            seat = holder
        case 3 if without:
            seat = without[0]
        case _:
            script.drop(step)
    if seat != event.seat:
        more = {"wager": event.wager, "for_position": holder, "amount_cents": event.amount_cents}
        script.behind(step, fact(model.EnvyPaid, seat=seat, **more))
    return Spot(seat, "fortune_envy" if event.wager == "fortune_bonus" else "progressive_envy")


no_envy_call = drop_step(model.EnvyAcknowledged, 0, its_seat)


# The progressive


def progressive_wager(plan: Any) -> bool:
    """Give a patron with one box a progressive wager."""
    plan.chosen = next(iter(plan.single_boxes()), 0)
    if plan.chosen:
        plan.bet_progressive(plan.chosen)
    return bool(plan.chosen)


def controller_errs(plan: Any) -> bool:
    """Make the controller advance the meter by a wrong amount once."""
    plan.meter_error = plan.random.choice((-700, 1300, 10_000))
    return progressive_wager(plan)


def progressive_winner(play: Any, share: bool) -> Due:
    """Return a progressive winner of a share of the meter, or of a fixed amount."""
    won: list[Due] = [due for due in play.dues if due.wager == "progressive" and due.outcome is Outcome.WIN]
    return require(next((due for due in won if bool(due.slip_cents) == share), None))


def share_document(play: Any, seat: int) -> ScriptStep | None:
    """Return the step that documents a progressive win."""
    step: ScriptStep | None = play.script.first(model.PayoutDocumented, seat=seat, wager="progressive")
    return step


def pay_share(play: Any) -> Spot:
    """The share of the meter is paid wrong: a tenth less, or a tenth more."""
    due = progressive_winner(play, share=True)
    slip = play.script.first(model.WagerPaid, seat=due.seat, wager="progressive", winnings_cents=due.slip_cents)
    document = share_document(play, due.seat)
    assert document is not None
    wrong = due.slip_cents * (9 if play.plan.turn % 2 else 11) // 10
    changed(slip, winnings_cents=wrong)
    changed(document, amount_cents=document.payload.amount_cents + wrong - due.slip_cents)
    return Spot(due.seat, "progressive")


def meter_reading(play: Any) -> Spot:
    """The controller of the table's own meter advances it by a wrong amount once, and goes on from there."""
    first = play.script.first(model.ProgressiveAccepted).payload
    return Spot(first.seat, "progressive", also_in=f"meter/{first.meter}")


def meter_stream(play: Any) -> Spot:
    """The controller of a linked meter advances it by a wrong amount once; only the meter's stream shows it."""
    first = play.script.first(model.ProgressiveAccepted).payload
    return Spot(first.seat, "progressive", stream=f"meter/{first.meter}")


def register_meter(anomalies: Anomalies, wins_share: Prepare) -> None:
    """Register in a game that a share of the meter is paid wrong, and that the controller of a meter errs."""
    anomalies.fault("PAY-METER", pay_share, prepare=wins_share)
    anomalies.fault("PAY-METER/reading", meter_reading, fits=own_meter_running, prepare=controller_errs)
    anomalies.fault("PAY-METER/stream", meter_stream, fits=linked_meter_running, prepare=controller_errs)


def chip_missing(play: Any) -> Spot:
    """One chip fewer is collected than the system accepted."""
    locked = play.script.first(model.ProgressiveLocked)
    changed(locked, collected=locked.payload.collected - 1)
    return Spot(None, "progressive")


def not_locked_out(play: Any) -> Spot:
    """The progressive wagers are not locked out, or one is accepted after the lock."""
    locked = play.script.first(model.ProgressiveLocked)
    if play.plan.turn % 2:
        play.script.drop(locked)
        return HERE
    accepted = play.script.of(model.ProgressiveAccepted, meter=play.table.meter.id)[-1]
    play.script.move_behind(accepted, locked)
    return Spot(accepted.payload.seat)


def by_slip(wins_share: Prepare) -> Prepare:
    """Prepare a share paid by slip; sometimes its document comes after the other settlements."""

    def prepare(plan: Any) -> bool | None:
        plan.documents_last = plan.turn % 2 == 0
        return wins_share(plan)

    return prepare


paid_by_slip = only_if(lambda play: any(due.slip_cents for due in play.dues))
"""A share of the meter is paid by slip."""
