"""DJ Wild Stud Poker by rows: what every wager is due (`games.dj_wild.settle`)."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.cards.wild_ranking import WildClass
from games.dj_wild import line_of
from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.ranking import JOKER
from games.kernels.wild_ranking import CLASS_SHIFT, progressive_rank, wild_value
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.dj_wild import SCHEMA
from replay.columns.kernels.settled_rows import LOSE, TIE, WIN, rows_type
from replay.columns.kernels.terms import ENVY_CENTS, KIND, NOT_HERE, PER, Ints, paytable_row, settings_are_known
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money, settle_progressive, share_envy
from replay.columns.row_schemas import DEALER

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 6
"""The wagers that a box can have."""
ANTE, BLIND, RAISE, PROGRESSIVE, TRIPS, BAD_BEAT = range(6)


class DjWildTerms(NamedTuple):
    """Rules in force of DJ Wild Stud Poker: paytables by the rank of the hand, and the numbers of the chapter.

    `trips` has the ranks with a wild card first, then the natural ones.
    """

    blind: Ints
    trips: Ints
    bad_beat: Ints
    progressive: Ints
    deuces_wild: bool
    folds_lose: bool
    envy: bool
    qualifying: int
    envy_holder_must_wager: bool


def terms_of(book: Rulebook) -> tuple[DjWildTerms] | None:
    """Return rules of DJ Wild Stud Poker as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    derived = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(SCHEMA.wagers, (None, 1, "no_more_bets"))
    known |= {"blind": ("ante", 1, "no_more_bets"), "raise": ("ante", 2, "reveal")}
    if book.chapter.key != "pa-687a" or derived != known or not settings_are_known(book):
        return None
    progressive, trips = offered(book, "progressive"), offered(book, "trips")
    return (
        DjWildTerms(
            blind=_rows_by_rank(offered(book, "blind")),
            trips=np.concatenate([_rows_by_rank(trips, False), _rows_by_rank(trips)]),
            bad_beat=_rows_by_rank(offered(book, "bad_beat")),
            progressive=_rows_by_rank(progressive),
            deuces_wild=book.settings["progressive_deuces"] == "wild",
            folds_lose=not book.settings["folded_progressive"],
            envy=progressive is not None and progressive.has_envy,
            qualifying=numbers["qualifying_wager_cents"],
            envy_holder_must_wager=bool(book.settings["envy_holder_must_wager"]),
        ),
    )


def _rows_by_rank(paytable: Paytable | None, natural: bool = True) -> Ints:
    """Return what every rank of DJ Wild comes to, with its Envy Bonus."""
    table = np.zeros((len(WildClass), 4), dtype=np.int64)
    table[:, PER] = 1
    table[:, KIND] = NOT_HERE
    for made in WildClass if paytable is not None else ():
        assert paytable is not None
        lines = frozenset((line_of(paytable.wager, made, natural),))
        envy = paytable.envy(lines)
        table[made] = (*paytable_row(paytable, paytable.best(lines)), envy.envy_cents if envy is not None else 0)
    return table


@compiled
def has_joker(cards: Array) -> bool:
    """Say whether the joker is among five cards."""
    joker = False
    for at in range(5):
        joker = joker or cards[at] == JOKER
    return joker


@inlined
def settle_against_dealer(terms: Any, mine: int, bank: int, folds: bool, at: int, staked: Array, due: Array) -> None:
    """Settle Ante, Blind and Raise of a box: forfeited by a fold, otherwise by the higher hand."""
    line = LOSE if folds or mine < bank else TIE if mine == bank else WIN
    for wager in (ANTE, RAISE):
        if staked[at + wager]:
            settle_even_money(line, at + wager, staked, due)
    if not staked[at + BLIND]:
        return
    if line == WIN:
        settle_at_odds(terms.blind[mine >> CLASS_SHIFT], at + BLIND, staked, due)
    else:
        settle_even_money(line, at + BLIND, staked, due)


@inlined
def settle_optional(
    terms: Any, cards: Array, mine: int, bank: int, folds: bool, at: int, staked: Array, due: Array
) -> bool:
    """Settle Trips and Bad Beat of a box; say whether the columns hold both."""
    rank = mine >> CLASS_SHIFT
    if staked[at + TRIPS]:
        natural = not has_joker(cards) and wild_value(cards, False) >> CLASS_SHIFT == rank
        if settle_at_odds(terms.trips[rank + 12 if natural else rank], at + TRIPS, staked, due) < 0:
            return False
    if staked[at + BAD_BEAT]:
        row = terms.bad_beat[rank]
        if row[KIND] == NOT_HERE:
            return False
        due[at + BAD_BEAT] = -staked[at + BAD_BEAT]
        if not folds and mine < bank:
            settle_at_odds(row, at + BAD_BEAT, staked, due)
    return True


@inlined
def settle_progressive_of(r: Any, i: int, seat: int, loses: bool, terms: Any, out: Any) -> bool:
    """Settle the Progressive of a box, note the Envy Bonus that its hand earns; say whether the columns hold both.

    `loses`: it is forfeited by a fold, or nobody at the table wagered on it.
    """
    staked, at, cards = r.staked[i], WIDTH * seat + PROGRESSIVE, r.dealt[i, 5 * seat : 5 * seat + 5]
    if loses:
        if staked[at]:
            out.due[i, at] = -staked[at]
        return not staked[at] or terms.progressive[0, KIND] != NOT_HERE
    if has_joker(cards) and r.side[i] >= JOKER:
        return False  # what takes the joker's place is not on record
    row = terms.progressive[progressive_rank(cards, wide(r.side[i]), terms.deuces_wild)]
    if staked[at] and settle_progressive(row, at, staked, out.due[i], False) < 0:
        return False
    if terms.envy:
        out.envy_cents[i, 6 + seat] = row[ENVY_CENTS]
    return True


@inlined
def settle_row(r: Any, i: int, terms: Any, out: Any) -> bool:
    """Write what every wager of a row is due, and the Envy Bonuses; say whether the columns hold all of it."""
    dealt, staked, due = r.dealt[i], r.staked[i], out.due[i]
    folded, progressive = wide(r.folded[i]), False
    bank = wild_value(dealt[5 * DEALER : 5 * DEALER + 5], True)
    for seat in range(6):
        progressive = progressive or staked[WIDTH * seat + PROGRESSIVE] > 0
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at, folds = dealt[5 * seat : 5 * seat + 5], WIDTH * seat, folded >> seat & 1 != 0
        mine = wild_value(cards, True)
        settle_against_dealer(terms, mine, bank, folds, at, staked, due)
        if not settle_optional(terms, cards, mine, bank, folds, at, staked, due):
            return False
        loses = not progressive or (folds and terms.folds_lose)
        if not settle_progressive_of(r, i, seat, loses, terms, out):
            return False
    playing = wide(0x3F)
    if terms.folds_lose:
        playing &= ~folded
    share_envy(staked, r.boxes[i], playing, terms, out.envy_cents[i], out.envy_to[i], WIDTH)
    return True


@borrowing
def settle(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_row(r, i, terms, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
