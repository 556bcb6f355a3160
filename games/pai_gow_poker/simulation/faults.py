"""Anomalies of Pai Gow Poker alone: shaker, vigorish, Tiger 9, wagers on the dice (§§ 645c.1, 645c.2)."""

from typing import Any

from events.vocabulary import model
from floor.faults import payment
from floor.faults.anomaly import HERE, Anomalies, Prepare, require
from floor.faults.conditions import both_fit, with_dealers_shaker
from floor.faults.dealing import dealt_facing, one_box_seat, to_dealer
from floor.faults.edits import change, only_if
from floor.faults.labels import Spot
from floor.faults.pai_gow import PAI_GOW, base_ends, next_seat_first, prepare_void
from floor.faults.pai_gow_hands import dealer_turned_early
from floor.faults.payment import TIED, charge, pay_vig, pick, settled
from floor.faults.wagering import bet_late
from floor.table.script import ScriptStep, changed
from games.pai_gow_poker.simulation.plan import ON_DICE, PaiGowPokerPlan
from rulebook.settlement.wagers import Outcome

PAI_GOW_POKER_ANOMALIES = Anomalies()
PAI_GOW_POKER_ANOMALIES.take_over(PAI_GOW, "DEAL-FACING", "SET-EARLY", "PAY-VIG", "PAY-ORDER")
fault, legitimate = PAI_GOW_POKER_ANOMALIES.fault, PAI_GOW_POKER_ANOMALIES.legitimate
fault("SET-EARLY", dealer_turned_early, prepare=one_box_seat)


def dice_wagers(table: Any) -> list[str]:
    """Return the wagers on the dice that a table offers."""
    return [wager for wager in (*ON_DICE, "match") if wager in table.book.offers]


def by_player(table: Any) -> bool:
    """A player activates an electronic shaker."""
    return bool(table.spec.starting == "player_shaker")


def has_dice_wagers(table: Any) -> bool:
    """Wagers on the dice are offered."""
    return bool(dice_wagers(table))


def closes_with_dice(table: Any) -> bool:
    """All wagers must be placed before the shaker is used (§ 645c.2(f))."""
    return has_dice_wagers(table) or by_player(table)


def has_red_die(table: Any) -> bool:
    """One red and two blue dice are needed."""
    offer = table.book.offers.get("beat_it")
    return offer is not None and offer.paytable is not None and offer.paytable.name in ("A", "B")


def commission_free(table: Any) -> bool:
    """No vigorish is collected."""
    return bool(table.book.settings["commission_free"])


def dice_wager(wins: bool) -> Prepare:
    """Prepare a wager on the dice that wins, or loses, by turns of each kind offered."""

    def prepare(plan: PaiGowPokerPlan) -> bool:
        require(one_box_seat(plan))
        offered = dice_wagers(plan.table)
        wager, box = offered[plan.turn % len(offered)], plan.boxes[plan.chosen]
        plan.number, plan.on_dice = plan.random.randrange(1, 7), wager
        box.match = {plan.number: 500} if wager == "match" else {}
        if wager != "match":
            plan.bet(plan.chosen, wager, 500)
        return plan.throw_until(lambda dice: (plan.dice_line(wager, dice) is not None) == wins)

    return prepare


# Setting, vigorish, order


fault("SET-EARLY/face_up", dealt_facing(to_dealer, face_up=True))  # as in another game
fault("PAY-VIG", pay_vig, fits=commission_free, prepare=base_ends(Outcome.WIN))


@fault(
    "PAY-VIG/wrong",
    fits=lambda table: not commission_free(table),
    prepare=lambda plan: base_ends(*(TIED if plan.turn % 4 == 3 else (Outcome.WIN,)))(plan),
)
def wrong_vigorish(play: Any) -> Spot:
    """Vigorish is charged too high or too low, forgotten, or charged on a wager that pushed."""
    if play.plan.turn % 4 == 3:
        tie = pick(play, *TIED, wagers=("base",))
        charge(play, tie, max(25, tie.staked_cents // 20))
        return Spot(tie.seat, "base")
    steps = require(play.script.of(model.VigorishTaken))
    step = play.plan.random.choice(steps)
    cents = step.payload.amount_cents
    match play.plan.turn % 4:
        case 0:
            changed(step, amount_cents=cents + play.plan.random.choice((5, 25, 100)))
        case 1:
            changed(step, amount_cents=max(5, cents - 25) if cents > 25 else 30)
        case _:
            play.script.drop(step)
    return Spot(step.payload.seat, "base")


@fault("PAY-ORDER")
def pay_order(play: Any) -> Spot:
    """Base wagers out of order, or a Fortune Bonus before the base or Tiger 9 wager."""
    for first in ("tiger_9", "base") if play.plan.turn % 2 else ():
        for due in play.dues:
            fortune = play.script.settling(due.seat, "fortune_bonus")
            by_slip = fortune is not None and getattr(fortune.payload, "source", "") == "slip"
            if due.wager == first and fortune and not by_slip and due.seat not in play.plan.surrendered:
                play.script.move_before(fortune, settled(play, due))
                return Spot(due.seat)
    return next_seat_first(play)


# What the dice decide


def _on_dice(play: Any) -> ScriptStep:
    step: ScriptStep = play.script.settling(play.plan.chosen, play.plan.on_dice)
    return step


@fault("PAY-ORDER/dice", fits=has_dice_wagers, prepare=dice_wager(wins=True))
def dice_after_the_cards(play: Any) -> Spot:
    """A wager on the dice is paid after the first card, or at the end of the round."""
    first = play.script.first(model.CardsDealt) if play.plan.turn % 2 else play.setting_begins()
    play.script.move_behind(_on_dice(play), first)
    return Spot(play.plan.chosen)


for _code, _edit in payment.MISTAKES.items():
    fault(f"{_code}/dice", _edit, fits=has_dice_wagers, prepare=dice_wager(wins=_code in payment.OF_WINNERS))


def _late(plan: PaiGowPokerPlan) -> bool:
    """Have a wager on the dice raised, or partly withdrawn, after the shaker was used."""
    wins = plan.turn % 4 < 2
    if plan.further not in ON_DICE:
        plan.further = next((wager for wager in ON_DICE if wager in plan.book.offers), "")
    require(plan.further and dice_wager(wins)(plan))
    wager, box = plan.further, plan.boxes[plan.chosen]
    box.stakes[wager] = 1000
    box.late = {wager: 500 if plan.turn % 2 else -500}
    plan.on_dice = wager
    return plan.throw_until(lambda dice: (plan.dice_line(wager, dice) is not None) == wins)


fault("WAGER-LATE/dice", bet_late(model.DiceRolled, 0), fits=has_dice_wagers, prepare=_late)


def _first_die_wrong(play: Any, announcement: Any) -> list[int]:
    first, *others = announcement.dice
    return [first % 6 + 1, *others]


fault("PAY-ANNOUNCED/dice", change(model.DiceAnnounced, dice=_first_die_wrong), fits=closes_with_dice)


# The shaker


@fault("DEAL-SHAKE/electronic", fits=by_player)
def electronic_shaker(play: Any) -> Spot:
    """The electronic shaker shakes too short or unsealed, or is activated if no one plays."""
    plan = play.plan
    match plan.turn % 3:
        case 0:
            return change(model.ShakerShaken, duration_ms=plan.random.choice((4999, 3000, 1200)))(play)
        case 1 if plan.unseated:
            return change(model.ShakerActivated, seat=plan.random.choice(plan.unseated))(play)
        case _:
            return change(model.ShakerShaken, covered=False)(play)


DEALERS = both_fit(with_dealers_shaker, has_dice_wagers)


@fault("DEAL-SHAKE/unfiled", fits=DEALERS)
def unfiled_shaker(play: Any) -> Spot:
    """A player activates an electronic shaker if the dealer's is filed; it shakes long enough, sealed."""
    script, seat = play.script, min(play.plan.boxes)
    rolled = script.of(model.DiceRolled)[-1]
    for step in script.of(model.ShakerShaken):
        if script.index(step) < script.index(rolled):
            changed(step, times=None, duration_ms=play.plan.random.randrange(5000, 8000), covered=True)
            script.before(step, model.ShakerActivated(seat=seat))
    return HERE


fault("DEAL-SHAKE/lid", change(model.ShakerShaken, covered=False), fits=DEALERS)  # the lid is off


@fault("DEAL-NOBETS/dice", fits=closes_with_dice)
def no_more_bets_late(play: Any) -> Spot:
    """ "No more bets" is announced after the dice were shaken, before the first card."""
    play.script.move_behind(play.script.first(model.NoMoreBets), play.script.first(model.DiceRolled))
    return HERE


@fault("EQUIP-DICE/colours", fits=has_red_die)
def wrong_colours(play: Any) -> Spot:
    """Two red dice and a blue one are in the shaker."""
    for step in play.script.of(model.DiceRolled):
        changed(step, colours=play.plan.random.sample(["red", "red", "blue"], 3))
    return HERE


# Legitimate irregularities (§§ 645c.1, 645c.2, D23)


def _tiger_9(plan: PaiGowPokerPlan) -> bool:
    """Prepare a dealer with a Tiger 9, and wagers on it."""
    for seat in plan.boxes if "tiger_9" in plan.book.offers else ():
        plan.bet(seat, "tiger_9", 500)
    return plan.deal({"dealer": "tiger_9"}) and plan.deal_until(lambda _: True, {"dealer": "tiger_9"})


def _just_long_enough(plan: PaiGowPokerPlan) -> None:
    """The electronic shaker shakes for five seconds and no longer; at times a die falls out, and it is activated again."""
    plan.shaken_ms = 5000
    plan.no_roll = "fell_out" if plan.turn % 2 else None


def _void_after_the_dice(plan: PaiGowPokerPlan) -> bool:
    """The wagers on the dice were settled before the round was void, and stand (D23)."""
    return bool(dice_wager(plan.turn % 2 == 0)(plan)) and prepare_void(plan) and plan.chosen in plan.boxes


legitimate(
    "tiger_9_push",  # every base wager pushes, the Tiger 9 wagers are paid (§ 645c.1(e)(1))
    4,
    only_if(lambda play: play.plan.dealer_pushes),
    fits=commission_free,
    prepare=_tiger_9,
    decides=True,
)
legitimate("electronic_shaker", 4, HERE, fits=by_player, prepare=_just_long_enough)
legitimate("dice_stand_in_void", 4, HERE, fits=has_dice_wagers, prepare=_void_after_the_dice, decides=True)
