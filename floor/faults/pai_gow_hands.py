"""Anomalies of a pai gow game before its settlement: start, deal, wagers, surrender, setting."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing, wagering
from floor.faults.anomaly import HERE, Anomalies, NotPossible, require
from floor.faults.conditions import by_card, by_stack, shuffled_by_hand, with_dealers_shaker, with_dice
from floor.faults.dealing import PLAYED_ON, one_box_seat
from floor.faults.device_records import RECORDS
from floor.faults.edits import at_seat, both, by_turns, change, drop
from floor.faults.equipment import EQUIPMENT, register_broken_device
from floor.faults.labels import Spot
from floor.round.pai_gow_plan import PaiGowPlan, hand_of
from floor.round.plan import BoxPlan, Way
from floor.table.facts import exposed, hand_reset
from floor.table.script import ScriptStep, changed
from rulebook.cards.cards import TEXT
from rulebook.chapters.filed_way import is_set_by
from rulebook.settlement.wagers import Outcome

HANDS = Anomalies()
HANDS.take_over(EQUIPMENT)
HANDS.take_over(RECORDS)
fault, legitimate = HANDS.fault, HANDS.legitimate

WRONGLY_SETTLED = (*("PAY-OVER", "PAY-UNDER", "PAY-MISSED", "PAY-LOSER", "PAY-TAKEN", "PAY-NOT-TAKEN"), "PAY-ANNOUNCED")

# Start and deal


def misdeal(plan: PaiGowPlan) -> bool:
    """Deal one card too many to an empty seat and one too few to another."""
    require(plan.make_empty(2))
    more, fewer = plan.random.sample(plan.empty, 2)
    plan.misdealt = (more, fewer)
    return True


def _wrong_start(plan: PaiGowPlan) -> None:
    if plan.book.starting != "number" and plan.turn % 2 == 0:
        plan.announce_wrong()
    else:
        plan.start_at((plan.count + plan.random.randrange(6)) % 7 + 1)


@fault("DEAL-START", prepare=_wrong_start)
def deal_start(play: Any) -> Spot:
    """A wrong total or a wrong count sends the first card to the wrong position, and play goes on."""
    by_total = play.plan.announced not in ([], [play.plan.count])
    return Spot(consequences=("DEAL-TOTAL", *PLAYED_ON) if by_total else ())


# A wrong total is announced and not corrected; the cards go where the dice point all the same.
fault("DEAL-TOTAL", change(model.TotalAnnounced, -1, total=lambda play, _: play.plan.wrong_total()), fits=with_dice)
fault("DEAL-NOROLL", change(model.DiceRolled, -1, lie="not_flat"), fits=with_dice)
fault(  # the shaker is shaken twice only, or not covered or not shaken after the deal
    "DEAL-SHAKE",
    by_turns(
        change(model.ShakerShaken, times=2),
        drop(model.ShakerShaken, -1),
        both(drop(model.ShakerCovered), drop(model.ShakerShaken, -1)),
    ),
    fits=with_dealers_shaker,
)


def hands_dealt(play: Any) -> list[ScriptStep]:
    """Return the steps that deal cards to hands, not to piles."""
    return [step for step in play.script.of(model.CardsDealt) if step.payload.to in play.plan.positions]


@fault("DEAL-ORDER")
def deal_order(play: Any) -> Spot:
    """Two positions are served in the wrong order once."""
    deals = hands_dealt(play)
    at = play.plan.random.randrange(1, len(deals) - 1)
    play.script.move_before(deals[at + 1], deals[at])
    return HERE


@fault("DEAL-COUNT", prepare=misdeal)
def deal_count(play: Any) -> Spot:
    """One empty seat gets eight cards and another six; no one notices."""
    order = ("DEAL-ORDER",) if by_card(play.table) else ()
    return Spot(play.plan.misdealt[0], consequences=("DEAL-COUNT", *order, *PLAYED_ON))


def _wrong_stub(plan: PaiGowPlan) -> None:
    plan.short_stub = plan.random.choice((-1, 1)) if plan.turn % 2 else 0


@fault("DEAL-STUB", prepare=_wrong_stub)
def deal_stub(play: Any) -> Spot:
    """The stub is not counted, or has three or five cards and play goes on (then the deck leaves the table)."""
    if play.plan.short_stub:
        return Spot(consequences=("DEAL-RACK", *PLAYED_ON))
    return drop(model.StubCounted)(play)


fault("DEAL-STUBSEEN", dealing.stub_seen)


@fault("DEAL-DECK", prepare=lambda plan: plan.make_empty(1))
def deal_deck(play: Any) -> Spot:
    """A seat without a wager is dealt a card that the dealer also has, perhaps by way of a pile."""
    plan, script = play.plan, play.script
    step = script.first(model.CardsDealt, to=plan.random.choice(plan.empty))
    own, other = step.payload.cards[0], TEXT[plan.hands[plan.dealer][0]]
    changed(step, cards=[other, *step.payload.cards[1:]])
    for on_pile in script.of(model.CardsDealt, cards=[own]):
        changed(on_pile, cards=[other])
    return HERE


fault("DEAL-FACEUP", dealing.dealt_face_up("DEAL-STUB", *PLAYED_ON), fits=by_card, prepare=dealing.two_face_up_at_times)
fault("DEAL-FACING", dealing.dealt_facing(dealing.to_dealer, face_up=False))
fault("DEAL-DRAWN", dealing.put_back, fits=by_card)


def expose(play: Any, seat: Any) -> ScriptStep:
    """Have the dealer expose a card of a seat after the deal; return that step."""
    event = exposed(seat, "dealer", play.plan.random.choice(play.plan.hands[seat]))
    step: ScriptStep = play.script.before(play.setting_begins(), event)[0]
    return step


@fault("DEAL-EXPOSED", prepare=one_box_seat)
def deal_exposed(play: Any) -> Spot:
    """The dealer exposes a player's card without asking for an election, or exposes one among the stacks and deals on."""
    seat, deals = play.plan.chosen, play.script.of(model.CardsDealt)
    if by_stack(play.table) and play.plan.turn % 2:
        play.script.behind(deals[2], exposed("stack", "dealer", None))
        return Spot(consequences=PLAYED_ON)
    play.script.behind(deals[-1], exposed(seat, "dealer", play.plan.hands[seat][6]))
    return Spot(seat)


@fault("DEAL-ELECTION", prepare=one_box_seat)
def deal_election(play: Any) -> Spot:
    """A player with an exposed card elects to play on only after looking at the others."""
    seat, looked = play.plan.chosen, play.script.first(model.HandExamined, seat=play.plan.chosen)
    expose(play, seat)
    play.script.behind(looked, model.HandElected(seat=seat, election="play"))
    return Spot(seat)


fault("DEAL-NOBETS", drop(model.NoMoreBets))


def prepare_surrender(plan: PaiGowPlan) -> bool:
    """Have a player without optional wagers surrender, against a dealer without ace high."""
    require(plan.deal_until(lambda p: not p.dealer_pushes) and one_box_seat(plan))
    plan.bet_only_base(plan.chosen)
    plan.surrendered = {plan.chosen}
    return True


@fault("DEAL-RACK", prepare=lambda plan: prepare_surrender(plan) if plan.turn % 2 else True)
def deal_rack(play: Any) -> Spot:
    """A card does not get into the rack, or a surrendered hand is not counted."""
    if play.plan.turn % 2 == 0:
        return dealing.card_missing(play)
    for step in play.script.of(model.CardsCollected, of=play.plan.chosen):
        changed(step, counted=None)
    return Spot(play.plan.chosen)


fault("DEAL-CUT", dealing.offered_cut, fits=shuffled_by_hand)
register_broken_device(HANDS, 1, PLAYED_ON, ("DEAL-SHUFFLE",))

# Wagers and surrender


def _late(plan: PaiGowPlan) -> bool:
    """Have a player change an untied base wager after "no more bets": raise it, or withdraw part."""
    decided = (Outcome.WIN, Outcome.LOSE)
    require(plan.deal_until(lambda p: any(p.outcome(seat) in decided for seat in p.single_boxes())))
    plan.chosen = next(seat for seat in plan.single_boxes() if plan.outcome(seat) in decided)
    box, offer = plan.boxes[plan.chosen], plan.book.offers["base"]
    if plan.turn % 2 == 0:
        box.stakes["base"] = min(box.stakes["base"], offer.max_cents - 2500)
        box.late = {"base": 2500}
    else:
        box.stakes["base"] = max(box.stakes["base"], 2 * offer.min_cents)
        box.late = {"base": offer.min_cents - box.stakes["base"]}
    box.stakes["base"] += box.late["base"]
    return True


fault("WAGER-LATE", wagering.bet_late(model.CardsDealt), prepare=_late)
fault(
    "WAGER-BASE",
    lambda play: Spot(play.plan.chosen, play.plan.further),
    prepare=wagering.optional_alone(lambda plan: plan.further),
)
fault("WAGER-LIMIT", at_seat("base"), prepare=wagering.off_limits)
fault("WAGER-FORM", wagering.wrong_form)
fault("WAGER-SEATED", HERE, prepare=wagering.not_seated)


def _against_the_rules(plan: PaiGowPlan) -> bool:
    require(prepare_surrender(plan))
    if plan.turn % 3 == 0:
        # One that the cards decide: a wager on the dice is settled before a surrender, and does not hinder it.
        wagers, known = (plan.further, "fortune_bonus"), plan.book.chapter.wagers
        still_open = (each for each in wagers if each in plan.book.offers and known[each].closes != "activation")
        plan.bet(plan.chosen, require(next(still_open, None)), 500)
        plan.surrendered = {plan.chosen}
    return True


@fault("WAGER-SURRENDER", prepare=_against_the_rules)
def wager_surrender(play: Any) -> Spot:
    """A surrender is accepted with an optional wager, before the dealer's hands are set, or after the reveal."""
    script, seat = play.script, play.plan.chosen
    surrender = script.first(model.Surrendered)
    if play.plan.turn % 3 == 1:
        script.move_before(surrender, script.first(model.HandSet, position="dealer"))
        script.drop_first(model.HandExamined, seat=seat)
    elif play.plan.turn % 3 == 2:
        script.drop_first(model.HandRevealed, position=seat)
        script.before(surrender, model.HandRevealed(position=seat))
        return Spot(seat, consequences=("PAY-REVEAL",))
    return Spot(seat)


# The hands


def against_house_way(plan: PaiGowPlan) -> list[Way]:
    """Return the settings of the dealer's cards that break the house way without being foul."""
    cards = plan.hands["dealer"]
    return [way for way in plan.legal_ways(cards) if not is_set_by(plan.book.way, hand_of(cards, way))]


def dealer_sets_otherwise(plan: PaiGowPlan) -> bool:
    """Set the dealer's hands against the house way."""
    require(plan.deal_until(lambda p: not p.dealer_pushes and bool(against_house_way(p))))
    plan.dealer_way = plan.random.choice(against_house_way(plan))
    return True


# They are not reset, and everyone is settled by them.
fault("SET-DEALER", Spot(consequences=WRONGLY_SETTLED), prepare=dealer_sets_otherwise)


def _foreign_card(plan: PaiGowPlan) -> bool:
    require(one_box_seat(plan))
    box = plan.boxes[plan.chosen]
    high, *others = box.way
    box.way = ((plan.stub[0], *high[1:]), *others)
    if plan.is_foul(box.way):
        box.way = plan.legal_ways([card for part in box.way for card in part])[0]
    return True


fault("SET-CARDS", at_seat(), prepare=_foreign_card)  # a card that was not dealt there, settled as it lies


def _other_settings(plan: PaiGowPlan, seat: int) -> list[Way]:
    """The other settings of a seat's cards with the same result."""
    if plan.dealer_pushes:
        return []
    way, outcome = plan.boxes[seat].way, plan.outcome(seat)
    return [each for each in plan.legal_ways(plan.hands[seat]) if each != way and plan.compare(each) is outcome]


@fault("SET-CHANGED", prepare=lambda plan: plan.deal_until(lambda p: any(_other_settings(p, seat) for seat in p.single_boxes())))
def set_changed(play: Any) -> Spot:
    """A player sets the hands again after placing them, without effect on the wager."""
    for seat in play.plan.single_boxes():
        ways, step = _other_settings(play.plan, seat), play.script.first(model.HandSet, position=seat)
        if ways and step is not None:
            play.script.behind(step, hand_reset(seat, play.plan.random.choice(ways), "player", "changed"))
            return Spot(seat)
    raise NotPossible


@fault("SET-EARLY")
def set_early(play: Any) -> Spot:
    """A player looks at the cards before the dealer's hands are set."""
    looks = require(play.script.of(model.HandExamined))
    look = play.plan.random.choice(looks)
    play.script.move_before(look, play.script.first(model.HandSet, position="dealer"))
    return Spot(look.payload.seat)


def dealer_turned_early(play: Any) -> Spot:
    """The dealer's cards are turned over, or even set, before a player has set, although players set first."""
    script, seat = play.script, play.plan.chosen
    turned = script.first(model.HandSet if play.plan.turn % 2 else model.HandRevealed, position="dealer")
    script.move_behind(script.first(model.HandSet, position=seat), turned)
    return Spot(seat)


def _two_boxes(plan: PaiGowPlan) -> bool:
    """Give a seated patron the adjacent box too, with a wager that is larger or the same."""
    plan.clear()
    for seat in plan.single_boxes():
        if seat < 6 and seat + 1 in plan.unseated:
            stakes = dict(plan.boxes[seat].stakes)
            if plan.turn % 2 and stakes["base"] + 500 <= plan.book.offers["base"].max_cents:
                stakes["base"] += 500
            plan.boxes[seat + 1] = BoxPlan(plan.boxes[seat].bettor, stakes)
            plan.table.take_box_beside(seat)
            plan.chosen = seat
            return plan.deal_to({})
    return False


@fault("SET-ORDER", fits=lambda table: table.spec.adjacent_boxes, prepare=_two_boxes)
def set_order(play: Any) -> Spot:
    """A patron's second box is looked at and set first."""
    script, second = play.script, play.plan.chosen
    before = script.first(model.HandExamined, seat=second + 1)
    for step in (*script.of(model.HandExamined, seat=second), *script.of(model.HandSet, position=second)):
        script.move_before(step, before)
    return HERE
