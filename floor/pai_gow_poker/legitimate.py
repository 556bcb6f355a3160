"""Legitimate irregularities that only Pai Gow Poker has, each handled as the rules say (§§ 645c.1 to 645c.3, D21, D23)."""

from __future__ import annotations

from events import model
from floor.face_up_pai_gow.preparing import prepare_void
from floor.faults.labels import Spot
from floor.pai_gow_poker.anomalies import legitimate
from floor.pai_gow_poker.plan import PaiGowPlan
from floor.pai_gow_poker.play import PaiGowPlay
from floor.pai_gow_poker.preparing import (
    by_player,
    commission_free,
    dice_wager,
    errs,
    has_dice_wagers,
    near,
    tiger_9,
)  # fmt: skip


@legitimate("tiger_9_push", 4, decides=True, fits=commission_free, prepare=tiger_9)
def tiger_9_push(play: PaiGowPlay) -> Spot | None:
    """The dealer has a Tiger 9: every base wager pushes, the Tiger 9 wagers are paid (§ 645c.1(e)(1))."""
    return Spot() if play.plan.dealer_pushes else None


def _just_long_enough(plan: PaiGowPlan) -> bool:
    plan.shaken_ms = 5000
    plan.no_roll = "fell_out" if plan.turn % 2 else None
    return True


@legitimate("electronic_shaker", 4, fits=by_player, prepare=_just_long_enough)
def electronic_shaker(play: PaiGowPlay) -> Spot:
    """The electronic shaker shakes for five seconds and no longer; at times a die falls out, and it is activated again."""
    return Spot()


def _void_after_the_dice(plan: PaiGowPlan) -> bool:
    return dice_wager(wins=plan.turn % 2 == 0)(plan) and prepare_void(plan) and plan.chosen in plan.boxes


@legitimate("dice_stand_in_void", 4, decides=True, fits=has_dice_wagers, prepare=_void_after_the_dice)
def dice_stand_in_void(play: PaiGowPlay) -> Spot:
    """The wagers on the dice were settled before the round was void, and stand (D23)."""
    return Spot()


@legitimate("mystery_hit", 4, fits=near, prepare=errs(""))
def mystery_hit(play: PaiGowPlay) -> Spot | None:
    """A contribution lifts the meter above the hidden target, and all of it is paid, the overshoot too (§ 645c.3(c)(7))."""
    return Spot() if play.script.of(model.MysteryHit) else None


def _hit_and_void(plan: PaiGowPlan) -> bool:
    return prepare_void(plan) and errs("")(plan)


@legitimate("mystery_hit_in_void", 2, fits=near, prepare=_hit_and_void)
def mystery_hit_in_void(play: PaiGowPlay) -> Spot | None:
    """The round is void, and the Must-Hit-By bonus stands: its contribution was made (D23)."""
    return Spot() if play.script.of(model.MysteryHit) else None
