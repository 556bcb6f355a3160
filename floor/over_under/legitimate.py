"""Legitimate irregularities of Over/Under, each handled as the rules say and labelled: none may raise an alarm (§ 686a.9, D28).

What comes about by itself (the cover card, a surrender, a new dealer's burn card, the other batch shuffled, a barred patron
let in by a reshuffle) is labelled by `natural`.
"""

from __future__ import annotations

from typing import Any

import msgspec

from events import model
from floor.faults.labels import Spot
from floor.faults.records import duplicate_message, event_corrected
from floor.over_under.anomalies import legitimate
from floor.over_under.plan import BoxPlan, Plan
from floor.over_under.play import Play
from floor.over_under.preparing import after_minutes as minutes
from floor.over_under.preparing import (
    direct_reshuffle,
    in_shoe,
    is_spread_again,
    machine_works,
    one_box_seat,
    runs_short,
    shuffles_by_hand,
    some_decide,
    surrenders,
    too_few,
)
from floor.over_under.table import ShoeTable
from floor.table.facts import dealt, returned


def natural(play: Play) -> list[str]:
    """Return what was irregular and right by itself in a round."""
    found = []
    if play.plan.surrendered:
        found.append("surrender")
    if play.cover_at is not None:
        found.append("cover_card_first" if play.cover_at == "start" else "cover_card_on_a_box")
    if play.new_dealer_burnt:
        found.append("new_dealer_burns")
    if play.other_shuffled:
        found.append("other_batch_shuffled")
    if play.let_in_again:
        found.append("let_in_after_reshuffle")
    return found


def labelled(play: Play) -> Spot:
    """It is all in the plan, or was done before the round."""
    return Spot()


# ------------------------------------------------------------------------------------------------------ shuffle and cut


def _refused(plan: Plan) -> bool:
    plan.refusals = 1 + plan.turn % 2 if plan.turn % 3 else len(plan.table.seats)
    return True


legitimate("cut_refused", 5, fits=shuffles_by_hand, before=direct_reshuffle, prepare=_refused)(labelled)


@legitimate("recut", 4, fits=shuffles_by_hand, before=direct_reshuffle)
def recut(play: Play) -> Spot:
    """A floorperson orders a recut, and the one who cut cuts again (§ 686a.5(e))."""
    step: Any = play.script.first(model.CardsCut)
    again = msgspec.structs.replace(step.payload, depth=play.plan.random.randrange(12, 100))
    play.script.behind(step, model.RecutOrdered(by=play.table.floor), again)
    return Spot()


legitimate("reshuffle_directed", 4, fits=in_shoe, before=direct_reshuffle)(labelled)


legitimate("too_few_cards", 4, fits=runs_short, prepare=too_few)(labelled)


def _new_batch(table: ShoeTable, turn: int) -> None:
    table.change_deck(table.turn % len(table.decks), preshuffled=turn % 2 == 0)


legitimate("new_batch", 3, before=_new_batch)(labelled)


def _nobody_plays(table: ShoeTable, turn: int) -> None:
    table.idle(minutes(turn))


legitimate("table_idle", 2, fits=is_spread_again, before=_nobody_plays)(labelled)


# -------------------------------------------------------------------------------------------------- cards, § 686a.9(a), (c)


def _face_up(plan: Plan) -> bool:
    plan.face_up, plan.face_up_before = 0, plan.random.randrange(3 * len(plan.boxes))
    plan.deal()
    return True


legitimate("face_up_card", 5, prepare=_face_up)(labelled)


def _passed_over(plan: Plan) -> bool:
    if not some_decide(plan):
        return False
    plan.missed = plan.chosen
    return True


legitimate("missing_cards_dealt", 5, prepare=_passed_over)(labelled)


def _dead_hand(plan: Plan) -> bool:
    plan.election = "void"
    return _passed_over(plan)


legitimate("missing_cards_void", 5, decides=True, prepare=_dead_hand)(labelled)


@legitimate("card_not_read", 4)
def card_not_read(play: Play) -> Spot:
    """The shoe does not read a card."""
    step: Any = play.plan.random.choice(play.script.of(model.CardsDealt))
    step.payload = dealt(step.payload.to, None, True)
    return Spot()


# --------------------------------------------------------------------------------------------------------------- wagers

legitimate("surrender", 4, decides=True, prepare=surrenders)(labelled)


@legitimate("late_wager_returned", 6, prepare=one_box_seat)
def late_wager_returned(play: Play) -> Spot:
    """An ante is raised after the first card: the dealer refuses it, or pushes the late part back."""
    seat: Any = play.plan.chosen
    box = play.plan.boxes[seat]
    first: Any = play.script.first(model.CardsDealt)
    if play.plan.turn % 2:
        refused = model.WagerRefused(
            seat=seat, bettor=box.bettor, wager="ante", number=None, amount_cents=2500, reason="after the first card"
        )
        play.script.behind(first, refused)
    else:
        late = play.placed(seat, box, "ante", 2500)
        play.script.behind(first, late, returned(seat, box.bettor, "ante", 2500, "late"))
    return Spot()


@legitimate("wager_handled_in_time", 4, prepare=one_box_seat)
def wager_handled_in_time(play: Play) -> Spot:
    """A player handles the own ante before the first card: its time is not over."""
    seat: Any = play.plan.chosen
    placed: Any = play.script.of(model.WagerPlaced, seat=seat, wager="ante")[-1]
    play.script.behind(placed, model.WagerHandled(seat=seat, wager="ante"))
    return Spot()


def _stands(plan: Plan) -> bool:
    free = [seat for seat in plan.empty if seat not in plan.table.seats]
    if not free:
        return False
    plan.boxes[plan.random.choice(free)] = BoxPlan(
        plan.table.people.token(), {"ante": plan.book.offers["ante"].min_cents}
    )
    plan.deal()
    return True


legitimate("standing_patron", 4, prepare=_stands)(labelled)


def _newcomer(table: ShoeTable, turn: int) -> None:
    table.bar_newcomer()


legitimate(
    "newcomer_barred", 5, fits=lambda table: in_shoe(table) and len(table.seats) < 6, before=_newcomer
)(labelled)  # fmt: skip


# -------------------------------------------------------------------------------------------------------------- devices


def _other_waits(table: ShoeTable) -> bool:
    return machine_works(table) and not table.begins and table.other is not None and table.other.dirty


def _jams(table: ShoeTable, turn: int) -> None:
    fault: Any = ("jam", "stopped", "incomplete")[turn % 3]
    other = table.other
    assert other is not None
    if turn % 2:
        table.report(table.shuffled(other))
    table.report(model.DeviceFailed(device="shuffler", fault=fault), model.DeviceRestored(device="shuffler"))
    table.shuffle(other)


legitimate("device_outage", 4, fits=_other_waits, before=_jams)(labelled)


def _continuous_jams(table: ShoeTable, turn: int) -> None:
    fault: Any = ("jam", "stopped", "incomplete")[turn % 3]
    table.report(model.DeviceFailed(device="shuffler", fault=fault), model.DeviceRestored(device="shuffler"))
    table.shuffle(table.deck)


legitimate("continuous_outage", 2, fits=lambda table: table.endless, before=_continuous_jams)(labelled)


def _breaks_down(table: ShoeTable, turn: int) -> None:
    table.end_shoe()
    table.fail_shuffler(rounds=15 + turn % 10)


legitimate("device_outage_manual", 3, fits=machine_works, before=_breaks_down)(labelled)

legitimate("duplicate_message", 8)(duplicate_message)


@legitimate("late_message", 8)
def late_message(play: Play) -> Spot | None:
    """The betting position's last message, a wager on over or under, arrives long after it was placed."""
    last: Any = play.script.of(model.WagerPlaced)[-1]
    if last.payload.wager not in ("over", "under"):
        return None
    play.script.late = [last]
    return Spot()


legitimate("event_corrected", 6, prepare=one_box_seat)(event_corrected)
