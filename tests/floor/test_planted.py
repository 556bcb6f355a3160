"""What the floor plants, game by game: kinds of fault under the code that shows them, and irregularities that are right.

The lists were written down from the simulator as it first was. A name that is here is planted; what is behind a slash
tells apart kinds that one code shows. Behind the colon is in how many rounds of a thousand an irregularity is made to happen;
the `!` marks those that decide what chance decides otherwise, and that an honest floor has not.
"""

from __future__ import annotations

from random import Random
from types import SimpleNamespace
from typing import cast

import pytest

from floor.catalogue import SIMULATIONS
from floor.day.schedule import Schedule
from floor.faults.anomaly import HERE, Anomaly
from floor.table.table import Table

PLANTED = {
    "face_up_pai_gow": (
        """
        DEAL-TOTAL DEAL-START DEAL-NOROLL DEAL-SHAKE DEAL-ORDER DEAL-COUNT DEAL-STUB DEAL-STUBSEEN DEAL-DECK
        DEAL-FACEUP DEAL-FACING DEAL-DRAWN DEAL-EXPOSED DEAL-ELECTION DEAL-NOBETS DEAL-RACK PAY-OVER PAY-UNDER PAY-MISSED
        PAY-EARLY PAY-LOSER PAY-TAKEN PAY-NOT-TAKEN PAY-FOUL PAY-VIG PAY-ENVY PAY-ENVYCALL PAY-ANNOUNCED PAY-REVEAL PAY-ORDER
        PAY-LIMIT PAY-VOID PAY-METER PAY-METER/reading PAY-METER/stream PAY-SOURCE PAY-LIGHT PAY-VALIDATED
        PAY-DOCUMENTED WAGER-PROGRESSIVE WAGER-LOCKOUT WAGER-LAMMER OPEN-INSPECT OPEN-JOKER OPEN-SPREAD OPEN-IDLE
        EQUIP-DECK EQUIP-DICE EQUIP-ALTERNATE DEAL-SHUFFLE DEAL-CUT DEAL-DEVICE DEAL-DEVICE/uncovered LOG-SOURCE-GAP
        LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION WAGER-LATE WAGER-BASE WAGER-LIMIT WAGER-FORM WAGER-SEATED
        WAGER-SURRENDER SET-DEALER SET-CARDS SET-CHANGED SET-EARLY SET-ORDER
        """,
        """
        no_roll_reshake:8 corrected_total:6 recut:4 proper_void:10 hand_reset:6! election_play:5 election_void:4
        player_exposes_own_card:5 single_face_up_card:4 card_drawn_in_error:4 late_wager_returned:6 abandoned:3!
        surrender:4! foul_hand:4! jackpot_by_slip:4! device_outage:3 device_outage_manual:2 duplicate_message:8
        late_message:8 card_not_read:4 event_corrected:6
        """,
    ),
    "pai_gow_poker": (
        """
        DEAL-TOTAL DEAL-START DEAL-NOROLL DEAL-SHAKE DEAL-ORDER DEAL-COUNT DEAL-STUB DEAL-STUBSEEN DEAL-DECK
        DEAL-FACEUP DEAL-DRAWN DEAL-EXPOSED DEAL-ELECTION DEAL-NOBETS DEAL-RACK PAY-OVER PAY-UNDER PAY-MISSED
        PAY-EARLY PAY-LOSER PAY-TAKEN PAY-NOT-TAKEN PAY-FOUL PAY-ENVY PAY-ENVYCALL PAY-ANNOUNCED PAY-REVEAL PAY-LIMIT PAY-VOID
        PAY-METER PAY-METER/reading PAY-METER/stream PAY-SOURCE PAY-LIGHT PAY-VALIDATED PAY-DOCUMENTED
        WAGER-PROGRESSIVE WAGER-LOCKOUT WAGER-LAMMER OPEN-INSPECT OPEN-JOKER OPEN-SPREAD OPEN-IDLE EQUIP-DECK
        EQUIP-DICE EQUIP-ALTERNATE DEAL-SHUFFLE DEAL-CUT DEAL-DEVICE DEAL-DEVICE/uncovered LOG-SOURCE-GAP
        LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION WAGER-LATE WAGER-BASE WAGER-LIMIT WAGER-FORM WAGER-SEATED
        WAGER-SURRENDER SET-DEALER SET-CARDS SET-CHANGED SET-ORDER SET-EARLY SET-EARLY/face_up PAY-VIG PAY-VIG/wrong
        PAY-ORDER PAY-ORDER/dice PAY-OVER/dice PAY-UNDER/dice PAY-MISSED/dice PAY-TAKEN/dice PAY-LOSER/dice
        PAY-NOT-TAKEN/dice PAY-ANNOUNCED/dice DEAL-SHAKE/electronic DEAL-SHAKE/unfiled DEAL-SHAKE/lid
        DEAL-NOBETS/dice EQUIP-DICE/colours WAGER-LATE/dice MYST-TRIGGER MYST-TRIGGER/seat MYST-TRIGGER/early
        MYST-TRIGGER/target MYST-AMOUNT/reading MYST-COMMITMENT MYST-RESET MYST-AMOUNT MYST-CONTRIBUTION
        MYST-CONTRIBUTION/none MYST-CONTRIBUTION/configuration WAGER-BASE/contribution PAY-LIGHT/mystery
        PAY-VALIDATED/mystery PAY-SOURCE/mystery
        """,
        """
        no_roll_reshake:8 corrected_total:6 recut:4 proper_void:10 hand_reset:6! election_play:5 election_void:4
        player_exposes_own_card:5 single_face_up_card:4 card_drawn_in_error:4 late_wager_returned:6 abandoned:3!
        surrender:4! foul_hand:4! jackpot_by_slip:4! device_outage:3 device_outage_manual:2 duplicate_message:8
        late_message:8 card_not_read:4 event_corrected:6 tiger_9_push:4! electronic_shaker:4 dice_stand_in_void:4!
        mystery_hit:4 mystery_hit_in_void:2
        """,
    ),
    "fortune_asia": (
        """
        DEAL-TOTAL DEAL-START DEAL-NOROLL DEAL-SHAKE DEAL-ORDER DEAL-COUNT DEAL-STUB DEAL-STUBSEEN DEAL-DECK
        DEAL-FACEUP DEAL-DRAWN DEAL-ELECTION DEAL-NOBETS DEAL-RACK PAY-OVER PAY-UNDER PAY-MISSED PAY-LOSER PAY-TAKEN
        PAY-EARLY PAY-NOT-TAKEN PAY-FOUL PAY-VIG PAY-ENVY PAY-ENVYCALL PAY-ANNOUNCED PAY-REVEAL PAY-ORDER PAY-VOID PAY-METER
        PAY-METER/reading PAY-METER/stream PAY-SOURCE PAY-LIGHT PAY-VALIDATED PAY-DOCUMENTED WAGER-PROGRESSIVE
        WAGER-LOCKOUT WAGER-LAMMER OPEN-INSPECT OPEN-JOKER OPEN-SPREAD EQUIP-DECK EQUIP-DICE EQUIP-ALTERNATE
        DEAL-SHUFFLE DEAL-DEVICE DEAL-DEVICE/uncovered LOG-SOURCE-GAP LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION
        WAGER-LATE WAGER-BASE WAGER-LIMIT WAGER-FORM WAGER-SEATED WAGER-SURRENDER SET-DEALER SET-CARDS SET-CHANGED
        SET-ORDER DEAL-EXPOSED SET-EARLY DEAL-CUT DEAL-CUT/preshuffled OPEN-IDLE
        """,
        """
        no_roll_reshake:8 corrected_total:6 recut:4 proper_void:10 hand_reset:6! election_play:5 election_void:4
        player_exposes_own_card:5 single_face_up_card:4 card_drawn_in_error:4 late_wager_returned:6 abandoned:3!
        surrender:4! foul_hand:4! jackpot_by_slip:4! device_outage:3 device_outage_manual:2 duplicate_message:8
        late_message:8 card_not_read:4 event_corrected:6
        """,
    ),
    "over_under": (
        """
        DEAL-ORDER DEAL-ORDER/asked DEAL-COUNT DEAL-COUNT/nobody_asked DEAL-DECK DEAL-DECK/seventh DEAL-FACEUP
        DEAL-FACING DEAL-RACK PAY-OVER PAY-UNDER PAY-MISSED PAY-EARLY PAY-LOSER PAY-TAKEN PAY-NOT-TAKEN PAY-VIG PAY-VOID PAY-ORDER
        OPEN-INSPECT OPEN-SPREAD OPEN-IDLE EQUIP-DECK EQUIP-BATCH EQUIP-BATCH/backs DEAL-SHUFFLE DEAL-SHUFFLE/idle
        DEAL-SHUFFLE/back DEAL-CUT DEAL-BURN/reshuffle DEAL-CUT/reshuffle DEAL-COVER DEAL-COVER/missing
        DEAL-COVER/passed DEAL-BURN DEAL-BURN/new_dealer DEAL-DEVICE DEAL-DEVICE/jam LOG-SOURCE-GAP
        LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION WAGER-LATE WAGER-BASE WAGER-LIMIT WAGER-SEATED WAGER-MIDSHOE
        WAGER-TOUCHED WAGER-SURRENDER PLAY-ORDER
        """,
        """
        cut_refused:5 recut:4 reshuffle_directed:4 too_few_cards:4 new_batch:3 table_idle:2 face_up_card:5
        missing_cards_dealt:5 missing_cards_void:5! card_not_read:4 surrender:4! late_wager_returned:6
        wager_handled_in_time:4 standing_patron:4 newcomer_barred:5 device_outage:4 continuous_outage:2
        device_outage_manual:3 duplicate_message:8 late_message:8 event_corrected:6
        """,
    ),
    "dj_wild": (
        """
        DEAL-ORDER DEAL-COUNT DEAL-STUB DEAL-STUBSEEN DEAL-STUBDUE DEAL-DECK DEAL-FACEUP DEAL-DRAWN DEAL-EXPOSED
        DEAL-SIDE DEAL-RACK PAY-OVER PAY-UNDER PAY-MISSED PAY-EARLY PAY-LOSER PAY-TAKEN PAY-NOT-TAKEN PAY-VIG PAY-ORDER
        PAY-ORDER/optional PAY-METER PAY-METER/reading PAY-METER/stream PAY-ENVY PAY-VOID OPEN-INSPECT OPEN-SPREAD
        OPEN-IDLE EQUIP-DECK EQUIP-ALTERNATE DEAL-SHUFFLE DEAL-DEVICE/uncovered DEAL-NOBETS WAGER-FORM
        LOG-SOURCE-GAP LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION EQUIP-COUNT DEAL-CUT DEAL-DEVICE WAGER-LATE WAGER-BASE
        WAGER-LIMIT WAGER-SEATED WAGER-PROGRESSIVE WAGER-LOCKOUT PLAY-ORDER
        """,
        """
        device_outage:3 device_outage_manual:2 duplicate_message:8 event_corrected:6 recut:4 proper_void:12
        exposed_card_void:6! exposed_after_the_raises:4 player_exposes_own_card:5 single_face_up_card:5
        card_drawn_in_error:5 late_wager_returned:6 abandoned:3! folded_trips_paid:4! fold:4! equal_hands:4!
        joker_replaced:4! jackpot_by_slip:4! late_message:8 card_not_read:5
        """,
    ),
    "player_dealer": (
        """
        WAGER-LATE WAGER-LIMIT WAGER-FORM SET-CARDS DEAL-STUB PAY-OVER PAY-UNDER PAY-MISSED PAY-LOSER PAY-TAKEN
        PAY-NOT-TAKEN PAY-FOUL PAY-VIG LOG-SOURCE-GAP LOG-SOURCE-REPEAT LOG-CLOCK LOG-CORRECTION CA-ROTATE CA-BUTTON
        CA-PILE WAGER-BASE CA-BACKLINE CA-FEE CA-COVER PAY-ORDER DEAL-SHUFFLE DEAL-CUT DEAL-START DEAL-ORDER
        DEAL-COUNT DEAL-DECK SET-EARLY SET-CHANGED WAGER-LAMMER PAY-ENVY DEAL-FACING DEAL-RACK PAY-EARLY PAY-REVEAL PAY-SOURCE
        """,
        """
        no_roll_reshake:8 recut:4 foul_hand:4! player_exposes_own_card:5 device_outage:3 duplicate_message:8
        late_message:8 card_not_read:4 event_corrected:6 any_order_where_covered:8 player_dealer_sets_freely:6!
        wager_added_too_late:5 button_moved:5 late_wager_returned:6
        """,
    ),
}


def test_every_game_is_listed() -> None:
    assert PLANTED.keys() == SIMULATIONS.keys()


@pytest.mark.parametrize("game", PLANTED)
def test_every_kind_of_fault_has_an_injector(game: str) -> None:
    assert set(SIMULATIONS[game].anomalies.faults) == set(PLANTED[game][0].split())


@pytest.mark.parametrize("game", PLANTED)
def test_every_kind_of_irregularity_is_made_to_happen_as_often(game: str) -> None:
    made = SIMULATIONS[game].anomalies.legitimates
    assert {f"{kind}:{each.per_mille:g}{'!' * each.decides}" for kind, each in made.items()} == set(
        PLANTED[game][1].split()
    )


def test_nothing_is_done_before_a_round_that_follows_on_lost_messages() -> None:
    """A replay does not miss there what made the round ready: whatever was planted so would not be found."""
    opening = Anomaly("OPEN-IDLE", lambda play: HERE, before=lambda table, turn: None)
    dealing = Anomaly("DEAL-NOBETS", lambda play: HERE)
    schedule = Schedule([(opening, 1)], 400, Random(1), 10)
    after_loss, otherwise = (SimpleNamespace(lost=lost) for lost in (True, False))
    assert schedule.due(400, cast("Table", after_loss)) is None
    assert schedule.due(400, cast("Table", otherwise)) is opening
    assert Schedule([(dealing, 1)], 400, Random(1), 10).due(400, cast("Table", after_loss)) is dealing
