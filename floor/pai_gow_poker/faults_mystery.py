"""Planted faults of the Must-Hit-By bonus: who wins, how much, the meter before and after, the payout (§ 645c.3(c), D21)."""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.anomaly import Apply
from floor.faults.labels import Spot
from floor.pai_gow_poker.anomalies import fault
from floor.pai_gow_poker.play import PaiGowPlay
from floor.pai_gow_poker.preparing import errs, errs_at, far, filed_source, has_twin, near
from floor.table.script import Step, changed

MYSTERY = "mystery"


def _meter(play: PaiGowPlay) -> str:
    return f"meter/{play.book.mystery_meter}"


def _paid(play: PaiGowPlay) -> Step | None:
    return play.script.first(model.WagerPaid, wager=MYSTERY)


def _hit_wrong(*consequences: str) -> Apply:
    """The controller erred at a hit: to be seen in the table's stream and in the meter's own."""

    def apply(play: PaiGowPlay) -> Spot | None:
        hit: Any = play.script.first(model.MysteryHit)
        if hit is None:
            return None
        return Spot(hit.payload.seat, MYSTERY, consequences, also_in=_meter(play))

    return apply


# A hit that comes one contribution late, goes to another seat, comes too early, or by a target under the minimum.
fault("MYST-TRIGGER", fits=near, prepare=errs("late", more=1))(_hit_wrong("PAY-MISSED"))
fault("MYST-TRIGGER/seat", fits=near, prepare=errs("wrong_seat", more=1))(_hit_wrong("PAY-MISSED"))
fault("MYST-TRIGGER/early", fits=far, prepare=errs_at("early"))(_hit_wrong())
fault("MYST-TRIGGER/target", fits=far, prepare=errs_at("low_target"))(_hit_wrong())
# A hit with another meter than the contribution left, with another target than committed to, or that resets it wrong.
fault("MYST-AMOUNT/reading", fits=near, prepare=errs("wrong_reading"))(_hit_wrong())
fault("MYST-COMMITMENT", fits=near, prepare=errs("other_target"))(_hit_wrong())
fault("MYST-RESET", fits=near, prepare=errs("wrong_reset"))(_hit_wrong())


@fault("MYST-AMOUNT", fits=near, prepare=errs(""))
def mystery_amount(play: PaiGowPlay) -> Spot | None:
    """The dealer pays the maximum instead of the meter, or half of it."""
    step: Any = _paid(play)
    if step is None:
        return None
    offer = play.book.offers[MYSTERY].paytable
    assert offer is not None
    cents = offer.maximum_cents if play.plan.turn % 2 else step.payload.winnings_cents // 2
    changed(step, winnings_cents=cents)
    for document in play.script.of(model.PayoutDocumented, wager=MYSTERY, seat=step.payload.seat):
        changed(document, amount_cents=cents)
    return Spot(step.payload.seat, MYSTERY)


@fault("MYST-CONTRIBUTION", fits=far, prepare=errs_at("advances_wrong"))
def advances_wrong(play: PaiGowPlay) -> Spot:
    """The controller advances the meter by too much once, and goes on from there."""
    first: Any = play.script.first(model.ProgressiveAccepted, meter=play.book.mystery_meter)
    return Spot(first.payload.seat, MYSTERY, also_in=_meter(play))


@fault("MYST-CONTRIBUTION/none", fits=far, prepare=errs_at("skips"))
def contributes_nothing(play: PaiGowPlay) -> Spot:
    """A progressive wager that qualifies contributes nothing: to be seen at the table only."""
    return Spot(play.plan.chosen, MYSTERY)


@fault("MYST-CONTRIBUTION/configuration", fits=has_twin, prepare=errs_at("other_configuration"))
def other_configuration(play: PaiGowPlay) -> Spot:
    """The meter is armed by another of the chapter's configurations than is filed: to be seen at the table only."""
    return Spot(None, MYSTERY)


@fault("WAGER-BASE/contribution", fits=far, prepare=errs_at("not_qualified"))
def not_qualified(play: PaiGowPlay) -> Spot:
    """A box without progressive wager contributes to the Must-Hit-By meter."""
    return Spot(play.plan.chosen, MYSTERY)


# ---------------------------------------------------------------------------------------------------------- the payout


def _verification(play: PaiGowPlay, type_: type[model.Event]) -> Step | None:
    """What precedes the payment of the bonus at its seat, where nothing else was verified there."""
    step: Any = _paid(play)
    if step is None or play.script.of(model.ProgressiveWon, seat=step.payload.seat):
        return None
    found = play.script.of(type_, seat=step.payload.seat)
    return found[0] if len(found) == 1 else None


@fault("PAY-LIGHT/mystery", fits=near, prepare=errs(""))
def no_light(play: PaiGowPlay) -> Spot | None:
    """The bonus is paid though nobody saw the light."""
    light: Any = _verification(play, model.LightSeen)
    if light is None:
        return None
    play.script.drop(light)
    return Spot(light.payload.seat, MYSTERY)


@fault("PAY-VALIDATED/mystery", fits=near, prepare=errs(""))
def not_validated(play: PaiGowPlay) -> Spot | None:
    """The bonus is paid without validation, or with the dealer's own."""
    step: Any = _verification(play, model.PayoutValidated)
    if step is None:
        return None
    if play.plan.turn % 2:
        changed(step, role="dealer", by=play.table.dealer)
    else:
        play.script.drop(step)
    return Spot(step.payload.seat, MYSTERY)


@fault("PAY-SOURCE/mystery", fits=filed_source, prepare=errs(""))
def other_source(play: PaiGowPlay) -> Spot | None:
    """The bonus is paid by slip where the inventory is filed, or the other way about."""
    step: Any = _paid(play)
    if step is None:
        return None
    by_slip = step.payload.source == "slip"
    changed(step, source="inventory" if by_slip else "slip")
    if by_slip:
        for document in play.script.of(model.PayoutDocumented, wager=MYSTERY):
            play.script.drop(document)
    return Spot(step.payload.seat, MYSTERY)
