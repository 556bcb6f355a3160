"""What the games of seven cards share: the start, the deal, the hands, and the order of setting and settling."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from games.kernels.compiling import compiled, inlined, wide
from games.kernels.ranking import five, two
from replay.columns.kernels.screening_result import (
    COLLECTION,
    DICE,
    FOUL,
    LOSE,
    LOST,
    ORDER,
    ORDER_OF_THE_DEAL,
    REVEAL,
    SET_EARLY,
    SHAKES,
    START,
    STUB,
    TIE,
    UPHELD,
    WIN,
)
from replay.columns.kernels.shared_rules import starting_place
from replay.columns.kernels.table import (
    M_COVERED,
    M_DEALER_SET,
    M_FIRST_CARD,
    M_FIRST_ENVY,
    M_FIRST_LOOK,
    M_LAST_CARD,
    M_LAST_FORTUNE,
    M_LAST_SET,
    M_LAST_WAGER,
    M_NO_MORE_BETS,
    M_TURNED,
    check_deck,
    check_lammers,
    check_wagers,
)
from replay.columns.kernels.terms import ENVY_CENTS, ENVY_LINE, KIND, NOT_HERE
from replay.columns.kernels.wagers import settle_at_odds, settle_progressive

Array = npt.NDArray[Any]


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


@compiled
def two_hands(cards: Array, high: int, low: int, lowest: bool) -> int:
    """Return how a base wager ends against the dealer's hands of five and two (`games.settlement.pai_gow.base_due`)."""
    mine, front = five(cards[:5], lowest), two(wide(cards[5]), wide(cards[6]))
    if mine < front:
        return FOUL
    wins = int(mine > high) + int(front > low)
    return WIN if wins == 2 else TIE if wins == 1 else LOSE


@inlined
def settle_ace_high(
    own: Array, ace_high: bool, joker: bool, highest: int, at: int, staked: Array, lines: Array, ends: Array, due: Array
) -> int:
    """Settle an Ace High Bonus; return its winnings, -1 where no row gives them (`games.face_up_pai_gow.settle_ace_high`).

    `ace_high`, `joker`: of the cards against which the others play; `highest` is `highest_unpaired` of the player's.
    """
    row = own[0 if highest == 14 else 1 if joker else 2]
    if row[KIND] == NOT_HERE:
        return -1
    due[at], ends[at] = -staked[at], LOST
    return settle_at_odds(row, at, staked, lines, ends, due) if ace_high else 0


@inlined
def settle_bonuses(
    terms: Any, completes: int, wild: int, at: int, staked: Array, lines: Array, ends: Array, due: Array
) -> int:
    """Settle Fortune and Progressive of a box, whose wagers begin at a place; return their winnings, -1 where no row gives them.

    `completes`, `wild`: the lines that the seven cards make with the joker so.
    """
    fortune, progressive = wide(0), wide(0)
    if staked[at + 2]:
        row = terms.fortune[wild if terms.fortune_wild else completes]
        fortune = settle_at_odds(row, at + 2, staked, lines, ends, due)
    if staked[at + 3]:
        row = terms.progressive[wild if terms.progressive_wild else completes]
        progressive = settle_progressive(row, at + 3, staked, lines, ends, due, terms.stake_returned)
    return wide(-1) if fortune < 0 or progressive < 0 else fortune + progressive


@inlined
def note_envy(terms: Any, out: Any, i: int, seat: int, completes: int, wild: int) -> None:
    """Write the Envy Bonuses that the hand of a seat qualifies for."""
    for which in range(2):
        has_envy = terms.fortune_envy if which == 0 else terms.progressive_envy
        if has_envy:
            as_wild = terms.fortune_wild if which == 0 else terms.progressive_wild
            row = (terms.fortune if which == 0 else terms.progressive)[wild if as_wild else completes]
            out.envy[i, 6 * which + seat], out.envy_due[i, 6 * which + seat] = row[ENVY_LINE], row[ENVY_CENTS]


@inlined
def stands(r: Any, i: int, terms: Any) -> bool:
    """Say whether nothing voids the round and all wagers were placed in time, so that the cards say what is due."""
    moments = r.moments[i]
    in_time = moments[M_LAST_WAGER] <= moments[M_NO_MORE_BETS] < moments[M_FIRST_CARD]
    started = r.dealt_to[i, 0] == starting_place(wide(r.start_count[i]))
    announced = r.announced_total[i] < 0 or r.announced_total[i] == r.start_count[i]
    return started and announced and r.stub[i] in (-1, terms.stub) and in_time and moments[M_NO_MORE_BETS] >= 0


@inlined
def check_start(r: Any, i: int, terms: Any) -> int:
    """Check the age of the dice, and where the deal started."""
    if r.dice_us[i] >= 0 and r.rolled_us[i] >= 0 and r.rolled_us[i] - r.dice_us[i] > terms.dice_age:
        return DICE
    if r.dealt_to[i, 0] != starting_place(wide(r.start_count[i])):
        return START
    if r.announced_total[i] >= 0 and r.announced_total[i] != r.start_count[i]:
        return START
    return UPHELD


@inlined
def check_shakes(r: Any, i: int, terms: Any) -> int:
    """Check that the dealer shook the dice before the roll, covered the shaker after the deal, and shook it again."""
    covered_late = r.moments[i, M_COVERED] >= r.moments[i, M_LAST_CARD]
    right = r.shakes[i] >= terms.shakes and r.shaken_after[i] and covered_late
    return UPHELD if r.drawn[i] or right else SHAKES


@inlined
def goes_round(r: Any, i: int) -> bool:
    """Say whether cards or stacks went to the seven positions clockwise."""
    round_ = True
    for turn in range(7):
        round_ = round_ and r.dealt_to[i, turn] == (r.dealt_to[i, 0] + turn) % 7
    return round_


@inlined
def check_deal(r: Any, i: int, terms: Any) -> int:
    """Check the order of the deal, the stub, and that all cards were collected."""
    if not goes_round(r, i):
        return ORDER_OF_THE_DEAL
    if r.stub[i] != terms.stub or r.stub_seen[i]:
        return STUB
    return COLLECTION if r.collected[i] != terms.deck_size else UPHELD


@inlined
def check_setting(r: Any, i: int, terms: Any) -> int:
    """Check who set first: the dealer, or the players before the dealer's cards are turned over."""
    moments = r.moments[i]
    if terms.players_first:
        return SET_EARLY if moments[M_LAST_SET] > moments[M_TURNED] else UPHELD
    return check_dealer_first(r, i)


@inlined
def check_dealer_first(r: Any, i: int) -> int:
    """Check that nobody looked, or set, before the dealer set."""
    moments = r.moments[i]
    return SET_EARLY if 0 <= moments[M_FIRST_LOOK] < moments[M_DEALER_SET] else UPHELD


@inlined
def check_order(r: Any, i: int) -> int:
    """Check that hands were revealed and settled in their order."""
    moments = r.moments[i]
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


@inlined
def check_table(r: Any, i: int, terms: Any, width: int) -> int:
    """Check all that comes before the settlement, where the dealer shakes the dice."""
    return (
        check_deck(r, i, terms)
        or check_start(r, i, terms)
        or check_shakes(r, i, terms)
        or check_deal(r, i, terms)
        or check_wagers(r, i, terms, width)
        or check_lammers(r, i, terms, width)
        or check_setting(r, i, terms)
        or check_order(r, i)
    )
