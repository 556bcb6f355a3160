"""Legitimate irregularities, each handled as the rules say and labelled: none of them may raise an alarm (§ 687a.13, D28)."""

from __future__ import annotations

from typing import Any

import msgspec

from events import model
from floor.dj_wild.anomalies import ANOMALIES, legitimate
from floor.dj_wild.plan import Plan
from floor.dj_wild.play import Play
from floor.dj_wild.preparing import (
    equal_hands,
    folded_seat,
    one_box_seat,
    prepare_void,
    text_of,
    wins_share,
    with_hand,
)
from floor.face_up_pai_gow.legitimate import card_drawn_in_error, jackpot_by_slip
from floor.face_up_pai_gow.preparing import by_card, shuffled_by_hand
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.labels import Spot
from floor.table.facts import dealt, placed, returned
from floor.table.script import changed
from games.cards import JOKER, TEXT

ANOMALIES.share(
    FACE_UP_PAI_GOW.anomalies, "device_outage", "device_outage_manual", "duplicate_message", "event_corrected"
)


@legitimate("recut", 4, fits=shuffled_by_hand)
def recut(play: Play) -> Spot:
    """A floorperson orders a recut, and the dealer cuts again (§ 687a.5(e))."""
    step: Any = play.script.first(model.CardsCut)
    again = msgspec.structs.replace(step.payload, depth=play.plan.random.randrange(12, 40))
    play.script.behind(step, model.RecutOrdered(by=play.table.floor), again)
    return Spot()


@legitimate("proper_void", 12, prepare=prepare_void)
def proper_void(play: Play) -> Spot:
    """A round is voided on one of the grounds of § 687a.13 or § 687a.8(g), and every wager goes back."""
    return Spot()


def _exposed(plan: Plan) -> bool:
    """Let a card be exposed before the raises while Trips or a Progressive is at stake."""
    if not with_hand("progressive" if plan.turn % 2 else "trips", "natural_three_of_a_kind", "nothing")(plan):
        return False
    plan.void = "exposed_dealer" if plan.turn % 3 else "exposed_card"
    return True


@legitimate("exposed_card_void", 6, decides=True, prepare=_exposed)
def exposed_card_void(play: Play) -> Spot:
    """Exposed cards void the hands; Trips and Progressive are settled all the same (§ 687a.13(d))."""
    return Spot()


@legitimate("exposed_after_the_raises", 4)
def exposed_after_the_raises(play: Play) -> Spot:
    """A card is exposed when everybody has decided: nothing follows from it."""
    turned: Any = play.script.first(model.HandRevealed, position="dealer")
    play.script.before(turned, model.CardExposed(whose="dealer", by="dealer", card=text_of(play.plan, "dealer")))
    return Spot()


@legitimate("player_exposes_own_card", 5, prepare=one_box_seat)
def player_exposes_own_card(play: Play) -> Spot:
    """A player shows a card of the own hand before deciding: nothing follows from it (D28)."""
    seat: Any = play.plan.chosen
    step = play.script.first(model.HandExamined, seat=seat)
    assert step is not None
    play.script.behind(step, model.CardExposed(whose=seat, by="player", card=text_of(play.plan, seat)))
    return Spot()


def _one_face_up(plan: Plan) -> bool:
    plan.face_up, plan.stub = plan.stub[:1], plan.stub[1:]
    return True


@legitimate("single_face_up_card", 5, prepare=_one_face_up)
def single_face_up_card(play: Play) -> Spot:
    """One card is found face up, set aside, and counts toward the 53 (§ 687a.13(a), D24)."""
    return Spot()


legitimate("card_drawn_in_error", 5, fits=by_card)(card_drawn_in_error)


# ---------------------------------------------------------------------------------------------------- wagers and hands


@legitimate("late_wager_returned", 6, prepare=one_box_seat)
def late_wager_returned(play: Play) -> Spot:
    """Trips is placed after "no more bets": the dealer refuses it, or pushes it back."""
    seat = play.plan.chosen
    bettor = play.plan.boxes[seat].bettor
    closed: Any = play.script.first(model.NoMoreBets)
    if play.plan.turn % 2:
        refused: Any = model.WagerRefused(
            seat=seat, bettor=bettor, wager="trips", number=None, amount_cents=2500, reason="after no more bets"
        )
        play.script.behind(closed, refused)
    else:
        play.script.behind(closed, placed(seat, bettor, "trips", 2500), returned(seat, bettor, "trips", 2500, "late"))
    return Spot()


def _leaves(plan: Plan) -> bool:
    if len({box.bettor for box in plan.boxes.values()}) < 2 or not one_box_seat(plan):
        return False
    plan.abandoned = {plan.chosen}
    return True


@legitimate("abandoned", 3, decides=True, prepare=_leaves)
def abandoned(play: Play) -> Spot:
    """A player leaves during the round, and the wagers are considered abandoned (§ 687a.7(b))."""
    seat: Any = play.plan.chosen
    bettor = play.plan.boxes[seat].bettor
    first: Any = play.script.first(model.DecisionMade)
    play.script.before(
        first, model.PatronLeft(seat=seat, patron=bettor), model.WagerAbandoned(seat=seat, bettor=bettor)
    )
    del play.table.seats[seat]
    return Spot()


def _folds_and_wins(plan: Plan) -> bool:
    """Let a hand that Trips pays be folded."""
    if not with_hand("trips", "three_of_a_kind_with_wild", "natural_straight")(plan):
        return False
    plan.boxes[plan.chosen].decision = "fold"
    return True


@legitimate("folded_trips_paid", 4, decides=True, prepare=_folds_and_wins)
def folded_trips_paid(play: Play) -> Spot:
    """A player folds, and is paid Trips in turn (§ 687a.11(b)(1))."""
    return Spot()


@legitimate("fold", 4, decides=True, prepare=folded_seat)
def fold(play: Play) -> Spot:
    """A player folds: ante, blind and Two-Way Bad Beat are collected before the dealer turns (§ 687a.11(b), (c))."""
    return Spot()


def _equal(plan: Plan) -> bool:
    return one_box_seat(plan) and equal_hands(plan)


@legitimate("equal_hands", 4, decides=True, prepare=_equal)
def equal_hands_push(play: Play) -> Spot:
    """Equal hands push ante, blind and raise (§ 687a.11(e)(2), D8)."""
    return Spot()


def _joker(plan: Plan) -> bool:
    """Let a player with a Progressive have the joker."""
    return with_hand("progressive", "three_of_a_kind_with_wild", "flush_with_wild")(plan) and plan.deal_until(
        lambda p: JOKER in p.hands[p.chosen]
    )


@legitimate("joker_replaced", 4, decides=True, prepare=_joker)
def joker_replaced(play: Play) -> Spot:
    """The side card takes the joker's place in the Progressive (§ 687a.11(f)(1))."""
    return Spot()


def _share_by_slip(plan: Plan) -> bool:
    plan.documents_last = plan.turn % 2 == 0
    return wins_share(plan)


legitimate("jackpot_by_slip", 4, decides=True, prepare=_share_by_slip)(jackpot_by_slip)


# -------------------------------------------------------------------------------------------------------------- devices


@legitimate("late_message", 8)
def late_message(play: Play) -> Spot:
    """The last raise, or the lock of the progressive system, arrives long after it happened."""
    script = play.script
    raised = script.of(model.WagerPlaced, wager="raise")
    script.late = raised[-1:] if raised and play.plan.turn % 2 else script.of(model.ProgressiveLocked)[-1:]
    return Spot()


@legitimate("card_not_read", 5)
def card_not_read(play: Play) -> Spot:
    """The shoe does not read a card; what depends on it cannot be told."""
    plan, script = play.plan, play.script
    position: Any = plan.random.choice([*plan.playing, "dealer", "side"])
    cards = plan.hands.get(position, [plan.side])
    text: Any = TEXT[plan.random.choice(cards)]
    for step in script.of(model.CardsDealt, to=position):
        event: Any = step.payload
        if text in event.cards:
            if len(event.cards) == 1 and position != "side":
                step.payload = dealt(position, None)
            else:
                changed(step, cards=[None if card == text else card for card in event.cards])
    return Spot()
