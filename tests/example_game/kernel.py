"""The kernel of High Card: settles rows of the round table.

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
from replay.columns.kernels.settled_rows import LOSE, NOBODY, TIE, WIN, rows_type
from replay.columns.kernels.terms import NOT_HERE, Ints, paytable_row
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money
from replay.columns.row_schemas import DEALER, POSITIONS, SEATS
from tests.example_game import high_card
from tests.example_game.columns import SCHEMA


class Terms(NamedTuple):
    """The rules as the kernel takes them; `bonus` by the rank of a pair, first the row of two cards that are none."""

    bonus: Ints
    equal_hands_push: bool


def terms_of(book: Rulebook) -> tuple[Terms] | None:
    """Return the rules as the kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key != "pa-700a" or book.settings.keys() != {"equal_hands"}:
        return None
    paytable, bonus = offered(book, "bonus"), np.full((15, 3), NOT_HERE, dtype=np.int64)
    for cards in combinations_with_replacement(range(0, 52, 4), 2) if paytable is not None else ():
        assert paytable is not None
        made = high_card.lines(paytable, cards)
        bonus[rank(cards[0]) if made else 0] = paytable_row(paytable, paytable.best(made))
    return (Terms(bonus, book.settings["equal_hands"] == "push"),)


Rows = rows_type(SCHEMA, __name__)


def _ranks(cards: Any) -> list[int]:
    """Return the ranks of two cards, the higher one first; nothing where none were dealt."""
    return sorted((rank(int(card)) for card in cards if card != NOBODY), reverse=True)


def settle_row(r: Any, i: int, terms: Terms, out: Any) -> bool:
    """Write what every wager of a row is due; say whether the columns hold all of it."""
    hands = [_ranks(r.dealt[i, 2 * at : 2 * at + 2]) for at in range(POSITIONS)]
    for seat in range(SEATS):
        at, staked, due = 2 * seat, r.staked[i], out.due[i]
        if not r.boxes[i, seat]:
            continue
        equal = TIE if terms.equal_hands_push else LOSE
        line = WIN if hands[seat] > hands[DEALER] else equal if hands[seat] == hands[DEALER] else LOSE
        settle_even_money(line, at, staked, due)
        high, low = hands[seat]
        if staked[at + 1] and settle_at_odds(terms.bonus[high if high == low else 0], at + 1, staked, due) < 0:
            return False
    return True


def settle(r: Any, terms: Terms, which: Ints, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_row(r, i, terms, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
