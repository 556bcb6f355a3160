"""Fortune Asia Poker by rows: three hands of which two win, and the Insurance (`games.fortune_asia.settle`)."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from games.fortune_asia import HIGHEST
from games.house_ways.house_way_asia import AsiaHouseWay
from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.ranking import seven_and_unpaired, two
from games.kernels.three_hands import accepts_three, four_of, one_of, room_for_settings, three_way_of
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.fortune_asia import SCHEMA
from replay.columns.kernels.settled_rows import FOUL, LOSE, WIN, rows_type
from replay.columns.kernels.seven_card_terms import SevenCardTerms, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import note_envy, settle_bonuses
from replay.columns.kernels.terms import NOT_HERE, Ints, paytable_row
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money, share_envy
from replay.columns.row_schemas import DEALER

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""


def terms_of(book: Rulebook) -> tuple[SevenCardTerms, Ints] | None:
    """Return rules of Fortune Asia Poker as its kernel takes them, with the kinds of its house way; null where it does not
    know rules such as these."""
    if book.chapter.key != "pa-659a" or not wagers_are_known(book, SCHEMA) or not isinstance(book.way, AsiaHouseWay):
        return None
    own, insurance = np.full((15, 3), NOT_HERE, dtype=np.int64), offered(book, "insurance")
    for highest in range(len(own)) if insurance is not None else ():
        assert insurance is not None
        made = frozenset((HIGHEST[highest],)) if highest in HIGHEST else frozenset()
        own[highest] = paytable_row(insurance, insurance.best(made))
    way = three_way_of(book.way)
    return seven_card_terms(book, own, way), way.kinds


@compiled
def parts(cards: Array) -> tuple[int, int, int]:
    """Return the values of hands of four, two and one."""
    high = four_of(wide(cards[0]), wide(cards[1]), wide(cards[2]), wide(cards[3]))
    return high, two(wide(cards[4]), wide(cards[5])), one_of(wide(cards[6]))


@compiled
def two_of_three(cards: Array, high: int, medium: int, low: int) -> int:
    """Return how a base wager ends against the dealer's three hands (`games.fortune_asia.two_of_three`)."""
    behind, middle, front = parts(cards)
    if not behind > middle > front:
        return FOUL
    return WIN if int(behind > high) + int(middle > medium) + int(front > low) >= 2 else LOSE


@inlined
def settle_row(r: Any, i: int, terms: Any, kinds: Array, out: Any, room: Array) -> bool:
    """Write what every wager of a row is due, and the Envy Bonuses; say whether the columns hold all of it."""
    hands, staked, due = r.hands[i], r.staked[i], out.due[i]
    bank = hands[7 * DEALER : 7 * DEALER + 7]
    high, medium, low = parts(bank)
    if not accepts_three(bank, high, medium, low, terms.way_rows, terms.way_plays, kinds, room):
        return False
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at = hands[7 * seat : 7 * seat + 7], WIDTH * seat
        completes, wild, highest = seven_and_unpaired(cards)
        if staked[at]:
            settle_even_money(two_of_three(cards, high, medium, low), at, staked, due)
        if staked[at + 1] and settle_at_odds(terms.own[highest], at + 1, staked, due) < 0:
            return False
        if settle_bonuses(terms, completes, wild, at, staked, due) < 0:
            return False
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, r.boxes[i], 0x3F, terms, out.envy_cents[i], out.envy_to[i], WIDTH)
    return True


def settle(r: Any, terms: Any, kinds: Array, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    _settle(r, terms, kinds, which, out, room_for_settings())


@borrowing
def _settle(r: Any, terms: Any, kinds: Array, which: Array, out: Any, room: Array) -> None:
    for i in which:
        out.settled[i] = settle_row(r, i, terms, kinds, out, room)


KERNEL: Final = Kernel(Rows, terms_of, settle)
