"""Fortune Asia Poker by rows: three hands of which two win, the Insurance, and what upholds a round (`games.fortune_asia`)."""

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
from replay.columns.kernels.screening_result import (
    CARDS,
    FOUL,
    FOUL_IN_FRONT,
    HOUSE_WAY,
    LOSE,
    NOT_IN_COLUMNS,
    UPHELD,
    WIN,
)
from replay.columns.kernels.seven_card_terms import SevenCardTerms, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import check_table, hands_are_those_dealt, note_envy, settle_bonuses, stands
from replay.columns.kernels.table import rows_type
from replay.columns.kernels.terms import NOT_HERE, Ints, paytable_row
from replay.columns.kernels.wagers import check_settlement, settle_at_odds, settle_even_money, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[SevenCardTerms, Ints] | None:
    """Return rules of Fortune Asia Poker as its kernel takes them, with the kinds of its house way; null where it does not
    know rules such as these."""
    if book.chapter.key != "pa-659a" or not wagers_are_known(book, SCHEMA) or not isinstance(book.way, AsiaHouseWay):
        return None
    own, insurance = np.full((15, 4), NOT_HERE, dtype=np.int64), offered(book, "insurance")
    for highest in range(len(own)) if insurance is not None else ():
        assert insurance is not None
        made = frozenset((HIGHEST[highest],)) if highest in HIGHEST else frozenset()
        own[highest] = paytable_row(insurance, insurance.best(made))
    way = three_way_of(book.way)
    return seven_card_terms(book, SCHEMA, own, way), way.kinds


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
        return FOUL_IN_FRONT if behind > middle else FOUL
    return WIN if int(behind > high) + int(middle > medium) + int(front > low) >= 2 else LOSE


@inlined
def settle(r: Any, i: int, terms: Any, kinds: Array, out: Any, room: Array) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    hands, staked, due, lines, ends = r.hands[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
    if not hands_are_those_dealt(r.dealt[i], hands):
        return CARDS
    bank = hands[42:49]
    high, medium, low = parts(bank)
    if not accepts_three(bank, high, medium, low, terms.way_rows, terms.way_plays, kinds, room):
        return HOUSE_WAY
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at = hands[7 * seat : 7 * seat + 7], WIDTH * seat
        completes, wild, highest = seven_and_unpaired(cards)
        if staked[at]:
            settle_even_money(two_of_three(cards, high, medium, low), at, staked, lines, ends, due)
        if staked[at + 1] and settle_at_odds(terms.own[highest], at + 1, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
        if settle_bonuses(terms, completes, wild, at, staked, lines, ends, due) < 0:
            return NOT_IN_COLUMNS
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, r.boxes[i], 0x3F, terms, out.envy[i], out.envy_to[i], WIDTH)
    return UPHELD


def screen(r: Any, terms: Any, kinds: Array, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up_pai_gow.screen` does."""
    _screen(r, terms, kinds, which, out, room_for_settings())


@borrowing
def _screen(r: Any, terms: Any, kinds: Array, which: Array, out: Any, room: Array) -> None:
    for i in which:
        check = check_table(r, i, terms, WIDTH)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, kinds, out, room)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_settlement(r, i, terms, out, WIDTH)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
