"""Anomalies of opening, equipment, shuffle and devices, for tables with one deck or two.

§§ 688a.2(c), 688a.3, 688a.4, 688a.5, 688a.9(a)(1), 688a.13(k)-(m) and the matching sections of other chapters.
"""

from typing import Any

from events.vocabulary import model
from floor.faults.anomaly import HERE, Anomalies, require
from floor.faults.conditions import (
    both_fit,
    by_stack,
    can_fail,
    deck_time_runs_out,
    machine_works,
    not_by_hand,
    one_deck,
    past_half_time,
    used_deck_waits,
)
from floor.faults.labels import Spot
from floor.table.script import ScriptStep, changed
from floor.table.streams import MINUTE_US

EQUIPMENT = Anomalies()
fault, legitimate = EQUIPMENT.fault, EQUIPMENT.legitimate
FAULTS: Any = ("jam", "stopped", "incomplete")


def minutes(turn: int) -> int:
    """Return some minutes, in microseconds."""
    return (5 + turn % 9) * MINUTE_US


def new_deck(table: Any, jokers: int, *without: str) -> None:
    """Replace the next round's deck; steps of its opening are left out."""
    table.change_deck(table.turn % len(table.decks), jokers=jokers, without=without)


def keep_too_long(table: Any, turn: int) -> None:
    """A long time passes without a round, and the deck's time limit is forgotten."""
    over = table.deck.in_play_us + table.deck_limit_us + (3 + turn % 30) * MINUTE_US
    table.wait(max(0, over - table.now_us))


def back_to_play(table: Any, turn: int) -> None:
    """No one played for a time, and the cards are not spread or, if that is due, not washed."""
    by_hand = table.spec.shuffler == "none"
    table.idle(minutes(turn), without=("wash",) if by_hand and turn % 2 else ("spread", "wash"))


def same_deck_again(table: Any, turn: int) -> None:
    """The last deck is shuffled and dealt again; the other waits one more round."""
    table.turn -= 1
    table.shuffle(table.deck)


def jam(table: Any, turn: int) -> None:
    """The shuffler jams while shuffling the used deck; once cleared, it shuffles again (§ 688a.13(k))."""
    table.report(model.DeviceFailed(device="shuffler", fault=FAULTS[turn % 3]), model.DeviceRestored(device="shuffler"))
    for deck in table.decks:
        table.shuffle(deck)


def restore(table: Any) -> None:
    """The shuffler works again."""
    table.restore_shuffler()


def not_idle_soon(table: Any) -> bool:
    """No deck change is due soon, and no device is out of use."""
    return not table.decks_due(40 * MINUTE_US) and not table.shuffler_out


def register_broken_device(anomalies: Anomalies, least: int, played_on: tuple[str, ...], unshuffled: tuple[str, ...]) -> None:
    """Register in a game that a device fails and its cards are dealt anyway.

    Either the shoe fails after at least this many stacks and play goes on, or the shuffler jams and no one shuffles again.
    `played_on` and `unshuffled` are the consequences.
    """

    @anomalies.fault("DEAL-DEVICE", fits=can_fail, after=restore)
    def edit(play: Any) -> Spot:
        script = play.script
        if by_stack(play.table):
            deals = script.of(model.CardsDealt)
            at = play.plan.random.randrange(least, len(deals) - 1)
            script.behind(deals[at], model.DeviceFailed(device="shoe", fault="jam"), model.DeviceRestored(device="shoe"))
            return Spot(consequences=played_on)
        step = require(script.first(model.CardsShuffled, deck=play.plan.deck.id))
        script.behind(step, model.DeviceFailed(device="shuffler", fault="incomplete"))
        script.after.append(ScriptStep(model.DeviceRestored(device="shuffler")))
        return Spot(consequences=unshuffled)


fault("OPEN-INSPECT", HERE, before=lambda table, turn: new_deck(table, 1, "inspect" if turn % 2 else "verified"))
fault("OPEN-JOKER", HERE, before=lambda table, turn: new_deck(table, 2, "joker" if turn % 2 else "witness"))
fault("OPEN-SPREAD", HERE, before=lambda table, turn: new_deck(table, 1, ("spread", "wash", "face_up")[turn % 3]))
fault("OPEN-IDLE", HERE, fits=not_idle_soon, before=back_to_play)
fault(
    "EQUIP-DECK",
    HERE,
    fits=both_fit(past_half_time, deck_time_runs_out),
    before=keep_too_long,
    after=lambda table: table.change_old_decks(),
)
# Planted in the first round of a day at a table that did not change its dice: the simulation sees to that.
fault("EQUIP-DICE", HERE, fits=lambda table: False, after=lambda table: table.change_dice())
fault("EQUIP-ALTERNATE", HERE, fits=used_deck_waits, before=same_deck_again)
fault(
    "DEAL-DEVICE/uncovered",  # the shuffler cannot be used, stands uncovered, and the cards are shuffled and cut by hand
    HERE,
    fits=both_fit(machine_works, not_by_hand),
    before=lambda table, turn: table.fail_shuffler(rounds=9, covered=False),
    after=restore,
)


@fault("DEAL-SHUFFLE", fits=one_deck)
def deal_shuffle(play: Any) -> Spot:
    """The cards are not shuffled; or, at a table that deals from the hand, shuffled by hand and cut."""
    step = require(play.script.first(model.CardsShuffled, deck=play.plan.deck.id))
    if play.table.spec.deal_method == "hand" and play.plan.turn % 2:
        changed(step, method="manual", count=None)
        step.source = "dealer"
        play.script.behind(step, *play.a_cut())
    else:
        play.script.drop(step)
    return HERE


legitimate("device_outage", 3, HERE, fits=machine_works, before=jam)
legitimate(  # it is covered, and for some rounds the cards are shuffled and cut by hand (§ 688a.13(m))
    "device_outage_manual",
    2,
    HERE,
    fits=both_fit(machine_works, not_by_hand),
    before=lambda table, turn: table.fail_shuffler(rounds=2 + turn % 4),
)
