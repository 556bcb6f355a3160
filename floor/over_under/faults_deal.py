"""Planted faults of the deal at Over/Under (§§ 686a.3(a), 686a.7(e)-(h), (l), 686a.9(a), (c))."""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.labels import Spot
from floor.over_under.anomalies import fault
from floor.over_under.plan import Plan
from floor.over_under.play import Play
from floor.over_under.preparing import from_shoe, some_decide, surrenders
from floor.table.facts import dealt
from floor.table.script import Script, Step, changed
from games.cards import TEXT


def hand_steps(script: Script, seat: int) -> list[Step]:
    """Return the steps of one hand from its additional cards until its cards are in the rack."""
    collected: Any = script.first(model.CardsCollected, of=seat)
    second = script.of(model.CardsDealt, to=seat)[1]
    return script.steps[script.index(second) : script.index(collected) + 1]


@fault("DEAL-ORDER", prepare=some_decide)
def deal_order(play: Play) -> Spot:
    """Two players get their first cards, or are served, in the wrong order."""
    script, plan = play.script, play.plan
    seats = sorted(plan.hands)
    following: Any = seats[seats.index(plan.chosen) + 1]
    chosen: Any = plan.chosen
    if plan.turn % 2:
        mine, theirs = script.of(model.CardsDealt, to=chosen)[0], script.of(model.CardsDealt, to=following)[0]
        script.move_behind(mine, theirs)
        return Spot()
    last = hand_steps(script, following)[-1]
    for step in reversed(hand_steps(script, chosen)):
        script.move_behind(step, last)
    return Spot()


def _passed_over(plan: Plan) -> bool:
    if not some_decide(plan, 3):
        return False
    plan.missed = sorted(plan.boxes)[0]
    return True


@fault("DEAL-ORDER/asked", prepare=_passed_over)
def before_all_others(play: Play) -> Spot:
    """A hand that was passed over gets its additional cards before the last of the others."""
    script = play.script
    seat: Any = play.plan.missed
    last: Any = sorted(play.plan.hands)[-1]
    elected: Any = script.first(model.HandElected)
    before = hand_steps(script, last)[0]
    for step in [elected, *hand_steps(script, seat)]:
        script.move_before(step, before)
    return Spot()


@fault("DEAL-COUNT", prepare=lambda plan: surrenders(plan, alone=True))
def deal_count(play: Play) -> Spot:
    """A hand that was surrendered gets no additional cards, or one too many."""
    script = play.script
    seat: Any = play.plan.chosen
    collected: Any = script.first(model.CardsCollected, of=seat)
    steps = script.of(model.CardsDealt, to=seat)
    if play.plan.turn % 2:
        for step in steps[1:]:
            script.drop(step)
        changed(collected, count=1)
    else:
        script.behind(steps[-1], dealt(seat, play.plan.left.pop(), True))
        changed(collected, count=4)
    return Spot(seat)


@fault("DEAL-COUNT/nobody_asked", prepare=some_decide)
def nobody_asked(play: Play) -> Spot:
    """A player gets no additional cards and is not asked; the dealer gives the wagers back."""
    script, plan = play.script, play.plan
    seat: Any = plan.chosen
    for step in script.of(model.CardsDealt, to=seat)[1:]:
        script.drop(step)
    for step in [step for step in script.steps if type(step.payload) in (model.WagerTaken, model.WagerPaid)]:
        event: Any = step.payload
        if event.seat == seat:
            amount = event.stake_cents if isinstance(event, model.WagerPaid) else event.amount_cents
            step.payload = model.WagerReturned(
                seat=seat, bettor=event.bettor, wager=event.wager, number=None, amount_cents=amount, reason="other"
            )
    changed(script.of(model.CardsCollected, of=seat)[0], count=1)
    return Spot(seat)


@fault("DEAL-DECK")
def deal_deck(play: Play) -> Spot:
    """There is a joker among the cards; a hand that holds it has no total, and is settled somehow."""
    step: Any = play.plan.random.choice(play.script.of(model.CardsDealt))
    changed(step, cards=["Jk"])
    return Spot()


def _once_too_often(plan: Plan) -> bool:
    """Let one of the last cards be one of which six copies are on record already."""
    gone = plan.recorded_out(6)
    if not gone:
        return False
    plan.clear()
    seat = plan.random.choice(sorted(plan.boxes))
    plan.left.append(plan.hands[seat][2])
    plan.hands[seat][2] = plan.random.choice(gone)
    return True


@fault("DEAL-DECK/seventh", fits=from_shoe, prepare=_once_too_often)
def seventh_copy(play: Play) -> Spot:
    """A seventh copy of a card comes out of the shoe."""
    return Spot()


def _last_copy(plan: Plan) -> bool:
    """Let a player's last card be the sixth copy of one whose five other copies are on record."""
    last = [card for card in plan.recorded_out(5) if card in plan.source]
    if not last or plan.face_up is not None:
        return False
    plan.clear()
    wanted = plan.random.choice(last)
    plan.chosen = plan.random.choice(sorted(plan.boxes))
    for cards in plan.hands.values():
        if wanted in cards:
            return False
    if wanted not in plan.left:
        return False
    plan.left.remove(wanted)
    plan.left.append(plan.hands[plan.chosen][2])
    plan.hands[plan.chosen][2] = wanted
    return True


@fault("DEAL-FACEUP", fits=from_shoe, prepare=_last_copy)
def deal_faceup(play: Play) -> Spot:
    """A card is found face up in the shoe and dealt all the same; its other copies are all gone."""
    seat: Any = play.plan.chosen
    step = play.script.of(model.CardsDealt, to=seat)[2]
    card: Any = TEXT[play.plan.hands[seat][2]]
    play.script.before(step, model.CardFoundFaceUp(card=card))
    return Spot()


@fault("DEAL-RACK")
def deal_rack(play: Play) -> Spot:
    """A card does not get into the rack, or cards of another batch do."""
    last: Any = play.script.of(model.CardsCollected)[-1]
    other = play.table.other
    if other is not None and play.plan.turn % 2:
        changed(last, deck=other.id)
    else:
        changed(last, count=last.payload.count - 1)
    return Spot()
