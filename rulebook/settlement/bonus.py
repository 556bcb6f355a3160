"""The bonus wagers that the pai gow games share: Fortune Bonus, Progressive Payout, and the Envy Bonuses of both.

58 Pa. Code §§ 688a.11(h)(2), (3), 688a.12(c)-(e); D15 to D19.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import inf

import msgspec

from rulebook.cards.ranking import seven_card_lines
from rulebook.chapters.money import show_money
from rulebook.chapters.rulebook import PayLine, Paytable, Rulebook
from rulebook.layout import BettingBox, TableLayout
from rulebook.settlement.progressive import after_winner, share_cents
from rulebook.settlement.wagers import (
    Due,
    MaximumPayout,
    Outcome,
    due_of,
    not_offered,
    offered,
    paytable_of,
    without_cards,
    won_at_odds,
)

Lines = Callable[[Paytable, Sequence[int], int | None], frozenset[str]]
"""Which lines of a paytable cards make; the last is the side card, where the game has one."""
Settled = Callable[[BettingBox, MaximumPayout], Due]


def seven_card(paytable: Paytable, cards: Sequence[int], side: int | None = None) -> frozenset[str]:
    """Return the lines that seven cards make, by the joker's mode on this paytable."""
    return _lines_of(tuple(cards), paytable.joker)


_lines_of = lru_cache(maxsize=64)(seven_card_lines)
"""The lines of the hands on the table: two wagers, and their Envy Bonuses, ask for them."""


def qualifying_cents(book: Rulebook, wager: str) -> float:
    """Return the least stake that entitles to an Envy Bonus: $5 if the paytable has an Envy column, else None (D17)."""
    paytable = offered(book, wager)
    return book.chapter.numbers["qualifying_wager_cents"] if paytable is not None and paytable.has_envy else inf


def is_qualifying(book: Rulebook, wager: str, stake_cents: int) -> bool:
    """Return whether a wager of this stake entitles to an Envy Bonus (D17)."""
    return stake_cents >= qualifying_cents(book, wager)


def fortune_bonus(book: Rulebook, box: BettingBox, cap: MaximumPayout) -> Due:
    """Return what a Fortune Bonus Wager is due: the best paid line that the seven cards make (D15)."""
    wager, paytable = "fortune_bonus", offered(book, "fortune_bonus")
    if paytable is None or box.voided or box.has_abandoned(wager):
        return without_cards(book, box, wager, paytable)
    if box.hand.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(c)", paytable)
    hand_lines = seven_card(paytable, box.hand.cards)
    line = paytable.best(hand_lines)
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(2)(i)(A)", paytable)
    return won_at_odds(book, box, wager, paytable, line, cap, "12(c)")


def progressive_payout(
    book: Rulebook, box: BettingBox, cap: MaximumPayout, reading: int | None, lines: Lines = seven_card, side: int | None = None
) -> Due:
    """Return what a Progressive Payout Wager is due, with the meter's reading at its turn in centicents (D18)."""
    wager, paytable = "progressive", offered(book, "progressive")
    if paytable is None or box.voided or box.has_abandoned(wager):
        return without_cards(book, box, wager, paytable)
    stake = box.stakes[wager]
    if box.hand.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
    line = paytable.best(lines(paytable, box.hand.cards, side))
    if line is None:
        return due_of(book, box, wager, Outcome.LOSE, -stake, "11(h)(3)(i)(A)", paytable)
    slip = share_cents(reading, line.meter_bp) if line.meter_bp and reading is not None else 0
    fixed = line.amount_cents if line.odds is None else line.odds.winnings(stake)
    cash = cap.limit(fixed)
    if cash is None or (line.meter_bp and reading is None):
        due = due_of(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
        return msgspec.structs.replace(due, line=line.hand, share_bp=line.meter_bp, cash_cents=cash or 0)
    returned = stake if paytable.stake_returned or line.odds is not None else 0
    return Due(
        seat=box.seat,
        wager=wager,
        bettor=box.bettor,
        paytable=paytable.name,
        staked_cents=stake,
        net_cents=cash + slip + returned - stake,
        winnings_cents=cash + slip,
        returned_cents=returned,
        outcome=Outcome.WIN,
        line=line.hand,
        cite=book.cite("12(d)"),
        share_bp=line.meter_bp,
        cash_cents=cash,
        slip_cents=slip,
        uncapped_cents=fixed + slip,
        other_reading=_printed_for_another(paytable, line),
    )


def _printed_for_another(paytable: Paytable, line: PayLine) -> str | None:
    """Say that a paytable is printed for a wager other than the one filed; None if it is printed for that one (D662)."""
    if paytable.printed_for_cents is None:
        return None
    printed, filed = show_money(paytable.printed_for_cents), show_money(paytable.wager_cents or 0)
    others = f"D662: paytable {paytable.name} is printed for a wager of {printed}; for one of {filed} others may hold"
    if not line.amount_cents:
        return others
    cents = line.amount_cents * (paytable.wager_cents or 0) // paytable.printed_for_cents
    return f"{others}: in proportion, {show_money(cents)}"


def is_envy_owed(own_hand: bool, hand_wagered: bool, must_wager: bool) -> bool:
    """Return whether a qualifying wager is paid for a qualifying hand (D17).

    `own_hand`: both are of the same patron; `hand_wagered`: the hand's patron placed the wager too, which counts if
    `must_wager` is filed.
    """
    return not own_hand and (hand_wagered or not must_wager)


def envy_bonuses(
    book: Rulebook, boxes: Sequence[BettingBox], lines: Lines = seven_card, side: int | None = None
) -> Iterator[Due]:
    """Each qualifying wager is paid for every qualifying hand of another patron, never for the dealer's (D17)."""
    for wager, envy, section in (("fortune_bonus", "fortune_envy", "11(h)(2)(ii)"), ("progressive", "progressive_envy", "12(d)")):
        least = qualifying_cents(book, wager)
        holders = [box for box in boxes if not box.voided and box.stakes.get(wager, 0) >= least]
        if not holders:
            continue
        paytable, must_wager = paytable_of(book, wager), book.settings.get("envy_holder_must_wager", False)
        for hand in boxes:
            cards = hand.hand.cards
            line = paytable.envy(lines(paytable, cards, side)) if cards is not None else None
            if hand.voided or (line is None and cards is not None):
                continue
            amount = line.envy_cents if line is not None else None
            for holder in holders:
                if not is_envy_owed(holder.bettor == hand.bettor, wager in hand.stakes, bool(must_wager)):
                    continue
                yield Due(
                    seat=holder.seat,
                    wager=envy,
                    bettor=holder.bettor,
                    paytable=paytable.name,
                    net_cents=amount,
                    winnings_cents=amount or 0,
                    outcome=Outcome.WIN if line is not None else Outcome.UNKNOWN,
                    line=line.hand if line is not None else "",
                    cite=book.cite(section),
                    cash_cents=amount or 0,
                    uncapped_cents=amount or 0,
                    for_position=hand.seat,
                )


def in_turn(book: Rulebook, layout: TableLayout, wagers: Mapping[str, Settled], lines: Lines = seven_card) -> list[Due]:
    """Return what every wager and Envy Bonus is due, from the highest seat down, a box's wagers in turn (§ 688a.11(e)-(h)).

    `wagers` maps the game's own wagers to their settlement; Fortune and Progressive are the same in all games. Winners of a
    meter are paid from it in this order (D18), which also uses up a maximum payout (D106).
    """
    dues: list[Due] = []
    rules = book.chapter.wagers
    ordered = sorted(layout.boxes, key=lambda box: -box.seat)
    meter, by_turn = layout.meter.reading, layout.meter.by_turn
    for box in ordered:
        cap = MaximumPayout(book.max_payout_cents)
        known = [wager for wager in rules if wager in box.stakes]
        for wager in (*known, *[wager for wager in box.stakes if wager not in rules]):
            own = wagers.get(wager)
            if own is not None:
                dues.append(own(box, cap))
            elif wager == "fortune_bonus":
                dues.append(fortune_bonus(book, box, cap))
            elif wager == "progressive":
                reading = meter if by_turn is None else by_turn.get(box.seat)
                due = progressive_payout(book, box, cap, reading, lines, layout.side)
                dues.append(due)
                if due.share_bp and meter is not None:
                    meter = after_winner(meter, due.share_bp, paytable_of(book, wager).seed_cents)
                elif due.outcome is Outcome.UNKNOWN and not due.line:
                    meter = None  # this seat may have taken a share: what the next winners find is not known
            else:
                dues.append(not_offered(book, box, wager))
    dues.extend(envy_bonuses(book, ordered, lines, layout.side))
    return dues
