"""Pai Gow Poker, commission-free or with vigorish, and its side wagers: what every wager of a round is due.

58 Pa. Code Chapter 645c. The game itself is that of Chapter 645a, which we do not hold: it is settled as § 688a.11(f) says,
without the ace-high push (D13). The invariant is that of `face_up_pai_gow`: it never guesses.
"""

from typing import Final

import msgspec

from rulebook.cards.cards import JOKER, rank
from rulebook.chapters.rulebook import Rulebook
from rulebook.game import Game
from rulebook.layout import BettingBox, Hand, TableLayout
from rulebook.settlement.bonus import in_turn, seven_card
from rulebook.settlement.dice_wagers import dice_wager, match_wagers
from rulebook.settlement.mystery import mystery_bonuses
from rulebook.settlement.pai_gow import base_due
from rulebook.settlement.wagers import Due, MaximumPayout, Outcome, due_of, not_offered, without_cards

NINE = 9
ROUNDINGS: Final = ("down", "nearest", "up")
"""How vigorish is rounded to whole steps, as the setting names it."""
DOWN, NEAREST, UP = range(3)


def is_tiger_9(low: tuple[int, ...]) -> bool:
    """Return whether a low hand is a 9-high: two cards, no pair, the nine the higher of them (§ 645c.1(h)); the joker is an ace.

    >>> from rulebook.cards.cards import parse_cards
    >>> [is_tiger_9(parse_cards(low)) for low in ("9s 8c", "9s 9c", "Ts 9c", "Jk 9s", "8d 7h")]
    [True, False, False, False, False]
    """
    if len(low) != 2 or JOKER in low:
        return False
    return max(map(rank, low)) == NINE and rank(low[0]) != rank(low[1])


def vigorish(book: Rulebook, winnings_cents: int) -> int:
    """Return the vigorish of a winning base wager, in cents, rounded as filed; none in the commission-free game (D13, D25)."""
    if book.settings["commission_free"]:
        return 0
    step = max(1, int(book.settings["vigorish_step"]))
    rounding = ROUNDINGS.index(str(book.settings["vigorish_rounding"]))
    return rounded_vigorish(winnings_cents, book.chapter.numbers["vigorish_bp"], step, rounding)


def rounded_vigorish(winnings_cents: int, rate_bp: int, step_cents: int, rounding: int) -> int:
    """Return the vigorish at a rate in basis points, in whole steps.

    `rounding` is the place of the filed setting in `ROUNDINGS`.

    >>> [rounded_vigorish(1050, 500, 25, rounding) for rounding in range(3)]
    [50, 50, 75]
    """
    times, per = winnings_cents * rate_bp, 10_000 * step_cents
    whole, rest = times // per, times % per
    if (rounding == UP and rest > 0) or (rounding == NEAREST and 2 * rest >= per):
        whole += 1
    return whole * step_cents


def settle(book: Rulebook, layout: TableLayout) -> list[Due]:
    """Return what every wager of the round is due: cards in the order of settlement, then Match, then the Must-Hit-By bonus."""
    dealer = layout.dealer
    tiger_9: bool | None = False
    if book.settings["commission_free"]:
        tiger_9 = None if dealer.low is None else is_tiger_9(dealer.low)

    def base(box: BettingBox, cap: MaximumPayout) -> Due:
        return _base(book, box, dealer, tiger_9)

    def tiger(box: BettingBox, cap: MaximumPayout) -> Due:
        return _tiger_9(book, box, tiger_9)

    def on_sum(box: BettingBox, cap: MaximumPayout) -> Due:
        return dice_wager(book, box, "sum", layout.dice)

    def on_beat_it(box: BettingBox, cap: MaximumPayout) -> Due:
        return dice_wager(book, box, "beat_it", layout.dice)

    own = {"base": base, "tiger_9": tiger, "sum": on_sum, "beat_it": on_beat_it}
    return [*in_turn(book, layout, own), *match_wagers(book, layout), *mystery_bonuses(book, layout)]


def _base(book: Rulebook, box: BettingBox, dealer: Hand, tiger_9: bool | None) -> Due:
    due = base_due(book, box, dealer, tiger_9, Outcome.TIGER_9_PUSH, "645c.1(e)(1)")
    if due.outcome is not Outcome.WIN:
        return due
    commission = vigorish(book, due.winnings_cents)
    return msgspec.structs.replace(
        due, net_cents=due.winnings_cents - commission, vigorish_cents=commission, cite=book.cite("11(f)(3)")
    )


def _tiger_9(book: Rulebook, box: BettingBox, tiger_9: bool | None) -> Due:
    wager = "tiger_9"
    odds = book.chapter.wagers[wager].odds
    if wager not in book.offers or odds is None:
        return not_offered(book, box, wager)
    if box.voided or box.has_abandoned(wager):
        return without_cards(book, box, wager, None)
    if tiger_9 is None:
        return due_of(book, box, wager, Outcome.UNKNOWN, None, "645c.1(e)")
    if not tiger_9:
        return due_of(book, box, wager, Outcome.LOSE, -box.stakes[wager], "645c.1(e)(2)")
    winnings = odds.winnings(box.stakes[wager])
    due = due_of(book, box, wager, Outcome.WIN, winnings, "645c.1(g)", winnings=winnings)
    return msgspec.structs.replace(due, line="tiger_9")


GAME = Game(
    name="pai_gow_poker",
    title="Pai Gow Poker",
    wagers={
        "base": "Base wager",
        "tiger_9": "Tiger 9",
        "fortune_bonus": "Fortune Bonus",
        "fortune_envy": "Fortune Envy",
        "progressive": "Progressive",
        "progressive_envy": "Progressive Envy",
        "sum": "Sum",
        "match": "Match",
        "beat_it": "Beat It",
        "mystery": "Must-Hit-By bonus",
    },
    hands={"high": 5, "low": 2},
    by_setting=("base",),
    settle=settle,
    lines=seven_card,
)
