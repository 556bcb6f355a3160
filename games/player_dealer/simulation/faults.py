"""Anomalies with a player-dealer (GEGR-002138): rotation, button, piles, backline wagers, fees, coverage."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing, pai_gow_hands, payment, wagering
from floor.faults.anomaly import HERE, Anomalies, require
from floor.faults.conditions import by_card, by_stack, offers, shuffled_by_hand
from floor.faults.dealing import one_box_seat
from floor.faults.edits import add_before, by_turns, change, drop, its_wager, only_if
from floor.faults.labels import Spot
from floor.faults.pai_gow import PAI_GOW, base_ends
from floor.faults.pai_gow_hands import dealer_sets_otherwise
from floor.faults.payment import settled
from floor.round.plan import Way
from floor.table.facts import hand_reset, wager_paid, wager_placed, wager_returned, wager_taken
from floor.table.script import changed
from games.player_dealer.settle import SEATS
from games.player_dealer.simulation.plan import PlayerDealerPlan
from games.player_dealer.simulation.play import PILES, fee
from rulebook.settlement.wagers import Due, Outcome

PLAYER_DEALER_ANOMALIES = Anomalies()
PLAYER_DEALER_ANOMALIES.share(
    PAI_GOW,
    *("WAGER-LATE", "WAGER-LIMIT", "WAGER-FORM", "WAGER-LAMMER", "SET-CARDS", "DEAL-STUB", "PAY-OVER", "PAY-UNDER"),
    *("PAY-MISSED", "PAY-LOSER", "PAY-TAKEN", "PAY-NOT-TAKEN", "PAY-FOUL", "PAY-VIG", "LOG-SOURCE-GAP"),
    *(
        "DEAL-ORDER",
        "DEAL-DECK",
        "PAY-ENVY",
        "LOG-SOURCE-REPEAT",
        "LOG-CLOCK",
        "LOG-CORRECTION",
        "no_roll_reshake",
        "recut",
        "foul_hand",
    ),
    *("player_exposes_own_card", "device_outage", "duplicate_message", "late_message", "card_not_read"),
    *("event_corrected", "DEAL-DECK/foreign", "foreign_card_removed"),
)
fault, legitimate = PLAYER_DEALER_ANOMALIES.fault, PLAYER_DEALER_ANOMALIES.legitimate

# Shuffle, deal, setting


@fault("DEAL-SHUFFLE", fits=lambda table: table.deck.dirty and not table.just_opened)
def deal_shuffle(play: Any) -> Spot:
    """The cards are not shuffled."""
    require(play.script.of(model.CardsShuffled))
    for type_ in (model.CardsShuffled, model.CutOffered, model.CardsCut):
        for step in play.script.of(type_):
            play.script.drop(step)
    return Spot(consequences=("DEAL-CUT",))


def _nobody_asked(play: Any) -> Spot:
    for step in play.script.of(model.CutOffered):
        play.script.drop(step)
    return dealing.no_cut(play)


fault("DEAL-CUT", by_turns(dealing.no_cut, _nobody_asked), fits=shuffled_by_hand)


def _wrong_start(plan: PlayerDealerPlan) -> None:
    plan.first = (plan.first + plan.random.randrange(SEATS - 1)) % SEATS + 1


fault("DEAL-START", HERE, prepare=_wrong_start)  # the first hand goes to another seat than the one that is counted to


fault("DEAL-COUNT", pai_gow_hands.deal_count, fits=by_stack, prepare=pai_gow_hands.misdeal)


def _a_pile_or_hand(play: Any) -> Any:
    """Any pile, or any hand but the player-dealer's."""
    to = [step.payload.to for step in play.script.of(model.CardsDealt) if step.payload.to != play.plan.bank]
    return play.plan.random.choice(to)


fault("DEAL-FACING", dealing.dealt_facing(_a_pile_or_hand, face_up=True))


WIN_OR_LOSE = base_ends(Outcome.WIN, Outcome.LOSE)


@fault("SET-EARLY", prepare=lambda plan: plan.deal_until(lambda dealt: not dealt.dealer_pushes))
def set_early(play: Any) -> Spot:
    """A player sets before the player-dealer does."""
    script, plan = play.script, play.plan
    seat = plan.random.choice(sorted(plan.boxes))
    own, first = script.first(model.HandSet, position=seat), script.first(model.HandSet, position=plan.bank)
    script.move_before(own, first)
    return Spot(seat)


def _other_settings(plan: PlayerDealerPlan) -> list[Way]:
    """Return other settings of the player-dealer's cards with the same result for every seat."""
    if plan.not_set:
        return []
    first, found = plan.dealer_way, []
    ends = [plan.outcome(seat) for seat in plan.boxes]
    for way in plan.legal_ways(plan.hands[plan.bank]):
        plan.dealer_way = way
        if set(way[0]) != set(first[0]) and [plan.outcome(seat) for seat in plan.boxes] == ends:
            found.append(way)
    plan.dealer_way = first
    return found


@fault("SET-CHANGED", prepare=lambda plan: plan.deal_until(lambda dealt: bool(_other_settings(dealt))))
def set_changed(play: Any) -> Spot:
    """The player-dealer sets again when a player has set; it makes no difference to the wagers."""
    script, plan = play.script, play.plan
    first = next(step for step in script.of(model.HandSet) if step.payload.position != plan.bank)
    script.behind(first, hand_reset(plan.bank, plan.random.choice(_other_settings(plan)), "player", "changed"))
    return Spot(plan.bank)


# The position, start, piles


def _wrongly_rotated(plan: PlayerDealerPlan) -> bool:
    """A third round without an offer; a patron passed over; taken without an offer; another than who accepted."""
    held, candidates = plan.table.held, plan.offered_to()
    last = candidates[-1]
    match plan.turn % 4:
        case 0:
            require(held.rounds >= 2 and plan.table.holder_stays)
            plan.give(held.seat, [])
        case 1:
            require(len(candidates) >= 2)
            passed_over = plan.random.choice(candidates[:-1])
            plan.give(last, [(seat, seat == last) for seat in candidates if seat != passed_over])
        case 2:
            plan.give(plan.random.choice(candidates), [])
        case _:
            others = [seat for seat in plan.table.seats if seat != candidates[0]]
            plan.give(plan.random.choice(others), [(candidates[0], True)])
    return True


fault("CA-ROTATE", HERE, fits=lambda table: bool(table.held.patron), prepare=_wrongly_rotated)


def next_seat(play: Any, button: Any) -> int:
    """Return the seat next to the one where the action button belongs."""
    return int(play.plan.button % SEATS + 1)


# The button is put at another seat than number or dice point at, or nowhere; the hands are distributed correctly.
fault("CA-BUTTON", by_turns(change(model.ActionButtonPlaced, -1, seat=next_seat), drop(model.ActionButtonPlaced, -1)))


@fault("CA-PILE", fits=by_card, prepare=lambda plan: plan.make_empty(2))
def ca_pile(play: Any) -> Spot:
    """A card goes to a pile out of turn; no pile is picked, or another given out first; two hands are mixed."""
    plan, script = play.plan, play.script
    match plan.turn % 4:
        case 0:
            at = 7 * plan.random.randrange(7) + plan.random.randrange(6)
            deals = script.of(model.CardsDealt)
            script.move_before(deals[at + 1], deals[at])
        case 1:
            return drop(model.PileSelected)(play)
        case 2:
            return change(model.PileSelected, pile=PILES[plan.pile % SEATS])(play)
        case _:
            one, other = (script.first(model.CardsDealt, to=seat) for seat in plan.random.sample(plan.empty, 2))
            first, second = one.payload.cards, other.payload.cards
            changed(one, cards=[*first[1:], second[0]])
            changed(other, cards=[*second[1:], first[0]])
    return HERE


# Wagers and fees


def _nobody_behind(plan: PlayerDealerPlan) -> bool:
    alone = PAI_GOW.faults["WAGER-BASE"].prepare(plan)
    return bool(alone) and not plan.boxes[plan.chosen].behind


fault("WAGER-BASE", PAI_GOW.faults["WAGER-BASE"].edit, prepare=_nobody_behind)


def _behind_a_seat(plan: PlayerDealerPlan) -> bool:
    """Prepare a free seat, or a player without a Fortune Bonus."""
    plan.clear()
    if plan.turn % 3 == 0:
        return plan.make_empty(1)
    if plan.turn % 3 == 1:
        return True
    require(one_box_seat(plan))
    plan.bet(plan.chosen, "fortune_bonus", 100)
    return plan.deal_to({plan.chosen: "nothing"})


@fault("CA-BACKLINE", fits=offers("backline"), prepare=_behind_a_seat)
def ca_backline(play: Any) -> Spot:
    """Somebody bets behind an empty seat or the player-dealer, and gets it back; or makes a bonus bet behind a seat."""
    plan, script = play.plan, play.script
    token = play.table.people.token()
    if plan.turn % 3 == 2:
        for step in script.steps:
            place = getattr(step.payload, "wager", ""), getattr(step.payload, "seat", 0)
            if place == ("fortune_bonus", plan.chosen):
                changed(step, bettor=token)
        return Spot(plan.chosen, "fortune_bonus")
    seat = plan.random.choice(plan.empty) if plan.turn % 3 == 0 else plan.bank
    cents = plan.behind_cents()
    script.behind(script.of(model.PlayerDealerWagered)[0], wager_placed(seat, token, "backline", cents))
    script.before(script.of(model.CardsCollected)[-1], wager_returned(seat, token, "backline", cents, "other"))
    return Spot(seat, "backline")


@fault("CA-FEE")
def ca_fee(play: Any) -> Spot:
    """A seat pays no fee, another than the filed one, or a share of the wager; or a seat without a wager pays one."""
    plan, script = play.plan, play.script
    seat = plan.random.choice([seat for seat, box in plan.boxes.items() if "base" in box.stakes])
    box = plan.boxes[seat]
    step = script.first(model.CollectionTaken, seat=seat, bettor=box.bettor)
    cents = step.payload.amount_cents
    match plan.turn % 4:
        case 0:
            script.drop(step)
        case 1:
            changed(step, amount_cents=cents * plan.random.choice((2, 3)))
        case 2:
            share = box.stakes["base"] // 25
            changed(step, amount_cents=share if share != cents else share + 50)
        case _:
            seat = plan.random.choice(plan.empty) if plan.empty else seat
            script.behind(step, fee(seat, play.table.people.token(), cents))
    return Spot(seat)


# Coverage


def _short(plan: PlayerDealerPlan) -> bool:
    """Prepare a player-dealer whose wager does not cover the first wager that is decided."""
    require(base_ends(Outcome.WIN, Outcome.LOSE, Outcome.FOUL)(plan))
    plan.bank_cents = max(100, min(abs(due.net_cents or 0) for due in plan.dues() if due.net_cents) // 2)
    return True


@fault("CA-COVER", prepare=_short)
def ca_cover(play: Any) -> Spot:
    """A wager that is covered in part, or not at all, is settled as if it were covered whole; or nothing is done of it.

    Only the hands show how an uncovered wager ended.
    """
    short = [due for due in play.dues if due.uncovered_cents and due.for_position is None]
    dues = require([due for due in short if due.outcome is not Outcome.UNCOVERED or due.wager == "base"])
    due = play.plan.random.choice(dues)
    step, bare = settled(play, due), due.outcome is Outcome.UNCOVERED
    if not bare:  # what went back of the wager next to what was taken
        for back in play.script.of(model.WagerReturned, seat=due.seat, wager=due.wager, bettor=due.bettor):
            play.script.drop(back)
    if not bare and play.plan.turn % 2:
        step.payload = wager_returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
    elif (play.plan.outcome(due.seat) if bare else due.outcome) is Outcome.WIN:
        step.payload = wager_paid(due, due.staked_cents, due.winnings_cents + due.uncovered_cents, play.chips)
    else:
        step.payload = wager_taken(due.seat, due.bettor, due.wager, due.staked_cents)
    return Spot(due.seat, due.wager)


def in_turn(dues: list[Due]) -> list[Due]:
    """Return the wagers, except Envy, that win or lose, in the order of settlement."""
    return [due for due in dues if due.net_cents and due.for_position is None]


def _second_is_short(plan: PlayerDealerPlan) -> bool:
    """Prepare a player-dealer whose wager covers the first wager that is decided and the second in part."""
    require(plan.deal_until(lambda _: len(in_turn(plan.dues())) > 1))
    amounts = [abs(due.net_cents or 0) for due in plan.dues() if due.net_cents]
    plan.bank_cents = amounts[0] + amounts[1] // 2
    return True


@fault("PAY-ORDER", fits=lambda table: table.book.settings["coverage"] == "gross", prepare=_second_is_short)
def pay_order(play: Any) -> Spot:
    """Where the player-dealer's wager does not cover all, a wager is served before one whose turn comes earlier."""
    dues = in_turn(play.dues)
    require(len(dues) >= 2)
    play.script.move_before(settled(play, dues[1]), settled(play, dues[0]))
    return Spot(consequences=("PAY-EARLY",))


fault(
    "PAY-EARLY",
    by_turns(
        payment.settled_before(model.ActionButtonPlaced),
        payment.settled_before(model.HandRevealed, position=lambda play, due: play.plan.bank),
        payment.settled_before(model.HandRevealed, "base", position=payment.its_own),
    ),
    prepare=WIN_OR_LOSE,
)
fault(  # the house pays what the player-dealer owes, from its inventory or by slip
    "PAY-SOURCE",
    change(model.WagerPaid, None, its_wager, source=lambda play, _: ("inventory", "slip")[play.plan.turn % 2]),
    prepare=base_ends(Outcome.WIN),
)


@fault("PAY-REVEAL", prepare=WIN_OR_LOSE)
def pay_reveal(play: Any) -> Spot:
    """A player's hand is never exposed, and its base wager is compared and settled all the same."""
    due = payment.pick(play, Outcome.WIN, Outcome.LOSE, wagers=("base",))
    play.script.drop_first(model.HandRevealed, position=due.seat)
    return Spot(due.seat)


@fault("DEAL-RACK", prepare=WIN_OR_LOSE)
def deal_rack(play: Any) -> Spot:
    """The cards go to the rack before the last wager is settled."""
    due = payment.pick(play, Outcome.WIN, Outcome.LOSE)
    play.script.move_before(play.script.of(model.CardsCollected)[-1], settled(play, due))
    return HERE


# Legitimate irregularities (D22, D28)


def _any_order(plan: PlayerDealerPlan) -> bool:
    plan.clear()
    plan.any_order = True
    return len(plan.boxes) > 1


def added_too_late(play: Any) -> Spot:
    """The player-dealer adds to the wager after the first card: that covers nothing, and the original wager counts."""
    plan = play.plan
    more, bettor = plan.bank_cents + 50_000, plan.table.seats[plan.bank].token
    event = model.PlayerDealerWagered(seat=plan.bank, bettor=bettor, amount_cents=more)
    play.script.behind(pai_gow_hands.hands_dealt(play)[plan.random.randrange(SEATS)], event)
    return HERE


legitimate(
    "any_order_where_covered", 8, only_if(lambda play: not any(due.uncovered_cents for due in play.dues)), prepare=_any_order
)
legitimate("player_dealer_sets_freely", 6, HERE, prepare=dealer_sets_otherwise, decides=True)
legitimate("wager_added_too_late", 5, added_too_late)
legitimate(  # the button lies at a wrong seat, and is moved before the hands go out
    "button_moved", 5, add_before(model.ActionButtonPlaced, lambda play, _: model.ActionButtonPlaced(seat=next_seat(play, None)))
)
wagering.register_late_returned(PLAYER_DEALER_ANOMALIES, "base", lambda play: pai_gow_hands.hands_dealt(play)[-1])

PLAYER_DEALER_ANOMALIES.natural = {
    "foul_hand": lambda play: any(due.outcome is Outcome.FOUL for due in play.dues),
    "not_all_covered": lambda play: any(due.uncovered_cents for due in play.dues),
    "kept_after_all_declined": lambda play: bool(play.plan.offers) and not any(yes for _, yes in play.plan.offers),
}
