"""How wagers are settled in every game, and whether what was done is what was due.

`width` is how many wagers a box can have; those with an Envy Bonus stand third and fourth in every game.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import compiled, inlined
from replay.columns.kernels.screening_result import (
    ALL_PUSH,
    ANNOUNCED,
    ENVY,
    ENVY_CALL,
    LOST,
    MONEY,
    PROGRESSIVE_PAID,
    TIE,
    TIED,
    UPHELD,
    WIN,
    WINS,
)
from replay.columns.kernels.shared_rules import is_envy_owed
from replay.columns.kernels.terms import AMOUNT, AT_ODDS, KIND, LINE, LOSES, NOT_HERE, PER, TIMES

Array = npt.NDArray[Any]


@inlined
def settle_even_money(line: int, at: int, staked: Array, lines: Array, ends: Array, due: Array) -> None:
    """Settle a wager by how it ended: a win at even money, a push, or else a loss."""
    lines[at] = line
    if line == WIN:
        due[at], ends[at] = staked[at], WINS
    elif line in (TIE, ALL_PUSH):
        due[at], ends[at] = 0, TIED
    else:
        due[at], ends[at] = -staked[at], LOST


@inlined
def settle_at_odds(row: Array, at: int, staked: Array, lines: Array, ends: Array, due: Array) -> int:
    """Settle a wager by a row of its paytable; return its winnings, -1 where no row gives them."""
    if row[KIND] == NOT_HERE:
        return -1
    won: int = staked[at] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else 0
    lines[at] = row[LINE]
    due[at] = -staked[at] if row[KIND] == LOSES else won
    ends[at] = LOST if row[KIND] == LOSES else WINS if row[KIND] == AT_ODDS else TIED
    return won


@inlined
def settle_progressive(row: Array, at: int, staked: Array, lines: Array, ends: Array, due: Array, back: bool) -> int:
    """Settle a Progressive by a row of its paytable; return its winnings, -1 where no row gives them.

    `back`: a winning wager of a fixed amount goes back to the patron.
    """
    if row[KIND] == NOT_HERE:
        return -1
    won: int = staked[at] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else row[TIMES]
    lines[at] = row[LINE]
    due[at] = won - (0 if row[KIND] == AT_ODDS or (row[KIND] == AMOUNT and back) else staked[at])
    ends[at] = LOST if row[KIND] == LOSES else WINS
    return won


@compiled
def share_envy(staked: Array, boxes: Array, playing: int, terms: Any, envy: Array, envy_to: Array, width: int) -> None:
    """Say who is owed an Envy Bonus for which hand, among the boxes that are `playing` (`games.settlement.bonus`)."""
    for place in range(12):
        which, seat = place // 6, place % 6
        if not envy[place] or not playing >> seat & 1:
            continue  # a line stays where nobody is owed for it: a qualifying hand is called all the same
        for holder in range(6):
            if staked[width * holder + 2 + which] < terms.qualifying or not playing >> holder & 1:
                continue
            hand_wagered = staked[width * seat + 2 + which] > 0
            if is_envy_owed(boxes[holder] == boxes[seat], hand_wagered, terms.envy_holder_must_wager):
                envy_to[place] |= 1 << holder


@inlined
def check_money(r: Any, i: int, out: Any, width: int) -> int:
    """Compare what was done with what is due."""
    for place in range(r.boxes.shape[1] * width):
        if r.staked[i, place] and r.net[i, place] != out.due[i, place]:
            return MONEY
    for place in range(2 * r.boxes.shape[1]):
        to = out.envy_to[i, place]
        if to != r.envy_to[i, place] or (to and out.envy_due[i, place] != r.envy_cents[i, place]):
            return ENVY
    return UPHELD


@inlined
def check_settlement(r: Any, i: int, terms: Any, out: Any, width: int) -> int:
    """Compare what was done with what is due, and how it was announced, called and paid."""
    wrong = check_money(r, i, out, width)
    if wrong:
        return wrong
    if not hands_are_called(r, i, terms, out.envy[i], width):
        return ENVY_CALL
    for place in range(6 * width):
        announced = r.announced[i, place]
        if announced and r.staked[i, place] and announced != out.ends[i, place]:
            return ANNOUNCED
    for seat in range(6):
        paid, lit, validated = r.progressive_paid[i, seat], r.lit[i, seat], r.validated[i, seat]
        won = out.ends[i, width * seat + 3] == WINS
        if won and paid >= 0 and not (0 <= lit < paid and 0 <= validated < paid):
            return PROGRESSIVE_PAID
    return UPHELD


@inlined
def hands_are_called(r: Any, i: int, terms: Any, envy: Array, width: int) -> bool:
    """Say whether every qualifying hand was acknowledged while another patron held a qualifying wager."""
    for which in range(2):
        for seat in range(6):
            if not envy[6 * which + seat] or not r.staked[i, width * seat] or r.acknowledged[i] >> seat & 1:
                continue
            for holder in range(6):
                qualifies = r.staked[i, width * holder + 2 + which] >= terms.qualifying
                if qualifies and r.boxes[i, holder] != r.boxes[i, seat]:
                    return False
    return True
