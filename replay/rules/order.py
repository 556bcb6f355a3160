"""The order in which the rules speak: every rule there is, by its theme or game, first to last.

The law of this file: it alone decides which rules judge, and in which order an adjudication has what they say; no import does,
and no place in a file. The order is part of stored bytes: a new rule goes where it is to speak, and none changes its place. A new
game's own rules are one entry, the last.
"""

from __future__ import annotations

from collections.abc import Iterator

from replay.rules import (
    dealing,
    dice_wagers,
    dj_wild,
    dj_wild_table,
    equipment,
    fortune_asia,
    money,
    mystery,
    over_under,
    pai_gow_poker,
    paying,
    player_dealer,
    setting,
    shoe_procedure,
    surrendering,
    wagering,
)
from replay.rules.rule import Rule

ORDER: dict[str, tuple[Rule, ...]] = {
    "wagering": (
        wagering.doubtful_wagers,
        wagering.base_wager,
        wagering.limits,
        wagering.form,
        wagering.seated,
        wagering.one_player_a_box,
        wagering.lammers,
        wagering.progressive_count,
        wagering.lockout,
    ),
    "surrendering": (surrendering.surrender,),
    "dealing": (
        dealing.not_voided,
        dealing.announced_total,
        dealing.counted_start,
        dealing.valid_roll,
        dealing.shaking,
        dealing.clockwise,
        dealing.stub_counted,
        dealing.stub_unseen,
        dealing.one_deck,
        dealing.face_up_card_unused,
        dealing.drawn_card_next,
        dealing.exposed_card_election,
        dealing.election_unseen,
        dealing.no_more_bets,
        dealing.discard_rack,
    ),
    "setting": (
        setting.house_way,
        setting.cards_dealt,
        setting.unchanged,
        setting.dealer_first,
        setting.players_first,
        setting.two_boxes,
    ),
    "settlement": (
        money.money,
        money.envy_bonuses,
        money.vigorish,
        money.source,
    ),
    "dice_wagers": (
        dice_wagers.shaken,
        dice_wagers.activated_by_a_player,
        dice_wagers.no_more_bets_before_the_dice,
        dice_wagers.red_and_blue,
        dice_wagers.announced_dice,
        dice_wagers.settled_before_the_cards,
    ),
    "dj_wild": (
        dj_wild.exposed_when,
        dj_wild.ante_and_blind,
        dj_wild.in_turn,
        dj_wild.no_surrender,
        dj_wild.dealer_last,
    ),
    "equipment": (
        equipment.shuffled,
        equipment.reshuffled_after_failure,
        equipment.covered_when_out_of_order,
        equipment.cut,
        equipment.cut_by_the_dealer,
        equipment.cut_offered,
        equipment.recut_by,
        equipment.opening,
        equipment.return_to_play,
        equipment.deck_in_time,
        equipment.dice_in_time,
        equipment.decks_alternate,
        equipment.decks_of_two_colours,
        equipment.device_counters,
    ),
    "dj_wild_table": (
        dj_wild_table.stacks_in_order,
        dj_wild_table.side_card_placed,
        dj_wild_table.stub_due,
        dj_wild_table.counted_deck,
        dj_wild_table.one_player_at_a_time,
        dj_wild_table.cards_until_settled,
    ),
    "fortune_asia": (fortune_asia.exposed_stack,),
    "paying": (
        paying.announced_result,
        paying.paid_to_who_wagered,
        paying.reveal_order,
        paying.envy_call,
        paying.verified_before_paid,
        paying.documented,
        paying.meter_readings,
        paying.settlement_order,
    ),
    "mystery": (
        mystery.contributions,
        mystery.configuration,
        mystery.triggered,
        mystery.commitment,
        mystery.reset,
        mystery.meter_as_won,
        mystery.verified_before_paid,
        mystery.paid_by,
    ),
    "shoe": (
        shoe_procedure.six_decks,
        shoe_procedure.face_up_card,
        shoe_procedure.two_batches,
        shoe_procedure.shoe_shuffled,
        shoe_procedure.reshuffled_after_failure,
        shoe_procedure.return_to_play,
        shoe_procedure.cut_offered_to,
        shoe_procedure.reshuffled_cards_cut,
        shoe_procedure.cover_card_placed,
        shoe_procedure.cover_card_passed,
        shoe_procedure.first_card_burned,
    ),
    "over_under": (
        over_under.barred_patron,
        over_under.handled,
        over_under.one_side,
        over_under.surrender,
        over_under.dealt_in_turn,
        over_under.three_cards,
        over_under.dead_hands,
        over_under.decided_in_turn,
        over_under.no_raise_or_fold,
        over_under.settled_in_turn,
    ),
    "pai_gow_poker": (pai_gow_poker.dealers_card_exposed,),
    "player_dealer": (
        player_dealer.rotation,
        player_dealer.action_button,
        player_dealer.first_hand,
        player_dealer.seven_each,
        player_dealer.piles,
        player_dealer.player_dealer_first,
        player_dealer.backline,
        player_dealer.collection_fees,
        player_dealer.settled_in_turn,
    ),
}
"""Theme or game → its rules."""


def rules_in_order() -> Iterator[Rule]:
    """Yield every rule, in the order in which they speak."""
    for rules in ORDER.values():
        yield from rules
