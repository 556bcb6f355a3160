"""Face Up Pai Gow Poker: what every wager of a round is due (58 Pa. Code Chapter 688a).

The law of this file: it decides nothing about procedure and knows no events. It takes the dealer's hand, the boxes with
their cards, settings and stakes, and the filed rules, and says for each wager what is due and by which section. Where it
is not given what a result depends on (a card, a setting, a meter), the due amount is null: it never guesses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from games.bonus import envy_bonuses, fortune_bonus, progressive_payout
from games.cards import JOKER
from games.pai_gow import Box, DealerHand, compare, is_foul
from games.progressive import after_winner
from games.ranking import is_ace_high
from games.rulebook import Rulebook
from games.wagers import (
    EVEN_MONEY,
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


def ace_high_line(dealer_cards: Sequence[int], player_cards: Sequence[int] | None) -> str | None:
    """Return the line of the Ace High Bonus that wins, null when it loses, "?" when the player's cards decide it (D10)."""
    if not is_ace_high(dealer_cards):
        return None
    if player_cards is None:
        return "?"
    if is_ace_high(player_cards):
        return "both_ace_high"
    return "dealer_ace_high_joker" if JOKER in dealer_cards else "dealer_ace_high_no_joker"


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
        cap = MaximumPayout(book.max_payout_cents)
        for wager in box.stakes:
            match wager:
                case "base":
                    dues.append(_base(book, dealer, dealer_ace_high, box))
                case "ace_high_bonus":
                    dues.append(_ace_high_bonus(book, dealer, box, cap))
                case "fortune_bonus":
                    dues.append(fortune_bonus(book, box, cap))
                case "progressive":
                    due = progressive_payout(book, box, cap, meter if readings is None else readings.get(box.seat))
                    dues.append(due)
                    if due.share_bp and meter is not None:
                        meter = after_winner(meter, due.share_bp, paytable_of(book, "progressive").seed_cents)
                    elif due.outcome is Outcome.UNKNOWN:
                        meter = None  # this seat may have taken a share: what the next winners find is not known
                case _:
                    dues.append(not_offered(book, box, wager))
    dues.extend(envy_bonuses(book, ordered))
    return dues


def _base(book: Rulebook, dealer: DealerHand, dealer_ace_high: bool | None, box: Box) -> Due:
    stake = box.stakes["base"]
    if box.voided:
        return due_of(book, box, "base", Outcome.VOID, 0, "13(d)")
    if dealer_ace_high:
        return due_of(book, box, "base", Outcome.ACE_HIGH_PUSH, 0, "11(f)(2)(iii)")
    if box.abandoned:
        return due_of(book, box, "base", Outcome.ABANDONED, -stake, "7(b)")
    if dealer_ace_high is None:
        return due_of(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if box.surrendered:
        return due_of(book, box, "base", Outcome.SURRENDERED, -stake, "11(d)")
    if box.high is None or box.low is None:
        return due_of(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    if is_foul(box.high, box.low):
        section = "11(f)(1)(iii)" if (len(box.high), len(box.low)) == (5, 2) else "11(f)(1)(iv)"
        return due_of(book, box, "base", Outcome.FOUL, -stake, section)
    if dealer.high is None or dealer.low is None:
        return due_of(book, box, "base", Outcome.UNKNOWN, None, "11(f)")
    outcome = compare(box.high, box.low, dealer.high, dealer.low)
    if outcome is Outcome.WIN:
        winnings = EVEN_MONEY.winnings(stake)
        return due_of(book, box, "base", outcome, winnings, "12(a)", winnings=winnings)
    if outcome is Outcome.TIE:
        return due_of(book, box, "base", outcome, 0, "11(f)(2)")
    return due_of(book, box, "base", outcome, -stake, "11(f)(1)")


def _ace_high_bonus(book: Rulebook, dealer: DealerHand, box: Box, cap: MaximumPayout) -> Due:
    wager, paytable = "ace_high_bonus", offered(book, "ace_high_bonus")
    if paytable is None or box.voided or box.abandoned:
        return without_cards(book, box, wager, paytable)
    if dealer.cards is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "11(h)(1)", paytable)
    hand = ace_high_line(dealer.cards, box.cards)
    if hand is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(1)(i)(A)", paytable)
    if hand == "?":
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(b)", paytable)
    line = next(line for line in paytable.lines if line.hand == hand)
    return won_at_odds(book, box, wager, paytable, line, cap, "12(b)")
