"""What several planters need: which tables and rounds an irregularity fits, and plans in which it can happen."""

from __future__ import annotations

from collections.abc import Callable

from floor.over_under.plan import Decision, Plan
from floor.over_under.table import ShoeTable
from floor.table.streams import MINUTE_US
from games.wagers import Outcome


def from_shoe(table: ShoeTable) -> bool:
    """Cards are dealt shoe by shoe."""
    return not table.endless


def in_shoe(table: ShoeTable) -> bool:
    """The next round goes on with a shoe."""
    return not table.begins and not table.endless


def shuffles_by_hand(table: ShoeTable) -> bool:
    """There is no shuffler, so that a new shoe is shuffled and cut by hand."""
    return table.spec.shuffler == "none"


def cuts_next(table: ShoeTable) -> bool:
    """A new shoe is shuffled and cut by hand, and it is known to whom the cut is offered."""
    return shuffles_by_hand(table) and not table.lost


def machine_works(table: ShoeTable) -> bool:
    """Two batches are shuffled by a machine, and it works."""
    return len(table.decks) == 2 and not table.shuffler_out


def is_spread_again(table: ShoeTable) -> bool:
    """The cards are spread for the first player to arrive after a time without any (§ 686a.5(g), (h))."""
    return table.spec.shuffler in ("none", "automated") and table.rounds_today > 0 and not table.shuffler_out


def direct_reshuffle(table: ShoeTable, turn: int) -> None:
    """A floorperson directs that the cards be reshuffled after this round (§ 686a.5(f))."""
    table.end_shoe()


def after_minutes(turn: int) -> int:
    """Return some minutes."""
    return (5 + turn % 9) * MINUTE_US


def end_shoe(table: ShoeTable) -> None:
    """The shoe is ended after the round: what is wrong with it goes no further."""
    table.end_shoe()


def one_box_seat(plan: Plan) -> bool:
    """Prepare a round without surrenders in which some patron has one box only."""
    plan.clear()
    plan.chosen = next(iter(plan.single_boxes()), 0)
    return bool(plan.chosen)


def some_decide(plan: Plan, seats: int = 2) -> bool:
    """Prepare a round without surrenders with so many boxes; the chosen one is not the last."""
    plan.clear()
    if len(plan.boxes) < seats:
        return False
    plan.chosen = plan.random.choice(sorted(plan.boxes)[:-1] or sorted(plan.boxes))
    return True


def surrenders(plan: Plan, *, alone: bool = False) -> bool:
    """Let a player surrender; `alone`: without a Bonus Wager."""
    if not one_box_seat(plan):
        return False
    box = plan.boxes[plan.chosen]
    box.decision = "surrender"
    if alone:
        box.stakes.pop("bonus", None)
    return True


def decides(plan: Plan, seat: int, decision: Decision) -> None:
    """Let a player decide so."""
    plan.boxes[seat].decision = decision


def bet_bonus(plan: Plan, seat: int, cents: int = 500) -> None:
    """Let a box have a Bonus Wager too."""
    plan.boxes[seat].stakes["bonus"] = cents


def ends(wager: str, *outcomes: Outcome) -> Callable[[Plan], bool]:
    """Say whether some wager of this name is going to end so."""
    return lambda plan: any(due.wager == wager and due.outcome in outcomes for due in plan.dues())


def ends_for(plan: Plan, outcome: Outcome) -> bool:
    """Prepare a wager that wins or loses: by turns of an ante, a Bonus Wager (where offered), and over or under."""
    wager = plan.prepared
    if wager != "bonus":
        return plan.deal_until(ends(wager, outcome))
    if not plan.has_bonus:
        return plan.deal_until(ends("ante", outcome))
    seat = plan.random.choice(sorted(plan.boxes))
    bet_bonus(plan, seat)
    return plan.make(seat, plan.bonus_total(outcome is Outcome.WIN))


def runs_short(table: ShoeTable) -> bool:
    """The shoe of a table without a shuffler may turn out to hold too few cards: a part of the batch was left in the rack."""
    return in_shoe(table) and shuffles_by_hand(table)


def too_few(plan: Plan) -> bool:
    """Let the shoe end among the first cards, or right after them (§ 686a.9(b))."""
    if plan.until_cover is None or plan.until_cover < 30:
        return False
    plan.ends_after = plan.random.randrange(1, len(plan.boxes) + 1)
    plan.deal()
    return True
