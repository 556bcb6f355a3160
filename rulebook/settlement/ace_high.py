"""The Ace High Bonus Wager, which Face Up Pai Gow Poker has in Pennsylvania and in California (§ 688a.12(b); D10)."""

from collections.abc import Sequence

from rulebook.cards.cards import JOKER
from rulebook.cards.ranking import is_ace_high
from rulebook.chapters.rulebook import Paytable, Rulebook
from rulebook.layout import BettingBox, Hand
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome, due_of, offered, without_cards, won_at_odds


def ace_high_line(dealer_cards: Sequence[int], player_cards: Sequence[int] | None) -> str | None:
    """Return the line of the Ace High Bonus that wins, None if it loses, "?" if the player's cards decide it (D10)."""
    if not is_ace_high(dealer_cards):
        return None
    if player_cards is None:
        return "?"
    if is_ace_high(player_cards):
        return "both_ace_high"
    return "dealer_ace_high_joker" if JOKER in dealer_cards else "dealer_ace_high_no_joker"


def settle_ace_high(book: Rulebook, dealer: Hand, box: BettingBox, cap: MaximumPayout) -> Due:
    """Return what an Ace High Bonus Wager is due: by the dealer's seven cards, and the player's next to them (D10)."""
    wager, paytable = "ace_high_bonus", offered(book, "ace_high_bonus")
    if paytable is None or box.voided or box.has_abandoned(wager):
        return without_cards(book, box, wager, paytable)
    if dealer.cards is None:
        cap.may_be_used(_most(paytable, box))
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "11(h)(1)", paytable)
    hand = ace_high_line(dealer.cards, box.hand.cards)
    if hand is None:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "11(h)(1)(i)(A)", paytable)
    if hand == "?":
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "12(b)", paytable)
    line = next((line for line in paytable.lines if line.hand == hand), None)
    if line is None:  # struck by an amendment
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "12(b)", paytable)
    return won_at_odds(book, box, wager, paytable, line, cap, "12(b)")


def _most(paytable: Paytable, box: BettingBox) -> int:
    """Return the most that an Ace High Bonus Wager can win next to a hand that wins another bonus, which is never ace high."""
    odds = [line.odds for line in paytable.lines if line.hand != "both_ace_high"]
    return max((each.winnings(box.stakes[paytable.wager]) for each in odds if each is not None), default=0)
