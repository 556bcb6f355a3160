"""Planted faults of the deal, the side card and the stub (§§ 687a.3(a), 687a.8 to 687a.10, 687a.13(a)-(d))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.dj_wild.anomalies import fault
from floor.dj_wild.plan import Plan
from floor.dj_wild.play import Play
from floor.dj_wild.preparing import misdeal, one_box_seat, progressive_wager, several, text_of, two_face_up
from floor.dj_wild.tables import counting
from floor.face_up_pai_gow.faults_deal import deal_drawn
from floor.face_up_pai_gow.preparing import by_card
from floor.faults.labels import Spot
from floor.table.script import changed

PLAYED_ON = ("PAY-VOID", "PAY-ENVY")
"""What follows from a round that must be void and is played on."""


@fault("DEAL-ORDER", prepare=several(2))
def deal_order(play: Play) -> Spot:
    """Two positions are served in the wrong order, or a card goes astray between two stacks."""
    script, plan = play.script, play.plan
    deals: Any = [step for step in script.of(model.CardsDealt) if step.payload.to != "side"]
    first = plan.order[plan.random.randrange(len(plan.order) - 1)]
    last: Any = [step for step in deals if step.payload.to == first][-1]
    script.move_behind(last, deals[deals.index(last) + 1])
    return Spot()


def _misdealt(plan: Plan) -> bool:
    misdeal(plan)
    return True


@fault("DEAL-COUNT", prepare=_misdealt)
def deal_count(play: Play) -> Spot:
    """A player or the dealer gets four or six cards; nobody notices."""
    assert play.plan.misdealt is not None
    position = play.plan.misdealt[0]
    seat = position if isinstance(position, int) else None
    return Spot(seat, consequences=("DEAL-STUB", *PLAYED_ON))


def _wrong_stub(plan: Plan) -> bool:
    plan.counts, plan.short_stub = True, plan.random.choice((-1, 1))
    return True


@fault("DEAL-STUB", prepare=_wrong_stub)
def deal_stub(play: Play) -> Spot:
    """The stub is a card too many or too few, and the round is played on (the deck leaves the table after it)."""
    return Spot(consequences=("DEAL-RACK", *PLAYED_ON))


def _counted(plan: Plan) -> bool:
    plan.counts = True
    return True


@fault("DEAL-STUBSEEN", prepare=_counted)
def deal_stubseen(play: Play) -> Spot:
    """A card of the stub is exposed."""
    step = play.script.first(model.StubCounted)
    assert step is not None
    changed(step, exposed=play.plan.random.randrange(1, 3))
    return Spot()


def _not_counted(plan: Plan) -> bool:
    plan.counts = False
    return counting(plan.table)


@fault("DEAL-STUBDUE", fits=lambda table: counting(table) and not table.counts_by_machine, prepare=_not_counted)
def deal_stubdue(play: Play) -> Spot:
    """In the fifth round in a row the stub is not counted."""
    return Spot()


def _card_twice(plan: Plan) -> bool:
    if not one_box_seat(plan):
        return False
    plan.hands[plan.chosen][plan.random.randrange(5)] = plan.random.choice(plan.hands["dealer"])
    plan.decide()
    return True


@fault("DEAL-DECK", prepare=_card_twice)
def deal_deck(play: Play) -> Spot:
    """A player is dealt a card that the dealer has too."""
    return Spot()


def _face_up(plan: Plan) -> bool:
    if plan.turn % 2:
        two_face_up(plan)
    return True


@fault("DEAL-FACEUP", prepare=_face_up)
def deal_faceup(play: Play) -> Spot:
    """A card found face up is dealt, or two are found and set aside and the round is played on."""
    if play.plan.face_up:
        return Spot(consequences=PLAYED_ON)
    deals: Any = play.script.of(model.CardsDealt)
    step = deals[play.plan.random.randrange(1, len(deals))]
    play.script.before(step, model.CardFoundFaceUp(card=step.payload.cards[0]))
    return Spot()


fault("DEAL-DRAWN", fits=by_card)(deal_drawn)


@fault("DEAL-EXPOSED", prepare=lambda plan: plan.deal_until(lambda p: p.raises(max(p.playing))))
def deal_exposed(play: Play) -> Spot:
    """A card is exposed before the raises, or the dealer turns before the last raise, and the round is played on."""
    plan, script = play.plan, play.script
    first: Any = script.first(model.DecisionMade)
    if plan.turn % 3 == 2:
        last: Any = script.first(model.DecisionMade, seat=max(plan.playing))
        turned: Any = script.first(model.HandRevealed, position="dealer")
        script.move_before(turned, last)
        return Spot(consequences=("WAGER-LATE", *PLAYED_ON))
    whose: Any = "dealer" if plan.turn % 3 else plan.random.choice(plan.playing)
    script.before(first, model.CardExposed(whose=whose, by="dealer", card=text_of(plan, whose)))
    return Spot(whose if whose != "dealer" else None, consequences=PLAYED_ON)


def _without_side_card(plan: Plan) -> bool:
    """Forget the side card, where nobody has the joker that it would replace; or place it too early."""
    if not progressive_wager(plan) or not plan.deal_until(lambda p: not p.joker_at_stake):
        return False
    plan.side_forgotten = plan.turn % 2 == 0
    return True


@fault("DEAL-SIDE", prepare=_without_side_card)
def deal_side(play: Play) -> Spot:
    """There is a Progressive and no side card, or the side card is placed before the dealer's hand."""
    side = play.script.first(model.CardsDealt, to="side")
    if side is not None:
        dealer = play.script.first(model.CardsDealt, to="dealer")
        assert dealer is not None
        play.script.move_before(side, dealer)
    return Spot()


@fault("DEAL-RACK")
def deal_rack(play: Play) -> Spot:
    """A card does not get into the rack, or a hand's cards go there before its wagers are settled."""
    script = play.script
    if play.plan.turn % 2:
        for due in play.dues:
            of: Any = due.seat
            cards = script.first(model.CardsCollected, of=of)
            first = script.settling(due.seat, "raise")
            if cards is not None and first is not None:
                script.move_before(cards, first)
                return Spot(due.seat)
    last: Any = script.of(model.CardsCollected)[-1]
    changed(last, count=last.payload.count - 1)
    return Spot()
