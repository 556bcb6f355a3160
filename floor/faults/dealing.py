"""Anomalies of cut and deal that several games share."""

from collections.abc import Callable
from typing import Any

import msgspec

from events.vocabulary import model
from floor.faults.anomaly import HERE, Edit, require
from floor.faults.edits import add_behind, by_turns, change, drop
from floor.faults.labels import Spot
from floor.table.facts import exposed
from floor.table.script import changed

PLAYED_ON = ("PAY-VOID", "PAY-ENVY")
"""The findings that follow if a round must be void and is played on."""


def one_box_seat(plan: Any) -> bool:
    """Prepare a plain round and choose a patron with only one box in it."""
    plan.clear()
    plan.chosen = next(iter(plan.single_boxes()), 0)
    return bool(plan.chosen)


def any_seat(plan: Any) -> int:
    """Return a seat with a wager."""
    return int(plan.random.choice(sorted(plan.boxes)))


# The cut


def _recut(play: Any, cut: Any) -> Any:
    return model.RecutOrdered(by=play.table.floor)


def cut_again(play: Any) -> Spot:
    """A floorperson orders a recut, and the same person cuts again (§ 688a.5(f))."""
    step = require(play.script.first(model.CardsCut))
    again = msgspec.structs.replace(step.payload, depth=play.plan.random.randrange(12, 25))
    play.script.behind(step, model.RecutOrdered(by=play.table.floor), again)
    return HERE


no_cut = drop(model.CardsCut)
shallow_cut = change(model.CardsCut, depth=lambda play, cut: play.plan.random.randrange(2, 10))
near_the_top = change(model.CardsCut, depth=lambda play, cut: play.plan.random.randrange(2, 10), counted_from="top")
recut_not_made = add_behind(model.CardsCut, _recut)


def cut_out_of_order(play: Any) -> Spot:
    """The cut is offered only to the last seat, which takes it."""
    order, cut = play.offer_order(), play.script.first(model.CardsCut)
    require(cut and len(order) >= 2 and not play.table.just_opened)
    for step in play.script.of(model.CutOffered):
        play.script.drop(step)
    play.script.before(cut, model.CutOffered(seat=order[-1], accepted=True))
    changed(cut, by=order[-1])
    return HERE


def cut_without_offer(play: Any) -> Spot:
    """The dealer cuts without offering the cut to anyone."""
    for step in play.script.of(model.CutOffered):
        play.script.drop(step)
    return change(model.CardsCut, by="dealer")(play)


offered_cut = by_turns(no_cut, shallow_cut, cut_out_of_order, cut_without_offer, recut_not_made)
"""No cut; too shallow a one; not offered in order; the dealer's without an offer; a recut ordered and not made."""


# The deal


def _a_later_deal(play: Any, but: int) -> tuple[Any, Any]:
    deals = play.script.of(model.CardsDealt)
    at = play.plan.random.randrange(1, len(deals) - but)
    return deals[at], deals[(at + 1) % len(deals)]


def put_back(play: Any) -> Spot:
    """A card drawn in error is put back, and comes one card later."""
    step, following = _a_later_deal(play, 1)
    play.script.before(step, model.CardDrawnInError(card=following.payload.cards[0]))
    return HERE


def drawn_in_error(play: Any) -> Spot:
    """A card is drawn in error without its face being exposed, and is used as the next (§ 688a.13(f))."""
    step, _ = _a_later_deal(play, 0)
    play.script.before(step, model.CardDrawnInError(card=step.payload.cards[0]))
    return HERE


def dealt_face_up(*consequences: str) -> Edit:
    """A card found face up is dealt, or two are found and set aside and play goes on."""

    def edit(play: Any) -> Spot:
        if play.plan.face_up:
            return Spot(consequences=consequences)
        step, _ = _a_later_deal(play, 0)
        play.script.before(step, model.CardFoundFaceUp(card=step.payload.cards[0]))
        return HERE

    return edit


def dealt_facing(to: Callable[[Any], Any], face_up: bool) -> Edit:
    """The cards of a position, chosen by the play, are dealt the wrong way up."""

    def edit(play: Any) -> Spot:
        position = to(play)
        for step in require(play.script.of(model.CardsDealt, to=position)):
            changed(step, face_up=face_up)
        return Spot(position if isinstance(position, int) else None)

    return edit


def to_dealer(play: Any) -> str:
    """The dealer's position."""
    return "dealer"


def find_face_up(plan: Any, cards: int) -> None:
    """Have cards found face up and set aside."""
    plan.face_up, plan.stub = plan.stub[:cards], plan.stub[cards:]


def two_face_up_at_times(plan: Any) -> None:
    """Every other time, have two cards found face up."""
    find_face_up(plan, 2 * (plan.turn % 2))


stub_seen = change(model.StubCounted, exposed=lambda play, stub: play.plan.random.randrange(1, 3))
card_missing = change(model.CardsCollected, -1, count=lambda play, cards: cards.count - 1)


def shown_by_player(play: Any) -> Spot:
    """A player shows a card of their own hand, without consequence."""
    seat = play.plan.chosen
    step = require(play.script.first(model.HandExamined, seat=seat))
    play.script.behind(step, exposed(seat, "player", play.plan.random.choice(play.plan.hands[seat])))
    return HERE


def card_not_read(play: Any) -> Spot:
    """The shoe does not read a card, and usually the reader under the set hands does not either."""
    plan, script = play.plan, play.script
    read = {*plan.boxes, plan.dealer, "side"}
    step = plan.random.choice([step for step in script.of(model.CardsDealt) if step.payload.to in read])
    lost = plan.random.choice(step.payload.cards)
    changed(step, cards=[None if card == lost else card for card in step.payload.cards])
    settings = [*script.of(model.HandSet), *script.of(model.HandReset)] if plan.turn % 3 else []
    for setting in settings:
        if setting.payload.position == step.payload.to:
            hands = {name: getattr(setting.payload, name) for name in ("high", "medium", "low")}
            changed(setting, **{name: [None if c == lost else c for c in cards] for name, cards in hands.items()})
    return HERE


# Who leaves


def leaves(plan: Any) -> bool:
    """Make a player with one box leave while others stay."""
    require(len({box.bettor for box in plan.boxes.values()}) >= 2 and one_box_seat(plan))
    plan.abandoned = {plan.chosen}
    return True


def abandon(anchor: type[model.Event], **fields: Any) -> Edit:
    """A player leaves right after a step; the wagers count as abandoned (§ 688a.7(b))."""

    def edit(play: Any) -> Spot:
        seat, step = play.plan.chosen, play.script.first(anchor, **fields)
        bettor = play.plan.boxes[seat].bettor
        play.script.behind(step, model.PatronLeft(seat=seat, patron=bettor), model.WagerAbandoned(seat=seat, bettor=bettor))
        del play.table.seats[seat]
        return HERE

    return edit
