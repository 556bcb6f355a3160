"""Pai Gow Poker by rows: the seven cards, Tiger 9, the vigorish, the wagers on the dice (`games.pai_gow_poker.settle`)."""

from __future__ import annotations

from itertools import product
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.house_way import accepts
from games.kernels.ranking import JOKER, five, seven_and_unpaired, two
from games.layout import Dice
from games.pai_gow_poker import ROUNDINGS
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.dice_wagers import FACES, lines_made
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.pai_gow_poker import SCHEMA
from replay.columns.kernels.settled_rows import ALL_PUSH, WIN, rows_type
from replay.columns.kernels.seven_card_terms import SevenCardTerms, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import note_envy, settle_bonuses, two_hands
from replay.columns.kernels.shared_rules import rounded_vigorish
from replay.columns.kernels.terms import AT_ODDS, KIND, NOT_HERE, PER, Ints, paytable_row
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money, share_envy
from replay.columns.row_schemas import DEALER

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 12
"""The wagers that a box can have: base, Tiger 9, Fortune, Progressive, Sum, Beat It, and Match on each of six numbers."""
SUM, BEAT_IT, MATCH = 4, 5, 6
NINE = 7
"""The nine among ranks from the two."""


class DiceTerms(NamedTuple):
    """What Pai Gow Poker has beside a game of seven cards: vigorish, Tiger 9, wagers on the dice.

    `sum_pays` by the 216 ways in which the dice lie, `beat_it_pays` by the place of the red die too (0: not known),
    `match_pays` by the number wagered on.
    """

    commission_free: bool
    vigorish_bp: int
    vigorish_step: int
    vigorish_rounding: int
    sum_pays: Ints
    beat_it_pays: Ints
    match_pays: Ints


_CLOSES: Final = {"sum": "activation", "beat_it": "activation", "match": "activation"}
"""When wagers close that do not close with "no more bets"."""
_FOLLOWS: Final = {
    "tiger_9": (),
    "sum": (),
    "beat_it": (),
    "match": (),
    "fortune_bonus": ("base", "tiger_9"),
    "progressive": ("base", "tiger_9"),
}
"""The wagers that a wager follows, where that is not the base wager alone."""


def terms_of(book: Rulebook) -> tuple[SevenCardTerms, DiceTerms] | None:
    """Return rules of Pai Gow Poker as its kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key != "pa-645c" or not wagers_are_known(book, SCHEMA, _CLOSES, _FOLLOWS):
        return None
    rule, own = book.chapter.wagers["tiger_9"], np.array([[NOT_HERE, 0, 1]], dtype=np.int64)
    if "tiger_9" in book.offers and rule.odds is not None:
        own[0] = AT_ODDS, rule.odds.numerator, rule.odds.denominator
    beat_it = offered(book, "beat_it")
    on_dice = DiceTerms(
        commission_free=bool(book.settings["commission_free"]),
        vigorish_bp=book.chapter.numbers["vigorish_bp"],
        vigorish_step=max(1, int(book.settings["vigorish_step"])),
        vigorish_rounding=ROUNDINGS.index(str(book.settings["vigorish_rounding"])),
        sum_pays=_rows_by_dice(offered(book, "sum"), None),
        beat_it_pays=np.array([_rows_by_dice(beat_it, None, red) for red in range(4)]),
        match_pays=np.array([_rows_by_dice(offered(book, "match"), number) for number in FACES]),
    )
    return seven_card_terms(book, own), on_dice


def _rows_by_dice(paytable: Paytable | None, number: int | None, red: int = 0) -> Ints:
    """Return what the 216 ways in which dice lie come to; `red` is the place of the red die from 1, 0 where not known."""
    table = np.full((len(FACES) ** 3, 3), NOT_HERE, dtype=np.int64)
    table[:, PER] = 1
    if paytable is None:
        return table
    first, second, third = ("red" if place == red else "blue" for place in (1, 2, 3))
    colours = (first, second, third) if red else None
    for at, (a, b, c) in enumerate(product(FACES, repeat=3)):
        made = {paytable.best(lines) for lines in lines_made(paytable.wager, number, Dice((a, b, c), colours))}
        if len(made) == 1:
            table[at] = paytable_row(paytable, made.pop())
    return table


@compiled
def is_tiger_9(a: int, b: int) -> bool:
    """Say whether two cards are a nine high without a pair (`games.pai_gow_poker.is_tiger_9`)."""
    if JOKER in (a, b):
        return False
    return max(a >> 2, b >> 2) == NINE and a >> 2 != b >> 2


@compiled
def vigorish(cents: int, dice: Any) -> int:
    """Return the vigorish of a winning base wager (`games.pai_gow_poker.vigorish`)."""
    if dice.commission_free:
        return 0
    return rounded_vigorish(cents, dice.vigorish_bp, dice.vigorish_step, dice.vigorish_rounding)


@inlined
def settle_row(r: Any, i: int, terms: Any, dice: Any, out: Any) -> bool:
    """Write what every wager of a row is due, and the Envy Bonuses; say whether the columns hold all of it."""
    hands, staked, boxes, due = r.hands[i], r.staked[i], r.boxes[i], out.due[i]
    bank = hands[7 * DEALER : 7 * DEALER + 7]
    high, low = five(bank[:5], terms.lowest), two(wide(bank[5]), wide(bank[6]))
    if not accepts(bank, high, low, terms.way_rows, terms.way_plays, terms.lowest):
        return False
    tiger_9 = dice.commission_free and is_tiger_9(wide(bank[5]), wide(bank[6]))
    for seat in range(6):
        if boxes[seat] == 0:
            continue
        cards = hands[7 * seat : 7 * seat + 7]
        completes, wild, _ = seven_and_unpaired(cards)
        at = WIDTH * seat
        if staked[at]:
            line = ALL_PUSH if tiger_9 else two_hands(cards, high, low, terms.lowest)
            settle_even_money(line, at, staked, due)
            if line == WIN:
                due[at] -= vigorish(wide(staked[at]), dice)
        if staked[at + 1]:
            if terms.own[0, KIND] == NOT_HERE:
                return False
            due[at + 1] = -staked[at + 1]
            if tiger_9:
                settle_at_odds(terms.own[0], at + 1, staked, due)
        won = settle_bonuses(terms, completes, wild, at, staked, due)
        if won < 0 or 0 <= terms.most_payout < won:
            return False
        if not settle_on_dice(r, i, at, dice, due):
            return False
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, boxes, 0x3F, terms, out.envy_cents[i], out.envy_to[i], WIDTH)
    return True


@inlined
def settle_on_dice(r: Any, i: int, at: int, dice: Any, due: Array) -> bool:
    """Settle the wagers of a box on the dice; say whether the columns hold all of them."""
    staked, lay = r.staked[i], r.dice[i]
    for wager in range(SUM, WIDTH):
        if not staked[at + wager]:
            continue
        if lay < 0 or r.red[i] > 3:
            return False
        if wager == SUM:
            row = dice.sum_pays[lay]
        elif wager == BEAT_IT:
            row = dice.beat_it_pays[r.red[i], lay]
        else:
            row = dice.match_pays[wager - MATCH, lay]
        if settle_at_odds(row, at + wager, staked, due) < 0:
            return False
    return True


@borrowing
def settle(r: Any, terms: Any, dice: Any, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_row(r, i, terms, dice, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
