"""Planted faults of the player-dealer position (GEGR-002138): rotation, button, piles, backline wagers, fees, coverage."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.preparing import base_ends, by_card, one_box_seat
from floor.face_up_pai_gow.simulation import FACE_UP_PAI_GOW
from floor.faults.labels import Spot
from floor.faults.payment import settled
from floor.player_dealer.anomalies import fault
from floor.player_dealer.plan import PlayerDealerPlan, SeatPlan
from floor.player_dealer.play import PILES, PlayerDealerPlay, fee, wagered
from floor.player_dealer.table import PlayerDealerTable
from floor.table.facts import paid, returned, taken
from floor.table.script import changed
from games.player_dealer import SEATS
from games.wagers import Due, Outcome

DECIDED = (Outcome.WIN, Outcome.LOSE, Outcome.FOUL)

# ----------------------------------------------------------------------------------------------------------- the position


def _wrongly_rotated(plan: PlayerDealerPlan) -> bool:
    """A third round without an offer; a patron passed over; taken without an offer; another than who accepted."""
    held, asked = plan.table.held, plan.asked()
    last = asked[-1]
    match plan.turn % 4:
        case 0:
            if held.rounds < 2 or not plan.table.holder_stays:
                return False
            plan.give(held.seat, [])
        case 1:
            if len(asked) < 2:
                return False
            passed_over = plan.random.choice(asked[:-1])
            plan.give(last, [(seat, seat == last) for seat in asked if seat != passed_over])
        case 2:
            plan.give(plan.random.choice(asked), [])
        case _:
            others = [seat for seat in plan.table.seats if seat != asked[0]]
            plan.give(plan.random.choice(others), [(asked[0], True)])
    return True


@fault("CA-ROTATE", fits=lambda table: bool(table.held.patron), prepare=_wrongly_rotated)
def ca_rotate(play: PlayerDealerPlay) -> Spot:
    """The position is not offered clockwise after two rounds, or who accepted it does not get it."""
    return Spot()


# ----------------------------------------------------------------------------------------------------------- start, piles


@fault("CA-BUTTON")
def ca_button(play: PlayerDealerPlay) -> Spot:
    """The action button is put at another seat than number or dice point at, or nowhere; the hands go out rightly."""
    step = play.script.of(model.ActionButtonPlaced)[-1]
    if play.plan.turn % 2:
        play.script.drop(step)
    else:
        changed(step, seat=play.plan.button % SEATS + 1)
    return Spot()


def two_empty(plan: PlayerDealerPlan) -> bool:
    """Prepare a round with two seats without a wager."""
    return plan.make_empty(2)


@fault("CA-PILE", fits=by_card, prepare=two_empty)
def ca_pile(play: PlayerDealerPlay) -> Spot:
    """A card goes to a pile out of turn; no pile is picked, or another given out first; two hands are mixed."""
    plan, script = play.plan, play.script
    (picked,) = script.of(model.PileSelected)
    match plan.turn % 4:
        case 0:
            at = 7 * plan.random.randrange(7) + plan.random.randrange(6)
            deals = script.of(model.CardsDealt)
            script.move_before(deals[at + 1], deals[at])
        case 1:
            script.drop(picked)
        case 2:
            changed(picked, pile=PILES[plan.pile % SEATS])
        case _:
            one, other = plan.random.sample(plan.empty, 2)
            (a,), (b,) = script.of(model.CardsDealt, to=one), script.of(model.CardsDealt, to=other)
            first: Any = a.payload
            second: Any = b.payload
            changed(a, cards=[*first.cards[1:], second.cards[0]])
            changed(b, cards=[*second.cards[1:], first.cards[0]])
    return Spot()


# ---------------------------------------------------------------------------------------------------------- wagers, fees

_optional_alone = FACE_UP_PAI_GOW.anomalies.faults["WAGER-BASE"]


def _nobody_behind(plan: PlayerDealerPlan) -> bool:
    return _optional_alone.prepare(plan) and not plan.boxes[plan.chosen].behind


fault("WAGER-BASE", prepare=_nobody_behind)(_optional_alone.apply)


def _behind_a_seat(plan: PlayerDealerPlan) -> bool:
    """Prepare a free seat, or a player without a Fortune Bonus."""
    plan.clear()
    if plan.turn % 3 == 0:
        return plan.make_empty(1)
    if plan.turn % 3 == 1:
        return True
    if not one_box_seat(plan):
        return False
    plan.bet(plan.chosen, "fortune_bonus", 100)
    return plan.deal({plan.chosen: "nothing"}) and plan.deal_until(lambda _: True)


@fault("CA-BACKLINE", fits=lambda table: "backline" in table.book.offers, prepare=_behind_a_seat)
def ca_backline(play: PlayerDealerPlay) -> Spot:
    """Somebody bets behind an empty seat or the player-dealer, and gets it back; or makes a bonus bet behind a seat."""
    plan, script = play.plan, play.script
    token = play.table.people.token()
    if plan.turn % 3 == 2:
        for step in script.steps:
            if (
                getattr(step.payload, "wager", "") == "fortune_bonus"
                and getattr(step.payload, "seat", 0) == plan.chosen
            ):
                changed(step, bettor=token)
        return Spot(plan.chosen, "fortune_bonus")
    seat = plan.random.choice(plan.empty) if plan.turn % 3 == 0 else plan.bank
    cents = plan.behind_cents()
    script.behind(script.of(model.PlayerDealerWagered)[0], wagered(seat, token, "backline", cents))
    script.before(script.of(model.CardsCollected)[-1], returned(seat, token, "backline", cents, "other"))
    return Spot(seat, "backline")


@fault("CA-FEE")
def ca_fee(play: PlayerDealerPlay) -> Spot:
    """A seat pays no fee, another than the filed one, or a share of the wager; or a seat without a wager pays one."""
    plan, script = play.plan, play.script
    seat = plan.random.choice([seat for seat, box in plan.boxes.items() if "base" in box.stakes])
    box: SeatPlan = plan.boxes[seat]
    (step,) = script.of(model.CollectionTaken, seat=seat, bettor=box.bettor)
    event: Any = step.payload
    match plan.turn % 4:
        case 0:
            script.drop(step)
        case 1:
            changed(step, amount_cents=event.amount_cents * plan.random.choice((2, 3)))
        case 2:
            share = box.stakes["base"] // 25
            changed(step, amount_cents=share if share != event.amount_cents else share + 50)
        case _:
            seat = plan.random.choice(plan.empty) if plan.empty else seat
            script.behind(step, fee(seat, play.table.people.token(), event.amount_cents))
    return Spot(seat)


# -------------------------------------------------------------------------------------------------------------- coverage


def _short(plan: PlayerDealerPlan) -> bool:
    """Prepare a player-dealer whose wager does not cover the first wager that is decided."""
    if not plan.deal_until(base_ends(*DECIDED)):
        return False
    plan.bank_cents = max(100, min(abs(due.net_cents or 0) for due in plan.dues() if due.net_cents) // 2)
    return True


@fault("CA-COVER", prepare=_short)
def ca_cover(play: PlayerDealerPlay) -> Spot | None:
    """A wager that is covered in part, or not at all, is settled as if it were covered whole; or nothing is done of it."""
    found = [due for due in play.dues if due.uncovered_cents and due.for_position is None and _decided(play, due)]
    if not found:
        return None
    due = play.plan.random.choice(found)
    step, wins = settled(play, due), _wins(play, due)
    if due.outcome is not Outcome.UNCOVERED and play.plan.turn % 2:
        _settle_again(play, due)
        step.payload = returned(due.seat, due.bettor, due.wager, due.staked_cents, "push")
        return Spot(due.seat, due.wager)
    _settle_again(play, due)
    whole = due.winnings_cents + due.uncovered_cents
    if wins:
        step.payload = paid(due, due.staked_cents, whole, play.chips)
    else:
        step.payload = taken(due.seat, due.bettor, due.wager, due.staked_cents, "lost")
    return Spot(due.seat, due.wager)


def _wins(play: PlayerDealerPlay, due: Due) -> bool:
    if due.outcome is Outcome.UNCOVERED:
        return play.plan.outcome(due.seat) is Outcome.WIN
    return due.outcome is Outcome.WIN


def _decided(play: PlayerDealerPlay, due: Due) -> bool:
    """Whether it is known how a wager ended: of what is not covered at all only the hands say it."""
    return due.outcome is not Outcome.UNCOVERED or due.wager == "base"


def _settle_again(play: PlayerDealerPlay, due: Due) -> None:
    """Take out what went back of a wager beside what was taken."""
    back = play.script.of(model.WagerReturned, seat=due.seat, wager=due.wager, bettor=due.bettor)
    if due.outcome is not Outcome.UNCOVERED:
        for step in back:
            play.script.drop(step)


def _gross(table: PlayerDealerTable) -> bool:
    return table.book.settings["coverage"] == "gross"


def in_turn(dues: list[Due]) -> list[Due]:
    """Return the wagers, but for Envy, that win or lose, in the order of settlement."""
    return [due for due in dues if due.net_cents and due.for_position is None]


def _second_is_short(plan: PlayerDealerPlan) -> bool:
    """Prepare a player-dealer whose wager covers the first wager that is decided and the second in part."""
    if not plan.deal_until(lambda _: len(in_turn(plan.dues())) > 1):
        return False
    amounts = [abs(due.net_cents or 0) for due in plan.dues() if due.net_cents]
    plan.bank_cents = amounts[0] + amounts[1] // 2
    return True


@fault("PAY-ORDER", fits=_gross, prepare=_second_is_short)
def pay_order(play: PlayerDealerPlay) -> Spot | None:
    """Spot the player-dealer's wager does not cover all, a wager is served before one whose turn comes earlier."""
    found = in_turn(play.dues)
    if len(found) < 2:
        return None
    play.script.move_before(settled(play, found[1]), settled(play, found[0]))
    return Spot()
