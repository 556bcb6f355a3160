"""The order in which the rules run: the themes that games share, and after each theme the rules of games that belong to it.

Invariant: this file alone decides which rules judge and in which order an adjudication lists their findings, not imports or
places in a file. The order is part of stored bytes: a new rule is put at its place, and no rule changes its place. A game's
own rules are in its record (`catalogue.py`), by the theme after which they run.
"""

from collections.abc import Collection, Iterator

from replay.rules import dealing, equipment, exposure, missing_steps, money, order_of_steps, parties, paying, setting, wagering
from replay.rules.catalogue import GAME_RULES
from replay.rules.game_rules import Theme
from replay.rules.rule import Rule

SHARED: dict[Theme, tuple[Rule, ...]] = {
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
        wagering.surrender,
    ),
    "dealing": (
        dealing.not_voided,
        dealing.doubtful_void,
        dealing.announced_total,
        dealing.counted_start,
        dealing.valid_roll,
        dealing.shaking,
        dealing.clockwise,
        dealing.stub_counted,
        dealing.stub_unseen,
        dealing.one_deck,
        dealing.face_up_card_unused,
        dealing.boxed_card_used,
        dealing.moved_at_once,
        dealing.drawn_card_next,
        exposure.exposed_card_election,
        exposure.election_unseen,
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
    "settlement": (money.money, money.envy_bonuses, money.vigorish, money.source),
    "equipment": (
        equipment.shuffled,
        equipment.reshuffled_after_failure,
        missing_steps.dealt_after_its_alarm,
        missing_steps.foreign_card,
        equipment.covered_when_out_of_order,
        equipment.cut,
        equipment.cut_by_the_dealer,
        equipment.cut_offered,
        equipment.recut_by,
        equipment.recut_before_the_deal,
        equipment.opening,
        equipment.return_to_play,
        equipment.deck_in_time,
        equipment.dice_in_time,
        equipment.decks_alternate,
        equipment.decks_of_two_colours,
        equipment.device_counters,
    ),
    "paying": (
        paying.announced_result,
        paying.paid_to_who_wagered,
        paying.reveal_order,
        paying.envy_call,
        paying.verified_before_paid,
        paying.documented,
        paying.meter_readings,
        paying.settlement_order,
        order_of_steps.steps_in_order,
        order_of_steps.opened_in_order,
        order_of_steps.shuffled_after_the_wash,
        exposure.dealer_face_up,
        exposure.players_face_down,
        exposure.hands_face_up,
        exposure.empty_position_unseen,
        exposure.surrendered_hand_unseen,
        exposure.shaker_closed,
        missing_steps.start_before_the_deal,
        missing_steps.start_as_filed,
        missing_steps.total_announced,
        missing_steps.dice_announced,
        missing_steps.activated_before_the_dice,
        missing_steps.hands_revealed,
        missing_steps.results_announced,
        parties.paid_by,
        parties.documented_as_paid,
        parties.own_ante,
        parties.stays_seated,
        parties.accepted_as_placed,
        parties.locked_where_offered,
        parties.accepted_before_the_deal,
        dealing.hands_in_the_rack,
    ),
}
"""Theme → the rules that games share; which of them hold in a chapter, its sections say."""


def rules_in_order(games: Collection[str] = GAME_RULES) -> Iterator[Rule]:
    """Yield the rules that games share and those of these games (of all), in the order in which they are applied."""
    records = [GAME_RULES[game] for game in games if game in GAME_RULES]
    for theme, rules in SHARED.items():
        yield from rules
        for record in records:
            yield from record.rules.get(theme, ())
