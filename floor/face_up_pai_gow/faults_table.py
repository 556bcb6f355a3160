"""Planted faults of opening, equipment, shuffle and devices, and of the devices' own counters and clocks.

§§ 688a.2(c), 688a.3, 688a.4, 688a.5, 688a.9(a)(1), 688a.13(k)-(m).
"""

from __future__ import annotations

from typing import Any

from events import model
from floor.face_up_pai_gow.anomalies import fault
from floor.face_up_pai_gow.play import Play
from floor.face_up_pai_gow.preparing import by_stack, machine_works, shuffled_by_hand
from floor.faults.labels import Spot
from floor.faults.records import log_clock, log_correction, log_source_gap, log_source_repeat
from floor.table.script import Script, Step, changed
from floor.table.streams import MINUTE_US
from floor.table.table import Table
from games.pai_gow import Position

PLAYED_ON = ("PAY-VOID", "PAY-ENVY")
NOT_SHUFFLED = "DEAL-SHUFFLE"


def nothing(play: Play) -> Spot:
    """The fault was done before the round."""
    return Spot()


# ------------------------------------------------------------------------------------------------------------- opening


def _new_deck(table: Table, jokers: int, without: tuple[str, ...]) -> None:
    table.change_deck(table.turn % len(table.decks), jokers=jokers, without=without)


fault(
    "OPEN-INSPECT",
    before=lambda table, turn: _new_deck(table, 1, ("inspect",) if turn % 2 else ("verified",)),
)(nothing)  # fmt: skip
fault(
    "OPEN-JOKER",
    before=lambda table, turn: _new_deck(table, 2, ("joker",) if turn % 2 else ("witness",)),
)(nothing)  # fmt: skip
fault(
    "OPEN-SPREAD",
    before=lambda table, turn: _new_deck(table, 1, (("spread",), ("wash",), ("face_up",))[turn % 3]),
)(nothing)  # fmt: skip


def _back_to_play(table: Table, turn: int) -> None:
    by_hand = table.spec.shuffler == "none"
    table.idle((5 + turn % 9) * MINUTE_US, without=("wash",) if by_hand and turn % 2 else ("spread", "wash"))


fault("OPEN-IDLE", fits=lambda table: not table.decks_due(40 * MINUTE_US) and not table.shuffler_out,
      before=_back_to_play)(nothing)  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- equipment


def _past_half_time(table: Table) -> bool:
    return table.now_us - table.deck.in_play_us > table.deck_limit_us * 45 // 100 and len(table.decks) == 1


def _keep_too_long(table: Table, turn: int) -> None:
    """A long time without a round goes by, and nobody thinks of the deck."""
    over = table.deck.in_play_us + table.deck_limit_us + (3 + turn % 30) * MINUTE_US
    table.wait(max(0, over - table.now_us))


def _change_decks(table: Table) -> None:
    table.change_old_decks()


fault("EQUIP-DECK", fits=_past_half_time, before=_keep_too_long, after=_change_decks)(nothing)
# Planted in the first round of a day at a table that did not change its dice: the simulation sees to that.
fault("EQUIP-DICE", fits=lambda table: False, after=lambda table: table.change_dice())(nothing)


def _two_decks(table: Table) -> bool:
    """Two decks, and the one just used was not changed since: it is dirty."""
    if len(table.decks) != 2 or not machine_works(table):
        return False
    used = table.decks[(table.turn - 1) % 2]
    return table.rounds_today > 0 and used.dirty and not table.decks_due(0)


def _same_deck(table: Table, turn: int) -> None:
    """The deck just used is shuffled and dealt again; the other waits one more round."""
    table.turn -= 1
    table.shuffle(table.deck)


fault("EQUIP-ALTERNATE", fits=_two_decks, before=_same_deck)(nothing)


# ------------------------------------------------------------------------------------------------- shuffle, cut, device


def one_deck(table: Table) -> bool:
    """One deck, which the machine or the dealer shuffles before the next round."""
    return len(table.decks) == 1 and table.deck.dirty and not table.just_opened


@fault("DEAL-SHUFFLE", fits=one_deck)
def deal_shuffle(play: Play) -> Spot | None:
    """The cards are not shuffled; or, at a table that deals from the hand, shuffled by hand and cut."""
    step = play.script.first(model.CardsShuffled, deck=play.plan.deck.id)
    if step is None:
        return None
    if play.table.spec.deal_method == "hand" and play.plan.turn % 2:
        changed(step, method="manual", count=None)
        step.source = "dealer"
        play.script.behind(step, *play.a_cut())
    else:
        play.script.drop(step)
    return Spot()


@fault("DEAL-CUT", fits=shuffled_by_hand)
def deal_cut(play: Play) -> Spot | None:
    """No cut; too shallow a one; not offered in order; the dealer's without an offer; a recut ordered and not made."""
    script, random = play.script, play.plan.random
    cut: Any = script.first(model.CardsCut)
    offers: Any = script.of(model.CutOffered)
    if cut is None:
        return None
    match play.plan.turn % 5:
        case 0:
            script.drop(cut)
        case 1:
            changed(cut, depth=random.randrange(2, 10))
        case 2:
            order = sorted(play.table.seats, reverse=True)
            if len(order) < 2 or play.table.just_opened:
                return None
            _offer_only(script, cut, offers, order[-1])
        case 3:
            for step in offers:
                script.drop(step)
            changed(cut, by="dealer")
        case _:
            script.behind(cut, model.RecutOrdered(by=play.table.floor))
    return Spot()


def _offer_only(script: Script, cut: Step, offers: list[Step], seat: Position) -> None:
    for step in offers:
        script.drop(step)
    to: Any = seat
    script.before(cut, model.CutOffered(seat=to, accepted=True))
    changed(cut, by=to)


def _device_fits(table: Table) -> bool:
    if not machine_works(table):
        return False
    return by_stack(table) or one_deck(table)


@fault("DEAL-DEVICE", fits=_device_fits, after=lambda table: table.restore_shuffler())
def deal_device(play: Play) -> Spot | None:
    """The shoe fails and the round is played on; or the shuffler jams, and its cards are dealt without a new shuffle."""
    return break_device(play, 1, PLAYED_ON, (NOT_SHUFFLED,))


def break_device(play: Any, least: int, played_on: tuple[str, ...], unshuffled: tuple[str, ...]) -> Spot | None:
    """Let the shoe fail after so many stacks at least, or the shuffler; say what follows from the one and from the other."""
    script, table = play.script, play.table
    if by_stack(table):
        deals = script.of(model.CardsDealt)
        at = play.plan.random.randrange(least, len(deals) - 1)
        script.behind(deals[at], model.DeviceFailed(device="shoe", fault="jam"), model.DeviceRestored(device="shoe"))
        return Spot(consequences=played_on)
    step = script.first(model.CardsShuffled, deck=play.plan.deck.id)
    if step is None:
        return None
    script.behind(step, model.DeviceFailed(device="shuffler", fault="incomplete"))
    script.after.append(Step(model.DeviceRestored(device="shuffler")))
    return Spot(consequences=unshuffled)


@fault(
    "DEAL-DEVICE/uncovered", fits=lambda table: machine_works(table) and table.spec.deal_method != "hand",
    before=lambda table, turn: table.fail_shuffler(rounds=9, covered=False),
    after=lambda table: table.restore_shuffler(),
)  # fmt: skip
def uncovered(play: Play) -> Spot:
    """The shuffler cannot be used, stands uncovered, and the cards are shuffled and cut by hand."""
    return Spot()


# ------------------------------------------------------------------------------------------------- counters and clocks

fault("LOG-SOURCE-GAP")(log_source_gap)
fault("LOG-SOURCE-REPEAT")(log_source_repeat)
fault("LOG-CLOCK")(log_clock)
fault("LOG-CORRECTION")(log_correction)
