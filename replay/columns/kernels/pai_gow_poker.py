"""Pai Gow Poker by rows: the seven cards, Tiger 9, the vigorish, the wagers on the dice, and what upholds a round.

`settle` is `games.pai_gow_poker.settle` for rows in which nothing is missing and the Must-Hit-By bonus was not hit.
"""

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
from replay.columns.kernels.screening_result import (
    ALL_PUSH,
    CARDS,
    DICE,
    HOUSE_WAY,
    LATE,
    LOST,
    MYSTERY,
    NOT_IN_COLUMNS,
    ORDER,
    SHAKES,
    UPHELD,
    WIN,
)
from replay.columns.kernels.seven_card_terms import SevenCardTerms, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import (
    check_deal,
    check_order,
    check_setting,
    check_shakes,
    check_start,
    hands_are_those_dealt,
    note_envy,
    settle_bonuses,
    stands,
    two_hands,
)
from replay.columns.kernels.shared_rules import contribution, rounded_vigorish
from replay.columns.kernels.table import (
    M_FIRST_CARD,
    M_LAST_ON_DICE,
    M_LAST_WAGER,
    M_NO_MORE_BETS,
    M_SHAKER,
    check_deck,
    check_lammers,
    check_wagers,
    rows_type,
)
from replay.columns.kernels.terms import AT_ODDS, KIND, NOT_HERE, PER, Ints, paytable_row
from replay.columns.kernels.wagers import check_settlement, settle_at_odds, settle_even_money, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 12
"""The wagers that a box can have: base, Tiger 9, Fortune, Progressive, Sum, Beat It, and Match on each of six numbers."""
SUM, BEAT_IT, MATCH = 4, 5, 6
NINE = 7
"""The nine among ranks from the two."""


class DiceTerms(NamedTuple):
    """What Pai Gow Poker has beside a game of seven cards: vigorish, Tiger 9, wagers on the dice, the Must-Hit-By bonus.

    `sum_pays` by the 216 ways in which the dice lie, `beat_it_pays` by the place of the red die too (0: not known),
    `match_pays` by the number wagered on. `offered`: bets close with the dice; `red`: the red die is to beat the others.
    `by_player`: a shaker that players activate is filed. `mystery_bp` is the rate of contribution, -1 where no such bonus is
    offered; its maximum is in centicents.
    """

    commission_free: bool
    vigorish_bp: int
    vigorish_step: int
    vigorish_rounding: int
    sum_pays: Ints
    beat_it_pays: Ints
    match_pays: Ints
    offered: bool
    red: bool
    by_player: bool
    shake_ms: int
    mystery_bp: int
    mystery_linked: bool
    mystery_most: int


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


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[SevenCardTerms, DiceTerms] | None:
    """Return rules of Pai Gow Poker as its kernel takes them; null where it does not know rules such as these.

    `under_other_rules`: the rows were made under other rules, so that they do not show whose the Must-Hit-By meter was.
    """
    if book.chapter.key != "pa-645c" or not wagers_are_known(book, SCHEMA, _CLOSES, _FOLLOWS):
        return None
    mystery, rule = offered(book, "mystery"), book.chapter.wagers["tiger_9"]
    if mystery is not None and under_other_rules:
        return None
    own = np.array([[NOT_HERE, 0, 1, 0]], dtype=np.int64)
    if "tiger_9" in book.offers and rule.odds is not None:
        own[0] = AT_ODDS, rule.odds.numerator, rule.odds.denominator, 1
    beat_it = offered(book, "beat_it")
    on_dice = DiceTerms(
        commission_free=bool(book.settings["commission_free"]),
        vigorish_bp=book.chapter.numbers["vigorish_bp"],
        vigorish_step=max(1, int(book.settings["vigorish_step"])),
        vigorish_rounding=ROUNDINGS.index(str(book.settings["vigorish_rounding"])),
        sum_pays=_rows_by_dice(offered(book, "sum"), None),
        beat_it_pays=np.array([_rows_by_dice(beat_it, None, red) for red in range(4)]),
        match_pays=np.array([_rows_by_dice(offered(book, "match"), number) for number in FACES]),
        offered=any(name in book.offers for name in ("sum", "beat_it", "match")),
        red=beat_it is not None and any(line.hand.startswith("red") for line in beat_it.lines),
        by_player=book.starting == "player_shaker",
        shake_ms=book.chapter.numbers["shake_ms"],
        mystery_bp=-1 if mystery is None else mystery.rate_bp,
        mystery_linked=book.linked_mystery,
        mystery_most=0 if mystery is None else mystery.maximum_cents * 100,
    )
    return seven_card_terms(book, SCHEMA, own), on_dice


def _rows_by_dice(paytable: Paytable | None, number: int | None, red: int = 0) -> Ints:
    """Return what the 216 ways in which dice lie come to; `red` is the place of the red die from 1, 0 where not known."""
    table = np.full((len(FACES) ** 3, 4), NOT_HERE, dtype=np.int64)
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
def settle(r: Any, i: int, terms: Any, dice: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    hands, staked, boxes, due, lines, ends = r.hands[i], r.staked[i], r.boxes[i], out.due[i], out.lines[i], out.ends[i]
    if not hands_are_those_dealt(r.dealt[i], hands):
        return CARDS
    bank = hands[42:49]
    high, low = five(bank[:5], terms.lowest), two(wide(bank[5]), wide(bank[6]))
    if not accepts(bank, high, low, terms.way_rows, terms.way_plays, terms.lowest):
        return HOUSE_WAY
    tiger_9 = dice.commission_free and is_tiger_9(wide(bank[5]), wide(bank[6]))
    for seat in range(6):
        if boxes[seat] == 0:
            continue
        cards = hands[7 * seat : 7 * seat + 7]
        completes, wild, _ = seven_and_unpaired(cards)
        at = WIDTH * seat
        if staked[at]:
            line = ALL_PUSH if tiger_9 else two_hands(cards, high, low, terms.lowest)
            settle_even_money(line, at, staked, lines, ends, due)
            if line == WIN:
                due[at] -= vigorish(wide(staked[at]), dice)
        if staked[at + 1]:
            if terms.own[0, KIND] == NOT_HERE:
                return NOT_IN_COLUMNS
            due[at + 1], ends[at + 1] = -staked[at + 1], LOST
            if tiger_9:
                settle_at_odds(terms.own[0], at + 1, staked, lines, ends, due)
        won = settle_bonuses(terms, completes, wild, at, staked, lines, ends, due)
        if won < 0 or 0 <= terms.most_payout < won:
            return NOT_IN_COLUMNS
        if not settle_on_dice(r, i, at, dice, lines, ends, due):
            return NOT_IN_COLUMNS
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, boxes, 0x3F, terms, out.envy[i], out.envy_to[i], WIDTH)
    return UPHELD


@inlined
def settle_on_dice(r: Any, i: int, at: int, dice: Any, lines: Array, ends: Array, due: Array) -> bool:
    """Settle the wagers of a box on the dice; say whether the columns settle all of them."""
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
        if settle_at_odds(row, at + wager, staked, lines, ends, due) < 0:
            return False
    return True


@inlined
def closes_with_the_dice(r: Any, i: int, dice: Any) -> bool:
    """Say whether bets close when the shaker is used."""
    closes: bool = dice.offered or r.activated[i] != 0
    return closes


@inlined
def in_time(r: Any, i: int, dice: Any) -> bool:
    """Say whether no wager was placed after the shaker was used, where bets close with it."""
    used = r.moments[i, M_SHAKER]
    return not closes_with_the_dice(r, i, dice) or used < 0 or r.moments[i, M_LAST_WAGER] < used


@inlined
def check_dice(r: Any, i: int, terms: Any, dice: Any) -> int:
    """Check how the dice were shaken, by whom, after "no more bets", and that what depends on them was settled first."""
    moments, used = r.moments[i], r.moments[i, M_SHAKER]
    if dice.red and r.red[i] == 4:
        return DICE
    if r.electronic[i]:
        if r.shake_ms[i] < dice.shake_ms or r.shaken_open[i]:
            return SHAKES
    elif check_shakes(r, i, terms):
        return SHAKES
    if closes_with_the_dice(r, i, dice):
        if r.shaken_open[i]:
            return SHAKES
        if used >= 0 and moments[M_NO_MORE_BETS] > used:
            return LATE
    if r.activated[i] and not dice.by_player:
        return SHAKES
    if r.activated[i] and not r.seated[i] >> (r.activated[i] - 1) & 1 and not r.boxes[i, r.activated[i] - 1]:
        return SHAKES
    return ORDER if moments[M_LAST_ON_DICE] > moments[M_FIRST_CARD] else UPHELD


@inlined
def check_mystery(r: Any, i: int, dice: Any) -> int:
    """Check that each Progressive, and no other wager, advanced the Must-Hit-By meter, which did not pass its maximum."""
    contributed, before = wide(0), r.mystery_before[i]
    for at in range(6):
        seat = wide(r.mystery_at[i, at])
        if not seat:
            break
        cents = r.staked[i, WIDTH * (seat - 1) + 3]
        right = before + contribution(wide(cents), dice.mystery_bp)
        if dice.mystery_bp < 0 or dice.mystery_linked or before < 0 or not cents or r.mystery_cents[i, at] != cents:
            return MYSTERY
        if r.mystery_readings[i, at] != right or right > dice.mystery_most:
            return MYSTERY
        contributed |= wide(1) << (seat - 1)
        before = right
    for seat in range(6):
        contributes = dice.mystery_bp >= 0 and r.staked[i, WIDTH * seat + 3] > 0
        if contributes != (contributed >> seat & 1 != 0):
            return MYSTERY
    return UPHELD


@inlined
def check_own_order(r: Any, i: int) -> int:
    """Check that Fortune and Progressive were settled after Tiger 9."""
    for seat in range(6):
        if r.own_moved[i, seat] >= 0 and 0 <= r.others_moved[i, seat] < r.own_moved[i, seat]:
            return ORDER
    return UPHELD


@inlined
def check_table(r: Any, i: int, terms: Any, dice: Any) -> int:
    """Check all that comes before the settlement."""
    return (
        check_deck(r, i, terms)
        or check_start(r, i, terms)
        or check_dice(r, i, terms, dice)
        or check_deal(r, i, terms)
        or check_wagers(r, i, terms, WIDTH)
        or (UPHELD if in_time(r, i, dice) else LATE)
        or check_lammers(r, i, terms, WIDTH)
        or check_mystery(r, i, dice)
        or check_setting(r, i, terms)
        or check_order(r, i)
        or check_own_order(r, i)
    )


@borrowing
def screen(r: Any, terms: Any, dice: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up_pai_gow.screen` does."""
    for i in which:
        check = check_table(r, i, terms, dice)
        if check == UPHELD or (stands(r, i, terms) and in_time(r, i, dice)):
            settled = settle(r, i, terms, dice, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_settlement(r, i, terms, out, WIDTH)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
