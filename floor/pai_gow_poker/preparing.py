"""What rounds of Pai Gow Poker are made fit for: wagers on the dice that win or lose, a Must-Hit-By hit, a Tiger 9."""

from __future__ import annotations

from collections.abc import Callable

from floor.face_up_pai_gow.preparing import one_box_seat
from floor.pai_gow_poker.plan import ON_DICE, Controller, PaiGowPlan
from floor.pai_gow_poker.play import twin
from floor.pai_gow_poker.table import PaiGowTable

NEAR = 3
Prepare = Callable[[PaiGowPlan], bool]


def dice_wagers(table: PaiGowTable) -> list[str]:
    """Return the wagers on the dice that a table offers."""
    return [wager for wager in (*ON_DICE, "match") if wager in table.book.offers]


def has_dice_wagers(table: PaiGowTable) -> bool:
    """Wagers on the dice are offered."""
    return bool(dice_wagers(table))


def by_player(table: PaiGowTable) -> bool:
    """A player activates an electronic shaker."""
    return table.spec.starting == "player_shaker"


def bets_close_with_the_dice(table: PaiGowTable) -> bool:
    """All wagers must be placed before the shaker is used (§ 645c.2(f))."""
    return has_dice_wagers(table) or by_player(table)


def has_red_die(table: PaiGowTable) -> bool:
    """One red and two blue dice are needed."""
    offer = table.book.offers.get("beat_it")
    return offer is not None and offer.paytable is not None and offer.paytable.name in ("A", "B")


def commission_free(table: PaiGowTable) -> bool:
    """No vigorish is collected."""
    return bool(table.book.settings["commission_free"])


def tiger_9(plan: PaiGowPlan) -> bool:
    """Prepare a dealer with a Tiger 9, and wagers on it."""
    for seat in plan.boxes:
        if "tiger_9" in plan.book.offers:
            plan.bet(seat, "tiger_9", 500)
    return plan.deal({"dealer": "tiger_9"}) and plan.deal_until(lambda _: True, {"dealer": "tiger_9"})


def dice_wager(wins: bool) -> Prepare:
    """Prepare a wager on the dice that wins, or loses, by turns of each kind offered."""

    def prepare(plan: PaiGowPlan) -> bool:
        if not one_box_seat(plan):
            return False
        offered = dice_wagers(plan.table)
        wager, box = offered[plan.turn % len(offered)], plan.boxes[plan.chosen]
        plan.number = plan.random.randrange(1, 7)
        box.match = {}
        if wager == "match":
            box.match = {plan.number: 500}
            plan.surrendered.discard(plan.chosen)
        else:
            plan.bet(plan.chosen, wager, 500)
        plan.on_dice = wager
        return plan.throw_until(lambda dice: (plan.dice_line(wager, dice) is not None) == wins)

    return prepare


# ----------------------------------------------------------------------------------------------------- the Must-Hit-By


def _progressive_cents(table: PaiGowTable) -> int:
    return table.book.offers["progressive"].min_cents


def near(table: PaiGowTable) -> bool:
    """A few more contributions lift the Must-Hit-By meter above its target."""
    return table.mystery is not None and table.mystery.needed(_progressive_cents(table)) <= NEAR


def far(table: PaiGowTable) -> bool:
    """The Must-Hit-By meter is not hit in the next round."""
    return table.mystery is not None and table.mystery.needed(_progressive_cents(table)) > 2 * NEAR


def has_twin(table: PaiGowTable) -> bool:
    """Another configuration has the same minimum and rate as the one that is filed."""
    return far(table) and table.mystery is not None and twin(table.mystery.paytable) is not None


def filed_source(table: PaiGowTable) -> bool:
    """What the Must-Hit-By bonus is paid from is filed."""
    return near(table) and table.book.settings["mystery_paid_by"] != "either"


def contributors(plan: PaiGowPlan) -> int:
    """Let every box have a progressive wager, and return how many contribute."""
    for seat in plan.boxes:
        plan.bet(seat, "progressive", plan.book.offers["progressive"].min_cents)
    return sum("base" in box.stakes for box in plan.boxes.values())


def errs(controller: Controller, more: int = 0) -> Prepare:
    """Prepare a Must-Hit-By hit with so many more contributions; the controller errs as said (or not: empty)."""

    def prepare(plan: PaiGowPlan) -> bool:
        table = plan.table
        assert isinstance(table, PaiGowTable)
        assert table.mystery is not None
        plan.controller = controller
        return contributors(plan) >= table.mystery.needed(_progressive_cents(table)) + more

    return prepare


def errs_at(controller: Controller) -> Prepare:
    """Prepare a round in which the controller errs at a contribution, hit or not."""

    def prepare(plan: PaiGowPlan) -> bool:
        if not one_box_seat(plan):
            return False
        plan.bet(plan.chosen, "progressive", plan.book.offers["progressive"].min_cents)
        plan.controller = controller
        if controller == "not_qualified":
            plan.boxes[plan.chosen].stakes.pop("progressive")
        return True

    return prepare
