"""Planted faults of the game, the shaker and the wagers on the dice (§§ 645c.1, 645c.2)."""

from __future__ import annotations

from typing import Any

import msgspec

from events import model
from floor.face_up_pai_gow.plan import Plan
from floor.face_up_pai_gow.preparing import base_ends, with_dealers_shaker
from floor.faults.anomaly import Apply
from floor.faults.labels import Spot
from floor.faults.payment import pick, settled
from floor.pai_gow_poker.anomalies import fault
from floor.pai_gow_poker.plan import PaiGowPlan
from floor.pai_gow_poker.play import PaiGowPlay
from floor.pai_gow_poker.preparing import (
    bets_close_with_the_dice,
    by_player,
    commission_free,
    dice_wager,
    has_dice_wagers,
    has_red_die,
)  # fmt: skip
from floor.table.facts import paid, returned, taken
from floor.table.script import Step, changed
from games.wagers import PUSHES, Due, Outcome

# --------------------------------------------------------------------------------------------------- setting, vigorish


@fault("SET-EARLY/face_up")
def dealer_face_up(play: PaiGowPlay) -> Spot:
    """The dealer's cards are dealt face up, as in another game."""
    for step in play.script.of(model.CardsDealt, to="dealer"):
        changed(step, face_up=True)
    return Spot()


@fault("PAY-VIG", fits=commission_free, prepare=lambda plan: plan.deal_until(base_ends(Outcome.WIN)))
def vigorish_taken(play: PaiGowPlay) -> Spot | None:
    """Five percent is charged on a winning base wager of the commission-free game."""
    due = pick(play, Outcome.WIN, wagers=("base",))
    if due is None:
        return None
    _charge(play, due, max(25, due.winnings_cents // 20 // 25 * 25))
    return Spot(due.seat, "base")


def _charge(play: PaiGowPlay, due: Due, cents: int) -> None:
    vigorish = model.VigorishTaken(seat=due.seat, bettor=due.bettor, amount_cents=cents)
    play.script.behind(settled(play, due), vigorish)


def _with_vigorish(plan: Plan) -> bool:
    return plan.deal_until(base_ends(*(PUSHES if plan.turn % 4 == 3 else (Outcome.WIN,))))


@fault("PAY-VIG/wrong", fits=lambda table: not commission_free(table), prepare=_with_vigorish)
def wrong_vigorish(play: PaiGowPlay) -> Spot | None:
    """Vigorish is charged too high or too low, forgotten, or charged on a wager that pushed."""
    if play.plan.turn % 4 == 3:
        tie = pick(play, *PUSHES, wagers=("base",))
        if tie is None:
            return None
        _charge(play, tie, max(25, tie.staked_cents // 20))
        return Spot(tie.seat, "base")
    steps = play.script.of(model.VigorishTaken)
    if not steps:
        return None
    step: Any = play.plan.random.choice(steps)
    event = step.payload
    match play.plan.turn % 4:
        case 0:
            changed(step, amount_cents=event.amount_cents + play.plan.random.choice((5, 25, 100)))
        case 1:
            changed(step, amount_cents=max(5, event.amount_cents - 25) if event.amount_cents > 25 else 30)
        case _:
            play.script.drop(step)
    return Spot(event.seat, "base")


# --------------------------------------------------------------------------------------------------------------- order


@fault("PAY-ORDER")
def pay_order(play: PaiGowPlay) -> Spot | None:
    """Base wagers out of order; a Fortune Bonus before the base or Tiger 9 wager; a wager on the dice after the cards."""
    script, gone = play.script, play.plan.surrendered
    base = [due for due in play.dues if due.wager == "base" and due.seat not in gone]
    if play.plan.turn % 2:
        for first in ("tiger_9", "base"):
            for due in play.dues:
                fortune = script.settling(due.seat, "fortune_bonus")
                if due.wager == first and fortune is not None and due.seat not in gone and not _slip(fortune):
                    script.move_before(fortune, settled(play, due))
                    return Spot(due.seat)
    if len(base) < 2:
        return None
    script.move_behind(settled(play, base[0]), settled(play, base[1]))
    return Spot()


def _slip(step: Step) -> bool:
    return getattr(step.payload, "source", "") == "slip"


@fault("PAY-ORDER/dice", fits=has_dice_wagers, prepare=dice_wager(wins=True))
def dice_after_the_cards(play: PaiGowPlay) -> Spot:
    """A wager on the dice is paid after the first card, or at the end of the round."""
    step, script = _on_dice(play), play.script
    script.move_behind(step, script.of(model.CardsDealt)[0] if play.plan.turn % 2 else play.setting_begins())
    return Spot(play.plan.chosen)


# -------------------------------------------------------------------------------------------------- what the dice decide


def _on_dice(play: PaiGowPlay) -> Step:
    step = play.script.settling(play.plan.chosen, play.plan.on_dice)
    assert step is not None
    return step


def _due(play: PaiGowPlay) -> Due:
    plan = play.plan
    return next(due for due in play.dues if (due.seat, due.wager) == (plan.chosen, plan.on_dice))


def _handle(play: PaiGowPlay, event: Any) -> None:
    _on_dice(play).payload = msgspec.structs.replace(event, number=_due(play).number)


def _overpay(play: PaiGowPlay, due: Due) -> None:
    _handle(play, paid(due, due.returned_cents, due.winnings_cents + 500))


def _underpay(play: PaiGowPlay, due: Due) -> None:
    _handle(play, paid(due, due.returned_cents, due.winnings_cents // 2))


def _miss(play: PaiGowPlay, due: Due) -> None:
    if play.plan.turn % 2:
        play.script.drop(_on_dice(play))
    else:
        _handle(play, returned(due.seat, due.bettor, due.wager, due.staked_cents, "push"))


def _pay_loser(play: PaiGowPlay, due: Due) -> None:
    _handle(play, paid(due, due.staked_cents, due.staked_cents * play.plan.random.choice((1, 3, 6))))


def _take(play: PaiGowPlay, due: Due) -> None:
    _handle(play, taken(due.seat, due.bettor, due.wager, due.staked_cents, number=due.number))


_DONE_WRONG = {
    "PAY-OVER": (True, _overpay, "A winner on the dice is handed too much."),
    "PAY-UNDER": (True, _underpay, "A winner on the dice is handed half."),
    "PAY-MISSED": (True, _miss, "A winner on the dice is passed over, or gets the stake back only."),
    "PAY-TAKEN": (True, _take, "A winning wager on the dice is collected."),
    "PAY-LOSER": (False, _pay_loser, "A losing wager on the dice is paid."),
    "PAY-NOT-TAKEN": (False, _miss, "A losing wager on the dice is left, or pushed back."),
}


def _planter(wrong: Any) -> Apply:
    def apply(play: PaiGowPlay) -> Spot:
        wrong(play, _due(play))
        return Spot(play.plan.chosen, play.plan.on_dice)

    return apply


for _code, (_wins, _wrong, _what) in _DONE_WRONG.items():
    _apply = _planter(_wrong)
    _apply.__doc__ = _what
    fault(f"{_code}/dice", fits=has_dice_wagers, prepare=dice_wager(_wins))(_apply)


@fault("PAY-ANNOUNCED/dice", fits=bets_close_with_the_dice)
def announced_wrong(play: PaiGowPlay) -> Spot:
    """The dealer announces a die that does not lie so."""
    said: Any = play.script.first(model.DiceAnnounced)
    dice = list(said.payload.dice)
    dice[0] = dice[0] % 6 + 1
    changed(said, dice=dice)
    return Spot()


# ---------------------------------------------------------------------------------------------------------- the shaker


@fault("DEAL-SHAKE/electronic", fits=by_player)
def electronic_shaker(play: PaiGowPlay) -> Spot | None:
    """The electronic shaker shakes too short or unsealed, or is activated where nobody plays."""
    script, plan = play.script, play.plan
    shaken = script.first(model.ShakerShaken)
    activated = script.first(model.ShakerActivated)
    assert shaken is not None
    assert activated is not None
    nobody = [seat for seat in plan.empty if seat not in play.table.seats]
    match plan.turn % 3:
        case 0:
            changed(shaken, duration_ms=plan.random.choice((4999, 3000, 1200)))
        case 1 if nobody:
            changed(activated, seat=plan.random.choice(nobody))
        case _:
            changed(shaken, covered=False)
    return Spot()


@fault("DEAL-SHAKE/unfiled", fits=lambda table: with_dealers_shaker(table) and has_dice_wagers(table))
def unfiled_shaker(play: PaiGowPlay) -> Spot:
    """A player activates an electronic shaker where the dealer's is filed; it shakes long enough, sealed."""
    script, seat = play.script, min(play.plan.boxes)
    rolled = script.of(model.DiceRolled)[-1]
    for step in script.of(model.ShakerShaken):
        if script.index(step) < script.index(rolled):
            changed(step, times=None, duration_ms=play.plan.random.randrange(5000, 8000), covered=True)
            script.before(step, model.ShakerActivated(seat=seat))
    return Spot()


@fault("DEAL-SHAKE/lid", fits=lambda table: with_dealers_shaker(table) and has_dice_wagers(table))
def lid_off(play: PaiGowPlay) -> Spot:
    """The dealer shakes the dice with the lid off, where there are wagers on them."""
    shaken = play.script.first(model.ShakerShaken)
    assert shaken is not None
    changed(shaken, covered=False)
    return Spot()


@fault("DEAL-NOBETS/dice", fits=bets_close_with_the_dice)
def no_more_bets_late(play: PaiGowPlay) -> Spot:
    """ "No more bets" is announced after the dice were shaken, before the first card."""
    said, rolled = play.script.first(model.NoMoreBets), play.script.first(model.DiceRolled)
    assert said is not None
    assert rolled is not None
    play.script.move_behind(said, rolled)
    return Spot()


@fault("EQUIP-DICE/colours", fits=has_red_die)
def wrong_colours(play: PaiGowPlay) -> Spot:
    """Two red dice and a blue one are in the shaker."""
    for step in play.script.of(model.DiceRolled):
        changed(step, colours=play.plan.random.sample(["red", "red", "blue"], 3))
    return Spot()


def _late(plan: PaiGowPlan) -> bool:
    wins = plan.turn % 4 < 2
    if plan.further not in ("sum", "beat_it"):
        plan.further = next((wager for wager in ("sum", "beat_it") if wager in plan.book.offers), "")
    if not plan.further or not dice_wager(wins)(plan):
        return False
    wager, box = plan.further, plan.boxes[plan.chosen]
    box.stakes[wager] = 1000
    box.late = {wager: 500 if plan.turn % 2 else -500}
    plan.on_dice = wager
    return plan.throw_until(lambda dice: (plan.dice_line(wager, dice) is not None) == wins)


@fault("WAGER-LATE/dice", fits=has_dice_wagers, prepare=_late)
def late_on_the_dice(play: PaiGowPlay) -> Spot:
    """A wager on the dice is raised, or partly withdrawn, after the shaker was used, and settled as it then lies."""
    seat, wager = play.plan.chosen, play.plan.on_dice
    box = play.plan.boxes[seat]
    place: Any = {"seat": seat, "bettor": box.bettor, "wager": wager, "number": None, "amount_cents": 500}
    event: Any = model.WagerPlaced(**place, form="chips") if box.late[wager] > 0 else model.WagerRemoved(**place)
    used = play.script.first(model.DiceRolled)
    assert used is not None
    play.script.behind(used, event)
    return Spot(seat, wager)
