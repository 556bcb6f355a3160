"""Irregularities in California that are right, and labelled: none of them may raise an alarm (GEGR-002138, D22, D28)."""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.preparing import against_house_way, one_box_seat
from floor.faults.labels import Spot
from floor.player_dealer.anomalies import legitimate
from floor.player_dealer.faults_deal import hands_dealt
from floor.player_dealer.plan import PlayerDealerPlan
from floor.player_dealer.play import PlayerDealerPlay, wagered
from floor.table.facts import returned
from games.player_dealer import SEATS


def _any_order(plan: PlayerDealerPlan) -> bool:
    plan.clear()
    plan.any_order = True
    return len(plan.boxes) > 1


@legitimate("any_order_where_covered", 8, prepare=_any_order)
def any_order_where_covered(play: PlayerDealerPlay) -> Spot | None:
    """The player-dealer's wager covers all, and the seats are settled in another order than from the action on."""
    return None if any(due.uncovered_cents for due in play.dues) else Spot()


def _sets_freely(plan: PlayerDealerPlan) -> bool:
    if not plan.deal_until(lambda each: not each.dealer_pushes and bool(against_house_way(each))):
        return False
    plan.dealer_way = plan.random.choice(against_house_way(plan))
    return True


@legitimate("player_dealer_sets_freely", 6, decides=True, prepare=_sets_freely)
def player_dealer_sets_freely(play: PlayerDealerPlay) -> Spot:
    """The player-dealer sets otherwise than the house way."""
    return Spot()


@legitimate("wager_added_too_late", 5)
def wager_added_too_late(play: PlayerDealerPlay) -> Spot:
    """The player-dealer adds to the wager after the first card: that covers nothing, and the original wager counts."""
    plan = play.plan
    more = model.PlayerDealerWagered(
        seat=plan.bank, bettor=plan.table.seats[plan.bank].token, amount_cents=plan.bank_cents + 50_000
    )  # fmt: skip
    play.script.behind(hands_dealt(play)[plan.random.randrange(SEATS)], more)
    return Spot()


@legitimate("button_moved", 5)
def button_moved(play: PlayerDealerPlay) -> Spot:
    """The action button lies at a wrong seat, and is moved before the hands go out."""
    (step,) = play.script.of(model.ActionButtonPlaced)
    play.script.before(step, model.ActionButtonPlaced(seat=play.plan.button % SEATS + 1))
    return Spot()


@legitimate("late_wager_returned", 6, prepare=one_box_seat)
def late_wager_returned(play: PlayerDealerPlay) -> Spot:
    """A wager is raised when the cards are out: the dealer refuses it, or pushes the late part back."""
    seat, script = play.plan.chosen, play.script
    bettor = play.plan.boxes[seat].bettor
    deal = hands_dealt(play)[-1]
    if play.plan.turn % 2:
        refused: Any = model.fact(
            model.WagerRefused, seat=seat, bettor=bettor, wager="base", number=None, amount_cents=2500,
            reason="after the first card",
        )  # fmt: skip
        script.behind(deal, refused)
    else:
        script.behind(deal, wagered(seat, bettor, "base", 2500), returned(seat, bettor, "base", 2500, "late"))
    return Spot()
