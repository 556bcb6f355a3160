"""Face Up Pai Gow Poker: what every wager of a round is due (58 Pa. Code Chapter 688a).

Invariant: it decides nothing about procedure and knows no events. From the dealer's hand, the boxes with their
cards, settings and stakes, and the filed rules it works out what each wager is due, and by which section. If something that
a result depends on is missing (a card, a setting, a meter), the due amount is null; it never guesses.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.cards.cards import JOKER
from games.cards.ranking import is_ace_high
from games.game import Game
from games.layout import BettingBox, Hand, TableLayout
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.bonus import in_turn, seven_card
from games.settlement.pai_gow import base_due
from games.settlement.wagers import Due, MaximumPayout, Outcome, due_of, offered, without_cards, won_at_odds


def ace_high_line(dealer_cards: Sequence[int], player_cards: Sequence[int] | None) -> str | None:
    """Return the line of the Ace High Bonus that wins, null when it loses, "?" when the player's cards decide it (D10)."""
    if not is_ace_high(dealer_cards):
        return None
    if player_cards is None:
        return "?"
    if is_ace_high(player_cards):
        return "both_ace_high"
    return "dealer_ace_high_joker" if JOKER in dealer_cards else "dealer_ace_high_no_joker"


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due, in the order of settlement (§ 688a.11(e)-(h))."""
    dealer = layout.dealer
    dealer_ace_high = None if dealer.cards is None else is_ace_high(dealer.cards)

    def base(box: BettingBox, cap: MaximumPayout) -> Due:
        return base_due(book, box, dealer, dealer_ace_high, Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)")

    def ace_high_bonus(box: BettingBox, cap: MaximumPayout) -> Due:
        return settle_ace_high(book, dealer, box, cap)

    return in_turn(book, layout, {"base": base, "ace_high_bonus": ace_high_bonus})


def settle_ace_high(book: Rulebook, dealer: Hand, box: BettingBox, cap: MaximumPayout) -> Due:
    """Return what an Ace High Bonus Wager is due: by the dealer's seven cards, and the player's beside them (D10)."""
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
    line = next(line for line in paytable.lines if line.hand == hand)
    return won_at_odds(book, box, wager, paytable, line, cap, "12(b)")


def _most(paytable: Paytable, box: BettingBox) -> int:
    """Return the most that an Ace High Bonus Wager can win beside these cards of the player, in cents."""
    both = box.hand.cards is not None and is_ace_high(box.hand.cards)
    odds = [line.odds for line in paytable.lines if (line.hand == "both_ace_high") == both]
    return max((each.winnings(box.stakes[paytable.wager]) for each in odds if each is not None), default=0)


GAME = Game(
    name="face_up_pai_gow",
    title="Face Up Pai Gow Poker",
    wagers={
        "base": "Base wager",
        "ace_high_bonus": "Ace High Bonus",
        "fortune_bonus": "Fortune Bonus",
        "fortune_envy": "Fortune Envy",
        "progressive": "Progressive",
        "progressive_envy": "Progressive Envy",
    },
    hands={"high": 5, "low": 2},
    by_setting=("base",),
    settle=settle,
    lines=seven_card,
)
