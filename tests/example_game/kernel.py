"""The kernel of High Card: settles and checks rows of the round table.

It is plain Python; those of the project are compiled (`games.kernels.compiling`).
"""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple

import numpy as np

from games.cards.cards import rank
from games.rulebook.rulebook import Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.kernels.screening_result import (
    BASE_WAGER,
    CARDS,
    LATE,
    LIMITS,
    LOSE,
    NOT_IN_COLUMNS,
    ORDER,
    TIE,
    UPHELD,
    WIN,
)
from replay.columns.kernels.table import M_FIRST_CARD, M_LAST_WAGER, M_NO_MORE_BETS, rows_type
from replay.columns.kernels.terms import NOT_HERE, Ints, limits_of, paytable_row
from replay.columns.kernels.wagers import check_money, settle_at_odds, settle_even_money
from replay.columns.row_schemas import DEALER, NO_CARD, POSITIONS, SEATS
from tests.example_game import high_card
from tests.example_game.columns import SCHEMA


class Terms(NamedTuple):
    """The rules as the kernel takes them; `bonus` by the rank of a pair, first the row of two cards that are none."""

    limits: Ints
    bonus: Ints
    equal_hands_push: bool


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[Terms] | None:
    """Return the rules as the kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key != "pa-700a" or book.settings.keys() != {"equal_hands"}:
        return None
    paytable, bonus = offered(book, "bonus"), np.full((15, 4), NOT_HERE, dtype=np.int64)
    for cards in combinations_with_replacement(range(0, 52, 4), 2) if paytable is not None else ():
        assert paytable is not None
        made = high_card.lines(paytable, cards)
        bonus[rank(cards[0]) if made else 0] = paytable_row(paytable, paytable.best(made))
    limits = np.array([limits_of(book, wager) for wager in SCHEMA.wagers], dtype=np.int64)
    return (Terms(limits, bonus, book.settings["equal_hands"] == "push"),)


Rows = rows_type(SCHEMA, __name__)


def check_table(r: Any, i: int, terms: Terms) -> int:
    """Check wagers, cards, and the order of turning them over."""
    moments, staked = r.moments[i], r.staked[i]
    if not moments[M_LAST_WAGER] <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]:
        return LATE
    dealt = [card for card in r.dealt[i] if card != NO_CARD]
    if len(set(dealt)) < len(dealt) or r.dealt[i, 2 * DEALER] == NO_CARD:
        return CARDS
    for seat in range(SEATS):
        ante, bonus = staked[2 * seat : 2 * seat + 2]
        if bonus and not ante:
            return BASE_WAGER
        for wager, cents in enumerate((ante, bonus)):
            if cents and not terms.limits[wager, 0] <= cents <= terms.limits[wager, 1]:
                return LIMITS
    return ORDER if 0 <= r.dealer_turned[i] < max(r.revealed[i]) else UPHELD


def _ranks(cards: Any) -> list[int]:
    """Return the ranks of two cards, the higher one first; nothing where none were dealt."""
    return sorted((rank(int(card)) for card in cards if card != NO_CARD), reverse=True)


def settle(r: Any, i: int, terms: Terms, out: Any) -> int:
    """Write what every wager is due with its line and how it ends; return a check, 0: settled."""
    hands = [_ranks(r.dealt[i, 2 * at : 2 * at + 2]) for at in range(POSITIONS)]
    for seat in range(SEATS):
        at, places = 2 * seat, (r.staked[i], out.lines[i], out.ends[i], out.due[i])
        if not r.boxes[i, seat]:
            continue
        if r.dealt[i, at] == NO_CARD:
            return CARDS
        equal = TIE if terms.equal_hands_push else LOSE
        line = WIN if hands[seat] > hands[DEALER] else equal if hands[seat] == hands[DEALER] else LOSE
        settle_even_money(line, at, *places)
        high, low = hands[seat]
        if places[0][at + 1] and settle_at_odds(terms.bonus[high if high == low else 0], at + 1, *places) < 0:
            return NOT_IN_COLUMNS
    return UPHELD


def screen(r: Any, terms: Terms, which: Ints, out: Any) -> None:
    """Settle and check the rows that `which` names."""
    for i in which:
        check = check_table(r, i, terms)
        if check in (UPHELD, LIMITS, ORDER):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            check = check or settled or check_money(r, i, out, 2)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
