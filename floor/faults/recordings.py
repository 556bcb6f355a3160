"""Reports of devices and people besides cards and money: alarms, foreign, moved and boxed cards, bets for the dealer.

§§ 688a.3(a), 688a.7(b), 688a.8(d), 688a.13(e), (k), (l) and the matching sections of other chapters, as read by D753 to D757:
each as a fault, and handled correctly or harmless.
"""

from typing import Any

import msgspec

from events.vocabulary import model
from floor.faults import wagering
from floor.faults.anomaly import HERE, Anomalies, require
from floor.faults.conditions import by_card, by_stack, can_fail
from floor.faults.dealing import find_face_up
from floor.faults.labels import Spot
from floor.table.script import ScriptStep, changed
from rulebook.cards.cards import TEXT

RECORDINGS = Anomalies()
fault, legitimate = RECORDINGS.fault, RECORDINGS.legitimate
ALARMS: Any = ("red_light", "sound", "message")
FOR_THE_DEALER = "dealer"
TIP_CENTS = 500

# A foreign card


def change_deck_used(table: Any) -> None:
    """The last deck is removed and replaced."""
    table.change_deck((table.turn - 1) % len(table.decks))


def foreign_before_play(table: Any, turn: int) -> None:
    """A card with another back is found in the next deck before a card is dealt, and the deck is removed."""
    at = table.turn % len(table.decks)
    table.report(model.ForeignCardFound(back_colour="green", card=None, deck=table.decks[at].id, found="deck"))
    table.change_deck(at)


@fault("DEAL-DECK/foreign", after=change_deck_used)
def foreign_card(play: Any) -> Spot:
    """A card in a hand has another back."""
    seat = play.plan.random.choice(sorted(seat for seat in play.plan.boxes if seat in play.plan.hands))
    found = model.fact(
        model.ForeignCardFound, back_colour="green", card=TEXT[play.plan.hands[seat][0]], deck=play.plan.deck.id, found=seat
    )
    play.script.behind(play.script.of(model.CardsDealt)[-1], found)
    return Spot(seat)


legitimate("foreign_card_removed", 2, HERE, before=foreign_before_play)

# A device's own alarm


def _alarm(play: Any, *then: model.Event) -> str:
    """Make the shoe signal a fault between two stacks, or the shuffler before the first card; return which."""
    deals = play.script.of(model.CardsDealt)
    device: Any = "shoe" if by_stack(play.table) else "shuffler"
    at = play.plan.random.randrange(1, len(deals)) if device == "shoe" else 0
    play.script.before(deals[at], model.DeviceAlarmed(alarm=ALARMS[play.plan.turn % 3], device=device), *then)
    return str(device)


@fault("DEAL-DEVICE/alarm", fits=can_fail)
def dealt_after_alarm(play: Any) -> Spot:
    """A device signals a fault, and cards are dealt anyway; it is attended to after the round."""
    device: Any = _alarm(play)
    play.script.after.append(ScriptStep(model.DeviceRestored(device=device)))
    return HERE


@legitimate("device_alarm", 3, fits=can_fail)
def attended_alarm(play: Any) -> Spot:
    """A device signals a fault and is attended to before the next card."""
    device: Any = "shoe" if by_stack(play.table) else "shuffler"
    _alarm(play, model.DeviceRestored(device=device))
    return HERE


# A stack that was set down wrongly


def _set_down_wrongly(play: Any, least: int) -> tuple[ScriptStep, model.StackMoved, ScriptStep]:
    """Set a stack down at a seat still to be served; return it, its move (`least`: how much later), and the next stack."""
    stacks = [step for step in play.script.of(model.CardsDealt) if isinstance(step.payload.to, int)]
    require(len(stacks) > least)
    at = play.plan.random.randrange(len(stacks) - least)
    wrong, right = stacks[at + least].payload.to, stacks[at].payload.to
    changed(stacks[at], to=wrong)
    return stacks[at], model.StackMoved(at=wrong, to=right), stacks[at + 1]


def moved_late(play: Any) -> Spot:
    """A stack is moved to its seat after another was dealt."""
    _, moved, following = _set_down_wrongly(play, 2)
    play.script.behind(following, moved)
    return HERE


def moved_at_once(play: Any) -> Spot:
    """A stack is moved to its seat before any other card is dealt."""
    stack, moved, _ = _set_down_wrongly(play, 1)
    play.script.behind(stack, moved)
    return HERE


fault("DEAL-ORDER/moved", moved_late, fits=by_stack)
legitimate("stack_moved", 3, moved_at_once, fits=by_stack)

# A boxed card


def _set_aside(play: Any) -> Spot:
    step = require(play.script.first(model.CardFoundFaceUp))
    step.payload = model.BoxedCardFound(card=step.payload.card, used=False)
    return HERE


def boxed_card_used(play: Any) -> Spot:
    """A card is turned the wrong way in the deck, its face unseen, and is dealt next."""
    step = play.plan.random.choice(play.script.of(model.CardsDealt))
    play.script.before(step, model.BoxedCardFound(card=step.payload.cards[0], used=True))
    return HERE


fault("DEAL-FACEUP/boxed", _set_aside, fits=by_card, prepare=lambda plan: find_face_up(plan, 1))
legitimate("boxed_card", 3, boxed_card_used)

# A bet for the dealer


@fault("WAGER-SEATED/dealer", prepare=wagering.not_seated)
def alone_for_the_dealer(play: Any) -> Spot:
    """The whole wager at a box is bet for the dealer."""
    for step in play.script.of(model.WagerPlaced, seat=play.plan.chosen):
        changed(step, bettor=FOR_THE_DEALER)
    return HERE


@legitimate("bet_for_the_dealer", 4)
def beside_the_own(play: Any) -> Spot:
    """A part of a player's wager is bet for the dealer."""
    placed = [
        step
        for step in play.script.of(model.WagerPlaced, wager=play.plan.base)
        if step.payload.amount_cents > TIP_CENTS and step.payload.form == "chips"
    ]
    step = play.plan.random.choice(require(placed))
    tip = msgspec.structs.replace(step.payload, bettor=FOR_THE_DEALER, amount_cents=TIP_CENTS)
    changed(step, amount_cents=step.payload.amount_cents - TIP_CENTS)
    play.script.behind(step, tip)
    return HERE
