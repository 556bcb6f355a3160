"""What the games of seven cards share: hands of five and two, the bonus wagers, the Envy Bonuses."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import compiled, inlined, wide
from games.kernels.ranking import five, two
from replay.columns.kernels.settled_rows import FOUL, LOSE, TIE, WIN
from replay.columns.kernels.terms import ENVY_CENTS, KIND, NOT_HERE
from replay.columns.kernels.wagers import settle_at_odds, settle_progressive

Array = npt.NDArray[Any]


@compiled
def two_hands(cards: Array, high: int, low: int, lowest: bool) -> int:
    """Return how a base wager ends against the dealer's hands of five and two (`games.settlement.pai_gow.base_due`)."""
    mine, front = five(cards[:5], lowest), two(wide(cards[5]), wide(cards[6]))
    if mine < front:
        return FOUL
    wins = int(mine > high) + int(front > low)
    return WIN if wins == 2 else TIE if wins == 1 else LOSE


@inlined
def settle_ace_high(own: Array, ace_high: bool, joker: bool, highest: int, at: int, staked: Array, due: Array) -> int:
    """Settle an Ace High Bonus; return its winnings, -1 where no row gives them (`games.face_up_pai_gow.settle_ace_high`).

    `ace_high`, `joker`: of the cards against which the others play; `highest` is `highest_unpaired` of the player's.
    """
    row = own[0 if highest == 14 else 1 if joker else 2]
    if row[KIND] == NOT_HERE:
        return -1
    due[at] = -staked[at]
    return settle_at_odds(row, at, staked, due) if ace_high else 0


@inlined
def settle_bonuses(terms: Any, completes: int, wild: int, at: int, staked: Array, due: Array) -> int:
    """Settle Fortune and Progressive of a box, whose wagers begin at a place; return their winnings, -1 where no row gives them.

    `completes`, `wild`: the lines that the seven cards make with the joker so.
    """
    fortune, progressive = wide(0), wide(0)
    if staked[at + 2]:
        row = terms.fortune[wild if terms.fortune_wild else completes]
        fortune = settle_at_odds(row, at + 2, staked, due)
    if staked[at + 3]:
        row = terms.progressive[wild if terms.progressive_wild else completes]
        progressive = settle_progressive(row, at + 3, staked, due, terms.stake_returned)
    return wide(-1) if fortune < 0 or progressive < 0 else fortune + progressive


@inlined
def note_envy(terms: Any, out: Any, i: int, seat: int, completes: int, wild: int) -> None:
    """Write the Envy Bonuses that the hand of a seat qualifies for."""
    for which in range(2):
        has_envy = terms.fortune_envy if which == 0 else terms.progressive_envy
        if has_envy:
            as_wild = terms.fortune_wild if which == 0 else terms.progressive_wild
            row = (terms.fortune if which == 0 else terms.progressive)[wild if as_wild else completes]
            out.envy_cents[i, 6 * which + seat] = row[ENVY_CENTS]
