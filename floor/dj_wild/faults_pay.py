"""Planted faults of the settlement: winners short or over, losers paid, Envy, meter, order, voids (§§ 687a.11(e)-(g), 687a.12).

Each changes what the dealer did with one wager and leaves the rest as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from events import model
from floor.dj_wild.anomalies import fault
from floor.dj_wild.plan import Plan
from floor.dj_wild.play import Play
from floor.dj_wild.preparing import (
    ends,
    folded_seat,
    one_box_seat,
    prepare_void,
    progressive_wager,
    wins_share,
    with_hand,
)
from floor.face_up_pai_gow.faults_progressive import (
    linked_meter_running,
    meter_reading,
    meter_stream,
    own_meter_running,
)
from floor.faults.labels import Spot
from floor.faults.payment import settled
from floor.table.facts import paid, returned, taken
from floor.table.script import Step, changed
from floor.table.table import Table
from games.wagers import Due, Outcome

BASE = ("ante", "blind", "raise")
BY_HAND = (*BASE, "trips", "bad_beat")
LOST = (Outcome.LOSE, Outcome.FOLDED)


def by_turns(*preparations: Callable[[Plan], bool]) -> Callable[[Plan], bool]:
    """Prepare the round in another way each time."""
    return lambda plan: preparations[plan.turn % len(preparations)](plan)


def _beaten(plan: Plan) -> bool:
    """Prepare a Two-Way Bad Beat that wins."""
    if not one_box_seat(plan):
        return False
    plan.bet(plan.chosen, "bad_beat", 500)
    if not plan.deal({plan.chosen: "natural_three_of_a_kind", "dealer": "natural_straight"}):
        return False
    plan.boxes[plan.chosen].decision = "raise"
    return True


def _blind_wins(plan: Plan) -> bool:
    if not with_hand("trips", "natural_straight", "flush_with_wild")(plan):
        return False
    plan.boxes[plan.chosen].decision = "raise"
    return plan.higher(plan.chosen) > 0


WINNER = by_turns(
    ends(1), with_hand("trips", "three_of_a_kind_with_wild", "natural_three_of_a_kind"), _beaten, _blind_wins
)
WINNER_OR_TIE = by_turns(ends(1), with_hand("trips", "three_of_a_kind_with_wild"), _beaten, ends(0))
LOSER = by_turns(ends(-1), with_hand("trips", "nothing"), folded_seat)


def pick(play: Play, *outcomes: Outcome, wagers: tuple[str, ...] = BY_HAND) -> Due | None:
    """Return a wager that ended so and was settled by the dealer's hand, of the seat prepared for where it can be."""
    found = [
        due for due in play.dues
        if due.outcome in outcomes and due.wager in wagers and (due.wager, due.seat) in play.script.settled
        and due.seat not in play.plan.abandoned
    ]  # fmt: skip
    if not found:
        return None
    play.plan.random.shuffle(found)
    return max(found, key=lambda due: due.seat == play.plan.chosen)


@fault("PAY-OVER", prepare=WINNER_OR_TIE)
def pay_over(play: Play) -> Spot | None:
    """A winner is handed too much, or a push is paid as if it had won."""
    tie = pick(play, Outcome.TIE, wagers=BASE) if play.plan.turn % 4 == 3 else None
    if tie is not None:
        settled(play, tie).payload = paid(tie, tie.staked_cents, tie.staked_cents)
        return Spot(tie.seat, tie.wager)
    due = pick(play, Outcome.WIN)
    if due is None:
        return None
    changed(settled(play, due), winnings_cents=due.winnings_cents + 500 * play.plan.random.randrange(1, 20))
    return Spot(due.seat, due.wager)


@fault("PAY-UNDER", prepare=WINNER)
def pay_under(play: Play) -> Spot | None:
    """A winner is handed something, but too little."""
    due = pick(play, Outcome.WIN)
    if due is None or due.winnings_cents < 200:
        return None
    short = max(100, due.winnings_cents * play.plan.random.randrange(10, 60) // 100 // 100 * 100)
    changed(settled(play, due), winnings_cents=due.winnings_cents - short)
    return Spot(due.seat, due.wager)


@fault("PAY-MISSED", prepare=WINNER)
def pay_missed(play: Play) -> Spot | None:
    """A winner gets the stake back only, or is passed over."""
    due = pick(play, Outcome.WIN)
    if due is None:
        return None
    step = settled(play, due)
    if play.plan.turn % 2:
        play.script.drop(step)
    else:
        step.payload = returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    return Spot(due.seat, due.wager)


@fault("PAY-LOSER", prepare=LOSER)
def pay_loser(play: Play) -> Spot | None:
    """A loser, or what a fold forfeited, is paid."""
    due = pick(play, *LOST)
    if due is None:
        return None
    odds = 1 if due.wager in BASE else play.plan.random.choice((2, 3, 5))
    settled(play, due).payload = paid(due, due.staked_cents, due.staked_cents * odds)
    return Spot(due.seat, due.wager, _early(play, due))


def _early(play: Play, due: Due) -> tuple[str, ...]:
    """What follows where a folded hand is paid while others decide, and is settled again in its turn."""
    return ("PAY-ORDER", "DEAL-RACK") if due.outcome is Outcome.FOLDED else ()


@fault("PAY-TAKEN", prepare=WINNER_OR_TIE)
def pay_taken(play: Play) -> Spot | None:
    """A winning wager, or a push, is collected."""
    due = pick(play, Outcome.TIE, wagers=BASE) if play.plan.turn % 4 == 3 else pick(play, Outcome.WIN)
    if due is None:
        return None
    settled(play, due).payload = taken(due.seat, due.bettor, due.wager, due.staked_cents)
    return Spot(due.seat, due.wager)


@fault("PAY-NOT-TAKEN", prepare=LOSER)
def pay_not_taken(play: Play) -> Spot | None:
    """A losing wager is pushed back, or left where it lies."""
    due = pick(play, *LOST)
    if due is None:
        return None
    step = settled(play, due)
    if play.plan.turn % 2:
        play.script.drop(step)
        return Spot(due.seat, due.wager)
    step.payload = returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    return Spot(due.seat, due.wager, _early(play, due))


@fault("PAY-VIG", prepare=ends(1))
def pay_vig(play: Play) -> Spot | None:
    """Five percent is charged on a winning ante."""
    due = pick(play, Outcome.WIN, wagers=("ante",))
    if due is None:
        return None
    amount = max(25, due.winnings_cents // 20 // 25 * 25)
    play.script.behind(settled(play, due), model.VigorishTaken(seat=due.seat, bettor=due.bettor, amount_cents=amount))
    return Spot(due.seat, "ante")


def _two_players(plan: Plan) -> bool:
    return len(plan.playing) > 1 and plan.deal_until(lambda p: sum(p.raises(seat) for seat in p.playing) > 1)


@fault("PAY-ORDER", prepare=_two_players)
def pay_order(play: Play) -> Spot | None:
    """A player's last wager is settled after the next player's first, or an optional wager before ante, blind and raise."""
    script, plan = play.script, play.plan
    seats = [seat for seat in plan.settling if plan.boxes[seat].plays and plan.raises(seat)]
    if plan.turn % 2:
        for seat in seats:
            optional = [d for d in play.dues if d.seat == seat and d.wager in ("trips", "bad_beat")]
            steps = [settled(play, due) for due in optional]
            steps = [step for step in steps if getattr(step.payload, "source", "") != "slip"]
            if steps:
                first: Any = script.settling(seat, "ante")
                script.move_before(steps[0], first)
                return Spot(seat)
    one, other = seats[0], seats[1]
    last: Any = script.settling(one, "raise")
    script.move_behind(last, settled_last(play, other))
    return Spot(one, consequences=("DEAL-RACK",))


def _optional_in_order(table: Table) -> bool:
    return table.book.settings["optional_wagers"] == "as_printed"


def _trips_and_bad_beat(plan: Plan) -> bool:
    """Prepare a player with both, who raises and wins too little of either for a slip."""
    if not one_box_seat(plan):
        return False
    for wager in ("trips", "bad_beat"):
        plan.bet(plan.chosen, wager, 500)
    return plan.deal_until(lambda p: p.raises(p.chosen) and p.higher(p.chosen) > 0)


@fault("PAY-ORDER/optional", fits=_optional_in_order, prepare=_trips_and_bad_beat)
def optional_order(play: Play) -> Spot | None:
    """The Two-Way Bad Beat is settled before Trips, where the order printed is filed."""
    seat = play.plan.chosen
    trips, bad_beat = (play.script.settling(seat, wager) for wager in ("trips", "bad_beat"))
    if trips is None or bad_beat is None or getattr(trips.payload, "source", "") == "slip":
        return None
    play.script.move_before(bad_beat, trips)
    return Spot(seat)


def settled_last(play: Play, seat: int) -> Step:
    """Return the last step of ante, blind and raise of a seat."""
    steps = [play.script.settling(seat, wager) for wager in BASE]
    return max((step for step in steps if step is not None), key=play.script.index)


# ------------------------------------------------------------------------------------------------------ meter and Envy


def _share(play: Play) -> Due | None:
    return next((due for due in play.dues if due.wager == "progressive" and due.slip_cents), None)


@fault("PAY-METER", prepare=wins_share)
def pay_share(play: Play) -> Spot | None:
    """The share of the meter is paid wrong: a tenth less or more."""
    due = _share(play)
    if due is None:
        return None
    slip: Any = play.script.first(model.WagerPaid, seat=due.seat, wager="progressive")
    document = play.script.first(model.PayoutDocumented, seat=due.seat, wager="progressive")
    assert document is not None
    wrong = due.slip_cents * 9 // 10 if play.plan.turn % 2 else due.slip_cents * 11 // 10
    changed(slip, winnings_cents=wrong)
    changed(document, amount_cents=wrong)
    return Spot(due.seat, "progressive")


def _controller_errs(plan: Plan) -> bool:
    if not progressive_wager(plan):
        return False
    plan.meter_error = plan.random.choice((-700, 1300, 10_000))
    return True


fault("PAY-METER/reading", fits=own_meter_running, prepare=_controller_errs)(meter_reading)
fault("PAY-METER/stream", fits=linked_meter_running, prepare=_controller_errs)(meter_stream)


def _envy(plan: Plan) -> bool:
    """Prepare a straight flush at one box and a Progressive at another patron's, both raised."""
    if not one_box_seat(plan):
        return False
    others = [seat for seat in plan.playing if plan.boxes[seat].bettor != plan.boxes[plan.chosen].bettor]
    if not others:
        return False
    plan.bet(others[0], "progressive", plan.book.offers["progressive"].min_cents)
    if not plan.deal({plan.chosen: "natural_straight_flush"}):
        return False
    plan.boxes[plan.chosen].decision = plan.boxes[others[0]].decision = "raise"
    return True


@fault("PAY-ENVY", prepare=_envy)
def pay_envy(play: Play) -> Spot | None:
    """An Envy Bonus is forgotten, of a wrong amount, paid for the own hand, or paid without a Progressive."""
    script, plan = play.script, play.plan
    payments: Any = script.of(model.EnvyPaid)
    if not payments:
        return None
    step = plan.random.choice(payments)
    event = step.payload
    seat = event.seat
    match plan.turn % 4:
        case 0:
            script.drop(step)
        case 1:
            changed(step, amount_cents=event.amount_cents + 500)
        case 2:
            seat = event.for_position
            script.behind(step, model.EnvyPaid(seat=seat, wager="progressive", for_position=seat, amount_cents=30_000))
        case _:
            without = [
                each for each, box in plan.boxes.items()
                if "progressive" not in box.stakes and box.bettor != plan.boxes[event.for_position].bettor
            ]  # fmt: skip
            if not without:
                script.drop(step)
                return Spot(seat, "progressive_envy")
            to: Any = without[0]
            seat = to
            script.behind(
                step,
                model.EnvyPaid(
                    seat=to, wager="progressive", for_position=event.for_position, amount_cents=event.amount_cents
                ),
            )
    return Spot(seat, "progressive_envy")


@fault("PAY-VOID", prepare=prepare_void)
def pay_void(play: Play) -> Spot | None:
    """In a round that was rightly voided one wager is kept, or not all of it goes back."""
    steps: list[Any] = [step for step in play.script.of(model.WagerReturned) if step.payload.wager in BY_HAND]
    step = play.plan.random.choice(steps)
    event = step.payload
    kept = event.amount_cents
    if play.plan.turn % 2 and kept >= 1000:
        kept -= event.amount_cents // 2
        changed(step, amount_cents=event.amount_cents // 2)
        play.script.behind(step, taken(event.seat, event.bettor, event.wager, kept, "other"))
    else:
        step.payload = taken(event.seat, event.bettor, event.wager, kept, "other")
    return Spot(event.seat, event.wager)
