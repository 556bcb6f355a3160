"""DJ Wild Stud Poker by rows: what every wager is due, and what upholds a round (`games.dj_wild`)."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import borrowing, compiled, inlined, wide
from games.kernels.ranking import JOKER
from games.kernels.wild_ranking import CLASS_SHIFT, progressive_rank, wild_value
from replay.columns.game_row_schemas import DJ_WILD
from replay.columns.kernels.judged import (
    CARDS,
    COLLECTION,
    COUNT,
    DECISIONS,
    LIMITS,
    LOST,
    NOT_IN_COLUMNS,
    ORDER,
    ORDER_OF_THE_DEAL,
    SIDE_CARD,
    STUB,
    TIED,
    UPHELD,
    WINS,
)
from replay.columns.kernels.sevens import LOSE, TIE, WIN
from replay.columns.kernels.table import (
    M_FIRST_CARD,
    M_LAST_WAGER,
    M_NO_MORE_BETS,
    M_TURNED,
    check_deck,
    check_wagers,
    rows_type,
)
from replay.columns.kernels.terms import ENVY_CENTS, ENVY_LINE, KIND, NOT_HERE
from replay.columns.kernels.wagers import check_money, settle_at_odds, settle_progressive, share_envy

Array = npt.NDArray[Any]

Rows = rows_type(DJ_WILD, __name__)
WIDTH = 6
"""The wagers that a box can have."""
ANTE, BLIND, RAISE, PROGRESSIVE, TRIPS, BAD_BEAT = range(6)
FOLDED, EQUAL = 250, 251
"""Lines that no paytable has: a wager forfeited by a fold, and a Blind whose hand equals the dealer's."""
NOBODY = 255


@compiled
def no_card_twice(dealt: Array, side: int) -> bool:
    """Say whether every card of a round, the side card too, is there once."""
    seen = wide(0)
    if side < NOBODY:
        seen = wide(1) << wide(side)
    for at in range(35):
        if dealt[at] < NOBODY:
            bit = wide(1) << wide(dealt[at])
            if seen & bit:
                return False
            seen |= bit
    return True


@inlined
def settle(r: Any, i: int, terms: Any, out: Any) -> int:
    """Write what every wager is due with its line and how it ends, and the Envy Bonuses; return a check, 0: settled."""
    dealt, staked, due, lines, ends = r.dealt[i], r.staked[i], out.due[i], out.lines[i], out.ends[i]
    side, folded = wide(r.side[i]), wide(r.folded[i])
    if not no_card_twice(dealt, side):
        return CARDS
    bank = wild_value(dealt[30:35], True)
    progressive = False
    for seat in range(6):
        progressive = progressive or staked[WIDTH * seat + PROGRESSIVE] > 0
    for seat in range(6):
        if r.boxes[i, seat] == 0:
            continue
        cards, at = dealt[5 * seat : 5 * seat + 5], WIDTH * seat
        if cards[0] == NOBODY:
            return CARDS
        folds = folded >> seat & 1 != 0
        mine = wild_value(cards, True)
        rank = mine >> CLASS_SHIFT
        joker = False
        for card in range(5):
            joker = joker or cards[card] == JOKER
        for wager in range(3):
            if not staked[at + wager]:
                continue
            if folds or mine <= bank:
                line = FOLDED if folds else LOSE if mine < bank else TIE
                if wager == BLIND and not folds:
                    line = 0 if mine < bank else EQUAL
                lines[at + wager] = line
                due[at + wager] = -staked[at + wager] if folds or mine < bank else 0
                ends[at + wager] = LOST if folds or mine < bank else TIED
            elif wager == BLIND:
                settle_at_odds(terms.blind[rank], at + wager, staked, lines, ends, due)
            else:
                lines[at + wager], due[at + wager], ends[at + wager] = WIN, staked[at + wager], WINS
        if staked[at + TRIPS]:
            natural = not joker and wild_value(cards, False) >> CLASS_SHIFT == rank
            if settle_at_odds(terms.trips[rank + 12 if natural else rank], at + TRIPS, staked, lines, ends, due) < 0:
                return NOT_IN_COLUMNS
        if staked[at + BAD_BEAT]:
            row = terms.bad_beat[rank]
            if row[KIND] == NOT_HERE:
                return NOT_IN_COLUMNS
            due[at + BAD_BEAT], ends[at + BAD_BEAT] = -staked[at + BAD_BEAT], LOST
            if folds:
                lines[at + BAD_BEAT] = FOLDED
            elif mine < bank:
                settle_at_odds(row, at + BAD_BEAT, staked, lines, ends, due)
        if not progressive or (folds and terms.folds_lose):
            if staked[at + PROGRESSIVE]:
                if terms.progressive[0, KIND] == NOT_HERE:
                    return NOT_IN_COLUMNS
                due[at + PROGRESSIVE], ends[at + PROGRESSIVE] = -staked[at + PROGRESSIVE], LOST
                lines[at + PROGRESSIVE] = FOLDED
            continue
        if joker and side >= JOKER:
            return NOT_IN_COLUMNS  # what takes the joker's place is not on record
        row = terms.progressive[progressive_rank(cards, side, terms.deuces_wild)]
        if staked[at + PROGRESSIVE] and settle_progressive(row, at + PROGRESSIVE, staked, lines, ends, due, False) < 0:
            return NOT_IN_COLUMNS
        if terms.envy:
            out.envy[i, 6 + seat], out.envy_due[i, 6 + seat] = row[ENVY_LINE], row[ENVY_CENTS]
    playing = wide(0x3F)
    if terms.folds_lose:
        playing &= ~folded
    share_envy(staked, r.boxes[i], playing, terms, out.envy[i], out.envy_to[i], WIDTH)
    qualifying = 0
    for seat in range(6):
        qualifying += out.envy_to[i, 6 + seat] != 0
    return NOT_IN_COLUMNS if qualifying > 1 else UPHELD  # in which order they are named goes by the settlement


@inlined
def stub_left(r: Any, i: int, terms: Any) -> int:
    """Return how many cards are left when everybody who wagered, and the dealer, has five."""
    left = terms.deck_size - 5 - (1 if r.side[i] < NOBODY else 0)
    for seat in range(6):
        if r.staked[i, WIDTH * seat] or r.dealt[i, 5 * seat] < NOBODY:
            left -= 5
    return wide(left)


@inlined
def stands(r: Any, i: int, terms: Any) -> bool:
    """Say whether nothing voids the round and all wagers were placed in time, so that the cards say what is due."""
    moments = r.moments[i]
    in_time = moments[M_LAST_WAGER] <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]
    counted = r.stub[i] < 0 or r.stub[i] == stub_left(r, i, terms)
    dealt = True
    for seat in range(6):
        dealt = dealt and (not r.staked[i, WIDTH * seat] or r.dealt[i, 5 * seat] < NOBODY)
    return in_time and moments[M_NO_MORE_BETS] >= 0 and counted and dealt and not check_decisions(r, i)


@inlined
def check_decisions(r: Any, i: int) -> int:
    """Check that the players decided in turn, and the dealer's cards were turned over after all had."""
    turned, last = wide(r.moments[i, M_TURNED]), wide(-1)
    for seat in range(6):
        if r.decided[i, seat] >= 0:
            if r.decided[i, seat] < last:
                return DECISIONS
            last = wide(r.decided[i, seat])
    return DECISIONS if 0 <= turned < max(last, wide(r.last_raise[i])) else UPHELD


@inlined
def check_deal(r: Any, i: int, terms: Any) -> int:
    """Check the order of the stacks, the side card, the stub and the counts, and that all cards were collected."""
    turn, progressive = 0, False
    for seat in range(6):
        progressive = progressive or r.staked[i, WIDTH * seat + PROGRESSIVE] > 0
        if r.staked[i, WIDTH * seat]:
            if r.dealt_to[i, turn] != seat:
                return ORDER_OF_THE_DEAL
            turn += 1
    if r.dealt_to[i, turn] != 6 or (turn < 6 and r.dealt_to[i, turn + 1] != NOBODY):
        return ORDER_OF_THE_DEAL
    if progressive and r.side[i] == NOBODY:
        return SIDE_CARD
    if r.stub[i] >= 0 and (r.stub[i] != stub_left(r, i, terms) or r.stub_seen[i]):
        return STUB
    machine_counts = terms.counts and not r.hand_shuffled[i]
    if not machine_counts and r.uncounted[i] and r.uncounted[i] % terms.count_rounds == 0:
        return COUNT
    if r.counted[i] and r.counted[i] != terms.deck_size:
        return COUNT
    return COLLECTION if r.collected[i] != terms.deck_size else UPHELD


@inlined
def check_beside(r: Any, i: int) -> int:
    """Check that the Blind equals the Ante, and a Raise is twice the Ante."""
    for seat in range(6):
        ante, more = wide(r.staked[i, WIDTH * seat + ANTE]), wide(r.staked[i, WIDTH * seat + RAISE])
        if r.staked[i, WIDTH * seat + BLIND] != ante or more not in (0, 2 * ante):
            return LIMITS
    return UPHELD


@inlined
def check_order(r: Any, i: int, terms: Any) -> int:
    """Check that one player's wagers were settled after another's, the optional ones last, and then the cards collected."""
    for seat in range(6):
        first, last = r.settled_from[i, seat], r.settled_to[i, seat]
        if 0 <= r.others_from[i, seat] < r.base_to[i, seat]:
            return ORDER
        if 0 <= r.hand_gone[i, seat] < last:
            return COLLECTION
        printed = wide(-1)
        for wager in range(3 if terms.as_printed else 0):
            began = wide(r.optional_from[i, 3 * seat + wager])
            if 0 <= began < printed:
                return ORDER
            printed = max(printed, began)
        for other in range(seat):
            if first >= 0 and r.settled_from[i, other] <= last and first <= r.settled_to[i, other]:
                return ORDER
    return UPHELD


@inlined
def check_table(r: Any, i: int, terms: Any) -> int:
    """Check all that comes before the settlement."""
    return (
        check_deck(r, i, terms)
        or check_deal(r, i, terms)
        or check_wagers(r, i, terms, WIDTH)
        or check_beside(r, i)
        or check_decisions(r, i)
        or check_order(r, i, terms)
    )


@borrowing
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names, as `replay.columns.kernels.face_up.screen` does."""
    for i in which:
        check = check_table(r, i, terms)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_money(r, i, out, WIDTH)
        out.check[i] = check
