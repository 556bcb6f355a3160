"""How wagers are settled in every game.

`width` is how many wagers a box can have; those with an Envy Bonus stand third and fourth in every game.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import compiled, inlined
from replay.columns.kernels.settled_rows import ALL_PUSH, TIE, WIN
from replay.columns.kernels.shared_rules import is_envy_owed
from replay.columns.kernels.terms import AMOUNT, AT_ODDS, KIND, LOSES, NOT_HERE, PER, TIMES

Array = npt.NDArray[Any]


@inlined
def settle_even_money(line: int, at: int, staked: Array, due: Array) -> None:
    """Settle a wager by how it ended: a win at even money, a push, or else a loss."""
    due[at] = staked[at] if line == WIN else 0 if line in (TIE, ALL_PUSH) else -staked[at]


@inlined
def settle_at_odds(row: Array, at: int, staked: Array, due: Array) -> int:
    """Settle a wager by a row of its paytable; return its winnings, -1 where no row gives them."""
    if row[KIND] == NOT_HERE:
        return -1
    won: int = staked[at] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else 0
    due[at] = -staked[at] if row[KIND] == LOSES else won
    return won


@inlined
def settle_progressive(row: Array, at: int, staked: Array, due: Array, back: bool) -> int:
    """Settle a Progressive by a row of its paytable; return its winnings, -1 where no row gives them.

    `back`: a winning wager of a fixed amount goes back to the patron.
    """
    if row[KIND] == NOT_HERE:
        return -1
    won: int = staked[at] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else row[TIMES]
    due[at] = won - (0 if row[KIND] == AT_ODDS or (row[KIND] == AMOUNT and back) else staked[at])
    return won


@compiled
def share_envy(staked: Array, boxes: Array, playing: int, terms: Any, cents: Array, envy_to: Array, width: int) -> None:
    """Say who is owed an Envy Bonus for which hand, among the boxes that are `playing` (`games.settlement.bonus`)."""
    for place in range(12):
        which, seat = place // 6, place % 6
        if not cents[place] or not playing >> seat & 1:
            continue
        for holder in range(6):
            if staked[width * holder + 2 + which] < terms.qualifying or not playing >> holder & 1:
                continue
            hand_wagered = staked[width * seat + 2 + which] > 0
            if is_envy_owed(boxes[holder] == boxes[seat], hand_wagered, terms.envy_holder_must_wager):
                envy_to[place] |= 1 << holder
