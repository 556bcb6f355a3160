"""Face Up Pai Gow Poker by rows, as adopted and as first proposed: what every wager is due (`games.face_up_pai_gow.settle`)."""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.kernels.house_way import accepts
from games.kernels.ranking import five, seven_and_unpaired, two
from games.rulebook.rulebook import Rulebook
from replay.columns.game_columns import Kernel
from replay.columns.games.face_up_pai_gow import SCHEMA
from replay.columns.kernels.settled_rows import ALL_PUSH, rows_type
from replay.columns.kernels.seven_card_terms import SevenCardTerms, ace_high_rows, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import note_envy, settle_ace_high, settle_bonuses, two_hands
from replay.columns.kernels.wagers import settle_even_money, share_envy
from replay.columns.row_schemas import DEALER

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""


def terms_of(book: Rulebook) -> tuple[SevenCardTerms] | None:
    """Return rules of Face Up Pai Gow Poker as its kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key not in ("pa-688a", "pa-688a-proposed") or not wagers_are_known(book, SCHEMA):
        return None
    return (seven_card_terms(book, ace_high_rows(book)),)


@inlined
def settle_row(r: Any, i: int, terms: Any, out: Any) -> bool:
    """Write what every wager of a row is due, and the Envy Bonuses; say whether the columns hold all of it."""
    hands, staked, boxes, due = r.hands[i], r.staked[i], r.boxes[i], out.due[i]
    bank = hands[7 * DEALER : 7 * DEALER + 7]
    high, low = five(bank[:5], terms.lowest), two(wide(bank[5]), wide(bank[6]))
    if not accepts(bank, high, low, terms.way_rows, terms.way_plays, terms.lowest):
        return False
    ace_high = seven_and_unpaired(bank)[2] == 14
    joker = False
    for at in range(7):
        joker = joker or bank[at] == 52
    for seat in range(6):
        if boxes[seat] == 0:
            continue
        cards = hands[7 * seat : 7 * seat + 7]
        completes, wild, highest = seven_and_unpaired(cards)
        at, paid = WIDTH * seat, wide(0)
        if staked[at]:
            line = ALL_PUSH if ace_high else two_hands(cards, high, low, terms.lowest)
            settle_even_money(line, at, staked, due)
        if staked[at + 1]:
            won = settle_ace_high(terms.own, ace_high, joker, highest, at + 1, staked, due)
            if won < 0:
                return False
            paid += won
        won = settle_bonuses(terms, completes, wild, at, staked, due)
        if won < 0 or 0 <= terms.most_payout < paid + won:
            return False
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, boxes, 0x3F, terms, out.envy_cents[i], out.envy_to[i], WIDTH)
    return True


@borrowing
def settle(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_row(r, i, terms, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
