"""Anomalies of DJ Wild Stud: deal and side card, decisions, settlement, voids (§§ 687a.3 to 687a.13)."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing, payment, wagering
from floor.faults.anomaly import HERE, Anomalies, Prepare, require
from floor.faults.conditions import by_card, shuffled_by_hand
from floor.faults.dealing import PLAYED_ON, find_face_up, one_box_seat
from floor.faults.device_records import RECORDS
from floor.faults.edits import at_seat, by_turns, change, drop, prepared_by_turns
from floor.faults.equipment import EQUIPMENT, register_broken_device
from floor.faults.labels import Spot
from floor.faults.payment import progressive_wager, settled
from floor.faults.recordings import RECORDINGS
from floor.table.facts import exposed
from floor.table.script import ScriptStep, changed
from games.dj_wild.simulation.plan import BASE, DjWildPlan
from games.dj_wild.simulation.table import COUNTED_AT_LEAST, DjWildTable
from rulebook.cards.cards import JOKER

DJ_WILD_ANOMALIES = Anomalies()
DJ_WILD_ANOMALIES.share(
    EQUIPMENT,
    *("OPEN-INSPECT", "OPEN-SPREAD", "OPEN-IDLE", "EQUIP-DECK", "EQUIP-ALTERNATE", "DEAL-SHUFFLE"),
    *("DEAL-DEVICE/uncovered", "device_outage", "device_outage_manual"),
)
DJ_WILD_ANOMALIES.take_over(RECORDS)
DJ_WILD_ANOMALIES.take_over(RECORDINGS)
fault, legitimate = DJ_WILD_ANOMALIES.fault, DJ_WILD_ANOMALIES.legitimate

# Preparations


def folded_seat(plan: DjWildPlan) -> bool:
    """Prepare a round in which a patron with one box folds."""
    return one_box_seat(plan) and plan.deal_until(lambda p: not p.raises(p.chosen))


def ends(compared: int) -> Prepare:
    """Prepare a hand that is raised and ends higher (1) or lower (-1) than the dealer's."""
    return lambda plan: one_box_seat(plan) and plan.deal_until(lambda p: p.raises(p.chosen) and p.higher(p.chosen) == compared)


def equal_hands(plan: DjWildPlan) -> bool:
    """Give the dealer the hand of the chosen seat in other suits."""
    for _ in range(200 if one_box_seat(plan) else 0):
        plan.deal({})
        hand = plan.hands[plan.chosen]
        held = {card for position, cards in plan.hands.items() if position != "dealer" for card in cards}
        mirrored = [card - card % 4 + (card + 1) % 4 for card in hand]
        if JOKER in hand or any(card < 4 for card in hand) or held.intersection(mirrored):
            continue
        rest = [card for card in range(53) if card not in held and card not in mirrored]
        plan.random.shuffle(rest)
        plan.hands["dealer"], plan.side, plan.stub = mirrored, rest[0], rest[1:]
        plan.boxes[plan.chosen].decision = "raise"
        if plan.higher(plan.chosen) == 0:
            return True
    return False


def with_hand(wager: str, *targets: str, decision: str = "", dealer: str = "") -> Prepare:
    """Prepare a seat with a wager, a prepared hand and a decision; sometimes a dealer's hand too."""

    def prepare(plan: DjWildPlan) -> bool:
        require(one_box_seat(plan))
        cents = plan.book.offers["progressive"].min_cents if wager == "progressive" else 500
        plan.bet(plan.chosen, wager, cents)
        hands: dict[Any, str] = {plan.chosen: plan.random.choice(targets), **({"dealer": dealer} if dealer else {})}
        dealt = plan.deal(hands)
        plan.boxes[plan.chosen].decision = decision or plan.boxes[plan.chosen].decision
        return dealt

    return prepare


def wins_share(plan: DjWildPlan) -> bool:
    """Prepare a winner of a tenth of the meter who raises, alone at the table's Progressive."""
    for box in plan.boxes.values():
        box.stakes.pop("progressive", None)
    return bool(with_hand("progressive", "natural_straight_flush", decision="raise")(plan))


def misdeal(plan: DjWildPlan) -> None:
    """Deal a player or the dealer one card too many or one too few."""
    plan.misdealt = (plan.random.choice(plan.order), plan.random.choice((-1, 1)))


def counted(counts: bool) -> Prepare:
    """Have the stub counted, or not."""

    def prepare(plan: DjWildPlan) -> None:
        plan.counts = counts

    return prepare


def wrong_stub(plan: DjWildPlan) -> None:
    """Make the stub one card too many or too few."""
    plan.counts, plan.short_stub = True, plan.random.choice((-1, 1))


def prepare_void(plan: DjWildPlan) -> None:
    """Prepare a round that must be void, on a ground that fits the table, and that is voided."""
    grounds = ["wrong_count", "stub_count", "face_up_cards", "exposed_card", "exposed_dealer"]
    grounds += [] if by_card(plan.table) else ["device_failed"]
    plan.void = grounds[plan.turn % len(grounds)]
    some = plan.random.randrange(1, len(plan.order) * (5 if by_card(plan.table) else 1))
    match plan.void:
        case "wrong_count":
            misdeal(plan)
        case "stub_count":
            plan.short_stub = plan.random.choice((-1, 1))
        case "face_up_cards":
            plan.void_after = max(2, some)
            find_face_up(plan, 2)
        case "device_failed":
            plan.void_after = some


# Opening, shuffle, devices


def _miscounted(table: DjWildTable, turn: int) -> None:
    """The shuffler shows a card too few or too many, and the deck stays."""
    table.report(model.CardsShuffled(deck=table.deck.id, method="automated", count=(52, 54)[turn % 2]))
    table.deck.dirty = False


fault("EQUIP-COUNT", HERE, fits=lambda table: table.counts_by_machine and not table.shuffler_out, before=_miscounted)


def _recut_of_shuffled(play: Any) -> Spot:
    require(play.script.of(model.CardsShuffled, deck=play.plan.deck.id))
    return dealing.recut_not_made(play)


fault(  # no cut; too shallow a one; a player's; a recut ordered and not made
    "DEAL-CUT",
    by_turns(
        dealing.no_cut,
        dealing.near_the_top,
        change(model.CardsCut, by=lambda play, _: play.plan.random.choice(play.plan.playing)),
        _recut_of_shuffled,
    ),
    fits=lambda table: shuffled_by_hand(table) or table.deck.id in table.uncut,
)
register_broken_device(DJ_WILD_ANOMALIES, 0, PLAYED_ON, ("DEAL-SHUFFLE", "DEAL-CUT"))

# The deal


@fault("DEAL-ORDER", prepare=lambda plan: len(plan.playing) >= 2)
def deal_order(play: Any) -> Spot:
    """Two positions are served in the wrong order, or a card goes astray between two stacks."""
    script, plan = play.script, play.plan
    deals = [step for step in script.of(model.CardsDealt) if step.payload.to != "side"]
    first = plan.order[plan.random.randrange(len(plan.order) - 1)]
    last = [step for step in deals if step.payload.to == first][-1]
    script.move_behind(last, deals[deals.index(last) + 1])
    return HERE


@fault("DEAL-COUNT", prepare=misdeal)
def deal_count(play: Any) -> Spot:
    """A player or the dealer gets four or six cards; no one notices."""
    position = play.plan.misdealt[0]
    return Spot(position if isinstance(position, int) else None, consequences=("DEAL-STUB", *PLAYED_ON))


def _card_twice(plan: DjWildPlan) -> bool:
    require(one_box_seat(plan))
    plan.hands[plan.chosen][plan.random.randrange(5)] = plan.random.choice(plan.hands["dealer"])
    plan.decide()
    return True


# The round is played on (the deck leaves the table after it).
fault("DEAL-STUB", Spot(consequences=("DEAL-RACK", *PLAYED_ON)), prepare=wrong_stub)
fault("DEAL-STUBSEEN", dealing.stub_seen, prepare=counted(True))
fault(  # in the fifth round in a row the stub is not counted; that it is not in the sixth either is no second fault
    "DEAL-STUBDUE",
    HERE,
    fits=lambda table: table.uncounted == COUNTED_AT_LEAST - 1 and not table.counts_by_machine,
    prepare=counted(False),
)
fault("DEAL-DECK", HERE, prepare=_card_twice)  # a player is dealt a card that the dealer has too
fault("DEAL-FACEUP", dealing.dealt_face_up(*PLAYED_ON), prepare=dealing.two_face_up_at_times)
fault("DEAL-DRAWN", dealing.put_back, fits=by_card)
fault("DEAL-NOBETS", drop(model.NoMoreBets))


def dealer_turns_early(play: Any) -> None:
    """The dealer turns while the last player still thinks."""
    last = play.script.first(model.DecisionMade, seat=max(play.plan.playing))
    play.script.move_before(play.script.first(model.HandRevealed, position="dealer"), last)


@fault("DEAL-EXPOSED", prepare=lambda plan: plan.deal_until(lambda p: p.raises(max(p.playing))))
def deal_exposed(play: Any) -> Spot:
    """A card is exposed before the raises, or the dealer turns before the last raise, and the round is played on."""
    plan, script = play.plan, play.script
    if plan.turn % 3 == 2:
        dealer_turns_early(play)
        return Spot(consequences=("WAGER-LATE", *PLAYED_ON))
    whose: Any = "dealer" if plan.turn % 3 else plan.random.choice(plan.playing)
    first = script.of(model.DecisionMade)[0]
    script.before(first, exposed(whose, "dealer", plan.random.choice(plan.hands[whose])))
    return Spot(whose if whose != "dealer" else None, consequences=PLAYED_ON)


def _without_side_card(plan: DjWildPlan) -> bool:
    """Forget the side card, if no one has the joker that it would replace; or place it too early."""
    plan.side_forgotten = plan.turn % 2 == 0
    return progressive_wager(plan) and plan.deal_until(lambda p: not p.joker_at_stake)


@fault("DEAL-SIDE", prepare=_without_side_card)
def deal_side(play: Any) -> Spot:
    """There is a Progressive and no side card, or the side card is placed before the dealer's hand."""
    side, dealer = (play.script.first(model.CardsDealt, to=to) for to in ("side", "dealer"))
    if side is not None and dealer is not None:
        play.script.move_before(side, dealer)
    return HERE


@fault("DEAL-RACK")
def deal_rack(play: Any) -> Spot:
    """A card does not get into the rack, or a hand's cards go there before its wagers are settled."""
    script = play.script
    for due in play.dues if play.plan.turn % 2 else ():
        cards, first = script.first(model.CardsCollected, of=due.seat), script.settling(due.seat, "raise")
        if cards is not None and first is not None:
            script.move_before(cards, first)
            return Spot(due.seat)
    return dealing.card_missing(play)


# Wagers and decisions


def _late(plan: DjWildPlan) -> bool:
    """Let a player raise, or withdraw part of, a Trips wager after "no more bets"."""
    require(one_box_seat(plan))
    part = 500 if plan.turn % 2 == 0 else -500
    plan.bet(plan.chosen, "trips", 1000 + part)
    plan.boxes[plan.chosen].late = {"trips": part}
    return True


def _optional_alone(plan: DjWildPlan) -> bool:
    return bool(wagering.optional_alone(lambda _: "trips")(plan)) and plan.deal({})


fault("WAGER-LATE", wagering.bet_late(model.CardsDealt), prepare=_late)
fault("WAGER-BASE", at_seat("trips"), prepare=_optional_alone)  # a box without ante and blind gets no cards
fault("WAGER-FORM", wagering.wrong_form)
fault("WAGER-SEATED", HERE, prepare=wagering.not_seated)


def _unlike_the_ante(plan: DjWildPlan) -> bool:
    if one_box_seat(plan):
        plan.boxes[plan.chosen].stakes["blind"] *= 2
    return bool(plan.chosen)


def _raised(plan: DjWildPlan) -> bool:
    return one_box_seat(plan) and plan.deal_until(lambda p: p.raises(p.chosen))


@fault("WAGER-LIMIT", prepare=prepared_by_turns(wagering.off_limits, _unlike_the_ante, _raised))
def wager_limit(play: Any) -> Spot:
    """An ante off its limits, a blind unlike the ante, or a raise of once or three times the ante is accepted."""
    seat, turn = play.plan.chosen, play.plan.turn
    if turn % 3 < 2:
        return Spot(seat, BASE[turn % 3])
    raised = play.plan.boxes[seat].stakes["ante"] * (3 if turn % 2 else 1)
    steps = [step for step in play.script if getattr(step.payload, "wager", "") == "raise"]
    mine = [step for step in steps if step.payload.seat == seat]
    for step in mine:
        if isinstance(step.payload, model.WagerPaid):
            changed(step, stake_cents=raised, winnings_cents=raised)
        else:
            changed(step, amount_cents=raised)
    require(mine)
    return Spot(seat, "raise")


# Where the dealer presses Start Game and collects the Progressive wagers (§ 687a.8(c), .9(b)).
fault("WAGER-PROGRESSIVE", payment.chip_missing, fits=by_card, prepare=progressive_wager)
fault("WAGER-LOCKOUT", payment.not_locked_out, fits=by_card, prepare=progressive_wager)


def _two_decide(plan: DjWildPlan) -> bool:
    require(len(plan.playing) >= 2)
    return plan.turn % 2 == 0 or plan.deal_until(lambda p: not p.raises(p.playing[-1]) and p.raises(p.playing[0]))


@fault("PLAY-ORDER", prepare=_two_decide)
def play_order(play: Any) -> Spot:
    """A player decides out of turn, or the dealer turns over the cards before the last player has decided."""
    script, plan = play.script, play.plan
    if plan.turn % 2:
        dealer_turns_early(play)
        return HERE
    at = plan.random.randrange(len(plan.playing) - 1)
    first, second = plan.playing[at : at + 2]
    before = script.of(model.DecisionMade, seat=first)[0]
    for step in (*script.of(model.DecisionMade, seat=second), *script.of(model.WagerPlaced, seat=second, wager="raise")):
        script.move_before(step, before)
    return Spot(first)


# The settlement

_beaten = with_hand("bad_beat", "natural_three_of_a_kind", decision="raise", dealer="natural_straight")
_straight = with_hand("trips", "natural_straight", "flush_with_wild", decision="raise")


def _blind_wins(plan: DjWildPlan) -> bool:
    return bool(_straight(plan)) and plan.higher(plan.chosen) > 0


_trips = with_hand("trips", "three_of_a_kind_with_wild", "natural_three_of_a_kind")
payment.register_payment(
    DJ_WILD_ANOMALIES,
    prepared_by_turns(ends(1), _trips, _beaten, _blind_wins),
    prepared_by_turns(ends(-1), with_hand("trips", "nothing"), folded_seat),
    ends(1),
    prepared_by_turns(ends(1), _trips, _beaten, equal_hands),
)


def _two_players(plan: DjWildPlan) -> bool:
    return len(plan.playing) > 1 and plan.deal_until(lambda p: sum(p.raises(seat) for seat in p.playing) > 1)


def by_slip(step: ScriptStep | None) -> bool:
    """Return whether a step pays by slip."""
    return step is not None and getattr(step.payload, "source", "") == "slip"


@fault("PAY-ORDER", prepare=_two_players)
def pay_order(play: Any) -> Spot:
    """A player's last wager is settled after the next player's first, or an optional wager before ante, blind and raise."""
    script, plan = play.script, play.plan
    seats = [seat for seat in plan.settling if plan.plays(seat) and plan.raises(seat)]
    for seat in seats if plan.turn % 2 else ():
        optional = [settled(play, due) for due in play.dues if due.seat == seat and due.wager in ("trips", "bad_beat")]
        steps = [step for step in optional if not by_slip(step)]
        if steps:
            script.move_before(steps[0], script.settling(seat, "ante"))
            return Spot(seat)
    one, other = seats[:2]
    theirs = [step for wager in BASE if (step := script.settling(other, wager)) is not None]
    script.move_behind(script.settling(one, "raise"), max(theirs, key=script.index))
    return Spot(one, consequences=("DEAL-RACK",))


fault(
    "PAY-EARLY",
    by_turns(
        payment.settled_before(model.HandRevealed, position="dealer"),
        payment.settled_before(model.HandRevealed, *BASE, position=payment.its_own),
    ),
    prepare=_two_players,
)


def _trips_and_bad_beat(plan: DjWildPlan) -> bool:
    """Prepare a player with both, who raises and wins too little of either for a slip."""
    require(one_box_seat(plan))
    for wager in ("trips", "bad_beat"):
        plan.bet(plan.chosen, wager, 500)
    return plan.deal_until(lambda p: p.raises(p.chosen) and p.higher(p.chosen) > 0)


@fault(
    "PAY-ORDER/optional", fits=lambda table: table.book.settings["optional_wagers"] == "as_printed", prepare=_trips_and_bad_beat
)
def optional_order(play: Any) -> Spot:
    """The Two-Way Bad Beat is settled before Trips, where the order printed is filed."""
    seat = play.plan.chosen
    trips, bad_beat = (play.script.settling(seat, wager) for wager in ("trips", "bad_beat"))
    require(trips and bad_beat and not by_slip(trips))
    play.script.move_before(bad_beat, trips)
    return Spot(seat)


def _envy(plan: DjWildPlan) -> bool:
    """Prepare a straight flush at one box and a Progressive at another patron's, both raised."""
    require(one_box_seat(plan))
    others = require([seat for seat in plan.playing if plan.boxes[seat].bettor != plan.boxes[plan.chosen].bettor])
    plan.bet_progressive(others[0])
    dealt = plan.deal({plan.chosen: "natural_straight_flush"})
    plan.boxes[plan.chosen].decision = plan.boxes[others[0]].decision = "raise"
    return dealt


payment.register_meter(DJ_WILD_ANOMALIES, wins_share)
fault("PAY-ENVY", payment.pay_envy, prepare=_envy)
fault("PAY-VOID", payment.pay_void, prepare=prepare_void)

# Legitimate irregularities (§ 687a.13, D28)


def _exposed(plan: DjWildPlan) -> bool | None:
    """Have a card exposed before the raises while Trips or a Progressive is at stake."""
    plan.void = "exposed_dealer" if plan.turn % 3 else "exposed_card"
    wager = "progressive" if plan.turn % 2 else "trips"
    return with_hand(wager, "natural_three_of_a_kind", "nothing")(plan)


def exposed_after_raises(play: Any) -> Spot:
    """A card is exposed when everybody has decided: nothing follows from it."""
    card = play.plan.random.choice(play.plan.hands["dealer"])
    play.script.before(play.script.of(model.HandRevealed, position="dealer")[0], exposed("dealer", "dealer", card))
    return HERE


def late_message(play: Any) -> Spot:
    """The last raise, or the lock of the progressive system, arrives long after it happened."""
    raised = play.script.of(model.WagerPlaced, wager="raise") if play.plan.turn % 2 else []
    play.script.late = (raised or play.script.of(model.ProgressiveLocked))[-1:]
    return HERE


_joker = with_hand("progressive", "three_of_a_kind_with_wild", "flush_with_wild")


def _has_joker(plan: DjWildPlan) -> bool:
    """Let a player with a Progressive have the joker."""
    return bool(_joker(plan)) and plan.deal_until(lambda p: JOKER in p.hands[p.chosen])


legitimate("recut", 4, dealing.cut_again, fits=shuffled_by_hand)  # § 687a.5(e)
legitimate("proper_void", 12, HERE, prepare=prepare_void)  # § 687a.13, § 687a.8(g)
legitimate("exposed_card_void", 6, HERE, prepare=_exposed, decides=True)  # Trips and Progressive stand (§ 687a.13(d))
legitimate("exposed_after_the_raises", 4, exposed_after_raises)
legitimate("player_exposes_own_card", 5, dealing.shown_by_player, prepare=one_box_seat)
legitimate("single_face_up_card", 5, HERE, prepare=lambda plan: find_face_up(plan, 1))  # § 687a.13(a), D24
legitimate("card_drawn_in_error", 5, dealing.drawn_in_error, fits=by_card)
wagering.register_late_returned(DJ_WILD_ANOMALIES, "trips", wagering.after_no_more_bets, "after no more bets")
legitimate("abandoned", 3, dealing.abandon(model.HandExamined), prepare=dealing.leaves, decides=True)
legitimate(  # and is paid in turn (§ 687a.11(b)(1))
    "folded_trips_paid",
    4,
    HERE,
    prepare=with_hand("trips", "three_of_a_kind_with_wild", "natural_straight", decision="fold"),
    decides=True,
)
legitimate("fold", 4, HERE, prepare=folded_seat, decides=True)  # § 687a.11(b), (c)
legitimate("equal_hands", 4, HERE, prepare=equal_hands, decides=True)  # § 687a.11(e)(2), D8
legitimate("joker_replaced", 4, HERE, prepare=_has_joker, decides=True)  # by the side card (§ 687a.11(f)(1))
legitimate("jackpot_by_slip", 4, payment.paid_by_slip, prepare=payment.by_slip(wins_share), decides=True)
legitimate("late_message", 8, late_message)
legitimate("card_not_read", 5, dealing.card_not_read)

DJ_WILD_ANOMALIES.natural = {
    "fold": lambda play: play.plan.void is None and any(not play.plan.raises(seat) for seat in play.plan.playing),
    "jackpot_by_slip": lambda play: play.script.of(model.WagerPaid, source="slip"),
    "two_deck_shuffle": lambda play: play.other_deck_shuffled,
}
