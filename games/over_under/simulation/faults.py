"""Anomalies of Over/Under: deal, wagers and decisions, settlement (§§ 686a.3(a), 686a.6 to 686a.9)."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing, payment, wagering
from floor.faults.anomaly import HERE, Anomalies, Prepare, require
from floor.faults.conditions import offers
from floor.faults.dealing import one_box_seat
from floor.faults.device_records import RECORDS
from floor.faults.edits import at_seat, change
from floor.faults.labels import Spot
from floor.round.plan import BoxPlan
from floor.table.facts import card_dealt, wager_placed, wager_returned, wager_taken
from floor.table.script import SETTLING, ScriptStep, changed
from games.over_under.simulation.plan import LEAST, MOST, SIDES, OverUnderPlan
from games.over_under.simulation.play import OverUnderPlay
from games.over_under.simulation.table import ShoeTable
from rulebook.cards.cards import TEXT
from rulebook.settlement.wagers import Outcome

OVER_UNDER_ANOMALIES = Anomalies()
OVER_UNDER_ANOMALIES.take_over(RECORDS)
fault, legitimate = OVER_UNDER_ANOMALIES.fault, OVER_UNDER_ANOMALIES.legitimate

# Tables and preparations


def from_shoe(table: ShoeTable) -> bool:
    """Cards are dealt shoe by shoe."""
    return not table.endless


def in_shoe(table: ShoeTable) -> bool:
    """The next round goes on with a shoe."""
    return not table.begins and not table.endless


def some_decide(plan: OverUnderPlan, seats: int = 2) -> bool:
    """Prepare a round without surrenders with this many boxes; the chosen one is not the last."""
    plan.clear()
    plan.chosen = plan.random.choice(sorted(plan.boxes)[:-1] or sorted(plan.boxes))
    return len(plan.boxes) >= seats


def surrenders(plan: OverUnderPlan, *, alone: bool = False) -> bool:
    """Have a player surrender; `alone`: without a Bonus Wager."""
    require(one_box_seat(plan))
    box = plan.boxes[plan.chosen]
    box.decision, plan.surrendered = "surrender", {plan.chosen}
    if alone:
        box.stakes.pop("bonus", None)
    return True


def passed_over(plan: OverUnderPlan) -> bool:
    """Have a hand passed over when the additional cards are dealt."""
    possible = some_decide(plan)
    plan.missed = plan.chosen
    return possible


def dead_hand(plan: OverUnderPlan) -> bool:
    """Have a hand passed over and called dead."""
    plan.election = "void"
    return passed_over(plan)


def hand_steps(play: OverUnderPlay, seat: int) -> list[ScriptStep]:
    """Return the steps of one hand from its additional cards until its cards are in the rack."""
    script = play.script
    (end,) = script.of(model.CardsCollected, of=seat)
    return script.steps[script.index(_deals(play, seat)[1]) : script.index(end) + 1]


def _deals(play: OverUnderPlay, seat: int) -> list[ScriptStep]:
    return play.script.of(model.CardsDealt, to=seat)


def _next_seat(play: OverUnderPlay) -> int:
    seats = sorted(play.plan.hands)
    return int(seats[seats.index(play.plan.chosen) + 1])


def _move_behind(play: OverUnderPlay, steps: list[ScriptStep], step: ScriptStep) -> None:
    for each in reversed(steps):
        play.script.move_behind(each, step)


# The deal


@fault("DEAL-ORDER", prepare=some_decide)
def deal_order(play: OverUnderPlay) -> Spot:
    """Two players get their first cards, or are served, in the wrong order."""
    chosen, following = play.plan.chosen, _next_seat(play)
    if play.plan.turn % 2:
        play.script.move_behind(_deals(play, chosen)[0], _deals(play, following)[0])
    else:
        _move_behind(play, hand_steps(play, chosen), hand_steps(play, following)[-1])
    return HERE


def _first_passed_over(plan: OverUnderPlan) -> bool:
    plan.missed = min(plan.boxes)
    return some_decide(plan, 3)


@fault("DEAL-ORDER/asked", prepare=_first_passed_over)
def before_all_others(play: OverUnderPlay) -> Spot:
    """A hand that was passed over gets its additional cards before the last of the others."""
    assert play.plan.missed is not None
    before = hand_steps(play, max(play.plan.hands))[0]
    for step in [*play.script.of(model.HandElected), *hand_steps(play, play.plan.missed)]:
        play.script.move_before(step, before)
    return HERE


@fault("DEAL-COUNT", prepare=lambda plan: surrenders(plan, alone=True))
def deal_count(play: OverUnderPlay) -> Spot:
    """A hand that was surrendered gets no additional cards, or one too many."""
    script, seat = play.script, play.plan.chosen
    (in_rack,) = script.of(model.CardsCollected, of=seat)
    cards = _deals(play, seat)
    if play.plan.turn % 2:
        for step in cards[1:]:
            script.drop(step)
    else:
        script.behind(cards[-1], card_dealt(seat, play.plan.stub.pop(), True))
    changed(in_rack, count=1 if play.plan.turn % 2 else 4)
    return Spot(seat)


@fault("DEAL-COUNT/nobody_asked", prepare=some_decide)
def nobody_asked(play: OverUnderPlay) -> Spot:
    """A player gets no additional cards and is not asked; the dealer gives the wagers back."""
    script, seat = play.script, play.plan.chosen
    for step in _deals(play, seat)[1:]:
        script.drop(step)
    for step in [*script.of(model.WagerTaken, seat=seat), *script.of(model.WagerPaid, seat=seat)]:
        event = step.payload
        amount = event.stake_cents if isinstance(event, model.WagerPaid) else event.amount_cents
        step.payload = wager_returned(seat, event.bettor, event.wager, amount, "other")
    changed(script.of(model.CardsCollected, of=seat)[0], count=1)
    return Spot(seat)


# There is a joker among the cards; a hand that holds it has no total, and is settled somehow.
fault("DEAL-DECK", change(model.CardsDealt, None, cards=["Jk"]))


def _once_too_often(plan: OverUnderPlan) -> bool:
    """Make one of the last cards the seventh copy of a card on record."""
    exhausted = plan.recorded_out(6)
    if exhausted:
        plan.clear()
        seat = plan.random.choice(sorted(plan.boxes))
        plan.stub.append(plan.hands[seat][2])
        plan.hands[seat][2] = plan.random.choice(exhausted)
    return bool(exhausted)


def _last_copy(plan: OverUnderPlan) -> bool:
    """Make a player's last card the sixth copy of one whose five other copies are on record."""
    last = [card for card in plan.recorded_out(5) if card in plan.source]
    require(last and plan.face_up is None)
    plan.clear()
    wanted = plan.random.choice(last)
    plan.chosen = plan.random.choice(sorted(plan.boxes))
    require(wanted in plan.stub and not any(wanted in cards for cards in plan.hands.values()))
    plan.stub.remove(wanted)
    plan.stub.append(plan.hands[plan.chosen][2])
    plan.hands[plan.chosen][2] = wanted
    return True


fault("DEAL-DECK/seventh", HERE, fits=from_shoe, prepare=_once_too_often)  # a seventh copy comes out of the shoe


@fault("DEAL-FACEUP", fits=from_shoe, prepare=_last_copy)
def deal_faceup(play: OverUnderPlay) -> Spot:
    """A card is found face up in the shoe and dealt all the same; its other copies are all gone."""
    seat = play.plan.chosen
    card: Any = TEXT[play.plan.hands[seat][2]]
    play.script.before(_deals(play, seat)[2], model.CardFoundFaceUp(card=card))
    return HERE


@fault("DEAL-FACING", prepare=some_decide)
def deal_facing(play: OverUnderPlay) -> Spot:
    """The first card of a hand, or its additional cards, lie face down."""
    seat = play.plan.chosen
    first, *additional = _deals(play, seat)
    for step in [first] if play.plan.turn % 2 else additional:
        changed(step, face_up=False)
    return Spot(seat)


@fault("DEAL-RACK")
def deal_rack(play: OverUnderPlay) -> Spot:
    """A card does not get into the rack, or cards of another batch do."""
    other = play.table.other
    if other is not None and play.plan.turn % 2:
        return change(model.CardsCollected, -1, deck=other.id)(play)
    return dealing.card_missing(play)


# The settlement


def ends(wager: str, outcome: Outcome) -> Prepare:
    """Prepare a wager of this name that will end with this outcome."""
    return lambda plan: plan.deal_until(lambda p: any(due.wager == wager and due.outcome is outcome for due in p.dues()))


def ends_for(outcome: Outcome) -> Prepare:
    """Prepare a wager that wins or loses: by turns of an ante, a Bonus Wager (where offered), and over or under."""

    def prepare(plan: OverUnderPlan) -> bool | None:
        wager = plan.prepared
        if wager != "bonus":
            return ends(wager, outcome)(plan)
        if not plan.has_bonus:
            return ends("ante", outcome)(plan)
        seat = dealing.any_seat(plan)
        plan.boxes[seat].stakes["bonus"] = 500
        totals = [each for each in range(LEAST, MOST + 1) if (13 <= each <= 26) is (outcome is Outcome.LOSE)]
        return plan.make(seat, plan.random.choice(totals))

    return prepare


payment.register_payment(OVER_UNDER_ANOMALIES, ends_for(Outcome.WIN), ends_for(Outcome.LOSE), ends("ante", Outcome.WIN))
fault("PAY-VOID", payment.pay_void, prepare=dead_hand)


@fault("PAY-EARLY", prepare=ends_for(Outcome.LOSE))
def pay_early(play: OverUnderPlay) -> Spot:
    """A wager is settled before the last card of its hand is dealt."""
    due = payment.pick(play, Outcome.WIN, Outcome.LOSE)
    play.script.move_before(payment.settled(play, due), _deals(play, due.seat)[-1])
    return Spot(due.seat, due.wager)


@fault("PAY-ORDER", prepare=some_decide)
def pay_order(play: OverUnderPlay) -> Spot:
    """A hand is settled after the next one, or after the next player got additional cards."""
    seat, following = play.plan.chosen, _next_seat(play)
    behind = settling(play, following) if play.plan.turn % 2 else _deals(play, following)
    _move_behind(play, settling(play, seat), behind[-1])
    return Spot(seat, consequences=("DEAL-RACK",))


def settling(play: OverUnderPlay, seat: int) -> list[ScriptStep]:
    """Return the steps that settle a box."""
    return [step for step in play.script.steps if type(step.payload) in SETTLING and step.payload.seat == seat]


# Wagers and decisions


@fault("WAGER-LATE", prepare=one_box_seat)
def wager_late(play: OverUnderPlay) -> Spot:
    """An ante is raised after the first card, or over and under are placed after the additional cards; both stand."""
    plan, script, seat = play.plan, play.script, play.plan.chosen
    box, late = plan.boxes[seat], wagering.LATE_CENTS
    if plan.turn % 2:
        (side,) = script.of(model.WagerPlaced, seat=seat, wager=box.decision)
        script.move_behind(side, _deals(play, seat)[-1])
        return Spot(seat, box.decision)
    script.behind(script.of(model.CardsDealt)[0], wager_placed(seat, box.bettor, "ante", late))
    step = script.settling(seat, "ante")
    assert step is not None
    if isinstance(step.payload, model.WagerPaid):
        staked, won = step.payload.stake_cents, step.payload.winnings_cents
        changed(step, stake_cents=staked + late, winnings_cents=won + late)
    else:
        changed(step, amount_cents=step.payload.amount_cents + late)
    return Spot(seat, "ante")


fault(  # a Bonus Wager is at a box without an ante, gets cards, and is settled
    "WAGER-BASE", at_seat("bonus"), fits=offers("bonus"), prepare=wagering.optional_alone(lambda _: "bonus")
)


def _off_limits(plan: OverUnderPlan) -> bool:
    require(one_box_seat(plan))
    box = plan.boxes[plan.chosen]
    match plan.turn % 5:
        case 0 | 1:
            return wagering.off_limits(plan)
        case 2:
            box.side_cents = box.stakes["ante"] + 500
        case 3:
            box.both = True
        case _ if plan.has_bonus:
            box.stakes["bonus"] = plan.book.offers["bonus"].max_cents + 500
        case _:
            box.side_cents = box.stakes["ante"] * 2
    return True


@fault("WAGER-LIMIT", prepare=_off_limits)
def wager_limit(play: OverUnderPlay) -> Spot:
    """A wager outside the limits is accepted, over or under of another amount than the ante, or both of them."""
    seat = play.plan.chosen
    box = play.plan.boxes[seat]
    if box.both:
        return Spot(seat, "under" if box.decision == "over" else "over")
    if box.side_cents is not None:
        return Spot(seat, box.decision)
    return Spot(seat, "bonus" if play.plan.turn % 5 == 4 else "ante")


def _too_many_boxes(plan: OverUnderPlan) -> bool:
    """Give a patron with one box another: any if one is allowed, one that is not adjacent if more are."""
    for seat in plan.single_boxes():
        free = [at for at in plan.unseated if not plan.book.adjacent_boxes or abs(at - seat) > 1]
        if free:
            ante = {"ante": plan.book.offers["ante"].min_cents}
            plan.boxes[plan.random.choice(free)] = BoxPlan(plan.boxes[seat].bettor, ante)
            return plan.deal()
    return False


fault("WAGER-SEATED", HERE, prepare=_too_many_boxes)  # more boxes than are allowed, or boxes that are not adjacent


def _bar(table: ShoeTable, turn: int) -> None:
    if not table.barred:
        table.bar_newcomer()


def _barred_wagers(plan: OverUnderPlan) -> bool:
    for seat, patron in plan.table.seats.items():
        if patron.token in plan.table.barred and seat not in plan.boxes and not plan.begins:
            plan.boxes[seat] = plan.wager(patron)
            plan.chosen = seat
            return plan.deal()
    return False


fault(  # a patron who was barred wagers again in the same shoe
    "WAGER-MIDSHOE",
    at_seat("ante"),
    fits=lambda table: in_shoe(table) and table.known and len(table.seats) < 6,
    before=_bar,
    prepare=_barred_wagers,
)


@fault("WAGER-TOUCHED", prepare=one_box_seat)
def wager_touched(play: OverUnderPlay) -> Spot:
    """A player handles a wager after its time is over, before it is settled."""
    plan, seat = play.plan, play.plan.chosen
    wager: Any = plan.random.choice(sorted(plan.stakes(seat)))
    at = -1 if wager in SIDES or plan.turn % 2 else 0
    play.script.behind(_deals(play, seat)[at], model.fact(model.WagerHandled, seat=seat, wager=wager))
    return Spot(seat, wager)


@fault("WAGER-SURRENDER", prepare=lambda plan: surrenders(plan) if plan.turn % 3 else one_box_seat(plan))
def wager_surrender(play: OverUnderPlay) -> Spot:
    """A surrender with over or under at the box, before the first card, or after the additional cards is accepted."""
    script, seat = play.script, play.plan.chosen
    box, ante = play.plan.boxes[seat], script.settling(seat, "ante")
    assert ante is not None
    if play.plan.turn % 3 == 0:
        side = script.of(model.WagerPlaced, seat=seat, wager=box.decision)[-1]
        (surrender,) = script.behind(side, model.fact(model.Surrendered, seat=seat))
        ante.payload = wager_taken(seat, box.bettor, "ante", box.stakes["ante"], "surrendered")
        script.move_behind(ante, surrender)
        return Spot(seat)
    (surrender,) = script.of(model.Surrendered, seat=seat)
    if play.plan.turn % 3 == 1:
        script.move_before(surrender, _deals(play, seat)[0])
    else:
        _move_behind(play, [surrender, ante], _deals(play, seat)[-1])
    return Spot(seat)


@fault("PLAY-ORDER", fits=lambda table: table.book.settings["decisions"] == "before_further_cards", prepare=some_decide)
def play_order(play: OverUnderPlay) -> Spot:
    """A player decides after the next one, after another's additional cards, or before all have a first card."""
    first, last = min(play.plan.hands), max(play.plan.hands)
    match play.plan.turn % 3:
        case 0:
            chosen, behind = play.plan.chosen, _deciding(play, _next_seat(play))[-1]
        case 1:
            chosen, behind = last, hand_steps(play, first)[-1]
        case _:
            chosen, behind = first, _deals(play, first)[0]
    _move_behind(play, _deciding(play, chosen), behind)
    return Spot(chosen)


def _deciding(play: OverUnderPlay, seat: int) -> list[ScriptStep]:
    """Return the steps in which a player decides."""
    decided = play.script.of(model.DecisionMade, seat=seat)
    sides = [step for step in play.script.of(model.WagerPlaced, seat=seat) if step.payload.wager in SIDES]
    return [*decided, *sides]


# Legitimate irregularities (§ 686a.9(a), (c), D28)


def _face_up(plan: OverUnderPlan) -> None:
    """Have a card found face up before another, so that the record tells the card set aside from the card dealt."""
    plan.face_up = 0
    plan.deal()
    hands = plan.hands.values()
    dealt = [hand[0] for hand in hands] + [card for hand in hands for card in hand[1:]]
    plan.face_up_before = plan.random.choice([at for at, card in enumerate(dealt) if card != plan.face_up])


def _stands(plan: OverUnderPlan) -> bool:
    """Have a patron who is not seated wager at a free box."""
    require(plan.unseated)
    ante = {"ante": plan.book.offers["ante"].min_cents}
    plan.boxes[plan.random.choice(plan.unseated)] = BoxPlan(plan.table.people.token(), ante)
    return plan.deal()


def handled_in_time(play: OverUnderPlay) -> Spot:
    """A player handles the own ante before the first card: its time is not over."""
    seat = play.plan.chosen
    step = play.script.of(model.WagerPlaced, seat=seat, wager="ante")[-1]
    play.script.behind(step, model.fact(model.WagerHandled, seat=seat, wager="ante"))
    return HERE


def late_message(play: OverUnderPlay) -> Spot:
    """The betting position's last message, a wager on over or under, arrives long after it was placed."""
    last = play.script.of(model.WagerPlaced)[-1]
    require(last.payload.wager in SIDES)
    play.script.late = [last]
    return HERE


legitimate("face_up_card", 5, HERE, prepare=_face_up)
legitimate("missing_cards_dealt", 5, HERE, prepare=passed_over)
legitimate("missing_cards_void", 5, HERE, prepare=dead_hand, decides=True)
legitimate("card_not_read", 4, dealing.card_not_read)
legitimate("surrender", 4, HERE, prepare=surrenders, decides=True)
wagering.register_late_returned(OVER_UNDER_ANOMALIES, "ante", lambda play: play.script.of(model.CardsDealt)[0])
legitimate("wager_handled_in_time", 4, handled_in_time, prepare=one_box_seat)
legitimate("standing_patron", 4, HERE, prepare=_stands)
legitimate(
    "newcomer_barred",
    5,
    HERE,
    fits=lambda table: in_shoe(table) and len(table.seats) < 6,
    before=lambda table, turn: table.bar_newcomer(),
)
legitimate("late_message", 8, late_message)

OVER_UNDER_ANOMALIES.natural = {
    "surrender": lambda play: play.plan.surrendered,
    "cover_card_first": lambda play: play.cover_at == "start",
    "cover_card_on_a_box": lambda play: isinstance(play.cover_at, int),
    "new_dealer_burns": lambda play: play.new_dealer_burnt,
    "other_batch_shuffled": lambda play: play.other_deck_shuffled,
    "let_in_after_reshuffle": lambda play: play.let_in_again,
}
