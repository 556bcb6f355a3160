"""Anomalies of Fortune Asia Poker alone (§§ 659a.5, 659a.11(c), 659a.13(d), (e), (j)); it has no maximum payout."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing
from floor.faults.anomaly import HERE, Anomalies
from floor.faults.conditions import by_stack, shuffled_by_hand
from floor.faults.dealing import PLAYED_ON, one_box_seat
from floor.faults.edits import by_turns, change
from floor.faults.equipment import minutes, not_idle_soon
from floor.faults.labels import Spot
from floor.faults.pai_gow import PAI_GOW
from floor.faults.pai_gow_hands import dealer_turned_early
from floor.table.facts import exposed

FORTUNE_ASIA_ANOMALIES = Anomalies()
FORTUNE_ASIA_ANOMALIES.take_over(PAI_GOW, "DEAL-EXPOSED", "DEAL-FACING", "DEAL-CUT", "OPEN-IDLE", "SET-EARLY", "PAY-LIMIT")
FORTUNE_ASIA_ANOMALIES.natural = PAI_GOW.natural
fault = FORTUNE_ASIA_ANOMALIES.fault


@fault("DEAL-EXPOSED", prepare=one_box_seat)
def deal_exposed(play: Any) -> Spot:
    """A player's card is seen and no one asks for an election, or one of the dealer's and the round is played on."""
    plan, script, seat = play.plan, play.script, play.plan.chosen
    match plan.turn % 4:
        case 0:
            script.behind(script.of(model.CardsDealt)[-1], exposed(seat, "dealer", plan.hands[seat][6]))
            return Spot(seat)
        case 1 if by_stack(play.table):
            own = script.first(model.CardsDealt, to=seat)
            script.before(own, exposed("stack", "dealer", plan.hands[seat][6]))
            return Spot(seat)
        case 2:
            last = script.of(model.CardsDealt, to="dealer")[-1]
            script.behind(last, exposed("dealer", "device", plan.hands["dealer"][6]))
        case _:
            script.before(play.setting_begins(), exposed("dealer", "dealer", plan.hands["dealer"][0]))
    return Spot(consequences=PLAYED_ON)


fault("SET-EARLY", dealer_turned_early, prepare=one_box_seat)
fault(  # no cut; too near the top, counted from there or from the bottom; a player's; a recut ordered and not made
    "DEAL-CUT",
    by_turns(
        dealing.no_cut,
        dealing.near_the_top,
        change(model.CardsCut, depth=lambda play, _: play.plan.random.randrange(44, 52), counted_from="bottom"),
        change(model.CardsCut, by=lambda play, _: play.plan.random.choice(sorted(play.table.seats))),
        dealing.recut_not_made,
    ),
    fits=shuffled_by_hand,
)
fault(  # a preshuffled deck is dealt without a cut
    "DEAL-CUT/preshuffled",
    dealing.no_cut,
    fits=lambda table: table.spec.shuffler != "continuous" and not table.shuffler_out,
    before=lambda table, turn: table.change_deck(table.turn % len(table.decks), preshuffled=True),
)
fault(  # a device that reshuffles by itself needs no spread (.5(f))
    "OPEN-IDLE",
    HERE,
    fits=lambda table: table.spec.shuffler != "continuous" and not_idle_soon(table),
    before=lambda table, turn: table.idle(minutes(turn), without=("wash",) if turn % 2 else ("spread", "wash")),
)
