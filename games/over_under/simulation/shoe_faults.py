"""Anomalies of the batches and the shoe of Over/Under (§§ 686a.3 to 686a.5, 686a.7(c), (d), 686a.9(b), .9(d))."""

from typing import Any

from events.vocabulary import model
from floor.faults import dealing
from floor.faults.anomaly import HERE, require
from floor.faults.conditions import deck_time_runs_out
from floor.faults.edits import by_turns, change, drop
from floor.faults.equipment import EQUIPMENT, FAULTS, keep_too_long, minutes, restore
from floor.faults.labels import Spot
from floor.faults.recordings import RECORDINGS, foreign_card
from floor.table.script import ScriptStep
from games.over_under.simulation.faults import OVER_UNDER_ANOMALIES, from_shoe, in_shoe
from games.over_under.simulation.plan import OverUnderPlan
from games.over_under.simulation.play import OverUnderPlay
from games.over_under.simulation.table import BATCH, ShoeTable

OVER_UNDER_ANOMALIES.share(EQUIPMENT, "OPEN-INSPECT")
OVER_UNDER_ANOMALIES.share(RECORDINGS, "foreign_card_removed", "bet_for_the_dealer")
ANOMALIES = OVER_UNDER_ANOMALIES
"""All of the game, with those of this file."""
fault, legitimate = OVER_UNDER_ANOMALIES.fault, OVER_UNDER_ANOMALIES.legitimate

# Tables, and what is done before a round


def shuffles_by_hand(table: ShoeTable) -> bool:
    """There is no shuffler, so that a new shoe is shuffled and cut by hand."""
    return table.spec.shuffler == "none"


def machine_alternates_batches(table: ShoeTable) -> bool:
    """Two batches are shuffled by a machine, and it works."""
    return len(table.decks) == 2 and not table.shuffler_out


def is_spread_again(table: ShoeTable) -> bool:
    """The cards are spread for the first player to arrive after a time without any (§ 686a.5(g), (h))."""
    return table.spec.shuffler in ("none", "automated") and table.rounds_today > 0 and not table.shuffler_out


def is_used(table: ShoeTable) -> bool:
    """The shoe goes on, and rounds were dealt today."""
    return not table.begins and table.rounds_today > 0


def runs_short(table: ShoeTable) -> bool:
    """The shoe of a table without a shuffler may turn out to hold too few cards: a part of the batch was left in the rack."""
    return in_shoe(table) and shuffles_by_hand(table)


def cuts_next(table: ShoeTable) -> bool:
    """A shoe is shuffled and cut by hand next (a preshuffled one is only cut), and it is known to whom the cut is offered."""
    return shuffles_by_hand(table) and not table.lost and (table.deck.dirty or not table.begins)


def reshuffle(table: ShoeTable, turn: int = 0) -> None:
    """A floorperson directs that the cards be reshuffled after this round (§ 686a.5(f)), which ends the fault."""
    table.end_shoe()


def new_batch(table: ShoeTable, *without: str, preshuffled: bool = False, color: str = "") -> None:
    """Change the batch in play; steps of its opening are left out."""
    table.change_deck(table.turn % len(table.decks), without=without, preshuffled=preshuffled, color=color)


def too_few(plan: OverUnderPlan) -> bool:
    """End the shoe among the first cards, or right after them (§ 686a.9(b))."""
    require(plan.until_cover is not None and plan.until_cover >= 30)
    plan.ends_after = plan.random.randrange(1, len(plan.boxes) + 1)
    return plan.deal()


# Opening and batches


def _same_backs(table: ShoeTable, turn: int) -> None:
    assert table.other is not None
    new_batch(table, color=table.other.color)


def _other_backs(table: ShoeTable) -> None:
    """The batch with the wrong backs is replaced."""
    at = next(i for i, deck in enumerate(table.decks) if deck is table.deck)
    assert table.other is not None
    table.change_deck(at, color="blue" if table.other.color == "red" else "red")


fault(
    "OPEN-SPREAD",
    HERE,
    before=lambda table, turn: new_batch(
        table, ("spread", "wash", "face_up")[turn % 3], preshuffled=turn % 3 != 1 and turn % 2 == 1
    ),
)
fault(
    "OPEN-IDLE",
    HERE,
    fits=is_spread_again,
    before=lambda table, turn: table.idle(minutes(turn), without=("wash",) if turn % 2 else ("spread", "wash")),
)
fault("EQUIP-DECK", HERE, fits=deck_time_runs_out, before=keep_too_long, after=lambda table: table.change_old_decks())
fault(  # the batch that was dealt is shuffled and dealt again; the other waits for one more shoe
    "EQUIP-BATCH",
    HERE,
    fits=lambda table: machine_alternates_batches(table) and is_used(table),
    before=lambda table, turn: table.end_shoe(same=True),
)
fault(
    "EQUIP-BATCH/backs",
    HERE,
    fits=lambda table: machine_alternates_batches(table) and table.rounds_today > 60,
    before=_same_backs,
    after=_other_backs,
)


def _change_batch_dealt(table: ShoeTable) -> None:
    """Remove the batch that was just dealt; at the end of a shoe, the other batch is next."""
    table.change_deck((table.turn - (table.begins and len(table.decks) == 2)) % len(table.decks))


fault("DEAL-DECK/foreign", foreign_card, after=_change_batch_dealt)

# Shuffle and cut


def unshuffled(play: OverUnderPlay) -> Spot:
    """Leave out the shuffle of the batch and the cut after it."""
    script = play.script
    steps = [*script.of(model.CutOffered), *script.of(model.CardsCut)]
    for step in [*steps, *script.of(model.CardsShuffled, deck=play.plan.deck.id)]:
        script.drop(step)
    return HERE


def back_in_play(play: OverUnderPlay) -> Spot:
    """A batch comes back into play, and no one shuffled it."""
    require(play.script.of(model.CardsShuffled, deck=play.plan.deck.id))
    unshuffled(play)
    return Spot(consequences=("DEAL-COVER",))


def _other_used(table: ShoeTable) -> bool:
    other = table.other
    if other is None or table.begins or not machine_alternates_batches(table):
        return False
    return other.id in table.dealt and other.id not in table.unknown


# A new batch that was not preshuffled, or one that was spread and washed, is dealt without a shuffle.
fault("DEAL-SHUFFLE", unshuffled, fits=shuffles_by_hand, before=lambda table, turn: new_batch(table), after=reshuffle)
fault(
    "DEAL-SHUFFLE/idle",
    unshuffled,
    fits=lambda table: shuffles_by_hand(table) and is_used(table),
    before=lambda table, turn: table.idle(minutes(turn)),
    after=reshuffle,
)
fault("DEAL-SHUFFLE/back", back_in_play, fits=_other_used, before=reshuffle, after=reshuffle)
fault(
    "DEAL-CUT",
    by_turns(
        dealing.no_cut,
        dealing.shallow_cut,
        change(model.CardsCut, depth=lambda play, _: play.plan.random.randrange(303, 312)),
        dealing.cut_out_of_order,
        dealing.cut_without_offer,
        dealing.recut_not_made,
    ),
    fits=cuts_next,
    before=reshuffle,
)

# Cover card and burn card


def _too_low(plan: OverUnderPlan) -> bool:
    plan.cover_from_bottom = plan.random.randrange(40, 78)
    plan.until_cover = len(BATCH) - plan.cover_from_bottom
    return bool(plan.begins)


def no_cover_card(play: OverUnderPlay) -> Spot:
    """The cover card is not put back into the cards after the cut; the floor has them reshuffled after the round."""
    require(not play.script.of(model.CoverCardReached))
    return drop(model.CoverCardPlaced)(play)


def _cover_came(table: ShoeTable) -> bool:
    known = table.begins and not table.lost and table.cover_at is not None
    return known and len(table.shoe.cards) > 30 and table.rounds_today > 0


def unburnt(play: OverUnderPlay) -> Spot:
    """No card is burnt."""
    for step in play.script.of(model.CardBurned):
        play.script.drop(step)
    return HERE


# The cards of the rack are shuffled in the middle of the round, and the first of them is dealt, or they are not cut.
fault("DEAL-BURN/reshuffle", drop(model.CardBurned, -1), fits=runs_short, prepare=too_few)
fault("DEAL-CUT/reshuffle", drop(model.CardsCut, -1), fits=runs_short, prepare=too_few)
fault("DEAL-COVER", HERE, fits=from_shoe, before=reshuffle, prepare=_too_low)
fault("DEAL-COVER/missing", no_cover_card, fits=shuffles_by_hand, before=reshuffle, after=reshuffle)
fault(  # no one shuffles: the next round is dealt from the same shoe
    "DEAL-COVER/passed", HERE, fits=_cover_came, before=lambda table, turn: table.resume_shoe(), after=reshuffle
)
fault("DEAL-BURN", unburnt, fits=from_shoe, before=reshuffle)
fault("DEAL-BURN/new_dealer", unburnt, fits=lambda table: table.must_burn and not table.begins)

# Devices


def _stands_uncovered(table: ShoeTable, turn: int) -> None:
    """The shuffler cannot be used, stands uncovered, and the cards are shuffled and cut by hand."""
    table.end_shoe()
    table.fail_shuffler(rounds=9, covered=False)


def continuous_jam(play: Any) -> Spot:
    """The continuous shuffler jams while the batch is put in, and its cards are dealt without being reshuffled."""
    failed = model.DeviceFailed(device="shuffler", fault=FAULTS[play.plan.turn % 3])
    play.script.behind(play.script.of(model.RoundOpened)[0], play.table.shuffled(play.plan.deck), failed)
    play.script.after.append(ScriptStep(model.DeviceRestored(device="shuffler")))
    return HERE


fault("DEAL-DEVICE", HERE, fits=machine_alternates_batches, before=_stands_uncovered, after=restore)
fault("DEAL-DEVICE/jam", continuous_jam, fits=lambda table: table.endless)

# Legitimate irregularities


def _refused(plan: OverUnderPlan) -> None:
    plan.refusals = 1 + plan.turn % 2 if plan.turn % 3 else len(plan.table.seats)


def _jams(table: ShoeTable, turn: int) -> None:
    other = table.other or table.deck
    if turn % 2 and other is not table.deck:
        table.report(table.shuffled(other))
    table.report(model.DeviceFailed(device="shuffler", fault=FAULTS[turn % 3]), model.DeviceRestored(device="shuffler"))
    table.shuffle(other)


def _breaks_down(table: ShoeTable, turn: int) -> None:
    table.end_shoe()
    table.fail_shuffler(rounds=15 + turn % 10)


def _other_waits(table: ShoeTable) -> bool:
    return machine_alternates_batches(table) and not table.begins and table.other is not None and table.other.dirty


legitimate("cut_refused", 5, HERE, fits=shuffles_by_hand, before=reshuffle, prepare=_refused)
legitimate("recut", 4, dealing.cut_again, fits=shuffles_by_hand, before=reshuffle)
legitimate("reshuffle_directed", 4, HERE, fits=in_shoe, before=reshuffle)
legitimate("too_few_cards", 4, HERE, fits=runs_short, prepare=too_few)
legitimate("new_batch", 3, HERE, before=lambda table, turn: new_batch(table, preshuffled=turn % 2 == 0))
legitimate("table_idle", 2, HERE, fits=is_spread_again, before=lambda table, turn: table.idle(minutes(turn)))
legitimate("device_outage", 4, HERE, fits=_other_waits, before=_jams)
legitimate("continuous_outage", 2, HERE, fits=lambda table: table.endless, before=_jams)
legitimate("device_outage_manual", 3, HERE, fits=machine_alternates_batches, before=_breaks_down)
