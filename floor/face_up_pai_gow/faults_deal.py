"""Planted faults of start, deal and stub (§§ 688a.5(i), 688a.8 to 688a.10, 688a.13)."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.anomalies import fault
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import (
    by_card,
    by_stack,
    misdeal,
    one_box_seat,
    prepare_surrender,
    with_dealers_shaker,
    with_dice,
    wrong_total,
)  # fmt: skip
from floor.faults.labels import Spot
from floor.table.script import changed
from games.cards import TEXT

PLAYED_ON = ("PAY-VOID", "PAY-ENVY")
"""What follows from a round that must be void and is played on."""


@fault("DEAL-TOTAL", fits=with_dice)
def deal_total(play: Play) -> Spot:
    """A wrong total is announced and not corrected; the cards go where the dice point all the same."""
    changed(play.script.of(model.TotalAnnounced)[-1], total=wrong_total(play.plan))
    return Spot()


def _wrong_start(plan: Plan) -> bool:
    if plan.book.starting != "number" and plan.turn % 2 == 0:
        total = wrong_total(plan)
        plan.announced = [total]
        plan.start_at(total)
    else:
        plan.start_at((plan.count + plan.random.randrange(6)) % 7 + 1)
    return True


@fault("DEAL-START", prepare=_wrong_start)
def deal_start(play: Play) -> Spot:
    """The first card goes to the wrong position, by a wrong total or a wrong count, and the round is played on."""
    by_total = play.plan.announced not in ([], [play.plan.count])
    return Spot(consequences=("DEAL-TOTAL", *PLAYED_ON) if by_total else ())


@fault("DEAL-NOROLL", fits=with_dice)
def deal_noroll(play: Play) -> Spot:
    """The dice do not lie flat, and the dealer counts them all the same."""
    changed(play.script.of(model.DiceRolled)[-1], lie="not_flat")
    return Spot()


@fault("DEAL-SHAKE", fits=with_dealers_shaker)
def deal_shake(play: Play) -> Spot:
    """The shaker is shaken twice only, or not covered or not shaken after the deal."""
    script = play.script
    shakes = script.of(model.ShakerShaken)
    cover = script.first(model.ShakerCovered)
    assert cover is not None
    match play.plan.turn % 3:
        case 0:
            changed(shakes[0], times=2)
        case 1:
            script.drop(shakes[-1])
        case _:
            script.drop(cover)
            script.drop(shakes[-1])
    return Spot()


@fault("DEAL-ORDER")
def deal_order_(play: Play) -> Spot:
    """Two positions are served in the wrong order once."""
    script = play.script
    deals = script.of(model.CardsDealt)
    at = play.plan.random.randrange(1, len(deals) - 1)
    script.move_before(deals[at + 1], deals[at])
    return Spot()


@fault("DEAL-COUNT", prepare=misdeal)
def deal_count(play: Play) -> Spot:
    """One empty seat gets eight cards and another six; nobody notices."""
    assert play.plan.misdealt is not None
    order = ("DEAL-ORDER",) if by_card(play.table) else ()
    return Spot(play.plan.misdealt[0], consequences=("DEAL-COUNT", *order, *PLAYED_ON))


def _wrong_stub(plan: Plan) -> bool:
    if plan.turn % 2:
        plan.short_stub = plan.random.choice((-1, 1))
    return True


@fault("DEAL-STUB", prepare=_wrong_stub)
def deal_stub(play: Play) -> Spot:
    """The stub is not counted, or it is three or five and the round is played on (the deck leaves the table after it)."""
    if play.plan.short_stub:
        return Spot(consequences=("DEAL-RACK", *PLAYED_ON))
    counted = play.script.first(model.StubCounted)
    assert counted is not None
    play.script.drop(counted)
    return Spot()


@fault("DEAL-STUBSEEN")
def deal_stubseen(play: Play) -> Spot:
    """A card of the stub is exposed."""
    counted = play.script.first(model.StubCounted)
    assert counted is not None
    changed(counted, exposed=play.plan.random.randrange(1, 3))
    return Spot()


@fault("DEAL-DECK", prepare=lambda plan: plan.make_empty(1))
def deal_deck(play: Play) -> Spot:
    """An empty seat is dealt a card that somebody else has too."""
    plan = play.plan
    to: Any = plan.random.choice(plan.empty)
    other: Any = TEXT[plan.hands["dealer"][0]]
    step: Any = play.script.of(model.CardsDealt, to=to)[0]
    changed(step, cards=[other, *step.payload.cards[1:]])
    return Spot()


def _two_face_up(plan: Plan) -> bool:
    if plan.turn % 2:
        plan.face_up = plan.stub[:2]
    return True


@fault("DEAL-FACEUP", fits=by_card, prepare=_two_face_up)
def deal_faceup(play: Play) -> Spot:
    """A card found face up is dealt, or two are found and set aside and the round is played on."""
    if play.plan.face_up:
        return Spot(consequences=("DEAL-STUB", *PLAYED_ON))
    deals: Any = play.script.of(model.CardsDealt)
    step = deals[play.plan.random.randrange(1, len(deals))]
    play.script.before(step, model.CardFoundFaceUp(card=step.payload.cards[0]))
    return Spot()


@fault("DEAL-DRAWN", fits=by_card)
def deal_drawn(play: Play) -> Spot:
    """A card drawn in error is put back, and comes one card later."""
    deals: Any = play.script.of(model.CardsDealt)
    at = play.plan.random.randrange(1, len(deals) - 1)
    play.script.before(deals[at], model.CardDrawnInError(card=deals[at + 1].payload.cards[0]))
    return Spot()


@fault("DEAL-EXPOSED", prepare=one_box_seat)
def deal_exposed(play: Play) -> Spot:
    """The dealer exposes a player's card and asks for no election, or exposes one among the stacks and deals on."""
    plan, script = play.plan, play.script
    seat: Any = plan.chosen
    card: Any = TEXT[plan.hands[seat][6]]
    deals = script.of(model.CardsDealt)
    if by_stack(play.table) and plan.turn % 2:
        script.behind(deals[2], model.CardExposed(whose="stack", by="dealer", card=None))
        return Spot(consequences=PLAYED_ON)
    script.behind(deals[-1], model.CardExposed(whose=seat, by="dealer", card=card))
    return Spot(seat)


@fault("DEAL-ELECTION", prepare=one_box_seat)
def deal_election(play: Play) -> Spot:
    """A player whose card was exposed elects to play on only after looking at the others."""
    seat: Any = play.plan.chosen
    card: Any = TEXT[play.plan.hands[seat][0]]
    looked = play.script.first(model.HandExamined, seat=seat)
    assert looked is not None
    play.script.before(play.setting_begins(), model.CardExposed(whose=seat, by="dealer", card=card))
    play.script.behind(looked, model.HandElected(seat=seat, election="play"))
    return Spot(seat)


@fault("DEAL-NOBETS")
def deal_nobets(play: Play) -> Spot:
    """Nobody announces "no more bets"."""
    said = play.script.first(model.NoMoreBets)
    assert said is not None
    play.script.drop(said)
    return Spot()


def _surrender_at_times(plan: Plan) -> bool:
    return prepare_surrender(plan) if plan.turn % 2 else True


@fault("DEAL-RACK", prepare=_surrender_at_times)
def deal_rack(play: Play) -> Spot:
    """A card does not get into the rack, or a surrendered hand is not counted."""
    if play.plan.turn % 2:
        seat = play.plan.chosen
        for step in play.script.of(model.CardsCollected, of=seat):
            changed(step, counted=None)
        return Spot(seat)
    last: Any = play.script.of(model.CardsCollected)[-1]
    changed(last, count=last.payload.count - 1)
    return Spot()
