"""What every game checks of a row before the cards are looked at: decks, shuffle and cut, wagers, the meter.

What these look at stands in the columns that every game has (`replay.columns.row_schemas`). `width` is how many wagers a box can
have; those with an Envy Bonus stand third and fourth in every game.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from games.kernels.compiling import inlined, wide
from replay.columns.kernels.screening_result import (
    BASE_WAGER,
    CUT,
    DECK,
    LAMMERS,
    LATE,
    LIMITS,
    LOCK,
    METER,
    NO_MORE_BETS,
    PROGRESSIVE_COUNT,
    SEATED,
    SHUFFLE,
    UPHELD,
)
from replay.columns.kernels.shared_rules import contribution
from replay.columns.row_schemas import RowSchema

(
    M_LAST_WAGER,
    M_NO_MORE_BETS,
    M_LAST_ACCEPTED,
    M_LOCKED,
    M_LAST_LAMMER,
    M_START,
    M_FIRST_CARD,
    M_LAST_CARD,
    M_COVERED,
    M_DEALER_SET,
    M_FIRST_LOOK,
    M_LAST_FORTUNE,
    M_FIRST_ENVY,
    M_LAST_SET,
    M_TURNED,
    M_SHAKER,
    M_LAST_ON_DICE,
) = range(17)
"""The places of `replay.columns.row_schemas.MOMENTS`."""


def rows_type(form: RowSchema, module: str) -> Any:
    """Return the type of the rows of a form as the kernel in a module takes them: an array for each column that rules look at."""
    return namedtuple("Rows", form.screened, module=module)


@inlined
def check_deck(r: Any, i: int, terms: Any) -> int:
    """Check the deck, its shuffle and its cut."""
    if r.opened_at_us[i] - r.deck_in_play_us[i] > terms.deck_age:
        return DECK
    if r.decks_in_play[i] == 2 and r.decks_before[i] == 2 and r.same_deck[i]:
        return DECK
    if r.shuffled[i] == 0 or (r.shuffled[i] == 1 and terms.by_hand):
        return SHUFFLE
    if r.shuffled[i] == 1 and not terms.cut_free and not is_cut(r, i, terms):
        return CUT
    return UPHELD


@inlined
def is_cut(r: Any, i: int, terms: Any) -> bool:
    """Say whether a manual shuffle was cut as it must be, by whom it must be, after it was offered in turn."""
    if not r.cut_by[i]:
        return False
    above = wide(r.cut_depth[i])
    if not r.cut_from_top[i]:
        above = terms.deck_size - above
    if not terms.cut_least <= above <= terms.deck_size - terms.cut_below:
        return False
    seated = wide(r.cut_seated[i])
    if terms.cut_by_dealer:
        return wide(r.cut_by[i]) == 7
    if not seated:
        return True
    first = wide(r.first_patron[i])
    if not first or not seated >> (first - 1) & 1:
        first = wide(0)
    offered, last = 0, wide(0)
    following = wide(6)
    for at in range(6):
        seat = wide(r.offered_to[i, at])
        if not seat:
            break
        next_seat = first if first and at == 0 else wide(0)
        while not next_seat and following:
            if seated >> (following - 1) & 1 and following != first:
                next_seat = following
            following -= 1
        if seat != next_seat:
            return False
        offered, last = offered + 1, seat
    took = r.cut_taken[i] != 0
    everybody = 0
    for seat in range(6):
        everybody += seated >> seat & 1
    if not took and offered != everybody:
        return False
    return wide(r.cut_by[i]) == (last if took else 7)


@inlined
def check_wagers(r: Any, i: int, terms: Any, width: int) -> int:
    """Check that wagers were placed in time, by whom they may be, within the limits; the lock and the meter."""
    moments, staked = r.moments[i], r.staked[i]
    if not 0 <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]:
        return NO_MORE_BETS
    if moments[M_LAST_WAGER] > moments[M_NO_MORE_BETS]:
        return LATE
    at_boxes = wide(0)
    for seat in range(6):
        for wager in range(width):
            cents = staked[width * seat + wager]
            if not cents:
                continue
            if not staked[width * seat]:
                return BASE_WAGER
            if not terms.limits[wager, 0] <= cents <= terms.limits[wager, 1]:
                return LIMITS
        if r.boxes[i, seat] and r.boxes[i, seat] != seat + 1:
            return SEATED  # a second box: whether it may be, and in which order it is played, is for event replay
        if staked[width * seat + 3]:
            at_boxes |= 1 << seat
    if r.patrons_known[i] and r.strangers[i]:
        return SEATED
    return check_meter(r, i, terms, at_boxes)


@inlined
def check_lammers(r: Any, i: int, terms: Any, width: int) -> int:
    """Check that every qualifying wager, and no other, got its lammer before the deal."""
    for seat in range(6):
        for which in range(2):
            has_envy = terms.fortune_envy if which == 0 else terms.progressive_envy
            qualifies = has_envy and r.staked[i, width * seat + 2 + which] >= terms.qualifying
            if qualifies != (wide(r.lammers[i]) >> (seat + 6 * which) & 1 != 0):
                return LAMMERS
    return LAMMERS if r.moments[i, M_LAST_LAMMER] > r.moments[i, M_FIRST_CARD] else UPHELD


@inlined
def check_meter(r: Any, i: int, terms: Any, at_boxes: int) -> int:
    """Check what the progressive system accepted: as many as lay there, before the lock, each advancing the meter."""
    moments = r.moments[i]
    accepted, count = wide(0), 0
    before = r.meter_before[i]
    for at in range(6):
        seat = wide(r.accepted_at[i, at])
        if not seat:
            break
        accepted |= wide(1) << (seat - 1)
        count += 1
        right = before + contribution(wide(r.accepted_cents[i, at]), terms.rate_bp)
        if terms.rate_bp >= 0 and before >= 0 and r.readings[i, at] != right:
            return METER
        before = r.readings[i, at]
    if moments[M_LOCKED] >= 0:
        if accepted != at_boxes or r.locked_accepted[i] != count or r.locked_collected[i] != count:
            return PROGRESSIVE_COUNT
        if moments[M_LAST_ACCEPTED] > moments[M_LOCKED]:
            return LOCK
    if moments[M_LOCKED] < 0 and terms.limits[3, 0] <= terms.limits[3, 1]:
        return LOCK  # offered, and not locked out
    if count and not 0 <= moments[M_LOCKED] < moments[M_FIRST_CARD]:
        return LOCK
    return UPHELD
