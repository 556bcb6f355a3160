"""Face Up Pai Gow Poker by rows: what every wager is due, and every check that upholds a round.

`settle` is `games.face_up_pai_gow.settle` for rows in which nothing is missing; the checks go through the rules of the chapter
(docs/batch.md says which looks at what). A row that passes all of them is upheld.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from games.kernels.compiling import compiled, inlined, wide
from games.kernels.house_way import accepts
from games.kernels.ranking import five, seven_and_unpaired, two
from replay.kernels.terms import AMOUNT, AT_ODDS, ENVY_CENTS, ENVY_LINE, KIND, LINE, LOSES, NOT_HERE, PER, TIMES

Array = npt.NDArray[Any]

CHECKS: Final = (
    "upheld", "cards", "house_way", "not_in_columns", "money", "envy", "envy_call", "deck", "dice", "shuffle", "cut", "start",
    "shakes", "order_of_the_deal", "stub", "collection", "no_more_bets", "late", "base_wager", "limits", "seated",
    "lammers", "progressive_count", "lock", "set_early", "announced", "reveal", "progressive_paid", "meter", "order", "aside",
)  # fmt: skip
"""What a row did not pass, by number; 0 is upheld. One that is aside was not looked at: the single path judges it."""
(
    UPHELD, CARDS, HOUSE_WAY, NOT_IN_COLUMNS, MONEY, ENVY, ENVY_CALL, DECK, DICE, SHUFFLE, CUT, START,
    SHAKES, ORDER_OF_THE_DEAL, STUB, COLLECTION, NO_MORE_BETS, LATE, BASE_WAGER, LIMITS, SEATED,
    LAMMERS, PROGRESSIVE_COUNT, LOCK, SET_EARLY, ANNOUNCED, REVEAL, PROGRESSIVE_PAID, METER, ORDER, ASIDE,
) = range(len(CHECKS))  # fmt: skip

WIN, LOSE, TIE, FOUL, ACE_HIGH_PUSH = range(5)
"""The lines of a base wager; those of the others are the paytable's, from 1, and 0 where it loses."""
WINS, LOST, TIED = 1, 2, 3
"""How a wager ends, as it is announced (`replay.plain_rounds.ANNOUNCED`)."""
(
    M_LAST_WAGER, M_NO_MORE_BETS, M_LAST_ACCEPTED, M_LOCKED, M_LAST_LAMMER, M_START, M_FIRST_CARD, M_LAST_CARD, M_COVERED,
    M_DEALER_SET, M_FIRST_LOOK, M_LAST_FORTUNE, M_FIRST_ENVY,
) = range(13)  # fmt: skip
"""The places of `replay.round_columns.MOMENTS`."""


class Judged(NamedTuple):
    """What rows come to, in arrays: money in cents and lines by box and wager, Envy Bonuses by wager and hand.

    `settled` says that a row's money is what it is due by the rules; `check` what the row did not pass (`CHECKS`).
    """

    check: Array
    settled: Array
    due: Array
    lines: Array
    ends: Array
    envy: Array
    envy_due: Array
    envy_to: Array


def nothing_judged(rows: int) -> Judged:
    """Return the arrays for so many rows, in which none was judged."""
    of_one, of_wagers, of_hands = (rows,), (rows, 24), (rows, 12)
    return Judged(
        check=np.full(of_one, ASIDE, dtype=np.uint8), settled=np.zeros(of_one, dtype=np.uint8),
        due=np.zeros(of_wagers, dtype=np.int64), lines=np.zeros(of_wagers, dtype=np.uint8),
        ends=np.zeros(of_wagers, dtype=np.uint8), envy=np.zeros(of_hands, dtype=np.uint8),
        envy_due=np.zeros(of_hands, dtype=np.int64), envy_to=np.zeros(of_hands, dtype=np.uint8),
    )  # fmt: skip


@compiled
def hands_are_those_dealt(dealt: Array, hands: Array) -> bool:
    """Say whether no card of a round is there twice, and all hands set are of the cards dealt there."""
    seen = wide(0)
    for position in range(7):
        held = shown = wide(0)
        for at in range(7 * position, 7 * position + 7):
            held |= wide(1) << wide(dealt[at])
            if hands[at] < 53:
                shown |= wide(1) << wide(hands[at])
        if held & seen or (hands[7 * position] < 53 and shown != held):
            return False
        seen |= held
    count = 0
    while seen:
        seen &= seen - 1
        count += 1
    return count == 49


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
        at, paid = 4 * seat, wide(0)
        if staked[at]:
            lines[at] = base_outcome(cards, high, low, ace_high, terms.lowest)
            due[at] = staked[at] if lines[at] == WIN else -staked[at] if lines[at] in (LOSE, FOUL) else 0
            ends[at] = WINS if lines[at] == WIN else LOST if lines[at] in (LOSE, FOUL) else TIED
        if staked[at + 1]:
            row = terms.ace_high[0 if highest == 14 else 1 if joker else 2]
            if row[KIND] == NOT_HERE:
                return NOT_IN_COLUMNS
            due[at + 1], ends[at + 1] = -staked[at + 1], LOST
            if ace_high:
                lines[at + 1] = row[LINE]
                due[at + 1] = staked[at + 1] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else 0
                ends[at + 1] = WINS if row[KIND] == AT_ODDS else TIED
                paid += due[at + 1]
        if staked[at + 2]:
            row = terms.fortune[wild if terms.fortune_wild else completes]
            if row[KIND] == NOT_HERE:
                return NOT_IN_COLUMNS
            lines[at + 2] = row[LINE]
            won = staked[at + 2] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else 0
            due[at + 2] = -staked[at + 2] if row[KIND] == LOSES else won
            ends[at + 2] = LOST if row[KIND] == LOSES else WINS if row[KIND] == AT_ODDS else TIED
            paid += won
        if staked[at + 3]:
            row = terms.progressive[wild if terms.progressive_wild else completes]
            if row[KIND] == NOT_HERE:
                return NOT_IN_COLUMNS
            lines[at + 3] = row[LINE]
            won = staked[at + 3] * row[TIMES] // row[PER] if row[KIND] == AT_ODDS else row[TIMES]
            back = row[KIND] == AT_ODDS or (row[KIND] == AMOUNT and terms.stake_returned)
            due[at + 3] = won - (0 if back else staked[at + 3])
            ends[at + 3] = LOST if row[KIND] == LOSES else WINS
            paid += won
        for which in range(2):
            has_envy = terms.fortune_envy if which == 0 else terms.progressive_envy
            if has_envy:
                as_wild = terms.fortune_wild if which == 0 else terms.progressive_wild
                row = (terms.fortune if which == 0 else terms.progressive)[wild if as_wild else completes]
                out.envy[i, 6 * which + seat], out.envy_due[i, 6 * which + seat] = row[ENVY_LINE], row[ENVY_CENTS]
        if 0 <= terms.most_payout < paid:
            return NOT_IN_COLUMNS
    share_envy(staked, boxes, terms, out.envy[i], out.envy_to[i])
    return UPHELD


@compiled
def base_outcome(cards: Array, high: int, low: int, ace_high: bool, lowest: bool) -> int:
    """Return how a base wager ends against the dealer's hands (`games.pai_gow.base_due`)."""
    if ace_high:
        return ACE_HIGH_PUSH
    mine, front = five(cards[:5], lowest), two(wide(cards[5]), wide(cards[6]))
    if mine < front:
        return FOUL
    wins = int(mine > high) + int(front > low)
    return WIN if wins == 2 else TIE if wins == 1 else LOSE


@compiled
def share_envy(staked: Array, boxes: Array, terms: Any, envy: Array, envy_to: Array) -> None:
    """Say who holds an Envy Bonus for which hand (`games.bonus.envy_bonuses`)."""
    for place in range(12):
        which, seat = place // 6, place % 6
        if not envy[place]:
            continue  # a line stays where nobody is owed for it: a qualifying hand is called all the same
        for holder in range(6):
            if staked[4 * holder + 2 + which] < terms.qualifying or boxes[holder] == boxes[seat]:
                continue
            if not terms.envy_holder_must_wager or staked[4 * seat + 2 + which]:
                envy_to[place] |= 1 << holder


@inlined
def check_settlement(r: Any, i: int, terms: Any, out: Any) -> int:
    """Compare what was done with what is due, and how it was announced, called and paid."""
    staked, due = r.staked[i], out.due[i]
    for place in range(24):
        if staked[place] and r.net[i, place] != due[place]:
            return MONEY
    for place in range(12):
        to = out.envy_to[i, place]
        if to != r.envy_to[i, place] or (to and out.envy_due[i, place] != r.envy_cents[i, place]):
            return ENVY
    if not hands_are_called(r, i, terms, out.envy[i]):
        return ENVY_CALL
    for place in range(24):
        said = r.announced[i, place]
        if said and staked[place] and said != out.ends[i, place]:
            return ANNOUNCED
    for seat in range(6):
        paid, lit, validated = r.progressive_paid[i, seat], r.lit[i, seat], r.validated[i, seat]
        if out.ends[i, 4 * seat + 3] == WINS and paid >= 0 and not (0 <= lit < paid and 0 <= validated < paid):
            return PROGRESSIVE_PAID
    return UPHELD


@inlined
def hands_are_called(r: Any, i: int, terms: Any, envy: Array) -> bool:
    """Say whether every qualifying hand was acknowledged while another patron held a qualifying wager."""
    for which in range(2):
        for seat in range(6):
            if not envy[6 * which + seat] or not r.staked[i, 4 * seat] or r.acknowledged[i] >> seat & 1:
                continue
            for holder in range(6):
                qualifies = r.staked[i, 4 * holder + 2 + which] >= terms.qualifying
                if qualifies and r.boxes[i, holder] != r.boxes[i, seat]:
                    return False
    return True


@inlined
def stands(r: Any, i: int, terms: Any) -> bool:
    """Say whether nothing voids the round and all wagers were placed in time, so that the cards say what is due."""
    moments = r.moments[i]
    dealt_from = (wide(r.start_count[i]) - 1) % 7
    started = r.dealt_to[i, 0] == (6 if dealt_from == 0 else 6 - dealt_from)
    said = r.announced_total[i] < 0 or r.announced_total[i] == r.start_count[i]
    in_time = moments[M_LAST_WAGER] <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]
    return started and said and r.stub[i] in (-1, terms.stub) and in_time and moments[M_NO_MORE_BETS] >= 0


@inlined
def check_table(r: Any, i: int, terms: Any) -> int:
    """Check decks, dice, shuffle, start and deal."""
    moments = r.moments[i]
    if r.opened_at_us[i] - r.deck_in_play_us[i] > terms.deck_age:
        return DECK
    if r.decks_in_play[i] == 2 and r.decks_before[i] == 2 and r.same_deck[i]:
        return DECK
    if r.dice_us[i] >= 0 and r.rolled_us[i] >= 0 and r.rolled_us[i] - r.dice_us[i] > terms.dice_age:
        return DICE
    if r.shuffled[i] == 0 or (r.shuffled[i] == 1 and terms.by_hand):
        return SHUFFLE
    if r.shuffled[i] == 1 and not is_cut(r, i, terms):
        return CUT
    steps = (wide(r.start_count[i]) - 1) % 7
    if r.dealt_to[i, 0] != (6 if steps == 0 else 6 - steps):
        return START
    if r.announced_total[i] >= 0 and r.announced_total[i] != r.start_count[i]:
        return START
    if not r.drawn[i] and (
        r.shakes[i] < terms.shakes or not r.shaken_after[i] or moments[M_COVERED] < moments[M_LAST_CARD]
    ):
        return SHAKES
    for turn in range(7):
        if r.dealt_to[i, turn] != (r.dealt_to[i, 0] + turn) % 7:
            return ORDER_OF_THE_DEAL
    if r.stub[i] != terms.stub or r.stub_seen[i]:
        return STUB
    return COLLECTION if r.collected[i] != terms.deck_size else UPHELD


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
        must = first if first and at == 0 else wide(0)
        while not must and following:
            if seated >> (following - 1) & 1 and following != first:
                must = following
            following -= 1
        if seat != must:
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
def check_wagers(r: Any, i: int, terms: Any) -> int:
    """Check that wagers were placed in time, by whom they may be, within the limits; lammers, lock and meter."""
    moments, staked = r.moments[i], r.staked[i]
    if not 0 <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]:
        return NO_MORE_BETS
    if moments[M_LAST_WAGER] > moments[M_NO_MORE_BETS]:
        return LATE
    at_boxes = wide(0)
    for seat in range(6):
        for wager in range(4):
            cents = staked[4 * seat + wager]
            if not cents:
                continue
            if not staked[4 * seat]:
                return BASE_WAGER
            if not terms.limits[wager, 0] <= cents <= terms.limits[wager, 1]:
                return LIMITS
        if r.boxes[i, seat] and r.boxes[i, seat] != seat + 1:
            return SEATED  # a second box: whether it may be, and in which order it is played, is not told here
        for which in range(2):
            has_envy = terms.fortune_envy if which == 0 else terms.progressive_envy
            qualifies = has_envy and staked[4 * seat + 2 + which] >= terms.qualifying
            if qualifies != (wide(r.lammers[i]) >> (seat + 6 * which) & 1 != 0):
                return LAMMERS
        if staked[4 * seat + 3]:
            at_boxes |= 1 << seat
    if moments[M_LAST_LAMMER] > moments[M_FIRST_CARD]:
        return LAMMERS
    if r.patrons_known[i] and r.strangers[i]:
        return SEATED
    return check_meter(r, i, terms, at_boxes)


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
        right = before + wide(r.accepted_cents[i, at]) * 100 * terms.rate_bp // 10_000
        if terms.rate_bp >= 0 and before >= 0 and r.readings[i, at] != right:
            return METER
        before = r.readings[i, at]
    if moments[M_LOCKED] >= 0:
        if accepted != at_boxes or r.locked_accepted[i] != count or r.locked_collected[i] != count:
            return PROGRESSIVE_COUNT
        if moments[M_LAST_ACCEPTED] > moments[M_LOCKED]:
            return LOCK
    if count and not 0 <= moments[M_LOCKED] < moments[M_FIRST_CARD]:
        return LOCK
    return UPHELD


@inlined
def check_order(r: Any, i: int) -> int:
    """Check that hands were set, revealed and settled in their order."""
    moments = r.moments[i]
    if 0 <= moments[M_FIRST_LOOK] < moments[M_DEALER_SET]:
        return SET_EARLY
    revealed = settled = wide(-1)
    for down in range(6):
        seat = 5 - down
        if r.revealed[i, seat] >= 0:
            if r.revealed[i, seat] < revealed:
                return REVEAL
            revealed = wide(r.revealed[i, seat])
        if r.base_moved[i, seat] >= 0:
            if r.base_moved[i, seat] < settled:
                return ORDER
            settled = wide(r.base_moved[i, seat])
            if 0 <= r.others_moved[i, seat] < r.base_moved[i, seat]:
                return ORDER
    if 0 <= moments[M_FIRST_ENVY] < moments[M_LAST_FORTUNE]:
        return ORDER
    return UPHELD


@compiled
def screen(r: Any, terms: Any, which: Array, out: Any) -> None:
    """Settle and check the rows that `which` names; `out.check` gets the first check that a row did not pass.

    A row can be settled though it did not pass: most of what is done wrong at a table changes nothing of what is due.
    """
    for i in which:
        check = check_table(r, i, terms)
        if check == UPHELD:
            check = check_wagers(r, i, terms)
        if check == UPHELD:
            check = check_order(r, i)
        if check == UPHELD or stands(r, i, terms):
            settled = settle(r, i, terms, out)
            out.settled[i] = settled == UPHELD
            if check == UPHELD:
                check = settled if settled else check_settlement(r, i, terms, out)
        out.check[i] = check
