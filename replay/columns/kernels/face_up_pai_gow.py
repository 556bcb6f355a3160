"""Face Up Pai Gow Poker by rows, as adopted and as first proposed: what every wager is due, and what upholds a round.

`settle` is `games.face_up_pai_gow.settle` for rows in which nothing is missing; the checks go through the rules of the chapter
(docs/batch.md says which looks at what). A row that passes all of them is upheld.
"""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.kernels.house_way import accepts
from games.kernels.ranking import five, seven_and_unpaired, two
from games.rulebook.rulebook import Rulebook
from replay.columns.game_columns import Kernel
from replay.columns.games.face_up_pai_gow import SCHEMA
from replay.columns.kernels.screening_result import (
    ALL_PUSH,
    CARDS,
    HOUSE_WAY,
    NOT_IN_COLUMNS,
    UPHELD,
)
from replay.columns.kernels.seven_card_terms import SevenCardTerms, ace_high_rows, seven_card_terms, wagers_are_known
from replay.columns.kernels.seven_cards import (
    check_table,
    hands_are_those_dealt,
    note_envy,
    settle_ace_high,
    settle_bonuses,
    stands,
    two_hands,
)
from replay.columns.kernels.table import rows_type
from replay.columns.kernels.wagers import check_settlement, settle_even_money, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""


def terms_of(book: Rulebook, under_other_rules: bool) -> tuple[SevenCardTerms] | None:
    """Return rules of Face Up Pai Gow Poker as its kernel takes them; null where it does not know rules such as these."""
    if book.chapter.key not in ("pa-688a", "pa-688a-proposed") or not wagers_are_known(book, SCHEMA):
        return None
    return (seven_card_terms(book, SCHEMA, ace_high_rows(book)),)


@inlined
def settle(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    hands, staked, boxes, due, lines, ends = r.hands[i], r.staked[i], r.boxes[i], out.due[i], out.lines[i], out.ends[i]
    if not hands_are_those_dealt(r.dealt[i], hands):
        return CARDS
    bank = hands[42:49]
    high, low = five(bank[:5], terms.lowest), two(wide(bank[5]), wide(bank[6]))
    if not accepts(bank, high, low, terms.way_rows, terms.way_plays, terms.lowest):
        return HOUSE_WAY
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
            settle_even_money(line, at, staked, lines, ends, due)
        if staked[at + 1]:
            won = settle_ace_high(terms.own, ace_high, joker, highest, at + 1, staked, lines, ends, due)
            if won < 0:
                return NOT_IN_COLUMNS
            paid += won
        won = settle_bonuses(terms, completes, wild, at, staked, lines, ends, due)
        if won < 0 or 0 <= terms.most_payout < paid + won:
            return NOT_IN_COLUMNS
        note_envy(terms, out, i, seat, completes, wild)
    share_envy(staked, boxes, 0x3F, terms, out.envy[i], out.envy_to[i], WIDTH)
    return UPHELD


@borrowing
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names; `out.check` gets the first check that a row did not pass.

    A row can be settled though it did not pass: most of what is done wrong at a table changes nothing of what is due.
    """
    for i in which:
        check = check_table(r, i, terms, WIDTH)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_settlement(r, i, terms, out, WIDTH)
        out.check[i] = check


KERNEL: Final = Kernel(Rows, terms_of, screen)
