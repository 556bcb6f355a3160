"""Over/Under by rows: what every wager is due (`games.over_under.settle`)."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiling import borrowing, inlined, wide
from games.over_under import SIDES, bonus_lines, points, total
from games.rulebook.rulebook import Paytable, Rulebook
from games.settlement.wagers import offered
from replay.columns.game_columns import Kernel
from replay.columns.games.over_under import SCHEMA
from replay.columns.kernels.settled_rows import LOSE, TIE, WIN, rows_type
from replay.columns.kernels.shared_rules import is_houses_total, is_on_side
from replay.columns.kernels.terms import NOT_HERE, PER, Ints, paytable_row
from replay.columns.kernels.wagers import settle_at_odds, settle_even_money

Array = npt.NDArray[Any]

Rows = rows_type(SCHEMA, __name__)
WIDTH = 4
"""The wagers that a box can have."""
OVER, UNDER, BONUS = 1, 2, 3


class OverUnderTerms(NamedTuple):
    """Rules in force of Over/Under: the Bonus Wager by total, the points of each card, and the numbers of the chapter.

    `wrong_side_pushes` as filed (D12).
    """

    bonus: Ints
    points: Ints
    over_least: int
    under_most: int
    wrong_side_pushes: bool


def terms_of(book: Rulebook) -> tuple[OverUnderTerms] | None:
    """Return rules of Over/Under as its kernel takes them; null where it does not know rules such as these."""
    rules, numbers = book.chapter.wagers, book.chapter.numbers
    placed = {name: (rule.of, rule.times, rule.closes) for name, rule in rules.items()}
    known: dict[str, tuple[str | None, int, str]] = dict.fromkeys(("ante", "bonus"), (None, 1, "first_card"))
    known |= dict.fromkeys(SIDES, ("ante", 1, "further_cards"))
    if book.chapter.key != "pa-686a" or placed != known or book.settings.keys() != _KNOWN_SETTINGS:
        return None
    return (
        OverUnderTerms(
            bonus=_rows_by_total(offered(book, "bonus")),
            points=np.array([points(card) for card in range(52)], dtype=np.int64),
            over_least=numbers["over_least_points"],
            under_most=numbers["under_most_points"],
            wrong_side_pushes=book.settings["wrong_side"] == "pushes",
        ),
    )


_KNOWN_SETTINGS: Final = frozenset({"wrong_side", "dead_hand_returns", "decisions", "most_boxes"})
"""The settings of Over/Under that its kernel knows, or that matter in ineligible rounds only."""


def _rows_by_total(paytable: Paytable | None) -> Ints:
    """Return what every total of three cards comes to."""
    table = np.full((34, 3), NOT_HERE, dtype=np.int64)
    table[:, PER] = 1
    for cards in combinations_with_replacement(range(0, 52, 4), 3) if paytable is not None else ():
        assert paytable is not None
        table[total(cards)] = paytable_row(paytable, paytable.best(bonus_lines(paytable, cards)))
    return table


@inlined
def settle_row(r: Any, i: int, terms: Any, out: Any) -> bool:
    """Write what every wager of a row is due; say whether the columns hold all of it."""
    dealt, staked, due = r.dealt[i], r.staked[i], out.due[i]
    for seat in range(6):
        at, total = WIDTH * seat, wide(0)
        if r.boxes[i, seat] == 0:
            continue
        for card in range(3 * seat, 3 * seat + 3):
            total += terms.points[dealt[card]]
        over, under = staked[at + OVER] > 0, staked[at + UNDER] > 0
        surrendered, decision = r.surrendered[i, seat] != 0, wide(r.said[i, seat])
        if over and under:
            return False
        if surrendered == (over or under) or (decision and (surrendered or decision != (1 if over else 2))):
            return False
        line = LOSE
        if not surrendered and not is_houses_total(total, terms.under_most, terms.over_least):
            if is_on_side(total, over, terms.over_least):
                line = WIN
            elif terms.wrong_side_pushes:
                line = TIE
        for wager in range(BONUS):
            if staked[at + wager]:
                settle_even_money(line, at + wager, staked, due)
        if staked[at + BONUS] and settle_at_odds(terms.bonus[total], at + BONUS, staked, due) < 0:
            return False
    return True


@borrowing
def settle(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle the rows that `which` names."""
    for i in which:
        out.settled[i] = settle_row(r, i, terms, out)


KERNEL: Final = Kernel(Rows, terms_of, settle)
