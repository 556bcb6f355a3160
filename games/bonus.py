"""The bonus wagers that the pai gow games share: Fortune Bonus, Progressive Payout, and the Envy Bonuses of both.

58 Pa. Code §§ 688a.11(h)(2), (3), 688a.12(c)-(e); D15 to D19.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from games.pai_gow import Box
from games.progressive import share_cents
from games.ranking import seven_card_lines
from games.rulebook import Line, Paytable, Rulebook
from games.wagers import (
    Due,
    MaximumPayout,
    Outcome,
    due_of,
    offered,
    paytable_of,
    without_cards,
    won_at_odds,
)


def envy_line(paytable: Paytable, cards: Sequence[int]) -> Line | None:
    """Return the highest line with an Envy Bonus that the seven cards make, or null (§ 688a.1, .12(c), (d))."""
    return paytable.envy(seven_card_lines(cards, paytable.joker)) if paytable.has_envy else None


def is_qualifying(book: Rulebook, wager: str, stake_cents: int) -> bool:
    """Say whether a wager entitles to an Envy Bonus: its paytable has an Envy column and it is $5 or more (D17)."""
    paytable = offered(book, wager)
    if paytable is None or not paytable.has_envy:
        return False
    return stake_cents >= book.chapter.numbers["qualifying_wager_cents"]


def fortune_bonus(book: Rulebook, box: Box, cap: MaximumPayout) -> Due:
    """Return what a Fortune Bonus Wager is due: the best paid line that the seven cards make (D15)."""
    wager, paytable = "fortune_bonus", offered(book, "fortune_bonus")
    if paytable is None or box.voided or box.abandoned:
        return without_cards(book, box, wager, paytable)
    if box.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(c)", paytable)
    made = seven_card_lines(box.cards, paytable.joker)
    line = paytable.best(made)
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(2)(i)(A)", paytable)
    other = None
    if {"three_of_a_kind", "straight"} <= made and line.hand in ("three_of_a_kind", "straight"):
        paid, instead = ("best paid", "straight") if line.hand == "three_of_a_kind" else ("ranked", "three of a kind")
        other = f"D15: {book.cite('11(h)')} can as well be read to pay the {instead}; filed is the {paid} line"
    return won_at_odds(book, box, wager, paytable, line, cap, "12(c)", other)


def progressive_payout(book: Rulebook, box: Box, cap: MaximumPayout, reading: int | None) -> Due:
    """Return what a Progressive Payout Wager is due, with the meter's reading at its turn in centicents (D18)."""
    wager, paytable = "progressive", offered(book, "progressive")
    if paytable is None or box.voided or box.abandoned:
        return without_cards(book, box, wager, paytable)
    stake = box.stakes[wager]
    if box.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
    line = paytable.best(seven_card_lines(box.cards, paytable.joker))
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -stake, "11(h)(3)(i)(A)", paytable)
    if line.meter_bp and reading is None:
        due = due_of(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
        return msgspec.structs.replace(due, line=line.hand, share_bp=line.meter_bp)
    slip = share_cents(reading, line.meter_bp) if line.meter_bp and reading is not None else 0
    cash = cap.limit(line.amount_cents)
    returned = stake if paytable.stake_returned else 0
    return Due(
        seat=box.seat, wager=wager, bettor=box.bettor, paytable=paytable.name, staked_cents=stake,
        net_cents=cash + slip + returned - stake, winnings_cents=cash + slip, returned_cents=returned,
        outcome=Outcome.WIN, line=line.hand, cite=book.cite("12(d)"), share_bp=line.meter_bp, cash_cents=cash,
        slip_cents=slip, uncapped_cents=line.amount_cents + slip,
    )  # fmt: skip


def envy_bonuses(book: Rulebook, boxes: Sequence[Box]) -> Iterator[Due]:
    """Each qualifying wager is paid for every qualifying hand of another patron, never for the dealer's (D17)."""
    for wager, envy, section in (
        ("fortune_bonus", "fortune_envy", "11(h)(2)(ii)"),
        ("progressive", "progressive_envy", "12(d)"),
    ):
        holders = [box for box in boxes if not box.voided and is_qualifying(book, wager, box.stakes.get(wager, 0))]
        if not holders:
            continue
        paytable, must_wager = paytable_of(book, wager), book.settings.get("envy_holder_must_wager", False)
        for hand in boxes:
            line = envy_line(paytable, hand.cards) if hand.cards is not None else None
            if hand.voided or (line is None and hand.cards is not None):
                continue
            amount = line.envy_cents if line is not None else None
            for holder in holders:
                if holder.bettor == hand.bettor or (must_wager and wager not in hand.stakes):
                    continue
                yield Due(
                    seat=holder.seat, wager=envy, bettor=holder.bettor, paytable=paytable.name, net_cents=amount,
                    winnings_cents=amount or 0, outcome=Outcome.WIN if line is not None else Outcome.UNKNOWN,
                    line=line.hand if line is not None else "", cite=book.cite(section), cash_cents=amount or 0,
                    uncapped_cents=amount or 0, for_position=hand.seat,
                )  # fmt: skip
