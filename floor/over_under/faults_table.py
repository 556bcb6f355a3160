"""Planted faults of opening, batches, shuffle, cut, cover card and devices at Over/Under (§§ 686a.3-686a.5, 686a.7, 686a.9)."""

from __future__ import annotations

from typing import Any

from events import model
from floor.faults.labels import Spot
from floor.faults.records import log_clock, log_correction, log_source_gap, log_source_repeat
from floor.over_under.anomalies import fault
from floor.over_under.plan import Plan
from floor.over_under.play import Play
from floor.over_under.preparing import (
    after_minutes,
    cuts_next,
    direct_reshuffle,
    end_shoe,
    from_shoe,
    is_spread_again,
    machine_works,
    runs_short,
    shuffles_by_hand,
    too_few,
)
from floor.over_under.table import ShoeTable
from floor.table.script import Step, changed
from floor.table.streams import MINUTE_US


def nothing(play: Play) -> Spot:
    """The fault was done before the round."""
    return Spot()


# ------------------------------------------------------------------------------------------------- opening and batches


def _new_batch(table: ShoeTable, without: tuple[str, ...] = (), preshuffled: bool = False, colour: str = "") -> None:
    table.change_deck(table.turn % len(table.decks), without=without, preshuffled=preshuffled, colour=colour)


fault(
    "OPEN-INSPECT", before=lambda table, turn: _new_batch(table, ("inspect",) if turn % 2 else ("verified",))
)(nothing)  # fmt: skip
fault(
    "OPEN-SPREAD",
    before=lambda table, turn: _new_batch(
        table, (("spread",), ("wash",), ("face_up",))[turn % 3], preshuffled=turn % 3 != 1 and turn % 2 == 1
    ),
)(nothing)


def _back_to_play(table: ShoeTable, turn: int) -> None:
    table.idle(after_minutes(turn), without=("wash",) if turn % 2 else ("spread", "wash"))


fault("OPEN-IDLE", fits=is_spread_again, before=_back_to_play)(nothing)


def _keep_too_long(table: ShoeTable, turn: int) -> None:
    """A long time without a round goes by, and nobody thinks of the batch."""
    over = table.deck.in_play_us + table.deck_limit_us + (3 + turn % 30) * MINUTE_US
    table.wait(max(0, over - table.now_us))


fault("EQUIP-DECK", before=_keep_too_long, after=lambda table: table.change_old_decks())(nothing)


def _two_batches(table: ShoeTable) -> bool:
    return machine_works(table) and not table.begins and table.rounds_today > 0


def _same_again(table: ShoeTable, turn: int) -> None:
    """The batch that was dealt is shuffled and dealt again; the other waits for one more shoe."""
    table.end_shoe(same=True)


fault("EQUIP-BATCH", fits=_two_batches, before=_same_again)(nothing)


def _both_used(table: ShoeTable) -> bool:
    return machine_works(table) and table.rounds_today > 60


def _same_backs(table: ShoeTable, turn: int) -> None:
    other = table.other
    assert other is not None
    _new_batch(table, colour=other.colour)


def _other_backs(table: ShoeTable) -> None:
    """The batch with the wrong backs is replaced."""
    at = next(i for i, deck in enumerate(table.decks) if deck is table.deck)
    other = table.other
    assert other is not None
    table.change_deck(at, colour="blue" if other.colour == "red" else "red")


fault("EQUIP-BATCH/backs", fits=_both_used, before=_same_backs, after=_other_backs)(nothing)


# ---------------------------------------------------------------------------------------------------- shuffle and cut


def _unshuffled(play: Play) -> None:
    """Leave out the shuffle of the batch and the cut after it."""
    script = play.script
    for type_ in (model.CutOffered, model.CardsCut):
        for step in script.of(type_):
            script.drop(step)
    for step in script.of(model.CardsShuffled, deck=play.plan.deck.id):
        script.drop(step)


@fault(
    "DEAL-SHUFFLE", fits=shuffles_by_hand, before=lambda table, turn: _new_batch(table), after=end_shoe
)  # fmt: skip
def deal_shuffle(play: Play) -> Spot:
    """A new batch that was not preshuffled is dealt without a shuffle."""
    _unshuffled(play)
    return Spot()


@fault(
    "DEAL-SHUFFLE/idle", fits=lambda table: shuffles_by_hand(table) and table.rounds_today > 0 and not table.begins,
    before=lambda table, turn: table.idle(after_minutes(turn)), after=end_shoe,
)  # fmt: skip
def not_shuffled_after_idle(play: Play) -> Spot:
    """After a time without players the cards are spread and washed, and dealt without a shuffle."""
    _unshuffled(play)
    return Spot()


def _other_used(table: ShoeTable) -> bool:
    other = table.other
    if other is None or table.begins or not machine_works(table):
        return False
    return other.id in table.dealt and other.id not in table.unknown


@fault("DEAL-SHUFFLE/back", fits=_other_used, before=direct_reshuffle, after=end_shoe)
def back_in_play(play: Play) -> Spot | None:
    """A batch comes back into play, and nobody shuffled it."""
    if not play.script.of(model.CardsShuffled, deck=play.plan.deck.id):
        return None
    _unshuffled(play)
    return Spot(consequences=("DEAL-COVER",))


@fault("DEAL-CUT", fits=cuts_next, before=direct_reshuffle)
def deal_cut(play: Play) -> Spot | None:
    """No cut; too shallow a one; not offered in order; the dealer's without an offer; a recut ordered and not made."""
    script, random = play.script, play.plan.random
    cut: Any = script.first(model.CardsCut)
    offers: Any = script.of(model.CutOffered)
    if cut is None:
        return None
    match play.plan.turn % 6:
        case 0:
            script.drop(cut)
        case 1:
            changed(cut, depth=random.randrange(2, 10))
        case 2:
            changed(cut, depth=random.randrange(303, 312))
        case 3:
            order = play.offer_order()
            if len(order) < 2 or play.table.just_opened:
                return None
            for step in offers:
                script.drop(step)
            to: Any = order[-1]
            script.before(cut, model.CutOffered(seat=to, accepted=True))
            changed(cut, by=to)
        case 4:
            for step in offers:
                script.drop(step)
            changed(cut, by="dealer")
        case _:
            script.behind(cut, model.RecutOrdered(by=play.table.floor))
    return Spot()


# ------------------------------------------------------------------------------------------- cover card and burn card


def _too_low(plan: Plan) -> bool:
    plan.cover_from_bottom = plan.random.randrange(40, 78)
    plan.until_cover = 312 - plan.cover_from_bottom
    return plan.begins


@fault("DEAL-BURN/reshuffle", fits=runs_short, prepare=too_few)
def not_burnt_after_reshuffle(play: Play) -> Spot:
    """The cards of the rack are shuffled in the middle of the round, and the first of them is dealt."""
    play.script.drop(play.script.of(model.CardBurned)[-1])
    return Spot()


@fault("DEAL-CUT/reshuffle", fits=runs_short, prepare=too_few)
def not_cut_after_reshuffle(play: Play) -> Spot:
    """The cards of the rack are shuffled in the middle of the round, and not cut."""
    play.script.drop(play.script.of(model.CardsCut)[-1])
    return Spot()


fault("DEAL-COVER", fits=from_shoe, before=direct_reshuffle, prepare=_too_low)(nothing)


@fault("DEAL-COVER/missing", fits=shuffles_by_hand, before=direct_reshuffle, after=end_shoe)
def no_cover_card(play: Play) -> Spot | None:
    """The cover card is not put back into the cards after the cut; the floor has them reshuffled after the round."""
    step = play.script.first(model.CoverCardPlaced)
    if step is None or play.script.first(model.CoverCardReached) is not None:
        return None
    play.script.drop(step)
    return Spot()


def _cover_came(table: ShoeTable) -> bool:
    return (
        table.begins
        and not table.lost
        and table.cover_at is not None
        and len(table.shoe.cards) > 30
        and table.rounds_today > 0
    )


def _dealt_on(table: ShoeTable, turn: int) -> None:
    """Nobody shuffles: the next round is dealt from the same shoe."""
    table.resume_shoe()


def _shoe_was_over(table: ShoeTable) -> None:
    table.end_shoe()


fault("DEAL-COVER/passed", fits=_cover_came, before=_dealt_on, after=_shoe_was_over)(nothing)


@fault("DEAL-BURN", fits=from_shoe, before=direct_reshuffle)
def deal_burn(play: Play) -> Spot:
    """The first card of a shoe is dealt."""
    _unburnt(play)
    return Spot()


def _unburnt(play: Play) -> None:
    for step in play.script.of(model.CardBurned):
        play.script.drop(step)


@fault("DEAL-BURN/new_dealer", fits=lambda table: table.must_burn and not table.begins)
def not_burnt_by_new_dealer(play: Play) -> Spot:
    """A dealer who comes to the table burns no card."""
    _unburnt(play)
    return Spot()


# -------------------------------------------------------------------------------------------------------------- devices


def _stands_uncovered(table: ShoeTable, turn: int) -> None:
    table.end_shoe()
    table.fail_shuffler(rounds=9, covered=False)


@fault(
    "DEAL-DEVICE", fits=machine_works, before=_stands_uncovered, after=lambda table: table.restore_shuffler()
)  # fmt: skip
def deal_device(play: Play) -> Spot:
    """The shuffler cannot be used, stands uncovered, and the cards are shuffled and cut by hand."""
    return Spot()


@fault("DEAL-DEVICE/jam", fits=lambda table: table.endless)
def continuous_jam(play: Play) -> Spot:
    """The continuous shuffler jams while the batch is put in, and its cards are dealt without being reshuffled."""
    opened = play.script.of(model.RoundOpened)[0]
    fault_: Any = ("jam", "stopped", "incomplete")[play.plan.turn % 3]
    play.script.behind(
        opened, play.table.shuffled(play.plan.deck), model.DeviceFailed(device="shuffler", fault=fault_)
    )  # fmt: skip
    play.script.after.append(Step(model.DeviceRestored(device="shuffler")))
    return Spot()


# ------------------------------------------------------------------------------------------------- counters and clocks

fault("LOG-SOURCE-GAP")(log_source_gap)
fault("LOG-SOURCE-REPEAT")(log_source_repeat)
fault("LOG-CLOCK")(log_clock)
fault("LOG-CORRECTION")(log_correction)
