"""Legitimate irregularities, each handled as the rules say and labelled: none of them may raise an alarm (§ 688a.13, D28)."""

from __future__ import annotations

from typing import Any

import msgspec

from events import model
from events.model import fact
from floor.face_up_pai_gow.anomalies import legitimate
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import (
    against_house_way,
    by_card,
    machine_works,
    one_box_seat,
    prepare_foul,
    prepare_surrender,
    prepare_void,
    shuffled_by_hand,
    wins_share,
    with_dealers_shaker,
    with_dice,
    wrong_total,
)  # fmt: skip
from floor.faults.labels import Spot
from floor.faults.records import duplicate_message, event_corrected
from floor.table.facts import dealt, returned
from floor.table.script import Step, changed
from floor.table.table import Table
from games.cards import TEXT
from games.pai_gow import Position
from games.wagers import Outcome


@legitimate("no_roll_reshake", 8, fits=with_dice, prepare=lambda plan: _no_roll(plan))
def no_roll_reshake(play: Play) -> Spot:
    """The dice do not lie flat, or one falls out: a no roll, and they are shaken again (§ 688a.13(a), (b))."""
    return Spot()


def _no_roll(plan: Plan) -> bool:
    plan.no_roll = plan.random.choice(("not_flat", "fell_out"))
    return True


@legitimate("corrected_total", 6, fits=with_dice, prepare=lambda plan: _slip_of_the_tongue(plan))
def corrected_total(play: Play) -> Spot:
    """A wrong total is announced, and corrected before the first card."""
    return Spot()


def _slip_of_the_tongue(plan: Plan) -> bool:
    plan.announced = [wrong_total(plan), plan.count]
    return True


@legitimate("recut", 4, fits=shuffled_by_hand)
def recut(play: Play) -> Spot:
    """A floorperson orders a recut, and the one who cut cuts again (§ 688a.5(f))."""
    step: Any = play.script.first(model.CardsCut)
    again = msgspec.structs.replace(step.payload, depth=play.plan.random.randrange(12, 25))
    play.script.behind(step, model.RecutOrdered(by=play.table.floor), again)
    return Spot()


@legitimate("proper_void", 10, prepare=prepare_void)
def proper_void(play: Play) -> Spot:
    """A round is voided on one of the grounds of § 688a.13 or § 688a.8(f), every wager goes back."""
    return Spot()


@legitimate("hand_reset", 6, decides=True, prepare=lambda plan: _dealer_errs(plan))
def hand_reset(play: Play) -> Spot:
    """The dealer sets against the house way, and the hands are reset by it (§ 688a.13(h))."""
    return Spot()


def _dealer_errs(plan: Plan) -> bool:
    ways = against_house_way(plan)
    if ways:
        plan.dealer_first = plan.random.choice(ways)
    return bool(ways)


# ------------------------------------------------------------------------------------------------------- exposed cards


def expose(play: Play, seat: Any) -> Step:
    """Let the dealer expose a card of a seat after the deal; return that step."""
    play.plan.random.shuffle(cards := list(play.plan.hands[seat]))
    text: Any = TEXT[cards[0]]
    return play.script.before(play.setting_begins(), model.CardExposed(whose=seat, by="dealer", card=text))[0]


@legitimate("election_play", 5, prepare=one_box_seat)
def election_play(play: Play) -> Spot:
    """The dealer exposes a player's card, and the player elects to play the hand out (§ 688a.13(d))."""
    seat: Any = play.plan.chosen
    play.script.behind(expose(play, seat), model.HandElected(seat=seat, election="play"))
    return Spot()


def _voids_own_hand(plan: Plan) -> bool:
    if not one_box_seat(plan):
        return False
    plan.voided = {plan.chosen}
    return True


@legitimate("election_void", 4, prepare=_voids_own_hand)
def election_void(play: Play) -> Spot:
    """The dealer exposes a player's card, and the player elects to void the hand: all wagers of the box go back."""
    seat: Any = play.plan.chosen
    play.script.behind(
        expose(play, seat), model.HandElected(seat=seat, election="void"),
        model.RoundVoided(scope=seat, reason="exposed_card"),
    )  # fmt: skip
    return Spot()


@legitimate("player_exposes_own_card", 5, prepare=one_box_seat)
def player_exposes_own_card(play: Play) -> Spot:
    """A player shows a card of the own hand: nothing follows from it."""
    seat: Any = play.plan.chosen
    step = play.script.first(model.HandExamined, seat=seat)
    assert step is not None
    text: Any = TEXT[play.plan.hands[seat][0]]
    play.script.behind(step, fact(model.CardExposed, whose=seat, by="player", card=text))
    return Spot()


def _one_face_up(plan: Plan) -> bool:
    plan.face_up = plan.stub[:1]
    return True


@legitimate("single_face_up_card", 4, fits=by_card, prepare=_one_face_up)
def single_face_up_card(play: Play) -> Spot:
    """One card is found face up, set aside, and counts toward the four that remain (§ 688a.13(e), D24)."""
    return Spot()


@legitimate("card_drawn_in_error", 4, fits=by_card)
def card_drawn_in_error(play: Play) -> Spot:
    """A card is drawn in error without its face being exposed, and is used as the next (§ 688a.13(f))."""
    deals: Any = play.script.of(model.CardsDealt)
    step = deals[play.plan.random.randrange(1, len(deals))]
    play.script.before(step, model.CardDrawnInError(card=step.payload.cards[0]))
    return Spot()


# ---------------------------------------------------------------------------------------------------- wagers and hands


@legitimate("late_wager_returned", 6, prepare=one_box_seat)
def late_wager_returned(play: Play) -> Spot:
    """A wager is raised after "no more bets": the dealer refuses it, or pushes the late part back."""
    seat: Any = play.plan.chosen
    bettor = play.plan.boxes[seat].bettor
    closed: Any = play.script.first(model.NoMoreBets)
    if play.plan.turn % 2:
        refused = model.WagerRefused(
            seat=seat, bettor=bettor, wager="base", number=None, amount_cents=2500, reason="after no more bets"
        )
        play.script.behind(closed, refused)
        return Spot()
    late = model.WagerPlaced(seat=seat, bettor=bettor, wager="base", number=None, amount_cents=2500, form="chips")
    play.script.behind(closed, late, returned(seat, bettor, "base", 2500, "late"))
    return Spot()


def _leaves(plan: Plan) -> bool:
    bettors = {box.bettor for box in plan.boxes.values()}
    if len(bettors) < 2 or not plan.deal_until(lambda p: not p.dealer_pushes):
        return False
    if not one_box_seat(plan):
        return False
    plan.abandoned = {plan.chosen}
    return True


@legitimate("abandoned", 3, decides=True, prepare=_leaves)
def abandoned(play: Play) -> Spot:
    """A player leaves during the round, and the wagers are considered abandoned (§ 688a.7(b))."""
    seat: Any = play.plan.chosen
    bettor = play.plan.boxes[seat].bettor
    first = play.script.first(model.HandSet, position="dealer")
    assert first is not None
    play.script.behind(
        first, model.PatronLeft(seat=seat, patron=bettor), model.WagerAbandoned(seat=seat, bettor=bettor)
    )
    del play.table.seats[seat]
    return Spot()


@legitimate("surrender", 4, decides=True, prepare=prepare_surrender)
def surrender(play: Play) -> Spot:
    """A player without optional wagers surrenders after the dealer's hands are set (§ 688a.11(d))."""
    return Spot()


@legitimate("foul_hand", 4, decides=True, prepare=prepare_foul)
def foul_hand(play: Play) -> Spot | None:
    """A foul hand loses, and is taken as one (§ 688a.11(f)(1)(iii))."""
    return Spot() if any(due.outcome is Outcome.FOUL for due in play.dues) else None


def _share_by_slip(plan: Plan) -> bool:
    plan.documents_last = plan.turn % 2 == 0
    return wins_share(plan)


@legitimate("jackpot_by_slip", 4, decides=True, prepare=_share_by_slip)
def jackpot_by_slip(play: Play) -> Spot | None:
    """A share of the meter is paid by slip; at times its document comes after the others are settled."""
    return Spot() if any(due.slip_cents for due in play.dues) else None


# -------------------------------------------------------------------------------------------------------------- devices


def _jams(table: Table, turn: int) -> None:
    """The shuffler jams while it shuffles the deck that was used; cleared, it shuffles again (§ 688a.13(k))."""
    fault: Any = ("jam", "stopped", "incomplete")[turn % 3]
    table.report(model.DeviceFailed(device="shuffler", fault=fault), model.DeviceRestored(device="shuffler"))
    for deck in table.decks:
        table.shuffle(deck)


@legitimate("device_outage", 3, fits=machine_works, before=_jams)
def device_outage(play: Play) -> Spot:
    """The shuffler jams, and the cards are reshuffled."""
    return Spot()


def _breaks_down(table: Table, turn: int) -> None:
    table.fail_shuffler(rounds=2 + turn % 4)


@legitimate(
    "device_outage_manual", 2, fits=lambda table: machine_works(table) and table.spec.deal_method != "hand",
    before=_breaks_down,
)  # fmt: skip
def device_outage_manual(play: Play) -> Spot:
    """The shuffler cannot be used, is covered, and for some rounds the cards are shuffled and cut by hand (§ 688a.13(m))."""
    return Spot()


legitimate("duplicate_message", 8)(duplicate_message)


@legitimate("late_message", 8, fits=with_dealers_shaker)
def late_message(play: Play) -> Spot:
    """The shaker's last messages arrive long after they happened, in their own order."""
    cover = play.script.first(model.ShakerCovered)
    assert cover is not None
    at = play.script.index(cover)
    play.script.late = play.script.steps[at : at + 2]
    return Spot()


@legitimate("card_not_read", 4)
def card_not_read(play: Play) -> Spot:
    """The shoe does not read a card, and mostly neither does the reader under the hands as they are set."""
    plan, script = play.plan, play.script
    position: Position = plan.random.choice([*plan.boxes, plan.dealer])
    text: Any = TEXT[plan.random.choice(plan.hands[position])]
    for step in script.of(model.CardsDealt, to=position):
        cards: Any = step.payload.cards
        if text in cards:
            if len(cards) == 1:
                step.payload = dealt(position, None, play.face_up(position))
            else:
                changed(step, cards=[None if card == text else card for card in cards])
    if plan.turn % 3:
        for kind in (model.HandSet, model.HandReset):
            for step in script.of(kind, position=position):
                event: Any = step.payload
                hands = {"high": event.high, "medium": event.medium, "low": event.low}
                changed(step, **{name: [None if c == text else c for c in cards] for name, cards in hands.items()})
    return Spot()


legitimate("event_corrected", 6, prepare=one_box_seat)(event_corrected)
