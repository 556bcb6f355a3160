"""Planted faults of shuffle, deal, setting and Envy in California (GEGR-002138)."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow import faults_deal, faults_pay
from floor.face_up_pai_gow.preparing import by_stack, misdeal, shuffled_by_hand
from floor.faults.labels import Spot
from floor.player_dealer.anomalies import fault
from floor.player_dealer.faults_position import two_empty
from floor.player_dealer.plan import PlayerDealerPlan
from floor.player_dealer.play import PlayerDealerPlay
from floor.table.facts import same
from floor.table.script import Step, changed
from floor.table.table import Table
from games.bonus import is_qualifying
from games.cards import TEXT
from games.player_dealer import SEATS


def _not_just_opened(table: Table) -> bool:
    return table.deck.dirty and not table.just_opened


@fault("DEAL-SHUFFLE", fits=_not_just_opened)
def deal_shuffle(play: PlayerDealerPlay) -> Spot | None:
    """The cards are not shuffled."""
    step = play.script.first(model.CardsShuffled)
    if step is None:
        return None
    for each in (step, *play.script.of(model.CutOffered), *play.script.of(model.CardsCut)):
        play.script.drop(each)
    return Spot(consequences=("DEAL-CUT",))


@fault("DEAL-CUT", fits=shuffled_by_hand)
def deal_cut(play: PlayerDealerPlay) -> Spot | None:
    """The cards are shuffled by hand and not cut: nobody is asked, or somebody who was did not."""
    cut = play.script.first(model.CardsCut)
    if cut is None:
        return None
    for step in (cut, *play.script.of(model.CutOffered))[: 1 + play.plan.turn % 2 * SEATS]:
        play.script.drop(step)
    return Spot()


def hands_dealt(play: PlayerDealerPlay) -> list[Step]:
    """Return the steps that give hands to seats, not cards to piles."""
    return [step for step in play.script.of(model.CardsDealt) if step.payload.to in play.plan.positions]


def _wrong_start(plan: PlayerDealerPlan) -> bool:
    plan.first = (plan.first + plan.random.randrange(SEATS - 1)) % SEATS + 1
    return True


@fault("DEAL-START", prepare=_wrong_start)
def deal_start(play: PlayerDealerPlay) -> Spot:
    """The first hand goes to another seat than the one that is counted to."""
    return Spot()


@fault("DEAL-ORDER")
def deal_order(play: PlayerDealerPlay) -> Spot:
    """Two seats get their hands in the wrong order."""
    deals = hands_dealt(play)
    at = play.plan.random.randrange(1, SEATS - 1)
    play.script.move_before(deals[at + 1], deals[at])
    return Spot()


fault("DEAL-COUNT", fits=by_stack, prepare=misdeal)(faults_deal.deal_count)


@fault("DEAL-DECK", prepare=two_empty)
def deal_deck(play: PlayerDealerPlay) -> Spot:
    """A seat without a wager gets a card that somebody else has too."""
    plan, script = play.plan, play.script
    seat = plan.random.choice(plan.empty)
    (step,) = script.of(model.CardsDealt, to=seat)
    event: Any = step.payload
    own, other = event.cards[0], TEXT[plan.hands[plan.bank][0]]
    changed(step, cards=[other, *event.cards[1:]])
    for card in script.of(model.CardsDealt):
        if card is not step and card.payload.cards == [own]:
            changed(card, cards=[other])
    return Spot()


@fault("SET-EARLY", prepare=lambda plan: plan.deal_until(lambda each: not each.dealer_pushes))
def set_early(play: PlayerDealerPlay) -> Spot:
    """A player sets before the player-dealer does."""
    script, plan = play.script, play.plan
    seat = plan.random.choice(sorted(plan.boxes))
    own, first = script.first(model.HandSet, position=seat), script.first(model.HandSet, position=plan.bank)
    assert own is not None
    assert first is not None
    script.move_before(own, first)
    return Spot(seat)


# -------------------------------------------------------------------------------------------------------------------- Envy


def _qualifying(plan: PlayerDealerPlan) -> bool:
    plan.chosen = plan.single_boxes()[0]
    plan.bet(plan.chosen, "fortune_bonus", 500 if plan.turn % 2 == 0 else 300)
    return True


@fault("WAGER-LAMMER", prepare=_qualifying)
def wager_lammer(play: PlayerDealerPlay) -> Spot:
    """A qualifying wager gets no Envy button, or one that does not qualify gets one."""
    seat, script = play.plan.chosen, play.script
    placed = script.first(model.LammerPlaced, seat=seat)
    assert (placed is not None) is is_qualifying(
        play.book, "fortune_bonus", play.plan.boxes[seat].stakes["fortune_bonus"]
    )
    if placed is not None:
        script.drop(placed)
    else:
        wagered = script.first(model.WagerPlaced, seat=seat, wager="fortune_bonus")
        assert wagered is not None
        script.behind(wagered, same(model.LammerPlaced, seat=seat, wager="fortune_bonus"))
    return Spot(seat, "fortune_bonus")


def _envy(plan: PlayerDealerPlan) -> bool:
    """Prepare a hand with an Envy Bonus at one seat, and a qualifying wager at another."""
    seats = plan.single_boxes()
    if len(seats) < 2:
        return False
    plan.bet(seats[0], "fortune_bonus", 100)
    plan.bet(seats[1], "fortune_bonus", 500)
    targets: Any = {seats[0]: plan.random.choice(("four_of_a_kind", "straight_flush", "royal_flush"))}
    return plan.deal(targets) and plan.deal_until(lambda _: True)


fault("PAY-ENVY", prepare=_envy)(faults_pay.pay_envy)
