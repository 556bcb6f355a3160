"""Conditions: at which tables an anomaly can happen."""

from typing import Any

from floor.faults.anomaly import Fits
from floor.table.streams import HOUR_US


def both_fit(*fits: Fits) -> Fits:
    """All of these conditions hold."""
    return lambda table: all(each(table) for each in fits)


def by_card(table: Any) -> bool:
    """Cards are dealt one at a time."""
    return not by_stack(table)


def by_stack(table: Any) -> bool:
    """The automated shoe deals stacks."""
    return bool(table.spec.deal_method == "automated_shoe")


def not_by_hand(table: Any) -> bool:
    """Cards are not dealt from the hand."""
    return bool(table.spec.deal_method != "hand")


def with_dice(table: Any) -> bool:
    """Dice decide the starting position."""
    return bool(table.spec.has_dice)


def with_dealers_shaker(table: Any) -> bool:
    """Dice that the dealer shakes and covers decide the starting position."""
    return bool(table.spec.starting == "shaker")


def shuffled_by_hand(table: Any) -> bool:
    """The next round's cards are shuffled by hand and cut."""
    return table.deck.dirty and not machine_works(table)


def machine_works(table: Any) -> bool:
    """There is a shuffler, and it works."""
    return not table.by_hand


def one_deck(table: Any) -> bool:
    """One deck, shuffled by the machine or the dealer before the next round."""
    return len(table.decks) == 1 and table.deck.dirty and not table.just_opened


def used_deck_waits(table: Any) -> bool:
    """Two decks, and the last one, used in a round that was not void, was not replaced since: it is dirty."""
    if len(table.decks) != 2 or table.voided_last or not machine_works(table):
        return False
    used = table.decks[(table.turn - 1) % 2]
    return table.rounds_today > 0 and used.dirty and not table.decks_due(0)


def past_half_time(table: Any) -> bool:
    """The only deck has been in play for nearly half of its time limit."""
    return table.now_us - table.deck.in_play_us > table.deck_limit_us * 45 // 100 and len(table.decks) == 1


def deck_time_runs_out(table: Any) -> bool:
    """Little is left of the deck's time limit, since no viewer waits for hours."""
    left_us = table.deck.in_play_us + table.deck_limit_us - table.now_us
    return not table.calendar.watched or left_us < HOUR_US


def capped(table: Any) -> bool:
    """A maximum payout is filed."""
    return table.book.max_payout_cents is not None


def own_meter_running(table: Any) -> bool:
    """The table has its own running meter, and a recorded reading to compare the next one with."""
    return not table.book.linked_meter and table.meter.running and table.meter_read


def linked_meter_running(table: Any) -> bool:
    """The table's meter is linked to other tables and runs."""
    return bool(table.book.linked_meter and table.meter.running)


def offers(wager: str) -> Fits:
    """A wager is offered."""
    return lambda table: wager in table.book.offers


def can_fail(table: Any) -> bool:
    """A shoe or a shuffler can fail with the next round's cards."""
    return machine_works(table) and (by_stack(table) or one_deck(table))
