"""The Must-Hit-By bonus: who wins, how much, the meter before and after, the payout (§ 645c.3(c), D21)."""

from typing import Any

from events.vocabulary import model
from floor.faults.anomaly import Edit, Prepare, require
from floor.faults.dealing import one_box_seat
from floor.faults.edits import only_if
from floor.faults.labels import Spot
from floor.faults.pai_gow import PAI_GOW, not_validated, prepare_void
from floor.table.script import ScriptStep, changed
from games.pai_gow_poker.simulation.faults import PAI_GOW_POKER_ANOMALIES
from games.pai_gow_poker.simulation.plan import Controller, PaiGowPokerPlan
from games.pai_gow_poker.simulation.play import twin
from rulebook.settlement.wagers import Outcome

MYSTERY = "mystery"
NEAR = 3
ANOMALIES = PAI_GOW_POKER_ANOMALIES
"""All of the game, with those of this file."""
fault, legitimate = PAI_GOW_POKER_ANOMALIES.fault, PAI_GOW_POKER_ANOMALIES.legitimate


def needed(table: Any) -> int | None:
    """Return the number of further contributions that lift the meter above its target; None without a meter."""
    cents = table.book.offers["progressive"].min_cents
    return int(table.mystery.needed(cents)) if table.mystery is not None else None


def near(table: Any) -> bool:
    """A few more contributions lift the Must-Hit-By meter above its target."""
    return (needed(table) or NEAR + 1) <= NEAR


def far(table: Any) -> bool:
    """The Must-Hit-By meter is not hit in the next round."""
    return (needed(table) or 0) > 2 * NEAR


def has_twin(table: Any) -> bool:
    """Another configuration has the same minimum and rate as the one that is filed."""
    return far(table) and twin(table.mystery.paytable) is not None


def filed_source(table: Any) -> bool:
    """The rules on file state the source of the Must-Hit-By bonus."""
    return near(table) and table.book.settings["mystery_paid_by"] != "either"


def hit(controller: Controller, more: int = 0) -> Prepare:
    """Prepare a Must-Hit-By hit after this many more contributions; the controller makes the given error (empty: none)."""

    def prepare(plan: PaiGowPokerPlan) -> bool:
        plan.controller = controller
        for seat in plan.boxes:
            plan.bet_progressive(seat)
        contributors = sum("base" in box.stakes for box in plan.boxes.values())
        return contributors >= (needed(plan.table) or 0) + more

    return prepare


def contribution(controller: Controller) -> Prepare:
    """Prepare a round in which the controller errs at a contribution, hit or not."""

    def prepare(plan: PaiGowPokerPlan) -> bool:
        require(one_box_seat(plan))
        plan.bet_progressive(plan.chosen)
        plan.controller = controller
        if controller == "not_qualified":
            plan.boxes[plan.chosen].stakes.pop("progressive")
        return True

    return prepare


def in_meter(play: Any) -> str:
    """Return the stream of the meter."""
    return f"meter/{play.book.mystery_meter}"


def hit_wrong(*consequences: str) -> Edit:
    """The controller erred at a hit: to be seen in the table's stream and in the meter's own."""

    def edit(play: Any) -> Spot:
        step = require(play.script.first(model.MysteryHit))
        return Spot(step.payload.seat, MYSTERY, consequences, also_in=in_meter(play))

    return edit


# A hit that comes one contribution late, goes to another seat, comes too early, or by a target under the minimum.
fault("MYST-TRIGGER", hit_wrong("PAY-MISSED"), fits=near, prepare=hit("late", more=1))
fault("MYST-TRIGGER/seat", hit_wrong("PAY-MISSED"), fits=near, prepare=hit("wrong_seat", more=1))
fault("MYST-TRIGGER/early", hit_wrong(), fits=far, prepare=contribution("early"))
fault("MYST-TRIGGER/target", hit_wrong(), fits=far, prepare=contribution("low_target"))
# A hit with another meter than the contribution left, with another target than committed to, or that resets it wrong.
fault("MYST-AMOUNT/reading", hit_wrong(), fits=near, prepare=hit("wrong_reading"))
fault("MYST-COMMITMENT", hit_wrong(), fits=near, prepare=hit("other_target"))
fault("MYST-RESET", hit_wrong(), fits=near, prepare=hit("wrong_reset"))


@fault("MYST-AMOUNT", fits=near, prepare=hit(""))
def mystery_amount(play: Any) -> Spot:
    """The dealer pays the maximum instead of the meter, or half of it."""
    step = require(play.script.first(model.WagerPaid, wager=MYSTERY))
    maximum = play.book.offers[MYSTERY].paytable.maximum_cents
    cents = maximum if play.plan.turn % 2 else step.payload.winnings_cents // 2
    changed(step, winnings_cents=cents)
    for document in play.script.of(model.PayoutDocumented, wager=MYSTERY, seat=step.payload.seat):
        changed(document, amount_cents=cents)
    return Spot(step.payload.seat, MYSTERY)


@fault("MYST-CONTRIBUTION", fits=far, prepare=contribution("advances_wrong"))
def advances_wrong(play: Any) -> Spot:
    """The controller advances the meter by too much once, and goes on from there."""
    first = play.script.first(model.ProgressiveAccepted, meter=play.book.mystery_meter)
    return Spot(first.payload.seat, MYSTERY, also_in=in_meter(play))


def of_chosen(play: Any) -> Spot:
    """Label the chosen seat; only the table shows the fault."""
    return Spot(play.plan.chosen, MYSTERY)


# A wager that qualifies contributes nothing; the meter is armed by a configuration that is not filed; a box without
# progressive wager contributes.
fault("MYST-CONTRIBUTION/none", of_chosen, fits=far, prepare=contribution("skips"))
fault("MYST-CONTRIBUTION/configuration", Spot(None, MYSTERY), fits=has_twin, prepare=contribution("other_configuration"))
fault("WAGER-BASE/contribution", of_chosen, fits=far, prepare=contribution("not_qualified"))


def before_payment(type_: type[model.Event], edit: Any) -> Edit:
    """Edit the steps before the payment of the bonus at its seat, unless another payout was verified there."""

    def apply(play: Any) -> Spot:
        seat = require(play.script.first(model.WagerPaid, wager=MYSTERY)).payload.seat
        steps: list[ScriptStep] = play.script.of(type_, seat=seat)
        require(len(steps) == 1 and not play.script.of(model.ProgressiveWon, seat=seat))
        edit(play, steps[0])
        return Spot(seat, MYSTERY)

    return apply


def other_source(play: Any) -> Spot:
    """The bonus is paid by slip if the inventory is filed, or the other way about."""
    step = require(play.script.first(model.WagerPaid, wager=MYSTERY))
    by_slip = step.payload.source == "slip"
    changed(step, source="inventory" if by_slip else "slip")
    for document in play.script.of(model.PayoutDocumented, wager=MYSTERY) if by_slip else ():
        play.script.drop(document)
    return Spot(step.payload.seat, MYSTERY)


NO_LIGHT = before_payment(model.LightSeen, lambda play, step: play.script.drop(step))
fault("PAY-LIGHT/mystery", NO_LIGHT, fits=near, prepare=hit(""))
fault("PAY-VALIDATED/mystery", before_payment(model.PayoutValidated, not_validated), fits=near, prepare=hit(""))
fault("PAY-SOURCE/mystery", other_source, fits=filed_source, prepare=hit(""))


was_hit = only_if(lambda play: play.script.of(model.MysteryHit))
"""A contribution lifts the meter above the hidden target, and all of it is paid, the overshoot too (§ 645c.3(c)(7))."""
legitimate("mystery_hit", 4, was_hit, fits=near, prepare=hit(""))
legitimate(  # the round is void, and the bonus stands: its contribution was made (D23)
    "mystery_hit_in_void", 2, was_hit, fits=near, prepare=lambda plan: prepare_void(plan) and hit("")(plan)
)
ANOMALIES.natural = {
    **PAI_GOW.natural,
    "tiger_9_push": lambda play: any(due.outcome is Outcome.TIGER_9_PUSH for due in play.dues),
    "mystery_hit": lambda play: play.script.of(model.MysteryHit),
}
