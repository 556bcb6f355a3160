"""Anomalies in a pai gow game's settlement, voids and progressive, and its legitimate irregularities."""

from typing import Any

from events.vocabulary import model
from events.vocabulary.model import fact
from floor.faults import dealing, payment, wagering
from floor.faults.anomaly import HERE, Anomalies, require
from floor.faults.conditions import by_card, by_stack, capped, shuffled_by_hand, with_dealers_shaker, with_dice
from floor.faults.dealing import any_seat, find_face_up, one_box_seat
from floor.faults.edits import by_turns, change, its_seat, only_if, prepared_by_turns
from floor.faults.labels import Spot
from floor.faults.pai_gow_hands import HANDS, against_house_way, expose, misdeal, prepare_surrender
from floor.faults.payment import pick, progressive_wager, progressive_winner, replace_settlement, settled, share_document
from floor.faults.recordings import RECORDINGS
from floor.round.pai_gow_plan import COMMON_HANDS, PaiGowPlan
from floor.table.facts import wager_paid, wager_returned
from floor.table.script import ScriptStep, changed
from rulebook.chapters.paytables import ANY_SEVEN_CARD_STRAIGHT_FLUSH
from rulebook.settlement.bonus import is_qualifying
from rulebook.settlement.wagers import Outcome

PAI_GOW = Anomalies()
"""All that the pai gow games have in common."""
PAI_GOW.take_over(HANDS)
PAI_GOW.take_over(RECORDINGS)
fault, legitimate = PAI_GOW.fault, PAI_GOW.legitimate

# The settlement


def base_ends(*outcomes: Outcome) -> Any:
    """Prepare a round in which a base wager ends with this outcome."""
    return lambda plan: plan.deal_until(lambda p: any(p.outcome(seat) in outcomes for seat in p.boxes))


def _fortune_wins(plan: PaiGowPlan) -> bool:
    seat = any_seat(plan)
    plan.bet(seat, "fortune_bonus", 500)
    return plan.deal_to({seat: plan.random.choice(COMMON_HANDS)})


def _further_wins(plan: PaiGowPlan) -> bool:
    seat = any_seat(plan)
    plan.bet(seat, plan.further, 500)
    return plan.deal_to(plan.winning(seat))


def _optional_loses(plan: PaiGowPlan) -> bool:
    seat = any_seat(plan)
    wager = plan.random.choice((plan.further, "fortune_bonus"))
    plan.bet(seat, wager, 500)
    return plan.deal_to(plan.losing(seat, wager))


WINNER = prepared_by_turns(base_ends(Outcome.WIN), _fortune_wins, _further_wins)
LOSER = prepared_by_turns(base_ends(Outcome.LOSE), _optional_loses)


def _winner_or_tie(plan: PaiGowPlan) -> bool | None:
    return base_ends(Outcome.TIE)(plan) if plan.ties and plan.turn % 4 == 3 else WINNER(plan)


payment.register_payment(PAI_GOW, WINNER, LOSER, base_ends(Outcome.WIN), _winner_or_tie)


def prepare_foul(plan: PaiGowPlan) -> bool:
    """Let a player set a hand foul, against a dealer without ace high."""
    require(plan.deal_until(lambda p: not p.dealer_pushes))
    for seat in plan.single_boxes():
        ways = [way for way in plan.all_ways(plan.hands[seat]) if plan.is_foul(way)]
        if ways:
            plan.boxes[seat].way = plan.random.choice(ways)
            return True
    return False


@fault("PAY-FOUL", prepare=prepare_foul)
def pay_foul(play: Any) -> Spot:
    """A foul hand's base wager is paid, pushed or left."""
    due = pick(play, Outcome.FOUL)
    match play.plan.turn % 3:
        case 0:
            event = wager_paid(due, due.staked_cents, due.staked_cents, play.chips)
            return replace_settlement(play, due, event, "win")
        case 1:
            settled(play, due).payload = wager_returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
        case _:
            play.script.drop(settled(play, due))
    return Spot(due.seat, "base")


def envy(plan: PaiGowPlan) -> bool:
    """Prepare an Envy Bonus hand with its wager at one box, and a qualifying wager at another patron's."""
    holder = any_seat(plan)
    plan.bet(holder, "fortune_bonus", 100)
    others = require([seat for seat in plan.boxes if plan.boxes[seat].bettor != plan.boxes[holder].bettor])
    other = plan.random.choice(others)
    offer = plan.book.offers.get("progressive")
    if plan.turn % 2 and offer is not None and offer.paytable is not None and offer.paytable.has_envy:
        plan.bet_progressive(other)
    else:
        plan.bet(other, "fortune_bonus", 500)
    return plan.deal_to({holder: plan.random.choice(("four_of_a_kind", "straight_flush", "royal_flush"))})


fault("PAY-ENVY", payment.pay_envy, prepare=envy)
fault("PAY-ENVYCALL", payment.no_envy_call, prepare=envy)


@fault("PAY-ANNOUNCED")
def pay_announced(play: Any) -> Spot:
    """A wrong result is announced, but the settlement is right."""
    others = {"win": ("lose", "tie"), "lose": ("win", "tie"), "tie": ("win", "lose")}
    wrong = change(model.ResultAnnounced, None, its_seat, result=lambda play, e: play.plan.random.choice(others[e.result]))
    return Spot(wrong(play).seat, "base")


@fault("PAY-REVEAL")
def pay_reveal(play: Any) -> Spot:
    """Two seats are revealed in the wrong order; the wagers are settled in order."""
    shown = [step for step in play.script.of(model.HandRevealed) if step.payload.position != "dealer"]
    require(len(shown) >= 2)
    at = play.plan.random.randrange(len(shown) - 1)
    play.script.move_before(shown[at + 1], shown[at])
    return HERE


@fault("PAY-ORDER")
def pay_order(play: Any) -> Spot:
    """A seat's base wager is settled after the next seat's, or an optional wager before the base wager."""
    base = [due for due in play.dues if due.wager == "base" and due.seat not in play.plan.surrendered]
    for due in base if play.plan.turn % 2 else []:
        optional = [each for each in play.dues if each.seat == due.seat and each.wager in play.plan.by_hand[1:]]
        if optional:
            play.script.move_before(settled(play, optional[0]), settled(play, due))
            return HERE
    return next_seat_first(play)


def next_seat_first(play: Any) -> Spot:
    """A seat's base wager is settled after the next seat's."""
    base = [due for due in play.dues if due.wager == "base" and due.seat not in play.plan.surrendered]
    require(len(base) >= 2)
    play.script.move_behind(settled(play, base[0]), settled(play, base[1]))
    return Spot(consequences=("DEAL-RACK",))


fault(
    "PAY-EARLY",
    by_turns(
        payment.settled_before(model.CardsDealt),
        payment.settled_before(model.HandSet, position="dealer"),
        payment.settled_before(model.HandRevealed, "base", position=payment.its_own),
    ),
    prepare=base_ends(Outcome.WIN, Outcome.LOSE),
)


def _above_the_maximum(plan: PaiGowPlan) -> bool:
    """Prepare a Fortune Bonus whose win exceeds the filed maximum payout."""
    seats = require(plan.single_boxes())
    plan.bet_only_base(seats[0])
    plan.bet(seats[0], "fortune_bonus", 1100)
    plan.without_envy({seats[0]})
    return plan.deal_to({seats[0]: "seven_card_straight_flush"})


@fault("PAY-LIMIT", fits=capped, prepare=_above_the_maximum)
def pay_limit(play: Any) -> Spot:
    """A Fortune Bonus is paid above the filed maximum payout."""
    due = require(next((due for due in play.dues if due.wager == "fortune_bonus" and due.capped), None))
    changed(settled(play, due), winnings_cents=due.uncapped_cents)
    return Spot(due.seat, due.wager)


# The void


def prepare_void(plan: PaiGowPlan) -> bool:
    """Prepare a round that must be void on a ground that fits the table, and is voided."""
    grounds = ["wrong_count", "stub_count"]
    grounds += ["wrong_start"] if plan.table.spec.has_dice else []
    if plan.book.has("659a.13(e)"):
        grounds.append("exposed_dealer")
    elif by_stack(plan.table):
        grounds.append("exposed_stack")
    grounds.append("face_up_cards" if by_card(plan.table) else "device_failed")
    plan.void = grounds[plan.turn % len(grounds)]
    plan.clear()
    all_cards = 49 if by_card(plan.table) else 7
    plan.void_after = plan.random.randrange(2, all_cards)
    match plan.void:
        case "wrong_start":
            plan.announce_wrong()
            plan.void_after = plan.random.randrange(1, 4)
        case "exposed_dealer":
            plan.void_after = plan.random.randrange(plan.order.index("dealer") + 1, all_cards + 1)
        case "wrong_count":
            plan.void_after = all_cards
            return misdeal(plan)
        case "stub_count":
            plan.void_after = all_cards
            plan.short_stub = plan.random.choice((-1, 1))
        case "face_up_cards":
            find_face_up(plan, 2)
    return True


fault("PAY-VOID", payment.pay_void, prepare=prepare_void)

# The progressive


def wins_share(plan: PaiGowPlan) -> bool:
    """Prepare a winner of the smallest share of the meter in the paytable."""
    paytable = plan.book.offers["progressive"].paytable
    require(progressive_wager(plan))
    assert paytable is not None, "the Progressive is filed with its paytable"
    plan.bet_only_base(plan.chosen)
    plan.bet_progressive(plan.chosen)
    plan.without_envy({plan.chosen})
    line = min((line for line in paytable.lines if line.meter_bp), key=lambda line: line.meter_bp)
    hand = "seven_card_straight_flush" if line.hand == ANY_SEVEN_CARD_STRAIGHT_FLUSH else line.hand
    return plan.deal_to({plan.chosen: hand})


def wins_amount(plan: PaiGowPlan) -> bool:
    """Prepare a winner of a fixed amount."""
    hand = plan.random.choice(("four_of_a_kind", "straight_flush"))
    return progressive_wager(plan) and plan.deal_to({plan.chosen: hand})


payment.register_meter(PAI_GOW, wins_share)


@fault("PAY-SOURCE", prepare=wins_share)
def pay_source(play: Any) -> Spot:
    """A share of the meter is paid with chips of the table."""
    due = progressive_winner(play, share=True)
    for step in play.script.of(model.WagerPaid, seat=due.seat, wager="progressive"):
        changed(step, source="inventory")
    play.script.drop(share_document(play, due.seat))
    return Spot(due.seat, "progressive")


def _of_winner(type_: type[model.Event], edit: Any) -> Any:
    """Edit the steps before the payment of a fixed amount."""

    def apply(play: Any) -> Spot:
        due = progressive_winner(play, share=False)
        edit(play, require(play.script.first(type_, seat=due.seat)))
        return Spot(due.seat, "progressive")

    return apply


def not_validated(play: Any, step: ScriptStep) -> None:
    """A payout is validated by no one, or by the dealer."""
    if play.plan.turn % 2:
        changed(step, role="dealer", by=play.table.dealer)
    else:
        play.script.drop(step)


fault("PAY-LIGHT", _of_winner(model.LightSeen, lambda play, step: play.script.drop(step)), prepare=wins_amount)
fault("PAY-VALIDATED", _of_winner(model.PayoutValidated, not_validated), prepare=wins_amount)


@fault("PAY-DOCUMENTED", prepare=wins_share)
def pay_documented(play: Any) -> Spot:
    """The cards of a winner paid by slip are collected before its documentation, or without any."""
    due = progressive_winner(play, share=True)
    document = share_document(play, due.seat)
    if play.plan.turn % 2:
        play.script.drop(document)
    else:
        play.script.move_before(play.script.first(model.CardsCollected, of=due.seat), document)
    return Spot(due.seat, "progressive")


fault("WAGER-PROGRESSIVE", payment.chip_missing, prepare=progressive_wager)
fault("WAGER-LOCKOUT", payment.not_locked_out, prepare=progressive_wager)


def qualifying(plan: PaiGowPlan) -> bool:
    """Give a player a Fortune Bonus that qualifies for an Envy Bonus, or every other time one that does not."""
    plan.chosen = next(iter(plan.single_boxes()), 0)
    if plan.chosen:
        plan.bet(plan.chosen, "fortune_bonus", 500 if plan.turn % 2 == 0 else 300)
    return bool(plan.chosen)


def wager_lammer(play: Any) -> Spot:
    """A qualifying wager gets no Envy lammer, or a wager that does not qualify gets one."""
    seat, script = play.plan.chosen, play.script
    lammer = script.first(model.LammerPlaced, seat=seat, wager="fortune_bonus")
    stake = play.plan.boxes[seat].stakes["fortune_bonus"]
    assert (lammer is not None) is is_qualifying(play.book, "fortune_bonus", stake)
    if lammer is not None:
        script.drop(lammer)
    else:
        anchor = script.first(model.NoMoreBets) or script.first(model.WagerPlaced, seat=seat, wager="fortune_bonus")
        script.behind(anchor, fact(model.LammerPlaced, seat=seat, wager="fortune_bonus"))
    return Spot(seat, "fortune_bonus")


fault("WAGER-LAMMER", wager_lammer, prepare=qualifying)

# Legitimate irregularities


def _no_roll(plan: PaiGowPlan) -> None:
    plan.no_roll = plan.random.choice(("not_flat", "fell_out"))


def _slip_of_the_tongue(plan: PaiGowPlan) -> None:
    plan.announced = [plan.wrong_total(), plan.count]


def _dealer_errs(plan: PaiGowPlan) -> bool:
    ways = against_house_way(plan)
    plan.dealer_first = plan.random.choice(ways) if ways else None
    return bool(ways)


def _voids_own_hand(plan: PaiGowPlan) -> bool:
    possible = one_box_seat(plan)
    plan.voided = {plan.chosen}
    return possible


def elects(election: Any) -> Any:
    """The dealer exposes a player's card, and the player elects to play the hand out, or to void it (§ 688a.13(d))."""

    def edit(play: Any) -> Spot:
        seat = play.plan.chosen
        void = [model.RoundVoided(scope=seat, reason="exposed_card")] if election == "void" else []
        play.script.behind(expose(play, seat), model.HandElected(seat=seat, election=election), *void)
        return HERE

    return edit


def late_message(play: Any) -> Spot:
    """The shaker's last messages arrive long after they happened, in their own order."""
    at = play.script.index(play.script.first(model.ShakerCovered))
    play.script.late = play.script.steps[at : at + 2]
    return HERE


legitimate("no_roll_reshake", 8, HERE, fits=with_dice, prepare=_no_roll)  # § 688a.13(a), (b)
legitimate("corrected_total", 6, HERE, fits=with_dice, prepare=_slip_of_the_tongue)
legitimate("recut", 4, dealing.cut_again, fits=shuffled_by_hand)
legitimate("proper_void", 10, HERE, prepare=prepare_void)  # § 688a.13, § 688a.8(f)
legitimate("hand_reset", 6, HERE, prepare=_dealer_errs, decides=True)  # § 688a.13(h)
legitimate("election_play", 5, elects("play"), prepare=one_box_seat)
legitimate("election_void", 4, elects("void"), prepare=_voids_own_hand)
legitimate("player_exposes_own_card", 5, dealing.shown_by_player, prepare=one_box_seat)
legitimate("single_face_up_card", 4, HERE, fits=by_card, prepare=lambda plan: find_face_up(plan, 1))  # § 688a.13(e), D24
legitimate("card_drawn_in_error", 4, dealing.drawn_in_error, fits=by_card)
wagering.register_late_returned(PAI_GOW, "base", wagering.after_no_more_bets, "after no more bets")
legitimate(
    "abandoned",
    3,
    dealing.abandon(model.HandSet, position="dealer"),
    prepare=lambda plan: plan.deal_until(lambda p: not p.dealer_pushes) and dealing.leaves(plan),
    decides=True,
)
legitimate("surrender", 4, HERE, prepare=prepare_surrender, decides=True)  # § 688a.11(d)
legitimate(
    "foul_hand",  # taken as one (§ 688a.11(f)(1)(iii))
    4,
    only_if(lambda play: any(due.outcome is Outcome.FOUL for due in play.dues)),
    prepare=prepare_foul,
    decides=True,
)
legitimate("jackpot_by_slip", 4, payment.paid_by_slip, prepare=payment.by_slip(wins_share), decides=True)
legitimate("late_message", 8, late_message, fits=with_dealers_shaker)
legitimate("card_not_read", 4, dealing.card_not_read)

PAI_GOW.natural = {
    "surrender": lambda play: play.plan.surrendered,
    "foul_hand": lambda play: any(due.outcome is Outcome.FOUL for due in play.dues),
    "jackpot_by_slip": lambda play: play.script.of(model.WagerPaid, source="slip"),
    "two_deck_shuffle": lambda play: play.other_deck_shuffled,
}
