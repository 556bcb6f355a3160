"""Face Up Pai Gow Poker: what every wager of a round is due (58 Pa. Code Chapter 688a).

The law of this file: it decides nothing about procedure and knows no events. It takes the dealer's hand, the boxes with
their cards, settings and stakes, and the filed rules, and says for each wager what is due and by which section. Where it
is not given what a result depends on (a card, a setting, a meter), the due amount is null: it never guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Literal

import msgspec

from games.cards import JOKER
from games.money import Odds
from games.progressive import after_winner, share_cents
from games.ranking import is_ace_high, rank_five, rank_two, seven_card_lines
from games.rulebook import Line, Paytable, Rulebook

Position = int | Literal["dealer"]
CLOCKWISE: tuple[Position, ...] = (1, 2, 3, 4, 5, 6, "dealer")
EVEN_MONEY = Odds(1, 1)


class Outcome(StrEnum):
    """How a wager ended, or why it did not come to that."""

    WIN = "win"
    LOSE = "lose"
    TIE = "tie"
    FOUL = "foul"
    ACE_HIGH_PUSH = "ace_high_push"
    SURRENDERED = "surrendered"
    ABANDONED = "abandoned"
    VOID = "void"
    UNKNOWN = "unknown"


STAKE_KEPT = (Outcome.WIN, Outcome.TIE, Outcome.ACE_HIGH_PUSH, Outcome.VOID)


class DealerHand(msgspec.Struct, frozen=True):
    """The dealer's seven cards and the hands as they count; null where not known."""

    cards: tuple[int, ...] | None
    high: tuple[int, ...] | None
    low: tuple[int, ...] | None


class Box(msgspec.Struct, frozen=True):
    """One betting position: its cards, the hands as set (null where not known) and the stakes in cents by wager."""

    seat: int
    bettor: str
    cards: tuple[int, ...] | None
    high: tuple[int, ...] | None
    low: tuple[int, ...] | None
    stakes: Mapping[str, int]
    surrendered: bool = False
    voided: bool = False
    abandoned: bool = False


class Due(msgspec.Struct, frozen=True, kw_only=True):
    """What one wager is due. `net_cents` is the patron's net, null where it cannot be told.

    `winnings_cents` (`cash_cents` and, from the meter, `slip_cents`) are paid beside `returned_cents` of the stake;
    `uncapped_cents` are the winnings before the filed maximum payout. Envy Bonuses have `for_position`.
    """

    seat: int
    wager: str
    number: int | None = None
    bettor: str
    paytable: str = ""
    staked_cents: int = 0
    net_cents: int | None
    winnings_cents: int = 0
    returned_cents: int = 0
    outcome: Outcome
    line: str = ""
    cite: str
    share_bp: int = 0
    cash_cents: int = 0
    slip_cents: int = 0
    uncapped_cents: int = 0
    for_position: int | None = None
    other_reading: str | None = None

    @property
    def capped(self) -> bool:
        """Whether the filed maximum payout took something away (§ 688a.12(e))."""
        return self.winnings_cents < self.uncapped_cents


# (player's high is higher, player's low is higher) -> outcome of the base wager. § 688a.11(f)(1)(i), (ii), (2), (3), D8
OUTCOMES = {
    (True, True): Outcome.WIN,
    (True, False): Outcome.TIE,
    (False, True): Outcome.TIE,
    (False, False): Outcome.LOSE,
}


def starting_position(count: int) -> Position:
    """Return the position that gets the first card: count the dealer as one, then counterclockwise (§ 688a.5(i), D3).

    `count` is the total of three dice or the number drawn.

    >>> starting_position(8), starting_position(14), starting_position(3)
    ('dealer', 1, 5)
    """
    steps = (count - 1) % 7
    return "dealer" if steps == 0 else 7 - steps


def deal_order(start: Position) -> tuple[Position, ...]:
    """Return the seven positions clockwise from `start` (§§ 688a.8(d), 9(c), 10(c)).

    >>> deal_order(5)
    (5, 6, 'dealer', 1, 2, 3, 4)
    """
    at = CLOCKWISE.index(start)
    return CLOCKWISE[at:] + CLOCKWISE[:at]


def is_foul(high: Sequence[int], low: Sequence[int]) -> bool:
    """Say whether hands are not five and two cards, or the high hand ranks below the low (§ 688a.11(c), (f)(1)).

    Equal is not foul: a pair of sevens behind a pair of sevens stands.
    """
    if len(high) != 5 or len(low) != 2:
        return True
    return rank_five(high) < rank_two(low)


def base_outcome(
    high: Sequence[int], low: Sequence[int], dealer_high: Sequence[int], dealer_low: Sequence[int]
) -> Outcome:
    """Return the outcome of the base wager against a dealer who does not have ace high; copies are the dealer's (D8)."""
    if is_foul(high, low):
        return Outcome.FOUL
    return OUTCOMES[rank_five(high) > rank_five(dealer_high), rank_two(low) > rank_two(dealer_low)]


def ace_high_line(dealer_cards: Sequence[int], player_cards: Sequence[int] | None) -> str | None:
    """Return the line of the Ace High Bonus that wins, null when it loses, "?" when the player's cards decide it (D10)."""
    if not is_ace_high(dealer_cards):
        return None
    if player_cards is None:
        return "?"
    if is_ace_high(player_cards):
        return "both_ace_high"
    return "dealer_ace_high_joker" if JOKER in dealer_cards else "dealer_ace_high_no_joker"


def envy_line(paytable: Paytable, cards: Sequence[int]) -> Line | None:
    """Return the highest line with an Envy Bonus that the seven cards make, or null (§ 688a.1, .12(c), (d))."""
    made = seven_card_lines(cards, paytable.joker)
    return next((line for line in paytable.lines if line.envy_cents and line.is_made(made)), None)


def is_qualifying(book: Rulebook, wager: str, stake_cents: int) -> bool:
    """Say whether a wager entitles to an Envy Bonus: its paytable has an Envy column and it is $5 or more (D17)."""
    paytable = _offered(book, wager)
    if paytable is None or not paytable.has_envy:
        return False
    return stake_cents >= book.chapter.numbers["qualifying_wager_cents"]


def settle(
    book: Rulebook,
    dealer: DealerHand,
    boxes: Sequence[Box],
    meter_centicents: int | None = None,
    readings: Mapping[int, int] | None = None,
) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due, in the order of settlement (§ 688a.11(e)-(h)).

    `meter_centicents` is the meter after all wagers of the round were accepted; winners are paid from it in the order
    of settlement, seat 6 to 1 (D18). `readings` (seat → the controller's meter at that seat's turn) takes its place
    where a meter is linked to other tables.
    """
    dues: list[Due] = []
    ordered = sorted(boxes, key=lambda box: -box.seat)
    dealer_ace_high = None if dealer.cards is None else is_ace_high(dealer.cards)
    meter = meter_centicents
    for box in ordered:
        cap = _Cap(book.max_payout_cents)
        for wager in box.stakes:
            match wager:
                case "base":
                    dues.append(_base(book, dealer, dealer_ace_high, box))
                case "ace_high_bonus":
                    dues.append(_ace_high_bonus(book, dealer, box, cap))
                case "fortune_bonus":
                    dues.append(_fortune_bonus(book, box, cap))
                case "progressive":
                    due = _progressive(book, box, cap, meter if readings is None else readings.get(box.seat))
                    dues.append(due)
                    if due.share_bp and meter is not None:
                        meter = after_winner(meter, due.share_bp, _paytable(book, "progressive").seed_cents)
                    elif due.outcome is Outcome.UNKNOWN:
                        meter = None  # this seat may have taken a share: what the next winners find is not known
                case _:
                    dues.append(_not_offered(book, box, wager))
    dues.extend(_envy_bonuses(book, ordered))
    return dues


def _base(book: Rulebook, dealer: DealerHand, dealer_ace_high: bool | None, box: Box) -> Due:
    stake = box.stakes["base"]
    if box.voided:
        return _due(book, box, "base", Outcome.VOID, 0, "13(d)")
    if dealer_ace_high:
        return _due(book, box, "base", Outcome.ACE_HIGH_PUSH, 0, "11(f)(2)(iii)")
    if box.abandoned:
        return _due(book, box, "base", Outcome.ABANDONED, -stake, "7(b)")
    if dealer_ace_high is None:
        return _due(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if box.surrendered:
        return _due(book, box, "base", Outcome.SURRENDERED, -stake, "11(d)")
    if box.high is None or box.low is None:
        return _due(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if is_foul(box.high, box.low):
        section = "11(f)(1)(iii)" if (len(box.high), len(box.low)) == (5, 2) else "11(f)(1)(iv)"
        return _due(book, box, "base", Outcome.FOUL, -stake, section)
    if dealer.high is None or dealer.low is None:
        return _due(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    outcome = base_outcome(box.high, box.low, dealer.high, dealer.low)
    if outcome is Outcome.WIN:
        winnings = EVEN_MONEY.winnings(stake)
        return _due(book, box, "base", outcome, winnings, "12(a)", winnings=winnings)
    if outcome is Outcome.TIE:
        return _due(book, box, "base", outcome, 0, "11(f)(2)")
    return _due(book, box, "base", outcome, -stake, "11(f)(1)")


def _ace_high_bonus(book: Rulebook, dealer: DealerHand, box: Box, cap: _Cap) -> Due:
    wager, paytable = "ace_high_bonus", _offered(book, "ace_high_bonus")
    if paytable is None or box.voided or box.abandoned:
        return _without_cards(book, box, wager, paytable)
    if dealer.cards is None:
        return _due(book, box, wager, Outcome.UNKNOWN, None, "11(h)(1)", paytable)
    hand = ace_high_line(dealer.cards, box.cards)
    if hand is None:
        return _due(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(1)(i)(A)", paytable)
    if hand == "?":
        return _due(book, box, wager, Outcome.UNKNOWN, None, "12(b)", paytable)
    line = next(line for line in paytable.lines if line.hand == hand)
    return _won_at_odds(book, box, wager, paytable, line, cap, "12(b)")


def _fortune_bonus(book: Rulebook, box: Box, cap: _Cap) -> Due:
    wager, paytable = "fortune_bonus", _offered(book, "fortune_bonus")
    if paytable is None or box.voided or box.abandoned:
        return _without_cards(book, box, wager, paytable)
    if box.cards is None:
        return _due(book, box, wager, Outcome.UNKNOWN, None, "12(c)", paytable)
    made = seven_card_lines(box.cards, paytable.joker)
    line = paytable.best(made)
    if line is None:
        return _due(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(2)(i)(A)", paytable)
    other = None
    if {"three_of_a_kind", "straight"} <= made and line.hand in ("three_of_a_kind", "straight"):
        paid, instead = ("best paid", "straight") if line.hand == "three_of_a_kind" else ("ranked", "three of a kind")
        other = f"D15: {book.cite('11(h)')} can as well be read to pay the {instead}; filed is the {paid} line"
    return _won_at_odds(book, box, wager, paytable, line, cap, "12(c)", other)


def _progressive(book: Rulebook, box: Box, cap: _Cap, reading: int | None) -> Due:
    wager, paytable = "progressive", _offered(book, "progressive")
    if paytable is None or box.voided or box.abandoned:
        return _without_cards(book, box, wager, paytable)
    stake = box.stakes[wager]
    if box.cards is None:
        return _due(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
    line = paytable.best(seven_card_lines(box.cards, paytable.joker))
    if line is None:
        return _due(book, box, wager, Outcome.LOSE, -stake, "11(h)(3)(i)(A)", paytable)
    if line.meter_bp and reading is None:
        due = _due(book, box, wager, Outcome.UNKNOWN, None, "12(d)", paytable)
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


def _envy_bonuses(book: Rulebook, boxes: Sequence[Box]) -> Iterator[Due]:
    """Each qualifying wager is paid for every qualifying hand of another patron, never for the dealer's (D17)."""
    for wager, envy, section in (
        ("fortune_bonus", "fortune_envy", "11(h)(2)(ii)"),
        ("progressive", "progressive_envy", "12(d)"),
    ):
        holders = [box for box in boxes if not box.voided and is_qualifying(book, wager, box.stakes.get(wager, 0))]
        if not holders:
            continue
        paytable, must_wager = _paytable(book, wager), book.settings.get("envy_holder_must_wager", False)
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


class _Cap:
    """What is left of the filed maximum payout to one player on one hand (§ 688a.12(e), D19)."""

    def __init__(self, limit_cents: int | None) -> None:
        self.left = limit_cents

    def limit(self, cents: int) -> int:
        if self.left is None:
            return cents
        paid = min(cents, self.left)
        self.left -= paid
        return paid


def _won_at_odds(book: Rulebook, box: Box, wager: str, paytable: Paytable, line: Line, cap: _Cap, section: str,
                 other_reading: str | None = None) -> Due:  # fmt: skip
    if line.push or line.odds is None:
        due = _due(book, box, wager, Outcome.TIE, 0, section, paytable)
        return msgspec.structs.replace(due, line=line.hand)
    uncapped = line.odds.winnings(box.stakes[wager])
    winnings = cap.limit(uncapped)
    due = _due(book, box, wager, Outcome.WIN, winnings, section, paytable, winnings=winnings)
    return msgspec.structs.replace(due, line=line.hand, uncapped_cents=uncapped, other_reading=other_reading)


def _without_cards(book: Rulebook, box: Box, wager: str, paytable: Paytable | None) -> Due:
    """Settle an optional wager that no cards decide: its hand is void or abandoned, or the wager is not offered."""
    if box.voided:
        return _due(book, box, wager, Outcome.VOID, 0, "13(d)", paytable)
    if box.abandoned:
        return _due(book, box, wager, Outcome.ABANDONED, -box.stakes[wager], "7(b)", paytable)
    return _not_offered(book, box, wager)


def _not_offered(book: Rulebook, box: Box, wager: str) -> Due:
    return _due(book, box, wager, Outcome.UNKNOWN, None, "7(e)")


def _due(book: Rulebook, box: Box, wager: str, outcome: Outcome, net_cents: int | None, section: str,
         paytable: Paytable | None = None, winnings: int = 0) -> Due:  # fmt: skip
    stake = box.stakes[wager]
    return Due(
        seat=box.seat, wager=wager, bettor=box.bettor, paytable=paytable.name if paytable else "", staked_cents=stake,
        net_cents=net_cents, winnings_cents=winnings, returned_cents=stake if outcome in STAKE_KEPT else 0,
        outcome=outcome, cite=book.cite(section), cash_cents=winnings, uncapped_cents=winnings,
    )  # fmt: skip


def _offered(book: Rulebook, wager: str) -> Paytable | None:
    offer = book.offers.get(wager)
    return offer.paytable if offer is not None else None


def _paytable(book: Rulebook, wager: str) -> Paytable:
    paytable = _offered(book, wager)
    assert paytable is not None, f"{wager} is not offered"
    return paytable
