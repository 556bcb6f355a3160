"""Face Up Pai Gow Poker: what every wager of a round is due (58 Pa. Code Chapter 688a).

Invariant: it decides nothing about procedure and knows no events. From the dealer's hand, the boxes with their cards, settings
and stakes, and the filed rules, it computes each wager's due and its section. If something that a result depends on is missing (a
card, a setting, a meter), the due amount is None; it never guesses.
"""

from rulebook.cards.ranking import is_ace_high
from rulebook.chapters.rulebook import Rulebook
from rulebook.game import Game
from rulebook.layout import BettingBox, TableLayout
from rulebook.settlement.ace_high import settle_ace_high
from rulebook.settlement.bonus import in_turn, seven_card
from rulebook.settlement.pai_gow import base_due
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager and Envy Bonus of the round is due, in the order of settlement (§ 688a.11(e)-(h))."""
    dealer = layout.dealer
    dealer_ace_high = None if dealer.cards is None else is_ace_high(dealer.cards)

    def base(box: BettingBox, cap: MaximumPayout) -> Due:
        return base_due(book, box, dealer, dealer_ace_high, Outcome.ACE_HIGH_PUSH, "11(f)(2)(iii)")

    def ace_high_bonus(box: BettingBox, cap: MaximumPayout) -> Due:
        return settle_ace_high(book, dealer, box, cap)

    return in_turn(book, layout, {"base": base, "ace_high_bonus": ace_high_bonus})


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
